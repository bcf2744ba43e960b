"""A bound in real seconds on something that runs in virtual time: whatever spins there would spin for ever."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class Spins(Exception):
    """It did not end in real time."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise Spins in the block when it takes longer. For the main thread."""

    def end(*_: object) -> None:
        raise Spins(f"not finished after {seconds:.0f} real seconds")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
