"""The hands of Four Card Poker, § 641a.6: four cards out of five or six, five-card poker hands, and the lines that the
wagers are paid by. Each line is a name, as the paytables have it; whether it pays is for the table to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from shoectl.cards import Card, parse_cards
from shoectl.games.ranking import POKER, Category, Ladder, core, describe

FOUR: Final = Ladder(  # § 641a.6(b), lowest first; it has no full house and no royal
    4,
    (
        Category.HIGH_CARD,
        Category.PAIR,
        Category.TWO_PAIR,
        Category.STRAIGHT,
        Category.FLUSH,
        Category.THREE,
        Category.STRAIGHT_FLUSH,
        Category.FOUR,
    ),
)
FIVE: Final = POKER  # § 641a.6(d) and, for the best five of six, (e)

_ACES: Final = FOUR.order(parse_cards("As Ah 3s 2h"))  # the lowest pair of aces
_FOUR_ACES: Final = FOUR.order(parse_cards("As Ah Ad Ac"))
_TWO_PAIR: Final = FOUR.lowest(Category.TWO_PAIR)


@dataclass(frozen=True)
class Hand:
    """The best hand of some cards by a ladder. Hands of equal `order` tie."""

    order: int
    cards: tuple[Card, ...]
    ladder: Ladder

    @property
    def category(self) -> Category:
        """Its class."""
        return self.ladder.category(self.order)

    @cached_property
    def core(self) -> tuple[Card, ...]:
        """The cards that make it what it is, without the side cards."""
        return core(self.category, self.cards)

    @property
    def text(self) -> str:
        """In words: `pair of aces`."""
        return describe(self.category, self.cards)


def best_four(cards: Sequence[Card]) -> Hand:
    """The highest ranking four cards of a player's five or the dealer's six, § 641a.11(c), (c)(2)."""
    return Hand(*FOUR.best(cards), FOUR)


def best_five(cards: Sequence[Card]) -> Hand:
    """The poker hand of five cards, or the highest of six (the Six Card Bonus)."""
    return Hand(*FIVE.best(cards), FIVE)


def aces_up_line(order: int) -> str | None:
    """The line of an Aces Up Wager: the class of the four cards, of pairs only that of aces."""
    category = FOUR.category(order)
    if category is Category.PAIR:
        return "pair of aces" if order >= _ACES else None
    return str(category)


def progressive_4_line(order: int) -> str:
    """The line of a Four-Card Progressive Payout Wager; four aces are one of their own."""
    return "four aces" if order == _FOUR_ACES else str(FOUR.category(order))


def bad_beat_line(player: int, dealer: int) -> str | None:
    """The line of a Bad Beat Bonus Wager, § 641a.11(c)(6): the class of the four cards that lost, if those are two pair
    or better. None for less, and for a tie.
    """
    beaten = min(player, dealer)
    return str(FOUR.category(beaten)) if player != dealer and beaten >= _TWO_PAIR else None
