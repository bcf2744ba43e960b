"""Whether a task goes on: it counts its turns, and whoever watches over it waits for the next one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

LOOKS_EVERY_S: Final = 0.05


class Pulse:
    """Of one task; `wake` has it look around where it waits for something."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._turned = 0

    def beat(self) -> None:
        """The task went round once more."""
        self._turned += 1

    async def turns(self) -> None:
        """Return once the task has gone on since the call."""
        before = self._turned
        while self._turned == before:
            self._wake()
            await asyncio.sleep(LOOKS_EVERY_S)
