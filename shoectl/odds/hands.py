"""Every hand of so many cards, once, in groups that no ranking tells apart.

Suits matter to a poker hand in one way only: whether enough cards share one. So hands are grouped by how often each
rank occurs and, where there is a flush, by which ranks are in it; a group is one hand that stands for all of it, and
their number. Five cards make 7,462 groups instead of 2,598,960 hands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, combinations, combinations_with_replacement
from math import comb, prod
from typing import Final

from shoectl.cards import STANDARD, Card, Rank, Suit

Hand = tuple[Card, ...]
_SUITS: Final = tuple(Suit)
_CARD: Final = {(card.rank, card.suit): card for card in STANDARD}


def groups(size: int, flush: int) -> Iterator[tuple[Hand, int]]:
    """Hands of `size` cards with the number of hands that each stands for; `flush` cards of a suit are a flush.

    Raises ValueError where two suits could have a flush at once, or where three suits cannot hold the rest without
    another one.
    """
    if 2 * flush <= size:
        raise ValueError(f"two flushes of {flush} fit into {size} cards")
    flushes: Counter[tuple[Rank, ...]] = Counter()
    for suited in chain.from_iterable(combinations(Rank, held) for held in range(flush, size + 1)):
        for others in combinations_with_replacement(Rank, size - len(suited)):
            ways = len(_SUITS) * _ways(others, len(_SUITS) - 1)
            if ways:
                flushes[tuple(sorted((*suited, *others)))] += ways
                hand = *(_CARD[rank, _SUITS[0]] for rank in suited), *_spread(others, _SUITS[1:])
                yield hand, ways
    for ranks in combinations_with_replacement(Rank, size):
        ways = _ways(ranks, len(_SUITS)) - flushes[ranks]
        if ways:
            yield _spread(ranks, _SUITS), ways


def tally(size: int, flush: int, line: Callable[[Hand], str | None]) -> Counter[str | None]:
    """In how many hands each line happens, by a function that names the line of a hand."""
    found: Counter[str | None] = Counter()
    for hand, count in groups(size, flush):
        found[line(hand)] += count
    assert found.total() == comb(52, size), "every hand has been counted once"
    return found


def _ways(ranks: tuple[Rank, ...], suits: int) -> int:
    """How many hands have these ranks, with so many suits to choose from."""
    return prod(comb(suits, times) for times in Counter(ranks).values())


def _spread(ranks: tuple[Rank, ...], suits: tuple[Suit, ...]) -> Hand:
    """Cards of these ranks over the suits in turn, so that no suit has more than its share."""
    return tuple(_CARD[rank, suits[at % len(suits)]] for at, rank in enumerate(sorted(ranks)))
