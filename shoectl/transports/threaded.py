"""What USB, HID and RFC 2217 have in common: calls that wait, so the loop must not make them.

`Threads` makes them, in threads of its own that belong to one port and to no pool. `ThreadedTransport` is the loop's
end: it hands over what is to be sent, is told what came in, and has the threads ended before anything is given back.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial

from shoectl.transports.base import (
    CLOSE_DEADLINE_S,
    WAITING_LIMIT,
    WRITE_DEADLINE_S,
    Lost,
    Received,
    Transport,
    TransportError,
)
from shoectl.transports.threads import in_thread

OPEN_DEADLINE_S = 5.0

Heard = Callable[[bytes], None]
Ended = Callable[[Exception | None], None]


class Threads(ABC):
    """The calls for one open port. `heard` and `ended` are called in the threads; `ended` once, if it ends itself."""

    def __init__(self, heard: Heard, ended: Ended) -> None:
        self._heard, self._ended = heard, ended
        self._stopping = threading.Event()
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._given = 0
        self.taken = 0  # bytes; this one is counted by the thread that writes, the other by the loop's

    @property
    def waiting(self) -> int:
        """Bytes that were given and not yet taken."""
        return self._given - self.taken

    @abstractmethod
    def start(self) -> None:
        """Begin to read and write."""

    @abstractmethod
    def give_back(self) -> None:
        """End everything that belongs to the port, even where it is gone and nothing works any more. Never raises."""

    def write(self, data: bytes) -> None:
        """After all that was given before. Never waits."""
        self._given += len(data)
        self._outgoing.put(data)

    def stop(self) -> None:
        """Tell the threads to end; does not wait for them."""
        self._stopping.set()
        self._outgoing.put(None)

    def close(self) -> None:
        """Wait for the threads, then give the port back. Takes at most as long as the longest call of theirs."""
        self.stop()
        for thread in self._threads:
            thread.join()
        self.give_back()

    def _spawn(self, body: Callable[[], None]) -> None:
        def guarded() -> None:
            try:
                body()
            except Exception as error:  # whatever a library raises ends this connection, and only this one
                self._end(error)

        thread = threading.Thread(target=guarded, name="shoectl-port", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _next(self) -> bytes | None:
        """What is to be sent next; waits for it. None: it is over."""
        data = self._outgoing.get()
        return None if self._stopping.is_set() else data

    def _hear(self, data: bytes) -> None:
        if data and not self._stopping.is_set():
            self._heard(data)

    def _end(self, reason: Exception | None) -> None:
        if not self._stopping.is_set():
            self.stop()
            self._ended(reason)


class ThreadedTransport(Transport):
    """A pipe over `Threads`. `name` is what people call it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._port: Threads | None = None
        self._expiry: asyncio.TimerHandle | None = None
        self._used = self._over = False

    @abstractmethod
    def _make(self, heard: Heard, ended: Ended) -> tuple[Threads, str]:
        """Open, in a thread: the port, and what the system calls it. Raises TransportError."""

    async def open(self, received: Received, lost: Lost) -> None:
        """Open in a thread, for a port that is half gone lets its callers wait."""
        if self._used:
            raise RuntimeError("a transport is used once")
        self._used = True
        self._received, self._lost = received, lost
        self._loop = asyncio.get_running_loop()
        opening = in_thread(partial(self._make, self._heard, self._ended), unwanted=lambda made: made[0].close())
        try:
            async with asyncio.timeout(OPEN_DEADLINE_S):
                self._port, self.node = await opening
        except TimeoutError:
            raise TransportError(f"{self.name} does not open", "pull the plug and put it in again") from None
        self._port.start()

    def write(self, data: bytes) -> None:
        """Give it to the thread that writes."""
        if self._port is None or self._over or not data:
            return
        self._port.write(data)
        if self._port.waiting > WAITING_LIMIT:
            self._stuck()
        elif self._expiry is None:
            self._watch(self._port)

    async def close(self) -> None:
        """End the threads, then the port: in a thread, which goes on where that takes too long."""
        self._stop()
        port, self._port = self._port, None
        if port is not None:
            await asyncio.wait([in_thread(port.close)], timeout=CLOSE_DEADLINE_S)

    def _heard(self, data: bytes) -> None:
        self._call(lambda: None if self._over else self._received(data))

    def _ended(self, reason: Exception | None) -> None:
        self._call(lambda: self._end(reason))

    def _call(self, call: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is gone, and whoever listened with it
            self._loop.call_soon_threadsafe(call)

    def _watch(self, port: Threads) -> None:
        """Look again when what waits should have been taken."""
        before = port.taken

        def look() -> None:
            self._expiry = None
            if port.waiting and port.taken == before:
                self._stuck()
            elif port.waiting:
                self._watch(port)

        self._expiry = self._loop.call_later(WRITE_DEADLINE_S, look)

    def _stuck(self) -> None:
        self._end(TransportError(f"{self.name} takes no more bytes", "check the cable and that the device is on"))

    def _end(self, reason: Exception | None) -> None:
        if not self._over:
            self._stop()
            self._lost(reason)

    def _stop(self) -> None:
        """Nothing is heard or sent any more. The port stays open until `close`."""
        self._over = True
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        if self._port is not None:
            self._port.stop()
