"""All that hands may do about one step; it refuses everything once the step is closed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoectl.devices.command import Command
from shoectl.games.layout import Layout, Refused
from shoectl.games.procedure import Answer, Irregularity, Step
from shoectl.table.entries import EvidenceRef, Held, Hold, Intent, StepRef
from shoectl.table.facts import Facts

if TYPE_CHECKING:
    from shoectl.table.runner import Runner


class StepClosed(Refused):
    """The step was settled meanwhile. Hands may let it through: the runner knows what it means."""


@dataclass(frozen=True)
class Stop:
    """Why a table had to stop before its rounds were played: where it stands, why, and what somebody should do."""

    state: str
    reason: str
    do: str


class OpenStep:
    """One step that waits. Hands keep no memory of their own: they look here, do the next small thing, and look again.

    An executor may be cancelled at any await and started again with the same OpenStep. What is written here is taken
    whole or not at all, however the caller fares. Where the journal cannot be written, the call waits until it can.
    """

    def __init__(self, runner: Runner[Any], step: Step[Any], round_no: int, number: int) -> None:
        self._runner = runner
        self._seen = runner.version
        self._part = 0
        self._round = round_no
        self.number = number
        self.step = step
        self.closed = False
        self.in_hand = asyncio.Event()  # somebody is at it, or has no need to be any more

    @property
    def ref(self) -> StepRef:
        """The part that is due now."""
        play = self._runner.round
        if not self.closed and play is not None:
            self._part = play.part
        return StepRef(self._round, self.number, self._part)

    @property
    def state(self) -> Any:
        """The table's state that this round began with."""
        return self._runner.state

    @property
    def layout(self) -> Layout:
        """The table. Read it, never write it."""
        return self._runner.course.layout

    @property
    def facts(self) -> Facts:
        """What the journal says beyond the procedure. Read it, never write it."""
        return self._runner.facts

    async def answer(self, answer: Answer, *, by: str, evidence: Sequence[EvidenceRef] = ()) -> None:
        """Answer the part that is due, naming the events it rests on. Raises Refused, StepClosed."""
        await self._runner.patiently(lambda: self._runner.answer(self._now(), answer, by=by, evidence=evidence))

    async def irregularity(self, trouble: Irregularity, evidence: Sequence[EvidenceRef] = ()) -> None:
        """The part that is due met with trouble that the house does not ride out; its `part` is filled in here.

        Raises StepClosed.
        """
        await self._runner.patiently(lambda: self._runner.interrupt(self._now(), trouble, evidence))

    async def intend(self, place: str, command: Command) -> int:
        """Write down a command for the device of a place, durably. Returns the id to send it under.

        Waits where no device was ever attached: ids are a device's own. Raises StepClosed.
        """
        while self.facts.attached(place) is None and not self.closed:
            await self._runner.next_change()
        return await self._runner.patiently(lambda: self._runner.intend(self._now(), place, command))

    def intents(self) -> list[Intent]:
        """Commands of this step, oldest first."""
        return self.facts.intents(self.number)

    async def alarm(self, place: str, text: str) -> None:
        """A device's word is worth nothing until somebody has looked; the same text again in a round does nothing."""
        if all(alarm.text != text for alarm in self.facts.alarms(place)):
            await self._runner.alarm(place, text)

    async def hold(self, reason: str, text: str) -> None:
        """Wait for people: `reason` names the hold (`jam 17`), `text` tells them what to do, without a face.

        The same reason again does nothing, whether it was answered or not; another one opens another hold.
        """
        await self._runner.patiently(lambda: self._runner.open_hold(self._now(), reason, text))

    async def lift(self, how: str, *reasons: str) -> None:
        """End holds without a person's word: what they waited for came about by itself (a link came back). All that are
        open and whose reason begins like one of `reasons`; none named: the newest.
        """
        named = [one for one in self.facts.holds if one.reason.startswith(reasons)]
        for hold in named if reasons else self.facts.holds[-1:]:
            if hold.word is None:
                await self._lift(how, hold.reason)

    async def _lift(self, how: str, reason: str) -> None:
        try:
            await self._runner.patiently(lambda: self._runner.give_held(self._now(), how, by=(), reason=reason))
        except Refused:
            if self.closed or any(one.reason == reason and one.word is None for one in self.facts.holds):
                raise  # else a person's word came first, and it is over all the same

    @property
    def holding(self) -> Hold | None:
        """The newest hold of the part that is due; `word` is set once it was answered."""
        return self.facts.hold

    @property
    def held(self) -> Held | None:
        """The people's word on the newest hold of the part that is due."""
        hold = self.facts.hold
        return None if hold is None else hold.word

    def held_for(self, reason: str) -> Held | None:
        """The people's word on the hold of that reason."""
        return next((hold.word for hold in self.facts.holds if hold.reason == reason and hold.word is not None), None)

    async def changed(self) -> None:
        """Return when anything was written, a device's state changed or the step closed since the last return.

        Nothing is missed between two calls, so: look, act, `await changed()`, look again. For one waiter at a time.
        """
        while not self.closed and self._seen == self._runner.version:
            await self._runner.next_change()
        self._seen = self._runner.version

    def stop(self, stop: Stop) -> None:
        """End the run: this step cannot be carried out, and nothing at the table can change that."""
        if not self.closed:
            self._runner.stop(stop)

    def close(self) -> None:
        """For the runner: the step was settled."""
        self._part = self.ref.part
        self.closed = True
        self.in_hand.set()

    def _now(self) -> StepRef:
        if self.closed:
            raise StepClosed(f"step {self.number} of round {self._round} is settled already")
        return self.ref


Executor = Callable[[OpenStep], Awaitable[None]]
