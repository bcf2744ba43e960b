"""The bus as a task beside the table: connects, comes back, and says how it is."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import sqlite3
import time
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any

from aiomqtt import MqttError

from shoectl.devices.station import Station
from shoectl.disk import Disk
from shoectl.errors import DeviceFailed, ShoectlError
from shoectl.mqtt.availability import Availability
from shoectl.mqtt.backoff import Backoff, Takeovers
from shoectl.mqtt.connection import Link
from shoectl.mqtt.intake import Intake
from shoectl.mqtt.memory import Memory
from shoectl.mqtt.outbox import Outbox
from shoectl.mqtt.reasons import TAKEN_OVER, Denied, code_of, words_for
from shoectl.mqtt.retained import Revisions
from shoectl.mqtt.session import Session
from shoectl.mqtt.settings import Address, GaveWay, Pace
from shoectl.people.persons import Operators, Persons
from shoectl.status import BusStatus
from shoectl.table.desk import Desk
from shoectl.table.runner import Runner

log = logging.getLogger("shoectl.mqtt")
# What may come of a broker, a wire or a disk. Anything else is a fault of this program, and ends it as everywhere.
TROUBLES = (MqttError, Denied, OSError, ShoectlError, sqlite3.Error)


class BusFace:
    """Call it with runner and stations: the coroutine runs until it is cancelled, or another client has our name."""

    def __init__(
        self, address: Address, journal: Path, version: str, *, persons: Persons | None = None, pace: Pace | None = None
    ) -> None:
        self.address, self.journal, self.version, self.pace = address, journal, version, pace or Pace()
        self._persons = persons
        self._session: Session | None = None
        self._intake: Intake | None = None
        self._connected = False
        self._text = "not connected yet"
        self._told = ""  # the trouble that was logged last
        self._last_word: BaseException | None = None  # of the broker, as it ended the last connection
        self._ending = False  # the next goodbye is for good
        self._takeovers = Takeovers(self.pace.takeovers)
        self._taken = False  # the last connection was, and that is counted
        self._gives_way = False
        self._disk: Disk

    def status(self) -> BusStatus:
        """How it is now."""
        session, intake = self._session, self._intake
        done, refused = (intake.done, dict(intake.refused)) if intake is not None else (0, {})
        text = self._text
        if session is not None and self._connected and session.another:
            text = "another daemon says that it is this table: two have the same site and table"
        sent, waiting = (session.cursor.n, session.waiting) if session is not None else (0, 0)
        return BusStatus(self._connected, sent, waiting, done, refused, text)

    async def __call__(self, runner: Runner[Any], stations: Mapping[str, Station]) -> None:
        """Keep the table on the bus."""
        pace, self._disk = self.pace, Disk("bus")
        backoff = Backoff(pace.first, pace.most, pace.steady)
        with contextlib.ExitStack() as stack:
            stack.callback(self._disk.end)
            while True:
                began = time.monotonic()
                trouble = await self._apart(self._until_trouble(stack, runner, stations))
                stood = time.monotonic() - began if self._connected else 0.0
                self._connected = False
                if stood >= pace.steady:
                    self._told = ""
                self._say(words_for(trouble))
                if code_of(trouble) == TAKEN_OVER:
                    self._was_taken()
                if self._gives_way:
                    self._text = f"another client uses this id ({self.address.client_id}): the bus has stopped here"
                    log.error("%s; the table plays on, start again when only one has it", self._text)
                    return
                await asyncio.sleep(backoff.after(stood))

    async def _apart(self, connection: Coroutine[Any, Any, BaseException]) -> BaseException:
        """Run a connection as a task of its own.

        A task group whose task fails just as the group is cancelled raises the failure alone (before Python 3.13). In
        here nothing fails, so whoever is cancelled here ends, whatever the broker does at that moment.
        """
        async with asyncio.TaskGroup() as group:
            task = group.create_task(connection, name="bus: connection")
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError:
                self._ending = True
                raise
        return task.result()

    async def _until_trouble(
        self, stack: contextlib.ExitStack, runner: Runner[Any], stations: Mapping[str, Station]
    ) -> BaseException:
        """One connection, if it comes about. Returns why it is over."""
        found: list[BaseException] = []
        self._last_word = None
        try:
            if self._session is None:
                self._session = await self._begin(stack, runner, stations)
            await self._connection(self._session)
        except* TROUBLES as group:
            found = _single(group)
        # the first task that fails may only know that nothing goes out any more
        return self._last_word or found[0]

    async def _begin(
        self, stack: contextlib.ExitStack, runner: Runner[Any], stations: Mapping[str, Station]
    ) -> Session:
        do = self._disk.do
        with contextlib.ExitStack() as opened:
            memory = await do(Memory, self.journal.with_name(self.journal.name + "-bus"))
            opened.callback(memory.close)
            outbox = await do(Outbox, self.journal)
            opened.callback(outbox.close)
            kept = await do(memory.cursor)
            cursor = await do(outbox.fits, kept)
            if kept.n and not cursor.n:
                log.warning("the journal is another one than was sent before: its entries are sent from the first on")
            life = await do(memory.next_life, time.time())
            stack.push(opened.pop_all())
        stack.callback(self._disk.end)  # first of all, at the end: nothing is closed under its feet
        topics = self.address.topics
        persons = self._persons or Operators(lambda: runner.state.operators)

        async def remember(id: str) -> bool:
            try:
                return await do(memory.remember, id)
            except sqlite3.Error as error:
                raise DeviceFailed(f"commands cannot be taken down: {error}") from None

        self._intake = Intake(Desk(runner), topics, persons, remember)
        return Session(
            runner,
            stations,
            topics,
            self.pace,
            disk=self._disk,
            memory=memory,
            outbox=outbox,
            cursor=cursor,
            availability=Availability(_instance(), self.version, Revisions(life)),
            intake=self._intake,
        )

    async def _connection(self, session: Session) -> None:
        password = await self._disk.do(self.address.password)
        tls = await self._disk.do(self.address.tls)
        will = session.availability.will()
        link = Link(self.address, self.pace, password=password, tls=tls, will=will, heard=session.heard)
        async with link:
            try:
                await session.begin(link)
                if session.rival and not session.another and session.reconnects:
                    self._found(session.rival, session.availability.instance)
                self._taken = False
                self._connected = True
                self._say("")
                await session.run(link)
            except BaseException:
                self._last_word = link.ended_by
                # a broker that is told goodbye keeps the will to itself, so "offline" is ours to say
                link.timeout = self.pace.farewell
                if not link.gone:
                    with contextlib.suppress(*TROUBLES, TimeoutError):
                        await session.farewell(link, lost=not self._ending)
                raise

    def _was_taken(self) -> bool:
        """Another client took our name, once more; whether that was often enough."""
        self._taken = True
        return self._takeovers.another(time.monotonic())

    def _found(self, rival: str, instance: str) -> None:
        """Somebody with our name was here while we were not. A broker says so as it ends a connection, but a busy one
        may not hear it; what stands in our status topic tells as well.

        Of two the one that began later gives way, so never both do. Raises GaveWay.
        """
        enough = self._takeovers.enough if self._taken else self._was_taken()
        if enough and instance > rival:
            self._gives_way = self._ending = True
            raise GaveWay(f"another client uses this id ({self.address.client_id})")

    def _say(self, text: str) -> None:
        """A trouble that lasts, or comes back at every connection, is told once."""
        self._text = text
        if text and text != self._told:
            self._told = text
            log.warning("bus: %s; the table plays on", text)


def _instance() -> str:
    """A name that no other start has; later ones are greater, as far as clocks are right."""
    return f"{int(time.time()):010x}{secrets.token_hex(3)}"


def _single(group: BaseExceptionGroup[Any]) -> list[BaseException]:
    found: list[BaseException] = []
    for one in group.exceptions:
        found += _single(one) if isinstance(one, BaseExceptionGroup) else [one]
    return found
