"""`shoesim --usbip` as a process, and stations that reach its devices by the URLs that it tells."""

from __future__ import annotations

import asyncio

from tests.devices.notes import Notes
from tests.sim.process import shoesim
from tests.transports.hosts import until
from tests.transports.simulated import stations

BUS = ("--usbip", "127.0.0.1:0", "--speed", "max", "--person", "none")


async def test_devices_of_three_families_stand_on_one_bus() -> None:
    with shoesim("alder", "birch", "birch@4", "cedar", *BUS) as (_, ready):
        urls = {device["name"].replace("@", "_"): device["url"] for device in ready["devices"]}
        assert [device["bus"] for device in ready["devices"]] == ["1-1", "1-2", "1-2", "1-3"]
        notes = Notes()
        async with stations(notes, urls) as made:
            async with asyncio.timeout(20):
                for station in made.values():
                    await station.ready()
                    assert (await station.ask("STATUS")).ok
            told = {device["serial"] for device in ready["devices"]}
            assert {station.identity.serial for station in made.values() if station.identity} == told
        assert notes.alarms == []


async def test_a_line_that_drops_is_a_plug_pulled_and_put_into_another_socket() -> None:
    faults = ("--fault", "alder:renamed@frame=12,ms=100", "--fault", "alder:hang_up@frame=40,ms=100")
    with shoesim("alder", *BUS, *faults) as (_, ready):
        notes = Notes()
        async with stations(notes, {"alder": ready["devices"][0]["url"]}) as made:
            station, loop = made["alder"], asyncio.get_running_loop()
            end = loop.time() + 20
            while station.reconnects < 2 and loop.time() < end:
                await station.ready()
                asking = asyncio.ensure_future(station.ask("STATUS"))
                await asyncio.wait([asking])
                asking.exception()
            await until(lambda: station.online)
        places = [node.rpartition(" (")[0].rpartition(" ")[2] for node in notes.nodes]
        assert places == ["1-1", "1-2", "1-2"]
        assert notes.alarms == []
