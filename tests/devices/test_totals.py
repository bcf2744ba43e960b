"""What a device holds and has counted, as one value."""

import asyncio
from typing import Any

import pytest

from protocols.message import Request
from shoectl.devices.command import DeviceLost
from shoectl.devices.totals import Meters, Totals
from tests.devices.notes import Notes
from tests.devices.scripted import OK, Answer, Device, alder, birch
from tests.devices.stations import table
from tests.devices.wires import Wire
from tests.timeloop import virtual

METERS = {"cycles_ok": 9, "cycles_bad": 1, "cards": 520, "jams": 2, "crc_errors": 3, "resends": 4, "link_resets": 5}
ALDER: dict[str, Any] = {
    "state": 7, "lamp": 1, "flags": 2, "tray": 255, "cycle": 17, "infeed": 0, "path": 1, "rack": 0, "output": 51,
    "fault_mask": 0b10, "oldest": 5, "newest": 4, "text": "ready",
}  # fmt: skip
BIRCH: dict[str, Any] = {
    "state": 3, "lamp": 1, "flags": 3, "lease": 4, "cycle": 9, "shoe": 40, "mouth": 1, "drawn": 11, "hold_idx": 8,
    "fault_mask": 0, "oldest": 3, "newest": 7,
}  # fmt: skip


def test_a_shuffler_has_zones_and_nothing_drawn() -> None:
    totals = Totals.of(alder().family, ALDER, METERS)
    assert totals.zones == {"infeed": 0, "path": 1, "rack": 0, "output": 51}
    assert (totals.inside, totals.drawn, totals.state, totals.cycle) == (52, None, "READY", 17)
    assert (totals.oldest, totals.newest, totals.faults, totals.lease, totals.hold) == (5, 4, (0x81,), None, 0)
    assert totals.meters == Meters(9, 1, 520, 2, 3, 4, 5)


def test_a_shoe_has_what_is_in_it_and_what_was_drawn() -> None:
    totals = Totals.of(birch().family, BIRCH, METERS)
    assert totals.zones == {"shoe": 40, "mouth": 1, "drawn": 11}
    assert (totals.inside, totals.drawn, totals.state, totals.lease, totals.hold) == (41, 11, "ARMED", 4, 8)
    assert totals.faults == ()
    assert Totals.of(birch().family, {**BIRCH, "state": 77, "fault_mask": 1 << 31}, METERS).state == "state 77"


@virtual
async def test_totals_are_asked_until_nothing_moves_between_two_answers(device: Device) -> None:
    status, asked = dict(ALDER if device.family.name == "alder" else BIRCH), 0

    def moving(request: Request) -> Answer:
        nonlocal asked
        asked += 1
        if asked <= 3:
            status["newest"] += 1
        return OK, dict(status)

    device.answers["STATUS"] = moving
    device.answers["METERS"] = lambda request: (OK, {**METERS, "cards": status["newest"]})
    async with table(Wire(device), Notes()) as station:
        await station.ready()
        totals = await station.totals()
        assert asked == 4
        assert totals.newest == totals.meters.cards == status["newest"]


@virtual
async def test_totals_of_a_device_that_never_rests_are_those_of_its_last_word(device: Device) -> None:
    status, asked = dict(ALDER if device.family.name == "alder" else BIRCH), 0

    def moving(request: Request) -> Answer:
        nonlocal asked
        asked += 1
        return OK, {**status, "newest": asked}

    device.answers["STATUS"], device.answers["METERS"] = moving, lambda request: (OK, METERS)
    async with table(Wire(device), Notes()) as station:
        await station.ready()
        assert (await station.totals()).newest == asked == 6


@virtual
async def test_totals_of_a_lost_device_are_not_known(device: Device) -> None:
    wire = Wire(device)
    async with table(wire, Notes()) as station:
        await station.ready()
        device.answers["STATUS"] = lambda request: None
        asking = asyncio.create_task(station.totals())
        await asyncio.sleep(0.05)
        wire.pull()
        with pytest.raises(DeviceLost):
            await asking
        with pytest.raises(DeviceLost):
            await station.totals()
