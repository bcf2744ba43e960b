"""The way of a deck from the discard rack to the dealer, stage by stage: shuffled, proven, laid into the shoe.

A stage is told by where the deck lies, so that a table which was interrupted goes on where it stands:

    rack ── feed ── infeed ── start ── shuffling ── await ── ready ── present ── tray ── take ── hand ── fill ── shoe
     │ ↑                                  │ not proven                                                           │
     │ ├─────────── take out ────────── stuck                                                                    │
     │ └─────────── empty ───────────── closed ──────────── close ────────────────────────────────────────────── ┘
     └─ remove ── off the table ── bring ── rack         a wrong count or composition, or a card twice: retire it at the
                                                         shuffler, gather, remove, bring another, feed, confirm it

Trouble at a stage voids the proof and sends the deck back to where its cards have to be gathered first.

Each function here is about the deck whose turn it is; which one is moved next, and where there is room to gather it
(`rack` stands for either place), decks_turn.py says. A shoe that mixes keeps its deck: decks_mixing.py.
"""

from __future__ import annotations

from dataclasses import replace

from shoectl.games.answers import ShoeClosed, Shuffled
from shoectl.games.procedure import Irregularity, Procedure, Trouble
from shoectl.games.steps import (
    Announce,
    AwaitShuffle,
    CloseShoe,
    ConfirmDeck,
    CutDeck,
    Discard,
    EmptyShoe,
    FeedShuffler,
    FillShoe,
    OpenShoe,
    Place,
    PresentDeck,
    RemoveDeck,
    RetireDeck,
    ShuffleByHand,
    StartShuffle,
    TakeDeck,
    TakeOut,
)
from shoectl.table import decks_mixing
from shoectl.table.deck_count import (
    count_by_dealer,
    count_owed,
    counted,
    device_counts,
    due_now,
    place_of,
    wrong_count,
)
from shoectl.table.decks_turn import GATHERED, IN_SHUFFLER, bring, cut_is_due, gathered
from shoectl.table.state import Proof, TableState, Where

STUB: Place = "stub"  # what is left in the dealer's hands
LEAST_CUT = 10  # cards in either part of a deck that is cut


def put_away(state: TableState) -> bool:
    """Whether nothing is left to do with the deck after a round: it is racked, counted if that was due, or gone."""
    deck = state.deck
    if deck.retired:
        return deck.where is Where.OFF
    if state.equipment.mixes and deck.where is Where.INFEED:
        return not count_owed(state)
    return deck.where is Where.OFF or (deck.where in GATHERED and not count_owed(state))


def advance(state: TableState, chapter: str) -> Procedure[TableState]:
    """The next stage of the deck's way. `chapter` is the game's, as `671a`. Trouble leaves it: see `setback`."""
    if state.equipment.mixes:
        return (yield from decks_mixing.advance(state, chapter))
    deck = state.deck
    match deck.where:
        case Where.OFF:
            return (yield from bring(state, chapter))
        case _ if deck.retired:
            return (yield from _retire(state, chapter))
        case Where.STUCK_SHUFFLER | Where.CLOSING | Where.CLOSED:
            return (yield from _gather(state, chapter))
        case Where.RACK | Where.HELD | Where.BOX:
            return (yield from _from_rack(state, chapter))
        case Where.INFEED | Where.SHUFFLING:
            return (yield from _shuffle(state, chapter))
        case _:
            return (yield from _hand_over(state, chapter))


