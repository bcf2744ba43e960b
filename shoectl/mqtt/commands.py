"""Commands from the bus: what they look like, and which are refused before anybody looks at the table.

Refused is what is retained (it would be done again at each connection), too long, no command of ours, malformed in any
way, or issued more than ten seconds ago or ahead. Whether it was done before, and who may do it, is asked after that
(memory.py, authority.py). Nothing of a refused command is carried out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from shoectl.errors import ShoectlError
from shoectl.strict_json import KeyTwice, NotJson, loads

LARGEST: Final = 4096  # bytes of a payload: the longest answer is a few cards
FRESH_S: Final = 10.0  # how old, or how far ahead, a command may be

_WHO: Final = r"^[A-Za-z0-9_.-]{1,40}$"
_STEP: Final = r"^[0-9]{1,9}\.[0-9]{1,9}(\.[0-9]{1,9})?$"
_ID: Final = r"^[A-Za-z0-9_.:-]{1,64}$"
PATTERNS: Final = {
    _WHO: "1 to 40 letters, digits, '_', '.' and '-' are allowed",
    _STEP: "a step as it is listed is expected: round.step or round.step.part, as 12.7.0",
    _ID: "1 to 64 letters, digits, '_', '.', ':' and '-' are allowed",
}
"""What a pattern allows, in words."""

Who = Annotated[str, Field(pattern=_WHO)]
Step = Annotated[str, Field(pattern=_STEP)]
Word = Annotated[str, Field(min_length=1, max_length=60)]
Card = Annotated[str, Field(min_length=2, max_length=3)]


class Command(BaseModel):
    """What every command says: its own number, never given twice; when it was issued (RFC 3339); by whom."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    id: Annotated[str, Field(pattern=_ID)]
    issued_at: AwareDatetime
    by: Who

    @property
    def persons(self) -> tuple[str, ...]:
        """All who say so."""
        return (self.by,)


class List(Command):
    """Topic `cmd/list`: the step that waits, and what everybody may see."""


class Answer(Command):
    """Topic `cmd/answer`: the answer to an open step. `with` holds the fields that `list` names under `takes`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, validate_by_name=False)

    step: Step
    given: Annotated[dict[str, Any], Field(alias="with")]


class Held(Command):
    """Topic `cmd/held`: a word that ends the hold of the open step; `also` is the second person where two are asked."""

    step: Step
    how: Word
    also: Who | None = None
    card: Card | None = None

    @property
    def persons(self) -> tuple[str, ...]:
        """All who say so."""
        return (self.by,) if self.also is None else (self.by, self.also)


class Report(Command):
    """Topic `cmd/report`: what only people can see, as an exposed card: `what` it is, `at` which place."""

    step: Step
    what: Word
    at: Word
    card: Card | None = None


COMMANDS: Final[Mapping[str, type[Command]]] = {"list": List, "answer": Answer, "held": Held, "report": Report}


class CommandRefused(ShoectlError):
    """A command that is not carried out. `why` is one of WHYS, `id` the command's where it could be read."""

    def __init__(self, why: str, text: str, *, id: str | None = None, rule: str | None = None) -> None:
        super().__init__(text)
        self.why = why
        self.id = id
        self.rule = rule


WHYS: Final = (
    "retained",
    "oversized",
    "unknown",
    "malformed",
    "reply topic",
    "stale",
    "repeated",
    "unauthorised",
    "not allowed",
    "dropped",
)


def read(name: str, payload: bytes, *, retained: bool, now: float) -> Command:
    """A command, if it may be looked at. `now`: wall time, Unix seconds. Raises CommandRefused."""
    if retained:
        raise CommandRefused("retained", "a retained command would be done again at each connection")
    if len(payload) > LARGEST:
        raise CommandRefused("oversized", f"{len(payload)} bytes; at most {LARGEST} are allowed")
    kind = COMMANDS.get(name)
    if kind is None:
        raise CommandRefused("unknown", f"no such command; allowed are {', '.join(COMMANDS)}")
    try:
        loads(payload)  # which is stricter
        command = kind.model_validate_json(payload)
    except KeyTwice:
        raise CommandRefused("malformed", "a key stands there twice") from None
    except NotJson:
        raise CommandRefused("malformed", "not JSON") from None
    except ValidationError as error:
        raise CommandRefused("malformed", _first(error)) from None
    age = now - command.issued_at.timestamp()
    if abs(age) > FRESH_S:
        told = f"{age:.0f} s ago" if age > 0 else f"{-age:.0f} s ahead"
        text = f"issued {told} by this table's clock; at most {FRESH_S:.0f} s are allowed"
        raise CommandRefused("stale", text, id=command.id)
    return command


def _first(error: ValidationError) -> str:
    """The first thing wrong: where, and what is allowed. What was sent is not repeated."""
    found = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part)[:20] for part in found["loc"][:3])
    if found["type"] == "json_invalid":
        return "not JSON"
    if found["type"] == "extra_forbidden":
        return "a field that no command of this kind has"
    if found["type"] == "string_pattern_mismatch":
        return f"{where}: {PATTERNS[found['ctx']['pattern']]}"
    return f"{where or 'the payload'}: {found['msg'][:1].lower()}{found['msg'][1:]}"
