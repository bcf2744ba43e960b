"""Field cases about who an answer belongs to, and whether anybody is there at all."""

from __future__ import annotations

import asyncio

import pytest

from protocols.birch.datasheet import LAST_BYTE
from protocols.link import Down, Dropped, Received, Side, Up
from protocols.message import Request
from protocols.vocabulary import Result
from shoectl.devices.command import DeviceLost
from shoectl.devices.places import Place, occupy
from tests.devices.notes import Notes
from tests.devices.scripted import Answer, Device, alder, birch
from tests.devices.stations import SHUFFLE, table
from tests.devices.wires import Wire
from tests.protocols import alder_line, birch_line
from tests.timeloop import virtual


@virtual
async def test_field_case_44_an_answer_that_comes_after_the_wait_was_over_is_nobodys(device: Device) -> None:
    asked: list[Request] = []

    def slow(request: Request) -> Answer | None:
        asked.append(request)
        return None

    device.answers["FAULTS"] = slow
    wire = Wire(device)
    async with table(wire, Notes()) as station:
        await station.ready()
        with pytest.raises(DeviceLost):
            await station.faults()
        device.answers["FAULTS"] = lambda request: (Result.OK, {"faults": ()})
        await station.ready()
        device.answer_now(asked[0], Result.OK, faults=({"seq": 1, "code": 0x81},))
        for _ in range(5):
            assert await station.faults() == []


def test_field_case_44_the_answer_to_another_command_ends_in_a_reset_and_not_in_a_wrong_value() -> None:
    line = birch_line.manual()
    line.link.send(birch_line.ARM, line.now)
    toggle = line.say()["toggle"]
    line.hear(birch_line.reply("DISARM", toggle, result=0))
    assert line.say()["type"] == "SYNC"
    assert line.heard(Received) == []
    assert len(line.heard(Down)) == 1


@virtual
async def test_field_case_55_a_device_of_another_family_is_never_online_and_never_commanded() -> None:
    for wrong, family in ((birch(), "alder"), (alder(), "birch")):
        wire = Wire(wrong)
        station = occupy([Place("device", "serial:///dev/x", family)], Notes(), make=wire.make)["device"]
        async with asyncio.TaskGroup() as group:
            task = group.create_task(station.run())
            await asyncio.sleep(60)
            assert not station.online
            assert "does not answer" in station.condition
            with pytest.raises(DeviceLost):
                await station.command(1, SHUFFLE)
            task.cancel()
        assert wrong.asked == []


@virtual
async def test_field_case_55_a_port_that_is_open_and_deaf_is_not_online(device: Device) -> None:
    wire, allowed = Wire(device), {"alder": 6.5, "birch": 0.5}[device.family.name]
    async with table(wire, Notes()) as station:
        await station.ready()
        wire.devices.clear()
        await asyncio.sleep(allowed)
        assert not station.online
        assert wire.openings == 1


@virtual
async def test_field_case_55_one_byte_in_a_thousand_lost_for_five_minutes(device: Device) -> None:
    notes, wire, count = Notes(), Wire(device), 0

    def lose(data: bytes) -> list[bytes]:
        nonlocal count
        kept = bytearray()
        for byte in data:
            count += 1
            if count % 1000:
                kept.append(byte)
        return [bytes(kept)]

    wire.tamper_device = lose
    async with table(wire, notes) as station:
        await station.ready()
        offline = 0
        for _ in range(300):
            device.event()
            await asyncio.sleep(1)
            offline += not station.online
        await station.ready()
        await station.catch_up()
    assert offline == 0
    assert notes.seqs == list(range(1, 301))


def test_field_case_58_frames_of_the_old_session_are_nothing_and_no_error() -> None:
    link = alder_line.AlderHost()
    link.open(0.0)
    link.output(0.0)
    old = [alder_line.data(number, 0, alder_line.PROGRESS) for number in (5, 6, 7)]
    bad = bytearray(old[0])
    bad[4] ^= 0xFF
    heard = link.receive(b"".join([*old, bytes(bad), alder_line.frame("ERROR", reason=1)]), 0.1)
    assert heard == []
    assert link.counters.dropped == 0
    heard = link.receive(alder_line.frame("RSTACK", **alder_line.RESUME.body), 0.2)
    heard += link.receive(alder_line.data(0, 0, alder_line.PROGRESS), 0.2)
    assert [type(one) for one in heard] == [Up, Received]


def test_field_case_58_answers_of_the_old_session_are_not_the_answer_to_sync() -> None:
    line = birch_line.manual()
    line.link.send(birch_line.ARM, line.now)
    line.say()
    for _ in range(3):  # nobody answers
        line.now = line.link.deadline() or line.now
        line.events += line.link.tick(line.now)
        line.link.output(line.now)
        while (due := line.link.deadline()) is not None and not line.link.idle and due <= line.now + 0.02:
            line.now = due
            line.events += line.link.tick(line.now)
            line.link.output(line.now)
    while line.say()["type"] != "SYNC":
        line.now += 0.2
        line.events += line.link.tick(line.now)
    told = len(line.events)
    line.hear(birch_line.reply("ARM", 1, result=0))
    line.hear(birch_line.reply("ARM", 0, result=0))
    bad = bytearray(birch_line.reply("ARM", 0, result=0))
    bad[-1] ^= 0xFF
    line.hear(bytes(bad))
    assert line.events[told:] == []
    assert line.hear(birch_line.synced()) == [Up(birch_line.RESUME)]


def test_field_case_61_a_trickle_does_not_keep_a_silent_alder_alive() -> None:
    link = alder_line.up(Side.HOST)
    trickle = b"\x7e" + bytes(range(0x20, 0x70)) * 6
    now, events = 0.0, []
    for byte in trickle:
        now += 0.049  # each just in time for the pause that ends a frame
        events += link.receive(bytes([byte]), now)
        events += link.tick(now)
        if alder_line.only(events, Down):
            break
    assert now < 6.1
    heard = link.receive(alder_line.frame("RSTACK", **alder_line.RESUME.body), now + 0.1)
    assert [type(one) for one in heard if not isinstance(one, Dropped)] == [Up]


def test_field_case_61_a_trickle_does_not_move_the_end_of_the_wait_for_a_birch() -> None:
    line = birch_line.manual()
    line.link.send(birch_line.ARM, line.now)
    toggle = line.say()["toggle"]
    ended = line.now + len(line.raw) * birch_line.BYTE
    answer = birch_line.reply("ARM", toggle, result=0)
    repeated = 0.0
    for byte in bytes([1, 200, 3, 0x96]) + bytes([1] * 40):
        end = line.now + 0.009
        while not repeated and (due := line.link.deadline()) is not None and due <= end:
            line.now = max(due, line.now)
            line.events += line.link.tick(line.now)
            repeated = line.now if line.link.output(line.now) else 0.0
        if repeated:
            break
        line.hear(bytes([byte]), after=end - line.now)
    assert repeated < ended + LAST_BYTE + 0.02
    line.hear(answer, after=0.03)
    assert len(line.heard(Received)) == 1
