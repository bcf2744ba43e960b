"""The far end of each transport: what it heard, what it says, and a plug that can be pulled and put back."""

from __future__ import annotations

import array
import asyncio
import contextlib
import os
import socket
import struct
import threading
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import serial
from serial.rfc2217 import PortManager

from firmware_sim.hosts.pty import PtyPort
from firmware_sim.hosts.tcp import TcpPort
from firmware_sim.usb.bus import Bus
from firmware_sim.usb.descriptors import Plate
from firmware_sim.usb.device import UsbDevice
from firmware_sim.usb.lines import url_of
from firmware_sim.usb.pieces import PieceFunction
from firmware_sim.usb.port import UsbPort
from firmware_sim.usb.serial import FT232R, CdcAcm, Ft232r
from protocols.alder.datasheet import USB as ALDER
from protocols.cedar.datasheet import USB as CEDAR
from protocols.dogwood.datasheet import USB as DOGWOOD
from protocols.piece import Piece, pieces
from shoectl.transports import hid as hid_module

SERIAL = "XX000042"
REPORT = 64


class End(ABC):
    """`url` is where the host finds it. `heard` is what came from the host, without any wrapping."""

    url = ""
    most = 4096  # bytes that pass at once at most

    def __init__(self) -> None:
        self.heard = bytearray()

    @abstractmethod
    async def begin(self) -> None: ...

    @abstractmethod
    def say(self, data: bytes) -> None: ...

    @abstractmethod
    def pull(self) -> None: ...

    @abstractmethod
    def put_back(self) -> None: ...

    @abstractmethod
    def finish(self) -> None: ...

    def wrapped(self, data: bytes) -> bytes:
        """As the host's link gives it to the transport."""
        return data

    def unwrapped(self, data: bytes) -> bytes:
        """What the device said, from what the transport gave to the link."""
        return data


class SerialEnd(End):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.url = f"serial://{path}"

    async def begin(self) -> None:
        self._port = PtyPort(self.path, self.heard.extend)

    def say(self, data: bytes) -> None:
        self._port.write(data)

    def pull(self) -> None:
        self._port.close()

    def put_back(self) -> None:
        self._port = PtyPort(self.path, self.heard.extend)

    def finish(self) -> None:
        self._port.close()


class TcpEnd(End):
    _number = 0

    async def begin(self) -> None:
        self._port = TcpPort(self.heard.extend)
        self._number = await self._port.listen("127.0.0.1", 0)
        self.url = f"tcp://127.0.0.1:{self._number}"

    def say(self, data: bytes) -> None:
        self._port.write(data)

    def pull(self) -> None:
        self._port.drop()

    def put_back(self) -> None:
        return None

    def finish(self) -> None:
        self._port.close()


