"""What wagers pay: odds, paytables, and the settlement of a round. Whole money units throughout, never a float."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from shoectl.errors import BadInput
from shoectl.games.house import House, Option, Standing
from shoectl.games.layout import Booking, Layout

_ODDS = re.compile(r"(\d+):(\d+)|(\d+) for 1")


@dataclass(frozen=True)
class Odds:
    """Odds "to" (`4:1`: the stake goes home as well) or, with `for_one`, "for 1" (`300 for 1`: the stake is in it)."""

    pays: int
    on: int = 1
    for_one: bool = False

    @classmethod
    def parse(cls, text: str) -> Odds:
        """Odds from `4:1` or `300 for 1`. Raises ValueError for anything else: paytables are ours, not a user's."""
        found = _ODDS.fullmatch(text)
        if found is None or found[2] == "0":
            raise ValueError(f"{text!r} is no odds: '4:1' or '300 for 1'")
        return cls(int(found[3]), for_one=True) if found[3] else cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.pays} for 1" if self.for_one else f"{self.pays}:{self.on}"

    def payment(self, stake: int) -> int:
        """What the house lays down for a stake. Raises BadInput where that is no whole number of units."""
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


def paytable_option(tables: Paytables, wager: str, meaning: str) -> Option:
    """The house option by which a table chooses the paytable of a wager; the first in the file is the default."""
    letters = tables[wager]
    first = next(iter(letters.values()))
    return Option(wager, first.letter, tuple(letters), meaning, first.source, first.standing)


def paytable_of(tables: Paytables, house: House, wager: str) -> Paytable:
    """The paytable of a wager that the house has chosen."""
    return tables[wager][house.text(wager)]


@dataclass(frozen=True)
class Settled:
    """How one wager ended: win, lose, push, forfeit or void, and what it gained its seat."""

    stake: int
    outcome: str
    net: int


Settlement = Mapping[int, Mapping[str, Settled]]


def settlement(layout: Layout) -> Settlement:
    """How each wager of each seat ended: a fold of what was collected, paid and returned."""
    booked: dict[tuple[int, str], list[Booking]] = {}
    for booking in layout.booked:
        booked.setdefault((booking.seat, booking.wager), []).append(booking)
    return {
        seat: {
            wager: Settled(stake, rows[0].how, sum(row.gain for row in rows))
            for wager, stake in wagers.items()
            if (rows := booked.get((seat, wager)))
        }
        for seat, wagers in sorted(layout.placed.items())
    }
