"""The showdown of Lunar Poker, § 671a.11 (e) to (g): the dealer's hand, Supers on it, each seat, the rack."""

from __future__ import annotations

from shoectl.cards import Card
from shoectl.games.house import House
from shoectl.games.layout import Layout
from shoectl.games.lunar_poker import money
from shoectl.games.lunar_poker.hands import QUALIFIES, Hand, best_hand, super_line
from shoectl.games.procedure import Procedure
from shoectl.games.steps import DEALER, Discard, Place, Reveal, at_seat
from shoectl.games.turns import acknowledged, counterclockwise


def showdown(table: Layout, house: House) -> Procedure[None]:
    """(e) to (g). The dealer's cards stay unseen where every seat has folded and nobody wagered on them."""
    bets = tuple(seat for seat in counterclockwise(table) if table.wager(seat, "bet"))
    supers = money.supers_on(table, DEALER)
    if bets or supers:
        yield from Reveal(DEALER, rule="671a.11(e)")
        line = super_line(faces(table, DEALER), house.text("super_sf_policy"))
        for seat in supers:
            yield from acknowledged(house, seat, dealer_super(table, seat, line))
    if bets:
        dealer = best_hand(faces(table, DEALER))
        if dealer.order < QUALIFIES:
            clockwise_too = house.text("nonqualify_direction") == "clockwise"
            for seat in reversed(bets) if clockwise_too else bets:
                yield from acknowledged(house, seat, against_no_hand(table, seat))
        else:
            for seat in bets:
                yield from acknowledged(house, seat, compare(table, seat, dealer))
    for place in (*map(at_seat, counterclockwise(table)), DEALER):
        if table.count(place):
            yield from Discard(place, rule="671a.11(g)")


def faces(table: Layout, place: Place) -> tuple[Card, ...]:
    """The faces of a place that has been turned up."""
    hand = table.hand(place)
    assert hand is not None, f"{place} has been revealed"
    return hand


def dealer_super(table: Layout, seat: int, line: str | None) -> Procedure[None]:
    """(e) (1) and (2) for one seat."""
    if line is None:
        yield money.collect_super(table, seat, DEALER, rule="671a.11(e)(1)")
    else:
        yield money.pay_super(table, seat, DEALER, line, rule="671a.11(e)(2)")


def against_no_hand(table: Layout, seat: int) -> Procedure[None]:
    """(f)(1) for one seat. Its cards are turned up too: the Ante's odds depend on them."""
    rule = "671a.11(f)(1)"
    yield from Reveal(at_seat(seat), rule=rule)
    yield from money.not_qualified(table, seat, best_hand(faces(table, at_seat(seat))), rule)
    yield from Discard(at_seat(seat), rule=rule)


def compare(table: Layout, seat: int, dealer: Hand) -> Procedure[None]:
    """(f)(2) for one seat. Only a losing hand goes to the rack at once, the others wait for (g)."""
    place = at_seat(seat)
    yield from Reveal(place, rule="671a.11(f)(2)")
    hand = best_hand(faces(table, place))
    if hand.order < dealer.order:
        yield from money.lost(table, seat, rule="671a.11(f)(2)(i)")
        yield from Discard(place, rule="671a.11(f)(2)(i)")
    elif hand.order > dealer.order:
        yield from money.won(table, seat, hand, rule="671a.11(f)(2)(ii)")
    else:
        yield from money.tied(table, seat, rule="671a.11(f)(2)(iii)")
