"""A device on a pseudo-terminal, at a path that stays the same."""

from __future__ import annotations

import asyncio
import os
import tty
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

KEPT = 64 * 1024
"""Bytes that wait for a host which does not read. The line has no flow control: what comes after is lost."""

READ_AT_ONCE = 4096
BACK_AFTER = 0.5
"""Seconds until a line that dropped is there again, under another number."""


class PtyPort:
    """Raw, never blocking; the slave stays open here, or reading would fail whenever no host is there."""

    def __init__(self, path: Path, received: Callable[[bytes], None]) -> None:
        self.path = path
        self._received = received
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[bytes] = deque()
        self._master = self._slave = -1
        self._back: asyncio.TimerHandle | None = None
        self._taking = True
        self._next: tuple[int, int] | None = None
        self._open()

    def write(self, data: bytes) -> None:
        """To the host; what it does not take now waits."""
        if self._master < 0 or sum(map(len, self._waiting)) > KEPT:
            return
        self._waiting.append(data)
        self._flush()

    def drop(self, back_after: float = BACK_AFTER, *, renamed: bool = False) -> None:
        """Hang up, and come back: maybe as the same node, `renamed` surely as another one."""
        if self._master < 0:
            return
        if renamed:
            self._next = os.openpty()  # while the old one is there still, or its number would be free
        self._hang_up()
        self._back = self._loop.call_later(back_after, self._open)

    def flow(self, taking: bool) -> None:
        """Take what the host sends, or leave it in the line, so that its writes begin to block."""
        self._taking = taking
        if self._master < 0:
            return
        if taking:
            self._loop.add_reader(self._master, self._read)
        else:
            self._loop.remove_reader(self._master)

    def close(self) -> None:
        """Hang up for good; the path is removed."""
        if self._back is not None:
            self._back.cancel()
        for file in self._next or ():
            os.close(file)
        self._next = None
        self._hang_up()

    def _open(self) -> None:
        self._back = None
        (self._master, self._slave), self._next = self._next or os.openpty(), None
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._link(os.ttyname(self._slave))
        self.flow(self._taking)

    def _link(self, target: str) -> None:
        """Put the name in its place in one step, so that nobody ever finds half of it."""
        fresh = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        with suppress(FileNotFoundError):
            fresh.unlink()
        os.symlink(target, fresh)
        os.replace(fresh, self.path)

    def _hang_up(self) -> None:
        if self._master < 0:
            return
        self._loop.remove_reader(self._master)
        self._loop.remove_writer(self._master)
        if os.path.islink(self.path) and os.readlink(self.path) == os.ttyname(self._slave):
            self.path.unlink()
        os.close(self._slave)
        os.close(self._master)
        self._master = self._slave = -1
        self._waiting.clear()

    def _read(self) -> None:
        with suppress(BlockingIOError):
            data = os.read(self._master, READ_AT_ONCE)
            if data:
                self._received(data)

    def _flush(self) -> None:
        try:
            while self._waiting:
                data = self._waiting.popleft()
                sent = os.write(self._master, data)
                if sent < len(data):
                    self._waiting.appendleft(data[sent:])
        except BlockingIOError:
            self._waiting.appendleft(data)
            self._loop.add_writer(self._master, self._flush)
        else:
            self._loop.remove_writer(self._master)
