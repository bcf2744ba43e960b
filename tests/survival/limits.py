"""A bound in seconds of processor time on what runs in virtual time: whatever spins there would spin for ever.

The processor's and not the wall's: how much else a machine has to do is nothing that a test should say.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class Spins(Exception):
    """It did not end in time."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise Spins in the block when it takes longer. For the main thread."""

    def end(*_: object) -> None:
        raise Spins(f"not finished after {seconds:.0f} s of processor time")

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
