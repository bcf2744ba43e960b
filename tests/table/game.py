"""A small game for trying journal and runner: two decks in turn, two cards a seat, the higher sum of ranks wins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from shoectl.games.answers import Wagers
from shoectl.games.layout import Layout
from shoectl.games.procedure import GoOn, Irregularity, Procedure, Step, Trouble, Void, guarded
from shoectl.games.steps import (
    DEALER,
    Announce,
    Ask,
    AwaitShuffle,
    Choice,
    Collect,
    Deal,
    Discard,
    FillShoe,
    Pay,
    PlaceWagers,
    Return,
    Reveal,
    StartShuffle,
    WagerOffer,
    at_seat,
)

RULE = "1.11(a)"
STAKE = 10
WAGERS = Wagers(((1, "ante", STAKE), (2, "ante", STAKE)))


@dataclass(frozen=True)
class Purse:
    """What outlives a round: the shuffle that was started and not yet awaited."""

    seats: tuple[int, ...] = (1, 2)
    motion: int = 0
    played: int = 0

    def check(self) -> None:
        pass

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(**{**data, "seats": tuple(data["seats"])})


def cycle(layout: Layout, state: Purse) -> Procedure[Purse]:
    """The deck that was shuffled during the last round is awaited in this one, and the next one started."""
    motion = state.motion or (yield from StartShuffle(0, 52, rule=RULE)).motion
    yield from AwaitShuffle(0, motion, 52, rule=RULE)
    yield from FillShoe(0, 52, rule=RULE)
    started = yield from StartShuffle(1, 52, rule=RULE)
    try:
        yield from guarded(_play(layout, state), _consequence)
    except Irregularity:
        for seat, wager, amount in tuple(layout.standing()):
            yield from Return(seat, wager, amount, "void", rule=RULE)
    for place in layout.occupied():
        yield from Discard(place, rule=RULE)
    return replace(state, motion=started.motion, played=state.played + 1)


def _consequence(trouble: Irregularity, step: Step[Any]) -> Void | GoOn:
    return GoOn() if trouble.kind is Trouble.EARLY_DRAW else Void()


def _play(layout: Layout, state: Purse) -> Procedure[None]:
    yield from PlaceWagers(state.seats, (WagerOffer("ante", STAKE, STAKE),), rule=RULE)
    places = (*map(at_seat, layout.seats()), DEALER)
    yield from Deal((*places, *places), up=(len(places) - 1,), rule=RULE)
    for seat in layout.seats():
        yield from Announce(f"Seat {seat} decides", rule=RULE)
        chosen = yield from Ask(seat, (Choice("stand"), Choice("fold")), rule=RULE)
        if chosen.choice == "fold":
            yield from Collect(seat, "ante", STAKE, "forfeit", rule=RULE)
            yield from Discard(at_seat(seat), rule=RULE)
    yield from Reveal(DEALER, rule=RULE)
    for seat in layout.seats():
        if layout.wager(seat, "ante"):
            yield from Reveal(at_seat(seat), rule=RULE)
            yield from _settle(layout, seat)


def _settle(layout: Layout, seat: int) -> Procedure[None]:
    mine, dealer = (sum(card.rank for card in layout.hand(place) or ()) for place in (at_seat(seat), DEALER))
    if mine > dealer:
        yield from Pay(seat, "ante", STAKE, STAKE, "1:1", "more", rule=RULE)
    elif mine < dealer:
        yield from Collect(seat, "ante", STAKE, rule=RULE)
    else:
        yield from Return(seat, "ante", STAKE, rule=RULE)


def announcing(layout: Layout, state: Purse) -> Procedure[Purse]:
    """A round of people alone."""
    yield from Announce("Place your wagers", rule=RULE)
    placed = yield from PlaceWagers(state.seats, (WagerOffer("ante", STAKE, STAKE),), rule=RULE)
    for seat, wager, amount in placed.placed:
        yield from Collect(seat, wager, amount, rule=RULE)
    return replace(state, played=state.played + 1)
