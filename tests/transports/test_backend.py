"""pyusb over USB/IP: what libusb would give, errors included. The devices are on this loop, the calls in threads."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import pytest
import usb.core
import usb.util

from protocols.alder.datasheet import USB as ALDER
from protocols.cedar.datasheet import USB as CEDAR
from protocols.piece import Piece, Tail, pieces
from shoectl.transports.threads import in_thread
from shoectl.transports.usbip_backend import UsbipBackend
from tests.transports.ends import SERIAL, UsbEnd, standing
from tests.transports.hosts import open_things, until

TIMEOUT, PIPE, OVERFLOW, GONE, BUSY, IO = -7, -9, -8, -4, -6, -1


@pytest.fixture
async def end() -> AsyncIterator[UsbEnd]:
    made = UsbEnd("cedar")
    async with standing(made):
        yield made


def backend(end: UsbEnd) -> UsbipBackend:
    return UsbipBackend("127.0.0.1", end.number)


async def call(what: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    async with asyncio.timeout(5):
        return await in_thread(partial(what, *arguments, **named))


async def opened(end: UsbEnd) -> usb.core.Device:
    def body() -> usb.core.Device:
        device = usb.core.find(backend=backend(end))
        device.set_configuration()
        return device

    return await call(body)


async def closed(device: usb.core.Device) -> None:
    await call(usb.util.dispose_resources, device)


async def fails(what: Callable[..., Any], *arguments: Any) -> usb.core.USBError:
    with pytest.raises(usb.core.USBError) as caught:
        await call(what, *arguments)
    return caught.value


async def test_descriptors_and_strings_are_those_of_the_document(end: UsbEnd) -> None:
    device = await opened(end)
    configuration = device.get_active_configuration()
    interface = configuration[(0, 0)]
    told = [(each.bEndpointAddress, each.bmAttributes, each.wMaxPacketSize, each.bInterval) for each in interface]
    assert (device.idVendor, device.idProduct, device.bcdUSB, device.bcdDevice) == (0x1209, 0x5C01, 0x200, 0x100)
    assert (interface.bInterfaceClass, interface.bInterfaceSubClass, interface.bInterfaceProtocol) == (0xFF, 0x5C, 1)
    assert told == [(1, 2, 512, 0), (0x81, 2, 512, 0), (0x82, 3, 16, 7)]
    assert await call(lambda: (device.manufacturer, device.product, device.serial_number)) == (
        "maker", "model", SERIAL,
    )  # fmt: skip
    raw = await call(device.ctrl_transfer, 0x80, 6, 0x0200, 0, 255)
    assert raw.tobytes() == CEDAR.configurations["high"]
    qualifier = await call(device.ctrl_transfer, 0x80, 6, 0x0600, 0, 255)
    assert qualifier.tobytes() == CEDAR.qualifier
    other = await call(device.ctrl_transfer, 0x80, 6, 0x0700, 0, 255)
    assert other[1] == 7
    assert other.tobytes()[2:] == CEDAR.configurations["full"][2:]
    await closed(device)


async def test_an_association_of_interfaces_is_passed_over() -> None:
    async with standing(UsbEnd("cdc")) as end:
        assert isinstance(end, UsbEnd)
        device = await opened(end)
        interfaces = [(each.bInterfaceClass, [point.bEndpointAddress for point in each]) for each in device[0]]
        assert interfaces == [(2, [0x83]), (10, [0x02, 0x82])]
        assert bytes(device[0].extra_descriptors) == ALDER.configurations["full"][9:17]
        assert len(bytes(device[0][(0, 0)].extra_descriptors)) == 19
        await closed(device)


async def test_a_time_out_takes_the_transfer_back_and_what_comes_later_is_not_lost(end: UsbEnd) -> None:
    device = await opened(end)
    loop = asyncio.get_running_loop()
    began = loop.time()
    error = await fails(device.read, 0x81, 512, 100)
    assert isinstance(error, usb.core.USBTimeoutError)
    assert (error.errno, error.backend_error_code) == (errno.ETIMEDOUT, TIMEOUT)
    assert 0.09 < loop.time() - began < 0.5
    assert not end.device.pipes[0x81].waiting
    end.say(b"late")
    assert (await call(device.read, 0x81, 512, 1000)).tobytes() == b"late"
    await closed(device)


async def test_half_a_transfer_that_timed_out_stays_with_the_device(end: UsbEnd) -> None:
    device = await opened(end)
    end.port.write(Piece(0x81, b"a" * 512, Tail.MORE).encode())
    assert (await fails(device.read, 0x81, 1024, 50)).backend_error_code == TIMEOUT
    end.say(b"b")
    assert (await call(device.read, 0x81, 1024, 1000)).tobytes() == b"a" * 512 + b"b"
    await closed(device)


@pytest.mark.parametrize("size", [1, 511, 512, 513, 1024, 4096])
async def test_a_read_ends_with_a_short_packet_an_empty_one_too_or_when_it_is_full(end: UsbEnd, size: int) -> None:
    device = await opened(end)
    end.say(bytes(size))
    assert len(await call(device.read, 0x81, 8192, 1000)) == size
    end.say(bytes(size))
    end.say(b"x")
    whole = -(-size // 512) * 512
    assert len(await call(device.read, 0x81, whole, 1000)) == size
    rest = (await call(device.read, 0x81, 512, 1000)).tobytes()
    assert rest == (b"" if size == whole else b"x")
    await closed(device)


async def test_babble_stall_and_noise_have_libusbs_codes(end: UsbEnd) -> None:
    device = await opened(end)
    pipe = end.device.pipes[0x81]
    end.say(bytes(64))
    error = await fails(device.read, 0x81, 8, 500)
    assert (error.errno, error.backend_error_code) == (errno.EOVERFLOW, OVERFLOW)
    pipe.halt(2)
    for _ in range(2):
        error = await fails(device.read, 0x81, 512, 500)
        assert (error.errno, error.backend_error_code) == (errno.EPIPE, PIPE)
        assert (await call(device.ctrl_transfer, 0x82, 0, 0, 0x81, 2)).tobytes() == b"\1\0"
        await call(device.clear_halt, 0x81)
    end.say(b"again")
    assert (await call(device.read, 0x81, 512, 500)).tobytes() == b"again"
    pipe.fail(errno.EPROTO)
    error = await fails(device.read, 0x81, 512, 500)
    assert (error.errno, error.backend_error_code) == (errno.EIO, IO)
    await closed(device)


async def test_a_refused_request_is_a_pipe_error(end: UsbEnd) -> None:
    device = await opened(end)
    for setup in (
        (0x80, 6, 0x0900, 0, 8),
        (0x01, 11, 1, 0),
        (0x00, 9, 7, 0),
        (0x81, 6, 0x2200, 0, 8),
        (0x80, 7, 0, 0, 8),
    ):
        assert (await fails(device.ctrl_transfer, *setup)).backend_error_code == PIPE
    await closed(device)


async def test_a_plug_that_is_pulled_ends_every_wait_at_once(end: UsbEnd) -> None:
    device = await opened(end)
    reads = [in_thread(partial(device.read, address, 512, 5000)) for address in (0x81, 0x82)]
    await until(lambda: all(end.device.pipes[address].waiting for address in (0x81, 0x82)))
    end.pull()
    async with asyncio.timeout(0.5):
        results = await asyncio.gather(*reads, return_exceptions=True)
    assert [(one.errno, one.backend_error_code) for one in results if isinstance(one, usb.core.USBError)] == [
        (errno.ENODEV, GONE)
    ] * 2
    assert (await fails(device.write, 1, b"x", 500)).backend_error_code == GONE
    await closed(device)


async def test_one_host_at_a_time_and_who_comes_second_still_sees_that_there_is_one(end: UsbEnd) -> None:
    first = await opened(end)
    second = await call(usb.core.find, backend=backend(end))
    assert (second.idVendor, second.idProduct) == (0x1209, 0x5C01)
    assert (await fails(usb.util.get_string, second, second.iSerialNumber, 0x409)).backend_error_code == BUSY
    assert (await fails(second.set_configuration)).backend_error_code == BUSY
    await closed(first)
    third = await opened(end)
    await closed(third)


async def test_a_reset_keeps_the_configuration_and_tells_the_device(end: UsbEnd) -> None:
    device = await opened(end)
    end.say(b"of before")
    await call(device.reset)
    device = await opened(end)
    end.say(b"of after")
    assert (await call(device.read, 0x81, 512, 500)).tobytes() == b"of after"
    await closed(device)


async def test_a_device_that_answers_no_request_leaves_the_next_one_its_turn(end: UsbEnd) -> None:
    end.function._heard = lambda data: [  # type: ignore[union-attr]
        end.port.write(Piece(0x80, b"yes").encode()) for piece in pieces(data) if piece.ep == 0 and piece.data[1] == 1
    ]
    device = await opened(end)
    assert (await fails(device.ctrl_transfer, 0xC1, 9, 0, 0, 8, 50)).backend_error_code == TIMEOUT
    assert (await call(device.ctrl_transfer, 0xC1, 1, 0, 0, 8, 500)).tobytes() == b"yes"
    await closed(device)


async def test_opening_and_closing_leaves_nothing(end: UsbEnd) -> None:
    await closed(await opened(end))
    before = open_things()
    for _ in range(10):
        await closed(await opened(end))
    await until(lambda: open_things() <= before)


async def test_a_server_that_is_none_or_says_rubbish_is_an_error_of_the_system() -> None:
    async def rubbish(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n")
        writer.close()

    server = await asyncio.start_server(rubbish, "127.0.0.1", 0)
    number = server.sockets[0].getsockname()[1]
    with pytest.raises(OSError, match=r"version 0x4854"):
        await call(lambda: list(UsbipBackend("127.0.0.1", number).enumerate_devices()))
    server.close()
    with pytest.raises(ConnectionRefusedError):
        await call(lambda: list(UsbipBackend("127.0.0.1", number).enumerate_devices()))
