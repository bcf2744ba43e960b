"""The result of a calculation: how often what happens, and what it gains, as whole numbers and fractions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

Number = int | float | str


@dataclass(frozen=True)
class Line:
    """One outcome: in how many deals it happens, and what the player gains in all of them together, in stakes."""

    name: str
    count: int
    gain: Fraction | int
    pays: str = ""


@dataclass(frozen=True)
class Figures:
    """The odds of one wager, or of a whole game.

    `per` names the stake that gains are counted in; empty where nothing is staked. `error` is the standard error of
    the edge where it was estimated from random deals; None where every deal was counted. `more` holds what a game adds
    of its own, `notes` what a reader has to know.
    """

    wager: str
    per: str
    lines: tuple[Line, ...]
    source: str = ""
    strategy: str = ""
    error: float | None = None
    more: Mapping[str, Number] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """How many deals there are, or were dealt."""
        return sum(line.count for line in self.lines)

    @property
    def value(self) -> Fraction:
        """What the player gains on average, in stakes; negative as a rule."""
        return Fraction(sum((Fraction(line.gain) for line in self.lines), Fraction()), self.total)

    @property
    def edge(self) -> Fraction:
        """What the house keeps on average, as a share of the stake."""
        return -self.value

    def count(self, name: str) -> int:
        """In how many deals a line happens. Raises KeyError for a line that is not there."""
        return {line.name: line.count for line in self.lines}[name]

    def json(self) -> dict[str, object]:
        """As `shoectl odds --json` prints it."""
        return {
            "wager": self.wager,
            "per": self.per or None,
            "exact": self.error is None,
            "deals": self.total,
            "outcomes": [
                {
                    "outcome": line.name,
                    "count": line.count,
                    "probability": line.count / self.total,
                    "pays": line.pays or None,
                    "gain": float(line.gain / Fraction(self.total)),
                }
                for line in self.lines
            ],
            "value": float(self.value) if self.per else None,
            "house_edge": float(self.edge) if self.per else None,
            "house_edge_exact": str(self.edge) if self.per and self.error is None else None,
            "standard_error": self.error,
            "strategy": self.strategy or None,
            "paytable": self.source or None,
            **{name.replace(" ", "_"): value for name, value in self.more.items()},
            "notes": list(self.notes),
        }
