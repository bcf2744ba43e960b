"""A pair of pipes in memory, for tests: what one end writes the other receives."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable

from shoectl.transports.base import Lost, Received, Transport, TransportError

Tamper = Callable[[bytes], Iterable[bytes]]


def _as_it_is(data: bytes) -> Iterable[bytes]:
    return (data,)


class MemoryTransport(Transport):
    """One end of a pair. `delay` in seconds holds back what it sends, `tamper` may change, cut or drop it."""

    def __init__(self, delay: float = 0.0, tamper: Tamper = _as_it_is) -> None:
        self.delay = delay
        self.tamper = tamper
        self.refusal: TransportError | None = None  # set: the next opening fails with it
        self.is_open = False
        self._peer: MemoryTransport | None = None
        self._on_the_way: deque[bytes] = deque()

    async def open(self, received: Received, lost: Lost) -> None:
        """Open this end; bytes that come before the other end is open are lost, as on a wire."""
        if self.refusal is not None:
            raise self.refusal
        self._received, self._lost = received, lost
        self.is_open = True

    def write(self, data: bytes) -> None:
        """Send to the other end, in order."""
        if not self.is_open or self._peer is None:
            return
        for piece in self.tamper(data):
            self._on_the_way.append(piece)  # timers of one moment do not fire in order; the queue keeps it
            asyncio.get_running_loop().call_later(self.delay, self._arrive)

    async def close(self) -> None:
        """Close this end; the other one notices nothing, as on a serial line."""
        self.is_open = False

    def cut(self, reason: Exception | None = None) -> None:
        """Pull the plug at this end: it is lost."""
        if self.is_open:
            self.is_open = False
            self._lost(reason)

    def _arrive(self) -> None:
        piece = self._on_the_way.popleft()
        if self._peer is not None:
            self._peer._take(piece)

    def _take(self, data: bytes) -> None:
        if self.is_open and data:
            self._received(data)


def pair(delay: float = 0.0) -> tuple[MemoryTransport, MemoryTransport]:
    """Two ends of one pipe."""
    one, other = MemoryTransport(delay), MemoryTransport(delay)
    one._peer, other._peer = other, one
    return one, other
