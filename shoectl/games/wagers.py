"""What wagers pay, from one place: odds, paytables, and the settlement of a round. Whole money units, never a float."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from shoectl.games.layout import Booking, Layout
from shoectl.games.own_paytables import paytable_of, paytable_option
from shoectl.games.paytables import PUSH, Odds, Paytable, Paytables, load_paytables

__all__ = [  # with odds and paytables, so that a game has one place to import from
    "PUSH", "Odds", "Paytable", "Paytables", "Settled", "Settlement", "load_paytables", "paytable_of",
    "paytable_option", "settlement",
]  # fmt: skip


@dataclass(frozen=True)
class Settled:
    """How one wager ended: win, lose, push, forfeit or void, and what it gained its seat."""

    stake: int
    outcome: str
    net: int


Settlement = Mapping[int, Mapping[str, Settled]]


def settlement(layout: Layout) -> Settlement:
    """How each wager of each seat ended: a fold of what was collected, paid and returned. A bonus that was paid without
    a wager of its own follows the wagers, with no stake.
    """
    booked: dict[tuple[int, str], list[Booking]] = {}
    for booking in layout.booked:
        booked.setdefault((booking.seat, booking.wager), []).append(booking)
    return {
        seat: {
            wager: Settled(stake, rows[0].how, sum(row.gain for row in rows))
            for wager, stake in (wagers | _bonuses(seat, wagers, booked)).items()
            if (rows := booked.get((seat, wager)))
        }
        for seat, wagers in sorted(layout.placed.items())
    }


def _bonuses(seat: int, wagers: Mapping[str, int], booked: Iterable[tuple[int, str]]) -> dict[str, int]:
    return {wager: 0 for whose, wager in booked if whose == seat and wager not in wagers}
