"""Several shoes on one pair of wires."""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator

import pytest

from protocols.family import families
from shoectl.devices.command import DeviceLost
from shoectl.devices.places import Place, occupy, port_and_options
from shoectl.devices.station import Station
from shoectl.errors import BadInput
from tests.devices.notes import Notes
from tests.devices.scripted import birch
from tests.devices.stations import ARM, accept
from tests.devices.wires import Wire
from tests.timeloop import virtual

URL = "serial:///dev/rs485?baud=38400&address="


@contextlib.asynccontextmanager
async def shoes(wire: Wire, notes: Notes, *addresses: int) -> AsyncIterator[dict[str, Station]]:
    places = [Place(f"shoe {address}", f"{URL}{address}", "birch") for address in addresses]
    stations = occupy(places, notes, make=wire.make)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(station.run()) for station in stations.values()]
        try:
            yield stations
        finally:
            for task in tasks:
                task.cancel()


@pytest.mark.parametrize("echo", [False, True])
@virtual
async def test_three_shoes_share_a_line_and_each_is_polled_in_time(echo: bool) -> None:
    devices = [birch(f"BR{address}", address) for address in (3, 4, 5)]
    wire, notes = Wire(*devices), Notes()
    wire.echo = echo
    async with shoes(wire, notes, 3, 4, 5) as stations:
        for station in stations.values():
            await station.ready()
        assert wire.openings == 1
        loop = asyncio.get_running_loop()
        polls: dict[str, list[float]] = {device.identity.serial: [] for device in devices}
        for device in devices:
            device.answers["POLL"] = lambda request, device=device: (
                polls[device.identity.serial].append(loop.time()) or device._plain(request)
            )
            device.answers["ARM"] = accept
        for id in range(1, 21):
            for station, device in zip(stations.values(), devices, strict=True):
                device.event()
                assert (await station.command(id, ARM)).ok
                assert (await station.fate(id)) == ("ARM", 0)
        await asyncio.sleep(1)
        for times in polls.values():
            assert max(b - a for a, b in itertools.pairwise(times)) < 0.2
        for device in devices:
            assert [request.id for request in device.done] == list(range(1, 21))
            assert device.acknowledged == device.newest
        assert {station.identity.serial for station in stations.values() if station.identity} == set(polls)


@virtual
async def test_the_line_is_quiet_for_five_milliseconds_before_each_command() -> None:
    devices = [birch(f"BR{address}", address) for address in (3, 4)]
    wire = Wire(*devices)
    async with shoes(wire, Notes(), 3, 4) as stations:
        for station in stations.values():
            await station.ready()
        del wire.talk[:]
        await asyncio.sleep(2)
    heard = [(at + wire.answer_delay, who) for at, who in wire.talk]
    for (before, who), (after, speaker) in itertools.pairwise(heard):
        if (who, speaker) == ("device", "host"):
            assert after - wire.answer_delay - before >= 0.005 - 1e-6
        assert (who, speaker) != ("host", "host")


@virtual
async def test_a_shoe_that_is_off_does_not_disturb_the_others() -> None:
    here, off = birch("BR3", 3), birch("BR4", 4)
    wire, notes = Wire(here), Notes()
    here.answers["ARM"] = accept
    async with shoes(wire, notes, 3, 4) as stations:
        await stations["shoe 3"].ready()
        for id in range(1, 60):
            assert (await stations["shoe 3"].command(id, ARM)).ok
            await asyncio.sleep(1)
        assert stations["shoe 3"].condition == "online"
        assert "does not answer" in stations["shoe 4"].condition
        assert wire.openings == 1
        wire.devices.append(off)
        off.power_on(wire.say)
        await stations["shoe 4"].ready()
        assert wire.openings == 1
        assert here.identity == stations["shoe 3"].identity


@virtual
async def test_a_line_on_which_nobody_answers_is_opened_anew() -> None:
    devices = [birch("BR3", 3), birch("BR4", 4)]
    wire = Wire(*devices)
    async with shoes(wire, Notes(), 3, 4) as stations:
        wire.devices.clear()
        await asyncio.sleep(60)
        assert 5 <= wire.openings <= 15
        wire.devices += devices
        for station in stations.values():
            await station.ready()


@virtual
async def test_a_port_that_is_pulled_takes_all_shoes_along_and_brings_them_back() -> None:
    wire, notes = Wire(birch("BR3", 3), birch("BR4", 4)), Notes()
    async with shoes(wire, notes, 3, 4) as stations:
        for round in range(1, 6):
            for station in stations.values():
                await station.ready()
            assert wire.openings == round
            wire.pull()
            for station in stations.values():
                with pytest.raises(DeviceLost):
                    await station.status()
    assert notes.alarms == []


@virtual
async def test_field_case_64_a_word_from_another_shoe_does_not_end_the_wait() -> None:
    devices = [birch("BR3", 3), birch("BR4", 4)]
    wire = Wire(*devices)
    async with shoes(wire, Notes(), 3) as stations:
        await stations["shoe 3"].ready()
        wire.answer_delay = 0.0
        foreign = families()["birch"].encode_frame(
            {"dst": 1, "src": 4, "toggle": 0, "kind": "reply", "type": "ACK_EVENTS", "result": 0}, None
        )
        devices[0].answers["FAULTS"] = lambda request: wire.say(foreign) or (0, {"faults": ()})
        for _ in range(20):
            assert await stations["shoe 3"].faults() == []
        driver = stations["shoe 3"]._driver
        assert driver is not None
        assert driver.link.counters.resends == 0


def test_an_address_is_used_once_and_only_by_families_that_have_one() -> None:
    notes = Notes()
    twice = [Place("a", f"{URL}3", "birch"), Place("b", "serial:///dev/rs485?baud=38400", "birch")]
    with pytest.raises(BadInput, match=r"address 3 of serial:///dev/rs485.* is used by another place"):
        occupy(twice, notes)
    with pytest.raises(BadInput, match="the family alder has no addresses"):
        occupy([Place("a", f"{URL}3", "alder")], notes)
    for wrong in ("1", "16", "x", "", "-3"):
        with pytest.raises(BadInput, match="address is a whole number from 2 to 15"):
            occupy([Place("a", f"{URL}{wrong}", "birch")], notes)
    with pytest.raises(BadInput, match=r"the port of .* is used by another place"):
        occupy([Place("a", "serial:///dev/x", "alder"), Place("b", "serial:///dev/x", "alder")], notes)
    with pytest.raises(BadInput, match="unknown family 'elm'; known: alder, birch"):
        occupy([Place("a", "serial:///dev/x", "elm")], notes)
    with pytest.raises(BadInput, match="unknown scheme"):
        occupy([Place("a", "pigeon:///dev/x", "alder")], notes)


def test_a_port_without_a_rate_gets_the_familys() -> None:
    family = families()["birch"]
    assert port_and_options("serial:///dev/x?address=4", family) == (
        "serial:///dev/x?baud=38400",
        {"baud": 38400, "address": 4},
    )
    assert port_and_options("serial:///dev/x?baud=9600", families()["alder"]) == (
        "serial:///dev/x?baud=9600",
        {"baud": 9600},
    )
