"""The USB/IP server of the simulator, as a kernel would talk to it: bytes on a socket."""

from __future__ import annotations

import asyncio
import contextlib
import errno
from collections.abc import AsyncIterator

import pytest

from firmware_sim.hosts import tcp
from firmware_sim.usb import bus
from firmware_sim.usb.descriptors import Plate
from firmware_sim.usb.device import UsbDevice
from firmware_sim.usb.pieces import PieceFunction
from firmware_sim.usb.port import UsbPort
from protocols import usbip
from protocols.dogwood.datasheet import USB as DOGWOOD
from protocols.usbip import Command, ImportStatus, Op, Submit, Unlink
from tests.transports.ends import TcpEnd, UsbEnd, standing
from tests.transports.hosts import until

SET_CONFIGURATION = bytes.fromhex("00 09 01 00 00 00 00 00")


@pytest.fixture
async def end() -> AsyncIterator[UsbEnd]:
    made = UsbEnd("cedar")
    async with standing(made):
        yield made


class Kernel:
    """One connection."""

    def __init__(self, end: UsbEnd) -> None:
        self.end = end
        self.wanted: set[int] = set()  # transfers that bring bytes

    async def connect(self) -> Kernel:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.end.number)
        return self

    async def take(self, bus_id: str = "1-1") -> int:
        """The status of an import."""
        self.writer.write(usbip.encode_op(Op.REQUEST_IMPORT) + bus_id.encode().ljust(32, b"\0"))
        code, status = usbip.decode_op(await self.reader.readexactly(8))
        assert code == Op.REPLY_IMPORT
        if not status:
            self.device = usbip.decode_device(await self.reader.readexactly(312))
        return status

    def ask(self, seq: int, endpoint: int, *, room: int = 0, data: bytes = b"", setup: bytes = bytes(8)) -> None:
        into_host = bool(endpoint & 0x80)
        length = room if into_host else len(data)
        self.wanted |= {seq} if into_host else set()
        asked = Submit(seq, self.device.device_id, into_host, endpoint & 15, length, setup, data)
        self.writer.write(asked.encode())

    def take_back(self, seq: int, of: int) -> None:
        self.writer.write(Unlink(seq, self.device.device_id, of).encode())

    async def told(self) -> tuple[int, int, int]:
        """Command, number and status of what comes next."""
        data = await asyncio.wait_for(self.reader.readexactly(48), 2)
        numbers = [int.from_bytes(data[at : at + 4], "big", signed=True) for at in range(0, 48, 4)]
        assert numbers[2:5] == [0, 0, 0]
        coming = numbers[6] if numbers[1] in self.wanted and numbers[0] == Command.SUBMITTED else 0
        self.data = await asyncio.wait_for(self.reader.readexactly(coming), 2)
        return numbers[0], numbers[1], numbers[5]

    async def configured(self) -> Kernel:
        await self.connect()
        assert await self.take() == 0
        self.writer.write(Submit(1, self.device.device_id, False, 0, 0, SET_CONFIGURATION).encode())
        assert await self.told() == (Command.SUBMITTED, 1, 0)
        return self

    async def hang_up(self) -> None:
        self.writer.close()
        await asyncio.sleep(0.02)


async def test_all_devices_are_listed_and_each_has_its_number(end: UsbEnd) -> None:
    function = PieceFunction(lambda data: None, lambda: None)
    plate = Plate(DOGWOOD, ("m", "m", "D"))
    second = UsbPort(end.bus, UsbDevice(plate, function), function, lambda: plate)
    kernel = await Kernel(end).connect()
    kernel.writer.write(usbip.encode_op(Op.REQUEST_LIST))
    data = await kernel.reader.read()
    assert data[:12] == bytes.fromhex("0111 0005 00000000 00000002")
    first = usbip.decode_device(data[12 : 12 + 312])
    assert (first.bus_id, first.bus, first.number, first.speed, first.vendor, first.product) == (
        "1-1",
        1,
        2,
        3,
        0x1209,
        0x5C01,
    )
    assert data[324:328] == bytes.fromhex("FF 5C 01 00")
    other = usbip.decode_device(data[328 : 328 + 312])
    assert (other.bus_id, other.number, other.speed, other.product) == ("1-2", 3, 2, 0x5C02)
    assert data[640:] == bytes.fromhex("03 00 00 00")
    second.close()
    await kernel.hang_up()


