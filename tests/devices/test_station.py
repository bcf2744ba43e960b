"""A place of the table and its device, over pipes in memory and in virtual time."""

import asyncio
import re
from dataclasses import replace

import pytest

from shoectl.devices.command import DeviceLost
from shoectl.transports import TransportError
from tests.devices.notes import Notes
from tests.devices.scripted import OK, Device
from tests.devices.stations import accept, any_command, table
from tests.devices.wires import Wire
from tests.timeloop import virtual


@virtual
async def test_a_device_is_identified_before_its_first_command(device: Device) -> None:
    notes, command = Notes(), any_command(device)
    device.answers[command.type] = accept
    async with table(Wire(device), notes) as station:
        assert not station.online
        await station.ready()
        assert station.identity == device.identity
        assert station.condition == "online"
        reply = await station.command(1, command)
        assert reply.ok
        assert await station.fate(1) == (command.type, reply.result)
        assert await station.fate(2) is None
    types = [request.type for request in device.asked if request.type != "POLL"]
    assert types[0] == "IDENT"
    assert notes.attachments[0][0] == device.identity


@virtual
async def test_events_are_delivered_once_in_order_and_acknowledged_after_the_record_has_them(device: Device) -> None:
    notes = Notes()
    notes.slow = 0.05
    for _ in range(41):
        device.event()
    async with table(Wire(device), notes) as station:
        await station.ready()
        assert notes.seqs == list(range(1, 42))
        for _ in range(5):
            device.event()
        assert device.acknowledged <= len(notes.events)
        await station.catch_up()
        assert notes.seqs == list(range(1, 47))
        await asyncio.sleep(1)
        assert device.acknowledged == 46
        assert device.ring == []
    assert notes.alarms == []


@virtual
async def test_what_comes_while_nobody_asks_is_delivered_too(device: Device) -> None:
    notes = Notes()
    async with table(Wire(device), notes) as station:
        await station.ready()
        for count in range(1, 6):
            device.event()
            await asyncio.sleep(0.5)
            assert notes.seqs == list(range(1, count + 1))


@virtual
async def test_a_record_that_fails_ends_the_task_and_nothing_was_acknowledged(device: Device) -> None:
    notes = Notes()
    notes.broken = OSError(28, "no space")
    device.event()
    with pytest.raises(ExceptionGroup) as caught:
        async with table(Wire(device), notes):
            await asyncio.sleep(60)
    assert caught.group_contains(OSError)
    assert device.acknowledged == 0


@virtual
async def test_field_case_27_a_lost_device_comes_back_by_itself_with_its_events(device: Device) -> None:
    notes, wire = Notes(), Wire(device)
    async with table(wire, notes) as station:
        await station.ready()
        device.event()
        await station.catch_up()
        for _ in range(10):
            wire.pull()
            assert not station.online
            device.event()
            with pytest.raises(DeviceLost):
                await station.status()
            await station.ready()
        assert notes.seqs == list(range(1, 12))
        assert wire.openings == 11
    assert notes.alarms == []


@virtual
async def test_a_journal_that_knows_the_device_reads_on_and_acknowledges_what_it_has(device: Device) -> None:
    notes = Notes()
    events = [device.event() for _ in range(9)]
    await notes.evidence("device", device.identity, events[:6])
    async with table(Wire(device), notes) as station:
        await station.ready()
        await asyncio.sleep(1)
    assert notes.seqs == list(range(1, 10))
    assert device.acknowledged == 9


@virtual
async def test_what_is_durable_is_acknowledged_even_if_nothing_new_was_read(device: Device) -> None:
    notes = Notes()
    await notes.evidence("device", device.identity, [device.event() for _ in range(6)])
    async with table(Wire(device), notes) as station:
        await station.ready()
        await asyncio.sleep(1)
    assert device.acknowledged == 6
    assert notes.seqs == list(range(1, 7))


@virtual
async def test_a_station_that_was_stopped_is_offline_and_refuses(device: Device) -> None:
    async with table(Wire(device), Notes()) as station:
        await station.ready()
        device.answers["METERS"] = lambda request: None
        asking = asyncio.create_task(station.ask("METERS"))
        await asyncio.sleep(0.01)
    assert not station.online
    with pytest.raises(DeviceLost):
        await asking
    with pytest.raises(DeviceLost):
        await station.command(1, any_command(device))


@virtual
async def test_a_used_device_in_a_new_journal_misses_nothing(device: Device) -> None:
    notes = Notes()
    device.lose(120)
    async with table(Wire(device), notes) as station:
        await station.ready()
        device.event()
        await station.catch_up()
    assert notes.seqs == [121]
    assert notes.alarms == []


@virtual
async def test_a_gap_in_the_ring_is_an_alarm_and_what_follows_is_delivered(device: Device) -> None:
    notes = Notes()
    await notes.evidence("device", device.identity, [device.event() for _ in range(2)])
    device.lose(3)
    device.event()
    async with table(Wire(device), notes) as station:
        await station.ready()
        device.lose(1)
        device.event()
        await station.catch_up()
    assert notes.seqs == [1, 2, 6, 8]
    assert len(notes.alarms) == 2
    assert "events 3 to 5 were lost" in notes.alarms[0]
    assert "event 7 was lost" in notes.alarms[1]


