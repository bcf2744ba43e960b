"""HID devices by their hidraw node: the system's own driver has the device, and hands reports through.

Input reports come over the loop's reader. Output reports and feature requests are system calls that last as long as the
device takes, so they have a thread. The link speaks in pieces (protocols/piece.py).
"""

from __future__ import annotations

import array
import contextlib
import errno
import fcntl
import os
import stat
import struct
from urllib.parse import SplitResult, unquote

from protocols.piece import CONTROL_IN, CONTROL_OUT, SETUP_SIZE, Piece, PieceFramer, Tail
from shoectl.errors import BadInput
from shoectl.transports.base import InUse, Lost, Received, TransportError
from shoectl.transports.descriptor import errno_text
from shoectl.transports.hid_reports import check_reports
from shoectl.transports.holders import lock_holder, process_text
from shoectl.transports.threaded import Ended, Heard, ThreadedTransport, Threads

INPUT_EP = 0x81  # whatever number it has on the bus: the link knows one way in
LONGEST_REPORT = 4096
LONGEST_DESCRIPTOR = 4096
GET_REPORT, FROM_INTERFACE, FEATURE = 0x01, 0xA1, 3


def _request(direction: int, number: int, size: int) -> int:
    """The number of an ioctl as the kernel's macros make it: direction from bit 30 on, size from 16, `H` from 8."""
    return direction << 30 | size << 16 | ord("H") << 8 | number


_READ, _BOTH = 2, 3
HIDIOCGRDESCSIZE = _request(_READ, 1, 4)
HIDIOCGRDESC = _request(_READ, 2, 4 + LONGEST_DESCRIPTOR)
HIDIOCGRAWINFO = _request(_READ, 3, 8)


def get_feature_request(size: int) -> int:
    """HIDIOCGFEATURE for a report of so many bytes, its id included."""
    return _request(_BOTH, 7, size)


class HidTransport(ThreadedTransport):
    """`hid:///dev/shoectl/shoe0`, alone: the lock is exclusive, for two readers would both acknowledge."""

    def __init__(self, url: SplitResult) -> None:
        if url.netloc or not url.path.startswith("/") or url.query or url.fragment:
            raise BadInput(f"{url.geturl()!r}: a HID device is written hid:///dev/NAME, with three slashes")
        self.path = unquote(url.path)
        super().__init__(self.path)
        self._fd = -1

    async def open(self, received: Received, lost: Lost) -> None:
        """Open, lock, have the device say what reports it has, and listen."""
        await super().open(received, lost)
        assert isinstance(self._port, HidThreads)
        self._fd = self._port.fd
        self._loop.add_reader(self._fd, self._readable)

    def _make(self, heard: Heard, ended: Ended) -> tuple[Threads, str]:
        fd, node = _open(self.path)
        return HidThreads(fd, self.path, heard, ended), node

    def _readable(self) -> None:
        try:
            data = os.read(self._fd, LONGEST_REPORT)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._end(TransportError(f"{self.path} was lost ({errno_text(error)})", "check the plug"))
            return
        if data:
            self._received(Piece(INPUT_EP, data).encode())
        else:
            self._end(None)

    def _stop(self) -> None:
        super()._stop()
        if self._fd >= 0:
            self._loop.remove_reader(self._fd)
            self._fd = -1


