"""One step in the hands of one device: the rules for commands that every pair of hands keeps (design §2, fourth idea).

No motion is repeated blindly. A step that is entered again first learns what became of its last command, and only then
looks, and acts. A command is written down before its first byte leaves; what was refused is tried again only when
something new was seen since.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from protocols.message import Body
from protocols.vocabulary import EventCode, FaultClass, Result, fault_class
from shoectl.devices.command import Command, DeviceLost, Reply, fault_text
from shoectl.devices.station import Station
from shoectl.games.procedure import Irregularity, Trouble
from shoectl.people.numbers import operator_number
from shoectl.table.entries import Evidence, Intent, unit_of
from shoectl.table.facts import REMEMBERED
from shoectl.table.holds import AWAY, GIVE_UP, INTERLOCKS, away, interlock, still_open
from shoectl.table.openstep import OpenStep
from shoectl.table.state import TableState

RETRY_S = 0.5  # between two tries of a command that a device has no room for
LOST_AFTER_S = 5.0  # a link that is lost longer than this is told to people; shorter ones are its daily life


class Grip:
    """One step, one device. `lease` is the ARM that stands, as far as these hands know; nothing else is remembered."""

    def __init__(self, step: OpenStep, station: Station) -> None:
        self.step = step
        self.station = station
        self.place = station.name
        self.lease: Intent | None = None
        self.accounted = False  # whether the device's totals were held against the journal since it was entered
        self._refused: int | None = None  # the entry after which nothing may be tried again without news

    @property
    def state(self) -> TableState:
        """The table's state that this round began with."""
        state: TableState = self.step.state
        return state

    # what was seen

    def unused(self, *codes: int) -> list[Evidence]:
        """Events of this device of which nothing has made use yet."""
        return self.step.facts.unused(self.place, *codes)

    def events(self, *codes: int) -> list[Evidence]:
        """Events of this device in this round."""
        return self.step.facts.events(self.place, *codes)

    def last(self, *codes: int) -> Evidence | None:
        """The newest of them."""
        return next(reversed(self.events(*codes)), None)

    def done(self, command: int, after: int = 0) -> Evidence | None:
        """The CMD_DONE of a command."""
        ends = self.step.facts.events(self.place, EventCode.CMD_DONE, after=after)
        return next((one for one in reversed(ends) if one.event.body["cmd_id"] == command), None)

    async def status(self) -> tuple[str, Body]:
        """The device's state by name, and the STATUS body."""
        body = await self.station.status()
        return self.station.family.states.get(body["state"], "unknown"), body

    # commands

    async def settle(self) -> None:
        """Learn what became of this step's last command; one that never arrived is sent, same id, same bytes."""
        intent = self._newest()
        if intent is not None and self.step.facts.remembered(intent):
            await self._sent(intent)

    async def order(self, command: Command) -> tuple[Intent, Reply]:
        """Write a command down under the next id, send it. A refusal is remembered: see `stuck`.

        An id that the device knows from another journal, for another command, is passed over.
        """
        intent, reply = await self._send(command)
        for _ in range(REMEMBERED):
            if reply.result == Result.E_ID_REUSE:
                intent, reply = await self._send(command)
        self._refused = None if reply.ok else intent.entry
        if reply.result in (Result.E_BUSY, Result.E_RING):  # ends without anything that could be seen
            self._refused = None
            await asyncio.sleep(RETRY_S)
        return intent, reply

    async def _send(self, command: Command) -> tuple[Intent, Reply]:
        await self.step.intend(self.place, command)
        intent = self._newest()
        assert intent is not None
        return intent, await self.station.command(intent.id, command)

    async def once(self, command: Command) -> tuple[Intent, Reply]:
        """The same, but only the first time in this step; after a refusal again as soon as there is news."""
        intent = self._newest(command)
        if intent is None:
            return await self.order(command)
        reply = await self._sent(intent)
        if not reply.ok and self._news(intent.entry):
            return await self.order(command)
        return intent, reply

    async def stored(self, intent: Intent) -> Reply:
        """The device's whole reply to a command that it has had: it gives the stored one again, nothing moves."""
        return await self.station.command(intent.id, Command(intent.type, intent.body))

    @property
    def stuck(self) -> bool:
        """Whether the last command was refused and nothing new was seen since: trying again would change nothing."""
        return self._refused is not None and not self._news(self._refused)

    def came_too_late(self) -> None:
        """What was refused is not wanted any more: another look will tell what is."""
        self._refused = None

    async def _sent(self, intent: Intent) -> Reply:
        fate = await self.station.fate(intent.id)
        return await self.stored(intent) if fate is None else Reply(fate[1])

    @property
    def unit(self) -> str | None:
        """The device that stands there now, as the journal names it."""
        identity = self.station.identity
        return unit_of(identity) if identity is not None else None

    def _newest(self, like: Command | None = None) -> Intent | None:
        """The newest command of this step to the unit that stands there now; one to another unit died with it."""
        for one in reversed(self.step.intents()):
            same = like is None or (one.type, dict(one.body)) == (like.type, dict(like.body))
            if one.place == self.place and one.unit == self.unit and same:
                return one
        return None

    def _news(self, entry: int) -> bool:
        word = self.step.held
        return bool(self.step.facts.events(self.place, after=entry)) or (word is not None and word.entry > entry)

    # faults and people

    async def clear(self, command: Callable[[int, int], Command], *codes: int) -> list[tuple[int, int]]:
        """Clear open latched faults of these codes (none named: all) in the floor's name. Returns what stays open."""
        stays = []
        for seq, code in await self.station.faults():
            if fault_class(code) is FaultClass.AUTOMATIC:
                continue
            if codes and code not in codes:
                stays.append((seq, code))
                continue
            _, reply = await self.order(command(seq, self.operator("floor") or self.operator("dealer")))
            if not reply.ok:
                stays.append((seq, code))
        return stays

    def operator(self, name: str) -> int:
        """The operator number of a person: by name, or the number itself; 0 for nobody known."""
        return self.state.operators.get(name, operator_number(name))

    async def ask_people(self, reason: str, text: str, *acts: str) -> bool:
        """Hold the step for people's word. True once they said to go on, until something was done about it (a command
        of the types in `acts`; none named: any); then, if it was not enough, they are asked again. A step given up is
        thrown into the round.
        """
        facts = self.step.facts
        holds = [hold for hold in facts.holds if hold.reason.rpartition(", ")[0] == reason]
        word = holds[-1].word if holds else None
        if word is not None and word.how == GIVE_UP:
            await self.fail(text)
            return False
        later = [one.type for one in self.step.intents() if word is not None and one.entry > word.entry]
        acted = any(not acts or one in acts for one in later)
        if not holds or acted:
            await self.step.hold(f"{reason}, {len(holds) + 1}", text)
        return word is not None and not acted

    async def interlocked(self, state: str) -> bool:
        """Whether a lid, a door or a service plug is in the way; then people are told, and it goes on by itself."""
        if state not in INTERLOCKS:
            return False
        what, text = INTERLOCKS[state]
        await self.ask_until(interlock(self.place, what), text.format(place=self.place), "it says so still")
        return True

    async def ask_until(self, reason: str, text: str, still: str) -> None:
        """Hold the step until the device says that it is over; a person who says so before is asked again."""
        if await self.ask_people(reason, text):
            asked = sum(hold.reason.startswith(f"{reason}, ") for hold in self.step.facts.holds)
            await self.step.hold(f"{reason}, {asked + 1}", f"{text} ({still})")

    async def end_interlock(self) -> None:
        """End the hold for a lid, a door or a plug once the device says that it is over."""
        hold = self.step.holding
        if hold is not None and hold.word is None and still_open(hold, self.step.facts) is False:
            await self.step.lift("the device says so")

    async def alarm(self, text: str) -> None:
        """What the journal does not explain of this device: its word is worth nothing until a count."""
        await self.step.alarm(self.place, text)

    async def fail(self, text: str, kind: Trouble = Trouble.DEVICE_FAILED) -> None:
        """The device does not do its part: the round's guard decides."""
        await self.step.irregularity(Irregularity(kind, text=f"{self.place}: {text}"))