@virtual
async def test_an_event_lost_at_the_end_of_the_ring_is_an_alarm(device: Device) -> None:
    notes = Notes()
    device.event()
    device.lose(2)
    async with table(Wire(device), notes) as station:
        await station.ready()
        device.event()
        await station.catch_up()
    assert notes.seqs == [1, 4]
    assert ["events 2 to 3 were lost" in alarm for alarm in notes.alarms] == [True]


@virtual
async def test_the_same_number_with_other_content_is_an_alarm_and_never_acknowledged(device: Device) -> None:
    notes, wire = Notes(), Wire(device)
    first = device.event()
    async with table(wire, notes) as station:
        device.answers[device.family.verbs["ack_events"]] = lambda request: (OK, {})  # it forgets to forget
        await station.ready()
        await asyncio.sleep(1)
        device.ring[0] = type(first)(first.seq, first.boot, first.t_ms, first.code, {"open": 0})
        device.event()
        acknowledged: list[int] = []
        device.answers[device.family.verbs["ack_events"]] = lambda request: (
            acknowledged.append(request.body["upto"]) or (OK, {})
        )
        wire.pull()
        await asyncio.sleep(10)
        assert len(notes.alarms) == 1
        assert "event 1 came again with other content" in notes.alarms[0]
        assert not station.online
        assert "call service" in station.condition
    assert acknowledged == []
    assert notes.seqs == [1]


@virtual
async def test_a_daemon_that_starts_anew_compares_what_it_has_before_the_device_may_forget_it(device: Device) -> None:
    notes, wire = Notes(), Wire(device)
    device.answers[device.family.verbs["ack_events"]] = lambda request: (OK, {})  # it forgets to forget
    first = [device.event() for _ in range(3)]
    async with table(wire, notes) as station:
        await station.ready()
    wire.pull()
    del device.answers[device.family.verbs["ack_events"]]
    device.event()
    async with table(wire, notes) as station:  # knows nothing but what the journal knows
        await station.ready()
        await asyncio.sleep(1)
    assert (notes.seqs, notes.alarms, device.acknowledged) == ([1, 2, 3, 4], [], 4)
    wire.pull()
    device.acknowledged, device.ring = 0, [first[0], replace(first[1], body={"open": 7}), first[2]]
    async with table(wire, notes) as station:
        device.event()
        await asyncio.sleep(20)
        assert not station.online
        assert "event 2 came again with other content" in station.condition
    assert notes.alarms == ["event 2 was told before, with another content"]
    assert notes.seqs == [1, 2, 3, 4]  # nothing after it either
    assert device.acknowledged <= 1


@virtual
async def test_a_port_that_does_not_open_is_tried_again_ever_more_slowly_down_to_once_a_second(
    device: Device, caplog: pytest.LogCaptureFixture
) -> None:
    wire = Wire(device)
    wire.refusal = TransportError("/dev/x is in use by pid 12 (modem)", "stop that program")
    async with table(wire, Notes()) as station:
        await asyncio.sleep(60)
        assert 50 < wire.openings < 75
        assert station.condition == "waiting for the port: /dev/x is in use by pid 12 (modem): stop that program"
        assert 2 <= len(caplog.records) <= 8
        assert "times since last said" in caplog.records[-1].getMessage()
        wire.refusal = None
        await asyncio.wait_for(station.ready(), 3)


@pytest.mark.parametrize("error", [AssertionError("corpse"), RuntimeError("odd"), ValueError("I/O on closed file")])
@virtual
async def test_field_case_20_any_exception_of_a_transport_is_a_link_failure(
    device: Device, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    wire = Wire(device)
    async with table(wire, Notes()) as station:
        await station.ready()

        def explode(data: bytes) -> list[bytes]:
            raise error

        assert wire.host is not None
        wire.host.tamper = explode
        with pytest.raises(DeviceLost):
            await station.status()
        await station.ready()
        assert wire.openings == 2
    assert type(error).__name__ in caplog.text
    assert str(error) not in caplog.text


@virtual
async def test_a_device_that_comes_and_goes_is_called_unsteady(device: Device) -> None:
    wire = Wire(device)
    async with table(wire, Notes()) as station:
        for _ in range(5):
            await station.ready()
            wire.pull()
            await asyncio.sleep(0.05)
        await station.ready()
        assert re.search(r"unsteady: lost [56] times in the last minute", station.condition)
        await asyncio.sleep(90)
        assert station.condition == "online"


@virtual
async def test_field_case_15_a_silent_device_is_asked_and_the_port_is_opened_anew(device: Device) -> None:
    wire = Wire(device)
    async with table(wire, Notes()) as station:
        wire.devices.clear()
        await asyncio.sleep(30)
        assert 3 <= wire.openings <= 6
        assert "does not answer" in station.condition
        wire.devices.append(device)
        await station.ready()


@virtual
async def test_restart_of_the_device_inside_a_connection_is_a_new_session(device: Device) -> None:
    notes, wire = Notes(), Wire(device)
    async with table(wire, notes) as station:
        await station.ready()
        device.event()
        await station.catch_up()
        device.restart()
        await asyncio.sleep(10)
        await station.ready()
        assert station.identity is not None
        assert station.identity.boot == 4
    assert notes.seqs == [1, 2]
    assert notes.alarms == []
