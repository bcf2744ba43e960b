"""What trouble does to a round: the house's options, turned into the consequence that a guard asks for.

The options themselves, with defaults, alternatives and sources, are data in games/table_options.py; two guards stand
side by side in a round, one until the showdown and one from there on. From the first settlement of the showdown on
nothing is void any more, unless the house moves that border (`void_until`): the floor is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoectl.cards import Card
from shoectl.games import registry
from shoectl.games.answers import FloorWord
from shoectl.games.layout import Layout
from shoectl.games.procedure import Consequence, Decide, GoOn, Irregularity, Step, Trouble, Void
from shoectl.games.steps import (
    COMMUNITY,
    CallFloor,
    Deal,
    DealByHand,
    PlaceWagers,
    Return,
    SetAside,
    TakeBack,
    seat_of,
)
from shoectl.table.state import TableState

GO_ON, END, BY_HAND = "go on", "end the round", "settle by hand"  # what a floorperson may decide
AT_THE_SHOE = (Trouble.EARLY_DRAW, Trouble.EXTRA_CARD)


class ByHand(Irregularity):
    """The floor has the rest of the round settled by hand, because of `trouble`. Lives inside a cycle only."""

    def __init__(self, trouble: Irregularity) -> None:
        super().__init__(trouble.kind, text=trouble.text)
        self.trouble = trouble


def call_floor(trouble: Irregularity, rule: str, *, by_hand: bool = False, after: GoOn | None = None) -> Decide:
    """The floor decides whether the game goes on (with what was interrupted, after what `after` asks for) or ends with
    what lies there given back; `by_hand`: or whether the rest is settled wager by wager.
    """

    def judge(word: FloorWord) -> Void | GoOn:
        match word.choice:
            case "end the round":
                return Void()
            case "settle by hand":
                return Void(ByHand(trouble))
        return after or GoOn()

    choices = (GO_ON, END, BY_HAND) if by_hand else (GO_ON, END)
    return Decide(CallFloor(str(trouble), choices, rule=rule), judge)


def before_showdown(state: TableState, rule: str, layout: Layout | None = None) -> Consequence:
    """What trouble does while a round may still be void. Remembers how many cards were exposed in the stretch."""
    table, exposed = layout or Layout(), 0
    game = registry.game(state.game)
    house = dict(game.house(state.house).values)

    def community(trouble: Irregularity) -> Void | Decide:
        """The next one due may stay exposed where the floor says so."""
        up = [slot.up for slot in table.places.get(COMMUNITY, [])]
        next_due = up == sorted(up, reverse=True)  # it lies face up already: no gap before it
        if house.get("community_card_exposed") == "void" or not next_due:
            return Void()
        return call_floor(trouble, rule)

    def bonus_back() -> Iterator[Step[Any]]:
        """The wagers that these cards would have settled go back; the game goes on without them."""
        for seat, wager, amount in table.standing():
            if wager in game.bonus_wagers:
                yield Return(seat, wager, amount, "void", rule=rule)

    def expose(trouble: Irregularity) -> Void | GoOn | Decide:
        nonlocal exposed
        match trouble.place:
            case "dealer":
                return GoOn() if state.option("dealer_card_exposed") == "continue" else Void()
            case "community":
                return community(trouble)
            case "bonus" if house.get("bonus_card_exposed") != "void":
                return GoOn(tuple(bonus_back()))
            case "bonus":
                return Void()
        exposed += 1
        another = next_card(table, trouble, rule)
        match state.option("one_exposed_card" if exposed == 1 else "more_exposed_cards"):
            case "discard" if another is not None:
                return another
            case "floor" if another is not None:
                return call_floor(trouble, rule, after=another)
        return Void()

    def judge(trouble: Irregularity) -> Void | GoOn | Decide:
        match trouble.kind:
            case Trouble.EARLY_DRAW | Trouble.EXTRA_CARD:
                return Void() if state.option("card_drawn_in_error") == "void" else GoOn()
            case Trouble.EXPOSED_CARD:
                return expose(trouble)
            case Trouble.RETURNED_CARD:
                return dealt_again(table, trouble, rule) or Void()
            case Trouble.MISREAD_CARD:  # the cards on the table are what they are: the floor says whether they count
                return call_floor(trouble, rule)
            case Trouble.DEVICE_FAILED if state.option("jam_in_round") == "floor":
                return call_floor(trouble, rule)
            case Trouble.DEVICE_RESTARTED if state.option("restart_in_round") == "floor":
                return call_floor(trouble, rule)
        return Void()

    def consequence(trouble: Irregularity, step: Step[Any]) -> Void | GoOn | Decide:
        decided = judge(trouble)
        dealing = isinstance(step, Deal) and not table.decided
        may_void = trouble.kind is Trouble.WITHDRAWN or dealing or isinstance(step, PlaceWagers)
        if isinstance(decided, Void) and state.option("void_until") == "deal" and not may_void:
            return call_floor(trouble, rule)
        return decided

    return consequence


def next_card(table: Layout, trouble: Irregularity, rule: str) -> GoOn | None:
    """A card that was exposed goes to the rack, and the next one is dealt in its place. None where that cannot be: the
    stub has no more, or nobody knows which cards lie there.

    One that belongs to no place (it came face up out of the shoe) lies in the rack already, and what was due is due.
    """
    place = trouble.place
    if place is None or seat_of(place) is None:
        return GoOn()
    at = table.exposed_at(place, Card.parse(trouble.card) if trouble.card else None)
    if at is None or place in table.unseen or not table.stub():
        return None
    deal = DealByHand if table.restocked else Deal
    return GoOn((SetAside(place, at, rule=rule), deal((place,), rule=rule)))


def dealt_again(table: Layout, trouble: Irregularity, rule: str) -> GoOn | None:
    """A card that was pushed back into the shoe is dealt again, to the same place. None where nobody knows which cards
    lie there.
    """
    place = trouble.place
    at = None if place is None else table.exposed_at(place, Card.parse(trouble.card) if trouble.card else None)
    if place is None or at is None or place in table.unseen:
        return None
    up = (0,) if table.places[place][at].up else ()
    return GoOn((TakeBack(place, at, rule=rule), Deal((place,), up, rule=rule)))


def after_showdown(state: TableState, rule: str, layout: Layout | None = None) -> Consequence:
    """What trouble does once the showdown has begun: payments made are not reversed, the floor is called."""
    before = before_showdown(state, rule, layout)
    settled = len(layout.booked) if layout is not None else -1

    def consequence(trouble: Irregularity, step: Step[Any]) -> Void | GoOn | Decide:
        if trouble.kind in AT_THE_SHOE:
            return GoOn() if state.option("void_until") != "end_of_round" else before(trouble, step)
        if trouble.kind is Trouble.EXPOSED_CARD:
            return call_floor(trouble, rule, by_hand=True)  # no card is dealt in its place any more
        match state.option("void_until"):
            case "end_of_round":
                return before(trouble, step)
            case "first_showdown" if layout is not None and len(layout.booked) == settled:
                return before(trouble, step)
        return call_floor(trouble, rule, by_hand=True)

    return consequence


def patient(trouble: Irregularity, step: Step[Any]) -> Void | GoOn:
    """A card that came too much changes nothing while decks are handled: it goes to the rack and the step goes on."""
    return GoOn() if trouble.kind in AT_THE_SHOE else Void()