async def test_a_device_is_given_to_one_and_free_when_that_one_is_gone(end: UsbEnd) -> None:
    first, second = await Kernel(end).configured(), await Kernel(end).connect()
    assert await second.take() == ImportStatus.BUSY
    third = await Kernel(end).connect()
    assert await third.take("9-9") == ImportStatus.NOT_THERE
    await first.hang_up()
    assert end.device.configuration == 0
    fourth = await Kernel(end).connect()
    assert await fourth.take() == 0
    for each in (second, third, fourth):
        await each.hang_up()


async def test_a_transfer_that_is_taken_back_ends_once_and_the_next_one_gets_the_data(end: UsbEnd) -> None:
    kernel = await Kernel(end).configured()
    kernel.ask(2, 0x81, room=512)
    kernel.ask(3, 0x81, room=512)
    kernel.take_back(4, of=2)
    assert await kernel.told() == (Command.UNLINKED, 4, -errno.ECONNRESET)
    end.say(b"data")
    assert await kernel.told() == (Command.SUBMITTED, 3, 0)
    assert kernel.data == b"data"
    kernel.take_back(5, of=3)
    assert await kernel.told() == (Command.UNLINKED, 5, 0)
    kernel.take_back(6, of=99)
    assert await kernel.told() == (Command.UNLINKED, 6, 0)
    await kernel.hang_up()


async def test_an_endpoint_that_is_not_there_stalls_and_so_do_all_before_the_configuration(end: UsbEnd) -> None:
    kernel = await Kernel(end).connect()
    assert await kernel.take() == 0
    kernel.ask(1, 0x81, room=64)
    assert await kernel.told() == (Command.SUBMITTED, 1, -errno.EPIPE)
    await kernel.hang_up()
    kernel = await Kernel(end).configured()
    kernel.ask(2, 0x8F, room=64)
    assert await kernel.told() == (Command.SUBMITTED, 2, -errno.EPIPE)
    await kernel.hang_up()


async def test_another_configuration_ends_what_was_under_way(end: UsbEnd) -> None:
    kernel = await Kernel(end).configured()
    kernel.ask(2, 0x81, room=64)
    kernel.ask(3, 0x00, setup=SET_CONFIGURATION)
    assert await kernel.told() == (Command.SUBMITTED, 2, -errno.ESHUTDOWN)
    assert await kernel.told() == (Command.SUBMITTED, 3, 0)
    await kernel.hang_up()


@pytest.mark.parametrize("rubbish", [b"GET / HTTP/1.1\r\n\r\n", bytes(64), b"\x01\x11", usbip.encode_op(Op.REPLY_LIST)])
async def test_rubbish_ends_that_connection_and_nothing_else(end: UsbEnd, rubbish: bytes) -> None:
    kernel = await Kernel(end).configured()
    other = await Kernel(end).connect()
    other.writer.write(rubbish)
    other.writer.write_eof()
    assert await asyncio.wait_for(other.reader.read(), 2) == b""
    kernel.ask(2, 0x01, data=b"frame")
    assert await kernel.told() == (Command.SUBMITTED, 2, 0)
    assert end.heard == b"frame"
    kernel.writer.write(bytes(48))
    assert await asyncio.wait_for(kernel.reader.read(), 2) == b""
    await until(lambda: end.device.configuration == 0)
    await kernel.hang_up()
    await other.hang_up()


@pytest.mark.parametrize("renamed", [False, True])
async def test_a_plug_that_is_pulled_drops_its_host_and_comes_back_under_another_number(
    end: UsbEnd, renamed: bool
) -> None:
    kernel = await Kernel(end).configured()
    kernel.ask(2, 0x81, room=64)
    end.port.drop(0.05, renamed=renamed)
    with pytest.raises(ConnectionError):
        await asyncio.wait_for(kernel.reader.readexactly(49), 1)
    assert end.bus.sockets == {}
    await until(lambda: end.bus.sockets)
    ((bus_id, socket),) = end.bus.sockets.items()
    assert (bus_id, socket.number) == ("1-2" if renamed else "1-1", 3)
    await kernel.hang_up()


async def test_the_systems_driver_for_hid_is_answered_without_the_device() -> None:
    end = UsbEnd("dogwood")
    heard: list[bytes] = []
    async with standing(end):
        end.function._heard = heard.append  # type: ignore[union-attr]
        kernel = await Kernel(end).configured()
        kernel.ask(2, 0x00, setup=bytes.fromhex("21 0A 00 00 00 00 00 00"))
        assert await kernel.told() == (Command.SUBMITTED, 2, 0)
        kernel.ask(3, 0x80, room=255, setup=bytes.fromhex("81 06 00 22 00 00 FF 00"))
        assert await kernel.told() == (Command.SUBMITTED, 3, 0)
        assert kernel.data == DOGWOOD.report
        assert heard == []
        await kernel.hang_up()


