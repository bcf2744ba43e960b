"""The odds of Cajun Stud: the side wagers by their hands, the game itself by its best play (odds_best_play.py)."""

from __future__ import annotations

from typing import Final

from shoectl.games.cajun_stud.hands import board_hand, five_cards, lo_line, pocket_hand
from shoectl.games.cajun_stud.money import PAYTABLES
from shoectl.games.cajun_stud.odds_best_play import main
from shoectl.odds.question import MAIN, Calculation
from shoectl.odds.sides import one_hand

ODDS: Final = (
    Calculation(MAIN, main, ("main", "pair_6_10")),
    one_hand(PAYTABLES, "pocket", (2, 2), lambda hand, table: table.line_of(pocket_hand(hand))),
    one_hand(PAYTABLES, "board", (3, 3), lambda hand, table: table.line_of(board_hand(hand))),
    one_hand(PAYTABLES, "lo_ball", (5, 5), lo_line),
    one_hand(PAYTABLES, "all_six", (6, 5), lambda hand, table: table.line_of(five_cards(hand))),
)
