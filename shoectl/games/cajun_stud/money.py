"""What Cajun Stud collects and pays, § 683a.12: one wager by one line, and the limit on what one hand is paid."""

from __future__ import annotations

from typing import Final

from shoectl.games.house import House
from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure
from shoectl.games.steps import Announce, Collect, Pay, Return
from shoectl.games.wagers import Odds, load_paytables, paytable_of

CHAPTER: Final = "683a"
PAYTABLES: Final = load_paytables("shoectl.games.cajun_stud")
RAISES: Final = ("raise_1", "raise_2", "raise_3")
MAIN: Final = ("ante", *RAISES)
OPTIONAL: Final = ("pocket", "board", "lo_ball", "all_six")  # in the order in which they are settled
PAIR_6_10: Final = "pair 6-10"  # the line of (a) that a house option is about
LIMIT: Final = 5_000_000  # cents
MOST_STAKED: Final = 10  # Antes: the Ante, and three Raises of three


def main_odds(house: House, line: str) -> Odds:
    """What Ante and Raises are paid by a line of the paytable, § 683a.12(a)."""
    if line == PAIR_6_10 and house.text("pair_6_10") == "pay":
        return Odds(1)
    return paytable_of(PAYTABLES, house, "main").odds(line)


def pay(table: Layout, house: House, seat: int, wager: str, odds: Odds, line: str, rule: str) -> Procedure[None]:
    """Pay a wager by a line, or give it back where the line is a push. No hand is paid above the limit."""
    stake = table.wager(seat, wager)
    if odds.push:
        yield from Return(seat, wager, stake, rule=rule)
        return
    due = odds.payment(stake)
    left = left_to_pay(table, house, seat)
    if left is not None and due > left:
        yield from Announce(f"seat {seat}: no more than {left} of {due} is paid, by the payout limit", rule=rule)
        due = left
    yield from Pay(seat, wager, due, stake, str(odds), line, rule=rule)


def collect(table: Layout, seat: int, wager: str, rule: str, outcome: str = "lose") -> Procedure[None]:
    """Take a wager that is lost or forfeited."""
    yield from Collect(seat, wager, table.wager(seat, wager), outcome, rule=rule)


def left_to_pay(table: Layout, house: House, seat: int) -> int | None:
    """What a hand may still be paid: the limit less what it has been paid in this round; None without a limit."""
    limit = house["payout_limit"]
    if not isinstance(limit, int):
        return None
    paid = sum(booking.gain for booking in table.booked if booking.seat == seat and booking.how == "win")
    return max(limit, most_at_the_minimum(table, house)) - paid


def most_at_the_minimum(table: Layout, house: House) -> int:
    """The most that a patron could win with the least Ante that the table takes: three Raises of three, best line.
    A least of one unit is none: then the limit is the sum alone.
    """
    least = table.least.get("ante", 1)
    if least == 1:
        return 0
    lines = paytable_of(PAYTABLES, house, "main").lines.values()
    return max(least * MOST_STAKED * odds.pays // odds.on for odds in lines)
