"""What the link of a place has counted since the program started, over all its connections."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

from protocols.errors import ErrorKind
from shoectl.devices.driver import Driver


class Counters:
    """Sums over connections. `reconnects`: how often a device took the place again after the first time."""

    def __init__(self) -> None:
        self._ended: Counter[str] = Counter()
        self._attached = 0
        self._slowest = 0.0

    @property
    def reconnects(self) -> int:
        """How often a device took the place again after the first time."""
        return max(0, self._attached - 1)

    def attached(self) -> None:
        """A device took the place."""
        self._attached += 1

    def over(self, driver: Driver) -> None:
        """A connection has ended."""
        self._ended.update(_counted(driver))
        self._slowest = max(self._slowest, driver.slowest)

    def now(self, driver: Driver | None) -> dict[str, int]:
        """All of it, with the connection that there is. Times are milliseconds, of the questions and commands sent."""
        sums = Counter(self._ended)
        last = slowest = 0.0
        if driver is not None:
            sums.update(_counted(driver))
            last, slowest = driver.took, driver.slowest
        times = {"answer_ms": round(last * 1000), "slowest_ms": round(max(slowest, self._slowest) * 1000)}
        return {**sums, "reconnects": self.reconnects, **times}


def _counted(driver: Driver) -> dict[str, int]:
    return {**asdict(driver.link.counters), "bad_crc": driver.dropped[ErrorKind.CRC], "stale": driver.stale}
