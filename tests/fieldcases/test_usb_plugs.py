"""Field cases of USB: which device, who has it, what is left when it goes. Simulated devices, over USB/IP."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
import usb.core
from usb.core import USBError, USBTimeoutError

from firmware_sim.usb.device import UsbDevice
from shoectl.transports import TransportError, open_transport, usb_device, usb_find
from shoectl.transports.usbip_backend import UsbipBackend
from tests.devices.notes import Notes
from tests.fieldcases import given_back
from tests.fieldcases.probe import Probe
from tests.transports.cycles import DEVICES, cycles
from tests.transports.ends import UsbEnd, standing
from tests.transports.hosts import Host, open_things, until
from tests.transports.simulated import on_a_bus, stations


async def test_field_case_37_giving_up_a_pulled_device_leaves_nothing_even_where_it_fails(
    capfd: pytest.CaptureFixture[str],
) -> None:
    await given_back.pulled(20)
    assert capfd.readouterr().err == ""


async def test_field_case_39_nothing_is_given_back_while_a_thread_reads() -> None:
    assert await given_back.closed(8) < 1


async def test_field_case_40_devices_that_are_silent_delay_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are silent throughout, and a read waits for a minute: whatever had to wait for one would never come."""
    monkeypatch.setattr(usb_device, "READ_MS", 60_000)
    over = threading.Event()
    pool = ThreadPoolExecutor(2)
    asyncio.get_running_loop().set_default_executor(pool)
    ends = [UsbEnd("cedar") for _ in range(4)]
    hosts: list[Host] = []
    for end in ends:
        await end.begin()
        hosts.append(await Host(end.url).open())
    for silent in ends[1:]:
        silent.device.suspend()
    taken = [pool.submit(over.wait) for _ in range(2)]  # and the loop's own threads are all in use
    longest = 0.0
    async with Probe().running() as probe:
        for n in range(20):
            began = time.monotonic()
            ends[0].say(bytes([n]))
            await until(lambda: len(ends[0].unwrapped(hosts[0].heard)) == n + 1, every=0.001)  # noqa: B023
            longest = max(longest, time.monotonic() - began)
            await asyncio.sleep(0.02)
        assert len({thread.ident for thread in threading.enumerate() if thread.name == "shoectl-port"}) == 4 * 3
        assert not any(each.done() for each in taken)
        over.set()
    assert longest - 2 * probe.machine < 0.1
    for host, end in zip(hosts, ends, strict=True):
        end.pull()
        await host.loses()
        await host.transport.close()
        end.finish()
    await asyncio.sleep(0.02)


@pytest.mark.parametrize("plug", ["own", "ftdi"])
async def test_field_case_42_a_device_that_comes_back_as_another_one_of_its_bus_is_the_same_to_us(
    plug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Notes()
    async with on_a_bus("alder", plug=plug) as bus, stations(notes, {"alder": bus.url("alder")}) as made:
        station, port = made["alder"], bus.ports["alder"]
        await asyncio.wait_for(station.ready(), 5)
        before, node = station.identity, station.node
        old = port._plate()
        spelled = replace(old, strings=(*old.strings[:2], old.strings[2].lower()))
        monkeypatch.setattr(port, "_plate", lambda: spelled)
        port.drop(0.3, renamed=True)
        await until(lambda: not station.online)
        await asyncio.wait_for(station.ready(), 5)
        assert (station.identity, station.reconnects) == (before, 1)
        assert station.node != node
        assert (await station.ask("STATUS")).ok
    assert notes.alarms == []
    assert len(notes.nodes) == 2


@pytest.mark.parametrize("device", DEVICES)
async def test_field_case_19_field_case_42_plugs_pulled_and_put_back_leave_nothing(device: str) -> None:
    assert await cycles(5, device) < 3


@pytest.mark.parametrize("family", ["cedar", "dogwood"])
async def test_field_case_42_a_plug_pulled_again_before_a_session_stands_time_after_time_puts_nothing_off(
    family: str,
) -> None:
    notes = Notes()
    async with on_a_bus(family) as bus, stations(notes, {family: bus.url(family)}) as made:
        station, port = made[family], bus.ports[family]
        for _ in range(6):
            await until(lambda: any(socket.host for socket in bus.bus.sockets.values()), 8)
            assert not station.online
            port.drop(0.0)
        await asyncio.wait_for(station.ready(), 3)
    assert notes.alarms == []
    assert len(notes.attachments) == 1


def no_library() -> None:
    return None


def refuses(number: int, code: int) -> Callable[..., Any]:
    def refuse(*arguments: object, **named: object) -> Any:
        raise USBError("Zugriff verweigert", code, number)

    return refuse


async def test_field_case_43_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usb_find.libusb1, "get_backend", no_library)
    with pytest.raises(
        TransportError, match=r"^the library libusb-1.0 is not installed: apt-get install libusb"
    ) as caught:
        await Host("usb://1209:5c01/CE000042").open()
    assert caught.value.exit_code == 3
    async with on_a_bus("alder") as bus:
        urls = {"alder": bus.url("alder"), "cedar": "usb://1209:5c01/CE000042"}
        async with stations(Notes(), urls) as made:
            await asyncio.wait_for(made["alder"].ready(), 5)  # one that lacks its library holds no other one up
            assert made["cedar"].condition.startswith("waiting for the port: the library libusb-1.0 is not installed")


