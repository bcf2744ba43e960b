"""Field cases about the line between host and device: slow adapters, ports that sleep, devices that restart."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from protocols.events import encode_event
from protocols.family import families
from protocols.link import Side
from protocols.vocabulary import EventCode
from tests.devices.notes import Notes
from tests.devices.scripted import Device, alder, birch
from tests.devices.stations import ARM, accept, any_command, table
from tests.devices.test_line import shoes
from tests.devices.wires import Wire
from tests.timeloop import virtual


@virtual
async def test_field_case_15_a_hello_that_came_before_the_port_was_open_is_not_waited_for(device: Device) -> None:
    wire, notes = Wire(device), Notes()
    device.event()
    device.power_on(lambda data: None)  # it says that it started, to nobody, and never again
    await asyncio.sleep(0.005)
    async with table(wire, notes) as station:
        async with asyncio.timeout(1.5):
            await station.ready()
        assert wire.openings == 1
        await station.catch_up()
    assert notes.seqs == [1]


@virtual
async def test_field_case_15_a_device_that_restarts_when_its_port_is_opened_is_awaited(device: Device) -> None:
    """Many boards reset on the modem lines that an opening raises; it talks at another rate while it starts."""
    wire, notes, plain = Wire(), Notes(), Wire.make

    def booting(url: str) -> object:
        device.power_off()
        loop = asyncio.get_running_loop()
        loop.call_later(0.05, wire.say, bytes(range(0x30, 0x7F)) + b"\r\nboot 1.0\r\n\xff\xfe\x00")

        def started() -> None:
            wire.devices[:] = [device]
            device.power_on(wire.say)

        loop.call_later(1.4, started)
        return plain(wire, url)

    wire.devices.append(device)
    wire.make = booting  # type: ignore[method-assign,assignment]
    device.answers[any_command(device).type] = accept
    async with table(wire, notes) as station:
        async with asyncio.timeout(5):
            await station.ready()
        assert (await station.command(1, any_command(device))).ok
        await asyncio.sleep(30)
        assert station.online
        assert wire.openings == 1
    assert notes.alarms == []


@pytest.mark.parametrize(("usual", "sometimes"), [(0.016, 0.040), (0.050, 0.050)])
@virtual
async def test_field_case_16_no_time_out_and_no_repeat_behind_a_slow_adapter(
    device: Device, usual: float, sometimes: float
) -> None:
    wire, notes, id = Wire(device), Notes(), 0
    device.answers[any_command(device).type] = accept
    wire.answer_delay = usual
    async with table(wire, notes) as station:
        await station.ready()
        for count in range(200):
            assert wire.far is not None
            wire.far.delay = sometimes if count % 20 == 0 else usual
            device.event()
            id += 1
            assert (await station.command(id, any_command(device))).ok
            await station.faults()
        await station.catch_up()
        counters = station.counters
        assert [counters[name] for name in ("resends", "repeats", "dropped", "stale", "reconnects")] == [0] * 5
        assert counters["slowest_ms"] < 400
        assert station.condition == "online"
    assert notes.seqs == list(range(1, 201))


@pytest.mark.parametrize("delay", [0.001, 0.016, 0.050])
@virtual
async def test_field_case_16_three_shoes_behind_one_slow_adapter_with_echo_are_all_served(delay: float) -> None:
    devices = [birch(f"BR{address}", address) for address in (3, 4, 5)]
    wire, notes = Wire(*devices), Notes()
    wire.echo, wire.answer_delay = True, delay
    loop = asyncio.get_running_loop()
    heard: dict[int, list[float]] = {3: [], 4: [], 5: []}

    def polled(device: Device) -> None:
        at = heard[device.address or 0]
        device.answers["POLL"] = lambda request: at.append(loop.time()) or device._plain(request)  # type: ignore[func-returns-value]
        device.answers["ARM"] = accept

    async with shoes(wire, notes, 3, 4, 5) as stations:
        for station, device in zip(stations.values(), devices, strict=True):
            await station.ready()
            polled(device)
        for id in range(1, 41):
            for station, device in zip(stations.values(), devices, strict=True):
                device.event()
                assert (await station.command(id, ARM)).ok
        for station in stations.values():
            await station.catch_up()
            counters = station.counters
            assert [counters[name] for name in ("resends", "dropped", "reconnects")] == [0, 0, 0]
    assert wire.openings == 1
    assert len(notes.events) == 120
    for times in heard.values():
        pauses = [b - a for a, b in itertools.pairwise(times)]
        assert max(pauses) < 0.9  # after 1.0 s of silence a shoe shuts its gate


@pytest.mark.parametrize("after", [0.5, 2.0])
@virtual
async def test_field_case_25_what_a_sleeping_port_swallows_is_asked_for_again(device: Device, after: float) -> None:
    wire, notes, swallowed = Wire(device), Notes(), 0
    loop = asyncio.get_running_loop()

    def asleep(data: bytes) -> list[bytes]:
        nonlocal swallowed
        spoken = [at for at, who in wire.talk if who == "host"][-1:]
        if spoken and loop.time() - spoken[0] >= after and data:
            swallowed += 1
            return []
        return [data]

    wire.tamper_device = asleep
    async with table(wire, notes) as station:
        await station.ready()
        for count in range(1, 31):
            await asyncio.sleep(0.7 + count % 5)
            device.event()
            del wire.talk[:-50]
        await asyncio.sleep(5)
        await station.ready()
        await station.catch_up()
        assert wire.openings == 1
    assert notes.seqs == list(range(1, 31))
    assert notes.alarms == []
    assert swallowed or device.family.name == "birch" or after == 2.0


@virtual
async def test_stale_bytes_of_an_older_session_are_nothing(device: Device) -> None:
    """What lay in the adapter when the port was opened, a whole old answer among it, tells nothing."""
    family = device.family
    event = encode_event(device.event(EventCode.DOOR))
    old = {
        "alder": lambda: family.encode_frame(
            {"link": "DATA", "ns": 3, "retx": 0, "nr": 1, "payload": {
                "kind": "event", "seq": 77, "boot": 1, "t_ms": 5, "code": 0x30, "body": {"open": 1}}}, Side.DEVICE
        ),
        "birch": lambda: family.encode_frame(
            {"dst": 1, "src": 3, "toggle": 0, "kind": "reply", "type": "ACK_EVENTS", "result": 0}, Side.DEVICE
        ),
    }[family.name]()  # fmt: skip
    wire, notes, first = Wire(device), Notes(), True

    def stale(data: bytes) -> list[bytes]:
        nonlocal first
        before, first = first, False
        return [event[:5] + old + old[: len(old) // 2], data] if before else [data]

    wire.tamper_device = stale
    async with table(wire, notes) as station:
        async with asyncio.timeout(4):
            await station.ready()
        await station.catch_up()
        assert station.identity == device.identity
    assert notes.seqs == [1]
    assert notes.alarms == []


@virtual
async def test_a_device_that_gives_the_link_up_at_once_is_not_reset_at_the_pace_of_the_line() -> None:
    device, wire = alder(), Wire()
    wire.devices.append(device)
    error = families()["alder"].encode_frame({"link": "ERROR", "reason": 3}, None)

    def gives_up(data: bytes) -> list[bytes]:
        return [data, error] if data else []

    wire.tamper_device = gives_up
    async with table(wire, Notes()) as station:
        await asyncio.sleep(60)
        assert not station.online
        assert len([who for _, who in wire.talk if who == "host"]) < 200
