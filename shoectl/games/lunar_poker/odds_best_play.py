"""What Lunar Poker's Ante, Options and Bet are worth by the best play that looks at the player's own cards alone,
counted over all deals, § 671a.11(b) to (f). Needs numpy.

Five cards are one of 134,459 hands that differ in more than their names of suits, six one of 962,988; for each of them
all hands of the dealer's that can lie there are counted by inclusion and exclusion (odds/subsets.py). An exchange would
have to be counted over what is given up and what is received; its value is estimated, odds_stated_play.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb
from typing import Final

from shoectl.cards import Suit
from shoectl.games.house import House
from shoectl.games.lunar_poker import odds_stated_play
from shoectl.games.lunar_poker.hands import (
    LADDER,
    PAYS_ANTE_BETTER,
    QUALIFIES,
    best_hand,
    instant_line,
    second_combination,
)
from shoectl.games.lunar_poker.money import ANTE, BET, instant_table
from shoectl.games.ranking import CODE
from shoectl.odds.figures import Figures, Line
from shoectl.odds.hands import Hand, groups
from shoectl.odds.question import MAIN, Progress, Question, numpy
from shoectl.odds.sides import gain, told_source
from shoectl.odds.subsets import CARDS, DECK, Array, Containing, chunks, classes, holds, place, with_card

BET_OR_FOLD, BUY = "bet", "buy"
STRATEGIES: Final = {
    BUY: "best play by the own cards alone: fold, Bet, or buy a sixth card, whichever is worth most; no card is "
    "exchanged, the dealer's up card is not looked at",
    odds_stated_play.EXCHANGE: odds_stated_play.STRATEGY,
    BET_OR_FOLD: "best play by the own cards alone without options: fold or Bet, whichever is worth more",
}
DEALS_OF_FIVE: Final = comb(DECK - 5, 5)  # hands of the dealer against five cards
DEALS_OF_SIX: Final = comb(DECK - 6, 5)
SIXTH: Final = DECK - 5  # cards that may be bought
SCALE: Final = SIXTH * DEALS_OF_SIX // DEALS_OF_FIVE  # so that both are counted in deals of eleven cards
LOST, FEE = -3, -1  # Antes: Ante and Bet; the Options fee


@cache
def ranks() -> tuple[tuple[int, ...], Array]:
    """All hands of five cards ranked from 0 without a gap: the order of each rank, and the rank of each hand."""
    np, kinds = numpy(), classes(5)
    codes = [CODE[card] for card in CARDS]
    found = [LADDER.order_of_code(sum(map(codes.__getitem__, hand))) for hand in kinds.sets.tolist()]
    orders, of = np.unique(np.array(found), return_inverse=True)
    return tuple(orders.tolist()), of.astype("uint16")[kinds.of]


@cache
def dealer() -> Containing:
    """All hands of the dealer's."""
    orders, of = ranks()
    return Containing(5, len(orders), lambda sets: of[numpy().minimum(with_card(sets), len(of) - 1)])


def best_rank(sets: Array) -> Array:
    """The rank of the best five of five or six cards."""
    parts = combinations(range(sets.shape[1]), 5)
    return numpy().maximum.reduce([ranks()[1][place(sets[:, list(part)])] for part in parts]).astype("int64")


@cache
def bet_pays(cards: int) -> tuple[Array, Array]:
    """By what tells hands of so many cards apart (`_kind`): what a winning Bet pays, to 1, by both combinations."""
    np = numpy()
    found = sorted((_kind_of(hand), _pays(hand)) for hand, _ in groups(cards, 5))
    return np.array([kind for kind, _ in found]), np.array([pays for _, pays in found])


def _pays(hand: Hand) -> int:
    best = best_hand(hand)
    if best.order < QUALIFIES:
        return 0
    second = second_combination(hand, best, BET)
    return BET.odds(best.category).pays + (BET.odds(second).pays if second is not None else 0)


def _kind_of(hand: Hand) -> int:
    return int(_kind(numpy().array([[CARDS.index(card) for card in hand]]))[0])