@pytest.mark.parametrize(
    ("what", "number", "code", "words"),
    [
        ("open_device", 13, -3, "may not be opened by this user: install the udev rules and join the group shoectl"),
        ("claim_interface", 16, -6, "is in use by another program: stop that program"),
        ("claim_interface", 19, -4, "is not there any more: check the plug"),
        ("claim_interface", 5, -1, "does not open (Input/output error): pull the plug and put it in again"),
    ],
)
async def test_field_case_43_a_device_that_may_not_be_had_says_why_in_one_line(
    what: str, number: int, code: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with standing(UsbEnd("cedar")) as end:
        before = open_things()
        if what == "open_device":  # as libusb has it: the descriptor is to be read, the device is not
            backend = UsbipBackend("127.0.0.1", int(end.url.rpartition(":")[2]))
            (device,) = await asyncio.to_thread(lambda: list(backend.enumerate_devices()))
            await asyncio.to_thread(backend.get_device_descriptor, device)
            monkeypatch.setattr(UsbipBackend, "enumerate_devices", lambda self: iter([device]))
            before = open_things()
        monkeypatch.setattr(UsbipBackend, what, refuses(number, code))
        host = Host(end.url)
        with pytest.raises(TransportError) as caught:
            await host.open()
        assert str(caught.value) == f"USB device 1209:5c01 XX000042 {words}"
        await host.transport.close()
        await until(lambda: open_things() <= before)


async def test_field_case_7_two_devices_with_equal_ids_are_kept_apart_or_not_opened_at_all() -> None:
    one, two = UsbEnd("ftdi"), UsbEnd("ftdi")
    two.bus = one.bus
    async with standing(one):
        two.device = UsbDevice(two.plate, two.function)
        place = one.bus.plug(two.device)
        server = f"?usbip=127.0.0.1:{one.number}"
        told = (
            r"2 devices are a USB device 0403:6001 XX000042 \(XX000042 at 1-1, XX000042 at 1-2\): name one: /SERIAL or"
        )
        with pytest.raises(TransportError, match=told):
            await Host(f"usb://0403:6001/XX000042{server}").open()
        host = await Host(f"usb://0403:6001{server}&plug={place}").open()
        host.transport.write(b"for the second")
        await until(lambda: two.heard == b"for the second")
        assert one.heard == b""
        await host.transport.close()
        two.device.plate = replace(two.plate, strings=("maker", "model", "YY7"))
        host = await Host(f"usb://0403:6001/yy7{server}").open()
        host.transport.write(b"!")
        await until(lambda: two.heard.endswith(b"!"))
        await host.transport.close()
        with pytest.raises(TransportError, match=r"ZZ is not there: others of its kind are there \(XX000042, YY7\)"):
            await Host(f"usb://0403:6001/ZZ{server}").open()


@pytest.mark.parametrize(
    "url",
    [
        "usb://", "usb://1209", "usb://1209:5c0x/A", "usb://1209:5c01/A/B", "usb://1209:5c01/A#x", "usb:///dev/bus/usb/1/2",
    ],
)  # fmt: skip
def test_a_url_that_names_no_device_is_refused_with_an_example(url: str) -> None:
    with pytest.raises(usb_find.BadInput, match=r"a USB device is written usb://VID:PID/SERIAL, as usb://"):
        open_transport(url)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("plug=hub", "plug is a place on a bus, as 1-1.2"),
        ("usbip=here", "usbip is a server, as 127.0.0.1:3240"),
        ("zlp=maybe", "zlp is true or false"),
        ("baud=fast", "baud is a whole number"),
        ("speed=high", "no option 'speed' here; allowed: address, baud, plug, usbip, zlp"),
    ],
)
def test_options_that_cannot_be_are_refused(options: str, words: str) -> None:
    with pytest.raises(usb_find.BadInput, match=words):
        open_transport(f"usb://1209:5c01/CE000042?{options}")


def test_pyusb_is_what_it_is_taken_for() -> None:
    assert issubclass(usb.core.USBError, OSError)
    assert issubclass(USBTimeoutError, USBError)


async def test_field_case_12_a_second_program_gets_nothing() -> None:
    async with standing(UsbEnd("cdc")) as end:
        first = await Host(end.url).open()
        before = open_things()
        for url in (end.url, end.url.replace("/XX000042", "")):
            with pytest.raises(TransportError, match=r"in use by another program: stop that program"):
                await Host(url).open()
        first.transport.write(b"still alone")
        await until(lambda: end.heard == b"still alone")
        await until(lambda: open_things() <= before)
        await first.transport.close()


async def test_field_case_3_four_devices_gone_at_once_cost_next_to_nothing() -> None:
    kinds = ("alder", "alder", "cedar", "birch")
    async with contextlib.AsyncExitStack() as stack:
        buses = [await stack.enter_async_context(on_a_bus(kind)) for kind in kinds]
        urls = {
            f"{kind}_{n}": bus.url(kind) + ("&address=3" if kind == "birch" else "")
            for n, (kind, bus) in enumerate(zip(kinds, buses, strict=True))
        }
        made = await stack.enter_async_context(stations(Notes(), urls))
        for station in made.values():
            await asyncio.wait_for(station.ready(), 10)
        for kind, bus in zip(kinds, buses, strict=True):
            bus.ports[kind].drop(3600)
        await until(lambda: not any(station.online for station in made.values()))
        before = resource.getrusage(resource.RUSAGE_SELF)
        await asyncio.sleep(4)
        after = resource.getrusage(resource.RUSAGE_SELF)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        assert used < 0.08  # as 0.2 in 10 s, and both ends run here
