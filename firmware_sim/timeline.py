"""Things that are due, in order, on one clock. The simulator has two: movements follow `--speed`, the line does not."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

Action = Callable[[], None]


class Timer:
    """Something due at `when` (seconds on its timeline); cancelled, it never happens."""

    __slots__ = ("action", "when")

    def __init__(self, when: float, action: Action) -> None:
        self.when = when
        self.action: Action | None = action

    def cancel(self) -> None:
        """Make it not happen. Harmless when it has happened."""
        self.action = None


class Timeline:
    """A clock that only moves when told to, and what is due on it. Times are seconds."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now
        self._due: list[tuple[float, int, Timer]] = []
        self._order = count()

    def after(self, delay: float, action: Action) -> Timer:
        """Have `action` called `delay` seconds from now; equal times keep the order of asking."""
        timer = Timer(self.now + max(delay, 0.0), action)
        heapq.heappush(self._due, (timer.when, next(self._order), timer))
        return timer

    def due(self) -> float | None:
        """When the next thing is due, None when nothing is."""
        while self._due and self._due[0][2].action is None:
            heapq.heappop(self._due)
        return self._due[0][0] if self._due else None

    def step(self) -> bool:
        """Jump to the next due thing and let it happen. False when nothing is due."""
        when = self.due()
        if when is None:
            return False
        timer = heapq.heappop(self._due)[2]
        self.now = max(self.now, when)
        action, timer.action = timer.action, None
        if action is not None:
            action()
        return True

    def advance(self, to: float) -> None:
        """Let everything happen that is due up to `to`, then stand at `to`. Going back is ignored."""
        when = self.due()
        while when is not None and when <= to:
            self.step()
            when = self.due()
        self.now = max(self.now, to)


class Timers:
    """The timers of one thing, which a power cut stops all at once."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self._timers: list[Timer] = []

    def after(self, delay: float, action: Action) -> Timer:
        """As Timeline.after, remembered until it has happened."""
        self._timers = [timer for timer in self._timers if timer.action is not None]
        timer = self.timeline.after(delay, action)
        self._timers.append(timer)
        return timer

    def cancel(self) -> None:
        """Stop them all."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