async def thrown_out(kernel: Kernel, end: UsbEnd) -> None:
    with contextlib.suppress(ConnectionError):
        while await asyncio.wait_for(kernel.reader.read(4096), 2):
            pass
    await until(lambda: end.device.configuration == 0)
    assert [list(pipe.waiting) for pipe in (*end.device.pipes.values(), end.device.requests)] == [[]] * 4
    await kernel.hang_up()
    end.device.resume()
    again = await Kernel(end).configured()
    await again.hang_up()


@pytest.mark.parametrize("endpoint", [0x80, 0x81])
async def test_a_host_has_so_many_transfers_under_way_and_no_more(end: UsbEnd, endpoint: int) -> None:
    kernel = await Kernel(end).configured()
    pipe = end.device.requests if endpoint == 0x80 else end.device.pipes[endpoint]
    pipe.hold(True)
    for seq in range(2, 2 + bus.TRANSFERS):
        kernel.ask(seq, endpoint, room=64)
    await until(lambda: len(pipe.waiting) == bus.TRANSFERS)
    kernel.take_back(5000, of=2)
    assert await kernel.told() == (Command.UNLINKED, 5000, -errno.ECONNRESET)
    kernel.ask(5001, endpoint, room=64)
    await until(lambda: len(pipe.waiting) == bus.TRANSFERS)
    kernel.ask(5002, endpoint, room=64)
    await thrown_out(kernel, end)


async def test_many_requests_that_waited_are_answered_one_after_the_other(end: UsbEnd) -> None:
    kernel = await Kernel(end).configured()
    end.device.requests.hold(True)
    last = 1 + bus.TRANSFERS
    for seq in range(2, last + 1):
        kernel.ask(seq, 0x00, setup=SET_CONFIGURATION)
    await until(lambda: len(end.device.requests.waiting) == bus.TRANSFERS)
    end.device.requests.hold(False)
    assert [await kernel.told() for _ in range(2, last + 1)] == [
        (Command.SUBMITTED, seq, 0) for seq in range(2, last + 1)
    ]
    await kernel.hang_up()


async def test_a_host_has_so_many_bytes_under_way_and_no_more(end: UsbEnd) -> None:
    kernel = await Kernel(end).configured()
    end.function.flow(False)
    held = end.device.pipes[0x01]
    for seq in range(2, 2 + bus.TRANSFER_BYTES // usbip.LONGEST):
        kernel.ask(seq, 0x01, data=bytes(usbip.LONGEST))
        await until(lambda: len(held.waiting) == seq - 1)  # noqa: B023
    kernel.ask(seq + 1, 0x01, data=b"x")
    await thrown_out(kernel, end)


async def test_a_number_that_waits_already_hides_no_transfer(end: UsbEnd) -> None:
    kernel = await Kernel(end).configured()
    kernel.ask(2, 0x81, room=64)
    kernel.ask(2, 0x81, room=64)
    await thrown_out(kernel, end)


async def test_more_connections_than_there_may_be_are_hung_up_on_and_silent_ones_in_time(
    end: UsbEnd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bus, "ASK_WITHIN_S", 0.3)
    host = await Kernel(end).configured()
    silent = [await Kernel(end).connect() for _ in range(bus.CLIENTS - 1)]
    await until(lambda: len(end.bus._clients) == bus.CLIENTS)
    late = await Kernel(end).connect()
    with contextlib.suppress(ConnectionError):
        assert await asyncio.wait_for(late.reader.read(), 2) == b""
    await until(lambda: len(end.bus._clients) == 1)
    host.ask(2, 0x01, data=b"frame")
    assert await host.told() == (Command.SUBMITTED, 2, 0)
    for each in (host, late, *silent):
        each.writer.close()
    await asyncio.sleep(0.02)


async def test_a_host_of_a_line_that_reads_no_more_is_hung_up_on() -> None:
    async with standing(made := TcpEnd()):
        _, writer = await asyncio.open_connection("127.0.0.1", made._number, limit=1024)
        await until(lambda: made._port._writer is not None)
        said = 0
        while made._port._writer is not None:
            made.say(bytes(1 << 16))
            said += 1 << 16
            assert said < 64 * tcp.WAITING_OUT
            await asyncio.sleep(0)
        writer.close()
        _, other = await asyncio.open_connection("127.0.0.1", made._number)
        await until(lambda: made._port._writer is not None)
        other.close()
        await asyncio.sleep(0.02)
