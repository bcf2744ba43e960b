"""What a simulated bus can be made to do, seen through the transport: halts, babble, empty and cut packets, sleep."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator

import pytest

from firmware_sim.usb.serial import rate_of
from protocols.piece import Piece, Tail, pieces
from shoectl.transports import open_transport, usb_device
from shoectl.transports.usb_serial import divisor_of
from tests.transports.ends import UsbEnd, standing
from tests.transports.hosts import Host, until


@pytest.fixture
async def cedar() -> AsyncIterator[UsbEnd]:
    made = UsbEnd("cedar")
    async with standing(made):
        yield made


@pytest.fixture
async def adapter() -> AsyncIterator[UsbEnd]:
    made = UsbEnd("ftdi")
    async with standing(made):
        yield made


async def test_each_end_of_a_transfer_is_told_and_nothing_else_is_one(cedar: UsbEnd) -> None:
    host = await Host(cedar.url).open()
    cedar.port.write(Piece(0x81, bytes(4096), Tail.MORE).encode())
    cedar.port.write(Piece(0x81, b"end").encode())
    await until(lambda: len(pieces(host.heard)) >= 2)
    assert [(len(piece.data), piece.tail) for piece in pieces(host.heard)] == [(4096, Tail.MORE), (3, Tail.END)]
    host.heard.clear()
    cedar.say(bytes(4096))
    await until(lambda: len(pieces(host.heard)) >= 2)
    assert [(len(piece.data), piece.tail) for piece in pieces(host.heard)] == [(4096, Tail.MORE), (0, Tail.END)]
    await host.transport.close()


async def test_full_packets_that_a_time_out_brought_are_no_end(cedar: UsbEnd) -> None:
    taken: list[tuple[bytes, bool]] = []
    host = await Host(cedar.url).open()
    threads = host.transport._port  # type: ignore[attr-defined]
    threads.carrier.came = lambda source, data, over: taken.append((data, over)) or b""
    (source,) = [each for each in threads.carrier.inputs if not each.interrupt]
    for data, in_time in ((bytes(512), False), (bytes(512), True), (bytes(511), False), (b"", True)):
        threads._take(source, data, in_time=in_time)
    assert taken == [(bytes(512), False), (bytes(512), True), (bytes(511), True), (b"", True)]
    await host.transport.close()


async def test_reports_of_an_interrupt_endpoint_come_beside_the_bulk_ones(cedar: UsbEnd) -> None:
    host = await Host(cedar.url).open()
    for number in range(3):
        cedar.port.write(Piece(0x82, bytes([number]) * 16).encode())
        cedar.say(bytes([number]))
    await until(lambda: len(pieces(host.heard)) == 6)
    bells = [piece for piece in pieces(host.heard) if piece.ep == 0x82]
    assert [(piece.data, piece.tail) for piece in bells] == [(bytes([n]) * 16, Tail.END) for n in range(3)]
    await host.transport.close()


async def test_nobody_fetches_reports_then_the_newest_stay(cedar: UsbEnd) -> None:
    cedar.device.configuration = 1
    for number in range(30):
        cedar.port.write(Piece(0x82, bytes([number]) * 16).encode())
    packets = cedar.device.into_host(0x82).packets
    assert [packet[0] for packet in packets] == list(range(22, 30))
    cedar.device.configuration = 0


async def test_requests_are_answered_in_order_and_before_what_follows_is_sent(cedar: UsbEnd) -> None:
    order: list[tuple[int, bytes]] = []

    def treat(data: bytes) -> None:
        for piece in pieces(data):
            order.append((piece.ep, piece.data))
            if piece.ep == 0:
                refused = piece.data[1] == 4
                answer = Piece(0x80, b"" if refused else b"resume", Tail.STALL if refused else Tail.END)
                asyncio.get_running_loop().call_later(0.02, cedar.port.write, answer.encode())

    cedar.function._heard = treat  # type: ignore[union-attr]
    host = await Host(cedar.url).open()
    good, bad = bytes.fromhex("C1 01 00 00 00 00 12 00"), bytes.fromhex("C1 04 00 00 01 00 FF 00")
    host.transport.write(Piece(0, good).encode() + Piece(1, b"frame").encode() + Piece(0, bad).encode())
    await until(lambda: len(pieces(host.heard)) == 2)
    assert order == [(0, good), (1, b"frame"), (0, bad)]
    assert pieces(host.heard) == [Piece(0x80, b"resume"), Piece(0x80, b"", Tail.STALL)]
    await host.transport.close()


async def test_a_request_that_is_not_answered_in_time_counts_as_refused(
    cedar: UsbEnd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usb_device, "REQUEST_MS", 60)
    host = await Host(cedar.url).open()
    host.transport.write(Piece(0, bytes.fromhex("C1 01 00 00 00 00 12 00")).encode())
    await until(lambda: host.heard)
    assert pieces(host.heard) == [Piece(0x80, b"", Tail.STALL)]
    host.transport.write(Piece(1, b"still there").encode())
    await until(lambda: cedar.heard.endswith(b"still there"))
    await host.transport.close()


async def test_a_message_cut_by_a_short_packet_comes_as_two_transfers(cedar: UsbEnd) -> None:
    host = await Host(cedar.url).open()
    cedar.device.into_host(0x81).cut(10)
    cedar.say(bytes(range(30)))
    await until(lambda: len(pieces(host.heard)) == 2)
    assert [piece.data for piece in pieces(host.heard)] == [bytes(range(10)), bytes(range(10, 30))]
    await host.transport.close()


async def test_a_bus_that_sleeps_loses_nothing(cedar: UsbEnd) -> None:
    host = await Host(cedar.url).open()
    cedar.device.suspend()
    cedar.say(b"from the device")
    host.transport.write(cedar.wrapped(b"from the host"))
    await asyncio.sleep(0.25)
    assert (cedar.heard, host.heard) == (b"", b"")
    cedar.device.resume()
    await until(lambda: cedar.heard == b"from the host" and cedar.unwrapped(host.heard) == b"from the device")
    assert host.losses == []
    await host.transport.close()


async def test_a_write_that_stalls_is_sent_again_once_the_halt_is_cleared(
    cedar: UsbEnd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usb_device, "PAUSE_S", 0.01)
    host = await Host(cedar.url).open()
    cedar.device.pipes[0x01].halt(3)
    host.transport.write(cedar.wrapped(b"frame"))
    await until(lambda: cedar.heard == b"frame")
    cedar.device.pipes[0x01].halt(4)
    host.transport.write(cedar.wrapped(b"frame"))
    assert "stalls again and again" in str(await host.loses())
    await host.transport.close()


async def test_noise_on_the_cable_ends_the_connection(cedar: UsbEnd) -> None:
    host = await Host(cedar.url).open()
    cedar.device.pipes[0x82].fail(errno.EPROTO)
    assert "was lost (Input/output error)" in str(await host.loses())
    await host.transport.close()


async def test_an_adapter_is_set_as_the_system_would_and_lets_go_at_the_end(adapter: UsbEnd) -> None:
    chip = adapter.function
    host = await Host(adapter.url + "&baud=38400").open()
    assert (chip.rate, chip.format, chip.latency_ms, chip.lines) == (38_400, 8, 4, 3)  # type: ignore[union-attr]
    await host.transport.close()
    await until(lambda: (chip.lines, chip.latency_ms) == (0, 16))  # type: ignore[union-attr]


async def test_a_port_of_its_own_is_set_too() -> None:
    async with standing(UsbEnd("cdc")) as end:
        assert isinstance(end, UsbEnd)
        end.say(b"nobody listens")
        host = await Host(end.url + "&baud=115200").open()
        assert end.function.coding == bytes.fromhex("00C20100 00 00 08")  # type: ignore[union-attr]
        await asyncio.sleep(0.05)
        assert host.heard == b""
        state = list(end.device.into_host(0x83).packets)
        assert b"".join(state) == bytes.fromhex("A1 20 00 00 00 00 02 00 03 00")
        await host.transport.close()
        assert end.function.lines == 0  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "baud", [300, 9_600, 19_200, 38_400, 57_600, 115_200, 921_600, 1_000_000, 2_000_000, 3_000_000]
)
def test_a_divisor_gives_the_rate_that_was_asked_for(baud: int) -> None:
    assert abs(rate_of(*divisor_of(baud)) - baud) / baud < 0.03


def test_divisors_are_those_of_the_kernels_driver() -> None:
    assert divisor_of(9_600) == (0x4138, 0)
    assert divisor_of(57_600) == (0xC034, 0)
    assert divisor_of(115_200) == (0x001A, 0)
    assert divisor_of(3_000_000) == (0, 0)


@pytest.mark.parametrize(
    ("server", "told"),
    [("127.0.0.1:3240", 0), ("localhost:3240", 0), ("[::1]:3240", 0), ("10.0.0.7:1", 1), ("hub:1", 1)],
)
def test_a_network_that_others_may_read_is_told(server: str, told: int) -> None:
    notices = open_transport(f"usb://1209:5c01?usbip={server}").notices
    assert ["in plain text" in notice for notice in notices] == [True] * told