class UsbEnd(End):
    """A device of one of these kinds, alone on a bus."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.bus = Bus()
        match kind:
            case "cdc":
                self.function: CdcAcm | Ft232r | PieceFunction = CdcAcm(self._take)
                plug = ALDER
            case "ftdi":
                self.function, plug = Ft232r(self._take), FT232R
            case "cedar":
                self.function, plug = PieceFunction(self._take, lambda: None), CEDAR
            case _:
                self.function, plug = PieceFunction(self._take, lambda: None), DOGWOOD
                self.most = REPORT
        self.plate = Plate(plug, ("maker", "model", SERIAL))
        self.in_pieces = isinstance(self.function, PieceFunction)

    async def begin(self) -> None:
        self.device = UsbDevice(self.plate, self.function)
        self.port = UsbPort(self.bus, self.device, self.function, lambda: self.plate)
        self.number = await self.bus.listen("127.0.0.1", 0)
        self.url = url_of(self.port, f"127.0.0.1:{self.number}")

    def _take(self, data: bytes) -> None:
        self.heard += b"".join(piece.data for piece in pieces(data)) if self.in_pieces else data

    def say(self, data: bytes) -> None:
        self.port.write(Piece(0x81, data).encode() if self.in_pieces else data)

    def pull(self) -> None:
        self.port.drop(3600)

    def put_back(self) -> None:
        self.port.close()
        self.port = UsbPort(self.bus, self.device, self.function, lambda: self.plate)

    def finish(self) -> None:
        self.port.close()
        self.bus.close()

    def wrapped(self, data: bytes) -> bytes:
        return Piece(0x01, data).encode() if self.in_pieces else data

    def unwrapped(self, data: bytes) -> bytes:
        return b"".join(piece.data for piece in pieces(data)) if self.in_pieces else data


class HidEnd(End):
    """A socket pair in the place of a node: what one end writes at once the other reads at once, as reports do."""

    most = REPORT

    def __init__(self, path: Path, patch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self.path = path
        self.url = f"hid://{path}"
        self.reports, self.ids = DOGWOOD.report, (DOGWOOD.vendor, DOGWOOD.product)
        self.features: dict[int, bytes | int] = {}
        self._mine: socket.socket | None = None
        self._there = True
        patch.setattr(hid_module, "_opened", self._open)
        patch.setattr(hid_module.fcntl, "ioctl", self._ioctl)

    async def begin(self) -> None:
        self._loop = asyncio.get_running_loop()

    def _open(self, path: str, node: str) -> int:
        if not self._there:
            raise FileNotFoundError(2, "gone")
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        mine.setblocking(False)
        theirs.setblocking(False)
        self._mine = mine  # an opening that was given up may still be at it in its thread
        self._loop.call_soon_threadsafe(self._loop.add_reader, mine.fileno(), self._read, mine)
        return theirs.detach()

    def _ioctl(self, fd: int, request: int, told: Any) -> int:
        if request == hid_module.HIDIOCGRAWINFO:
            told[:] = struct.pack("IHH", 3, *self.ids)
        elif request == hid_module.HIDIOCGRDESCSIZE:
            assert isinstance(told, array.array)
            told[0] = len(self.reports)
        elif request == hid_module.HIDIOCGRDESC:
            told[4 : 4 + len(self.reports)] = self.reports
        else:
            report = self.features[told[0]]
            if isinstance(report, int):
                raise OSError(report, os.strerror(report))
            told[: len(report)] = report
            return len(report)
        return 0

    def _read(self, mine: socket.socket) -> None:
        data = b""
        with contextlib.suppress(ConnectionError):
            data = mine.recv(4096)
        if data:
            self.heard += data
        else:
            self._loop.remove_reader(mine.fileno())
            mine.close()

    def say(self, data: bytes) -> None:
        assert self._mine is not None
        with contextlib.suppress(OSError):
            self._mine.send(data)

    def pull(self) -> None:
        self._there = False
        if self._mine is not None and self._mine.fileno() >= 0:
            self._loop.remove_reader(self._mine.fileno())
            self._mine.close()

    def put_back(self) -> None:
        self._there = True

    def finish(self) -> None:
        self.pull()

    def wrapped(self, data: bytes) -> bytes:
        return Piece(0x01, data).encode()

    def unwrapped(self, data: bytes) -> bytes:
        return b"".join(piece.data for piece in pieces(data))


class Rfc2217End(End):
    """A serial server in threads: pyserial's own server side, and a line that goes nowhere."""

    async def begin(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.number = self._server.getsockname()[1]
        self.url = f"rfc2217://127.0.0.1:{self.number}"
        self._client: socket.socket | None = None
        self._manager: PortManager | None = None
        self.line = serial.serial_for_url("loop://")
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                self._client, _ = self._server.accept()
            except OSError:
                return
            client = self._client
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._manager = PortManager(self.line, _Writer(client))
            with contextlib.suppress(OSError):
                while data := client.recv(4096):
                    self.heard += b"".join(self._manager.filter(data))
            client.close()

    def say(self, data: bytes) -> None:
        assert self._client is not None
        assert self._manager is not None
        with contextlib.suppress(OSError):
            self._client.sendall(b"".join(self._manager.escape(data)))

    def pull(self) -> None:
        if self._client is not None:
            with contextlib.suppress(OSError):
                self._client.shutdown(socket.SHUT_RDWR)

    def put_back(self) -> None:
        return None

    def finish(self) -> None:
        self.pull()
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._thread.join(5)
        self.line.close()


class _Writer:
    """What pyserial's server side wants of a connection."""

    def __init__(self, client: socket.socket) -> None:
        self._client = client

    def write(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            self._client.sendall(data)


KINDS = ("serial", "tcp", "rfc2217", "cdc", "ftdi", "cedar", "dogwood", "hid")


def end_of(kind: str, path: Path, patch: pytest.MonkeyPatch) -> End:
    makers: dict[str, Callable[[], End]] = {
        "serial": lambda: SerialEnd(path / "port"),
        "tcp": TcpEnd,
        "rfc2217": Rfc2217End,
        "hid": lambda: HidEnd(path / "node", patch),
    }
    return makers.get(kind, lambda: UsbEnd(kind))()


@contextlib.asynccontextmanager
async def standing(end: End) -> AsyncIterator[End]:
    """The end is there, and goes without leaving anything on the loop."""
    await end.begin()
    try:
        yield end
    finally:
        end.finish()
        await asyncio.sleep(0.02)
