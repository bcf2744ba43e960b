"""What a form says, as the answer that it means. The fields are those that pages/__init__.py names.

Most fields have the name of the answer's own; where a page asks for something in another word, `_MEANT` says which it
is. All wagers of a round come as one field each, `wager-SEAT-NAME` (`wager-3-super:dealer`), empty or 0 for none. A
field that is left empty is left out; `cards` alone may come more than once.
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
CARDS: Final = "cards"
YES, NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0")

_OF_EVERY_FORM: Final = ("token", "ref", "takes", "back", "through", "floor", "pin")
_MEANT: Final[Mapping[str, Mapping[str, str]]] = {
    "Given": {"number": "count"},
    "Counted": {"number": "cards"},
    "Setting": {CARDS: "low"},
    "Brought": {"choice": "now"},
    "Drawn": {CARDS: "card"},
}


def parse(body: bytes, kind: str) -> dict[str, str]:
    """The fields of a form. Raises BadInput: not a form, too many fields, a name twice."""
    if kind.partition(";")[0].strip().lower() != FORM:
        raise BadInput(f"a form is {FORM}")
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=FIELDS_MOST, errors="strict")
    except ValueError:
        raise BadInput("that is not a form as this page sends it") from None
    fields: dict[str, str] = {}
    for name, value in pairs:
        if name in fields and name != CARDS:
            raise BadInput("a field stands there twice")
        fields[name] = f"{fields[name]} {value}" if name in fields else value
    return fields


def answer_of(takes: type[Any], form: Mapping[str, str]) -> dict[str, Any]:
    """The JSON of an answer of this class (text.answer_from_json). Raises BadInput naming the field."""
    kinds = {f.name: str(f.type) for f in dataclasses.fields(takes)}
    meant = _MEANT.get(takes.__name__, {})
    given: dict[str, Any] = {"placed": []} if "placed" in kinds else {}
    for name, value in form.items():
        if name in _OF_EVERY_FORM:
            continue
        if name.startswith(WAGER) and "placed" in kinds:
            given["placed"] += _wager(name, value.strip())
            continue
        field = meant.get(name, name)
        if field not in kinds or field == "placed":
            raise BadInput(f"{takes.__name__.lower()}: unknown field {name[:30]!r}")
        if value.strip() or "Card" in kinds[field]:
            given[field] = _value(name, kinds[field], value.strip())
    return _with_amount(given) if takes.__name__ == "Decision" else given


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
        case "Card | None" if not value:
            return None
    return value


def _wager(name: str, value: str) -> list[list[Any]]:
    seat, _, wager = name.removeprefix(WAGER).partition("-")
    if not (seat.isascii() and seat.isdigit() and len(seat) < 4) or not wager:
        raise BadInput(f"{name[:30]!r} is no wager, it is named wager-SEAT-NAME")
    amount = _number(name, value or "0")
    return [[int(seat), wager, amount]] if amount else []


def _with_amount(given: dict[str, Any]) -> dict[str, Any]:
    """A choice that names its amount, as `raise 20`: one button for both."""
    choice, _, amount = str(given.get("choice", "")).rpartition(" ")
    if not choice or not amount.isdigit():
        return given
    if "amount" in given:
        raise BadInput("amount: the choice names one already")
    return given | {"choice": choice, "amount": _number("amount", amount)}


def _number(name: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 12):
        raise BadInput(f"{name[:30]}: a whole number is needed")
    return int(value)
