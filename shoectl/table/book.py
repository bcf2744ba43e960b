"""Keeping a table's journal: one thing at a time is checked, appended, flushed, and only then happens.

A step entry rides along with the next flush: if it is lost, a replay writes the same one again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from protocols.message import Event
from protocols.vocabulary import Identity, Resume
from shoectl.games.procedure import Round
from shoectl.journal import Entry, Journal, JournalUnavailable, understood
from shoectl.table.course import Course, Cycle, Diverged, S
from shoectl.table.entries import Alarm, Attached, Evidence, Json, LinkCounted, unit_of
from shoectl.table.facts import Facts, awaited
from shoectl.table.voided import voided_at

T = TypeVar("T")

RETRY_S = 1.0  # how often a journal that cannot be written is tried again
STEPS_WITHOUT_ANSWER = 10_000  # more than that is a procedure that never asks anybody
WAY_OUT = "that version can finish it, or a floorperson voids it: shoectl journal void"
RING_MOST = 2_000  # no device retains more events than that: where an event told twice is looked for first
NO_LIMIT = -1


class Body(Protocol):
    """What becomes an entry."""

    @property
    def kind(self) -> str:
        """The kind of the entry."""
        ...

    def to_json(self) -> Json:
        """Its body."""
        ...


class Book(Generic[S]):
    """A journal and the course of play that it tells; the `Record` of the table's stations.

    Opening it replays the last round of the journal. Raises Diverged, Broken; BadInput where the state that it begins
    with is none that can be played with: once entries are written, no cycle may fail of it.
    """

    def __init__(
        self,
        journal: Journal,
        cycle: Cycle[S],
        first: S,
        *,
        carries: Callable[[Evidence], bool] = awaited,
        current: Mapping[str, str] | None = None,
    ) -> None:
        self.journal = journal
        self.course = Course(cycle, first, carries=carries, current=current)
        self.version = 0  # grows with every change that hands may want to see
        self.condition = ""  # why nothing can be written at the moment
        self._turn = asyncio.Lock()
        self._change = asyncio.Event()
        self._listeners: list[Callable[[], None]] = []
        self._restore(journal.tail())
        if self.course.round is None:
            first.check()
        if self.course.other_version and not self.course.over:
            told = "a round that was begun under another version of the rules is played on"
            journal.append("note", {"text": told, "versions": dict(self.course.current)})

    def _restore(self, entries: Sequence[Entry]) -> None:
        """The last round, from its opening on; of one that was voided, what came after that."""
        self.course.voided_at = voided_at(entries)
        try:
            for entry in entries:
                with understood(entry.n):
                    self.course.take(entry)
        except Diverged as diverged:
            if self.course.other_version:
                raise Diverged(f"{diverged}; {WAY_OUT}") from None
            raise

    @property
    def round_no(self) -> int:
        """The number of the round under way, 0 before the first."""
        return self.course.round_no

    @property
    def round(self) -> Round[S] | None:
        """The round under way."""
        return self.course.round

    @property
    def state(self) -> S:
        """The table's state between rounds."""
        return self.course.state

    @property
    def facts(self) -> Facts:
        """What the journal says beyond the procedure."""
        return self.course.facts

    def listen(self, callback: Callable[[], None]) -> None:
        """Call back when what can be seen has changed: once for each thing that was settled, after its flush."""
        self._listeners.append(callback)

    async def next_change(self) -> None:
        """Return at the next change."""
        await self._change.wait()

    def _wake(self) -> None:
        self.version += 1
        self._change.set()
        self._change = asyncio.Event()

    def _tell(self) -> None:
        self._wake()
        for callback in self._listeners:
            callback()

    # moving on

    def _advance(self) -> None:
        """Write and pass whatever needs nobody, up to the next step that waits; open the next round."""
        for _ in range(STEPS_WITHOUT_ANSWER):
            due = None if self._resting() else self.course.due()
            if due is None:
                return
            self.course.take(self.journal.append(due.kind, due.to_json()))
        raise RuntimeError(f"round {self.round_no}: the procedure asks nobody")

    def _resting(self) -> bool:
        """Whether nothing more is to be asked for now."""
        return False

    async def _settle(self, *bodies: Body) -> int:
        """Append, flush, and let it happen, while `_turn` is held. Returns the number of the last entry.

        Raises JournalUnavailable: nothing happened, and the numbers are given again.
        """
        if self.course.round is None:
            self._advance()  # the first round opens before anything can belong to it
        entries = [self.journal.append(body.kind, body.to_json()) for body in bodies]
        try:
            await self.journal.flush()
        except JournalUnavailable as error:
            self.journal.forget(entries[0].n)
            self._unavailable(error)
            raise
        except asyncio.CancelledError:
            self._happen(entries)  # it is on disk: whoever asked for it is gone, the table goes on
            raise
        self._happen(entries)
        return entries[-1].n

    def _happen(self, entries: Sequence[Entry]) -> None:
        self.condition = ""
        for entry in entries:
            self.course.take(entry)
        self._advance()
        self._wake()

    def _unavailable(self, error: JournalUnavailable) -> None:
        if self.condition != str(error):
            self.condition = str(error)
            self._tell()

    async def patiently(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do something that is written down; while the journal cannot be written, wait and try again."""
        while True:
            try:
                return await work()
            except JournalUnavailable as error:
                self._unavailable(error)
            await asyncio.sleep(RETRY_S)

    # stations

    async def attached(
        self,
        place: str,
        identity: Identity,
        resume: Resume,
        family: str,
        *,
        node: str = "",
        counted: Mapping[str, int] | None = None,
    ) -> int:
        """A device took a place. Returns the last durable event seq for its (serial, epoch), 0 if there is none."""
        unit = unit_of(identity)
        attached = Attached(
            place=place,
            unit=unit,
            serial=identity.serial,
            family=family,
            epoch=resume.epoch,
            boot=resume.boot,
            caps=int(identity.caps),
            firmware=identity.fw_version,
            oldest=resume.oldest,
            newest=resume.newest,
            node=node,
            counted=dict(counted or {}),
        )
        await self._surely(attached)
        return self.facts.last_seq(unit, resume.epoch)

    async def evidence(self, place: str, identity: Identity, events: Sequence[Event]) -> int:
        """Events, ascending; durable when this returns. One told twice is dropped.

        Returns 0, or the number of the first that was told before with another content, or that is told after later
        ones: it is alarmed, and nothing from it on was written.
        """
        unit, epoch = unit_of(identity), identity.epoch
        return await self.patiently(lambda: self._evidence(place, unit, epoch, events))

    async def _evidence(self, place: str, unit: str, epoch: int, events: Sequence[Event]) -> int:
        async with self._turn:
            fresh: list[Evidence | Alarm] = []
            last, wrong = self.facts.last_seq(unit, epoch), 0
            told = self._told(unit, epoch, {event.seq for event in events if event.seq <= last})
            for event in events:
                if event.seq > last:
                    fresh.append(Evidence(place, unit, epoch, event))
                    last = event.seq
                elif event.seq not in told or not told[event.seq].says(event):
                    wrong = event.seq
                    before = "was told before, with another content" if wrong in told else "is told after later ones"
                    fresh.append(Alarm(place, f"event {wrong} {before}"))
                    break
            if fresh:
                await self._settle(*fresh)
            return wrong

    def _told(self, unit: str, epoch: int, seqs: set[int]) -> dict[int, Evidence]:
        """What these events of a device said when they were told first. One that is not there was never told."""
        told: dict[int, Evidence] = {}

        def look(entries: Iterable[Entry]) -> None:
            for entry in entries:
                old = Evidence.from_json(entry.body, entry.n)
                if (old.unit, old.epoch) == (unit, epoch) and old.event.seq in seqs:
                    told.setdefault(old.event.seq, old)
                    if len(told) == len(seqs):
                        return

        if seqs:
            look(self.journal.newest(Evidence.kind, RING_MOST))
        for seq in sorted(seqs - told.keys()):  # the device was away for long, or never told it
            look(self.journal.newest(Evidence.kind, NO_LIMIT, f'"seq":{seq},'))
        return told

    async def alarm(self, place: str, text: str) -> None:
        """Something that makes a device's word worthless until a count."""
        await self._surely(Alarm(place, text))

    async def link_ends(self, place: str, counted: Mapping[str, int]) -> None:
        """The daemon ends: what the link of a place has counted (`Station.counters`). Raises JournalUnavailable."""
        async with self._turn:
            await self._settle(LinkCounted(place, counted))

    def changed(self, place: str) -> None:
        """A station's condition changed: hands and faces look again."""
        self._tell()

    async def _surely(self, body: Attached | Alarm) -> None:
        async def write() -> None:
            async with self._turn:
                await self._settle(body)

        await self.patiently(write)
        self._tell()
