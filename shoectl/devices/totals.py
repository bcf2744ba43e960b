"""What a device says it holds and has counted: the other side of the account that the journal keeps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from protocols.family import Family, Verb
from protocols.vocabulary import FIRST_FAULT

DRAWN = "drawn"  # the one zone whose cards have left the device
TRIES = 5


@dataclass(frozen=True)
class Meters:
    """Counters that a device never sets back inside an epoch (common.md §13); each wraps at 2³²."""

    cycles_ok: int
    cycles_bad: int
    cards: int
    jams: int
    crc_errors: int
    resends: int
    link_resets: int


@dataclass(frozen=True)
class Totals:
    """The totals of a device in one moment: they are true after its event `newest` and before the next one.

    `zones`: cards by zone, in the family's order (Alder: infeed, path, rack, output; Birch: shoe, mouth, drawn).
    `cycle`: the number of its last cycle or loading. `oldest`, `newest`: where its event ring stands; nothing is in it
    where `oldest` is above `newest`. `faults`: the codes of open faults, ascending. `lease`: draws that the gate is
    still open for, None for a family without a gate; `hold`: the oldest draw that nobody could read, 0 for none.
    """

    state: str
    zones: Mapping[str, int]
    cycle: int
    oldest: int
    newest: int
    faults: tuple[int, ...]
    lease: int | None
    hold: int
    meters: Meters

    @property
    def inside(self) -> int:
        """Cards in the device, wherever they are."""
        return sum(count for zone, count in self.zones.items() if zone != DRAWN)

    @property
    def drawn(self) -> int | None:
        """Cards drawn since loading; None for a device from which none is drawn."""
        return self.zones.get(DRAWN)

    @classmethod
    def of(cls, family: Family, status: Mapping[str, Any], meters: Mapping[str, Any]) -> Totals:
        """From the bodies of a STATUS and a METERS answer, and of a RESUME where STATUS does not tell of the ring.

        A zone that the family's STATUS does not count is left out.
        """
        mask, oldest = status.get("fault_mask", 0), status.get("fault", 0)
        faults = [FIRST_FAULT + bit for bit in range(32) if mask >> bit & 1] or [oldest][: oldest > 0]
        return cls(
            state=family.states.get(status["state"], f"state {status['state']}"),
            zones={zone: status[zone] for zone in family.zones if zone in status},
            cycle=status.get("cycle", 0),
            oldest=status["oldest"],
            newest=status["newest"],
            faults=tuple(faults),
            lease=status.get("lease"),
            hold=status.get("hold_idx", 0),
            meters=Meters(**meters),
        )


async def take_totals(family: Family, told: Callable[[Verb], Awaitable[Mapping[str, Any]]]) -> Totals:
    """The totals in one moment; `told` asks the device.

    While cards move it is asked until nothing has changed between two answers, and at most five times: the last answer
    is true for its `newest` all the same, only its meters may be ahead.
    """
    before = await told(Verb.STATUS)
    for _ in range(TRIES):
        meters = await told(Verb.METERS)
        status, old = await told(Verb.STATUS), before
        if status == old:
            break
        before = status
    if "newest" not in status:
        status = {**await told(Verb.RESUME), **status}
    return Totals.of(family, status, meters)
