"""The odds of Four Card Poker: the wagers on one hand here, those against the dealer in odds_against_dealer.py."""

from __future__ import annotations

from typing import Final

from shoectl.games.four_card_poker import odds_against_dealer
from shoectl.games.four_card_poker.hands import aces_up_line, best_five, best_four, progressive_4_line
from shoectl.games.four_card_poker.money import PAYTABLES
from shoectl.games.wagers import Paytable
from shoectl.odds.hands import Hand
from shoectl.odds.question import MAIN, Calculation
from shoectl.odds.sides import one_hand


def _five(hand: Hand, table: Paytable) -> str:
    return str(best_five(hand).category)


def _four(hand: Hand, table: Paytable) -> str:
    return progressive_4_line(best_four(hand).order)


_METERS: Final = ("progressive_5_meter", "mega_meter", "major_meter", "minor_meter")
ODDS: Final = (
    Calculation(
        MAIN,
        odds_against_dealer.main,
        ("ante_bonus", "ante_bonus_on_loss"),
        quick=False,
        strategies=odds_against_dealer.STRATEGIES,
    ),
    one_hand(PAYTABLES, "aces_up", (5, 4), lambda hand, table: aces_up_line(best_four(hand).order)),
    one_hand(PAYTABLES, "progressive_4", (5, 4), _four, ("progressive_4_meter",)),
    one_hand(PAYTABLES, "progressive_5", (5, 5), _five, _METERS),
    Calculation("bad_beat", odds_against_dealer.bad_beat, ("bad_beat",), quick=False),
    one_hand(PAYTABLES, "five_card_hand", (5, 5), _five, ("five_card_hand_meter",)),
    one_hand(PAYTABLES, "six_card", (6, 5), _five),
    Calculation("showdown", odds_against_dealer.showdown, quick=False),
)