Look = Callable[[Grip], Awaitable[None]]


async def carry_out(step: OpenStep, station: Station, look: Look, *, held: bool = True) -> None:
    """Hands at a step: wait for the device, settle what is open, then look and act whenever something changes.

    A link that goes, in the middle or in between, is a new entry into the step. `held`: people are told when it stays
    away, and may give the step up.
    """
    while not step.closed:
        grip = Grip(step, station)
        try:
            await _there(grip, held)
            if step.closed:
                return
            attachments = len(step.facts.attachments(station.name))
            await grip.settle()
            while not step.closed and len(step.facts.attachments(station.name)) == attachments:
                await look(grip)
                await step.changed()
                if not station.online:
                    break
        except DeviceLost:
            continue


async def _there(grip: Grip, held: bool) -> None:
    """Return when the device is there, or the step was given up."""
    step, station = grip.step, grip.station
    if not held:
        await station.ready()
        return
    try:
        async with asyncio.timeout(LOST_AFTER_S):  # not wait_for: it may swallow a cancel that comes with the result
            await station.ready()
        return
    except TimeoutError:
        pass
    missed = len(step.facts.attachments(grip.place))
    while not station.online and not step.closed:
        how, text = away(grip.place, station.condition)
        await grip.ask_until(f"{grip.place} {how} {missed}", text, "still")
        await step.changed()
    await station.ready()
    await step.lift("it answers again", *(f"{grip.place} {how} {missed}, " for how in AWAY))


def faults_text(faults: list[tuple[int, int]]) -> str:
    """Open faults in words."""
    return ", ".join(fault_text(code) for _, code in faults) or "no fault"


def flag(status: Mapping[str, Any], bit: int) -> bool:
    """One bit of a STATUS body's flags."""
    return bool(status["flags"] >> bit & 1)