def _kind(sets: Array) -> Array:
    """A number for the ranks of each set and, where five cards or more are of one suit, for which those are."""
    np = numpy()
    rank, suit = sets.astype("int64") >> 2, sets & 3
    flush = np.zeros(len(sets), dtype="int64")
    for one in range(len(Suit)):
        of_suit = suit == one
        flush += np.where(of_suit.sum(axis=1) >= 5, ((1 << rank) * of_suit).sum(axis=1), 0)
    return (5**rank).sum(axis=1) << 13 | flush


@dataclass(frozen=True)
class Betting:
    """What becomes of a Bet on each of some hands: in how many deals the dealer does not qualify, is lower, ties and is
    higher; what the first two gain, in Antes; and the sum of it all over these deals.
    """

    not_qualified: Array
    lower: Array
    equal: Array
    higher: Array
    ante_gain: Array
    bet_gain: Array

    @property
    def worth(self) -> Array:
        """What a Bet gains in all these deals together, in Antes."""
        return self.ante_gain * self.not_qualified + self.bet_gain * self.lower + LOST * self.higher


def against(sets: Array, rank: Array) -> tuple[Array, Array, Array, Array]:
    """For hands of five or six cards of these ranks: in how many deals the dealer does not qualify, is lower, ties and
    is higher.
    """
    np = numpy()
    total = comb(DECK - sets.shape[1], 5)
    needed = sum(order < QUALIFIES for order in ranks()[0])
    bounds = np.stack([np.full(len(sets), needed - 1), rank - 1, rank], axis=1)
    not_qualified, lower, no_higher = np.maximum.accumulate(dealer().avoiding(sets, bounds), axis=1).T
    return not_qualified, lower - not_qualified, no_higher - lower, total - no_higher


def betting(sets: Array) -> Betting:
    """What becomes of a Bet on hands of five or six cards."""
    np, rank = numpy(), best_rank(sets)
    kinds, pays = bet_pays(sets.shape[1])
    better = rank >= sum(order < PAYS_ANTE_BETTER for order in ranks()[0])
    more, less = (int(gain(ANTE.odds(line))) for line in ("straight or higher", "any other hand"))
    bet_gain = 2 * pays[np.searchsorted(kinds, _kind(sets))]
    return Betting(*against(sets, rank), np.where(better, more, less), bet_gain)


def main(question: Question) -> Figures:
    """Ante, Options and Bet, in Antes, the instant payout in it."""
    strategy = question.strategy or BUY
    if strategy == odds_stated_play.EXCHANGE:
        return odds_stated_play.main(question)
    counts: Counter[tuple[str, int]] = Counter()
    six = SixCards(question.progress) if strategy == BUY else None
    kinds = classes(5)
    for rows in chunks(len(kinds.sets), 1024, question.progress):
        _play(counts, kinds.sets[rows], kinds.weights[rows], question.house, six.after(rows) if six else None)
    return _figures(counts, question.house, STRATEGIES[strategy])