class HidThreads(Threads):
    """Output reports and feature requests, one call after the other. The loop reads."""

    def __init__(self, fd: int, path: str, heard: Heard, ended: Ended) -> None:
        super().__init__(heard, ended)
        self.fd, self.path = fd, path
        self._framer = PieceFramer()

    def start(self) -> None:
        """One thread."""
        self._spawn(self._write)

    def give_back(self) -> None:
        """The lock goes first, so that the next opening finds it free whatever the close takes."""
        with contextlib.suppress(OSError):
            fcntl.flock(self.fd, fcntl.LOCK_UN)
        with contextlib.suppress(OSError):
            os.close(self.fd)

    def _write(self) -> None:
        while (data := self._next()) is not None:
            for piece in self._framer.feed(data, 0.0):
                if not isinstance(piece, Piece):
                    continue
                try:
                    if piece.ep == CONTROL_OUT:
                        self._hear(_feature(self.fd, piece.data).encode())
                    else:
                        os.write(self.fd, piece.data)
                except OSError as error:
                    self._end(self._why(error))
                    return
            self.taken += len(data)

    def _why(self, error: OSError) -> TransportError:
        if error.errno == errno.ETIMEDOUT:
            return TransportError(f"{self.path} takes no more reports", "check that the device is on, pull the plug")
        return TransportError(f"{self.path} was lost ({errno_text(error)})", "check the plug")


def _open(path: str) -> tuple[int, str]:
    """A descriptor that is ours, and the node behind the name. Raises TransportError."""
    node = os.path.realpath(path)
    try:
        fd = _opened(path, node)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            vendor, product = _ids(fd)
            check_reports(path, _report_descriptor(fd), vendor, product)
        except BaseException:
            os.close(fd)
            raise
    except OSError as error:
        raise _refusal(path, node, error) from None
    return fd, node


def _opened(path: str, node: str) -> int:
    if not stat.S_ISCHR(os.stat(node).st_mode):
        raise TransportError(f"{path} is no HID device", "name a hidraw node, as hid:///dev/hidraw0")
    return os.open(node, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)


def _ids(fd: int) -> tuple[int, int]:
    told = bytearray(8)
    fcntl.ioctl(fd, HIDIOCGRAWINFO, told)
    _, vendor, product = struct.unpack("IHH", told)
    return vendor, product


def _report_descriptor(fd: int) -> bytes:
    size = array.array("i", [0])
    fcntl.ioctl(fd, HIDIOCGRDESCSIZE, size)
    told = bytearray(struct.pack("I", size[0]) + bytes(LONGEST_DESCRIPTOR))
    fcntl.ioctl(fd, HIDIOCGRDESC, told)
    return bytes(told[4 : 4 + size[0]])


def _feature(fd: int, request: bytes) -> Piece:
    """The answer to a request; a hidraw node passes only GET_REPORT. Raises OSError where the device is gone."""
    type, number, id, kind = request[:4] if len(request) >= SETUP_SIZE else (0, 0, 0, 0)
    if (type, number, kind) != (FROM_INTERFACE, GET_REPORT, FEATURE):
        return Piece(CONTROL_IN, b"", Tail.STALL)
    told = bytearray(int.from_bytes(request[6:8], "little"))
    told[:1] = bytes((id,))
    try:
        size = fcntl.ioctl(fd, get_feature_request(len(told)), told)
    except OSError as error:
        if error.errno in (errno.ENODEV, errno.ENXIO, errno.ESHUTDOWN):
            raise
        return Piece(CONTROL_IN, b"", Tail.STALL)
    return Piece(CONTROL_IN, bytes(told[:size]))


def _refusal(path: str, node: str, error: OSError) -> TransportError:
    """Why a node did not open, in words, and what to do."""
    match error.errno:
        case errno.ENOENT | errno.ENODEV | errno.ENXIO if node != path:
            return TransportError(f"{path} points to {node}, which is not there", "plug the device in")
        case errno.ENOENT | errno.ENODEV | errno.ENXIO:
            return TransportError(f"{path} is not there", "plug the device in, or correct the URL")
        case errno.EACCES | errno.EPERM:
            do = "install the udev rules and join the group shoectl"
            return TransportError(f"{path} may not be opened by this user", do)
        case errno.EAGAIN | errno.EBUSY:
            return InUse(f"{path} is in use by {process_text(lock_holder(node))}", "stop that program")
        case errno.ENOTTY | errno.EINVAL:
            return TransportError(f"{path} is no HID device", "name a hidraw node, as hid:///dev/hidraw0")
    return TransportError(f"{path} does not open ({errno_text(error)})", "pull the plug and put it in again")
