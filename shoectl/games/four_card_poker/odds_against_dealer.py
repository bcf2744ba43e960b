"""What Four Card Poker's player is worth against the dealer, counted over all deals, § 641a.11(b) and (c): Ante, Play
and Ante Bonus with the dealer's card in sight, and the Bad Beat Bonus. Needs numpy.

A player's hand is one of 134,459 that differ in more than their names of suits. For each of them, and for each card
that the dealer may show, all 1,370,754 hands of the dealer's are counted by inclusion and exclusion (odds/subsets.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb, lcm
from typing import Final

from shoectl.cards import parse_cards
from shoectl.games.four_card_poker.hands import FOUR
from shoectl.games.four_card_poker.money import PAYTABLES
from shoectl.games.ranking import CODE, Category
from shoectl.games.wagers import Paytable, paytable_of
from shoectl.odds.figures import Figures, Line
from shoectl.odds.question import MAIN, Progress, Question, numpy
from shoectl.odds.sides import gain, paid, told_source
from shoectl.odds.subsets import CARDS, DECK, Array, Containing, chunks, classes, holds, place, subsets, with_card

EACH, DEALT_UP = 5, 6  # cards of the player, and of the dealer
UNSEEN: Final = comb(DECK - EACH - 1, DEALT_UP - 1)  # hands of the dealer with one card in sight
LEAST, MOST = 1, 3  # Antes that the Play Wager may be; all between them is worth what lies between
BEST, SIMPLE = "best", "simple"
_PAID: Final = {True: "always", False: "only where the dealer's hand is not higher"}
STRATEGIES: Final = {
    BEST: "best play with the dealer's card in sight: Play three Antes, one Ante, or fold, whichever is worth most",
    SIMPLE: "three Antes with a pair of tens or better, one Ante with a lower pair, else fold; "
    "the dealer's card is not looked at",
}


@dataclass(frozen=True)
class Ranks:
    """The ranks of four cards as whole numbers without a gap: the order of each, and the rank of each set of four."""

    orders: tuple[int, ...]
    of: Array

    def lowest(self, category: Category) -> int:
        """The first rank of a class."""
        return next(rank for rank, order in enumerate(self.orders) if FOUR.category(order) is category)


@cache
def ranks() -> Ranks:
    """All hands of four cards, ranked by the game's own ladder."""
    np = numpy()
    codes = [CODE[card] for card in CARDS]
    sets = subsets(4).tolist()
    found = [FOUR.order_of_code(codes[a] + codes[b] + codes[c] + codes[d]) for a, b, c, d in sets]
    orders, of = np.unique(np.array(found), return_inverse=True)
    return Ranks(tuple(orders.tolist()), of.astype("uint16"))


def best_of_five(sets: Array) -> Array:
    """The rank of the best four of five cards."""
    return numpy().maximum.reduce([ranks().of[place(sets[:, part])] for part in map(list, combinations(range(5), 4))])


def _best_of_six(sets: Array) -> Array:
    """The rank of the best four of five cards and each card of the deck."""
    np = numpy()
    best = np.repeat(best_of_five(sets)[:, None], DECK, axis=1)
    for part in map(list, combinations(range(5), 3)):
        with_fourth = np.minimum(with_card(sets[:, part]), comb(DECK, 4) - 1)
        np.maximum(best, ranks().of[with_fourth], out=best)
    return best


@cache
def dealer() -> Containing:
    """All hands of the dealer's."""
    return Containing(DEALT_UP, len(ranks().orders), _best_of_six)


def main(question: Question) -> Figures:
    """Ante, Play and Ante Bonus, in Antes."""
    house = question.house
    table = paytable_of(PAYTABLES, house, "ante_bonus")
    on_loss = house.flag("ante_bonus_on_loss")
    simple = question.strategy == SIMPLE
    counts: Counter[tuple[int, bool, str]] = Counter()
    otherwise: Counter[tuple[int, bool, str]] = Counter()  # as the other houses pay the Ante Bonus
    for hands in _hands(question.progress):
        hands.add_to(counts, table, on_loss, simple)
        hands.add_to(otherwise, table, not on_loss, simple)
    strategy = STRATEGIES[SIMPLE if simple else BEST]
    figures = _figures(counts, table, on_loss, strategy)
    other = "house edge with ante bonus " + ("only on a win" if on_loss else "always")
    edge = float(_figures(otherwise, table, not on_loss, strategy).edge)
    return replace(figures, more={**figures.more, other: edge})


@dataclass(frozen=True)
class Hands:
    """Some hands of the player's, a row each, with each card that the dealer may show, a column each: how many of the
    dealer's hands rank no higher (the player wins), and in how many deals this is met.
    """

    rank: Array
    wins: Array
    weight: Array

    def add_to(self, counts: Counter[tuple[int, bool, str]], table: Paytable, on_loss: bool, simple: bool) -> None:
        """Decide, and count the deals: how many Antes the Play Wager is (0: fold), won or not, and the bonus line."""
        np = numpy()
        lines = [_line(rank, table) for rank in range(len(ranks().orders))]
        scale = lcm(*(gain(odds).denominator for odds in table.lines.values()))
        bonus = np.array([int(gain(table.odds(line)) * scale) if line else 0 for line in lines])[self.rank][:, None]
        net = 2 * self.wins - UNSEEN  # what one Ante gains against all hands of the dealer's
        extra = bonus * (UNSEEN if on_loss else self.wins)
        worth = {play: scale * (1 + play) * net + extra for play in (LEAST, MOST)}
        if simple:
            play = np.broadcast_to(_simple_plays()[self.rank][:, None], net.shape)
        else:
            play = np.where(worth[MOST] >= worth[LEAST], MOST, LEAST)
            play = np.where(np.maximum(worth[MOST], worth[LEAST]) >= -scale * UNSEEN, play, 0)
        counts[0, False, ""] += int((self.weight * UNSEEN * (play == 0)).sum())
        for line in {"", *filter(None, lines)}:
            rows = np.array([line == (one or "") for one in lines])[self.rank]
            for sum_ in (LEAST, MOST):
                weight = (self.weight[rows] * (play[rows] == sum_)).astype("int64")
                won = int((weight * self.wins[rows]).sum())
                counts[sum_, True, line] += won
                counts[sum_, False, line] += int(weight.sum()) * UNSEEN - won


