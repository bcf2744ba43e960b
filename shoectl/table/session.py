"""The session: one cycle of a table, from a deck in the rack to a deck in the rack. `cycle(layout, state)` → state.

    1 prove      the deck's way through the shuffler to the shoe (decks.py); until it is proven no wager is asked for.
                 Where there are two, the other one's into the shuffler, which is at it while this one is played.
                 Trouble: the proof is void, the deck is gathered and shuffled again.
    2 play       wagers · the game until the showdown ("no more bets", deal, decisions).
                 Trouble: the house's policy, else void.
      showdown   the game from the showdown on. Trouble: the floor is called, nothing is void any more.
    3 clear      what still lies there to the rack · the shoe is closed and counted · the stub to the rack · the
                 dealer's count when it is due · a wrong deck leaves the table. Trouble: it is asked again, or owed.
                 The next cycle is the other deck's.

The stretches stand side by side, each under its own guard, and nothing that is thrown ever leaves `cycle`: the entry is
in the journal, so a table that died of it would die at every start. A void is general: every wager that still lies
there goes home, every place that still holds cards goes to the rack, and no game knows how.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from shoectl.games import registry
from shoectl.games.layout import Layout
from shoectl.games.procedure import Irregularity, Procedure, Step, Trouble, guarded
from shoectl.games.steps import Announce, Collect, CountTable, Deal, Discard, Pay, PlaceWagers, Return, SettleByHand
from shoectl.table.deck_count import due_now
from shoectl.table.decks import STUB, advance, put_away, setback
from shoectl.table.decks_turn import alternate, as_the_house_wants, checked, next_deck, whose_turn
from shoectl.table.policies import ByHand, after_showdown, before_showdown, patient
from shoectl.table.state import TableState, Where
from shoectl.table.undealt import Undealt, with_stub

BURNT = "burn"  # the place of cards that are burnt
MOST_ODDS = 25_000  # the highest odds that any paytable has: more is never paid on a wager
COUNTED = (Trouble.WRONG_COUNT, Trouble.RECORD_LOST)  # after these the deck is counted, where no device does
RETIRES = {Trouble.DUPLICATE_CARD: "composition", Trouble.FOREIGN_CARD: "composition"}


def cycle(layout: Layout, state: TableState) -> Procedure[TableState]:
    """One cycle: a proven deck, a round, and the table cleared. Returns the state for the next one.

    A cycle that is withdrawn before a wager was placed, or in which nobody plays, returns the deck where it lies. Of a
    round that was voided (`layout.void`) the rest is cleared away, and nothing is played.
    """
    game = registry.game(state.game)
    if layout.void:
        yield from void(layout, layout.void, f"{game.chapter}.13")
        return (yield from _put_away(state, game.chapter))
    state, withdrawn = yield from _prove(as_the_house_wants(state), game.chapter)
    if withdrawn:
        return state
    undealt = Undealt(state)
    trouble = yield from _play(layout, undealt, game)
    untouched = not layout.dealt() and not layout.wagers
    if untouched and (trouble is None or trouble.kind is Trouble.WITHDRAWN):
        return state
    rule = f"{game.chapter}.11(g)"
    yield from _insist(lambda: _first_place(layout, rule))
    if layout.restocked or not (state.equipment.shoe or layout.stub_racked):
        yield from _once(Discard(STUB, rule=rule))
    return (yield from _clear(_after_round(layout, undealt.state, trouble), game.chapter))


def _prove(state: TableState, chapter: str) -> Procedure[tuple[TableState, bool]]:
    """The state with a deck that may be dealt, the other one in the shuffler, and whether the table was withdrawn
    before.
    """
    missing: set[int] = set()  # decks that nobody can bring now
    while (number := next_deck(state := whose_turn(state), missing)) is not None:
        moved = checked(replace(state, turn=number))
        absent = moved.deck.where is Where.OFF
        try:
            moved = yield from guarded(advance(moved, chapter), patient)
            missing |= {number} if absent and moved.deck.where is Where.OFF else set()
        except Irregularity as trouble:
            if trouble.kind is Trouble.WITHDRAWN:
                return state, True
            moved = setback(moved, trouble)
            if number != state.turn and trouble.kind is not Trouble.DEVICE_FAILED:  # seen at the deck that is ready
                moved = setback(replace(moved, turn=state.turn), trouble)
        state = replace(moved, turn=state.turn)
    return checked(state), False


def _play(layout: Layout, undealt: Undealt, game: registry.Game) -> Procedure[Irregularity | None]:
    """One round, from its wagers to its last settlement. Returns the trouble that voided it."""
    state = undealt.state
    house = game.house(state.house)
    rule = f"{game.chapter}.13"
    try:
        stretch = with_stub(_until_showdown(layout, state, game), layout, undealt, game.chapter)
        played = yield from guarded(stretch, before_showdown(state, rule, layout))
        if played:
            yield from guarded(game.showdown(layout, house), after_showdown(state, rule, layout))
    except ByHand as trouble:
        yield from _count_table(layout, trouble, rule)
        yield from settle_by_hand(layout, rule)
        return trouble.trouble
    except Irregularity as trouble:
        yield from _count_table(layout, trouble, rule)
        yield from void(layout, str(trouble.kind), rule)
        return trouble
    return None


def _count_table(layout: Layout, trouble: Irregularity, rule: str) -> Procedure[None]:
    """Where a record of draws was lost, the cards on the table are counted before they are gathered: trouble meanwhile
    changes nothing of that.
    """
    while trouble.kind is Trouble.RECORD_LOST:
        try:
            yield from CountTable(sum(map(layout.count, layout.occupied())), rule=rule)
        except Irregularity:
            continue
        return


def _until_showdown(layout: Layout, state: TableState, game: registry.Game) -> Procedure[bool]:
    """Wagers, then the game until its showdown. Returns whether anybody plays."""
    house = game.house(state.house)
    offers = game.offers(house, state.limits)
    placed = yield from PlaceWagers(state.seats, offers, rule=f"{game.chapter}.7")
    if placed.placed:
        if burnt := int(state.option("burn_cards") or 0):
            yield from Deal((BURNT,) * burnt, rule=f"{game.chapter}.8")
            yield from Discard(BURNT, rule=f"{game.chapter}.8")
        yield from game.until_showdown(layout, house, state.dealing)
    return bool(placed.placed)


def void(layout: Layout, why: str, rule: str) -> Procedure[None]:
    """Give back every wager that still lies there, rack every place that still holds cards."""

    def owed() -> Step[Any] | None:
        for seat, wager, amount in layout.standing():
            return Return(seat, wager, amount, outcome="void", rule=rule)
        return _first_place(layout, rule)

    if owed() is not None:
        yield from _once(Announce(f"The round is void ({why}): all wagers go back", rule=rule))
    yield from _insist(owed)


def settle_by_hand(layout: Layout, rule: str) -> Procedure[None]:
    """A floorperson has every wager that still lies there paid, collected or given back, one after the other."""
    while (standing := next(layout.standing(), None)) is not None:
        seat, wager, stake = standing
        try:
            said = yield from SettleByHand(seat, wager, stake, stake * MOST_ODDS, rule=rule)
        except Irregularity:
            continue  # it changes nothing of what is owed
        match said.outcome:
            case "pay":
                paid: Step[Any] = Pay(seat, wager, said.amount, stake, "by hand", "the floor's word", rule=rule)
            case "collect":
                paid = Collect(seat, wager, stake, rule=rule)
            case _:
                paid = Return(seat, wager, stake, rule=rule)
        yield from _once(paid)


def _first_place(layout: Layout, rule: str) -> Step[Any] | None:
    return next((Discard(place, rule=rule) for place in layout.occupied()), None)


def _once(step: Step[Any]) -> Procedure[None]:
    """A step that is left undone when there is trouble."""
    try:
        yield from step
    except Irregularity:
        return


def _insist(owed: Callable[[], Step[Any] | None]) -> Procedure[None]:
    """Ask for what is owed until nothing is; trouble changes nothing of it."""
    while (step := owed()) is not None:
        yield from _once(step)


def _after_round(layout: Layout, state: TableState, trouble: Irregularity | None) -> TableState:
    """What a round that was played, or void, leaves behind."""
    number = state.rounds_played + 1
    state = replace(state, rounds_played=number).with_deck(proof=None, rounds=(*state.deck.rounds, number))
    if state.deck.where in (Where.SHOE, Where.HAND):  # else its stub has been put away, or that is owed
        where = _after_play(state)
        out = state.deck.cards if layout.restocked else min(layout.dealt(), state.deck.cards)
        state = state.with_deck(where=where, out=out)
    if trouble is not None and trouble.kind in RETIRES:
        return state.with_deck(retired=RETIRES[trouble.kind], told=False, trouble=str(trouble))
    if trouble is not None and trouble.kind in COUNTED:
        return due_now(state)
    return state


def _after_play(state: TableState) -> Where:
    """Where the deck is that was played with."""
    if state.equipment.mixes:
        return Where.APART
    return Where.CLOSING if state.equipment.shoe else Where.HAND


def _clear(state: TableState, chapter: str) -> Procedure[TableState]:
    """The deck to the rack, counted when that is due, or off the table if it is wrong."""
    if state.deck.where is Where.HAND:
        state = state.with_deck(where=Where.RACK, out=0)
    return alternate((yield from _put_away(state, chapter)))


def _put_away(state: TableState, chapter: str) -> Procedure[TableState]:
    while not put_away(state):
        try:
            state = yield from guarded(advance(checked(state), chapter), patient)
        except Irregularity as trouble:
            state = setback(state, trouble)
    return checked(state)
