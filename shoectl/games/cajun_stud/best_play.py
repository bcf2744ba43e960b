"""The best play of Cajun Stud and what it is worth, § 683a.11: three decisions, by all cards that can still come.

What five cards pay does not depend on whose they are, nor on their order or their names of suits. So the sets of two,
three and four cards that a player can see are 169, 1,755 and 16,432 different ones. From the last decision to the
first, each set is given the value of the best decision for every sum that may lie there; then all deals are played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import lcm, perm
from typing import Final

from shoectl.cards import Card, Rank, Suit
from shoectl.games.cajun_stud.hands import POKER, five_cards, line_of
from shoectl.games.cajun_stud.money import PAYTABLES, main_odds
from shoectl.games.ranking import CODE
from shoectl.games.wagers import paytable_of
from shoectl.odds.figures import Figures, Line
from shoectl.odds.hands import groups
from shoectl.odds.question import MAIN, Question
from shoectl.odds.sides import LOSE, gain, told_source

Set = tuple[int, int, int, int]  # the ranks in each suit, as bits, the suits in falling order of that number
RAISE: Final = (3, 2, 1)  # in Antes; of two decisions that are worth the same the first is taken
FOLDS: Final = ("fold at once", "fold after the first card", "fold after the second card")
FIRST, LAST = 2, 4  # cards that a player sees at the first and at the last decision
STRATEGY: Final = (
    "best play: at each decision what is worth most over all cards that can come; "
    "of two that are worth the same, the higher Raise"
)


def main(question: Question) -> Figures:
    """Ante and Raises with the best play, in Antes."""
    house = question.house
    table = paytable_of(PAYTABLES, house, "main")
    gains = {line: gain(main_odds(house, line)) for line in table.lines} | {LOSE: Fraction(-1)}
    lines = {POKER.order(hand): line_of(five_cards(hand), table) or LOSE for hand, _ in groups(5, 5)}
    best = BestPlay(lines, gains)
    played = best.play()
    found = [
        Line(name, *_all(played, name, Fraction(-1) if name in FOLDS else gains[name]), _pays(name, gains))
        for name in (*FOLDS, *gains)
    ]
    staked = Fraction(sum(sum_ * count for (_, sum_), count in played.items()), played.total())
    figures = Figures(MAIN, "the Ante", tuple(found), told_source(table), STRATEGY)
    more = {"average wager": float(staked), "element of risk": float(figures.edge / staked)}
    note = "one unit is the Ante; the payout limit is left out"
    return Figures(MAIN, "the Ante", tuple(found), told_source(table), STRATEGY, more=more, notes=(note,))


def _all(played: Counter[tuple[str, int]], name: str, each: Fraction) -> tuple[int, Fraction]:
    """In how many deals a line happens, and what it gains in all of them."""
    rows = [(staked, count) for (line, staked), count in played.items() if line == name]
    return sum(count for _, count in rows), each * sum(staked * count for staked, count in rows)


def _pays(name: str, gains: Mapping[str, Fraction]) -> str:
    if name not in gains or name == LOSE:
        return ""
    return f"{gains[name]}:1" if gains[name] else "push"


@cache
def more_cards(cards: Set) -> tuple[Set, ...]:
    """The sets that each card which is not in a set makes with it."""
    found = []
    for at, suit in enumerate(cards):
        others = [*cards[:at], *cards[at + 1 :]]
        for rank in range(len(Rank)):
            if not suit >> rank & 1:
                found.append(tuple(sorted((*others, suit | 1 << rank), reverse=True)))
    return tuple(found)  # type: ignore[arg-type]


def _cards(cards: Set) -> tuple[Card, ...]:
    return tuple(Card(rank, suit) for suit, held in zip(Suit, cards, strict=True) for rank in Rank if held >> rank - 2 & 1)


def first_cards() -> Counter[Set]:
    """The sets of two cards, with how often each is dealt."""
    bits = [(at, 1 << rank) for at in range(len(Suit)) for rank in range(len(Rank))]
    found: Counter[Set] = Counter()
    for pair in combinations(bits, FIRST):
        held = [sum(bit for at, bit in pair if at == suit) for suit in range(len(Suit))]
        found[tuple(sorted(held, reverse=True))] += 1  # type: ignore[index]
    return found


@dataclass
class BestPlay:
    """The best decision for each set of cards and each sum that lies there, in Antes.

    `lines`: the line that a hand of this order reaches; `gains`: what a line gains for one Ante.
    """

    lines: Mapping[int, str]
    gains: Mapping[str, Fraction]
    _ends: dict[Set, Counter[str]] = field(default_factory=dict)
    _found: dict[tuple[Set, int, int], tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._scale = lcm(*(one.denominator for one in self.gains.values()))
        self._whole = {line: int(one * self._scale) for line, one in self.gains.items()}
        self._sums: dict[Set, int] = {}

    def ends(self, four: Set) -> Counter[str]:
        """Which line each of the 48 fifth cards leads to."""
        found = self._ends.get(four)
        if found is None:
            held = _cards(four)
            code = sum(CODE[card] for card in held)
            orders = (POKER.order_of_code(code + more) for card, more in CODE.items() if card not in held)
            found = self._ends[four] = Counter(map(self.lines.__getitem__, orders))
        return found

    def decide(self, cards: Set, seen: int, staked: int) -> tuple[int, int]:
        """The best Raise (0: fold) with so many cards seen and so much staked, and its value, summed over every order
        in which the other cards may come.
        """
        key = (cards, seen, staked)
        if key not in self._found:
            fold = -staked * self._scale * perm(52 - seen, LAST + 1 - seen)
            values = [(raised, self._value(cards, seen, staked + raised)) for raised in RAISE]
            self._found[key] = max([*values, (0, fold)], key=lambda one: one[1])
        return self._found[key]

    def _value(self, cards: Set, seen: int, staked: int) -> int:
        if seen < LAST:
            return sum(self.decide(more, seen + 1, staked)[1] for more in more_cards(cards))
        if cards not in self._sums:
            self._sums[cards] = sum(self._whole[line] * count for line, count in self.ends(cards).items())
        return staked * self._sums[cards]

    def play(self) -> Counter[tuple[str, int]]:
        """All deals, each order of the community cards by itself, by their line and the sum staked in the end."""
        ended: Counter[tuple[str, int]] = Counter()
        going = Counter({(cards, 1): count for cards, count in first_cards().items()})
        for seen in range(FIRST, LAST + 1):
            later: Counter[tuple[Set, int]] = Counter()
            for (cards, staked), count in going.items():
                raised, _ = self.decide(cards, seen, staked)
                if not raised:
                    ended[FOLDS[seen - FIRST], staked] += count * perm(52 - seen, LAST + 1 - seen)
                elif seen < LAST:
                    for more in more_cards(cards):
                        later[more, staked + raised] += count
                else:
                    for line, times in self.ends(cards).items():
                        ended[line, staked + raised] += count * times
            going = later
        return ended
