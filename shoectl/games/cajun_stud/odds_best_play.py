"""The best play of Cajun Stud and what it is worth, § 683a.11: three decisions, by all cards that can still come.

What five cards pay does not depend on whose they are, nor on their order or their names of suits. So the sets of two,
three and four cards that a player can see are 169, 1,755 and 16,432 different ones. From the last decision to the
first, each set is given the value of the best decision for every sum that may lie there; then all deals are played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import lcm, perm
from typing import Final

from shoectl.cards import STANDARD, Rank, Suit
from shoectl.games.cajun_stud.hands import five_cards
from shoectl.games.cajun_stud.money import PAYTABLES, main_odds
from shoectl.games.ranking import CODE, POKER
from shoectl.games.wagers import paytable_of
from shoectl.odds.figures import Figures, Line
from shoectl.odds.hands import groups
from shoectl.odds.question import MAIN, Question
from shoectl.odds.sides import LOSE, gain, told_source

Set = tuple[int, int, int, int]  # the ranks in each suit, as bits, the suits in falling order of that number
RAISE: Final = (3, 2, 1)  # in Antes; of two decisions that are worth the same the first is taken
FOLDS: Final = ("fold at once", "fold after the first card", "fold after the second card")
FIRST, LAST = 2, 4  # cards that a player sees at the first and at the last decision


def _codes(suit: Suit) -> tuple[int, ...]:
    """The codes of some cards of a suit together, by the bits of their ranks."""
    found = [0]
    for card in sorted((card for card in STANDARD if card.suit is suit), key=lambda card: card.rank):
        found += [code + CODE[card] for code in found]
    return tuple(found)


_CODES: Final = tuple(map(_codes, Suit))
STRATEGY: Final = (
    "best play: at each decision what is worth most over all cards that can come; "
    "of two that are worth the same, the higher Raise"
)


def main(question: Question) -> Figures:
    """Ante and Raises with the best play, in Antes."""
    house = question.house
    table = paytable_of(PAYTABLES, house, "main")
    gains = {line: gain(main_odds(house, line)) for line in table.lines} | {LOSE: Fraction(-1)}
    lines = {POKER.order(hand): table.line_of(five_cards(hand)) or LOSE for hand, _ in groups(5, 5)}
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


def first_cards() -> Counter[Set]:
    """The sets of two cards, with how often each is dealt."""
    bits = [(at, 1 << rank) for at in range(len(Suit)) for rank in range(len(Rank))]
    found: Counter[Set] = Counter()
    for pair in combinations(bits, FIRST):
        held = [sum(bit for at, bit in pair if at == suit) for suit in range(len(Suit))]
        found[tuple(sorted(held, reverse=True))] += 1  # type: ignore[index]
    return found


class BestPlay:
    """The best decision for each set of cards and each sum that lies there, in Antes.

    `lines`: the line that a hand of this order reaches; `gains`: what a line gains for one Ante.
    """

    def __init__(self, lines: Mapping[int, str], gains: Mapping[str, Fraction]) -> None:
        self._lines, scale = lines, lcm(*(one.denominator for one in gains.values()))
        self._gains = {line: int(one * scale) for line, one in gains.items()}
        self._lost = -scale  # what an Ante loses in these numbers
        self._ends: dict[Set, Counter[str]] = {}
        self._worth: dict[Set, tuple[int, ...]] = {}
        self.raises: dict[Set, tuple[int, ...]] = {}  # by the sum that lies there; 0: fold

    def ends(self, four: Set) -> Counter[str]:
        """Which line each of the 48 fifth cards leads to. Its suit matters only where four of one suit lie there."""
        found = self._ends.get(four)
        if found is None:
            found = self._ends[four] = Counter()
            code, suited = sum(_CODES[at][held] for at, held in enumerate(four)), not four[1]
            for rank in range(len(Rank)):
                left = sum(not held >> rank & 1 for held in four)
                if suited and not four[0] >> rank & 1:
                    found[self._lines[POKER.order_of_code(code + _CODES[0][1 << rank])]] += 1
                    left -= 1
                if left:
                    other = code + _CODES[-1][1 << rank] if not four[-1] else code + _CODES[0][1 << rank]
                    found[self._lines[POKER.order_of_code(other)]] += left
        return found

    def worth(self, cards: Set, seen: int) -> tuple[int, ...]:
        """The value of the best decision with so many cards seen, by the sum that lies there already; each value is
        the sum over every order in which the other cards may come.
        """
        found = self._worth.get(cards)
        if found is None:
            sums = range(2 + 3 * (seen - FIRST))
            if seen < LAST:
                after = [self.worth(more, seen + 1) for more in more_cards(cards)]
                later = [sum(column) for column in zip(*after, strict=True)]
            else:
                each = sum(self._gains[line] * count for line, count in self.ends(cards).items())
                later = [each * staked for staked in range(sums.stop + RAISE[0])]
            fold = self._lost * perm(52 - seen, LAST + 1 - seen)
            best = [max((*((later[lies + more], more) for more in RAISE), (fold * lies, 0))) for lies in sums]
            self.raises[cards] = tuple(raised for _, raised in best)
            found = self._worth[cards] = tuple(value for value, _ in best)
        return found

    def play(self) -> Counter[tuple[str, int]]:
        """All deals, each order of the community cards by itself, by their line and the sum staked in the end."""
        ended: Counter[tuple[str, int]] = Counter()
        going = Counter({(cards, 1): count for cards, count in first_cards().items()})
        for seen in range(FIRST, LAST + 1):
            later: Counter[tuple[Set, int]] = Counter()
            for (cards, lies), count in going.items():
                self.worth(cards, seen)
                raised = self.raises[cards][lies]
                if not raised:
                    ended[FOLDS[seen - FIRST], lies] += count * perm(52 - seen, LAST + 1 - seen)
                elif seen < LAST:
                    for more in more_cards(cards):
                        later[more, lies + raised] += count
                else:
                    for line, times in self.ends(cards).items():
                        ended[line, lies + raised] += count * times
            going = later
        return ended
