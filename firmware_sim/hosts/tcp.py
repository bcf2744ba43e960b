"""A device's line as a plain TCP connection: one host at a time, bytes as they are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

READ_AT_ONCE = 4096
WAITING_OUT = 1 << 20
"""Bytes on their way to a host that reads no more: it is hung up on."""


class TcpPort:
    """Listens on one address. A second host is turned away."""

    def __init__(self, received: Callable[[bytes], None]) -> None:
        self._received = received
        self._writer: asyncio.StreamWriter | None = None
        self._server: asyncio.Server | None = None
        self._may_take = asyncio.Event()
        self._may_take.set()

    async def listen(self, host: str, port: int) -> int:
        """Begin; the port, which was chosen where 0 was asked for. Raises OSError."""
        self._server = await asyncio.start_server(self._connected, host, port)
        return int(self._server.sockets[0].getsockname()[1])

    def write(self, data: bytes) -> None:
        """To the host, if one is there. One that reads no more is thrown out."""
        if self._writer is None:
            return
        if self._writer.transport.get_write_buffer_size() > WAITING_OUT:
            self._writer.transport.abort()
        else:
            self._writer.write(data)

    def drop(self, back_after: float = 0.0, *, renamed: bool = False) -> None:
        """Hang up; the host may call again, and at once: an address has no node that goes."""
        if self._writer is not None:
            self._writer.transport.abort()

    def flow(self, taking: bool) -> None:
        """Take what the host sends, or leave it in the line."""
        self._may_take.set() if taking else self._may_take.clear()

    def close(self) -> None:
        """Hang up for good."""
        self.drop()
        if self._server is not None:
            self._server.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._writer is not None:
            writer.transport.abort()
            return
        self._writer = writer
        try:
            while data := await reader.read(READ_AT_ONCE):
                self._received(data)
                await self._may_take.wait()
        except ConnectionError:
            pass
        finally:
            self._writer = None
            writer.close()
