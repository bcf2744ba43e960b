"""What a line does to a connection. Numbers in names are those of the field cases they answer."""

import asyncio
import contextlib
from dataclasses import replace

import pytest

from protocols.message import Request
from shoectl.devices.command import Command, DeviceLost
from shoectl.devices.intake import SEQ_MOST
from shoectl.devices.station import Station
from tests.devices.notes import Notes
from tests.devices.scripted import Device
from tests.devices.stations import accept, any_command, table
from tests.devices.wires import MARKED, Wire, spoil_marked
from tests.timeloop import virtual


async def sure_command(station: Station, id: int, command: Command) -> None:
    """What hands do: send, and where the link goes, ask for its fate before sending the same again."""
    while True:
        await station.ready()
        try:
            if await station.fate(id) is None:
                await station.command(id, command)
            return
        except DeviceLost:
            await asyncio.sleep(0)


async def sure_catch_up(station: Station) -> None:
    while True:
        await station.ready()
        try:
            return await station.catch_up()
        except DeviceLost:
            await asyncio.sleep(0)


@pytest.mark.parametrize("after", range(1, 31))
@pytest.mark.parametrize("side", ["host", "device"])
@virtual
async def test_a_link_lost_in_any_phase_costs_no_event_and_repeats_no_command(
    device: Device, side: str, after: int
) -> None:
    notes, wire, command, count = Notes(), Wire(device), any_command(device), 0
    device.answers[command.type] = accept
    for _ in range(6):
        device.event()

    def cut(data: bytes) -> list[bytes]:
        nonlocal count
        count += bool(data)
        if count == after:
            asyncio.get_running_loop().call_soon(wire.pull)
            return [] if side == "host" else [data]
        return [data]

    if side == "device":
        wire.tamper_device = cut
    else:
        wire.tamper_host = cut
    async with table(wire, notes) as station:
        for id in (1, 2, 3):
            await sure_command(station, id, command)
            device.event()
        await asyncio.sleep(20)
        await sure_catch_up(station)
        await asyncio.sleep(1)
    assert [request.id for request in device.done] == [1, 2, 3]
    assert notes.seqs == list(range(1, 10))
    assert device.acknowledged == 9
    assert notes.alarms == []


@pytest.mark.parametrize("every", [3, 5, 8])
@virtual
async def test_a_line_that_drops_and_garbles_delivers_all_the_same(device: Device, every: int) -> None:
    notes, wire, command, count = Notes(), Wire(device), any_command(device), 0
    device.answers[command.type] = accept

    def spoil(data: bytes) -> list[bytes]:
        nonlocal count
        count += 1
        if count % (2 * every) == 0:
            return []
        return [bytes([data[0] ^ 0x40]) + data[1:]] if data and count % every == 0 else [data]

    wire.tamper_device = wire.tamper_host = spoil
    async with table(wire, notes) as station:
        for id in range(1, 9):
            await sure_command(station, id, command)
            device.event()
        await asyncio.sleep(30)
        await station.ready()
    assert [request.id for request in device.done] == list(range(1, 9))
    assert notes.seqs == list(range(1, 9))
    assert notes.alarms == []


@virtual
async def test_field_case_44_a_late_answer_is_nobody_elses(device: Device) -> None:
    late: list[Request] = []
    device.answers["METERS"] = lambda request: late.append(request)
    async with table(Wire(device), Notes()) as station:
        await station.ready()
        first = asyncio.create_task(station.ask("METERS"))
        await asyncio.sleep(0.01)
        first.cancel()
        await asyncio.sleep(0)
        second = asyncio.create_task(station.ask("METERS"))
        await asyncio.sleep(0.02)
        meters = dict.fromkeys(("cycles_ok", "cycles_bad", "cards", "jams", "crc_errors", "resends", "link_resets"), 0)
        device.answer_now(late[0], 0, **{**meters, "cards": 1})
        await asyncio.sleep(0.02)
        assert not second.done()
        device.answer_now(late[-1], 0, **{**meters, "cards": 2})
        assert (await second).body["cards"] == 2
        driver = station._driver
        assert driver is not None
        assert driver.stale == 1


@virtual
async def test_field_case_47_babble_does_not_prolong_a_wait(device: Device) -> None:
    wire = Wire(device)
    device.answers["METERS"] = lambda request: None
    async with table(wire, Notes()) as station:
        await station.ready()
        loop = asyncio.get_running_loop()
        driver, started = station._driver, loop.time()
        asking = asyncio.create_task(station.ask("METERS"))
        while not asking.done() and loop.time() < started + 30:
            wire.say(b" Busy ")
            await asyncio.sleep(0.05)
        assert loop.time() - started < 7.0 * 1.1
        with pytest.raises(DeviceLost):
            await asking
        assert driver is not None
        assert driver.link.counters.dropped > 0
        await asyncio.sleep(1)
        await station.ready()


