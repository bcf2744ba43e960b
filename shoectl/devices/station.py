"""A place of the table and the device that occupies it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from protocols.family import Family, Verb
from protocols.link import Link, Side
from protocols.message import Event, Progress, Request
from protocols.vocabulary import Identity, Result
from shoectl.devices.attachment import Attachment
from shoectl.devices.awaiting import Awaiting
from shoectl.devices.command import Command, DeviceLost, Refused, Reply, command_of
from shoectl.devices.condition import Condition, lost_because
from shoectl.devices.counters import Counters
from shoectl.devices.driver import Bell, Driver
from shoectl.devices.line import NOBODY, Line
from shoectl.devices.patience import FLAPPING_WINDOW_S, STEADY_S
from shoectl.devices.pulse import Pulse
from shoectl.devices.record import Record
from shoectl.devices.strain import LineWatch
from shoectl.devices.totals import Totals, take_totals
from shoectl.transports import TransportError

LINK_WITHIN_S = 5.0  # a device answers a reset within 1.5 s; after three tries more the port may be the wrong one
BUSY_FIRST_S, BUSY_MOST_S, BUSY_WITHIN_S = 0.05, 1.0, 10.0


class Station:
    """Keeps one place of the table occupied by one device.

    `options` are those of the family's link (`address` for Birch, `pin` where a session is insisted on). `serial` and
    `firmware` are of the unit that belongs here, None for any. `occupy` in `places.py` makes stations from URLs.
    """

    def __init__(
        self,
        name: str,
        family: Family,
        line: Line,
        record: Record,
        *,
        serial: str | None = None,
        firmware: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.family = family
        self.identity: Identity | None = None
        self._line, self._record, self._options = line, record, dict(options or {})
        self._serial, self._firmware = serial, firmware
        self._bell = Bell()
        self.pulse = Pulse(self._bell.ring)  # of the task that `run` is
        self._driver: Driver | None = None
        self._attachment: Attachment | None = None  # of the last session; `over` once that has gone
        self._watch: LineWatch | None = None  # of the session that there is
        self._counters = Counters()
        self._condition = Condition(name, lambda: record.changed(name))
        self._awaiting = Awaiting(family)
        self._suspected = ""  # who seems to pretend, as the journal was told; until the device is there again

    # what the table asks

    @property
    def online(self) -> bool:
        """Whether the link is up, the device identified and its event ring read to the end."""
        attachment = self._attachment
        return attachment is not None and attachment.ready and not attachment.over

    @property
    def node(self) -> str:
        """What the stable name of the port stands for now, `/dev/ttyUSB1`; empty while it is not open."""
        return self._line.node

    @property
    def condition(self) -> str:
        """How it is, in one plain sentence for people."""
        return self._condition.text

    @property
    def counters(self) -> Mapping[str, int]:
        """What the link has counted since the start, over all connections: bytes, frames, `resends`, `repeats` (frames
        that came marked as sent again), `dropped`, `bad_crc` among them, `stale` answers, `resets`, `reconnects`;
        `answer_ms` of the last request that was answered, `slowest_ms` of all.
        """
        return self._counters.now(self._driver)

    @property
    def reconnects(self) -> int:
        """How often a device took the place again after the first time."""
        return self._counters.reconnects

    @property
    def progress(self) -> Progress | None:
        """How far a motion is, where the family tells."""
        return self._driver.progress if self._driver is not None else None

    async def ready(self) -> None:
        """Return once the link is up, the device identified and its event ring read to the end."""
        while not self.online:
            await self._bell.heard()

    async def command(self, id: int, command: Command) -> Reply:
        """Send an S or M command under an id that is durable already. Raises DeviceLost.

        While the device is busy it is asked again under the same id; the reply is E_BUSY only if that lasts 10 s.
        """
        loop, attachment, pause = asyncio.get_running_loop(), self._attachment, BUSY_FIRST_S
        end = loop.time() + BUSY_WITHIN_S
        while True:
            driver = self._connected(attachment)
            response = await driver.request(Request(command.type, id, command.body))
            if response.result != Result.E_BUSY or loop.time() + pause > end:
                break
            await asyncio.sleep(pause)
            pause = min(pause * 2, BUSY_MOST_S)
        reply = Reply.of(response)
        self._awaiting.replied(command.type, command.body, reply.ok)
        self._set_pace()
        return reply

    async def ask(self, what: Verb | str, body: Mapping[str, Any] | None = None) -> Reply:
        """Send a question (class Q) by verb or message type. Raises DeviceLost."""
        type = command_of(self.family, what).type if isinstance(what, Verb) else what
        if self.family.carries_id(type):
            raise ValueError(f"{type} is a command: it needs an id that is in the journal")
        return Reply.of(await self._connected(self._attachment).ask(type, body))

    async def fate(self, id: int) -> tuple[str, int] | None:
        """What became of a command: its type and result; None if it never ran. Raises DeviceLost."""
        reply = await self.ask(Verb.RESULT, {"of": id})
        if reply.result == Result.E_UNKNOWN_ID:
            return None
        if not reply.ok:
            raise DeviceLost(f"{self.name} does not tell what became of command {id}: {reply.text}")
        return self.family.type_named(reply.body["of_type"]), reply.body["of_result"]

    async def catch_up(self) -> None:
        """Return when every event that the device had recorded at the call is in the journal. Raises DeviceLost."""
        driver = self._connected(self._attachment)
        if self._attachment is not None:
            try:
                await self._attachment.catch_up()
            except Refused as error:  # its numbers are not those that it told before: who it is has to be asked again
                driver.fail(DeviceLost(str(error)))
                raise DeviceLost(str(error)) from None

    async def status(self) -> Mapping[str, Any]:
        """The STATUS body. Raises DeviceLost."""
        return await self._told(Verb.STATUS)

    async def faults(self) -> list[tuple[int, int]]:
        """Open faults as (first seq, code), oldest first. Raises DeviceLost."""
        return [(fault["seq"], fault["code"]) for fault in (await self._told(Verb.FAULTS))["faults"]]

    async def totals(self) -> Totals:
        """What the device holds and has counted, in one moment (`take_totals`). Raises DeviceLost.

        To hold it against the journal, call `catch_up` afterwards: then the journal has every event up to `newest`.
        """
        return await take_totals(self.family, self._told)

    async def _told(self, what: Verb) -> Mapping[str, Any]:
        """The body of an answer that every device owes."""
        reply = await self.ask(what)
        if not reply.ok:
            raise DeviceLost(f"{self.name} does not tell: {reply.text}")
        return reply.body

    def _delivered(self, events: Sequence[Event]) -> None:
        self._awaiting.happened(events)
        self._set_pace()

    def _set_pace(self) -> None:
        if self._driver is not None and hasattr(self._driver.link, "eager"):
            self._driver.link.eager = bool(self._awaiting)

    def _connected(self, attachment: Attachment | None) -> Driver:
        if self._driver is None or not self.online or self._attachment is not attachment:
            raise DeviceLost(f"{self.name}: {self.condition}")
        return self._driver

    # what the daemon runs

    async def run(self) -> None:
        """Open, identify, deliver, and open again after a loss, for ever. For the daemon's task group."""
        while True:
            self.pulse.beat()
            try:
                await self._connection()
            except TransportError as error:
                self._condition.unplugged()
                self._missing(f"waiting for the port: {error}")
            except DeviceLost as error:
                self._missing(f"no connection: {error}")
            except Refused as error:
                self._tell(f"refused: {error}")
                if error.alarm and str(error) != self._suspected:
                    self._suspected = str(error)
                    await self._record.alarm(self.name, str(error))
            await asyncio.sleep(self._condition.delay())

    async def _connection(self) -> None:
        """One driver, from opening the port to its failure."""
        driver = Driver(self.family, self._make_link(), self._bell, lambda: self._record.changed(self.name))
        self._driver = driver
        try:
            await self._line.join(driver)
            for notice in self._line.notices:
                self._condition.notice(notice)
            while True:
                await self._link_up(driver)
                await self._session(driver)
        finally:
            self._driver = None
            driver.fail(DeviceLost("the connection was given up"))  # whatever ended it: nobody waits on it any longer
            self._counters.over(driver)
            await self._line.leave(driver)

    async def _link_up(self, driver: Driver) -> None:
        """Wait for the link, for a while. Raises the reason of its failure."""
        try:
            async with asyncio.timeout(LINK_WITHIN_S):
                await driver.stands()
        except TimeoutError:
            raise DeviceLost("the device does not answer: check power, cable and line rate") from None
        if driver.link.stopped:
            raise Refused(driver.link.stopped, alarm=driver.link.unproven)
        if driver.failure is not None:
            if driver.failure is not NOBODY:
                self._condition.lost(0.0, driver.failure)  # the port opened and vanished
            raise lost_because(driver.failure)

    async def _session(self, driver: Driver) -> None:
        """Identify the device and serve it until the link goes."""
        started = self._now
        attachment = Attachment(self.name, self.family, driver, self._record, self._bell, self.pulse)
        try:
            self.identity = await attachment.identify(self._serial, self._line.url, self._firmware)
            await attachment.attach(self._attachment, node=self.node, counted=self.counters)
            self._attachment = attachment
            self._counters.attached()
            self._suspected = ""
            self._awaiting.reset()
            self._set_pace()
            self._watch = LineWatch(driver, lambda: self._settle_again(attachment))
            await attachment.serve(lambda: self._settled(attachment), self._delivered)
        except DeviceLost as error:
            held = self._now - started
            self._condition.lost(held, driver.failure)
            if driver.failure is not None:
                raise lost_because(driver.failure) from None
            self._missing(f"lost: {error}")
            if held < STEADY_S:  # or it would be taken in circles
                await asyncio.sleep(self._condition.pause())
        finally:
            if self._watch is not None:
                self._watch.end()

    def _settled(self, attachment: Attachment) -> None:
        """The ring was read, or cannot be read any further."""
        unsteady = self._condition.unsteady()
        if attachment.blocked:
            self._tell(f"stopped: {attachment.blocked}; call service")
        elif unsteady:
            self._tell(f"online, but {unsteady}", key="flaps")
            asyncio.get_running_loop().call_later(FLAPPING_WINDOW_S, self._settle_again, attachment)
        elif self._watch is not None and self._watch.text:
            said = f"online, but the line gets worse: {self._watch.text}; check cable, plugs and termination"
            self._tell(said, key="strain")
        elif attachment.noisy:
            self._tell("online, but the line is noisy: check cable, shield and termination")
        else:
            where = f"{attachment.identity.model} {attachment.identity.serial} at {self.node or self._line.url}"
            self._tell("online", logging.INFO, detail=f": {where}")

    def _settle_again(self, attachment: Attachment) -> None:
        if self._attachment is attachment and self.online:
            self._settled(attachment)

    def _make_link(self) -> Link:
        return self.family.make_link(Side.HOST, **self._options)

    def _tell(self, condition: str, level: int = logging.WARNING, *, key: str = "", detail: str = "") -> None:
        self._condition.tell(condition, level, key=key, detail=detail)
        self._bell.ring()

    def _missing(self, condition: str) -> None:
        self._condition.missing(condition)
        self._bell.ring()

    @property
    def _now(self) -> float:
        return asyncio.get_running_loop().time()
