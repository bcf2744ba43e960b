"""A machine whose wall clock somebody sets: for programs of this project that run as processes, unchanged.

`SetClock(folder)` makes a folder with a `sitecustomize` for `PYTHONPATH`: each Python that starts with it, children
too, asks a file by how much its wall clock is wrong. Steady clocks are the kernel's, as on a real machine. What C code
asks the kernel by itself (the dates of TLS certificates, the times of files) is not set.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
NAME: Final = "TEST_WALL_CLOCK"
SITE: Final = "from tests.fieldcases import wall_clock\nwall_clock.take_over()\n"


class SetClock:
    """The clock of a test's processes. `by`: how many seconds it is ahead of the right time."""

    def __init__(self, folder: Path) -> None:
        self._home = folder / "clock"
        self._home.mkdir()
        (self._home / "sitecustomize.py").write_text(SITE)
        self.by = 0.0
        self.set(0.0)

    def set(self, by: float) -> None:
        """Set it."""
        fresh = self._home / "fresh"
        fresh.write_text(str(by))
        fresh.replace(self._home / "by")  # never half of it
        self.by = by

    def now(self) -> float:
        """What it says."""
        return time.time() + self.by

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """An environment with this clock."""
        return {**given, NAME: str(self._home / "by"), "PYTHONPATH": f"{self._home}{os.pathsep}{ROOT}"}


def take_over() -> None:
    """Give this process the wall clock that the environment names."""
    by, right, right_ns = Path(os.environ[NAME]), time.time, time.time_ns
    of_clock, of_clock_ns = time.clock_gettime, time.clock_gettime_ns

    def ahead_ns() -> int:
        return round(float(by.read_text()) * 1e9)

    def wall(clock: int) -> bool:
        return clock == time.CLOCK_REALTIME

    def now() -> float:
        return right() + ahead_ns() / 1e9

    changed: dict[str, Any] = {
        "time": now,
        "time_ns": lambda: right_ns() + ahead_ns(),
        "clock_gettime": lambda clock: of_clock(clock) + (ahead_ns() / 1e9 if wall(clock) else 0.0),
        "clock_gettime_ns": lambda clock: of_clock_ns(clock) + (ahead_ns() if wall(clock) else 0),
    }
    for name, function in changed.items():
        setattr(time, name, function)
