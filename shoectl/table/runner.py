"""Journal first, then the procedure, then the next step to its hands.

The order of everything here: compare, check, append, flush, give, advance, tell (book.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shoectl.cards import Card
from shoectl.devices.command import Command
from shoectl.games.layout import Refused
from shoectl.games.procedure import Answer, Irregularity, Role
from shoectl.games.text import answer_json
from shoectl.journal import Journal
from shoectl.table import visibility
from shoectl.table.book import Book
from shoectl.table.course import Cycle, S
from shoectl.table.entries import (
    Amended,
    Answered,
    Evidence,
    EvidenceRef,
    Held,
    Hold,
    Intent,
    Interrupted,
    Json,
    StepRef,
)
from shoectl.table.facts import awaited, ref_text
from shoectl.table.holds import contradicted
from shoectl.table.openstep import Executor, OpenStep, StepClosed, Stop

ID_MAX = 0xFFFF  # the smallest range of command ids among the families


class Runner(Book[S]):
    """One table. Takes answers from wherever they come, and hands each step to those who carry it out."""

    def __init__(
        self,
        journal: Journal,
        cycle: Cycle[S],
        first: S,
        *,
        carries: Callable[[Evidence], bool] = awaited,
        current: Mapping[str, str] | None = None,
    ) -> None:
        self.open: OpenStep | None = None
        self.stopped: Stop | None = None
        self.waits = ""  # why no new round begins; the one that is open is played
        super().__init__(journal, cycle, first, carries=carries, current=current)
        # how many rounds the journal is to hold; until somebody says it, a station that comes first opens none beyond
        self.limit: int | None = max(1, self.course.finished)

    def view(self, viewer: str) -> Json:
        """What a viewer may see: `public`, `seat 3` or `dealer` (visibility.py)."""
        condition = self.condition or (self.waits if self.course.over else "")
        return visibility.view(self.course, viewer, entry=self.journal.last, condition=condition)

    # running

    async def run(self, executors: Mapping[Role, Executor], *, rounds: int | None = None) -> None:
        """Play until the journal holds so many rounds (None: for ever), or until `stop`.

        One task at a time carries the open step out; it is cancelled when the step closes.
        """
        self.limit, self.stopped = rounds, None
        async with self._turn:
            self._advance()
        self._tell()
        async with asyncio.TaskGroup() as group:
            while (step := self.open) is not None or not (self._enough() or self.stopped):
                if step is not None:
                    await self._carry_out(step, executors[step.step.by], group)
                elif self.waits:
                    await self.next_change()
                else:
                    await self._go_on()
        await self.patiently(self._flushed)

    async def turns(self) -> None:
        """Return once the table has gone on: whoever had its turn has let it go, and the step that was open is in hand
        or closed. For whoever watches that nothing hangs.
        """
        async with self._turn:
            step = self.open
        if step is not None:
            await step.in_hand.wait()

    async def _flushed(self) -> None:
        """Nothing is left to be written. One flush at a time: a station may be at it."""
        async with self._turn:
            await self.journal.flush()

    def hold_off(self, why: str) -> None:
        """Let no new round begin, for this reason; none (empty): let them begin again. What is open is played."""
        self.waits = why
        self._tell()

    async def _go_on(self) -> None:
        """Open the next round, now that nothing is against it any more."""
        async with self._turn:
            self._advance()
        self._tell()

    def stop(self, stop: Stop) -> None:
        """End `run`: the table cannot go on. Nothing is written; the next start takes the same step up again."""
        self.stopped = stop
        self._close()
        self._tell()

    async def _carry_out(self, step: OpenStep, executor: Executor, group: asyncio.TaskGroup) -> None:
        step.in_hand.set()
        while not step.closed:
            hands = group.create_task(_attempt(executor, step), name=f"hands: {step.step.do}")
            closing = group.create_task(self._closing(step))
            await asyncio.wait([hands, closing], return_when=asyncio.FIRST_COMPLETED)
            if not hands.done():
                hands.cancel()
                await asyncio.wait([hands])
            closing.cancel()
            if not step.closed:  # hands that have no more to do for now
                await step.changed()

    async def _closing(self, step: OpenStep) -> None:
        while not step.closed:
            await self.next_change()

    def _advance(self) -> None:
        super()._advance()
        step, play = self.course.waiting, self.course.round
        if step is None or play is None or self.stopped is not None:
            self._close()
        elif self.open is None or (self.open.ref.round, self.open.number) != (self.round_no, play.number):
            self._close()
            self.open = OpenStep(self, step, self.round_no, play.number)

    def _resting(self) -> bool:
        held_off = bool(self.waits) and self.round is not None and self.course.over
        return held_off or self._enough() or self.stopped is not None

    def _enough(self) -> bool:
        return self.limit is not None and self.course.over and self.course.finished >= self.limit

    def _close(self) -> None:
        if self.open is not None:
            self.open.close()
            self.open = None

    def at(self, ref: StepRef) -> OpenStep:
        """The open step, if its open part is the one named. Raises StepClosed."""
        if self.open is None:
            why = "the table has stopped" if self.stopped else "nothing is"
            raise StepClosed(f"{ref_text(ref)} is not open: {why}")
        if self.open.ref != ref:
            raise StepClosed(f"{ref_text(ref)} is not open: {ref_text(self.open.ref)} is ({self.open.step.do})")
        return self.open

    def _check_evidence(self, refs: Sequence[EvidenceRef]) -> None:
        for ref in refs:
            if self.facts.find(ref) is None:
                raise LookupError(f"no event {ref} is in the journal")
            if self.facts.used(ref):
                raise Refused(f"event {ref.seq} of {ref.unit} was used already")

    async def amend(self, state: Mapping[str, Any]) -> None:
        """Change fields of the table's state (their JSON) from the next round on. Raises JournalUnavailable; BadInput
        where no round could be played with them, nothing was written then.
        """
        async with self._turn:
            self.course.with_changes(state).check()
            await self._settle(Amended(dict(state)))
        self._tell()

    # people and hands

    async def answer(self, ref: StepRef, answer: Answer, *, by: str, evidence: Sequence[EvidenceRef] = ()) -> int:
        """Answer the open part of the open step. Returns the number of the entry, durable by then.

        Raises StepClosed (late, twice, another step), Refused (not allowed; the text holds no face that is not shown),
        JournalUnavailable. Nothing was written then.
        """
        async with self._turn:
            step = self.at(ref)
            with visibility.faceless(step.step, self.course.layout):
                self.course.layout.check(step.step, ref.part, answer)
            self._check_evidence(evidence)
            takes = type(answer).__name__
            n = await self._settle(Answered(ref.step, ref.part, takes, answer_json(answer), by, tuple(evidence)))
        self._tell()
        return n

    async def interrupt(self, ref: StepRef, trouble: Irregularity, evidence: Sequence[EvidenceRef] = ()) -> int:
        """Throw trouble into the open part. Returns the number of the entry. Raises StepClosed, JournalUnavailable."""
        async with self._turn:
            self.at(ref)
            self._check_evidence(evidence)
            kind, text, place, card = str(trouble.kind), trouble.text, trouble.place, trouble.card
            n = await self._settle(Interrupted(ref.step, ref.part, kind, text, place, card, tuple(evidence)))
        self._tell()
        return n

    async def intend(self, ref: StepRef, place: str, command: Command) -> int:
        """Write a command down under the next id of its device. Returns the id. Raises StepClosed, LookupError."""
        async with self._turn:
            self.at(ref)
            device = self.facts.attached(place)
            if device is None:
                raise LookupError(f"{place}: no device was ever attached")
            id = self._next_id(place, device.unit)
            await self._settle(Intent(ref.step, place, device.unit, id, command.type, dict(command.body)))
        return id

    def _next_id(self, place: str, unit: str) -> int:
        """The next command id of a device: one more than the last.

        A device may remember commands of which this journal knows nothing: of another journal, or of its own future
        where an old copy was put back (the events that are missing then raise an alarm). So the first id, and the
        first after an alarm, is somewhere else, most likely not among those remembered.
        """
        last = self.facts.last_id(unit)
        given = max((one.entry for one in self.facts.intents() if one.unit == unit), default=0)
        alarm = max((one.entry for one in self.facts.alarms(place)), default=0)
        if last and alarm <= given:
            return last % ID_MAX + 1
        return self.journal.number_for(f"{unit} {self.round_no} {alarm}" if alarm else unit, ID_MAX)

    async def open_hold(self, ref: StepRef, reason: str, text: str) -> None:
        """Open a hold of the open part, unless one of that reason was opened already."""
        async with self._turn:
            self.at(ref)
            if any(hold.reason == reason for hold in self.facts.holds):
                return
            await self._settle(Hold(ref.step, ref.part, reason, text))
        self._tell()

    async def give_held(
        self, ref: StepRef, how: str, *, by: Sequence[str], card: Card | None = None, reason: str | None = None
    ) -> int:
        """The people's word on the newest open hold (or that of a reason): how it ends, who says so, the face they saw.

        Returns the number of the entry. Raises StepClosed; Refused where no hold is open, or the device
        says something else; JournalUnavailable.
        """
        async with self._turn:
            self.at(ref)
            hold = next((h for h in reversed(self.facts.holds) if h.word is None and reason in (None, h.reason)), None)
            if hold is None:
                raise Refused(f"{ref_text(ref)}: no hold waits for a word")
            if why := contradicted(hold, self.facts, how):
                raise Refused(why)
            n = await self._settle(Held(ref.step, ref.part, hold.reason, how, tuple(by), card))
        self._tell()
        return n


async def _attempt(executor: Executor, step: OpenStep) -> None:
    """Hands at work. A step that was settled under them is no fault of theirs."""
    try:
        await executor(step)
    except StepClosed:
        if not step.closed:
            raise
