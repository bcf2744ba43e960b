"""A USB device at the far end of a TCP connection (USB/IP), for callers that may wait: transfers, time-outs, an end.

The kernel can do this too (vhci_hcd), and then nobody notices. This is for where it may not: tests, containers, a
machine without the module. Any number of threads may transfer at once; each waits for its own.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from protocols import usbip
from protocols.usbip import BadUsbip, Exported, ImportStatus, Op, Submit, Submitted, Unlink, Unlinked

PATIENCE_S = 2.0
"""For what a server that lives does at once: to connect, to list, to import, to take a transfer back, to hang up."""

MOST = 1024
"""Devices that a server may list: eight full buses."""

LEFT_OPEN = 16
"""Requests given up that a server may leave without an end; one that is only late has far fewer."""


class Refused(OSError):
    """The server does not give the device: EBUSY where somebody has it, ENODEV where there is none."""


@dataclass(eq=False)
class _Waiting:
    """A transfer under way."""

    into_host: bool = False
    over: threading.Event = field(default_factory=threading.Event)
    status: int = 0
    length: int = 0
    data: bytes = b""
    given_up: bool = False
    """Nobody waits for it. It stays known: what it brings has to be read, or all that follows is garbled."""


def listed(host: str, port: int) -> list[Exported]:
    """What a server offers. Raises OSError."""
    with _connected(host, port, PATIENCE_S) as server:
        until = time.monotonic() + PATIENCE_S
        server.sendall(usbip.encode_op(Op.REQUEST_LIST))
        _answered(server, Op.REPLY_LIST, until)
        (count,) = usbip.COUNT.unpack(_exactly(server, usbip.COUNT.size, until))
        if count > MOST:
            raise OSError(errno.EPROTO, f"the server lists {count} devices")
        found = []
        for _ in range(count):
            device = usbip.decode_device(_exactly(server, usbip.DEVICE.size, until))
            told = _exactly(server, usbip.INTERFACE.size * device.interface_count, until)
            found.append(replace(device, interfaces=tuple(usbip.INTERFACE.iter_unpack(told))))
    return found


class Imported:
    """A device that is ours until `close`, or until the server drops it: then every transfer ends with ENODEV."""

    def __init__(self, host: str, port: int, bus_id: str, within: float = PATIENCE_S) -> None:
        """Raises Refused where it cannot be had, OSError where the server cannot, or not `within` seconds."""
        until = time.monotonic() + within
        self._socket = _connected(host, port, within)
        try:
            self._socket.sendall(usbip.encode_op(Op.REQUEST_IMPORT) + usbip.BUS_ID.pack(bus_id.encode()))
            _answered(self._socket, Op.REPLY_IMPORT, until)
            self.exported = usbip.decode_device(_exactly(self._socket, usbip.DEVICE.size, until))
        except BaseException:
            self._socket.close()
            raise
        self._socket.settimeout(None)
        seconds = struct.pack("ll", int(PATIENCE_S), 0)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, seconds)
        self._numbers = itertools.count(1)
        self._waiting: dict[int, _Waiting] = {}
        self._lock = threading.Lock()
        self._dead = False
        self._reader = threading.Thread(target=self._read, name="shoectl-usbip", daemon=True)
        self._reader.start()

    def transfer(
        self, endpoint: int, timeout_s: float | None, *, data: bytes = b"", room: int = 0, setup: bytes = bytes(8)
    ) -> tuple[int, bytes]:
        """One transfer at an endpoint address: how many bytes passed, and those that came in.

        Raises OSError with the errno of the bus, ETIMEDOUT where nothing passed in time, ENODEV where it is gone,
        EOVERFLOW where more came than there is room for.
        """
        into_host = bool(endpoint & 0x80)
        length = room if into_host else len(data)
        out = b"" if into_host else data
        mine = _Waiting(into_host)

        def asked(seq: int) -> Submit:
            return Submit(seq, self.exported.device_id, into_host, endpoint & 0x0F, length, setup, out)

        number = self._submit(asked, mine)
        if not mine.over.wait(timeout_s):
            self._take_back(number, mine)
        if mine.given_up:
            raise OSError(errno.ETIMEDOUT, "no answer in time")
        if mine.status:
            raise OSError(-mine.status, "the transfer failed")
        if mine.length > length:
            raise OSError(errno.EOVERFLOW, "more came than was asked for")
        return mine.length, mine.data

    def close(self) -> None:
        """Give it back: the server has noticed when this returns, or is not worth waiting for."""
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # gone before us
        else:
            self._reader.join(PATIENCE_S)
        self._hang_up()
        self._reader.join()
        self._socket.close()

    def _submit(self, asked: Callable[[int], Submit | Unlink], mine: _Waiting) -> int:
        """Send a request and remember who waits for its end. A server that takes nothing is dead."""
        with self._lock:
            number = next(self._numbers)
            self._waiting[number] = mine
            if not self._dead:
                try:
                    self._socket.sendall(asked(number).encode())
                except OSError:
                    self._dead = True
                    self._hang_up()
            if self._dead:
                self._end(number, -errno.ENODEV)
        return number

    def _take_back(self, number: int, mine: _Waiting) -> None:
        """The time is over: have the transfer ended, one way or the other. What passed meanwhile counts."""
        asked = _Waiting()
        self._submit(lambda seq: Unlink(seq, self.exported.device_id, number), asked)
        asked.over.wait(PATIENCE_S)
        if asked.status == -errno.ENODEV:
            self._hang_up()  # gone, as we know or the server says: it need not end anything any more
            mine.over.wait()  # the reader ends all of them
            return
        with self._lock:
            asked.given_up, mine.given_up = not asked.over.is_set(), not mine.over.is_set()
            if mine.given_up and asked.status == -errno.ECONNRESET:
                self._waiting.pop(number, None)
            if sum(each.given_up for each in self._waiting.values()) > LEFT_OPEN:
                self._hang_up()  # it is broken, and would leave more and more

    def _end(self, number: int, status: int, length: int = 0, data: bytes = b"") -> None:
        """A transfer is over; nothing where nobody waits for it any more. Under the lock."""
        waiting = self._waiting.pop(number, None)
        if waiting is not None:
            waiting.status, waiting.length, waiting.data = status, length, data
            waiting.over.set()

    def _read(self) -> None:
        """The reader: ends what waits, until the connection ends."""
        try:
            while True:
                came = usbip.decode_header(_exactly(self._socket, usbip.HEADER.size))
                with self._lock:
                    waiting = self._waiting.get(came.seq)
                data = b""
                if isinstance(came, Submitted) and waiting is not None and waiting.into_host:
                    data = _exactly(self._socket, came.length)
                with self._lock:
                    if isinstance(came, Submitted):
                        self._end(came.seq, came.status, came.length, data)
                    elif isinstance(came, Unlinked):
                        self._end(came.seq, came.status)
        except (OSError, BadUsbip):
            pass
        with self._lock:
            self._dead = True
            for number in list(self._waiting):
                self._end(number, -errno.ENODEV)

    def _hang_up(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)


def _connected(host: str, port: int, within: float) -> socket.socket:
    made = socket.create_connection((host, port), within)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def _answered(server: socket.socket, wanted: Op, until: float) -> None:
    """The head of a reply, if it is the one that is due. Raises Refused, OSError."""
    try:
        code, status = usbip.decode_op(_exactly(server, usbip.OP.size, until))
    except BadUsbip as error:
        raise OSError(errno.EPROTO, str(error)) from None
    if code != wanted:
        raise OSError(errno.EPROTO, "the server does not speak USB/IP")
    if status:
        number = errno.ENODEV if status == ImportStatus.NOT_THERE else errno.EBUSY
        raise Refused(number, "the server does not give the device")


def _exactly(server: socket.socket, size: int, until: float | None = None) -> bytes:
    """So many bytes. Raises ConnectionResetError where the server hangs up before, TimeoutError where time is up.

    `until` is a point of time.monotonic, for all of a reply: one that trickles in is never over otherwise.
    """
    data = bytearray()
    while len(data) < size:
        if until is not None:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError(errno.ETIMEDOUT, "the server takes too long")
            server.settimeout(left)
        came = server.recv(size - len(data))
        if not came:
            raise ConnectionResetError(errno.ECONNRESET, "the server hung up")
        data += came
    return bytes(data)