def setback(state: TableState, trouble: Irregularity) -> TableState:
    """Where the deck stands after trouble at a stage: unproven, and to be gathered."""
    if state.equipment.mixes:
        return decks_mixing.setback(state, trouble)
    deck = state.deck
    given_up = trouble.kind is Trouble.DEVICE_FAILED
    match deck.where:
        case lies if lies in IN_SHUFFLER:
            where = Where.STUCK_SHUFFLER
        case lies if lies in GATHERED and state.equipment.shuffler and not count_owed(state) and not deck.retired:
            where = Where.STUCK_SHUFFLER  # some of its cards may lie in the infeed
        case Where.CLOSING:
            where = Where.CLOSED if given_up else Where.CLOSING
        case Where.CLOSED if not given_up:
            where = Where.CLOSED
        case Where.HAND | Where.SHOE if state.equipment.shoe:
            where = Where.CLOSING
        case Where.RACK | Where.HELD | Where.BOX | Where.OFF | Where.HAND:
            where = deck.where
        case _:
            where = gathered(state)
    if deck.where in (Where.CLOSING, Where.CLOSED):
        state = due_now(state)  # nobody counted what was in the shoe
    told = deck.told or bool(deck.retired)  # a shuffler that cannot be told does not keep the deck on the table
    return state.with_deck(where=where, proof=None, motion=0, told=told, trouble=deck.trouble or str(trouble))


def _from_rack(state: TableState, chapter: str) -> Procedure[TableState]:
    deck = state.deck
    if count_owed(state):
        return (yield from count_by_dealer(state, f"{chapter}.11(h)"))
    if not state.equipment.shuffler:
        cut = LEAST_CUT if state.option("cut") != "never" else 0
        yield from ShuffleByHand(deck.number, cut, rule=f"{chapter}.5")
        shuffled = Proof("hand", text="shuffled and cut by hand" if cut else "shuffled by hand")
        return state.with_deck(where=Where.HAND, proof=shuffled, trouble="", cut=bool(cut))
    fed = yield from FeedShuffler(deck.number, deck.back, place_of(deck), rule=f"{chapter}.5")
    if not fed.loaded:
        return state.with_deck(where=Where.STUCK_SHUFFLER, trouble=fed.reason)
    return state.with_deck(where=Where.INFEED)


def _shuffle(state: TableState, chapter: str) -> Procedure[TableState]:
    deck = state.deck
    if deck.where is Where.SHUFFLING:
        ended = yield from AwaitShuffle(deck.number, deck.motion, deck.cards, rule=f"{chapter}.11(h)")
        return _judged(state, ended)
    if deck.fresh:
        yield from ConfirmDeck(deck.number, deck.back, deck.cards, rule=f"{chapter}.5")
        return state.with_deck(fresh=False)
    begun = yield from StartShuffle(deck.number, deck.cards, rule=f"{chapter}.5")
    if not begun.motion:
        return state.with_deck(where=Where.STUCK_SHUFFLER, trouble=begun.reason)
    return state.with_deck(where=Where.SHUFFLING, motion=begun.motion, cut=False)


def _judged(state: TableState, ended: Shuffled) -> TableState:
    deck = state.deck
    after = state.with_deck(where=Where.STUCK_SHUFFLER, proof=None, motion=0, trouble=ended.reason)
    if ended.wrong and ended.counted != deck.cards:
        return wrong_count(after, ended.counted, "the shuffler")
    if ended.wrong:
        return after.with_deck(retired="composition", told=False)
    if not ended.proven:
        return after
    proof = Proof("shuffler", ended.cycle, deck.motion, ended.counts, ended.identity, ended.reason, ended.device)
    proven = _as_found(after, ended.counts).with_deck(where=Where.READY, proof=proof, trouble="")
    return counted(proven) if device_counts(proven) else proven


def _as_found(state: TableState, counts: bool) -> TableState:
    """The state with the shuffler as it showed itself: one that cannot count waives nothing, the dealer counts."""
    kind = state.equipment.shuffler
    if kind is None or kind.counts == counts:
        return state
    return replace(state, equipment=replace(state.equipment, shuffler=replace(kind, counts=counts)))


