"""Poker hands as ordered values: general machinery, each game brings its own ladder of categories.

A hand is looked up, not computed. Each card has a code: three bits count its rank, three bits its suit, so the sum of
the codes of a hand says how often each rank and each suit occurs, whatever the order of the cards. A ladder holds the
order of every set of ranks in two tables, one for hands of a single suit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import combinations, combinations_with_replacement
from typing import Final

from shoectl.cards import STANDARD, Card, Rank, Suit

_SUITS_FROM: Final = 3 * len(Rank)
_RANKS_MASK: Final = (1 << _SUITS_FROM) - 1
_SUIT_BIT: Final = {suit: 1 << 3 * at for at, suit in enumerate(Suit)}
_RANK_BIT: Final = {rank: 1 << 3 * (rank - 2) for rank in Rank}
CODE: Final = {card: _RANK_BIT[card.rank] + (_SUIT_BIT[card.suit] << _SUITS_FROM) for card in STANDARD}


class Category(StrEnum):
    """What a hand is called. Which of them a game knows, and in what order, is for its ladder to say."""

    NOTHING = "nothing"
    HIGH_CARD = "high card"  # the same, in a ladder that calls it so
    ACE_KING = "ace-king"
    PAIR = "pair"
    TWO_PAIR = "two pair"
    THREE = "three-of-a-kind"
    STRAIGHT = "straight"
    FLUSH = "flush"
    FULL_HOUSE = "full house"
    FOUR = "four-of-a-kind"
    STRAIGHT_FLUSH = "straight flush"
    ROYAL_FLUSH = "royal flush"
    MINI_ROYAL = "mini-royal"


_OF_A_KIND: Final = {
    (4, 1): Category.FOUR,
    (3, 2): Category.FULL_HOUSE,
    (3, 1, 1): Category.THREE,
    (2, 2, 1): Category.TWO_PAIR,
    (2, 1, 1, 1): Category.PAIR,
    (4,): Category.FOUR,
    (3, 1): Category.THREE,
    (2, 2): Category.TWO_PAIR,
    (2, 1, 1): Category.PAIR,
    (3,): Category.THREE,
    (2, 1): Category.PAIR,
    (2,): Category.PAIR,
}


def hand_code(cards: Iterable[Card]) -> int:
    """The sum of the codes of some cards."""
    return sum(map(CODE.__getitem__, cards))


def ranks_code(code: int) -> int:
    """The part of a code that counts ranks: equal for hands that differ in suits alone."""
    return code & _RANKS_MASK


def ranks_of(code: int) -> frozenset[Rank]:
    """Which ranks occur in a code."""
    return frozenset(rank for rank, bit in _RANK_BIT.items() if code & 7 * bit)


def suits_code(code: int) -> int:
    """The part of a code that counts suits."""
    return code >> _SUITS_FROM


def _straight_top(ranks: Sequence[int]) -> int | None:
    """The highest card of consecutive ranks, given from high to low; an ace may stand below a two."""
    size = len(ranks)
    if len(set(ranks)) < size:
        return None
    if ranks[0] - ranks[-1] == size - 1:
        return ranks[0]
    if ranks[0] == Rank.ACE and ranks[1] == size:
        return size
    return None


class Ladder:
    """The order of hands of exactly `size` cards by a list of categories, lowest first.

    `order` is a number: higher beats lower, equal is a tie. Tables are made at first use.
    """

    def __init__(self, size: int, categories: Sequence[Category]) -> None:
        self.size = size
        self.categories = tuple(categories)
        self._step: int = 16**size
        self._one_suit = frozenset(size * bit for bit in _SUIT_BIT.values())

    def order(self, cards: Iterable[Card]) -> int:
        """The order of a hand. Raises KeyError for another number of cards."""
        return self.order_of_code(hand_code(cards))

    def order_of_code(self, code: int) -> int:
        """The order of a hand by the sum of its cards' codes."""
        table = self._suited if code >> _SUITS_FROM in self._one_suit else self._mixed
        return table[code & _RANKS_MASK]

    def category(self, order: int) -> Category:
        """The category of an order."""
        return self.categories[order // self._step]

    def lowest(self, category: Category) -> int:
        """An order that no hand of a lower category reaches, and every hand of this one."""
        return self.categories.index(category) * self._step

    def best(self, cards: Sequence[Card]) -> tuple[int, tuple[Card, ...]]:
        """The highest order among all hands of this size in `cards`, and the first hand that has it."""
        if len(cards) == self.size:
            return self.order(cards), tuple(cards)
        return max(((self.order(hand), hand) for hand in combinations(cards, self.size)), key=lambda ranked: ranked[0])

    @cached_property
    def _mixed(self) -> dict[int, int]:
        return {
            sum(_RANK_BIT[Rank(rank)] for rank in ranks): self._ranked(ranks, suited=False)
            for ranks in combinations_with_replacement(sorted(Rank, reverse=True), self.size)
            if max(Counter(ranks).values()) <= len(Suit)
        }

    @cached_property
    def _suited(self) -> dict[int, int]:
        return {
            sum(_RANK_BIT[Rank(rank)] for rank in ranks): self._ranked(ranks, suited=True)
            for ranks in combinations(sorted(Rank, reverse=True), self.size)
        }

    def _ranked(self, ranks: Sequence[int], *, suited: bool) -> int:
        category = self._categorise(ranks, suited=suited)
        top = _straight_top(ranks)
        if top is not None and category in (Category.STRAIGHT, Category.STRAIGHT_FLUSH, Category.ROYAL_FLUSH):
            weights = [top]
        else:
            counts = Counter(ranks)
            weights = sorted(ranks, key=lambda rank: (counts[rank], rank), reverse=True)
        order = self.categories.index(category)
        for at in range(self.size):
            order = order * 16 + (weights[at] if at < len(weights) else 0)
        return order

    def _categorise(self, ranks: Sequence[int], *, suited: bool) -> Category:
        shape = tuple(sorted(Counter(ranks).values(), reverse=True))
        top = _straight_top(ranks)
        found = [_OF_A_KIND[shape]] if shape in _OF_A_KIND else []
        if top is not None and suited:
            found += [Category.ROYAL_FLUSH, Category.MINI_ROYAL] if top == Rank.ACE else []
            found += [Category.STRAIGHT_FLUSH]
        found += [Category.FLUSH] if suited else []
        found += [Category.STRAIGHT] if top is not None else []
        found += [Category.ACE_KING] if tuple(ranks[:2]) == (Rank.ACE, Rank.KING) else []
        return next((category for category in found if category in self.categories), self.categories[0])


POKER: Final = Ladder(  # the five-card hands of poker as everybody knows them
    5,
    (
        Category.NOTHING,
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


def core(category: Category, cards: Sequence[Card]) -> tuple[Card, ...]:
    """The cards that make a hand what it is: two for a pair, the highest card where there is nothing."""
    by_rank = sorted(cards, key=lambda card: -card.rank)
    counts = Counter(card.rank for card in cards)
    match category:
        case Category.NOTHING | Category.HIGH_CARD:
            return tuple(by_rank[:1])
        case Category.ACE_KING:
            return tuple(by_rank[:2])
        case Category.PAIR | Category.TWO_PAIR | Category.THREE | Category.FOUR:
            return tuple(card for card in by_rank if counts[card.rank] > 1)
        case Category.FULL_HOUSE:
            return tuple(sorted(cards, key=lambda card: (-counts[card.rank], -card.rank)))
        case _:
            return tuple(by_rank)


def rank_word(rank: Rank) -> str:
    """`ace`."""
    return rank.name.lower()


def rank_words(rank: Rank) -> str:
    """`aces`."""
    return "sixes" if rank is Rank.SIX else f"{rank_word(rank)}s"


def describe(category: Category, cards: Sequence[Card]) -> str:
    """A hand in words: `pair of aces`, `straight, five high`."""
    best = core(category, cards)
    match category:
        case Category.ROYAL_FLUSH | Category.MINI_ROYAL | Category.ACE_KING:
            return str(category)
        case Category.PAIR:
            return f"pair of {rank_words(best[0].rank)}"
        case Category.TWO_PAIR:
            return f"two pair, {rank_words(best[0].rank)} and {rank_words(best[2].rank)}"
        case Category.FULL_HOUSE:
            return f"full house, {rank_words(best[0].rank)} over {rank_words(best[3].rank)}"
        case Category.THREE | Category.FOUR:
            return f"{category}, {rank_words(best[0].rank)}"
        case Category.STRAIGHT | Category.STRAIGHT_FLUSH:
            wheel = best[0].rank is Rank.ACE and best[1].rank == len(best)
            return f"{category}, {rank_word(best[1 if wheel else 0].rank)} high"
        case _:
            return f"{category}, {rank_word(best[0].rank)} high"


@dataclass(frozen=True)
class Hand:
    """A ranked hand, the best that its cards allow. Hands of one ladder and of equal `order` tie."""

    ladder: Ladder
    order: int
    cards: tuple[Card, ...]

    @classmethod
    def best(cls, ladder: Ladder, cards: Sequence[Card]) -> Hand:
        """The highest hand of the ladder's size among some cards."""
        return cls(ladder, *ladder.best(cards))

    @property
    def category(self) -> Category:
        """What it is called."""
        return self.ladder.category(self.order)

    @property
    def core(self) -> tuple[Card, ...]:
        """The cards that make it what it is, without the side cards."""
        return core(self.category, self.cards)

    @property
    def text(self) -> str:
        """In words: `pair of sixes`."""
        return describe(self.category, self.cards)
