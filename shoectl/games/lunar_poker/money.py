"""What Lunar Poker collects and pays, § 671a.12: Supers on a hand, the instant payout, Ante and Bet at the showdown."""

from __future__ import annotations

from typing import Final

from shoectl.games.house import House
from shoectl.games.layout import Layout
from shoectl.games.lunar_poker.hands import PAYS_ANTE_BETTER, Hand, second_combination
from shoectl.games.procedure import Procedure
from shoectl.games.steps import Collect, Pay, Return, at_seat
from shoectl.games.turns import clockwise
from shoectl.games.wagers import Odds, Paytable, load_paytables, paytable_of

PAYTABLES: Final = load_paytables("shoectl.games.lunar_poker")
BET: Final = PAYTABLES["bet"]["A"]
ANTE: Final = PAYTABLES["ante"]["A"]
SUPER: Final = PAYTABLES["super"]["A"]


def instant_table(house: House) -> Paytable:
    """The instant payout that the table has chosen."""
    return paytable_of(PAYTABLES, house, "instant_payout")


def supers_on(table: Layout, hand: int | str) -> tuple[int, ...]:
    """The seats with a Super on a hand (a seat's number, or "dealer"): its owner first, then the others clockwise."""
    bettors = [seat for seat in clockwise(table) if table.wager(seat, f"super:{hand}")]
    return tuple(sorted(bettors, key=lambda seat: seat != hand))


def collect_super(table: Layout, seat: int, hand: int | str, rule: str) -> Collect:
    """A seat's Super on a hand has lost."""
    return Collect(seat, f"super:{hand}", table.wager(seat, f"super:{hand}"), rule=rule)


def pay_super(table: Layout, seat: int, hand: int | str, line: str, rule: str) -> Pay:
    """A seat's Super on a hand is paid by a line of § 671a.12(b)."""
    return _pay(table, seat, f"super:{hand}", SUPER.odds(line), line, rule)


def pay_instant(table: Layout, house: House, seat: int, line: str, rule: str) -> Pay:
    """The Ante of a royal or straight flush in the first five cards, § 671a.12(a)."""
    return _pay(table, seat, "ante", instant_table(house).odds(line), line, rule)


def not_qualified(table: Layout, seat: int, hand: Hand, rule: str) -> Procedure[None]:
    """The dealer has less than ace-king: the Bet goes back, the Ante is paid by § 671a.12(c)."""
    line = "straight or higher" if hand.order >= PAYS_ANTE_BETTER else "any other hand"
    yield Return(seat, "bet", table.wager(seat, "bet"), rule=rule)
    yield _pay(table, seat, "ante", ANTE.odds(line), line, rule)


def lost(table: Layout, seat: int, rule: str) -> Procedure[None]:
    """The dealer's hand is higher: Ante and Bet are collected."""
    for wager in ("ante", "bet"):
        yield Collect(seat, wager, table.wager(seat, wager), rule=rule)


def tied(table: Layout, seat: int, rule: str) -> Procedure[None]:
    """Equal hands: Ante and Bet go back."""
    for wager in ("ante", "bet"):
        yield Return(seat, wager, table.wager(seat, wager), rule=rule)


def won(table: Layout, seat: int, hand: Hand, rule: str) -> Procedure[None]:
    """The player's hand is higher: the Ante goes back, the Bet is paid, and once more for a second combination."""
    stake = table.wager(seat, "bet")
    second = second_combination(table.hand(at_seat(seat)) or (), hand, BET)
    yield Return(seat, "ante", table.wager(seat, "ante"), rule=rule)
    for category in (hand.category, second):
        if category is not None:
            odds = BET.odds(category)
            yield Pay(seat, "bet", odds.payment(stake), stake, str(odds), str(category), rule=rule)


def _pay(table: Layout, seat: int, wager: str, odds: Odds, line: str, rule: str) -> Pay:
    stake = table.wager(seat, wager)
    return Pay(seat, wager, odds.payment(stake), stake, str(odds), line, odds.for_one, rule=rule)
