"""What holds for every device family on every medium, written once, over the Station interface.

A check gets a trial whose station runs. It assumes nothing of what was before, so that checks may follow each other at
one device; `python -m tests.kernel` does that on a real kernel.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from protocols.family import Verb
from protocols.message import Event
from protocols.vocabulary import EventCode, Result
from shoectl.devices.command import DeviceLost, Reply, command_of
from shoectl.devices.places import Place, occupy
from shoectl.devices.station import Station
from shoectl.devices.totals import Totals
from tests.conformance.rig import Rig
from tests.devices.notes import Notes

T = TypeVar("T")

LAMP = 4  # a setting of common.md §7.2 that every family has, and that moves nothing
BACK_WITHIN_S = 3.0
WITHIN_S = 10.0
FULL = 20  # events that wait in a device


@dataclass
class Trial:
    """A station at a rig, and what it told."""

    rig: Rig
    station: Station
    notes: Notes
    first_id: int = 1
    _given: int = 0

    def new_id(self) -> int:
        self._given += 1
        return self.first_id + self._given - 1

    async def set(self, value: int, id: int) -> Reply:
        """A command that every family has; it leaves one event."""
        command = command_of(self.rig.family, Verb.CONFIG_SET, {"key": LAMP, "value": value, "who": id})
        return await self.station.command(id, command)

    async def set_surely(self, value: int, id: int) -> Reply:
        """The same, asked again under its number where the link went meanwhile."""
        return await self.surely(lambda: self.set(value, id))

    def settings(self, id: int) -> list[Event]:
        """The events that the command of this number has left."""
        return [event for event in self.of(EventCode.CONFIG_CHANGED) if event.body["who"] == id]

    def of(self, code: EventCode) -> list[Event]:
        return [event for event in self.notes.events if event.code == code]

    async def until(self, condition: Callable[[], object], within: float = WITHIN_S) -> None:
        async with asyncio.timeout(within * self.rig.patience):
            while not condition():  # noqa: ASYNC110
                await asyncio.sleep(self.rig.look_every)

    async def online(self, within: float = WITHIN_S) -> None:
        async with asyncio.timeout(within * self.rig.patience):
            await self.station.ready()

    async def happens(self, times: int) -> None:
        """What a person does at the device, with no host needed: two events each time at least."""
        for _ in range(times):
            for do in ("plug_service", "unplug_service"):
                told = await self.rig.order(do=do, device=self.rig.family.name)
                assert told["ok"], told

    async def is_whole(self) -> None:
        """The journal has everything that the device has numbered, once and in order, and nothing was odd."""
        totals = await self.surely(self._totals)
        seqs, first = self.notes.seqs, self.notes.attachments[0][1].oldest
        assert seqs == list(range(first, first + len(seqs))), f"lost or doubled: {seqs}"
        assert seqs[-1] >= totals.newest
        assert self.notes.alarms == []

    async def _totals(self) -> Totals:
        totals = await self.station.totals()
        await self.station.catch_up()
        return totals

    async def surely(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask, and ask again where the link went meanwhile, as whoever asks a station has to."""
        async with asyncio.timeout(2 * WITHIN_S * self.rig.patience):
            while True:
                await self.station.ready()
                with contextlib.suppress(DeviceLost):
                    return await ask()

    async def pulled(self) -> None:
        await self.rig.pull()
        await self.until(lambda: not self.station.online)


@contextlib.asynccontextmanager
async def trial(rig: Rig, first_id: int = 1) -> AsyncIterator[Trial]:
    """A rig and a station that is there for it. `first_id`: of the commands; a device remembers others' numbers."""
    notes = Notes()
    await rig.begin()
    station = occupy([Place("device", rig.url, rig.family.name)], notes, make=rig.make)["device"]
    running = asyncio.create_task(station.run())
    try:
        yield Trial(rig, station, notes, first_id)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await rig.finish()


async def it_says_who_it_is(at: Trial) -> None:
    await at.online()
    identity, family = at.station.identity, at.rig.family
    assert identity is not None
    assert (identity.family, identity.serial) == (family.code, at.rig.serial)
    assert {told.serial for told, _ in at.notes.attachments} == {at.rig.serial}
    assert family.states[(await at.surely(at.station.status))["state"]]
    assert await at.surely(at.station.faults) == []


