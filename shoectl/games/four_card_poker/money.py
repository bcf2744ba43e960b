"""What Four Card Poker collects and pays by the tables of § 641a.12: Ante and Play, Aces Up, Bad Beat, Six Card Bonus,
and how a share of a meter is paid.
"""

from __future__ import annotations

from typing import Final

from shoectl.cards import Card
from shoectl.games.answers import Reading
from shoectl.games.four_card_poker.hands import Hand, aces_up_line, bad_beat_line, best_five
from shoectl.games.house import House
from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure
from shoectl.games.steps import Collect, Credit, HoldCards, Pay, ReadSystem
from shoectl.games.wagers import Odds, load_paytables, paytable_of

PAYTABLES: Final = load_paytables("shoectl.games.four_card_poker")
CHAPTER: Final = "641a"
RULE: Final = "641a.11(c)"  # the pass around the table; its numbers follow
PAPERS: Final = "papers"  # how a payment is made that comes neither from the tray nor to a game account


def pay(seat: int, wager: str, stake: int, odds: Odds, line: str, rule: str) -> Pay:
    """A winning wager is paid from the tray."""
    return Pay(seat, wager, odds.payment(stake), stake, str(odds), line, odds.for_one, rule=rule)


def against_dealer(table: Layout, house: House, seat: int, player: Hand, dealer: Hand) -> Procedure[None]:
    """(3): Ante and Play are lost to a higher hand of the dealer's, else paid, and with them the Ante Bonus."""
    lost = player.order < dealer.order
    ante, rule = table.wager(seat, "ante"), f"{RULE}(3)({'i' if lost else 'ii'})"
    for wager in ("ante", "play"):
        stake = table.wager(seat, wager)
        if lost:
            yield Collect(seat, wager, stake, rule=rule)
        else:
            ((line, odds),) = PAYTABLES[wager]["A"].lines.items()
            yield pay(seat, wager, stake, odds, line, rule)
    bonus = paytable_of(PAYTABLES, house, "ante_bonus").lines.get(player.category)
    if bonus is not None and (not lost or house.flag("ante_bonus_on_loss")):
        yield pay(seat, "ante_bonus", ante, bonus, player.category, rule)


def aces_up(table: Layout, house: House, seat: int, player: Hand) -> Procedure[None]:
    """(4): by the player's hand alone."""
    yield from by_line(table, house, seat, "aces_up", aces_up_line(player.order), f"{RULE}(4)", f"{RULE}(4)")


def bad_beat(table: Layout, house: House, seat: int, player: Hand, dealer: Hand) -> Procedure[None]:
    """(6): paid on the hand that lost, whichever of the two it is."""
    won = f"{RULE}(6)({'i' if player.order < dealer.order else 'ii'})"
    line = bad_beat_line(player.order, dealer.order)
    yield from by_line(table, house, seat, "bad_beat", line, won, f"{RULE}(6)(iii)")


def six_card(table: Layout, house: House, seat: int, cards: tuple[Card, ...]) -> Procedure[None]:
    """(8): the best five of the player's cards and the bonus card."""
    line = str(best_five(cards).category)
    yield from by_line(table, house, seat, "six_card", line, f"{RULE}(8)(ii)", f"{RULE}(8)(i)")


def by_line(
    table: Layout, house: House, seat: int, wager: str, line: str | None, won: str, lost: str
) -> Procedure[None]:
    """A wager is paid where its table has the line, else collected; the two rules say by which paragraph."""
    stake = table.wager(seat, wager)
    odds = paytable_of(PAYTABLES, house, wager).lines.get(line) if line else None
    if line is None or odds is None:
        yield Collect(seat, wager, stake, rule=lost)
    else:
        yield pay(seat, wager, stake, odds, line, won)


def pay_share(
    house: House, seat: int, wager: str, stake: int, odds: Odds, line: str, place: str, rule: str
) -> Procedure[HoldCards]:
    """A share of a meter, rounded down: not from the tray, and the cards of `place` stay until its papers are done.

    The reading is the house's, where it has a fixed one; else the game system is asked, anew for each payment.
    """
    fixed = house[odds.meter]
    said = Reading(fixed) if type(fixed) is int else (yield from ReadSystem(odds.meter, "amount", rule=rule))
    amount = odds.payment(stake, said.amount)
    yield Credit(seat, wager, amount, stake, str(odds), line, odds.for_one, PAPERS, rule=rule)
    held = HoldCards(seat, f"{line}, {odds}", place, rule=rule)
    yield held
    return held
