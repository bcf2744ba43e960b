"""How many hands contain some cards and none of some others, by their rank: for a whole deck at once, with numpy.

A player who holds five cards wants to know how many of the dealer's hands avoid them and rank no higher than his own.
By inclusion and exclusion that is a sum over the subsets of his cards, of how many hands *contain* the subset; and that
is the same for all subsets which differ in suits alone, so it is tabulated once.

Cards are numbers here, four times the rank from the two at 0, plus the suit. A set of cards is known by its place among
all sets of its size in colexicographic order, the sum of comb(card, place) over its cards from the lowest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from math import comb
from typing import Any, Final

from shoectl.cards import Card, Rank, Suit
from shoectl.odds.question import Progress, numpy, silent

Array = Any  # numpy.ndarray; numpy is not there for everybody who reads this
CARDS: Final = tuple(Card(rank, suit) for rank in Rank for suit in Suit)
DECK: Final = len(CARDS)
CHUNK: Final = 2048  # rows at a time: what is worked on stays in the processor's cache


@cache
def _binomials() -> Array:
    """comb(card, place + 1) by place and card."""
    return numpy().array([[comb(card, place + 1) for card in range(DECK)] for place in range(8)], dtype="int32")


@cache
def subsets(size: int) -> Array:
    """All sets of so many cards, a row each, in the order of their places."""
    np = numpy()
    if not size:
        return np.empty((1, 0), dtype="int8")
    lower, found, start = subsets(size - 1), np.empty((comb(DECK, size), size), dtype="int8"), 0
    for highest in range(size - 1, DECK):
        end = start + comb(highest, size - 1)
        found[start:end, :-1], found[start:end, -1] = lower[: end - start], highest
        start = end
    return found


def place(sets: Array) -> Array:
    """Which set each row is."""
    table = _binomials()
    found = numpy().zeros(len(sets), dtype="int32")
    for at in range(sets.shape[1]):
        found += table[at][sets[:, at]]
    return found


def with_card(sets: Array) -> Array:
    """For each set the places of the sets that each card of the deck makes with it, a column a card. Where the card is
    in the set already the number means nothing.
    """
    np, table = numpy(), _binomials()
    cards = np.arange(DECK, dtype="int8")[None, :]
    below = np.zeros((len(sets), DECK), dtype="int8")
    found = np.zeros((len(sets), DECK), dtype="int32")
    for at in range(sets.shape[1]):
        held = sets[:, at]
        above = held[:, None] > cards
        found += np.where(above, table[at + 1][held][:, None], table[at][held][:, None])
        below += ~above
    found += table[below, cards]
    return found


def holds(sets: Array) -> Array:
    """Which cards of the deck each set holds, a column a card."""
    np = numpy()
    found = np.zeros((len(sets), DECK), dtype=bool)
    found[np.arange(len(sets))[:, None], sets] = True
    return found


class Classes:
    """The sets of one size that differ in suits alone, as classes: `of` gives the class of a place, `sets` one set of
    each class, `weights` how many each has.
    """

    def __init__(self, size: int) -> None:
        np = numpy()
        sets = subsets(size)
        masks = np.zeros((len(sets), len(Suit)), dtype="int64")
        rows = np.arange(len(sets))
        for at in range(size):
            masks[rows, sets[:, at] & 3] |= 1 << (sets[:, at].astype("int64") >> 2)
        masks.sort(axis=1)
        key = sum(masks[:, at] << 13 * at for at in range(len(Suit)))
        _, first, of, weights = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
        self.of: Array = of.astype("int32")
        self.sets: Array = sets[first]
        self.weights: Array = weights


@cache
def classes(size: int) -> Classes:
    """The classes of the sets of one size."""
    return Classes(size)


class Containing:
    """How many hands of `size` cards contain a set of cards and rank no higher than a bound.

    `last(sets)` gives the rank of the hand that each set of `size - 1` cards makes with each card of the deck (any
    number for its own cards); ranks are whole numbers from 0 to `ranks - 1`.
    """

    def __init__(self, size: int, ranks: int, last: Callable[[Array], Array]) -> None:
        np = numpy()
        self.size, self.ranks, self._rank_with = size, ranks, last
        self._few: dict[int, Array] = {}
        kinds = classes(size - 1)
        self._sorted = np.empty((len(kinds.sets), DECK), dtype="uint16")
        for rows in chunks(len(kinds.sets)):
            self._sorted[rows] = np.where(holds(kinds.sets[rows]), ranks, last(kinds.sets[rows]))
        self._sorted.sort(axis=1)
        self._few[size - 2] = self._of_pairs(size - 2)
        for held in range(size - 3, -1, -1):
            self._few[held] = self._of_one_more(held)

    def _of_pairs(self, held: int) -> Array:
        """By two cards more: each pair is met twice."""
        np, kinds, larger = numpy(), classes(held), classes(held + 1)
        found = np.empty((len(kinds.sets), self.ranks), dtype="int32")
        known = self._sorted[:, : DECK - held - 1]
        for rows in chunks(len(kinds.sets), 256):
            sets = kinds.sets[rows]
            more = larger.of[with_card(sets)[~holds(sets)]].reshape(len(sets), DECK - held)
            at = known[more].astype("int64") + (np.arange(len(sets)) * self.ranks)[:, None, None]
            counts = np.bincount(at.ravel(), minlength=len(sets) * self.ranks)
            found[rows] = counts.reshape(len(sets), self.ranks).cumsum(axis=1) // 2
        return found

    def _of_one_more(self, held: int) -> Array:
        """By one card more: each hand is met once for each of its cards that is not in the set."""
        np, larger = numpy(), self._few[held + 1]
        if not held:
            return larger[classes(1).of].sum(axis=0, dtype="int64")[None, :] // self.size
        kinds = classes(held)
        found = np.empty((len(kinds.sets), self.ranks), dtype="int64")
        for at, one in enumerate(kinds.sets):
            more = classes(held + 1).of[with_card(one[None, :])[~holds(one[None, :])]]
            found[at] = larger[more].sum(axis=0, dtype="int64") // (self.size - held)
        return found

    def count(self, held: int, sets: Array, bound: Array) -> Array:
        """For sets of `held` cards, by their places: how many hands contain them and rank at most `bound` (-1: none).

        `bound` has a row for each row of `sets`, or a value for each set. `held` is at most one less than the size.
        """
        np = numpy()
        kinds = classes(held).of[sets] if held else np.zeros_like(sets)
        if held == self.size - 1:
            return self._bisect(kinds, bound)
        return np.where(bound < 0, 0, self._few[held][kinds, np.maximum(bound, 0)])

    def avoiding(self, sets: Array, bound: Array) -> Array:
        """For each set of cards, and one bound or several for each (a row a set): how many hands hold none of its cards
        and rank no higher.
        """
        np = numpy()
        found = np.zeros(bound.shape, dtype="int64")
        for part in _parts(sets.shape[1]):
            held = sets[:, part]
            if len(part) < self.size:
                at = place(held)
                found += (-1) ** len(part) * self.count(len(part), at if bound.ndim == 1 else at[:, None], bound)
            elif len(part) == self.size:
                rank = self.rank(held)
                found += (-1) ** len(part) * ((rank if bound.ndim == 1 else rank[:, None]) <= bound)
        return found

    def rank(self, sets: Array) -> Array:
        """The rank of whole hands, a row each."""
        return self._rank_with(sets[:, :-1])[numpy().arange(len(sets)), sets[:, -1]]

    def with_and_without(self, sets: Array, bound: Array) -> Array:
        """The same of hands that hold one card more, which is known: a column for each card of the deck. Where that
        card is in the set itself the number means nothing.
        """
        np = numpy()
        found, bound = np.zeros((len(sets), DECK), dtype="int64"), bound[:, None]
        for part in _parts(sets.shape[1]):
            held = sets[:, part]
            if len(part) == self.size - 1:
                more = self._rank_with(held) <= bound
            else:
                last = comb(DECK, len(part) + 1) - 1
                more = self.count(len(part) + 1, np.minimum(with_card(held), last), bound)
            found += (-1) ** len(part) * more
        return found

    def _bisect(self, kinds: Array, bound: Array) -> Array:
        """How many of the sorted ranks of a row are at most the bound."""
        np = numpy()
        flat, width = self._sorted.ravel(), DECK
        start = kinds.astype("int64") * width
        low = np.zeros(np.broadcast(kinds, bound).shape, dtype="int64")
        for step in (32, 16, 8, 4, 2, 1):
            probe = low + step
            fits = (probe <= width) & (flat[start + np.minimum(probe, width) - 1] <= bound)
            low = np.where(fits, probe, low)
        return low


def _parts(size: int) -> Iterator[list[int]]:
    """The places of every choice of members of a set of this size, the empty choice too."""
    for held in range(size + 1):
        yield from map(list, combinations(range(size), held))


def chunks(rows: int, size: int = CHUNK, progress: Progress = silent) -> Iterator[slice]:
    """Slices of so many rows, a chunk at a time, told to `progress`."""
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))
        progress(min(start + size, rows), rows)
