"""The Four- and Five-Card Progressive Payout Wagers and their Envy Bonuses, § 641a.11(c)(5)."""

from __future__ import annotations

from typing import Final

from shoectl.cards import Card
from shoectl.games.four_card_poker.hands import best_five, best_four, progressive_4_line
from shoectl.games.four_card_poker.money import PAYTABLES, RULE, pay, pay_share
from shoectl.games.house import House
from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure
from shoectl.games.steps import Announce, Collect, HoldCards, Pay, Verify, at_seat
from shoectl.games.turns import counterclockwise
from shoectl.games.wagers import paytable_of

FOUR, FIVE = "progressive_4", "progressive_5"
ENVY: Final = {  # the wager that entitles to it, the bonus and its paragraph
    FOUR: ("envy_4", f"{RULE}(5)(v)(A)"),
    FIVE: ("envy_5", f"{RULE}(5)(v)(B)"),
}


def progressive(
    table: Layout, house: House, seat: int, wager: str, cards: tuple[Card, ...]
) -> Procedure[list[HoldCards]]:
    """(5)(i) to (iv) for one of the two wagers. Returns the cards that are held for papers."""
    stake, rule = table.wager(seat, wager), f"{RULE}(5)"
    line = progressive_4_line(best_four(cards).order) if wager == FOUR else str(best_five(cards).category)
    odds = paytable_of(PAYTABLES, house, wager).lines.get(line)
    if odds is None:
        yield Collect(seat, wager, stake, rule=rule)
        return []
    yield from Announce(f"seat {seat}: look that the hand wins ({line})", rule=f"{rule}(i)")
    yield from Announce(f"seat {seat}: look that the light of the progressive system is on", rule=f"{rule}(ii)")
    yield from Verify(seat, wager, line, rule=f"{rule}(iii)")
    if odds.meter:
        return [(yield from pay_share(house, seat, wager, stake, odds, line, at_seat(seat), f"{rule}(iv)"))]
    yield pay(seat, wager, stake, odds, line, f"{rule}(iv)")
    return []


class Envy:
    """Who is owed an Envy Bonus for whose hand, (5)(v).

    Seats are settled one after the other, so when a seat's turn comes not every hand has been shown yet. What it is
    owed for hands that lie there is paid in its turn; what a later hand brings it, in the turn of that hand.
    """

    def __init__(self, table: Layout, house: House) -> None:
        self._table = table
        self._house = house
        self._shown: list[int] = []  # seats whose hands may entitle others, as they were turned up
        self._past: list[int] = []  # seats whose turn for envy is over

    def show(self, seat: int, *, folded: bool) -> None:
        """A seat's hand lies face up."""
        if not folded or self._house.flag("envy_folded_hands"):
            self._shown.append(seat)

    def turn(self, seat: int) -> Procedure[None]:
        """What is paid in a seat's turn."""
        if self._house.text("envy_payment") == "pending":
            yield from self._pay(seat, self._shown)
            if seat in self._shown:
                for other in self._past:
                    yield from self._pay(other, [seat])
        self._past.append(seat)

    def at_the_end(self) -> Procedure[None]:
        """What is paid once every seat has been settled."""
        if self._house.text("envy_payment") == "end_of_round":
            for seat in counterclockwise(self._table):
                yield from self._pay(seat, self._shown)

    def _pay(self, seat: int, holders: list[int]) -> Procedure[None]:
        for wager, (bonus, rule) in ENVY.items():
            if wager not in self._table.placed[seat]:
                continue
            lines = paytable_of(PAYTABLES, self._house, bonus).lines
            for holder in holders:
                line = self._line(wager, holder)
                if holder != seat and line in lines:
                    odds, whose = lines[line], f"{line} of seat {holder}"
                    yield Pay(seat, bonus, odds.payment(0), 0, str(odds), whose, rule=rule)

    def _line(self, wager: str, holder: int) -> str:
        cards = self._table.hand(at_seat(holder))
        assert cards is not None, "it has been shown"
        return str((best_four(cards) if wager == FOUR else best_five(cards)).category)
