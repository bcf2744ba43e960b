"""USB/IP servers and devices that are broken, or wish us ill: a reason in one line, in time, nothing left behind."""

from __future__ import annotations

import asyncio
import errno
import socket
import threading
import time

import pytest

from protocols.cedar.datasheet import USB as CEDAR
from protocols.piece import Piece
from shoectl.discovery.attached import served
from shoectl.transports import TransportError, usb_find, usbip_client
from shoectl.transports.usbip_client import LEFT_OPEN, PATIENCE_S, Imported, listed
from tests.transports.hosts import Host, open_things, until
from tests.transports.stranger import CONFIGURATION, LANGUAGES, Stranger, string

SHORT = CEDAR.device[:5]
NO_CONFIGURATION = CEDAR.device[:17] + b"\0"
ONE_ENDPOINT_TOO_FEW = CONFIGURATION[:13] + bytes((CONFIGURATION[13] + 1,)) + CONFIGURATION[14:]
ISOCHRONOUS = CONFIGURATION.replace(b"\7\5\x81\2", b"\7\5\x81\1")
OTHER_CONFIGURATION = CONFIGURATION[:5] + b"\2" + CONFIGURATION[6:]
TOO_SHORT_CONFIGURATION = CONFIGURATION[:2] + b"\0\0" + CONFIGURATION[4:]
SURROGATE = string("\ud800\ud800")


async def refused(stranger: Stranger) -> str:
    before = threading.active_count()
    host = Host(stranger.url)
    with pytest.raises(TransportError) as caught:
        await host.open()
    await host.transport.close()
    await until(lambda: threading.active_count() <= before + 8)  # the server's own end later
    return str(caught.value)


@pytest.mark.parametrize(
    "told",
    [
        {(1, 0): b""},
        {(1, 0): SHORT},
        {(1, 0): NO_CONFIGURATION, (2, 0): b""},
        {(2, 0): b""},
        {(2, 0): bytes(9)},
        {(2, 0): TOO_SHORT_CONFIGURATION},
        {(2, 0): CONFIGURATION[:9] + b"\2\4" + CONFIGURATION[9:]},
        {(2, 0): ONE_ENDPOINT_TOO_FEW},
        {(2, 0): ISOCHRONOUS},
    ],
)
async def test_descriptors_that_are_none_are_a_reason_in_words(told: dict[tuple[int, int], bytes]) -> None:
    with Stranger(told=told).listening() as stranger:
        why = await refused(stranger)
    assert why.startswith("USB device 1209:5c01 ")
    assert "Error)" not in why


async def test_a_device_that_claims_more_configurations_than_are_read_is_set_to_one_that_was() -> None:
    told = {(1, 0): CEDAR.device[:17] + b"\x14", **{(2, n): OTHER_CONFIGURATION for n in range(8)}}
    with Stranger(told=told).listening() as stranger:
        host = await Host(stranger.url).open()
        await host.transport.close()


async def test_more_than_was_asked_for_at_endpoint_0_is_a_reason_in_words() -> None:
    with Stranger(longer=5000).listening() as stranger:
        assert "does not open" in await refused(stranger)


@pytest.mark.parametrize("serial", [SURROGATE, b"", b"\2", b"\xff\x03A\0"])
async def test_a_serial_number_that_is_no_text_is_none(serial: bytes) -> None:
    with Stranger(told={(3, 0): LANGUAGES, (3, 3): serial}).listening() as stranger:
        host = await Host(stranger.url).open()
        await host.transport.close()


async def test_what_a_device_calls_itself_does_not_steer_a_terminal() -> None:
    with Stranger(told={(3, 3): string("\x1b[2JCE\n1")}).listening() as stranger:
        url = stranger.url.replace("5c01?", "5c01/CE000042?")
        with pytest.raises(TransportError, match=r"\(\?\[2JCE\?1\)"):
            await Host(url).open()


@pytest.mark.parametrize("count", [1, 0xFFFF_FFFF])
def test_a_list_that_has_no_end_is_given_up(count: int) -> None:
    with Stranger(count=count, pause=0.02 if count == 1 else 0.0).listening() as stranger:
        began = time.monotonic()
        with pytest.raises(OSError, match=r"takes too long|timed out|lists 4294967295"):
            listed("127.0.0.1", stranger.number)
        assert time.monotonic() - began < 2 * PATIENCE_S


