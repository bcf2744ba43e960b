"""Commands and questions to a device that is busy, or is asked wrongly."""

import asyncio

import pytest

from protocols.family import Verb
from protocols.message import Request
from protocols.vocabulary import Result
from shoectl.devices.attachment import BUSY_WITHIN_S
from shoectl.devices.command import DeviceLost
from tests.devices.notes import Notes
from tests.devices.scripted import BUSY, Device
from tests.devices.stations import accept, any_command, table
from tests.devices.wires import Wire
from tests.timeloop import virtual


@virtual
async def test_a_busy_device_is_asked_again_under_the_same_id(device: Device) -> None:
    command, tries = any_command(device), []

    def busy_twice(request: Request) -> tuple[int, dict[str, int]]:
        tries.append(request)
        return accept(request) if len(tries) > 2 else (BUSY, {})

    device.answers[command.type] = busy_twice
    async with table(Wire(device), Notes()) as station:
        await station.ready()
        assert (await station.command(5, command)).ok
    assert len(tries) == 3
    assert tries[0] == tries[1] == tries[2]
    assert tries[0].id == 5


@virtual
async def test_a_device_that_stays_busy_is_told_so(device: Device) -> None:
    command = any_command(device)
    device.answers[command.type] = lambda request: (BUSY, {})
    async with table(Wire(device), Notes()) as station:
        await station.ready()
        reply = await station.command(5, command)
        assert reply.result == Result.E_BUSY
        assert asyncio.get_running_loop().time() < 12


@pytest.mark.parametrize("from_start", [True, False])
@virtual
async def test_a_device_that_is_busy_for_ever_when_its_events_are_asked_for_is_given_up_in_time(
    device: Device, from_start: bool
) -> None:
    asked = device.family.verbs[Verb.READ_EVENTS]
    device.event()
    async with table(Wire(device), Notes()) as station:
        if not from_start:
            await station.ready()
        device.answers[asked] = lambda request: (BUSY, {})
        device.event()
        if not from_start:
            with pytest.raises(DeviceLost, match="busy"):
                await station.catch_up()
        await asyncio.sleep(BUSY_WITHIN_S + 1)
        assert not station.online
        assert "does not give its events" in station.condition
        async with asyncio.timeout(BUSY_WITHIN_S + 5):
            await station.pulse.turns()
        device.answers.pop(asked)
        async with asyncio.timeout(BUSY_WITHIN_S + 10):
            await station.ready()


@virtual
async def test_a_question_with_a_commands_type_is_a_mistake(device: Device) -> None:
    async with table(Wire(device), Notes()) as station:
        await station.ready()
        with pytest.raises(ValueError, match="needs an id"):
            await station.ask(any_command(device).type)
    assert device.sent == []
