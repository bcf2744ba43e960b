"""Who gets how many cards in what order, for the three ways of dealing."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from shoectl.games.steps import Deal, Place


class Dealing(StrEnum):
    """The three ways of dealing; the sections .8 to .10 of each chapter."""

    MANUAL = "manual"  # from a manual shoe, one card at a time
    HAND = "hand"  # from the hand, one card at a time
    AUTOMATED = "automated"  # an automated shoe hands out whole stacks


_SECTION = {Dealing.MANUAL: "8", Dealing.HAND: "9", Dealing.AUTOMATED: "10"}


def dealing_rule(chapter: str, dealing: Dealing) -> str:
    """The section of a chapter that says how this way of dealing goes: `671a.10`."""
    return f"{chapter}.{_SECTION[dealing]}"


def dealing_order(dealing: Dealing, places: Sequence[Place], each: int) -> tuple[Place, ...]:
    """Where each card goes: whole stacks in the order of places (automated), or one card at a time, in turn."""
    if dealing == Dealing.AUTOMATED:
        return tuple(place for place in places for _ in range(each))
    return tuple(place for _ in range(each) for place in places)


def deal_hands(chapter: str, dealing: Dealing, places: Sequence[Place], each: int, *, last_up: bool = False) -> Deal:
    """The deal of `each` cards to every place, the dealer's last. `last_up`: the very last card is laid face up."""
    to = dealing_order(dealing, places, each)
    return Deal(to, (len(to) - 1,) if last_up and to else (), rule=dealing_rule(chapter, dealing))
