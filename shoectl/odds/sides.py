"""Side wagers: what a paytable pays, times how often each of its lines happens."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from shoectl.games.wagers import Odds, Paytable
from shoectl.odds.figures import Figures, Line

LOSE = "lose"


def gain(odds: Odds) -> Fraction:
    """What one unit of stake gains: odds "for 1" have the stake in them."""
    return Fraction(odds.pays, odds.on) - (1 if odds.for_one else 0)


def paid(wager: str, table: Paytable, counts: Counter[str | None], per: str = "the wager") -> Figures:
    """The odds of a wager from the number of deals of each line; what is no line of the table loses."""
    lines = [Line(line, counts[line], counts[line] * gain(odds), str(odds)) for line, odds in table.lines.items()]
    lost = counts.total() - sum(line.count for line in lines)
    return Figures(wager, per, (*lines, Line(LOSE, lost, -lost)), told_source(table))


def told_source(table: Paytable) -> str:
    """Which table it is, and on whose word."""
    return f"{table.letter}: {table.standing}, {table.source}"
