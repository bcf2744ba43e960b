"""The two clocks that an entry carries."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

EARLIEST_US = 1_735_689_600_000_000  # 2025-01-01: no table was dealt by this program before; such a clock is not set
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
