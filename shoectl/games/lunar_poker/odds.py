"""The odds of Lunar Poker: Super Wager, instant payout, how often the dealer qualifies."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb
from typing import Final

from shoectl.cards import Card, Suit
from shoectl.games.lunar_poker import odds_best_play
from shoectl.games.lunar_poker.hands import LADDER, QUALIFIES, instant_line, super_line
from shoectl.games.lunar_poker.money import PAYTABLES, SUPER
from shoectl.games.wagers import paytable_of
from shoectl.odds.figures import Figures, Line
from shoectl.odds.hands import Hand, groups, tally
from shoectl.odds.question import MAIN, Calculation, Question
from shoectl.odds.sides import gain, paid, told_source

_BLACK: Final = (Suit.SPADES, Suit.CLUBS)


def super_wager(question: Question) -> Figures:
    """The Super Wager on any hand of five cards, § 671a.12(b)."""
    policy = question.house.text("super_sf_policy")
    counts: Counter[str | None] = Counter()
    for hand, count in groups(5, 5):
        one_colour = _one_colour(hand)
        if one_colour:
            alike = tuple(Card(card.rank, _BLACK[at % 2]) for at, card in enumerate(hand))
            counts[super_line(alike, policy)] += one_colour
        counts[super_line(hand, policy)] += count - one_colour
    return paid(question, "super", SUPER, counts)


def _one_colour(hand: Hand) -> int:
    """How many hands of the group that a hand stands for are of one colour, without being of one suit."""
    times = Counter(card.rank for card in hand)
    if len({card.suit for card in hand}) == 1 or max(times.values()) > 2:
        return 0
    ways: int = 2 ** sum(one == 1 for one in times.values())
    return 2 * (ways - 2) if len(times) == 5 else 2 * ways


def instant_payout(question: Question) -> Figures:
    """What the instant payout adds to each Ante, § 671a.12(a): it is no wager of its own, and most hands have none."""
    table = paytable_of(PAYTABLES, question.house, "instant_payout")
    counts = tally(5, 5, instant_line)
    lines = [Line(line, counts[line], counts[line] * gain(odds), str(odds)) for line, odds in table.lines.items()]
    return Figures(
        "instant_payout",
        "the Ante",
        (*lines, Line("none", counts[None], 0)),
        told_source(table),
        notes=("a part of the whole game: it costs no stake, so its edge is a gain of the player",),
    )


def qualifies(question: Question) -> Figures:
    """How often the dealer qualifies, § 671a.11(f): with ace-king or better."""

    def category(hand: Hand) -> str:
        order = LADDER.order(hand)
        return str(LADDER.category(order)) if order >= QUALIFIES else "does not qualify"

    counts = tally(5, 5, category)
    order = (*map(str, reversed(LADDER.categories)), "does not qualify")
    lines = tuple(Line(name, counts[name], 0) for name in order if counts[name])
    yes = comb(52, 5) - counts["does not qualify"]
    return Figures(
        "qualify",
        "",
        lines,
        more={"qualifies": yes, "probability qualifies": float(Fraction(yes, comb(52, 5)))},
        notes=("no wager: the dealer's hand before any card is known",),
    )


ODDS: Final = (
    Calculation(MAIN, odds_best_play.main, ("instant_payout",), quick=False, strategies=odds_best_play.STRATEGIES),
    Calculation("super", super_wager, ("super_sf_policy",)),
    Calculation("instant_payout", instant_payout, ("instant_payout",), part=True),
    Calculation("qualify", qualifies),
)
