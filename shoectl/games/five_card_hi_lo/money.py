"""What Five Card Hi-Lo collects and pays, § 663a.12: Ante and Play, Ante Bonus, Tie Wager, Poker Bonus."""

from __future__ import annotations

from typing import Final

from shoectl.games.five_card_hi_lo.hands import TwoHands, aces, poker_hand
from shoectl.games.house import House
from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure
from shoectl.games.steps import Announce, Collect, Pay, Return, at_seat
from shoectl.games.wagers import Odds, load_paytables, paytable_of

CHAPTER: Final = "663a"
RULE: Final = f"{CHAPTER}.11"
PAYTABLES: Final = load_paytables("shoectl.games.five_card_hi_lo")
MAIN: Final = PAYTABLES["main"]["A"]
STAKES: Final = ("ante", "play")
BONUS_LINES: Final = {3: "three aces", 4: "four aces"}
TIE_LINES: Final = {1: "one hand equal", 2: "both hands equal"}


def ante_and_play(table: Layout, seat: int, player: TwoHands, dealer: TwoHands) -> Procedure[None]:
    """(f), the end, and (g): what becomes of Ante and Play is announced, then done."""
    higher, lower = player.high > dealer.high, player.low < dealer.low
    word = "win" if higher and lower else "tie" if higher or lower else "lose"
    compared = f"{player.high} high against {dealer.high}, {player.low} low against {dealer.low}"
    yield from Announce(f"seat {seat}: Ante and Play {word}, {compared}", rule=f"{RULE}(f)")
    for wager in STAKES:
        match word:
            case "win":
                yield _pay(table, seat, wager, MAIN.odds("win"), "win", rule=f"{RULE}(g)(1)")
            case "lose":
                yield from Collect(seat, wager, table.wager(seat, wager), rule=f"{RULE}(g)(2)")
            case _:
                rule = f"{RULE}(g)(3)(i)" if higher else f"{RULE}(g)(3)(ii)"
                yield from Return(seat, wager, table.wager(seat, wager), rule=rule)


def ante_bonus(table: Layout, house: House, seat: int) -> Procedure[None]:
    """(h): three aces or more are paid on the Ante, whatever became of it."""
    line = BONUS_LINES.get(aces(table.hand(at_seat(seat)) or ()))
    if line is not None:
        odds, stake = paytable_of(PAYTABLES, house, "ante_bonus").odds(line), table.placed[seat]["ante"]
        yield from Pay(seat, "ante_bonus", odds.payment(stake), stake, str(odds), line, rule=f"{RULE}(h)")


def tie_wager(table: Layout, house: House, seat: int, player: TwoHands, dealer: TwoHands) -> Procedure[None]:
    """(j)(1): one hand equal to the dealer's, or both."""
    equal = sum(mine == theirs for mine, theirs in zip(player.totals, dealer.totals, strict=True))
    if equal:
        odds = paytable_of(PAYTABLES, house, "tie").odds(TIE_LINES[equal])
        yield _pay(table, seat, "tie", odds, TIE_LINES[equal], rule=f"{RULE}(j)(1)(i)")
    else:
        yield from Collect(seat, "tie", table.wager(seat, "tie"), rule=f"{RULE}(j)(1)(ii)")


def poker_bonus(table: Layout, house: House, seat: int) -> Procedure[None]:
    """(j)(2): the five cards as a poker hand, by the table that the house has chosen."""
    hand = poker_hand(table.hand(at_seat(seat)) or ())
    yield from Announce(f"seat {seat}: {hand.text}", rule=f"{RULE}(j)(2)")
    paytable = paytable_of(PAYTABLES, house, "poker_bonus")
    line = paytable.line_of(hand)
    if line is not None:
        yield _pay(table, seat, "poker_bonus", paytable.odds(line), line, rule=f"{RULE}(j)(2)(i)")
    else:
        yield from Collect(seat, "poker_bonus", table.wager(seat, "poker_bonus"), rule=f"{RULE}(j)(2)(ii)")


def _pay(table: Layout, seat: int, wager: str, odds: Odds, line: str, rule: str) -> Pay | Return:
    stake = table.wager(seat, wager)
    if odds.push:
        return Return(seat, wager, stake, rule=rule)
    return Pay(seat, wager, odds.payment(stake), stake, str(odds), line, odds.for_one, rule=rule)