async def a_command_is_done_once_and_its_fate_is_known(at: Trial) -> None:
    await at.online()
    id, other = at.new_id(), at.new_id()
    assert (await at.set_surely(1, id)).ok
    assert await at.surely(partial(at.station.fate, id)) == (at.rig.family.verbs[Verb.CONFIG_SET], Result.OK)
    assert await at.surely(partial(at.station.fate, other)) is None
    await at.is_whole()
    assert len(at.settings(id)) == 1


async def the_same_number_again_is_the_same_command_or_none(at: Trial) -> None:
    await at.online()
    id = at.new_id()
    first = await at.set_surely(0, id)
    assert await at.set_surely(0, id) == first
    assert (await at.set_surely(1, id)).result == Result.E_ID_REUSE
    assert await at.surely(partial(at.station.fate, id)) == (at.rig.family.verbs[Verb.CONFIG_SET], Result.OK)
    await at.is_whole()
    assert len(at.settings(id)) == 1


async def events_are_read_to_the_end_of_the_ring(at: Trial) -> None:
    await at.online()
    await at.pulled()
    before = len(at.notes.events)
    await at.happens(FULL // 2)
    assert len(at.notes.events) == before
    await at.rig.put_back()
    await at.online()
    assert len(at.notes.events) >= before + FULL, "online before the ring was read"
    await at.is_whole()


async def the_fate_of_a_command_is_told_after_the_plug_was_pulled(at: Trial) -> None:
    for after in (0.0, 0.002, 0.02):
        await at.online()
        id = at.new_id()
        asked = asyncio.create_task(at.set(id & 1, id))
        await asyncio.sleep(after)
        await at.pulled()
        reply = None
        with contextlib.suppress(DeviceLost):
            reply = await asked
        await at.rig.put_back()
        await at.online()
        fate = await at.surely(partial(at.station.fate, id))
        assert reply is None or fate == (at.rig.family.verbs[Verb.CONFIG_SET], reply.result)
        assert (await at.set_surely(id & 1, id)).ok
        await at.is_whole()
        assert len(at.settings(id)) == 1


async def a_restart_is_told_and_forgets_nothing(at: Trial) -> None:
    await at.online()
    id = at.new_id()
    assert (await at.set_surely(1, id)).ok
    boots = [resume.boot for _, resume in at.notes.attachments]
    told = len(at.of(EventCode.POWER_UP))
    assert (await at.rig.order(do="power_cut", device=at.rig.family.name))["ok"]
    await at.until(lambda: len(at.of(EventCode.POWER_UP)) > told)
    await at.until(lambda: at.notes.attachments[-1][1].boot == boots[-1] + 1)
    await at.is_whole()
    assert at.of(EventCode.POWER_UP)[-1].boot == boots[-1] + 1
    assert await at.surely(partial(at.station.fate, id)) == (at.rig.family.verbs[Verb.CONFIG_SET], Result.OK)
    assert (await at.set_surely(1, id)).ok
    await at.is_whole()
    assert len(at.settings(id)) == 1


async def pulled_and_put_back_it_is_there_again_soon_and_nothing_is_lost_or_doubled(at: Trial) -> None:
    await at.online()
    for _ in range(3):
        id = at.new_id()
        assert (await at.set_surely(id & 1, id)).ok
        before = len(at.notes.attachments)
        await at.pulled()
        await at.happens(1)
        await at.rig.put_back()
        await at.online(BACK_WITHIN_S)
        assert len(at.notes.attachments) > before
        await at.is_whole()
        assert len(at.settings(id)) == 1


Check = Callable[[Trial], Awaitable[None]]
CHECKS: tuple[Check, ...] = (
    it_says_who_it_is,
    a_command_is_done_once_and_its_fate_is_known,
    the_same_number_again_is_the_same_command_or_none,
    events_are_read_to_the_end_of_the_ring,
    the_fate_of_a_command_is_told_after_the_plug_was_pulled,
    a_restart_is_told_and_forgets_nothing,
    pulled_and_put_back_it_is_there_again_soon_and_nothing_is_lost_or_doubled,
)