@virtual
async def test_field_case_47_a_babbling_line_is_called_noisy_and_is_not_for_ever(device: Device) -> None:
    wire = Wire(device)
    async with table(wire, Notes()) as station:
        await station.ready()
        for _ in range(9):
            wire.say(bytes.fromhex("7e 0102030405060708 7e"))
            await asyncio.sleep(0.2)
        assert station.online
        assert station.condition == "online, but the line is noisy: check cable, shield and termination"
        await asyncio.sleep(15)
        assert "noisy" not in station.condition
        await asyncio.sleep(75)
        assert station.condition == "online"


@virtual
async def test_field_case_9_modem_probes_in_the_stream_lose_nothing(device: Device) -> None:
    notes, wire = Notes(), Wire(device)
    async with table(wire, notes) as station:
        await station.ready()
        for count in range(20):
            wire.say(b"AT\r\n" if count % 2 else b"\r\nERROR\r\nAT+GCAP\r\n")
            device.event()
            await asyncio.sleep(0.3)
        await station.ready()
        await station.catch_up()
    assert notes.seqs == list(range(1, 21))


@virtual
async def test_field_case_16_an_adapter_that_holds_bytes_back_causes_no_repetition(device: Device) -> None:
    wire, count = Wire(device), 0
    async with table(wire, Notes()) as station:
        wire.answer_delay = 0.016
        await station.ready()
        for _ in range(200):
            count += 1
            assert wire.far is not None
            wire.far.delay = 0.040 if count % 20 == 0 else 0.016
            device.event()
            await station.ask("FAULTS")
        driver = station._driver
        assert driver is not None
        assert driver.link.counters.resends == 0
        assert wire.openings == 1


@virtual
async def test_an_event_that_cannot_be_read_stays_in_the_device_and_stops_the_place(device: Device) -> None:
    notes, wire = Notes(), Wire(device)
    wire.tamper_device = spoil_marked(device)
    device.event()
    async with table(wire, notes) as station:
        await station.ready()
        device.event()
        device.event(MARKED, raw="aabbccdd")
        device.event()
        await asyncio.sleep(5)
        assert not station.online
        assert "event 3 cannot be read" in station.condition
        with pytest.raises(DeviceLost):
            await station.status()
        wire.pull()
        await asyncio.sleep(20)
        assert not station.online
        assert "event 3 cannot be read" in station.condition
    assert notes.seqs == [1, 2]
    assert device.acknowledged == 2
    assert len(notes.alarms) == 1
    assert "event 3 cannot be read" in notes.alarms[0]


@virtual
async def test_the_last_number_that_there_is_stays_in_the_device_and_stops_that_place_alone(device: Device) -> None:
    notes, wire = Notes(), Wire(device)
    device.event()
    async with table(wire, notes) as station:
        await station.ready()
        await station.catch_up()
        device.ring.append(replace(device.event(), seq=SEQ_MOST))
        await asyncio.sleep(5)
        with contextlib.suppress(DeviceLost):
            await station.catch_up()
        await asyncio.sleep(5)
        assert not station.online
        assert str(SEQ_MOST) in station.condition
        async with asyncio.timeout(10):
            await station.pulse.turns()
    assert device.acknowledged == 2
    assert notes.seqs == [1, 2]


@pytest.mark.parametrize(("oldest", "newest"), [(0, 3), (9, 3), (1, SEQ_MOST)])
@virtual
async def test_a_ring_that_cannot_be_is_refused_until_it_can(device: Device, oldest: int, newest: int) -> None:
    notes, wire = Notes(), Wire(device)
    device.event()
    true = device.resume
    device.resume = lambda: replace(true(), oldest=oldest, newest=newest)  # type: ignore[method-assign]
    async with table(wire, notes) as station:
        await asyncio.sleep(10)
        assert not station.online
        assert f"says that its events are those from {oldest} to {newest}" in station.condition
        device.resume = true  # type: ignore[method-assign]
        device.restart()
        async with asyncio.timeout(20):
            await station.ready()
    assert notes.alarms == []


@virtual
async def test_a_device_whose_memory_went_blank_unnoticed_is_asked_who_it_is_again(device: Device) -> None:
    notes, wire = Notes(), Wire(device)
    for _ in range(5):
        device.event()
    async with table(wire, notes) as station:
        await station.ready()
        device.identity = replace(device.identity, epoch=2)  # on the same line, before its link has said so
        device.ring, device.newest = [], 0
        with pytest.raises(DeviceLost, match="does not give its events"):
            await station.catch_up()
        await station.ready()
        assert station.identity is not None
        assert station.identity.epoch == 2
    assert [identity.epoch for identity, _ in notes.attachments] == [1, 2]
