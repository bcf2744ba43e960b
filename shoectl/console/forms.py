"""What a form says, as the answer that it means: flat names to the fields of the answer's class.

Each field of the class (`choice`, `amount`, `cards`, …) is a field of the form with the same name; a count of cards
stands in `cards` as a number. All wagers of a round come as one field each, `wager-SEAT-NAME` (`wager-3-super:dealer`),
an empty one or 0 for none. A box that is ticked says `yes`, or `true`; one that is left empty is left out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

from shoectl.errors import BadInput

FIELDS_MOST: Final = 200  # of a form: seven seats with a dozen wagers each are fewer
FORM: Final = "application/x-www-form-urlencoded"
WAGER: Final = "wager-"
YES, NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0")

_SIGNED: Final = ("token", "ref", "takes", "back", "operator", "pin")  # of each form; no part of an answer


def parse(body: bytes, kind: str) -> dict[str, str]:
    """The fields of a form. Raises BadInput: not a form, too many fields, a name twice."""
    if kind.partition(";")[0].strip().lower() != FORM:
        raise BadInput(f"a form is {FORM}")
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=FIELDS_MOST, errors="strict")
    except (UnicodeDecodeError, ValueError):
        raise BadInput("that is not a form as this page sends it") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise BadInput("a field stands there twice")
    return fields


def answer_of(takes: type[Any], form: Mapping[str, str]) -> dict[str, Any]:
    """The JSON of an answer of this class (text.answer_from_json). Raises BadInput naming the field."""
    kinds = {f.name: str(f.type) for f in dataclasses.fields(takes)}
    wagers = {name: value for name, value in form.items() if name.startswith(WAGER)}
    given: dict[str, Any] = {}
    for name, value in form.items():
        if name in _SIGNED or name in wagers:
            continue
        if name not in kinds:
            raise BadInput(f"unknown field {name[:30]!r}, allowed are {', '.join(kinds) or 'none'}")
        if value.strip() or kinds[name] == "tuple[Card, ...]":
            given[name] = _value(name, kinds[name], value.strip())
    if "placed" in kinds:
        given["placed"] = [wager for name, value in wagers.items() if (wager := _wager(name, value.strip()))]
    elif wagers:
        raise BadInput("no wagers are awaited now")
    return given


def _value(name: str, kind: str, value: str) -> Any:
    match kind:
        case "int":
            return _number(name, value)
        case "bool" if value.lower() in YES:
            return True
        case "bool" if value.lower() in NO:
            return False
        case "bool":
            raise BadInput(f"{name}: yes or no")
        case "Card | None" if value.lower() == "none":
            return None
    return value


def _wager(name: str, value: str) -> list[Any] | None:
    seat, _, wager = name.removeprefix(WAGER).partition("-")
    if not (seat.isascii() and seat.isdigit() and len(seat) < 4) or not wager:
        raise BadInput(f"{name[:30]!r} is no wager, it is named wager-SEAT-NAME")
    amount = _number(name, value or "0")
    return [int(seat), wager, amount] if amount else None


def _number(name: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 12):
        raise BadInput(f"{name[:30]}: a whole number is needed")
    return int(value)
