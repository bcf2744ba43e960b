"""A wire between table and broker that can be cut, or go dead."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Self

from .broker import free_port


class Proxy:
    """Passes bytes on, as TCP does, until somebody intervenes."""

    def __init__(self, to: int) -> None:
        self.port, self.dead = free_port(), False
        self._to = to
        self._writers: list[asyncio.StreamWriter] = []
        self.made = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self.cut()

    def cut(self) -> None:
        """All connections are gone, with whatever was under way."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.made += 1
        self._writers.append(writer)
        try:
            far, onward = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            writer.transport.abort()
            return
        self._writers.append(onward)
        await asyncio.gather(self._pass(reader, onward), self._pass(far, writer))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(4096):
                if not self.dead:  # a line that goes nowhere: nobody is told
                    writer.write(data)
                    await writer.drain()
        writer.close()
