"""The host's end of any transport, and what a process has open."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable

from protocols.piece import Tail, pieces
from shoectl.transports import Transport, TransportError, open_transport
from tests.transports.ends import End


async def until(condition: Callable[[], object], within: float = 5.0, every: float = 0.002) -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + within
    while not condition():
        assert loop.time() < end, "waited in vain"
        await asyncio.sleep(every)


class Host:
    def __init__(self, url: str) -> None:
        self.transport: Transport = open_transport(url)
        self.heard = bytearray()
        self.losses: list[Exception | None] = []
        self.lost_at = 0.0

    async def open(self) -> Host:
        await self.transport.open(self.heard.extend, self._lost)
        return self

    def _lost(self, reason: Exception | None) -> None:
        self.losses.append(reason)
        self.lost_at = asyncio.get_running_loop().time()

    async def loses(self) -> Exception | None:
        await until(lambda: self.losses)
        return self.losses[0]


def tails(host: Host, ep: int = 0x81) -> list[Tail]:
    """How the transfers of an endpoint went on, of a device that is heard in pieces."""
    return [piece.tail for piece in pieces(host.heard) if piece.ep == ep]


async def reopened(end: End, within: float = 3.0) -> Host:
    """Try until it opens, as a station does. Every refusal is one line."""
    loop = asyncio.get_running_loop()
    limit, host, refused = loop.time() + within, Host(end.url), ""
    while loop.time() < limit:
        try:
            return await host.open()
        except TransportError as error:
            refused = str(error)
        await host.transport.close()
        await asyncio.sleep(0.02)
        host = Host(end.url)
    raise AssertionError(f"does not come back: {refused}")


def open_things() -> tuple[int, int]:
    """Descriptors and threads."""
    return len(os.listdir("/proc/self/fd")), threading.active_count()
