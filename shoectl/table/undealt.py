"""What is left of the deck once a round needs no more cards: it goes to the rack unexposed, before anybody decides.

From the hand the dealer lays it down. A shoe is closed, which is when it says how many cards were in it, and emptied;
where it cannot be now, that is owed until the round is over. A wrong inventory while the round is open voids it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from shoectl.games.layout import Layout
from shoectl.games.procedure import Irregularity, Procedure, Trouble
from shoectl.games.steps import Deal, Discard, RackStub, Reveal
from shoectl.table.decks import STUB, advance, setback
from shoectl.table.state import TableState, Where

R = TypeVar("R")

IN_SHOE = (Where.CLOSING, Where.CLOSED)
OWED = (Trouble.DEVICE_FAILED, Trouble.DEVICE_RESTARTED)  # what the shoe could not do now is done after the round


@dataclass
class Undealt:
    """The table's state while a round is played: the rest of the deck may move, nothing else does."""

    state: TableState


def with_stub(play: Procedure[R], layout: Layout, undealt: Undealt, chapter: str) -> Procedure[R]:
    """A game's stretch; where it has the stub racked, the session's steps for that follow. After a deal of packets the
    dealer turns up what is to lie face up, and enters it: nobody has read it.
    """
    try:
        step = next(play)
        while True:
            answer = yield step
            if isinstance(step, RackStub):
                yield from _rack(layout, undealt, chapter, step.rule)
            elif isinstance(step, Deal) and undealt.state.by_packets:
                yield from _turn_up(layout, step)
            step = play.send(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def _turn_up(layout: Layout, deal: Deal) -> Procedure[None]:
    for place in dict.fromkeys(deal.to[part] for part in deal.up):
        slots = enumerate(layout.places.get(place, []))
        if at := tuple(n for n, slot in slots if slot.up and slot.face is None):
            yield from Reveal(place, at, rule=deal.rule)


def _rack(layout: Layout, undealt: Undealt, chapter: str, rule: str) -> Procedure[None]:
    state = undealt.state
    if state.equipment.mixes:
        return  # the cards that were not dealt stay where they are: nobody sees or touches them
    if not state.equipment.shoe:
        yield from Discard(STUB, rule=rule)
        return
    undealt.state = state.with_deck(where=Where.CLOSING, out=min(layout.dealt(), state.deck.cards))
    try:
        while undealt.state.deck.where in IN_SHOE:
            undealt.state = yield from advance(undealt.state, chapter)
            if undealt.state.deck.retired:
                raise Irregularity(Trouble.WRONG_COUNT, text=undealt.state.deck.trouble)
    except Irregularity as trouble:
        if trouble.kind not in OWED:
            raise
        undealt.state = setback(undealt.state, trouble)
