"""Views of a table, written by hand: as visibility.py makes them, and no more."""

from __future__ import annotations

from typing import Any

from shoectl.console.settings import Standing
from shoectl.games.procedure import Step
from shoectl.games.text import step_json
from shoectl.people.roles import Person
from shoectl.table.desk import answer_fields
from shoectl.table.state import Deck, Equipment, ShoeKind, ShufflerKind, TableState

DEALER, FLOOR = Person(4711, "D", "dealer"), Person(815, "F", "floor")
OBSERVER, BOTH = Person(12, "O", "observer"), Person(4711, "D", "dealer", 815)
STANDING = Standing("Table 7 · Lunar Poker")
BY_HAND = TableState("lunar-poker", limits={"ante": (25, 500), "super": (5, 25)})
WITH_DEVICES = TableState(
    "lunar-poker", equipment=Equipment(ShufflerKind(), ShoeKind()), decks=(Deck(0, "red"), Deck(1, "blue"))
)


def passed(step: Step[Any], outcome: str = "passed", number: int = 1) -> dict[str, Any]:
    """A step of the record."""
    return {"number": number, "outcome": outcome, "step": step_json(step)}


def view(step: Step[Any] | None = None, *, part: int = 0, **more: Any) -> dict[str, Any]:
    """The dealer's view with this step open."""
    opened = None
    if step is not None:
        ref = {"round": 3, "step": 9, "part": part}
        opened = {"ref": ref, "by": str(step.by), "parts": step.parts, "takes": step.takes.__name__, **step_json(step)}
    empty: dict[str, Any] = {
        "viewer": "dealer", "entry": 1234, "round": 3, "step": opened, "record": [], "past": None, "places": {},
        "shown": {}, "rack": 0, "wagers": {}, "decided": {}, "net": {}, "hold": None, "journal": "",
    }  # fmt: skip
    return {**empty, **more}


def listed(step: Step[Any], *, part: int = 0, unread: int = 0, words: tuple[str, ...] = ()) -> dict[str, Any]:
    """The same step as the desk lists it."""
    return {
        "ref": f"3.9.{part}",
        "by": str(step.by),
        "rule": step.rule,
        "step": step_json(step),
        "takes": answer_fields(step.takes),
        "words": list(words),
        "unread": unread,
    }


def down(cards: int) -> list[dict[str, Any]]:
    """Cards face down."""
    return [{"up": False}] * cards


def up(faces: str) -> list[dict[str, Any]]:
    """Cards face up."""
    return [{"up": True, "card": face} for face in faces.split()]
