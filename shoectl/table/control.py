"""The control socket of a simulated table, as people use it: hands that move, eyes that look.

A movement carries an id, and the same id moves once; so whatever becomes of the connection, the same line is simply
written again, on a new one, until it was answered.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

Order = Mapping[str, Any]
Reply = Mapping[str, Any]
Ask = Callable[[Order], Awaitable[Reply]]

BACK_OFF_S = (0.05, 2.0)  # between two tries of a socket that nobody listens at: first, most
LONGEST_LINE = 1 << 20


class ControlSocket:
    """Writes one line and waits for its answer; a movement's comes when it is finished, so each has its connection."""

    def __init__(self, path: Path) -> None:
        self.path = path

    async def __call__(self, order: Order) -> Reply:
        """The answer to one order. Waits for a simulator that is not there, for ever."""
        pause, most = BACK_OFF_S
        while True:
            try:
                return await self._once(order)
            except (OSError, EOFError, ValueError):
                await asyncio.sleep(pause)
                pause = min(2 * pause, most)

    async def _once(self, order: Order) -> Reply:
        reader, writer = await asyncio.open_unix_connection(self.path, limit=LONGEST_LINE)
        try:
            writer.write(json.dumps(order).encode() + b"\n")
            await writer.drain()
            line = await reader.readline()
        finally:
            writer.close()
        if not line.endswith(b"\n"):
            raise EOFError(f"{self.path}: the simulator went away")
        reply = json.loads(line)
        if not isinstance(reply, dict):
            raise ValueError(f"{self.path}: no answer is {reply!r}")
        return reply
