"""Places whose links are sealed: who is taken, who is refused and in which words, and what a lost link costs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from firmware_sim.keys import EVERY
from firmware_sim.keys import Key as Installed
from protocols.handshake import Pin
from protocols.link import Side
from protocols.seal import Keys, Seal, Session
from shoectl.devices.places import Place, occupy
from shoectl.devices.station import Station
from tests.devices.keys import KEY, OTHER, SEALED, installed, key_file
from tests.devices.notes import Notes
from tests.transports.hosts import until
from tests.transports.simulated import SimulatedBus, on_a_bus, stations


def address(family: str) -> str:
    return "&address=3" if family == "birch" else ""


@pytest.mark.parametrize(("family", "level"), SEALED)
async def test_a_lost_link_comes_back_sealed_with_keys_of_its_own_and_loses_no_event(family: str, level: int) -> None:
    notes = Notes()
    async with (
        on_a_bus(family, **installed(KEY, level=level)) as bus,
        stations(notes, {family: bus.url(family) + address(family)}, Pin(level, KEY, 1)) as made,
    ):
        station, sessions = made[family], []
        for pulled in range(3):
            await asyncio.wait_for(station.ready(), 10)
            sessions.append(session_of(station))
            assert session_of(station) == device_session(bus, family)
            assert sessions[-1][0] == level
            await station.catch_up()
            assert notes.seqs == list(range(1, (await station.totals()).newest + 1))
            if pulled < 2:
                bus.ports[family].drop(0.05)
                await until(lambda: not station.online)
        assert len(set(sessions)) == 3
    assert notes.alarms == []


def session_of(station: Station) -> tuple[int, bytes, bytes]:
    """What only the two ends of a session know: its level, and the keys of both directions."""
    assert station._driver is not None
    securing = station._driver.link._securing
    assert securing is not None
    assert securing.session is not None
    return securing.level, securing.session.outgoing._key, securing.session.incoming._key


def guard_of(bus: SimulatedBus, family: str) -> Session:
    device = bus.table.machines[family].device
    assert device is not None
    assert device.link.guard is not None
    assert device.link.guard.session is not None
    return device.link.guard.session


def device_session(bus: SimulatedBus, family: str) -> tuple[int, bytes, bytes]:
    session = guard_of(bus, family)
    return session.level, session.incoming._key, session.outgoing._key


@pytest.mark.parametrize("family", ["alder", "birch", "cedar", "dogwood"])
@pytest.mark.parametrize(
    ("key", "least", "pin", "words"),
    [
        (KEY, 1, None, "wrong security level: {model} asks for level 1, and 0 is configured: configure level 1"),
        (None, 0, Pin(1, KEY, 1), "no key: {serial} has none, and key 1 is configured: have it installed"),
        (KEY, 0, Pin(1, KEY, 2), "wrong key: {serial} has key 1 and not key 2, which is configured: "),
        (KEY, 0, Pin(1, OTHER, 1), "wrong key: {serial} does not prove that it has key 1: make sure that"),
    ],
    ids=["too plain", "no key", "another number", "another key"],
)
async def test_a_device_below_or_above_the_level_of_its_place_is_refused_and_told_nothing(
    family: str, key: bytes | None, least: int, pin: Pin | None, words: str
) -> None:
    notes = Notes()
    async with (
        on_a_bus(family, **installed(key, level=least)) as bus,
        stations(notes, {family: bus.url(family) + address(family)}, pin) as made,
    ):
        station = made[family]
        await until(lambda: station.condition.startswith("refused: "), 10)
        serial = bus.table.machines[family].unit.serial
        model = f"{family.title()}-sim {serial}"
        assert station.condition.startswith("refused: " + words.format(serial=serial, model=model))
        assert not station.online
    assert notes.attachments == []
    assert notes.events == []
    pretends = "does not prove" in words
    assert notes.alarms == [station.condition.removeprefix("refused: ")] * pretends


async def test_a_level_that_the_unit_cannot_speak_at_is_refused() -> None:
    async with (
        on_a_bus("alder", **installed(KEY)) as bus,
        stations(Notes(), {"alder": bus.url("alder")}, Pin(2, KEY, 1)) as made,
    ):
        await until(lambda: "wrong security level: AL000117 cannot speak at level 2" in made["alder"].condition, 10)


async def test_two_shoes_on_one_line_have_a_key_each() -> None:
    notes = Notes()
    keys = {"birch@4": Installed(9, OTHER), EVERY: Installed(1, KEY)}
    async with on_a_bus("birch", "birch@4", plug="ftdi", keys=keys, levels={EVERY: 2}) as bus:
        url = bus.url("birch")
        places = [
            Place("one", f"{url}&address=3", "birch", pin=Pin(2, KEY, 1)),
            Place("two", f"{url}&address=4", "birch", pin=Pin(2, OTHER, 9)),
        ]
        made = occupy(places, notes)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(station.run()) for station in made.values()]
            for station in made.values():
                await asyncio.wait_for(station.ready(), 15)
                await station.catch_up()
            assert [session_of(station)[0] for station in made.values()] == [2, 2]
            for task in tasks:
                task.cancel()
    assert notes.alarms == []


async def test_a_device_of_a_url_has_the_key_and_the_level_that_the_url_names(tmp_path: Path) -> None:
    file = key_file(tmp_path / "alder.key", KEY)
    url = f"sim:alder?key={file}:5&level=1"
    for pin in (None, Pin(1, KEY, 5)):
        station = occupy([Place("shuffler", url, "alder", pin=pin)], Notes())["shuffler"]
        async with asyncio.TaskGroup() as group:
            task = group.create_task(station.run())
            if pin is None:
                await until(lambda: "asks for level 1, and 0 is configured" in station.condition, 10)  # noqa: B023
            else:
                await asyncio.wait_for(station.ready(), 10)
            task.cancel()


async def test_a_message_that_the_device_did_not_seal_ends_the_session_and_is_told_the_journal() -> None:
    notes = Notes()
    async with (
        on_a_bus("cedar", **installed(KEY, level=2)) as bus,
        stations(notes, {"cedar": bus.url("cedar")}, Pin(2, KEY, 1)) as made,
    ):
        station = made["cedar"]
        await asyncio.wait_for(station.ready(), 10)
        session = guard_of(bus, "cedar")
        number = int.from_bytes(session.outgoing._session, "little")
        session.outgoing = Seal(Keys(2, number, b"", {Side.DEVICE: OTHER, Side.HOST: OTHER}), Side.DEVICE)
        await station.status()  # asked again in a new session
        await until(lambda: notes.alarms)
        assert guard_of(bus, "cedar") is not session
    assert notes.alarms == ["a message came that CE000117 did not seal"]
