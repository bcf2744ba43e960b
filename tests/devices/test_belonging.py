"""Whether a device belongs to a place: asked before anything else is said to it."""

import asyncio
from dataclasses import replace

import pytest

from shoectl.devices.command import DeviceLost
from tests.devices.notes import Notes
from tests.devices.scripted import Device, alder, birch
from tests.devices.stations import SHUFFLE, table
from tests.devices.wires import Wire
from tests.timeloop import virtual


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"serial": "AL000999"}, "is not the unit AL000117 that is configured"),
        ({"family": 0x42}, "is of the family birch and not alder"),
        ({"fw_version": "1.1"}, "has firmware 1.1 and not 1.0, which is configured"),
        ({"proto": 2}, "speaks version 2 of the protocol"),
        ({"caps": 0x9743}, "bit 15"),
        ({"flags": 0x10}, "wrong security level: Alder AL000117 asks for level 1, and 0 is configured"),
    ],
)
@virtual
async def test_field_case_7_field_case_8_field_case_55_a_device_that_does_not_belong_here_gets_no_command(
    wrong: dict[str, object], words: str
) -> None:
    device, notes = alder(), Notes()
    device.identity = replace(device.identity, **wrong)  # type: ignore[arg-type]
    device.event()
    async with table(Wire(device), notes, serial="AL000117", firmware="1.0") as station:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(30):
                await station.ready()
        assert words in station.condition
        assert station.condition.startswith("refused: ")
        with pytest.raises(DeviceLost, match="refused"):
            await station.command(1, SHUFFLE)
        with pytest.raises(DeviceLost, match="refused"):
            await station.ask("STATUS")
    assert {request.type for request in device.asked} == {"IDENT"}
    assert notes.events == []
    assert notes.attachments == []


@virtual
async def test_field_case_8_the_right_unit_that_takes_the_place_of_a_wrong_one_is_taken(device: Device) -> None:
    wrong = alder("AL000999") if device.family.name == "alder" else birch("BR000999")
    notes, wire = Notes(), Wire(wrong)
    async with table(wire, notes, serial=device.identity.serial) as station:
        await asyncio.sleep(20)
        wire.devices[:] = [device]
        await station.ready()
        assert station.identity == device.identity
    assert wrong.sent == []


@virtual
async def test_another_unit_where_any_will_do_is_an_alarm(device: Device) -> None:
    other = alder("AL000118") if device.family.name == "alder" else birch("BR000999")
    notes, wire = Notes(), Wire(device)
    device.event()
    async with table(wire, notes) as station:
        await station.ready()
        wire.devices[:] = [other]
        other.event()
        wire.pull()
        await station.ready()
    assert notes.seqs == [1, 1]
    assert len(notes.alarms) == 1
    assert "another device" in notes.alarms[0]


@virtual
async def test_a_device_whose_memory_was_put_back_is_refused(device: Device) -> None:
    notes = Notes()
    await notes.evidence("device", device.identity, [device.event() for _ in range(9)])
    device.ring, device.newest = [], 4
    async with table(Wire(device), notes) as station:
        await asyncio.sleep(10)
        assert "its memory was put back" in station.condition
    assert "counts its events from 4, but 9" in notes.alarms[0]
    assert device.sent == []
