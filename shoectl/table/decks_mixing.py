"""The way of a deck at a shoe that mixes: it is fed, counted, dealt from, and fed with what was dealt, round by round.

    rack ── open, fill ── infeed ── start ── shuffling ── await ── shoe ── the round ── apart ── feed discards ─┐
     │ ↑                   ↑                               │ not proven                                        │
     │ └────── take out ───┼──────────── stuck ────────────┘                                                   │
     │                     └───────────────────────────────────────────────────────────────────────────────────┘
     └─ remove ── off the table ── bring ── rack           a wrong count, a strange card: taken out, and removed

What is started and awaited is the count of all that is in the machine (`infeed`: it is all in there, and nobody has
counted it since): the count of § 671a.11(h) before every round, made by the device. The stub never leaves the machine.
"""

from __future__ import annotations

from shoectl.games.answers import Shuffled
from shoectl.games.procedure import Irregularity, Procedure, Trouble
from shoectl.games.steps import (
    Announce,
    AwaitShuffle,
    FeedDiscards,
    FillShoe,
    OpenShoe,
    RemoveDeck,
    StartShuffle,
    TakeOut,
)
from shoectl.table.deck_count import count_by_dealer, count_owed, counted, device_counts, place_of, wrong_count
from shoectl.table.decks_turn import bring
from shoectl.table.state import Proof, TableState, Where

IN_MACHINE = (Where.INFEED, Where.SHUFFLING, Where.SHOE, Where.APART)
STRANGE = (Trouble.FOREIGN_CARD, Trouble.DUPLICATE_CARD)


def advance(state: TableState, chapter: str) -> Procedure[TableState]:
    """The next stage of the deck's way. `chapter` is the game's, as `671a`. Trouble leaves it: see `setback`."""
    deck = state.deck
    match deck.where:
        case Where.OFF:
            return (yield from bring(state, chapter))
        case Where.STUCK_SHUFFLER:
            return (yield from _gather(state, chapter))
        case lies if lies in IN_MACHINE and (deck.retired or count_owed(state)):
            return state.with_deck(where=Where.STUCK_SHUFFLER, proof=None, motion=0)
        case Where.APART:
            yield from FeedDiscards(deck.number, deck.out, place_of(deck), rule=f"{chapter}.11(g)")
            return state.with_deck(where=Where.INFEED, out=0)
        case Where.INFEED:
            return (yield from _count(state, chapter))
        case Where.SHUFFLING:
            ended = yield from AwaitShuffle(deck.number, deck.motion, deck.cards, rule=f"{chapter}.11(h)")
            return _judged(state, ended)
        case Where.SHOE:  # not proven any more
            return state.with_deck(where=Where.INFEED, proof=None)
        case _:
            return (yield from _from_rack(state, chapter))


def setback(state: TableState, trouble: Irregularity) -> TableState:
    """Where the deck stands after trouble at a stage: unproven, its cards to be taken out of the machine."""
    deck = state.deck
    state = state.with_deck(proof=None, motion=0, told=True, trouble=deck.trouble or str(trouble))
    gathered = deck.where is Where.RACK and (deck.retired or count_owed(state))
    if deck.where is not Where.OFF and not gathered:
        state = state.with_deck(where=Where.STUCK_SHUFFLER)
    if deck.retired or deck.where is Where.OFF:
        return state
    if trouble.kind in STRANGE:
        return state.with_deck(retired="composition")
    return state.with_deck(retired="count") if trouble.kind is Trouble.WRONG_COUNT else state


def _from_rack(state: TableState, chapter: str) -> Procedure[TableState]:
    deck = state.deck
    if deck.retired:
        rule = f"{chapter}.11(h)(2)"
        yield from Announce(f"The {deck.back} deck leaves the table: {deck.trouble}", rule=rule)
        yield from RemoveDeck(deck.number, deck.trouble, place_of(deck), rule=rule)
        return state.with_deck(where=Where.OFF, proof=None)
    if count_owed(state):
        return (yield from count_by_dealer(state, f"{chapter}.11(h)"))
    yield from OpenShoe(deck.number, deck.cards, rule=f"{chapter}.8")
    yield from FillShoe(deck.number, deck.cards, rule=f"{chapter}.8")
    return state.with_deck(where=Where.INFEED, fresh=False)


def _count(state: TableState, chapter: str) -> Procedure[TableState]:
    deck = state.deck
    begun = yield from StartShuffle(deck.number, deck.cards, rule=f"{chapter}.5")
    if not begun.motion:
        return state.with_deck(where=Where.STUCK_SHUFFLER, trouble=begun.reason)
    return state.with_deck(where=Where.SHUFFLING, motion=begun.motion)


def _judged(state: TableState, ended: Shuffled) -> TableState:
    deck = state.deck
    after = state.with_deck(where=Where.STUCK_SHUFFLER, proof=None, motion=0, told=True, trouble=ended.reason)
    if ended.wrong and ended.counted != deck.cards:
        return wrong_count(after, ended.counted, "the shoe").with_deck(told=True)
    if ended.wrong:
        return after.with_deck(retired="composition")
    if not ended.proven:
        return after
    proof = Proof("shuffler", ended.cycle, deck.motion, ended.counts, ended.identity, ended.reason, ended.device)
    proven = after.with_deck(where=Where.SHOE, proof=proof, trouble="")
    return counted(proven) if device_counts(proven) else proven


def _gather(state: TableState, chapter: str) -> Procedure[TableState]:
    """All cards out of the machine, to those in the rack; where trouble is the reason, it is said aloud."""
    deck = state.deck
    if deck.trouble and not deck.retired:
        said = f"No round starts, deck {deck.number} is not proven: {deck.trouble}"
        yield from Announce(said, rule=f"{chapter}.11(h)")
    yield from TakeOut(deck.number, deck.trouble or "it has to be counted", place_of(deck), rule=f"{chapter}.5")
    trouble = deck.trouble if deck.retired else ""
    return state.with_deck(where=Where.RACK, proof=None, motion=0, out=0, trouble=trouble)
