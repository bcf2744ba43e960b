"""The odds of Five Card Hi-Lo: the game with its best play, the Tie Wager beside it, the Poker Bonus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Final

from shoectl.cards import STANDARD, Card
from shoectl.games.five_card_hi_lo.hands import aces, points, poker_hand, settings_of
from shoectl.games.five_card_hi_lo.money import MAIN as ANTE_AND_PLAY
from shoectl.games.five_card_hi_lo.money import PAYTABLES
from shoectl.games.wagers import Paytable, paytable_of
from shoectl.odds.figures import Figures, Line
from shoectl.odds.question import MAIN, Calculation, Progress, Question
from shoectl.odds.sides import gain, one_hand, paid, told_source

WIN, TIE, LOSE, FOLD = "win", "tie", "lose", "fold"
BONUS: Final = {3: "three aces", 4: "four aces"}
STRATEGY: Final = "best play: the setting that is worth most against every hand of the dealer; fold where that is less"
Totals = tuple[int, int]  # points of the high and of the low hand


@dataclass(frozen=True)
class Kind:
    """Hands of five cards that count alike: how many cards of each value, a hand that stands for them, the ways to set
    it (the dealer's first), and how many there are.
    """

    values: tuple[int, ...]  # a number for each of the ten values
    hand: tuple[Card, ...]
    settings: tuple[Totals, ...]
    count: int


@dataclass(frozen=True)
class Choice:
    """What a kind of hand does best, against all hands of the dealer: fold (None), or be set with these totals."""

    kind: Kind
    set: Totals | None
    outcomes: Counter[str]
    one_equal: int
    both_equal: int


def main(question: Question) -> Figures:
    """Ante, Play and Ante Bonus with the best play, in Antes."""
    house = question.house
    table, bonus = ANTE_AND_PLAY, paytable_of(PAYTABLES, house, "ante_bonus")
    on_fold = house.flag("ante_bonus_on_fold")
    counts: Counter[tuple[str, int]] = Counter()
    for choice in best_choices(*_money(table, bonus, on_fold), question.progress):
        for outcome, count in choice.outcomes.items():
            counts[outcome, aces(choice.kind.hand)] += count * choice.kind.count
    extra = {number: gain(bonus.odds(line)) for number, line in BONUS.items()}
    each = {WIN: 2 * gain(table.odds("win")), TIE: Fraction(0), LOSE: Fraction(-2), FOLD: Fraction(-1)}
    lines = []
    for outcome in (WIN, TIE, LOSE, FOLD):
        with_aces = sum(counts[outcome, number] for number in BONUS)
        total = sum(count for (name, _), count in counts.items() if name == outcome)
        lines.append(Line(outcome, total - with_aces, each[outcome] * (total - with_aces)))
        for number, line in BONUS.items():
            count = counts[outcome, number]
            if count:
                more = extra[number] if outcome != FOLD or on_fold else Fraction(0)
                pays = str(bonus.odds(line)) if more else ""
                lines.append(Line(f"{outcome}, {line}", count, (each[outcome] + more) * count, pays))
    figures = Figures(MAIN, "the Ante", tuple(lines), told_source(table), STRATEGY)
    folded = sum(line.count for line in lines if line.name.startswith(FOLD))
    staked = Fraction(2 * figures.total - folded, figures.total)
    more_figures = {"average wager": float(staked), "element of risk": float(figures.edge / staked)}
    note = f"the Ante Bonus is in it ({told_source(bonus)})"
    return Figures(MAIN, "the Ante", tuple(lines), told_source(table), STRATEGY, more=more_figures, notes=(note,))


def tie(question: Question) -> Figures:
    """The Tie Wager of a player who plays Ante and Play best and does not let it change his play."""
    house = question.house
    table, bonus = ANTE_AND_PLAY, paytable_of(PAYTABLES, house, "ante_bonus")
    counts: Counter[str | None] = Counter()
    for choice in best_choices(*_money(table, bonus, house.flag("ante_bonus_on_fold")), question.progress):
        total, times = choice.outcomes.total(), choice.kind.count
        counts["one hand equal"] += choice.one_equal * times
        counts["both hands equal"] += choice.both_equal * times
        counts[None] += (total - choice.one_equal - choice.both_equal) * times
    found = paid(question, "tie", paytable_of(PAYTABLES, house, "tie"), counts)
    note = "with the best play of Ante and Play; it loses where the player folds, § 663a.11(b)(1)"
    return Figures("tie", found.per, found.lines, found.source, notes=(note,))


def _money(table: Paytable, bonus: Paytable, on_fold: bool) -> tuple[Fraction, tuple[Fraction, ...]]:
    """What a win gains, in Antes, and what three and four aces gain only those who play."""
    return 2 * gain(table.odds("win")), tuple(
        Fraction() if on_fold else gain(bonus.odds(one)) for one in BONUS.values()
    )


_KNOWN: dict[tuple[Fraction, tuple[Fraction, ...]], tuple[Choice, ...]] = {}  # the Tie Wager asks what main has asked


def best_choices(win: Fraction, aces_gain: tuple[Fraction, ...], progress: Progress) -> tuple[Choice, ...]:
    """What each kind of hand does best; `aces_gain`: what three and four aces add where it is played."""
    if (win, aces_gain) in _KNOWN:
        return _KNOWN[win, aces_gain]
    known = tuple(kinds())
    dealers = [
        (kind.settings[0], tuple(6 * at + held for at, held in enumerate(kind.values) if held)) for kind in known
    ]
    found = []
    for number, kind in enumerate(known):
        ways = [comb(left, held) for left in _left(kind.values) for held in range(6)]
        against: Counter[Totals] = Counter()
        for totals, places in dealers:
            against[totals] += prod([ways[place] for place in places])
        extra = dict(zip(BONUS, aces_gain, strict=True)).get(aces(kind.hand), Fraction())
        found.append(_choose(kind, against, win, extra))
        progress(number + 1, len(known))
    _KNOWN[win, aces_gain] = tuple(found)
    return _KNOWN[win, aces_gain]


def _choose(kind: Kind, against: Counter[Totals], win: Fraction, extra: Fraction) -> Choice:
    total = against.total()
    best = Choice(kind, None, Counter({FOLD: total}), 0, 0)
    worth = Fraction(-total)
    for high, low in kind.settings:
        outcomes: Counter[str] = Counter()
        one = both = 0
        for (dealer_high, dealer_low), count in against.items():
            higher, lower = high > dealer_high, low < dealer_low
            outcomes[WIN if higher and lower else TIE if higher or lower else LOSE] += count
            equal = (high == dealer_high) + (low == dealer_low)
            one += count if equal == 1 else 0
            both += count if equal == 2 else 0
        value = outcomes[WIN] * win - 2 * outcomes[LOSE] + extra * total
        if value >= worth:
            best, worth = Choice(kind, (high, low), outcomes, one, both), value
    return best


def _cards_by_value() -> tuple[tuple[Card, ...], ...]:
    values = sorted({points(card) for card in STANDARD})
    return tuple(tuple(card for card in STANDARD if points(card) == value) for value in values)


_BY_VALUE: Final = _cards_by_value()


def _left(values: tuple[int, ...]) -> Iterator[int]:
    """How many cards of each value are left beside these."""
    return (len(cards) - held for cards, held in zip(_BY_VALUE, values, strict=True))


def kinds() -> Iterator[Kind]:
    """All hands of five cards by their values: each kind once."""
    for chosen in combinations_with_replacement(range(len(_BY_VALUE)), 5):
        values = tuple(chosen.count(at) for at in range(len(_BY_VALUE)))
        count = prod(comb(len(cards), held) for cards, held in zip(_BY_VALUE, values, strict=True))
        if count:
            hand = tuple(card for cards, held in zip(_BY_VALUE, values, strict=True) for card in cards[:held])
            yield Kind(values, hand, tuple(two.totals for two in settings_of(hand)), count)


ODDS: Final = (
    Calculation(MAIN, main, ("ante_bonus", "ante_bonus_on_fold"), quick=False),
    Calculation("tie", tie, ("tie",), quick=False),
    one_hand(PAYTABLES, "poker_bonus", (5, 5), lambda hand, table: table.line_of(poker_hand(hand))),
)
