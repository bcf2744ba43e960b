"""What passes over a link, whatever the family: five frozen values.

Field names in bodies are those of the protocol documents and of the golden vectors, values are plain
(int, str, hex text for raw bytes, tuples for lists), so a message can be shown, compared and stored as it is.
The one exception: `events` of an event read holds `Event` values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from protocols.vocabulary import EventCode, Result

Body = Mapping[str, Any]

_EVENT_NAMES = {code.value: code.name for code in EventCode}


@dataclass(frozen=True)
class Request:
    """Host to device. `id` is the command id (S, M) or a number that is only echoed (Q); 0 where there is none.

    `broadcast`: it went to all devices of a shared line; nobody answers it.
    """

    type: str
    id: int = 0
    body: Body = field(default_factory=dict)
    broadcast: bool = False


@dataclass(frozen=True)
class Response:
    """Device to host. `result` is a code of common.md §5; only 00 and 01 carry a body, 0B carries `fault_code`.

    `id` is the id of the request it answers; a link whose wire does not repeat it fills it in.
    """

    type: str
    id: int
    result: int
    body: Body = field(default_factory=dict)
    fault_code: int | None = None

    @property
    def ok(self) -> bool:
        """Done, or started."""
        return self.result in (Result.OK, Result.ACCEPTED)


@dataclass(frozen=True)
class Event:
    """What happened in a device (common.md §7). `seq` counts from 1 inside an epoch; `t_ms` is time since that boot."""

    seq: int
    boot: int
    t_ms: int
    code: int
    body: Body = field(default_factory=dict)

    @property
    def name(self) -> str | None:
        """The name of common.md §7.1, None for a code that is not listed."""
        return _EVENT_NAMES.get(self.code)


@dataclass(frozen=True)
class Progress:
    """How far a motion is (Alder §4): cards done of total. Not retained, not evidence."""

    cycle: int
    state: int
    done: int
    total: int


@dataclass(frozen=True)
class Hint:
    """How a device says by itself that it stands (Cedar's doorbell, Dogwood's STATUS). It may be lost or come twice,
    and is never sealed: nothing is decided from it, it only tells that asking is worth while.
    """

    body: Body


Message = Request | Response | Event | Progress | Hint