async def test_a_server_that_is_frozen_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usbip_client, "PATIENCE_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:  # the system takes the call, and nobody does
        host = Host(f"usb://1209:5c01?usbip=127.0.0.1:{server.getsockname()[1]}")
        with pytest.raises(TransportError, match=r"^no answer from 127\.0\.0\.1:\d+: check the USB/IP server$"):
            await host.open()
        await host.transport.close()


@pytest.mark.parametrize("stranger", [Stranger(count=1000, gives=False), Stranger(count=1000, slow=0.3)])
async def test_a_search_among_many_devices_ends_when_nobody_waits_any_more(
    stranger: Stranger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usb_find, "SEARCH_S", 1.0)
    began = time.monotonic()
    with stranger.listening():
        assert "takes too long to give the devices that it lists: check the USB/IP server" in await refused(stranger)
    assert time.monotonic() - began < 2


async def test_of_many_devices_of_a_kind_a_few_are_named() -> None:
    with Stranger(count=7).listening() as stranger:
        why = await refused(stranger)
    assert why.startswith("7 devices are a USB device 1209:5c01 (CE000042 at 1-1, ")
    assert why.endswith(", CE000042 at 1-1 and 3 more): name one: /SERIAL or ?plug=")


@pytest.mark.parametrize("bus_id", ["usbip-vudc.0", "1-x", "[/red]\x1b[2J\n", ""])
async def test_a_server_without_places_has_its_devices_named_by_their_ids(bus_id: str) -> None:
    with Stranger(bus_id=bus_id).listening() as stranger:
        (port,) = await asyncio.to_thread(served, "127.0.0.1", stranger.number)
        assert port.url == stranger.url
        host = await Host(port.url).open()
        await host.transport.close()


async def test_an_endpoint_that_takes_nothing_and_says_no_word_is_given_up_and_left_behind_by_nobody() -> None:
    with Stranger(taken=0).listening() as stranger:
        await asyncio.sleep(0)
        before = open_things()
        host = await Host(stranger.url).open()
        host.transport.write(Piece(0x01, b"something").encode())
        assert "takes no more bytes" in str(await host.loses())
        await host.transport.close()
        await until(lambda: open_things() <= before)


async def test_a_transfer_that_brings_more_than_was_asked_for_is_babble() -> None:
    with Stranger(brought=bytes(8192)).listening() as stranger:
        host = await Host(stranger.url).open()
        assert "sends more than it may" in str(await host.loses())
        await host.transport.close()


def test_what_a_transfer_brings_after_it_was_given_up_garbles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usbip_client, "PATIENCE_S", 0.1)
    with Stranger(late=0.3, unlinked=0).listening() as stranger:
        device = Imported("127.0.0.1", stranger.number, "1-1")
        with pytest.raises(OSError, match="no answer in time"):
            device.transfer(0x81, 0.05, room=512)
        setup = bytes.fromhex("80 06 00 01 00 00 12 00")
        assert device.transfer(0x80, 5.0, room=18, setup=setup) == (18, CEDAR.device)
        device.close()


async def test_a_device_that_is_gone_by_the_word_of_its_server_is_lost_and_leaves_nothing() -> None:
    with Stranger(unlinked=-errno.ENODEV).listening() as stranger:
        await asyncio.sleep(0)
        before = open_things()
        for _ in range(3):
            host = await Host(stranger.url).open()
            assert "was lost" in str(await host.loses())
            began = time.monotonic()
            await host.transport.close()
            assert time.monotonic() - began < 0.5
        await until(lambda: open_things() <= before)


@pytest.mark.parametrize("unlinked", [0, None])
def test_a_server_that_never_ends_what_was_given_up_is_hung_up_on(
    unlinked: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usbip_client, "PATIENCE_S", 0.05)
    with Stranger(unlinked=unlinked).listening() as stranger:
        device, numbers = Imported("127.0.0.1", stranger.number, "1-1"), []
        while errno.ENODEV not in numbers:
            assert len(numbers) <= LEFT_OPEN + 1
            with pytest.raises(OSError, match=r"no answer in time|the transfer failed") as caught:
                device.transfer(0x81, 0.001, room=512)
            numbers.append(caught.value.errno)
        assert len(numbers) > 3  # one that is only late is borne with
        device.close()
