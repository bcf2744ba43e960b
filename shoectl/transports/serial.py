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
from pathlib import Path
from urllib.parse import SplitResult, unquote

import serial

from shoectl.errors import BadInput
from shoectl.transports.base import (
    CLOSE_DEADLINE_S,
    InUse,
    Lost,
    Received,
    TransportError,
    number_of,
    options_of,
)
from shoectl.transports.descriptor import DescriptorTransport
from shoectl.transports.holders import lock_holder, opened_by, process_text
from shoectl.transports.threads import in_thread

DEFAULT_BAUD = 57_600
OPEN_DEADLINE_S = 5.0  # a USB adapter that is half gone holds its opener for a few seconds
LATENCY_WANTED_MS = 2  # all links bear 50; this is about how soon a card is seen


class SerialTransport(DescriptorTransport):
    """`serial:///dev/NAME?baud=57600`: 8 data bits, no parity, one stop bit, no flow control."""

    def __init__(self, url: SplitResult) -> None:
        if url.netloc or not url.path.startswith("/") or url.fragment:
            raise BadInput(f"{url.geturl()!r}: a serial port is written serial:///dev/NAME, with three slashes")
        options = options_of(url, {"baud": str(DEFAULT_BAUD), "address": ""})
        self.path = unquote(url.path)
        super().__init__(self.path)
        self.baud = number_of(url, "baud", options["baud"], 300, 4_000_000)
        self._port: serial.Serial | None = None

    async def open(self, received: Received, lost: Lost) -> None:
        """Open, lock and set the line; a stable name is resolved now, so that it may point elsewhere next time."""
        self._begin(received, lost)
        opening = in_thread(partial(_open, self.path, self.baud), unwanted=_give_back)
        try:
            async with asyncio.timeout(OPEN_DEADLINE_S):
                self._port, self.notices = await opening
        except TimeoutError:
            raise TransportError(f"{self.path} does not open", "pull the adapter and plug it in again") from None
        self.node = self._port.port
        self._listen(self._port.fd)

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

    def _discard(self) -> None:
        with contextlib.suppress(termios.error, OSError):
            termios.tcflush(self._fd, termios.TCOFLUSH)


def _open(path: str, baud: int) -> tuple[serial.Serial, tuple[str, ...]]:
    """An open, locked, raw port, and what is odd about it. Raises TransportError. May take seconds."""
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
    return port, _notices(port)


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
    notices = []
    try:
        _ = port.cts
    except OSError:
        notices.append(f"{port.port} has no modem lines; none are needed")
    latency = latency_ms(port.port)
    if latency is not None and latency > LATENCY_WANTED_MS:
        notices.append(f"the adapter of {port.port} holds bytes back for {latency} ms; the udev rules set it to 1")
    return tuple(notices)


def latency_ms(node: str, sys: Path = Path("/sys/class/tty")) -> int | None:
    """How long a USB adapter holds short packets back, in ms; None where the driver has no such timer."""
    try:
        return int((sys / Path(node).name / "device" / "latency_timer").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _give_back(opened: tuple[serial.Serial, tuple[str, ...]]) -> None:
    _close(opened[0])


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


def _refusal(path: str, node: str, baud: int, error: Exception) -> TransportError:
    """Why a port did not open, in words, and what to do."""
    number = getattr(error, "errno", None) or (error.args[0] if error.args else None)  # pyserial has it either way
    match number:
        case errno.ENOENT | errno.ENODEV | errno.ENXIO if node != path:
            return TransportError(f"{path} points to {node}, which is not there", "plug the device in")
        case errno.ENOENT | errno.ENODEV | errno.ENXIO:
            return TransportError(f"{path} is not there", "plug the device in, or correct the URL")
        case errno.EACCES | errno.EPERM:
            return TransportError(f"{path} may not be opened by this user", "join the group that owns it (ls -l)")
        case errno.EAGAIN:
            return InUse(f"{path} is in use by {process_text(lock_holder(node))}", "stop that program")
        case errno.EBUSY:
            return InUse(f"{path} is in use by {process_text(opened_by(node))}", "stop that program")
        case int() if number != errno.EINVAL:
            return TransportError(f"{path} does not open ({os.strerror(number)})", "check the plug")
    return TransportError(f"{path} cannot be set to {baud} bit/s, 8N1", "check that it is a serial port and the rate")
