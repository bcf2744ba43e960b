"""Round records: what `shoectl settle` reads. The format is that of docs/games; here it is only read, not judged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NoReturn

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from shoectl.cards import Card, parse_cards
from shoectl.errors import BadInput
from shoectl.games.dealing import Dealing
from shoectl.games.house import show_given, show_value
from shoectl.games.table_options import MOST_SEATS
from shoectl.strict_json import loads

_NUMBER = re.compile(r"\s*[-+]?\d+(\.\d*)?\s*")


@dataclass(frozen=True)
class Decided:
    """One decision of a record: a word, or a word with an amount or with cards."""

    name: str
    amount: int | None = None
    cards: tuple[Card, ...] = ()


def _cards(value: object) -> tuple[Card, ...]:
    if not isinstance(value, str):
        raise ValueError(f"cards are text such as 'As Kd', not {show_given(value)}")
    try:
        return parse_cards(value)
    except BadInput as error:
        raise ValueError(error.reason) from None


def _decisions(value: object) -> tuple[Decided, ...]:
    if not isinstance(value, list):
        raise ValueError(f"a list is expected, not {show_given(value)}")
    return tuple(map(_decided, value))


def _decided(value: object) -> Decided:
    match value:
        case str():
            return Decided(value)
        case dict() if len(value) == 1:
            ((name, given),) = value.items()
            if type(given) is int:
                return Decided(name, amount=given)
            if isinstance(given, str) and not _NUMBER.fullmatch(given):
                return Decided(name, cards=_cards(given))
            raise ValueError(f"{show_value(name)} takes a whole amount or cards, not {show_given(given)}")
    raise ValueError(f"a decision is a word, or one word with an amount or cards, not {show_given(value)}")


def _dealing(value: object) -> Dealing:
    if value not in list(Dealing):
        raise ValueError(f"{show_given(value)} is not allowed, allowed are {', '.join(Dealing)}")
    return Dealing(str(value))


_SEATS = tuple(map(str, range(1, MOST_SEATS + 1)))


def _seat(value: object) -> int:
    if value not in _SEATS:
        raise ValueError("a seat is a number from 1 to 7")
    return int(str(value))


Cards = Annotated[tuple[Card, ...], BeforeValidator(_cards)]


class SeatRecord(BaseModel):
    """One seat: its cards in the order dealt, those drawn later, wagers before the deal, decisions in order."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=True)

    cards: Cards
    drawn: Cards = ()
    wagers: dict[str, int]
    decisions: Annotated[tuple[Decided, ...], BeforeValidator(_decisions)] = ()


class RoundRecord(BaseModel):
    """One round as it was played."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=True)

    game: str
    seats: dict[Annotated[int, BeforeValidator(_seat)], SeatRecord]
    dealer: Cards = ()
    community: Cards = ()
    bonus: Cards = ()
    house: dict[str, Any] = {}
    dealing: Annotated[Dealing, BeforeValidator(_dealing)] = Dealing.AUTOMATED


def read_record(text: str) -> RoundRecord:
    """A record from JSON. Raises BadInput, one line with the place of the fault; the seat is named where it has one."""
    return record_of(loads(text))


def record_of(data: object) -> RoundRecord:
    """A record from plain values. Raises BadInput."""
    if not isinstance(data, dict):
        raise BadInput(f"a record is a JSON object, not {show_given(data)}")
    try:
        return RoundRecord.model_validate(data)
    except ValidationError as error:
        _refuse(error)


_REASONS: Mapping[str, str] = {
    "int_type": "a whole number is expected",
    "string_type": "text is expected",
    "dict_type": "an object is expected",
    "model_type": "an object is expected",
    "missing": "is missing",
}


def _refuse(error: ValidationError) -> NoReturn:
    first = error.errors(include_url=False)[0]
    where = [str(part) for part in first["loc"] if part != "[key]"]
    seat = int(where[1]) if len(where) > 1 and where[0] == "seats" and where[1] in _SEATS else None
    names = where[2:] if seat else where
    place = ".".join(show_value(name) for name in names)
    place = ": ".join(part for part in (f"seat {seat}" if seat else "", place) if part)
    given = first.get("input")
    match first["type"]:
        case "extra_forbidden":
            model = SeatRecord if seat else RoundRecord
            reason = f"unknown key, allowed are {', '.join(model.model_fields)}"
        case "value_error":
            reason = str(first["ctx"]["error"])
        case "missing":
            reason = "is missing"
        case kind:
            reason = f"{_REASONS.get(kind, first['msg'].lower())}, not {show_given(given)}"
    raise BadInput(f"{place}: {reason}" if place else reason, seat=seat) from None
