"""Serial ports: pyserial opens them, the event loop reads and writes their descriptor.

The line is set raw by ourselves, flag by flag, whatever it was before; the lock is exclusive (flock) and given back
before the descriptor is closed, so that the next opening finds it free.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import os
import stat
import termios
from functools import partial
from urllib.parse import SplitResult, unquote

import serial

from shoectl.errors import BadInput
from shoectl.transports.base import (
    CLOSE_DEADLINE_S,
    WRITE_DEADLINE_S,
    Lost,
    Received,
    Transport,
    TransportError,
    number_of,
    options_of,
)
from shoectl.transports.holders import lock_holder, opened_by, process_text
from shoectl.transports.threads import in_thread

DEFAULT_BAUD = 57_600
READ_SIZE = 4096
OPEN_DEADLINE_S = 5.0  # a USB adapter that is half gone holds its opener for a few seconds
WAITING_LIMIT = 64 * 1024  # far beyond what any link has under way: a writer that does not look


class SerialTransport(Transport):
    """`serial:///dev/NAME?baud=57600`: 8 data bits, no parity, one stop bit, no flow control."""

    def __init__(self, url: SplitResult) -> None:
        if url.netloc or not url.path.startswith("/") or url.fragment:
            raise BadInput(f"{url.geturl()!r}: a serial port is written serial:///dev/NAME, with three slashes")
        options = options_of(url, {"baud": str(DEFAULT_BAUD), "address": ""})
        self.path = unquote(url.path)
        self.baud = number_of(url, "baud", options["baud"], 300, 4_000_000)
        self._port: serial.Serial | None = None
        self._fd = -1
        self._waiting = bytearray()
        self._writer_on = False
        self._expiry: asyncio.TimerHandle | None = None
        self._used = False

    async def open(self, received: Received, lost: Lost) -> None:
        """Open, lock and set the line; a stable name is resolved now, so that it may point elsewhere next time."""
        if self._used:
            raise RuntimeError("a transport is used once")
        self._used = True
        self._received, self._lost = received, lost
        self._loop = asyncio.get_running_loop()
        opening = in_thread(partial(_open, self.path, self.baud), unwanted=_close)
        try:
            async with asyncio.timeout(OPEN_DEADLINE_S):
                self._port = await opening
        except TimeoutError:
            raise TransportError(f"{self.path} does not open", "pull the adapter and plug it in again") from None
        self.node = self._port.port
        self.notices = _notices(self._port)
        self._fd = self._port.fd
        self._loop.add_reader(self._fd, self._readable)

    def write(self, data: bytes) -> None:
        """Send; what the port does not take at once is kept and sent before anything else."""
        if self._fd < 0 or not data:
            return
        self._waiting += data
        if not self._writer_on:
            self._writable()

    async def close(self) -> None:
        """Discard what waits, give the lock back, and close in a thread, for a close may drain for seconds."""
        self._stop()
        port, self._port = self._port, None
        if port is None:
            return
        with contextlib.suppress(OSError):
            fcntl.flock(port.fd, fcntl.LOCK_UN)
        closing = in_thread(partial(_close, port))
        await asyncio.wait([closing], timeout=CLOSE_DEADLINE_S)

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
        with contextlib.suppress(termios.error, OSError):
            termios.tcflush(self._fd, termios.TCOFLUSH)
        self._end(TransportError(f"{self.path} takes no more bytes", "check the cable and that the device is on"))

    def _why(self, error: Exception) -> Exception:
        if isinstance(error, OSError):
            return TransportError(f"{self.path} was lost ({_errno_text(error)})", "check the plug")
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


def _open(path: str, baud: int) -> serial.Serial:
    """An open, locked, raw port. Raises TransportError."""
    node = os.path.realpath(path)
    try:
        if not stat.S_ISCHR(os.stat(node).st_mode):
            raise TransportError(f"{path} is no serial port", "name a device, as serial:///dev/ttyUSB0")
        port = serial.Serial(node, baud, timeout=0, exclusive=True)
    except (OSError, ValueError, termios.error) as error:
        raise _refusal(path, node, baud, error) from None
    try:
        _set_raw(port.fd)
    except termios.error as error:
        _close(port)
        raise _refusal(path, node, baud, error) from None
    return port


def _set_raw(fd: int) -> None:
    """Eight bits through, untouched, both ways: every flag is set, none inherited."""
    _, _, cflag, _, ispeed, ospeed, cc = termios.tcgetattr(fd)
    cflag &= ~(termios.CSIZE | termios.PARENB | termios.PARODD | termios.CSTOPB | termios.CRTSCTS | termios.HUPCL)
    cflag |= termios.CS8 | termios.CREAD | termios.CLOCAL
    cc[termios.VMIN], cc[termios.VTIME] = 1, 0  # with 0 an empty line reads like one that was closed
    termios.tcsetattr(fd, termios.TCSANOW, [0, 0, cflag, 0, ispeed, ospeed, cc])
    if termios.tcgetattr(fd)[:2] != [0, 0] or termios.tcgetattr(fd)[3]:
        raise termios.error(errno.EINVAL, "flags were not taken")  # tcsetattr is content with some of them


def _notices(port: serial.Serial) -> tuple[str, ...]:
    try:
        _ = port.cts
    except OSError:
        return (f"{port.port} has no modem lines; none are needed",)
    return ()


def _close(port: serial.Serial) -> None:
    """Close everything that belongs to a port, even where the descriptor itself does not close cleanly."""
    fd = port.fd
    with contextlib.suppress(termios.error, OSError):
        termios.tcflush(fd, termios.TCIOFLUSH)  # or the close drains at line speed
    port.fd, port.is_open = None, False
    for name in ("pipe_abort_read_r", "pipe_abort_read_w", "pipe_abort_write_r", "pipe_abort_write_w"):
        pipe = getattr(port, name, None)
        setattr(port, name, None)
        if pipe is not None:
            os.close(pipe)
    with contextlib.suppress(OSError):  # EIO: the adapter is gone; the descriptor is free all the same
        os.close(fd)


def _errno_text(error: BaseException) -> str:
    number = getattr(error, "errno", None) or (error.args[0] if error.args else None)
    return os.strerror(number) if isinstance(number, int) else type(error).__name__


def _refusal(path: str, node: str, baud: int, error: Exception) -> TransportError:
    """Why a port did not open, in words, and what to do."""
    number = getattr(error, "errno", None) or (error.args[0] if error.args else None)
    match number:
        case errno.ENOENT | errno.ENODEV | errno.ENXIO if node != path:
            return TransportError(f"{path} points to {node}, which is not there", "plug the device in")
        case errno.ENOENT | errno.ENODEV | errno.ENXIO:
            return TransportError(f"{path} is not there", "plug the device in, or correct the URL")
        case errno.EACCES | errno.EPERM:
            return TransportError(f"{path} may not be opened by this user", "join the group that owns it (ls -l)")
        case errno.EAGAIN:
            return TransportError(f"{path} is in use by {process_text(lock_holder(node))}", "stop that program")
        case errno.EBUSY:
            return TransportError(f"{path} is in use by {process_text(opened_by(node))}", "stop that program")
        case int() if number != errno.EINVAL:
            return TransportError(f"{path} does not open ({os.strerror(number)})", "check the plug")
    return TransportError(f"{path} cannot be set to {baud} bit/s, 8N1", "check that it is a serial port and the rate")
