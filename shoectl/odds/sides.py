"""Side wagers: what a paytable pays, times how often each of its lines happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction

from shoectl.games.house import House
from shoectl.games.wagers import Odds, Paytable, Paytables, paytable_of
from shoectl.odds.figures import Figures, Line
from shoectl.odds.hands import Hand, tally
from shoectl.odds.question import Calculation, NotComputed, Question

LOSE = "lose"


def gain(odds: Odds, stake: int = 1, reading: int = 0) -> Fraction:
    """What one unit of a stake gains; `reading` is that of the meter which a line pays a share of. Odds "for 1" and
    shares have the stake in them.
    """
    if odds.meter or odds.fixed:
        return Fraction(odds.payment(stake, reading), stake) - odds.for_one
    return odds.value


def reading_of(house: House, odds: Odds) -> int:
    """The reading of the meter that a line pays a share of, 0 where it pays none. Raises NotComputed without one."""
    if not odds.meter:
        return 0
    value = house[odds.meter]
    if type(value) is not int:
        raise NotComputed(f"a line pays {odds}: give its reading with --house {odds.meter}=AMOUNT")
    return value


def paid(question: Question, wager: str, table: Paytable, counts: Counter[str | None]) -> Figures:
    """The odds of a wager from the number of deals of each line; what is no line of the table loses.

    Raises NotComputed where a line pays a share of a meter whose reading the house does not say.
    """
    lines: list[Line] = []
    metered = False
    for name, odds in table.lines.items():
        metered |= bool(odds.meter) or odds.fixed
        each = gain(odds, question.stake, reading_of(question.house, odds))
        lines.append(Line(name, counts[name], counts[name] * each, str(odds)))
    lost = counts.total() - sum(line.count for line in lines)
    note = (f"for a wager of {question.stake}, in the unit of the meters",) if metered else ()
    return Figures(wager, "the wager", (*lines, Line(LOSE, lost, -lost)), told_source(table), notes=note)


def one_hand(
    tables: Paytables,
    wager: str,
    cards: tuple[int, int],
    line: Callable[[Hand, Paytable], str | None],
    meters: tuple[str, ...] = (),
) -> Calculation:
    """A wager on one hand of so many cards, of which so many of one suit are a flush, by the line that it reaches."""
    known: dict[tuple[str, ...], Counter[str | None]] = {}  # tables of the same lines are met equally often

    def find(question: Question) -> Figures:
        table = paytable_of(tables, question.house, wager)
        for odds in table.lines.values():
            reading_of(question.house, odds)  # before anything is counted
        if (names := tuple(table.lines)) not in known:
            known[names] = tally(*cards, lambda hand: line(hand, table))
        return paid(question, wager, table, known[names])

    return Calculation(wager, find, (wager, *meters))


def told_source(table: Paytable) -> str:
    """Which table it is, and on whose word."""
    return f"{table.letter}: {table.standing}, {table.source}"
