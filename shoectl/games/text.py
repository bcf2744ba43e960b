"""Steps and answers as text: JSON both ways, and the digest by which a replay knows a step again."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from shoectl.cards import Card, parse_cards, show_cards
from shoectl.errors import BadInput
from shoectl.games.procedure import Answer, Step


def _plain(value: object) -> object:
    match value:
        case Card():
            return str(value)
        case tuple() if value and all(isinstance(item, Card) for item in value):
            return show_cards(value)
        case tuple():
            return [_plain(item) for item in value]
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        case _:
            return value


def step_json(step: Step[Any]) -> dict[str, object]:
    """A step as JSON: `do`, its fields, `rule`. Holds no face."""
    fields = {f.name: _plain(getattr(step, f.name)) for f in dataclasses.fields(step) if f.name != "rule"}
    return {"do": step.do, **fields, "rule": step.rule}


def step_digest(step: Step[Any]) -> str:
    """A short digest by which a replay sees that it asks the same step. The wording of texts is not part of it."""
    body = {key: value for key, value in step_json(step).items() if key not in ("text", "why", "reason")}
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:16]


def answer_json(answer: Answer) -> dict[str, object]:
    """An answer as JSON; may hold faces, so it stays in the journal."""
    return {f.name: _plain(getattr(answer, f.name)) for f in dataclasses.fields(answer)}


def answer_from_json(takes: type[Answer], data: Mapping[str, Any]) -> Answer:
    """The answer of a class from JSON. Raises BadInput naming the field and what is allowed."""
    allowed = {f.name: f for f in dataclasses.fields(takes)}
    for name in data:
        if name not in allowed:
            raise BadInput(
                f"{takes.__name__.lower()}: unknown field {name!r}, allowed are {', '.join(allowed) or 'none'}"
            )
    values: dict[str, Any] = {}
    for name, f in allowed.items():
        if name not in data:
            if f.default is dataclasses.MISSING:
                raise BadInput(f"{takes.__name__.lower()}: field {name!r} is missing")
            continue
        values[name] = _parse(takes, name, str(f.type), data[name])
    return takes(**values)


def _parse(takes: type[Answer], name: str, kind: str, value: Any) -> Any:
    match kind, value:
        case "Card | None", None:
            return None
        case (("Card | None" | "Card"), str()):
            cards = parse_cards(value)
            if len(cards) == 1:
                return cards[0]
        case "tuple[Card, ...]", str():
            return parse_cards(value)
        case "tuple[Card, ...]", []:
            return ()
        case "bool", bool():
            return value
        case "int", int() if not isinstance(value, bool):
            return value
        case "str", str():
            return value
        case "tuple[tuple[int, str, int], ...]", list():
            rows = [tuple(row) if isinstance(row, list) else row for row in value]
            if all(
                isinstance(row, tuple)
                and len(row) == 3
                and type(row[0]) is int
                and isinstance(row[1], str)
                and type(row[2]) is int
                for row in rows
            ):
                return tuple(rows)
    raise BadInput(f"{takes.__name__.lower()}: field {name!r} cannot be {value!r} (it is {kind})")
