"""The hands of Cajun Stud, § 683a.6: five cards (b), the pocket (c), the board (d), six cards (e); and the Lo Ball.

The text of § 683a.6 is not at hand. The five-card order is the usual one, the board's that of its twin, § 655a.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shoectl.cards import Card, Rank
from shoectl.games.ranking import POKER, Category, Hand, Ladder
from shoectl.games.wagers import Paytable

POCKET: Final = Ladder(2, (Category.NOTHING, Category.PAIR))
BOARD: Final = Ladder(
    3,
    (
        Category.NOTHING,
        Category.PAIR,
        Category.FLUSH,
        Category.STRAIGHT,
        Category.THREE,
        Category.STRAIGHT_FLUSH,
        Category.MINI_ROYAL,
    ),
)


def five_cards(cards: Sequence[Card]) -> Hand:
    """The best poker hand of five or six cards, § 683a.6(b) and (e)."""
    return Hand.best(POKER, cards)


def pocket_hand(cards: Sequence[Card]) -> Hand:
    """The player's two cards, § 683a.6(c)."""
    return Hand.best(POCKET, cards)


def board_hand(cards: Sequence[Card]) -> Hand:
    """The three community cards alone, § 683a.6(d)."""
    return Hand.best(BOARD, cards)


def low_name(cards: Sequence[Card]) -> str | None:
    """What five cards are called that form no poker hand: `7-high` to `A-high`. None where they form one."""
    if POKER.category(POKER.order(cards)) is not Category.NOTHING:
        return None
    top = max(card.rank for card in cards)
    return f"{'10' if top is Rank.TEN else top.letter}-high"


def lo_line(cards: Sequence[Card], table: Paytable) -> str | None:
    """The line of the Lo Ball Wager that five cards reach, § 683a.11(i)(3): no poker hand, and low enough; or None."""
    name = low_name(cards)
    return name if name in table.lines else None
