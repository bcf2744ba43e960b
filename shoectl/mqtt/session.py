"""What goes on while one connection stands: events, retained topics, commands, telemetry, our own availability."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
import time
from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel

from shoectl.devices.station import Station
from shoectl.disk import Disk
from shoectl.mqtt import contents
from shoectl.mqtt.availability import Availability
from shoectl.mqtt.connection import Link
from shoectl.mqtt.intake import Intake
from shoectl.mqtt.memory import Cursor, Memory
from shoectl.mqtt.outbox import OVERLAP, WINDOW, Outbox, Outgoing
from shoectl.mqtt.payloads import Count, Device, Round, Telemetry
from shoectl.mqtt.retained import Board
from shoectl.mqtt.settings import Pace
from shoectl.mqtt.topics import Topics
from shoectl.table.runner import Runner

log = logging.getLogger("shoectl.mqtt")
KEPT_EVERY_S: Final = 1.0  # how often the cursor goes to disk: what is lost of it is sent again
LOOK_S: Final = 1.0  # the table is looked at so often, even if it has said nothing
LAG_LOOK_S: Final = 0.25


class Session:
    """All of it for one table; `run` is called once for each connection."""

    def __init__(
        self,
        runner: Runner[Any],
        stations: Mapping[str, Station],
        topics: Topics,
        pace: Pace,
        *,
        disk: Disk,
        memory: Memory,
        outbox: Outbox,
        cursor: Cursor,
        availability: Availability,
        intake: Intake,
    ) -> None:
        self.runner, self.stations, self.topics, self.pace = runner, stations, topics, pace
        self.cursor = cursor
        self.another = False  # another daemon lives beside this one, under another client id, and says it is this table
        self.rival = ""  # the instance that was here while we were not
        self._born = False
        self.reconnects = -1
        self.availability = availability
        self._disk, self._memory, self._outbox, self._intake = disk, memory, outbox, intake
        self._board = Board()
        self._bells = [asyncio.Event(), asyncio.Event()]  # of the outbox and of the retained topics
        self._overwritten = asyncio.Event()
        self._kept = cursor
        self._began = time.monotonic()
        self._lag = 0.0
        runner.listen(self._ring)

    def _ring(self) -> None:
        for bell in self._bells:
            bell.set()

    @property
    def waiting(self) -> int:
        """How many entries the broker does not have yet."""
        return max(0, self.runner.journal.head[0] - self.cursor.n)

    def heard(self, payload: bytes) -> None:
        """Somebody has said something in our status topic."""
        match self.availability.heard(payload):
            case "ours":
                self._born = True
            case _ if not self._born:  # what stood there before our birth, which has replaced it
                self.rival = self.availability.rival_in(payload)
            case "overwritten":
                self._overwritten.set()
            case "another":
                self.another = True

    async def begin(self, link: Link) -> None:
        """Say that we are there, and listen. Raises MqttError, Denied."""
        self.reconnects += 1
        self.rival, self._born = "", False
        self._board.forget()
        self._overwritten.clear()
        await link.listen(self.topics.status)
        await link.deliver(self.topics.status, self.availability.online(), retain=True)
        await link.listen(self.topics.commands)

    async def run(self, link: Link) -> None:
        """Until the connection ends. Raises, in a group too: MqttError, Denied, ShoectlError, sqlite3.Error."""
        try:
            async with asyncio.TaskGroup() as group:
                for task in (self._events, self._retained, self._correct, self._telemetry, self._intake.run):
                    group.create_task(task(link))
                group.create_task(self._keep())
                group.create_task(self._watch_lag())
        finally:
            await self._save()

    async def farewell(self, link: Link, *, lost: bool) -> None:
        """Say that we go. Raises MqttError, Denied, TimeoutError."""
        async with asyncio.timeout(self.pace.farewell):
            said = self.availability.stopped("lost" if lost else "stopped")
            await link.deliver(self.topics.status, said, retain=True)

    # the journal

    async def _events(self, link: Link) -> None:
        bell, at = self._bells[0], max(0, self.cursor.n - OVERLAP)
        while True:
            bell.clear()
            batch = await self._disk.do(self._outbox.after, at)
            for start in range(0, len(batch), WINDOW):
                at = await self._send(link, batch[start : start + WINDOW])
            if not batch:
                await _rung(bell)
            await asyncio.sleep(self.pace.breath / 10)  # a backlog leaves room for cards

    async def _send(self, link: Link, window: list[Outgoing]) -> int:
        async with asyncio.TaskGroup() as group:
            for one in window:
                group.create_task(link.deliver(self.topics.events, one.payload))
                await asyncio.sleep(0)  # each goes out by itself: a card that came meanwhile is not behind all of them
        if window[-1].cursor.n > self.cursor.n:
            self.cursor = window[-1].cursor
        return window[-1].cursor.n

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(KEPT_EVERY_S)
            await self._save()

    async def _save(self) -> None:
        if self.cursor != self._kept:
            self._kept = self.cursor
            try:
                await self._disk.do(self._memory.keep, self.cursor)
            except sqlite3.Error as error:  # at the next start a little more is sent again
                log.warning("how far the broker is cannot be written down: %s", error)

    # what stays at the broker

    async def _retained(self, link: Link) -> None:
        bell = self._bells[1]
        while True:
            bell.clear()
            now = contents.retained(self.topics, self.runner, self.stations, self._outbox.journal)
            for topic, content in list(self._board.due(now)):
                kind = self._kind(topic)
                said = kind.model_validate({**content, "revision": self.availability.revisions.next()})
                # a view leaves out the face of a card that is not shown, and so does the message
                await link.deliver(topic, said.model_dump_json(exclude_unset=True).encode(), retain=True)
                self._board.holds(topic, content)
            await asyncio.sleep(self.pace.breath)
            await _rung(bell)

    def _kind(self, topic: str) -> type[BaseModel]:
        kinds: dict[str, type[BaseModel]] = {self.topics.round: Round, self.topics.count: Count}
        return kinds.get(topic, Device)

    async def _correct(self, link: Link) -> None:
        while True:
            await self._overwritten.wait()
            self._overwritten.clear()
            if self.availability.may_correct(time.monotonic()):
                log.info("the status topic said something else, it is set right")
                await link.deliver(self.topics.status, self.availability.online(), retain=True)
            else:
                log.warning("somebody keeps overwriting %s", self.topics.status)
                await asyncio.sleep(self.pace.steady)

    # how we are

    async def _telemetry(self, link: Link) -> None:
        while True:
            said = Telemetry(
                uptime_s=int(time.monotonic() - self._began),
                rounds=self.runner.state.rounds_played,
                entries=self.runner.journal.head[0],
                waiting=self.waiting,
                reconnects=self.reconnects,
                done=self._intake.done,
                refused=dict(self._intake.refused),
                lag_ms=round(self._lag * 1000),
                memory_kb=contents.memory_kb(),
                links=contents.links(self.stations),
            )
            self._lag = 0.0
            await link.publish(self.topics.telemetry, said.model_dump_json().encode(), 0)
            await asyncio.sleep(self.pace.telemetry)

    async def _watch_lag(self) -> None:
        while True:
            due = time.monotonic() + LAG_LOOK_S
            await asyncio.sleep(LAG_LOOK_S)
            self._lag = max(self._lag, time.monotonic() - due)


async def _rung(bell: asyncio.Event) -> None:
    """Return at the bell, or when it is time to look all the same."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LOOK_S):  # wait_for may lose a cancellation that comes with the bell
            await bell.wait()
