"""Keeps a simulated table going on an asyncio loop: wakes for what is due, passes bytes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_sim.table import SimulatedTable


class Pump:
    """`deliver(line, data)` gets what the devices say; `drop(line)` is told when a line hangs up, `flow(line, taking)`
    when bytes of the host are not taken any more, and when they are again.
    """

    def __init__(
        self,
        table: SimulatedTable,
        deliver: Callable[[str, bytes], None],
        drop: Callable[[str], None],
        flow: Callable[[str, bool], None] = lambda line, taking: None,
    ) -> None:
        self.table = table
        self._deliver = deliver
        self._drop = drop
        self._flow = flow
        self._stuck: set[str] = set()
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._running = False

    def start(self) -> None:
        """From now on things happen."""
        self._running = True
        self.turn()

    def receive(self, line: str, data: bytes) -> None:
        """Bytes from the host."""
        now = self._loop.time()
        self.table.clocks.advance(now)
        self.table.lines[line].receive(data, now)
        self.turn()

    def unplugged(self, line: str) -> None:
        """The host left a line on which the devices notice."""
        self.table.lines[line].unplugged(self._loop.time())
        self.turn()

    def turn(self) -> None:
        """Do what is due, send what is to be sent, and set the alarm for the next time."""
        if not self._running:
            return
        now = self._loop.time()
        self.table.advance(now)
        for name, line in self.table.lines.items():
            data = line.output(now)
            if data:
                self._deliver(name, data)
            if line.hang_up:
                line.hang_up = False
                self._drop(name)
            if line.taking is (name in self._stuck):
                self._stuck ^= {name}
                self._flow(name, line.taking)
        self._set(now)

    def stop(self) -> None:
        """No turn any more."""
        self._running = False
        if self._timer is not None:
            self._timer.cancel()

    def _set(self, now: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        due = self.table.deadline(now)
        self._timer = None if due is None else self._loop.call_at(max(due, now), self.turn)
