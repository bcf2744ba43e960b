"""Whether something stops the loop, measured on a machine that others use too."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator

BLOCKED_S = 0.050
"""The longest that the loop may be stopped (field case 17)."""


class Probe:
    """How late the loop was at most, and how late this machine had any thread at the same time."""

    def __init__(self) -> None:
        self.loop = 0.0
        self.machine = 0.0
        self._over = threading.Event()

    @property
    def blocked(self) -> float:
        """Seconds for which the loop itself was stopped."""
        return self.loop - 2 * self.machine

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[Probe]:
        thread = threading.Thread(target=self._watch_machine)
        thread.start()
        task = asyncio.create_task(self._watch_loop())
        try:
            yield self
        finally:
            task.cancel()
            self._over.set()
            await asyncio.to_thread(thread.join)

    async def _watch_loop(self) -> None:
        while True:
            due = time.monotonic() + 0.002
            await asyncio.sleep(0.002)
            self.loop = max(self.loop, time.monotonic() - due)

    def _watch_machine(self) -> None:
        while not self._over.is_set():
            due = time.monotonic() + 0.002
            time.sleep(0.002)
            self.machine = max(self.machine, time.monotonic() - due)
