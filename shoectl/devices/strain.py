"""A line that gets worse tells it in its counters, minutes before the first command fails."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from protocols.link import LinkCounters
from shoectl.devices.driver import Driver

LOOK_EVERY_S = 5.0
WINDOW_S = 60.0
LEAST = 4  # fewer may be one motor that started
SHARE = (
    0.01  # of all frames: with one in a hundred broken, a command that may be tried three times fails once in a million
)
WELL_AGAIN = 0.5  # of both limits, so that a line at the limit is not called good and bad in turn


class Strain:
    """How many frames were broken or had to be repeated in the last WINDOW_S, and whether that is too much."""

    def __init__(self) -> None:
        self._looks: deque[tuple[float, int, int]] = deque()
        self.trouble = 0
        self.frames = 0
        self.strained = False

    def look(self, counters: LinkCounters, now: float) -> bool:
        """Take the counters as they are now; whether the line is strained."""
        trouble = counters.resends + counters.repeats + counters.dropped
        frames = counters.frames_in + counters.frames_out
        self._looks.append((now, trouble, frames))
        while len(self._looks) > 1 and self._looks[1][0] <= now - WINDOW_S:
            self._looks.popleft()
        _, before, frames_before = self._looks[0]
        self.trouble, self.frames = trouble - before, frames - frames_before
        limit = WELL_AGAIN if self.strained else 1.0
        self.strained = self.trouble >= limit * LEAST and self.trouble >= limit * SHARE * self.frames
        return self.strained


class LineWatch:
    """Looks at the line of one session every LOOK_EVERY_S; `changed` is called when it became bad, or good again.

    `text` says what is wrong, for people; it is empty while nothing is.
    """

    def __init__(self, driver: Driver, changed: Callable[[], None]) -> None:
        self.text = ""
        self._driver, self._changed = driver, changed
        self._strain = Strain()
        self._loop = asyncio.get_running_loop()
        self._strain.look(driver.link.counters, self._loop.time())
        self._timer = self._loop.call_later(LOOK_EVERY_S, self._look)

    def end(self) -> None:
        """The session is over."""
        self._timer.cancel()

    def _look(self) -> None:
        self._timer = self._loop.call_later(LOOK_EVERY_S, self._look)
        before, strain = bool(self.text), self._strain
        if strain.look(self._driver.link.counters, self._loop.time()) is not before:
            good = max(0, strain.frames - strain.trouble)
            self.text = f"{strain.trouble} frames broken or repeated beside {good} good ones in the last minute"
            if not strain.strained:
                self.text = ""
            self._changed()
