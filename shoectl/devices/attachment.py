"""One session with the device of a place, from the moment the link is up until it goes.

First who it is; then the journal's word on how far its events are durable; then its ring to the end; from then on
events as they come. Nothing is acknowledged before the journal has it, and nothing at or after an event that
nobody can read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from protocols.family import Family, Verb
from protocols.message import Event, Response
from protocols.vocabulary import PROTO, Identity, Result
from shoectl.devices.command import DeviceLost, Refused, result_text
from shoectl.devices.driver import Bell, Driver, EventUnreadable
from shoectl.devices.identity import refusal, same_unit
from shoectl.devices.intake import SEQ_MOST, Conflict, Intake
from shoectl.devices.pulse import Pulse
from shoectl.devices.record import Record
from shoectl.devices.telling import Telling

AT_ONCE = 255  # events asked for in one request; the device sends as many as fit
BUSY_PAUSE_S, BUSY_WITHIN_S = 0.1, 10.0


class Attachment:
    """One session. `ready` once the ring was read to the end; `blocked` says why it never will be."""

    def __init__(self, place: str, family: Family, driver: Driver, record: Record, bell: Bell, pulse: Pulse) -> None:
        if driver.resume is None:
            raise DeviceLost(driver.reason)
        self._place, self._family, self._driver, self._record = place, family, driver, record
        self._bell, self._pulse = bell, pulse
        self._session, self._resume = driver.session, driver.resume
        self._tells = Verb.READ_EVENTS not in family.verbs  # by itself, one event at a time, and cannot be asked
        self._telling = Telling(driver, self._resume.newest, lambda: self.over)
        self._alarms: list[str] = []
        self._blocked_at: int | None = None
        self._repeated = False  # one that is durable was told again, and so its acknowledgement never arrived
        self.blocked = ""
        self.ready = False
        self.noisy = False
        self.identity: Identity
        self.intake: Intake

    @property
    def over(self) -> bool:
        """Whether the link has gone since."""
        return self._driver.resume is None or self._driver.session != self._session

    async def identify(self, serial: str | None, port: str, firmware: str | None = None) -> Identity:
        """Ask who it is. Raises Refused for a device that may not sit here; nothing else was said to it then."""
        response = await self._driver.ask(self._family.verbs[Verb.IDENT])
        if not response.ok:
            raise Refused(f"the device at {port} does not say who it is ({result_text(response.result)})")
        identity = Identity.of(response.body)
        why = refusal(identity, self._family, serial, port, firmware, self._driver.link.level)
        if why is None and self._resume.proto != PROTO:
            why = f"{identity.serial} at {port} speaks version {self._resume.proto} of the protocol and not {PROTO}"
        if why is None and not 1 <= self._resume.oldest <= self._resume.newest + 1 <= SEQ_MOST:
            window = f"{self._resume.oldest} to {self._resume.newest}"
            why = f"{identity.serial} at {port} says that its events are those from {window}: service has to wipe it"
        if why is not None:
            raise Refused(why)
        self.identity = identity
        return identity

    async def attach(self, before: Attachment | None, *, node: str, counted: Mapping[str, int]) -> None:
        """Tell the journal, and learn from it how far the events of this device are durable. Raises Refused.

        `node` and `counted` are told along (see Record).
        """
        resume = self._resume
        known = before is not None and same_unit(before.identity, self.identity)
        if before is not None and not known:
            await self._record.alarm(
                self._place,
                f"another device: {self.identity.serial} (epoch {self.identity.epoch}) took the place of "
                f"{before.identity.serial} (epoch {before.identity.epoch})",
            )
        last = await self._record.attached(
            self._place, self.identity, resume, self._family.name, node=node, counted=counted
        )
        if last > resume.newest:
            text = f"{self.identity.serial} counts its events from {resume.newest}, but {last} is in the journal"
            await self._record.alarm(self._place, text)
            raise Refused(f"{text}: its memory was put back; service has to wipe it (new epoch)")
        if last == 0:
            last = resume.oldest - 1  # never seen here: what it did elsewhere is not missing in this journal
        self.intake = Intake(last, self._family.ring)
        if before is not None and known:
            self.intake = before.intake.again(last)
            self._blocked_at, self.blocked = before._blocked_at, before.blocked  # alarmed already

    async def serve(self, settled: Callable[[], None], delivered: Callable[[Sequence[Event]], None]) -> None:
        """Deliver events until the session is over; then raise DeviceLost.

        `settled` is called when the ring was read to its end, and when it turns out that it cannot be read further;
        `delivered` gets the events that are durable.
        """
        self._delivered = delivered
        self._driver.link.read_events_after(self.intake.last)
        if self._resume.oldest <= self.intake.last and not self._tells:
            await self._compare()
            await self._deliver()
            self._acknowledge()  # the journal has them, the device does not know that yet
        await self._take_all()
        if self._blocked_at is None and self.intake.heard < self._resume.newest:
            await self._skip_lost(self._resume.newest)
        self.ready = self._blocked_at is None
        if not self.over:
            settled()
        while not self.over:
            self._pulse.beat()
            self._listen_for_noise(settled)
            if await self._deliver():
                continue  # time went by: look again before waiting
            if (self.intake.gap() is not None or self._owes) and self._blocked_at is None:
                await self._take_all()
            elif self._blocked_at is not None and self.ready:
                self.ready = False
                settled()
            else:
                await self._heard()
        await self._deliver()  # what it said before it went
        raise DeviceLost(self._driver.reason)

    async def _heard(self) -> None:
        """Wait for the next ring of the bell."""
        if self._tells and self._blocked_at is None:
            await self._telling.heard(self._bell)
        else:
            await self._bell.heard()

    def _listen_for_noise(self, settled: Callable[[], None]) -> None:
        noisy = self._driver.noisy(asyncio.get_running_loop().time())
        if noisy is not self.noisy and self.ready:
            self.noisy = noisy
            settled()

    async def catch_up(self) -> None:
        """Return when every event that the device had recorded at the call is durable. Raises DeviceLost."""
        if self._tells:
            await self._telling.reached(lambda: self.intake.last, self._bell, self._stopped)
            return
        await self._read_on()
        target = self.intake.highest
        self._bell.ring()
        while self.intake.last < target:
            if why := self._stopped():
                raise DeviceLost(why)
            await self._bell.heard()

    def _stopped(self) -> str:
        """Why no more events come in; empty while they do."""
        return (self.blocked or self._driver.reason) if self.over or self._blocked_at is not None else ""

    async def _take_all(self) -> None:
        """Read the ring to its end. What is missing in it is lost for good."""
        while self._blocked_at is None:
            await (self._listen() if self._tells else self._read_on())
            await self._deliver()
            gap = self.intake.gap()
            if gap is None:
                return
            if self._tells:
                await self._telling.has(gap)
            await self._skip_lost(gap - 1)

    async def _skip_lost(self, upto: int) -> None:
        first = self.intake.last + 1
        which = f"event {first} was" if first == upto else f"events {first} to {upto} were"
        await self._record.alarm(self._place, f"{which} lost in {self.identity.serial}: its deck has to be counted")
        self.intake.skip_to(upto)

    async def _compare(self) -> None:
        """Read again what is durable and was not acknowledged: it must not have changed."""
        at = self._resume.oldest
        while self._blocked_at is None and at <= self.intake.last:
            read = await self._read(at)
            if read < at:
                return
            at = read + 1

    @property
    def _owes(self) -> bool:
        """Whether a device that tells by itself has not told all that it had when it was asked last."""
        return self._tells and self.intake.last < self._telling.wanted

    async def _listen(self) -> None:
        """Take what a device tells by itself, until it has told all that it had, or something is missing in it."""
        loop = asyncio.get_running_loop()
        since = loop.time()
        while self._blocked_at is None and self._owes and self.intake.gap() is None:
            self._pulse.beat()
            if await self._deliver():
                since = loop.time()
                continue
            window = await self._telling.window()
            if window.oldest > self.intake.last + 1:
                await self._skip_lost(min(window.oldest - 1, window.newest))
            elif not self._driver.inbox and not self.over:  # some may have come while it was asked, or the link gone
                self._telling.still_silent(since, self.intake.last + 1)
                await self._telling.heard(self._bell)

    async def _read_on(self) -> None:
        """Ask for the events after the last one heard until there are none, or a gap."""
        while self._blocked_at is None:
            first = self.intake.heard + 1
            await self._read(first)
            if self.intake.heard < first:
                return

    async def _read(self, first: int) -> int:
        """Take in some events from `first` on; the number of the last one, 0 if there are none."""
        seq = 0
        try:
            response = await self._ask_for_events(first)
            loop = asyncio.get_running_loop()
            until = loop.time() + BUSY_WITHIN_S
            while response.result == Result.E_BUSY and loop.time() < until:
                await asyncio.sleep(BUSY_PAUSE_S)
                response = await self._ask_for_events(first)
            if not response.ok:
                raise Refused(f"{self.identity.serial} does not give its events ({result_text(response.result)})")
            for event in response.body["events"]:
                self.intake.put(event)
                seq = event.seq
        except (EventUnreadable, Conflict) as error:
            self._block(error)
        return seq

    async def _ask_for_events(self, first: int) -> Response:
        if self.over:  # a next session has its own attachment, which asks first who is there
            raise DeviceLost(self._driver.reason)
        return await self._driver.ask(self._family.verbs[Verb.READ_EVENTS], {"from": first, "max": AT_ONCE})

    async def _deliver(self) -> bool:
        """Everything that may be delivered, in order, and the alarms that came of it; whether there was anything."""
        self._pull()
        busy = False
        while due := self.intake.due(below=self._blocked_at):
            busy = True
            wrong = await self._record.evidence(self._place, self.identity, due)
            if wrong:
                self._block(Conflict(wrong), told=True)
                due = [event for event in due if event.seq < wrong]
            new = [event for event in due if event.seq > self.intake.last]
            self.intake.delivered(due)
            self._delivered(new)
            self._acknowledge()
            self._bell.ring()
            self._pull()
        if self._repeated:
            self._repeated = False
            self._acknowledge()
        while self._alarms:
            busy = True
            await self._record.alarm(self._place, self._alarms.pop(0))
        return busy

    def _pull(self) -> None:
        if self._driver.forged:
            self._driver.forged = False
            self._alarms.append(f"a message came that {self.identity.serial} did not seal")
        if self.over:
            return  # what is in the inbox may be of another session
        if self._driver.unreadable is not None:
            self._block(self._driver.unreadable)
        try:
            while self._driver.inbox:
                event = self._driver.inbox.popleft()
                self._repeated |= self._tells and event.seq <= self.intake.last
                self.intake.put(event)
        except Conflict as error:
            self._block(error)

    def _block(self, error: EventUnreadable | Conflict, *, told: bool = False) -> None:
        """From this event on nothing is delivered or acknowledged any more; only service gets past it.

        `told`: the journal has its alarm already.
        """
        if self._blocked_at is None:
            self.blocked = f"{self.identity.serial}: {error}"
            if not told:
                self._alarms.append(f"{self.blocked}; it stays in the device until service comes")
        if self._blocked_at is None or error.seq < self._blocked_at:
            self._blocked_at = error.seq

    def _acknowledge(self) -> None:
        last = self.intake.last
        if self.over or (self._blocked_at is not None and self._blocked_at <= last):
            return
        self._driver.post(self._family.verbs[Verb.ACK_EVENTS], {"upto": last})
