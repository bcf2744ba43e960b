"""The odds of Cajun Stud: the side wagers by their hands, the game itself by its best play (best_play.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from shoectl.games.cajun_stud.best_play import main
from shoectl.games.cajun_stud.hands import board_hand, five_cards, lo_line, pocket_hand
from shoectl.games.cajun_stud.money import PAYTABLES
from shoectl.games.wagers import Paytable, paytable_of
from shoectl.odds.figures import Figures
from shoectl.odds.hands import Hand, tally
from shoectl.odds.question import MAIN, Calculation, Question
from shoectl.odds.sides import paid


def _side(wager: str, size: int, flush: int, line: Callable[[Hand, Paytable], str | None]) -> Calculation:
    """A wager on one hand of so many cards, of which `flush` of one suit are a flush."""

    def find(question: Question) -> Figures:
        table = paytable_of(PAYTABLES, question.house, wager)
        return paid(wager, table, tally(size, flush, lambda hand: line(hand, table)))

    return Calculation(wager, find, (wager,))


ODDS: Final = (
    Calculation(MAIN, main, ("main", "pair_6_10")),
    _side("pocket", 2, 2, lambda hand, table: table.line_of(pocket_hand(hand))),
    _side("board", 3, 3, lambda hand, table: table.line_of(board_hand(hand))),
    _side("lo_ball", 5, 5, lo_line),
    _side("all_six", 6, 5, lambda hand, table: table.line_of(five_cards(hand))),
)
