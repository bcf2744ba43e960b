"""What rounds of every game share: the two directions, the dealer's acknowledgement, and a void."""

from __future__ import annotations

from typing import TypeVar

from shoectl.games.house import House
from shoectl.games.layout import Layout
from shoectl.games.procedure import Irregularity, Procedure
from shoectl.games.steps import Acknowledge, Announce, Collect, Discard, Pay, Return

R = TypeVar("R")


def clockwise(table: Layout) -> tuple[int, ...]:
    """The seats of the round from the dealer's left."""
    return table.seats()


def counterclockwise(table: Layout) -> tuple[int, ...]:
    """The seats of the round from the dealer's right."""
    return table.seats()[::-1]


def acknowledged(house: House, seat: int, turn: Procedure[R]) -> Procedure[R]:
    """A seat's turn, and the dealer's word that what was collected and paid in it lies as shown: once at its end,
    after each movement of chips, or never, as the house has it (`acknowledge`).
    """
    how_often = house.text("acknowledge")
    moved = ""  # the rule of the last movement of chips
    try:
        step = next(turn)
        while True:
            answer = yield step
            if isinstance(step, Collect | Pay | Return):
                if how_often == "step":
                    yield from Acknowledge(step.seat, rule=step.rule)
                moved = step.rule
            step = turn.send(answer)
    except StopIteration as end:
        if moved and how_often == "seat":
            yield from Acknowledge(seat, rule=moved)
        return end.value  # type: ignore[no-any-return]


def void(table: Layout, trouble: Irregularity, chapter: str) -> Procedure[None]:
    """The round is void: every wager that still lies there goes back, every card into the rack. What was collected or
    paid before stays so.
    """
    rule = f"{chapter}.13"
    yield from Announce(f"the round is void: {trouble.kind}", rule=rule)
    for seat, wager, amount in tuple(table.standing()):
        yield from Return(seat, wager, amount, "void", rule=rule)
    for place in table.occupied():
        yield from Discard(place, rule=rule)
