"""What is sent to a device and what it says to it, as values that a journal can hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from protocols.family import Family, Verb
from protocols.message import Response
from protocols.vocabulary import EventCode, Result
from shoectl.errors import BadInput

_SAYS = {
    Result.OK: "done",
    Result.ACCEPTED: "started",
    Result.E_BUSY: "refused: the device is busy",
    Result.E_STATE: "refused: not possible in the state that the device is in",
    Result.E_PARAM: "refused: a value is not allowed",
    Result.E_INTERLOCK: "refused: a door, a lid, a sensed cause or a retired deck stands in the way",
    Result.E_AUTH: "refused: no session, or not the rights",
    Result.E_RING: "refused: the device has no room for more events until older ones are taken",
    Result.E_ID_REUSE: "refused: this command number was used for another command",
    Result.E_UNKNOWN_ID: "the device does not know this command number",
    Result.E_UNSUPPORTED: "refused: the device cannot do this",
    Result.E_FAULT: "refused: an open fault forbids it",
    Result.E_NOT_VERIFIED: "refused: the deck is not verified",
    Result.E_ABORTED: "ended before it was done",
}


class DeviceLost(Exception):
    """The link went while an answer was awaited: nobody knows yet what became of the command.

    `Station.fate` tells, once `Station.ready` has returned.
    """


class Refused(Exception):
    """This device may not sit here. The text says why and what to do; `alarm`: it may be one that pretends."""

    def __init__(self, text: str, *, alarm: bool = False) -> None:
        super().__init__(text)
        self.alarm = alarm


@dataclass(frozen=True)
class Command:
    """A command before it has an id: message type and body, both as the journal's intent entry records them."""

    type: str
    body: Mapping[str, Any] = field(default_factory=dict)


def command_of(family: Family, verb: Verb, body: Mapping[str, Any] | None = None) -> Command:
    """The command by which a family says a verb. Raises BadInput where it cannot."""
    if verb not in family.verbs:
        raise BadInput(f"the family {family.name} cannot {verb.replace('_', ' ')}")
    return Command(family.verbs[verb], body or {})


@dataclass(frozen=True)
class Reply:
    """What the device answered: a result (common.md §5), and the body that only OK and ACCEPTED carry."""

    result: int
    fault_code: int | None = None
    body: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, response: Response) -> Reply:
        """The reply that a response carries."""
        return cls(response.result, response.fault_code, response.body)

    @property
    def ok(self) -> bool:
        """Done, or started."""
        return self.result in (Result.OK, Result.ACCEPTED)

    @property
    def text(self) -> str:
        """The result in words; a fault that forbids the command is named."""
        return result_text(self.result, self.fault_code)


def result_text(result: int, fault_code: int | None = None) -> str:
    """A result code in words; codes that nobody knows are failures."""
    try:
        said = _SAYS[Result(result)]
    except ValueError:
        return f"refused: unknown result {result:02X}"
    return said if fault_code is None else f"{said} ({fault_text(fault_code)})"


def fault_text(code: int) -> str:
    """A fault code in words: `jam`, `double feed`; a code that nobody knows by its number."""
    try:
        return EventCode(code).name.lower().replace("_", " ")
    except ValueError:
        return f"fault {code:02X}"
