"""What a serial port and a socket have in common: a descriptor that the event loop reads and writes.

Nothing here waits: a read takes what is there, a write leaves what does not fit, and what waits to be written has a
deadline. Whatever a read or a write raises ends the pipe once; the descriptor is out of the loop before that is told.
"""

from __future__ import annotations

import asyncio
import os
from abc import abstractmethod

from shoectl.transports.base import WAITING_LIMIT, WRITE_DEADLINE_S, Lost, Received, Transport, TransportError

READ_SIZE = 4096


class DescriptorTransport(Transport):
    """A pipe over a descriptor that does not block. `name` is what people call it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._fd = -1
        self._waiting = bytearray()
        self._writer_on = False
        self._expiry: asyncio.TimerHandle | None = None
        self._used = False

    @abstractmethod
    def _discard(self) -> None:
        """The other side takes nothing: forget what the kernel holds for it. Never blocks."""

    def _begin(self, received: Received, lost: Lost) -> None:
        """Called first by `open`. A transport is used once."""
        if self._used:
            raise RuntimeError("a transport is used once")
        self._used = True
        self._received, self._lost = received, lost
        self._loop = asyncio.get_running_loop()

    def _listen(self, fd: int) -> None:
        """Called last by `open`: from now on bytes are received."""
        self._fd = fd
        self._loop.add_reader(fd, self._readable)

    def write(self, data: bytes) -> None:
        """Send; what is not taken at once is kept and sent before anything else."""
        if self._fd < 0 or not data:
            return
        self._waiting += data
        if not self._writer_on:
            self._writable()

    def _readable(self) -> None:
        try:
            data = os.read(self._fd, READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return
        except Exception as error:
            self._end(self._why(error))
            return
        if data:
            self._received(data)
        else:
            self._end(None)

    def _writable(self) -> None:
        before = len(self._waiting)
        try:
            while self._waiting:
                taken = os.write(self._fd, self._waiting)
                del self._waiting[:taken]
                if not taken:
                    break
        except (BlockingIOError, InterruptedError):
            pass
        except Exception as error:
            self._end(self._why(error))
            return
        self._await_room(progress=len(self._waiting) < before)

    def _await_room(self, *, progress: bool) -> None:
        """Watch for room while something waits, and for how long it has waited without any."""
        if self._expiry is not None and (progress or not self._waiting):
            self._expiry.cancel()
            self._expiry = None
        if bool(self._waiting) is not self._writer_on:
            self._writer_on = bool(self._waiting)
            if self._writer_on:
                self._loop.add_writer(self._fd, self._writable)
            else:
                self._loop.remove_writer(self._fd)
        if len(self._waiting) > WAITING_LIMIT:
            self._stuck()
        elif self._waiting and self._expiry is None:
            self._expiry = self._loop.call_later(WRITE_DEADLINE_S, self._stuck)

    def _stuck(self) -> None:
        self._discard()
        self._end(TransportError(f"{self.name} takes no more bytes", "check the cable and that the device is on"))

    def _why(self, error: Exception) -> Exception:
        if isinstance(error, OSError):
            return TransportError(f"{self.name} was lost ({errno_text(error)})", "check the plug")
        return error

    def _end(self, reason: Exception | None) -> None:
        if self._fd >= 0:
            self._stop()
            self._lost(reason)

    def _stop(self) -> None:
        """Take the descriptor out of the loop. It stays open until `close`."""
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        if self._fd >= 0:
            self._loop.remove_reader(self._fd)
            if self._writer_on:
                self._loop.remove_writer(self._fd)
        self._fd, self._writer_on = -1, False
        self._waiting.clear()


def errno_text(error: BaseException) -> str:
    """What the system says of an error, else its class."""
    number = getattr(error, "errno", None) or (error.args[0] if error.args else None)
    return os.strerror(number) if isinstance(number, int) else type(error).__name__
