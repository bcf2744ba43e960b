"""A device that is gone for a minute, in every way in which one can be gone: what it costs, and what is said."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from shoectl.devices.command import DeviceLost
from shoectl.devices.station import Station
from shoectl.transports import Transport, TransportError, open_transport
from tests.devices.notes import Notes
from tests.devices.plugs import behind, occupied
from tests.devices.ports import adapter, open_descriptors, until
from tests.devices.scripted import Device, alder, birch
from tests.devices.stations import table
from tests.devices.wires import Wire
from tests.timeloop import virtual

CPU_S = 0.2  # for a minute without the device
OBJECTS = 100  # more than before that minute
MOST, MOST_WITH_PORT = 75, 24  # tries in that minute; fewer where the port is there, and what is behind it is wrong


def _not_there(wire: Wire) -> None:
    wire.refusal = TransportError("/dev/x is not there", "plug the device in")


def _does_not_open(wire: Wire) -> None:
    wire.refusal = OSError(5, "odd")


def _silent(wire: Wire) -> None:
    for device in wire.devices:
        device.power_off()
    wire.devices.clear()


def _vanishes_at_once(wire: Wire) -> None:
    wire.holds = 0.002


def _vanishes_when_up(wire: Wire) -> None:
    wire.holds = 0.5


def _takes_nothing(wire: Wire) -> None:
    def raises(data: bytes) -> list[bytes]:
        raise TransportError("/dev/x takes no more bytes", "check the cable")

    wire.tamper_host = raises


def _someone_else(wire: Wire) -> None:
    wire.devices[:] = [alder("AL999") if wire.devices[0].family.name == "alder" else birch("BR999")]


WAYS = [_not_there, _does_not_open, _silent, _vanishes_at_once, _vanishes_when_up, _takes_nothing, _someone_else]


@pytest.mark.parametrize("way", WAYS)
@virtual
async def test_a_minute_without_the_device_costs_little_and_says_little(
    device: Device, way: Callable[[Wire], None], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    wire, notes, serial = Wire(device), Notes(), device.identity.serial
    async with table(wire, notes, serial=serial) as station:
        await station.ready()
        await asyncio.sleep(20)
        before, waits = dict(vars(wire)), wire.openings
        way(wire)
        if way is not _silent:
            wire.pull()
        await asyncio.sleep(8)  # at the latest by now it is missed
        assert not station.online or way is _vanishes_when_up
        caplog.clear()
        waits, started = wire.openings, time.process_time()
        await asyncio.sleep(60)
        spent = time.process_time() - started
        steps = wire.openings - waits
        assert steps <= (MOST_WITH_PORT if way in (_silent, _someone_else) else MOST)
        assert len(caplog.records) <= steps + 1
        if way in (_vanishes_at_once, _vanishes_when_up):
            assert "unsteady: lost" in station.condition
        assert len(notes.attachments) <= 1 + steps + 8
        assert spent < CPU_S * (2 if way is _vanishes_when_up else 1)  # both ends of a link run here
        vars(wire).update({name: before[name] for name in ("refusal", "tamper_host", "holds")}, devices=[device])
        await asyncio.sleep(12)
        await station.ready()
    assert notes.alarms == []


@virtual
async def test_field_case_3_a_minute_without_four_adapters_on_real_ports(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    openings: list[str] = []

    def make(url: str) -> Transport:
        openings.append(url)
        return open_transport(url)

    with contextlib.ExitStack() as stack:
        adapters = [stack.enter_context(adapter(tmp_path / f"port{n}")) for n in range(4)]
        paths = {f"alder_{n}": made.path for n, made in enumerate(adapters)}
        async with occupied(Notes(), make=make, **paths) as stations:
            with contextlib.ExitStack() as on:
                for n, made in enumerate(adapters):
                    on.enter_context(behind(made, alder(f"AL{n}")))
                for station in stations.values():
                    await station.ready()
                await asyncio.sleep(15)
            for made in adapters:
                made.pull()
            await until(lambda: not any(station.online for station in stations.values()))
            caplog.clear()
            openings.clear()
            held, started, objects = open_descriptors(), time.process_time(), living()
            await asyncio.sleep(60)
            spent = time.process_time() - started
            assert len(caplog.records) <= len(openings) <= 4 * MOST
            caplog.clear()  # nobody else keeps what was said
            openings.clear()
            assert living() - objects < OBJECTS
            assert open_descriptors() <= held
            assert spent < 4 * CPU_S


def living() -> int:
    """How many objects there are."""
    gc.collect()
    return len(gc.get_objects())


def held() -> tuple[int, int, int]:
    gc.collect()
    return open_descriptors(), len(asyncio.all_tasks()), threading.active_count()


def forget(notes: Notes, device: Device, caplog: pytest.LogCaptureFixture) -> None:
    """What the test itself would keep."""
    for told in (notes.events, notes.attachments, notes.nodes, notes.counted, device.asked, caplog.records):
        told.clear()
    caplog.clear()
    notes._of[:-1] = []


async def fill(station: Station, device: Device) -> None:
    """A station knows as many events as its device could tell again; from then on it knows no more."""
    await station.ready()
    for _ in range(device.family.ring):
        device.event()
    await station.catch_up()


async def grows(cycle: Callable[[], Awaitable[None]], station: Station) -> int:
    """Python objects that stay after 180 of 200 reconnects; descriptors, tasks and threads must not."""
    for _ in range(20):
        await cycle()
    await asyncio.sleep(70)
    await cycle()
    before, objects = held(), len(gc.get_objects())
    for _ in range(180):
        await cycle()
    await asyncio.sleep(70)  # timers that belong to the past have fired
    await cycle()
    after = held()
    assert station.reconnects >= 199
    assert after == before
    return len(gc.get_objects()) - objects


@virtual
async def test_field_case_19_200_reconnects_leak_nothing(device: Device, caplog: pytest.LogCaptureFixture) -> None:
    wire, notes = Wire(device), Notes()
    async with table(wire, notes) as station:

        async def cycle() -> None:
            await station.ready()
            wire.talk.clear()
            device.event()
            await station.catch_up()
            wire.pull()
            forget(notes, device, caplog)

        await fill(station, device)

        assert await grows(cycle, station) < 90
        assert wire.openings == 202
    assert notes.alarms == []


@virtual
async def test_field_case_19_200_adapters_under_one_stable_name_leak_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    device, notes = alder(), Notes()

    async with occupied(notes, alder=tmp_path / "port") as stations:
        station = stations["alder"]
        with adapter(tmp_path / "port") as first, behind(first, device):
            await fill(station, device)
        await until(lambda: not station.online)

        async def cycle() -> None:
            with adapter(tmp_path / "port") as plugged, behind(plugged, device):
                await station.ready()
                device.event()
                with contextlib.suppress(DeviceLost):  # a busy machine may be too slow for this clock
                    await station.catch_up()
            await until(lambda: not station.online)
            forget(notes, device, caplog)

        assert await grows(cycle, station) < 90
    assert notes.alarms == []