def _hand_over(state: TableState, chapter: str) -> Procedure[TableState]:
    deck = state.deck
    match deck.where:
        case Where.READY if deck.dealable:
            yield from PresentDeck(deck.number, rule=f"{chapter}.5")
            return state.with_deck(where=Where.TRAY)
        case Where.TRAY if deck.dealable:
            taken = yield from TakeDeck(deck.number, rule=f"{chapter}.5")
            held = state.with_deck(where=Where.HAND)
            return held if taken.count == deck.cards else wrong_count(held, taken.count, "the shuffler's tray")
        case Where.HAND if deck.dealable and not count_owed(state) and cut_is_due(state):
            yield from CutDeck(deck.number, LEAST_CUT, rule=f"{chapter}.5")
            return state.with_deck(cut=True)
        case Where.HAND if deck.dealable and state.equipment.shoe:
            yield from OpenShoe(deck.number, deck.cards, rule=f"{chapter}.8")
            yield from FillShoe(deck.number, deck.cards, rule=f"{chapter}.8")
            return state.with_deck(where=Where.SHOE)
        case _:  # not proven, or a count is owed, while it lies ready to be dealt: gather it first
            return (yield from _to_gather(state, chapter))


def _to_gather(state: TableState, chapter: str) -> Procedure[TableState]:
    match state.deck.where:
        case lies if lies in IN_SHUFFLER:
            where = Where.STUCK_SHUFFLER
        case Where.SHOE:
            where = Where.CLOSING
        case _:
            where = gathered(state)
            if where is Where.RACK:
                yield from Discard(STUB, rule=f"{chapter}.11(g)")
    return state.with_deck(where=where, proof=None, motion=0)


def _gather(state: TableState, chapter: str) -> Procedure[TableState]:
    """One thing towards all cards in the rack; where trouble is the reason, it is said aloud."""
    deck, where = state.deck, gathered(state)
    place = place_of(replace(deck, where=where))
    if deck.trouble and not deck.retired and deck.where is not Where.CLOSED:
        said = f"No round starts, deck {deck.number} is not proven: {deck.trouble}"
        yield from Announce(said, rule=f"{chapter}.11(h)")
    match deck.where:
        case Where.CLOSING:
            closed = yield from CloseShoe(deck.number, deck.cards - deck.out, rule=f"{chapter}.11(h)")
            return judge_shoe(state.with_deck(where=Where.CLOSED, proof=None), closed)
        case Where.CLOSED:
            yield from EmptyShoe(deck.number, place, rule=f"{chapter}.11(g)")
        case _:
            why = deck.trouble or "it has to be shuffled again"
            yield from TakeOut(deck.number, why, place, rule=f"{chapter}.5")
    trouble = deck.trouble if deck.retired else ""
    return state.with_deck(where=where, proof=None, motion=0, out=0, trouble=trouble)


def judge_shoe(state: TableState, closed: ShoeClosed) -> TableState:
    """What the shoe's inventory means: right, wrong (the deck leaves the table), or a count that is owed."""
    if closed.wrong and not state.deck.retired:
        return wrong_count(state, closed.counted, "the shoe")
    return state if closed.right else due_now(state)


def _retire(state: TableState, chapter: str) -> Procedure[TableState]:
    """A retired deck on its way off the table."""
    deck, rule = state.deck, f"{chapter}.11(h)(2)"
    if state.equipment.shuffler and not deck.told:
        yield from RetireDeck(deck.number, deck.retired, rule=rule)
        return state.with_deck(told=True)
    if deck.where in (*GATHERED, Where.HAND):
        yield from Announce(f"The {deck.back} deck leaves the table: {deck.trouble}", rule=rule)
        yield from RemoveDeck(deck.number, deck.trouble, place_of(deck), rule=rule)
        return state.with_deck(where=Where.OFF, proof=None)
    if deck.where in (Where.STUCK_SHUFFLER, Where.CLOSING, Where.CLOSED):
        return (yield from _gather(state, chapter))
    return (yield from _to_gather(state, chapter))
