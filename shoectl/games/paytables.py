"""Odds and paytables: what the lines of a wager pay, where that was found, and which table a house has chosen."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files

from shoectl.cards import RANKS, Rank
from shoectl.errors import BadInput
from shoectl.games.house import Standing
from shoectl.games.ranking import Category, Hand, rank_words

_ODDS = re.compile(r"(\d+):(\d+)|(\d+) for 1|(\d+) % of ([a-z0-9_]+)|fixed (\d+)", re.ASCII)
_PAIRS = re.compile(r"pair ([2-9TJQKA])-([2-9TJQKA])")
PUSH = "push"


@dataclass(frozen=True)
class Odds:
    """Odds "to" (`4:1`: the stake goes home as well) or, with `for_one`, "for 1" (`300 for 1`: the stake is in it).

    A line that neither wins nor loses is `push`: nothing is paid, the stake goes home. One that names a `meter` pays
    so many per cent of its reading, the stake in it; a `fixed` one pays an amount, whatever was staked.
    """

    pays: int
    on: int = 1
    for_one: bool = False
    meter: str = ""
    fixed: bool = False

    @classmethod
    def parse(cls, text: str) -> Odds:
        """Odds from `4:1`, `300 for 1`, `push`, `10 % of METER` or `fixed 5000`. Raises ValueError for another text."""
        if text == PUSH:
            return cls(0)
        found = _ODDS.fullmatch(text)
        if found is None or found[2] == "0":
            raise ValueError(f"{text!r} is no odds: '4:1' or '300 for 1'")
        to, on, for_one, share, meter, fixed = found.groups()
        if share:
            return cls(int(share), 100, for_one=True, meter=meter)
        if fixed:
            return cls(int(fixed), fixed=True)
        return cls(int(for_one), for_one=True) if for_one else cls(int(to), int(on))

    @property
    def push(self) -> bool:
        """Whether the stake goes home and nothing is paid."""
        return self.pays == 0 and not self.for_one

    @property
    def value(self) -> Fraction:
        """What one unit of stake gains; of a share the part of the meter, of a fixed amount that amount."""
        return Fraction(self.pays, self.on) - (self.for_one and not self.meter)

    def __str__(self) -> str:
        if self.push:
            return PUSH
        if self.meter:
            return f"{self.pays} % of {self.meter}"
        if self.fixed:
            return f"fixed {self.pays}"
        return f"{self.pays} for 1" if self.for_one else f"{self.pays}:{self.on}"

    def payment(self, stake: int, reading: int = 0) -> int:
        """What the house lays down for a stake, or of a meter's reading, rounded down. Raises BadInput where odds on a
        stake are no whole number of units.
        """
        if self.meter:
            return reading * self.pays // self.on
        if self.fixed:
            return self.pays
        whole, rest = divmod(stake * self.pays, self.on)
        if rest:
            raise BadInput(f"{self} on {stake} is no whole amount: the stake must be a multiple of {self.on}")
        return whole


@dataclass(frozen=True)
class Paytable:
    """One table of one wager: what each line pays, best line first, and where that was found."""

    wager: str
    letter: str
    lines: Mapping[str, Odds]
    source: str
    standing: Standing

    def odds(self, line: str) -> Odds:
        """What a line pays. Raises KeyError for a line that is not in the table."""
        return self.lines[line]

    def line_of(self, hand: Hand) -> str | None:
        """The line that a hand reaches, or None. Where pairs have no line of their own they go by their rank: by
        `pair 6-10` or `pair of aces`.
        """
        if str(hand.category) in self.lines:
            return str(hand.category)
        if hand.category is not Category.PAIR:
            return None
        return next((line for line in self.lines if hand.core[0].rank in _ranks_of_pairs(line)), None)


@cache
def _ranks_of_pairs(line: str) -> frozenset[Rank]:
    """The ranks of the pairs that a line is about."""
    if found := _PAIRS.fullmatch(line.replace("10", "T")):
        lowest, highest = (RANKS.index(letter) + 2 for letter in found.groups())
        return frozenset(map(Rank, range(lowest, highest + 1)))
    return frozenset(rank for rank in Rank if line == f"pair of {rank_words(rank)}")


Paytables = Mapping[str, Mapping[str, Paytable]]


@cache
def load_paytables(package: str) -> Paytables:
    """The paytables of a game from the `paytables.toml` of its folder: by wager, then by letter."""
    tables = tomllib.loads(files(package).joinpath("paytables.toml").read_text(encoding="utf-8"))
    return {
        wager: {
            letter: Paytable(
                wager,
                letter,
                {line: Odds.parse(odds) for line, odds in table["lines"].items()},
                table["source"],
                Standing(table["standing"]),
            )
            for letter, table in letters.items()
        }
        for wager, letters in tables.items()
    }
