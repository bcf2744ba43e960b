"""Two decks and one shuffler: which deck is moved next, whose turn it is, and where there is room for it.

One deck is shuffled while the other is played, by turns. The shuffler takes a deck only once the other was taken from
it, the discard rack holds one deck only, and so do the dealer's hands; where a deck lies is in the state, and `checked`
asserts all of this whenever a deck is moved. A deck that cannot go to the rack is gathered in the dealer's hands.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from shoectl.games.deck_steps import BringDeck
from shoectl.games.procedure import Procedure
from shoectl.table.deck_count import count_owed, place_of
from shoectl.table.state import Deck, TableState, Where

IN_SHUFFLER = (Where.INFEED, Where.SHUFFLING, Where.READY, Where.TRAY, Where.STUCK_SHUFFLER)
UNDER_WAY = (Where.SHUFFLING, Where.READY, Where.TRAY)  # nothing to do until it is this deck's turn
GATHERED = (Where.RACK, Where.HELD, Where.BOX)
ROOM_FOR_ONE = (
    (Where.RACK,),
    (Where.HAND, Where.HELD),
    IN_SHUFFLER,
    (Where.SHOE, Where.CLOSING, Where.CLOSED),
)
BACKS = ("red", "blue")


def may_start(state: TableState) -> bool:
    """Whether the deck whose turn it is may be dealt: it is proven, lies where it is dealt from, no count is owed."""
    if not state.deck.dealable or count_owed(state):
        return False
    if state.equipment.shoe:
        return state.deck.where is Where.SHOE
    return state.deck.where is Where.HAND and not cut_is_due(state)


def cut_is_due(state: TableState) -> bool:
    """Whether the deck in the dealer's hands has to be cut before it is dealt (`cut`); one that was shuffled by hand is
    cut with that.
    """
    return state.option("cut") == "always" and not state.deck.cut


def next_deck(state: TableState, missing: Collection[int] = ()) -> int | None:
    """The deck that has to be moved before a round may start: first the one that is played, then the other, which goes
    into the shuffler. None: a round may start. `missing` are decks that nobody can bring now.
    """
    if not may_start(state):
        return state.turn
    other = state.other
    if other is None or other.number in missing or (other.where in UNDER_WAY and not other.retired):
        return None
    return None if other.where is Where.OFF and decks_wanted(state) < 2 else other.number


def whose_turn(state: TableState) -> TableState:
    """The same state, the turn with the other deck where this one is away, or waits for a shuffler that holds it."""
    deck, other = state.deck, state.other
    if other is None or other.where is Where.OFF or may_start(state):
        return state
    waits = deck.where is Where.OFF or (deck.where in GATHERED and other.where in IN_SHUFFLER)
    return replace(state, turn=other.number) if waits else state


def alternate(state: TableState) -> TableState:
    """The turn with the other deck, after a round."""
    return state if state.other is None else replace(state, turn=state.other.number)


def gathered(state: TableState) -> Where:
    """Where the deck whose turn it is can be gathered: in the rack, or in the dealer's hands beside it."""
    taken = state.other is not None and state.other.where is Where.RACK
    return Where.HELD if taken else Where.RACK


def checked(state: TableState) -> TableState:
    """The same state. Raises AssertionError where two decks would lie in one place."""
    if state.other is not None:
        for places in ROOM_FOR_ONE:
            assert not {deck.where for deck in state.decks} <= set(places), f"two decks in one place: {state.decks}"
    return state


def decks_wanted(state: TableState) -> int:
    """How many decks the house plays with; what the state has where nothing is said. Two need a shuffler, which a shoe
    that mixes is not: its deck never leaves it.
    """
    wanted = state.house.get("decks", len(state.decks))
    return int(wanted or 1) if state.equipment.shuffler and not state.equipment.mixes else 1


def second_deck(deck: Deck, back: str = "", *, there: bool = False) -> Deck:
    """The deck beside another one, of another back colour, never used: `there`, in its box, or still to be brought."""
    other = BACKS[0] if deck.back == BACKS[1] else BACKS[1]
    second = Deck(1 - deck.number, back or other, where=Where.OFF, generation=0)
    return replace(second, where=Where.BOX, fresh=True, generation=1) if there else second


def bring(state: TableState, chapter: str) -> Procedure[TableState]:
    """Another deck, inspected, in the place of one that has left; it never comes back by itself. The second deck of a
    table comes in this way too. The state is the same where none can be brought now.
    """
    deck, where = state.deck, gathered(state)
    brought = yield from BringDeck(deck.number, deck.back, place_of(replace(deck, where=where)), rule=f"{chapter}.4")
    if not brought.now:
        return state
    fresh = state.equipment.shuffler is not None
    new = Deck(deck.number, deck.back, deck.cards, where, fresh=fresh, generation=deck.generation + 1)
    return replace(state, decks=tuple(new if one.number == deck.number else one for one in state.decks))


def as_the_house_wants(state: TableState) -> TableState:
    """A second deck where the house plays with two: it is away and will be brought. One too many, and one that is worn,
    is retired: it leaves the table at the next opportunity.
    """
    deck, other = state.deck, state.other
    if decks_wanted(state) > 1 and other is None:
        state = replace(state, decks=(*state.decks, second_deck(deck)))
    elif decks_wanted(state) == 1 and other is not None:
        state = _without_one(state, deck, other)
    return replace(state, decks=tuple(_worn(one) if one.name in state.worn else one for one in state.decks))


def _without_one(state: TableState, deck: Deck, other: Deck) -> TableState:
    stays, leaves = (other, deck) if deck.where is Where.OFF else (deck, other)
    state = replace(state, turn=stays.number)
    if leaves.where is Where.OFF:
        return replace(state, decks=(stays,))
    retired = leaves if leaves.retired else _retired(leaves, "policy", "the house plays with one deck")
    return replace(state, decks=tuple(retired if one is leaves else one for one in state.decks))


def _worn(deck: Deck) -> Deck:
    if deck.where is Where.OFF or deck.retired:
        return deck
    return _retired(deck, "wear", "it has been on the table as long as the house allows")


def _retired(deck: Deck, why: str, text: str) -> Deck:
    return replace(deck, retired=why, told=False, trouble=text)
