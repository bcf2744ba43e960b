"""The showdown of Cajun Stud, § 683a.11 (g) to (j): the last community card, then seat after seat from the right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from shoectl.cards import Card
from shoectl.games.cajun_stud.hands import board_hand, five_cards, lo_line, pocket_hand
from shoectl.games.cajun_stud.money import CHAPTER, MAIN, OPTIONAL, PAYTABLES, collect, main_odds, pay
from shoectl.games.cajun_stud.procedure import turn_up_community
from shoectl.games.house import House
from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure
from shoectl.games.ranking import Hand
from shoectl.games.steps import BONUS, COMMUNITY, Announce, Discard, Place, Reveal, at_seat
from shoectl.games.turns import acknowledged, counterclockwise
from shoectl.games.wagers import Paytable, paytable_of

LAST: Final = f"{CHAPTER}.11(j)"


def showdown(table: Layout, house: House) -> Procedure[None]:
    """(g) to (j). A seat that has folded takes part in it with its optional wagers."""
    yield from turn_up_community(table, 2)
    for seat in counterclockwise(table):
        if table.wagers[seat]:
            yield from acknowledged(house, seat, settle_seat(table, house, seat))
        if table.count(at_seat(seat)):
            yield from Discard(at_seat(seat), rule=LAST)
    for place in (COMMUNITY, BONUS):
        if table.count(place):
            yield from Discard(place, rule=LAST)


def settle_seat(table: Layout, house: House, seat: int) -> Procedure[None]:
    """(h) and (i) for one seat: its cards are turned up, its hand is announced, its wagers are settled one by one."""
    rule = f"{CHAPTER}.11(h)"
    yield from Reveal(at_seat(seat), rule=rule)
    hand = five_cards(faces(table, at_seat(seat)) + faces(table, COMMUNITY))
    yield from Announce(f"seat {seat}: {hand.text}", rule=rule)
    if table.wager(seat, "ante"):
        yield from ante_and_raises(table, house, seat, hand)
    for wager in OPTIONAL:
        if table.wager(seat, wager):
            yield from optional(table, house, seat, wager)


def faces(table: Layout, place: Place) -> tuple[Card, ...]:
    """The faces of a place that has been turned up."""
    hand = table.hand(place)
    assert hand is not None, f"{place} has been revealed"
    return hand


def ante_and_raises(table: Layout, house: House, seat: int, hand: Hand) -> Procedure[None]:
    """(h)(1) and (2): all four by one line of the paytable."""
    line = paytable_of(PAYTABLES, house, "main").line_of(hand)
    for wager in MAIN:
        if line is None:
            yield from collect(table, seat, wager, f"{CHAPTER}.11(h)(2)")
        else:
            yield from pay(table, house, seat, wager, main_odds(house, line), line, f"{CHAPTER}.11(h)(1)")


def optional(table: Layout, house: House, seat: int, wager: str) -> Procedure[None]:
    """(i)(1) to (4): one optional wager. The All-Six cards are turned up for the first seat that wagered on them."""
    rule = f"{CHAPTER}.11(i)({OPTIONAL.index(wager) + 1})"
    if wager == "all_six" and not all(slot.up for slot in table.places[BONUS]):
        yield from Reveal(BONUS, rule=rule)
    paytable = paytable_of(PAYTABLES, house, wager)
    line = LINES[wager](table, seat, paytable)
    if line is None:
        yield from collect(table, seat, wager, f"{rule}(i)")
    else:
        yield from pay(table, house, seat, wager, paytable.odds(line), line, f"{rule}(ii)")


def _pocket(table: Layout, seat: int, paytable: Paytable) -> str | None:
    return paytable.line_of(pocket_hand(faces(table, at_seat(seat))))


def _board(table: Layout, seat: int, paytable: Paytable) -> str | None:
    return paytable.line_of(board_hand(faces(table, COMMUNITY)))


def _lo_ball(table: Layout, seat: int, paytable: Paytable) -> str | None:
    return lo_line(faces(table, at_seat(seat)) + faces(table, COMMUNITY), paytable)


def _all_six(table: Layout, seat: int, paytable: Paytable) -> str | None:
    return paytable.line_of(five_cards(faces(table, at_seat(seat)) + faces(table, BONUS)))


LINES: Final[dict[str, Callable[[Layout, int, Paytable], str | None]]] = {
    "pocket": _pocket,
    "board": _board,
    "lo_ball": _lo_ball,
    "all_six": _all_six,
}
