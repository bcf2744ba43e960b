"""The showdown of Four Card Poker, § 641a.11(c) and (d): forfeits, the dealer's hand, each seat in turn, the rack."""

from __future__ import annotations

from dataclasses import dataclass, field

from shoectl.cards import Card
from shoectl.games.four_card_poker import money
from shoectl.games.four_card_poker.five_card_hand import ON_DEALER, OWN, Picks, five_card_hand, read_picks
from shoectl.games.four_card_poker.hands import Hand, best_four
from shoectl.games.four_card_poker.money import RULE
from shoectl.games.four_card_poker.procedure import EACH, folded
from shoectl.games.four_card_poker.progressives import FIVE, FOUR, Envy, progressive
from shoectl.games.house import House
from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure
from shoectl.games.steps import BONUS, DEALER, Collect, Discard, HoldCards, Papers, Place, Reveal, at_seat
from shoectl.games.turns import acknowledged, clockwise, counterclockwise

NEEDS_CARDS = ("aces_up", "bad_beat", OWN, "six_card")  # wagers that are settled by the player's cards, fold or not


def showdown(table: Layout, house: House) -> Procedure[None]:
    """(c) and (d). The dealer's cards are turned up in any case."""
    for seat in clockwise(table):
        if folded(table, seat):
            yield from acknowledged(house, seat, forfeit(table, house, seat))
    yield from Reveal(DEALER, rule=RULE)
    cards = faces(table, DEALER)
    shown = Shown(best_four(cards), cards[:EACH], (yield from read_picks(table, house)), Envy(table, house))
    for seat in counterclockwise(table):
        yield from acknowledged(house, seat, settle_seat(table, house, seat, shown))
    yield from shown.envy.at_the_end()
    yield from clear(table, shown.held)


@dataclass
class Shown:
    """What is carried from one seat's turn to the next: the dealer's four and first five cards, the game system's
    picks, who is owed envy, and which cards are held for papers.
    """

    dealer: Hand
    dealer_five: tuple[Card, ...]
    picks: Picks
    envy: Envy
    held: list[HoldCards] = field(default_factory=list)


def forfeit(table: Layout, house: House, seat: int) -> Procedure[None]:
    """(c), first sentence, for a seat that folded: what (b)(1) and (2) take and leave. Its cards go to the rack unless
    a wager that stands is settled by them.
    """
    lost = ["ante", FOUR, FIVE]
    lost += ["bad_beat"] if house.text("bad_beat_on_fold") == "forfeit" else []
    lost += [OWN, ON_DEALER] if house.text("five_card_hand_on_fold") == "forfeit" else []
    for wager in lost:
        if amount := table.wager(seat, wager):
            yield from Collect(seat, wager, amount, "forfeit", rule=RULE)
    if not any(table.wager(seat, wager) for wager in NEEDS_CARDS):
        yield from Discard(at_seat(seat), rule=RULE)


def settle_seat(table: Layout, house: House, seat: int, shown: Shown) -> Procedure[None]:
    """(c)(1) to (8) for one seat, as far as they concern it."""
    cards: tuple[Card, ...] = ()
    if table.count(at_seat(seat)):
        yield from Reveal(at_seat(seat), rule=f"{RULE}(1)")
        cards = faces(table, at_seat(seat))
        shown.envy.show(seat, folded=folded(table, seat))
        yield from by_four_cards(table, house, seat, best_four(cards), shown.dealer)
        for wager in (FOUR, FIVE):
            if table.wager(seat, wager):
                shown.held += yield from progressive(table, house, seat, wager, cards)
    yield from shown.envy.turn(seat)
    if table.wager(seat, "bad_beat"):
        yield from money.bad_beat(table, house, seat, best_four(cards), shown.dealer)
    for wager, five in ((OWN, cards), (ON_DEALER, shown.dealer_five)):
        if table.wager(seat, wager):
            shown.held += yield from five_card_hand(table, house, seat, wager, five, shown.picks)
    if table.wager(seat, "six_card"):
        if not all(slot.up for slot in table.places[BONUS]):
            yield from Reveal(BONUS, rule=f"{RULE}(8)")
        yield from money.six_card(table, house, seat, cards + faces(table, BONUS))


def by_four_cards(table: Layout, house: House, seat: int, player: Hand, dealer: Hand) -> Procedure[None]:
    """(3) and (4) for one seat."""
    if table.wager(seat, "play"):
        yield from money.against_dealer(table, house, seat, player, dealer)
    if table.wager(seat, "aces_up"):
        yield from money.aces_up(table, house, seat, player)


def clear(table: Layout, held: list[HoldCards]) -> Procedure[None]:
    """(d): what is left goes to the rack, place by place; cards that papers are written about once these are done."""
    waiting = {one.place for one in held}
    places = (*map(at_seat, counterclockwise(table)), DEALER, BONUS)
    for place in places:
        if place not in waiting:
            yield from rack(table, place)
    for one in held:
        yield from Papers(one.seat, one.why, rule=one.rule)
    for place in places:
        yield from rack(table, place)


def rack(table: Layout, place: Place) -> Procedure[None]:
    """The cards of a place, if there are any, to the rack."""
    if table.count(place):
        yield from Discard(place, rule="641a.11(d)")


def faces(table: Layout, place: Place) -> tuple[Card, ...]:
    """The faces of a place that has been turned up."""
    hand = table.hand(place)
    assert hand is not None, f"{place} has been revealed"
    return hand
