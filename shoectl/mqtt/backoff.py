"""When to try again: how long to wait after a lost connection, and when to give up a name that another client uses."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Backoff:
    """Waits that double from `first` to `most` seconds, each shortened by up to a half at random.

    Many tables lose one broker at the same moment: the share that is left to chance keeps them from coming back at one.
    A connection begins anew only if it stood for `steady` seconds; one that is thrown out at once goes on waiting.
    """

    first: float = 1.0
    most: float = 60.0
    steady: float = 30.0
    chance: Callable[[], float] = field(default_factory=lambda: random.SystemRandom().random)
    _next: float = 0.0

    def after(self, stood: float) -> float:
        """Seconds to wait after a connection that stood for so many (0: none came about)."""
        if stood >= self.steady or not self._next:
            self._next = self.first
        wait, self._next = self._next, min(self._next * 2, self.most)
        return wait * (1 - self.chance() / 2)


@dataclass
class Takeovers:
    """How often another client took our name, of late: after `most` within `window` seconds one of the two stops."""

    most: int = 3
    window: float = 600.0
    _times: deque[float] = field(default_factory=deque)

    def another(self, now: float) -> bool:
        """It happened again; whether that is enough. `now`: seconds of a clock that never jumps."""
        self._times.append(now)
        while now - self._times[0] > self.window:
            self._times.popleft()
        return self.enough

    @property
    def enough(self) -> bool:
        """Whether it happened so often."""
        return len(self._times) >= self.most
