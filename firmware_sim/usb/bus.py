"""A bus with devices on it, offered over TCP (USB/IP): Linux attaches them with `usbip attach`, as if they were real.

The few libraries for this run threads of their own and do not let a test break what it wants to break; the devices here
live on the simulator's loop like every other line.
"""

from __future__ import annotations

import asyncio
import errno
import struct
from contextlib import suppress
from dataclasses import dataclass, field

from firmware_sim.usb.device import UsbDevice
from firmware_sim.usb.transfers import Pipe, Transfer
from protocols import usbip
from protocols.usbip import Exported, ImportStatus, Op, Submit, Submitted, Unlink, Unlinked

BUS = 1
FIRST_NUMBER = 2  # 1 is the hub
ZERO_PACKET = 0x40
"""The flag by which the kernel asks for an empty packet at the end of an OUT transfer."""

WAITING_OUT = 1 << 20
"""Bytes on their way to a host that reads no more."""

CLIENTS = 64
"""Connections at a time; whoever calls then is hung up on."""

ASK_WITHIN_S = 10.0
"""Seconds for a connection to say what it wants."""

TRANSFERS, TRANSFER_BYTES = 1024, 4 << 20
"""What may wait of one host: transfers, and bytes for the device in them. A host that asks for more is thrown out."""


@dataclass(eq=False)
class Socket:
    """A place on the bus and what is plugged in there."""

    bus_id: str
    device: UsbDevice
    number: int
    host: Host | None = None

    def exported(self) -> Exported:
        """As the list tells it."""
        plate = self.device.plate
        told = plate.plug.device
        return Exported(
            path=f"/sys/devices/simulated/usb{BUS}/{self.bus_id}",
            bus_id=self.bus_id,
            bus=BUS,
            number=self.number,
            speed=plate.speed,
            vendor=plate.plug.vendor,
            product=plate.plug.product,
            release=int.from_bytes(told[12:14], "little"),
            device_class=(told[4], told[5], told[6]),
            configuration=plate.configuration[5],
            configurations=told[17],
            interface_count=plate.configuration[4],
            interfaces=tuple(plate.interfaces()),
        )


@dataclass(eq=False)
class Host:
    """One connection that has a device, and the transfers that it waits for."""

    writer: asyncio.StreamWriter
    waiting: dict[int, tuple[Pipe, Transfer]] = field(default_factory=dict)

    def has_room(self, seq: int, data: bytes) -> bool:
        """Whether one more transfer may wait. A number that waits already would hide the first of them."""
        size = len(data) + sum(len(transfer.data) for _, transfer in self.waiting.values())
        return seq not in self.waiting and len(self.waiting) < TRANSFERS and size <= TRANSFER_BYTES

    def say(self, data: bytes) -> None:
        """To the host, unless it is gone. One that reads no more is thrown out."""
        if self.writer.transport.get_write_buffer_size() > WAITING_OUT:
            self.writer.transport.abort()
        elif not self.writer.is_closing():
            self.writer.write(data)


class Bus:
    """Any number of devices at one address. Each can be taken by one host at a time."""

    def __init__(self) -> None:
        self.sockets: dict[str, Socket] = {}
        self._numbers = FIRST_NUMBER
        self._places = 0
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.StreamWriter] = set()

    async def listen(self, host: str, port: int) -> int:
        """Begin; the port, which was chosen where 0 was asked for. Raises OSError."""
        self._server = await asyncio.start_server(self._connected, host, port)
        return int(self._server.sockets[0].getsockname()[1])

    def close(self) -> None:
        """Throw everybody out and listen no more."""
        for bus_id in list(self.sockets):
            self.unplug(bus_id)
        if self._server is not None:
            self._server.close()
        for writer in self._clients:
            writer.transport.abort()

    def plug(self, device: UsbDevice, bus_id: str = "") -> str:
        """Plug a device in, at a new place or at one that is free; its number is always new. The place."""
        if not bus_id:
            self._places += 1
            bus_id = f"{BUS}-{self._places}"
        assert bus_id not in self.sockets
        self.sockets[bus_id] = Socket(bus_id, device, self._numbers)
        self._numbers += 1
        return bus_id

    def unplug(self, bus_id: str) -> None:
        """Pull it out: a host that has it loses the connection at once."""
        socket = self.sockets.pop(bus_id)
        host, socket.host = socket.host, None
        if host is not None:
            host.writer.transport.abort()
        socket.device.reset()

    # connections

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._clients) >= CLIENTS:
            writer.transport.abort()
            return
        self._clients.add(writer)
        try:
            async with asyncio.timeout(ASK_WITHIN_S):
                socket = await self._asked(reader, writer)
            if socket is not None:
                await self._imported(socket, reader, writer)
        except (ConnectionError, TimeoutError, asyncio.IncompleteReadError, usbip.BadUsbip, struct.error):
            pass
        finally:
            self._clients.discard(writer)
            with suppress(ConnectionError):
                writer.close()

    async def _asked(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Socket | None:
        """The first request of a connection: the list, or a device, which is returned if it can be had."""
        code, _ = usbip.decode_op(await reader.readexactly(usbip.OP.size))
        if code == Op.REQUEST_LIST:
            listed = [socket.exported().encode_listed() for socket in self.sockets.values()]
            writer.write(usbip.encode_op(Op.REPLY_LIST) + usbip.COUNT.pack(len(listed)) + b"".join(listed))
        elif code == Op.REQUEST_IMPORT:
            wanted = usbip.BUS_ID.unpack(await reader.readexactly(usbip.BUS_ID.size))[0]
            socket = self.sockets.get(wanted.partition(b"\0")[0].decode("ascii", "replace"))
            if socket is not None and socket.host is None:
                socket.host = Host(writer)
                writer.write(usbip.encode_op(Op.REPLY_IMPORT) + socket.exported().encode())
                return socket
            status = ImportStatus.BUSY if socket else ImportStatus.NOT_THERE
            writer.write(usbip.encode_op(Op.REPLY_IMPORT, status))
        return None

    async def _imported(self, socket: Socket, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host = socket.host
        assert host is not None
        socket.device.reset()
        try:
            while True:
                asked = usbip.decode_header(await reader.readexactly(usbip.HEADER.size))
                if isinstance(asked, Submit):
                    data = b"" if asked.into_host else await reader.readexactly(asked.length)
                    if socket.host is host:
                        _submit(socket.device, host, asked, data)
                elif isinstance(asked, Unlink):
                    host.say(_unlink(host, asked).encode())
        finally:
            if socket.host is host:
                socket.host = None
                socket.device.reset()
            host.waiting.clear()


def _submit(device: UsbDevice, host: Host, asked: Submit, data: bytes) -> None:
    if not host.has_room(asked.seq, data):
        raise usbip.BadUsbip("more transfers than may wait")

    def done(status: int, length: int, came: bytes) -> None:
        host.waiting.pop(asked.seq, None)
        host.say(Submitted(asked.seq, status, length).encode(came if asked.into_host else b""))

    room = asked.length if asked.into_host else 0
    transfer = Transfer(done, asked.into_host, room, data, bool(asked.flags & ZERO_PACKET))
    pipe = device.ask(asked.endpoint, asked.setup, transfer)
    if pipe is not None and transfer in pipe.waiting:
        host.waiting[asked.seq] = (pipe, transfer)


def _unlink(host: Host, asked: Unlink) -> Unlinked:
    pipe, transfer = host.waiting.pop(asked.of, (None, None))
    taken = pipe is not None and transfer is not None and pipe.take_back(transfer)
    return Unlinked(asked.seq, -errno.ECONNRESET if taken else 0)
