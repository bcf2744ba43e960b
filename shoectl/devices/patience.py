"""How long to wait before the next try, and how often to speak of it."""

from __future__ import annotations

import logging
import random
from collections import deque

FIRST_S = 0.1
MOST_S = 5.0
PLUG_MOST_S = 1.0  # for a port that is not there, or went: it may be there again at any moment, and a look costs little
JITTER = 0.2  # of the delay, both ways, so that devices behind one hub do not come all at once
STEADY_S = 10.0  # a device that stayed this long was there, and its next loss is a new one
FLAPPING_LOSSES = 4
FLAPPING_WINDOW_S = 60.0
SAY_AGAIN_S = 2.0
MOST_TEXTS = 100  # different ones that are remembered; a line that fails in more ways starts anew


class Backoff:
    """Delays in seconds that double from FIRST_S to MOST_S (or less, where it is said), with jitter."""

    def __init__(self, luck: random.Random | None = None) -> None:
        self._luck = luck or random.Random()
        self._next = FIRST_S

    def delay(self, most: float = MOST_S) -> float:
        """The delay before the next try."""
        now, self._next = min(self._next, most), min(self._next * 2, MOST_S)
        return now * self._luck.uniform(1 - JITTER, 1 + JITTER)

    def reset(self) -> None:
        """It went well: begin again with the shortest delay."""
        self._next = FIRST_S


class Losses:
    """When a device was lost, as far as it matters for calling it unsteady."""

    def __init__(self) -> None:
        self._at: deque[float] = deque()

    def add(self, now: float) -> None:
        """It was lost now."""
        self._at.append(now)

    def recent(self, now: float) -> int:
        """How often it was lost in the last FLAPPING_WINDOW_S."""
        while self._at and self._at[0] <= now - FLAPPING_WINDOW_S:
            self._at.popleft()
        return len(self._at)

    def flapping(self, now: float) -> bool:
        """Whether it comes and goes."""
        return self.recent(now) >= FLAPPING_LOSSES


class Repeated:
    """Log lines that say the same again and again: the first, then at doubling intervals, with a count."""

    def __init__(self, log: logging.Logger | logging.LoggerAdapter[logging.Logger]) -> None:
        self._log = log
        self._said: dict[str, tuple[float, float, int]] = {}  # key: when to say it again, interval, times since

    def say(self, text: str, now: float, level: int = logging.WARNING, key: str = "") -> None:
        """Log `text`, unless it was logged not long ago; texts with the same `key` count as the same."""
        key = key or text
        due, interval, times = self._said.get(key, (now, SAY_AGAIN_S / 2, 0))
        times += 1
        if now < due:
            self._said[key] = (due, interval, times)
            return
        self._log.log(level, text if times == 1 else f"{text} ({times} times since last said)")
        if len(self._said) >= MOST_TEXTS:
            self._said.clear()
        self._said[key] = (now + interval * 2, interval * 2, 0)

    def over(self) -> None:
        """What was wrong is right again: the next time is a first time."""
        self._said.clear()
