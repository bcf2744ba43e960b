"""The entry by which a floorperson ends a round that is not played on, and what it leaves of the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from shoectl.games.layout import Booking, Layout, Racked, Slot
from shoectl.games.steps import RACK
from shoectl.journal import Entry
from shoectl.table.evidence import Json


@dataclass(frozen=True)
class Voided:
    """`void`: a floorperson ended the round that is open, because nobody can or shall play it on.

    What was played of it is not asked again. The table goes on from what is told here, under the rules of `versions`:
    its `state`, the `wagers` (seat, name, amount) and `cards` (how many at which place) that still lie there, how many
    cards have come to the rack, and what was `booked` before, which stays.
    """

    kind: ClassVar[str] = "void"
    round: int
    by: str
    why: str
    versions: Mapping[str, str]
    state: Json
    wagers: tuple[tuple[int, str, int], ...] = ()
    cards: Mapping[str, int] = field(default_factory=dict)
    racked: int = 0
    booked: tuple[Booking, ...] = ()

    @property
    def text(self) -> str:
        """By whom and why, in words."""
        return void_text(self.by, self.why)

    def layout(self) -> Layout:
        """The table as it is then: nobody's cards are known any more."""
        wagers: dict[int, dict[str, int]] = {}
        for seat, wager, amount in self.wagers:
            wagers.setdefault(seat, {})[wager] = amount
        return Layout(
            places={place: [Slot(None) for _ in range(count)] for place, count in self.cards.items()},
            wagers=wagers,
            placed={seat: dict(placed) for seat, placed in wagers.items()},
            rack=[Racked(RACK, (None,) * self.racked)] if self.racked else [],
            booked=list(self.booked),
            void=self.text,
        )

    def to_json(self) -> Json:
        """Its body."""
        return asdict(self)

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Voided:
        """The void of an entry."""
        wagers = tuple((int(seat), str(wager), int(amount)) for seat, wager, amount in body["wagers"])
        booked = tuple(Booking(**one) for one in body["booked"])
        return cls(**{**body, "wagers": wagers, "booked": booked})


def void_text(by: str, why: str) -> str:
    """By whom a round was voided and why, in words."""
    return f"voided by {by}" + (f": {why}" if why else "")


def voided_at(entries: Iterable[Entry]) -> int:
    """The entry by which the round of these entries was voided, the last one where there are several; 0 for none."""
    return max((entry.n for entry in entries if entry.kind == Voided.kind), default=0)