class SixCards:
    """Every hand of six cards, as a sixth card makes it of each kind of five: what a Bet on it comes to."""

    def __init__(self, progress: Progress) -> None:
        np, fives = numpy(), classes(5)
        keys = np.concatenate([_keys(fives.sets[rows]) for rows in chunks(len(fives.sets))])
        keys[holds(fives.sets)] = -1
        _, first, of = np.unique(keys, return_index=True, return_inverse=True)
        self._of = of.reshape(keys.shape)
        sets = np.concatenate([fives.sets[first // DECK], (first % DECK).astype("int8")[:, None]], axis=1)[1:]
        sets.sort(axis=1)
        parts = [betting(sets[rows]) for rows in chunks(len(sets), progress=progress)]
        names = Betting.__dataclass_fields__
        none = np.zeros(1, dtype="int64")
        self._all = {name: np.concatenate([none, *(getattr(one, name) for one in parts)]) for name in names}

    def after(self, rows: slice) -> Betting:
        """For some kinds of five cards, a row each, a column for each card of the deck; 0 for their own cards."""
        return Betting(**{name: values[self._of[rows]] for name, values in self._all.items()})


def _keys(sets: Array) -> Array:
    """For each set and each card: a number for the kind of hand that they make together, names of suits apart."""
    np = numpy()
    masks = np.zeros((len(sets), len(Suit)), dtype="int64")
    rows = np.arange(len(sets))
    for at in range(sets.shape[1]):
        masks[rows, sets[:, at] & 3] |= 1 << (sets[:, at].astype("int64") >> 2)
    cards = np.arange(DECK)
    one = np.zeros((DECK, len(Suit)), dtype="int64")
    one[cards, cards & 3] = 1 << (cards >> 2)
    together = masks[:, None, :] | one[None, :, :]
    together.sort(axis=2)
    return sum(together[:, :, at] << 13 * at for at in range(len(Suit)))


def _play(counts: Counter[tuple[str, int]], sets: Array, weight: Array, house: House, six: Betting | None) -> None:
    """Decide for each hand, and count deals of eleven cards: player, sixth card, dealer; with what they gain."""
    np = numpy()
    lines = instant_table(house)
    orders, of = ranks()
    rank = of[place(sets)]
    deals = DEALS_OF_FIVE * SCALE
    instant = {name: _orders_of(name) for name in lines.lines}
    open_ = np.ones(len(sets), dtype=bool)
    for name, odds in lines.lines.items():
        rows = np.isin(rank, [orders.index(order) for order in instant[name]])
        open_ &= ~rows
        counts[name, int(gain(odds))] += int(weight[rows].sum()) * deals
    five = betting(sets)
    fold = np.full(len(sets), -deals)
    bet = five.worth * SCALE
    buy = fold - 1
    if six is not None:
        own = holds(sets)
        bets = np.where(own, 0, np.maximum(six.worth, -DEALS_OF_SIX))
        buy = bets.sum(axis=1) + FEE * deals
    buys, plays = open_ & (buy > np.maximum(bet, fold)), open_ & (bet >= np.maximum(buy, fold))
    counts["fold", -1] += int(weight[open_ & ~buys & ~plays].sum()) * deals
    _count(counts, "Bet", five, weight * plays * SCALE, 0)
    if six is not None:
        folds = six.worth < -DEALS_OF_SIX
        each = (weight * buys)[:, None] * ~own
        counts["buy, fold", -1 + FEE] += int((each * folds).sum()) * DEALS_OF_SIX
        _count(counts, "buy, Bet", six, each * ~folds, FEE)


def _orders_of(line: str) -> Iterator[int]:
    return iter({LADDER.order(hand) for hand, _ in groups(5, 5) if instant_line(hand) == line})


def _count(counts: Counter[tuple[str, int]], name: str, one: Betting, weight: Array, fee: int) -> None:
    np = numpy()
    for what, deals, gains in (
        ("the dealer does not qualify", one.not_qualified, one.ante_gain),
        ("wins", one.lower, one.bet_gain),
        ("ties", one.equal, np.zeros_like(one.equal)),
        ("loses", one.higher, np.full_like(one.higher, LOST)),
    ):
        for each in np.unique(gains):
            counts[f"{name}, {what}", int(each) + fee] += int((weight * deals * (gains == each)).sum())


def _figures(counts: Counter[tuple[str, int]], house: House, strategy: str) -> Figures:
    names = dict.fromkeys(name for name, _ in counts)
    lines = []
    for name in names:
        rows = [(each, count) for (one, each), count in counts.items() if one == name]
        lines.append(Line(name, sum(count for _, count in rows), sum(each * count for each, count in rows)))
    total = sum(counts.values())
    staked = total + sum((2 * ("Bet" in name) + ("buy" in name)) * count for (name, _), count in counts.items())
    figures = Figures(MAIN, "the Ante", tuple(line for line in lines if line.count))
    more = {"average wager": staked / total, "element of risk": float(figures.edge) * total / staked}
    table = f"instant payout {told_source(instant_table(house))}"
    note = "one unit is the Ante; the instant payout is in it, Supers are not"
    return Figures(MAIN, "the Ante", figures.lines, table, strategy, more=more, notes=(note,))
