"""The hands of Lunar Poker, § 671a.6: the poker ladder with ace-king, the Super Wager's own list, the instant payout,
and the second combination of § 671a.11(f)(2)(ii).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, combinations_with_replacement
from typing import Final

from shoectl.cards import Card, Rank, Suit
from shoectl.games.ranking import (
    CODE,
    Category,
    Ladder,
    core,
    describe,
    hand_code,
    ranks_code,
    ranks_of,
    suits_code,
)
from shoectl.games.wagers import Paytable

LADDER: Final = Ladder(  # § 671a.6(b), lowest first; "nothing" is what is in none of its lines
    5,
    (
        Category.NOTHING,
        Category.ACE_KING,
        Category.PAIR,
        Category.TWO_PAIR,
        Category.THREE,
        Category.STRAIGHT,
        Category.FLUSH,
        Category.FULL_HOUSE,
        Category.FOUR,
        Category.STRAIGHT_FLUSH,
        Category.ROYAL_FLUSH,
    ),
)
QUALIFIES: Final = LADDER.lowest(Category.ACE_KING)  # § 671a.11(f)
PAYS_ANTE_BETTER: Final = LADDER.lowest(Category.STRAIGHT)  # § 671a.12(c)

SUPER_LINES: Final = (  # § 671a.6(d), highest first
    "four-of-a-kind",
    "five picture cards",
    "full house",
    "flush",
    "straight",
    "three-of-a-kind",
    "ace-king-queen",
    "same colored five",
)
_SUPER_CATEGORIES: Final = {Category.FOUR, Category.FULL_HOUSE, Category.FLUSH, Category.STRAIGHT, Category.THREE}
_PICTURES: Final = frozenset({Rank.KING, Rank.QUEEN, Rank.JACK})
_ACE_KING_QUEEN: Final = frozenset({Rank.ACE, Rank.KING, Rank.QUEEN})
_ONE_COLOUR: Final = frozenset(
    suits_code(sum(CODE[Card(Rank.ACE, suit)] for suit in suits))
    for red in (True, False)
    for suits in combinations_with_replacement([suit for suit in Suit if suit.red is red], 5)
)


@dataclass(frozen=True)
class Hand:
    """The best five of five or six cards. Hands of equal `order` tie, § 671a.6(c)."""

    order: int
    five: tuple[Card, ...]

    @property
    def category(self) -> Category:
        """Its line of § 671a.6(b)."""
        return LADDER.category(self.order)

    @cached_property
    def core(self) -> tuple[Card, ...]:
        """The cards that make the combination, without the side cards."""
        return core(self.category, self.five)

    @property
    def text(self) -> str:
        """In words: `pair of aces`."""
        return describe(self.category, self.five)


def best_hand(cards: Sequence[Card]) -> Hand:
    """The highest ranking five-card hand of five or six cards."""
    return Hand(*LADDER.best(cards))


def instant_line(cards: Sequence[Card]) -> str | None:
    """The line of the instant payout that five cards reach, § 671a.12(a), or None."""
    category = LADDER.category(LADDER.order(cards))
    return str(category) if category in (Category.ROYAL_FLUSH, Category.STRAIGHT_FLUSH) else None


def super_line(cards: Iterable[Card], policy: str) -> str | None:
    """The highest line of § 671a.6(d) that five cards reach, or None.

    The list knows no royal and no straight flush, and its flush and straight exclude them: they fall to ace-king-queen
    or to the colour (policy `literal`), unless the house pays them as a flush (`as_flush`).
    """
    return super_line_of_code(hand_code(cards), policy)


def super_line_of_code(code: int, policy: str) -> str | None:
    """The same by the sum of the cards' codes."""
    line = _line_but_colour(LADDER.order_of_code(code), ranks_code(code), policy)
    return "same colored five" if line is None and suits_code(code) in _ONE_COLOUR else line


@cache  # some fifteen thousand entries when every hand has been seen
def _line_but_colour(order: int, code: int, policy: str) -> str | None:
    category, ranks = LADDER.category(order), ranks_of(code)
    if category in (Category.ROYAL_FLUSH, Category.STRAIGHT_FLUSH) and policy == "as_flush":
        return str(Category.FLUSH)
    if category is not Category.FOUR and ranks <= _PICTURES:
        return "five picture cards"
    if category in _SUPER_CATEGORIES:
        return str(category)
    return "ace-king-queen" if ranks >= _ACE_KING_QUEEN else None


def _small_combinations() -> dict[int, Category]:
    """Combinations of two to four cards by the code of their ranks: pair, ace-king, three, two pair, four."""
    bit = {rank: ranks_code(CODE[Card.parse(f"{rank.letter}s")]) for rank in Rank}
    found = {bit[Rank.ACE] + bit[Rank.KING]: Category.ACE_KING}
    for rank in Rank:
        found |= {2 * bit[rank]: Category.PAIR, 3 * bit[rank]: Category.THREE, 4 * bit[rank]: Category.FOUR}
    found |= {2 * bit[one] + 2 * bit[other]: Category.TWO_PAIR for one, other in combinations(Rank, 2)}
    return found


_SMALL: Final = _small_combinations()


def _subsets(cards: int) -> tuple[tuple[int, ...], ...]:
    return tuple(part for size in (2, 3, 4, 5) for part in combinations(range(cards), size))


_SUBSETS: Final = {5: _subsets(5), 6: _subsets(6)}
_ALL_FIVE: Final = frozenset(
    {Category.STRAIGHT, Category.FLUSH, Category.FULL_HOUSE, Category.STRAIGHT_FLUSH, Category.ROYAL_FLUSH}
)


def second_combination(cards: Sequence[Card], winning: Hand, bet: Paytable) -> Category | None:
    """The best-paying combination among five or six cards with at least one card that the winning combination lacks,
    § 671a.11(f)(2)(ii); of two that pay alike, the higher. None where there is none.
    """
    codes = [CODE[card] for card in cards]
    unused = {at for at, card in enumerate(cards) if card not in winning.core}
    found: set[Category] = set()
    for part in _SUBSETS[len(cards)]:
        if not unused.isdisjoint(part):
            category = _combination(sum(codes[at] for at in part), len(part))
            if category is not None:
                found.add(category)
    rank = LADDER.categories.index
    return max(found, key=lambda category: (bet.odds(category).pays, rank(category)), default=None)


def second_cards(cards: Sequence[Card], winning: Hand, category: Category) -> tuple[Card, ...]:
    """The cards of such a second combination, in the order dealt; of several, those that share most with the first."""
    found = [
        tuple(cards[at] for at in part)
        for part in _SUBSETS[len(cards)]
        if _combination(sum(CODE[cards[at]] for at in part), len(part)) is category
    ]
    fresh = (part for part in found if not set(part) <= set(winning.core))
    return max(fresh, key=lambda part: len(set(part) & set(winning.core)), default=())


def _combination(code: int, size: int) -> Category | None:
    """The combination that takes all of these two to five cards, or None."""
    if size < 5:
        return _SMALL.get(ranks_code(code))
    category = LADDER.category(LADDER.order_of_code(code))
    return category if category in _ALL_FIVE else None