def _hands(progress: Progress) -> Iterator[Hands]:
    kinds, all_hands = classes(EACH), dealer()
    for rows in chunks(len(kinds.sets), 512, progress):
        sets = kinds.sets[rows]
        rank = best_of_five(sets).astype("int64")
        wins = all_hands.with_and_without(sets, rank)
        yield Hands(rank, wins, kinds.weights[rows][:, None] * ~holds(sets))


def _line(rank: int, table: Paytable) -> str | None:
    name = str(FOUR.category(ranks().orders[rank]))
    return name if name in table.lines else None


@cache
def _simple_plays() -> Array:
    """The Play Wager of the simple strategy by the rank of the four cards."""
    play = numpy().zeros(len(ranks().orders), dtype="int64")
    play[ranks().lowest(Category.PAIR) :] = LEAST
    play[ranks().orders.index(FOUR.order(parse_cards("Ts Th 3d 2c"))) :] = MOST
    return play


def _figures(counts: Counter[tuple[int, bool, str]], table: Paytable, on_loss: bool, strategy: str) -> Figures:
    lines, staked = [], 0
    for (play, won, bonus), count in sorted(counts.items(), key=lambda row: (row[0][0], not row[0][1], row[0][2])):
        if not count:
            continue
        staked += (1 + play) * count
        each = Fraction(1 + play if won else -1 - play)
        paid_bonus = bonus and (won or on_loss)
        if paid_bonus:
            each += gain(table.odds(bonus))
        name = ", ".join(filter(None, (f"Play {play}", "wins" if won else "loses", bonus))) if play else "fold"
        lines.append(Line(name, count, each * count, str(table.odds(bonus)) if paid_bonus else ""))
    figures = Figures(MAIN, "the Ante", tuple(lines), f"Ante Bonus {told_source(table)}", strategy)
    average = Fraction(staked, figures.total)
    more = {"average wager": float(average), "element of risk": float(figures.edge / average)}
    notes = (
        "one unit is the Ante; a tie wins, § 641a.11(c)(3)(ii)",
        f"the Ante Bonus is paid {_PAID[on_loss]}",
    )
    return Figures(MAIN, "the Ante", figures.lines, figures.source, strategy, more=more, notes=notes)


def showdown(question: Question) -> Figures:
    """Whose hand is higher, whatever was wagered."""
    kinds, counts = classes(EACH), Counter[str]()
    total = comb(DECK - EACH, DEALT_UP)
    for rows in chunks(len(kinds.sets), progress=question.progress):
        sets, weight = kinds.sets[rows], kinds.weights[rows]
        rank = best_of_five(sets).astype("int64")
        no_higher, lower = dealer().avoiding(sets, rank), dealer().avoiding(sets, rank - 1)
        counts["player higher"] += int((weight * lower).sum())
        counts["equal"] += int((weight * (no_higher - lower)).sum())
        counts["dealer higher"] += int((weight * (total - no_higher)).sum())
    return Figures("showdown", "", tuple(Line(name, count, 0) for name, count in counts.items()), notes=("no wager",))


def bad_beat(question: Question) -> Figures:
    """The Bad Beat Bonus, (c)(6): on the hand that lost, whichever of the two it is. A player who folds two pair or
    better would lose it; nobody should.
    """
    table = paytable_of(PAYTABLES, question.house, "bad_beat")
    kinds, counts = classes(EACH), Counter[str | None]()
    lowest = {str(category): ranks().lowest(category) for category in FOUR.categories}
    total = comb(DECK - EACH, DEALT_UP)
    ranked = best_of_five(kinds.sets).astype("int64")
    losers = [name for name in lowest if lowest[name] >= lowest["two pair"]]
    few = numpy().flatnonzero(ranked >= lowest["two pair"])
    for rows in chunks(len(few), progress=question.progress):
        at = few[rows]
        sets, weight, rank = kinds.sets[at], kinds.weights[at], ranked[at]
        higher = weight * (total - dealer().avoiding(sets, rank))
        for name in losers:
            end = min((other for other in lowest.values() if other > lowest[name]), default=len(ranks().orders))
            own = (rank >= lowest[name]) & (rank < end)
            top = numpy().minimum(rank, end) - 1
            beaten = dealer().avoiding(sets, top) - dealer().avoiding(sets, numpy().minimum(top, lowest[name] - 1))
            counts[name] += int(higher[own].sum()) + int((weight * beaten).sum())
    counts[None] = comb(DECK, EACH) * total - counts.total()
    return paid(question, "bad_beat", table, counts)
