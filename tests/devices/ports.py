"""Pseudo-terminals with a stable name, as an adapter that is plugged in, pulled and plugged in elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from shoectl.transports.serial import SerialTransport


async def until(condition: Callable[[], object], within: float = 5.0, every: float = 0.001) -> None:
    """Wait until something holds, at most `within` seconds."""
    loop = asyncio.get_running_loop()
    end = loop.time() + within
    while not condition():
        assert loop.time() < end, "waited in vain"
        await asyncio.sleep(every)


class Adapter:
    """A pty whose master we hold; `path` is a symlink to its slave."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.master, False)
        self.node = os.ttyname(self._slave)
        self.plug(path)

    def plug(self, path: Path) -> None:
        """Let a stable name point here."""
        self._point(path, self.node)

    @staticmethod
    def _point(path: Path, node: str) -> None:
        new = path.with_suffix(".new")
        new.unlink(missing_ok=True)
        new.symlink_to(node)
        new.replace(path)

    def cook(self) -> None:
        """Leave the line as a login would: echo, signals, flow control, translations."""
        iflag, oflag, cflag, lflag, ispeed, ospeed, cc = termios.tcgetattr(self._slave)
        iflag |= termios.IXON | termios.IXOFF | termios.ICRNL | termios.ISTRIP | termios.BRKINT
        oflag |= termios.OPOST | termios.ONLCR
        lflag |= termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN
        termios.tcsetattr(self._slave, termios.TCSANOW, [iflag, oflag, cflag, lflag, ispeed, ospeed, cc])

    def pull(self) -> None:
        """The adapter is gone. Its stable name stays and points nowhere: the number of its node may be given anew."""
        if self.path.is_symlink() and self.path.readlink() == Path(self.node):
            self._point(self.path, "/dev/pts/gone")
        for fd in (self.master, self._slave):
            with contextlib.suppress(OSError):
                os.close(fd)

    def read_now(self) -> bytes:
        """What the host wrote so far."""
        return os.read(self.master, 65536)

    def write_now(self, data: bytes) -> None:
        """Write to the host what fits."""
        os.write(self.master, data)

    async def read(self, count: int) -> bytes:
        """What the host wrote, `count` bytes of it."""
        data = b""
        async with asyncio.timeout(5):
            while len(data) < count:
                try:
                    data += os.read(self.master, 65536)
                except BlockingIOError:
                    await asyncio.sleep(0.001)
        return data

    async def write(self, data: bytes) -> None:
        """Write to the host, as fast as it reads."""
        async with asyncio.timeout(5):
            while data:
                try:
                    data = data[os.write(self.master, data) :]
                except BlockingIOError:
                    await asyncio.sleep(0.001)


@contextlib.contextmanager
def adapter(path: Path) -> Iterator[Adapter]:
    made = Adapter(path)
    try:
        yield made
    finally:
        made.pull()


class Host:
    """The host's end: a serial transport and what it heard."""

    def __init__(self, path: Path, query: str = "") -> None:
        self.transport = SerialTransport(urlsplit(f"serial://{path}{query}"))
        self.heard = b""
        self.losses: list[Exception | None] = []

    async def open(self) -> None:
        await self.transport.open(self._received, self.losses.append)

    def _received(self, data: bytes) -> None:
        self.heard += data

    async def hears(self, count: int) -> bytes:
        await until(lambda: len(self.heard) >= count)
        return self.heard

    async def loses(self) -> Exception | None:
        await until(lambda: bool(self.losses))
        return self.losses[0]


_LOCKER = """
import fcntl, os, sys
fd = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
fcntl.flock(fd, fcntl.LOCK_EX)
print("locked", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def locked(node: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the exclusive lock on a device node until its stdin is closed."""
    child = subprocess.Popen(
        [sys.executable, "-c", _LOCKER, node], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "locked\n"
        yield child
    finally:
        child.communicate()


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))
