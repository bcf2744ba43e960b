"""The two clocks that an entry carries, and when the wall's is not to be believed.

Order is by number and durations are by the steady clock, so a wall clock that jumps moves nothing. That it did, or that
it cannot be right, is written down where it begins (a `note`), and shown wherever times are.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

EARLIEST_US = 1_577_836_800_000_000  # 2020-01-01, before this program: a clock that says so is not set
STEP_US = 2_000_000  # wall and steady clock drift by parts per million; two seconds are a clock that was set


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()[:8]
    except OSError:
        return "unknown"


@dataclass(frozen=True)
class Clock:
    """Wall time (µs since 1970, UTC), steady time (µs) and the id of the boot that the steady time belongs to."""

    wall: Callable[[], int] = lambda: time.time_ns() // 1000
    mono: Callable[[], int] = lambda: time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000
    boot: str = field(default_factory=_boot)


@dataclass(frozen=True)
class Moment:
    """The clocks of one entry."""

    wall: int
    mono: int
    boot: str


def doubt(now: Moment, before: Moment | None) -> str:
    """What is odd about the wall clock since the entry before (None: this is the first), in words; empty: nothing."""
    if before is not None and before.boot == now.boot:
        stepped = (now.wall - now.mono) - (before.wall - before.mono)
        return f"the wall clock was set by {stepped / 1e6:+.1f} s" if abs(stepped) > STEP_US else ""
    if now.wall < EARLIEST_US:
        return "the wall clock is not set: times are unsure until it is"
    if before is not None and now.wall < before.wall - STEP_US:
        behind = (before.wall - now.wall) / 1e6
        return f"the wall clock is {behind:.1f} s behind the entry before: times are unsure until it has caught up"
    return ""


class Times:
    """The wall times of a journal, one after the other, and which of them are unsure: of a clock that was not set, or
    earlier than a time before. `latest` is the latest before the first that is asked about.
    """

    def __init__(self, latest: int = 0) -> None:
        self._latest = latest

    def unsure(self, wall: int) -> bool:
        """Whether the next entry's is."""
        behind = wall < self._latest - STEP_US
        self._latest = max(self._latest, wall)
        return behind or wall < EARLIEST_US
