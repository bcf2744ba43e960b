"""Stations over real pseudo-terminals: plugs pulled, names moved, ports locked. Real time."""

import asyncio
import contextlib
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoectl.devices import station as station_module
from shoectl.devices.command import DeviceLost
from tests.devices.notes import Notes
from tests.devices.plugs import behind, occupied, ready
from tests.devices.ports import Adapter, Host, adapter, locked, open_descriptors, until
from tests.devices.scripted import Device, alder, birch
from tests.devices.stations import accept, any_command


@pytest.fixture
def plugged(tmp_path: Path) -> Iterator[Adapter]:
    with adapter(tmp_path / "port") as made:
        yield made


async def test_field_case_5_a_device_that_comes_back_under_another_node_is_found_by_its_stable_name(
    plugged: Adapter, tmp_path: Path, device: Device
) -> None:
    notes, name = Notes(), device.family.name
    before = open_descriptors()
    async with occupied(notes, **{name: plugged.path}) as stations:
        station = stations[name]
        with behind(plugged, device):
            await ready(station)
            first = station.node
            device.event()
            await station.catch_up()
        plugged.pull()
        await until(lambda: not station.online)
        await until(lambda: open_descriptors() <= before)  # given back before the name is there again
        with adapter(tmp_path / "elsewhere") as moved, behind(moved, device):
            device.event()
            moved.plug(plugged.path)
            await ready(station)
            assert (first, station.node) == (plugged.node, moved.node)
            assert station.identity == device.identity
            await station.catch_up()
    assert notes.seqs == [1, 2]


async def test_field_case_5_a_name_that_moves_while_the_old_node_stays_is_followed(
    plugged: Adapter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(station_module, "LINK_WITHIN_S", 0.3)
    device = birch()
    async with occupied(Notes(), birch=plugged.path) as stations:
        with behind(plugged, device):
            await ready(stations["birch"])
        with adapter(tmp_path / "elsewhere") as moved, behind(moved, device):
            moved.plug(plugged.path)
            await until(lambda: not stations["birch"].online)
            await ready(stations["birch"])
            assert stations["birch"].node == moved.node


async def test_field_case_7_field_case_8_two_adapters_that_were_swapped_get_no_command(tmp_path: Path) -> None:
    shuffler, shoe = alder(), birch()
    with adapter(tmp_path / "a") as one, adapter(tmp_path / "b") as two, behind(one, shoe), behind(two, shuffler):
        async with occupied(Notes(), alder=one.path, birch=two.path) as stations:
            await asyncio.sleep(1)
            assert not any(station.online for station in stations.values())
            assert shuffler.sent == shoe.sent == []
            one.plug(two.path)
            two.plug(one.path)
            for station in stations.values():
                await ready(station, 12)


async def test_field_case_11_a_locked_port_is_waited_for_and_its_holder_is_named(
    plugged: Adapter, device: Device, caplog: pytest.LogCaptureFixture
) -> None:
    name = device.family.name
    with behind(plugged, device):
        async with occupied(Notes(), **{name: plugged.path}) as stations:
            with locked(plugged.node) as child:
                await until(lambda: f"pid {child.pid}" in stations[name].condition)
                await asyncio.sleep(1.5)
                assert not stations[name].online
                assert len([line for line in caplog.messages if f"pid {child.pid}" in line]) <= 2
            await ready(stations[name], 6)


async def test_field_case_3_four_devices_gone_at_once_cost_next_to_nothing(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        adapters = [stack.enter_context(adapter(tmp_path / f"port{n}")) for n in range(4)]
        paths = {f"alder_{n}": made.path for n, made in enumerate(adapters)}
        async with occupied(Notes(), **paths) as stations:
            with contextlib.ExitStack() as on:
                for n, made in enumerate(adapters):
                    on.enter_context(behind(made, alder(f"AL{n}")))
                for station in stations.values():
                    await ready(station)
            for made in adapters:
                made.pull()
            await until(lambda: not any(station.online for station in stations.values()))
            before = resource.getrusage(resource.RUSAGE_SELF)
            await asyncio.sleep(3)
            after = resource.getrusage(resource.RUSAGE_SELF)
            assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.12


async def test_field_case_17_field_case_26_ports_come_free_at_the_end_even_if_one_takes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, devices = Notes(), [alder(f"AL{n}") for n in range(3)]
    loop = asyncio.get_running_loop()
    trouble: list[dict[str, object]] = []
    loop.set_exception_handler(lambda _, context: trouble.append(context))
    with contextlib.ExitStack() as stack:
        adapters = [stack.enter_context(adapter(tmp_path / f"port{n}")) for n in range(3)]
        for made, device in zip(adapters, devices, strict=True):
            device.answers["SHUFFLE_START"] = accept
            stack.enter_context(behind(made, device))
        async with occupied(notes, **{f"alder_{n}": made.path for n, made in enumerate(adapters)}) as stations:
            for station in stations.values():
                await ready(station)
            loop.remove_reader(adapters[0].master)
            line = stations["alder_0"]._line
            assert line._port is not None
            line._port.transport.write(bytes(60_000))
            started = loop.time()
        assert loop.time() - started < 2
        for made in adapters:
            host = Host(made.path)
            await host.open()
            await host.transport.close()
    assert trouble == []


async def test_a_command_passes_a_real_port_and_a_dead_one_ends_the_wait(plugged: Adapter, device: Device) -> None:
    name, command = device.family.name, any_command(device)
    device.answers[command.type] = accept
    device.answers["METERS"] = lambda request: None
    async with occupied(Notes(), **{name: plugged.path}) as stations:
        with behind(plugged, device):
            await ready(stations[name])
            assert (await stations[name].command(1, command)).ok
            asking = asyncio.create_task(stations[name].ask("METERS"))
            await asyncio.sleep(0.05)
        plugged.pull()
        with pytest.raises(DeviceLost):
            async with asyncio.timeout(1):
                await asking


async def test_two_idle_devices_cost_less_than_a_fiftieth_of_a_core(tmp_path: Path) -> None:
    with adapter(tmp_path / "a") as one, adapter(tmp_path / "b") as two, behind(one, alder()), behind(two, birch()):
        async with occupied(Notes(), alder=one.path, birch=two.path) as stations:
            for station in stations.values():
                await ready(station)
            await asyncio.sleep(0.5)
            before = resource.getrusage(resource.RUSAGE_SELF)
            await asyncio.sleep(4)
            after = resource.getrusage(resource.RUSAGE_SELF)
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            assert spent < 4 * 0.04  # both ends run in this process, so twice a fiftieth
