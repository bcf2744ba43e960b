"""The shuffler carries steps out: feed, shuffle, prove, present, take, and what has to be done after a bad cycle.

People move the cards; what they did is seen in the device's states and events. A step that cannot be done says why in
its answer, so that the session can have the cards taken out and start over: a motion is never just tried again.
"""

from __future__ import annotations

from collections.abc import Mapping

from protocols.vocabulary import Back, Capability, EventCode, Result
from shoectl.devices.command import Reply, result_text
from shoectl.devices.shuffler import Shuffler
from shoectl.games.answers import Fed, Shuffled, Started, Taken
from shoectl.games.procedure import Done, Trouble
from shoectl.games.steps import (
    AwaitShuffle,
    ConfirmDeck,
    FeedShuffler,
    PresentDeck,
    RetireDeck,
    StartShuffle,
    TakeDeck,
    TakeOut,
)
from shoectl.table.entries import EvidenceRef
from shoectl.table.grip import Grip, carry_out, faults_text
from shoectl.table.holds import what_to_do
from shoectl.table.openstep import OpenStep
from shoectl.table.proof import Asked, judge, lost
from shoectl.table.reconcile import Account

NO_TRAY = 0xFF
ZONES = ("infeed", "path", "rack", "output")
STARTING = ("BOOT", "HOMING")
MOVING = ("FEEDING", "MIXING", "VERIFYING")
WITH_DECK_IN: Mapping[int, str] = {
    EventCode.POWER_UP: "it restarted",
    EventCode.DOOR: "its door was opened",
    EventCode.SERVICE_PORT: "its service port was used",
}
IN_THE_WAY = {"READY": "a deck lies in it from a cycle that this table has not seen from its start"}
REASONS: Mapping[str, int] = {"count": 1, "composition": 2, "wear": 3, "policy": 4}  # of RETIRE_DECK (alder.md §4)


def back_code(colour: str) -> int:
    """The code by which devices know the colour of a back (common.md §7.2); unknown where there is none for it."""
    return Back[colour.upper()].value if colour.upper() in Back.__members__ else Back.UNKNOWN.value


class ShufflerHands:
    """Executor for the steps of the shuffler."""

    def __init__(self, shuffler: Shuffler) -> None:
        self.shuffler = shuffler
        self.account = Account()

    async def __call__(self, step: OpenStep) -> None:
        """Carry the open step out."""
        await carry_out(step, self.shuffler.station, self._look)

    async def _look(self, grip: Grip) -> None:
        await grip.end_interlock()
        await self.account.settle(grip, due=isinstance(grip.step.step, PresentDeck | TakeDeck))
        match grip.step.step:
            case FeedShuffler() as step:
                await self._feed(grip, step)
            case ConfirmDeck() as step:
                _, reply = await grip.once(self.shuffler.confirm(step.deck, back_code(step.back), step.cards))
                await self._done_or_failed(grip, reply)
            case StartShuffle() as step:
                await self._start(grip, step)
            case AwaitShuffle() as step:
                await self._await(grip, step)
            case PresentDeck() as step:
                await self._present(grip, step)
            case TakeDeck() as step:
                await self._take(grip, step)
            case TakeOut() as step:
                await self._take_out(grip, step)
            case RetireDeck() as step:
                _, reply = await grip.once(self.shuffler.retire(step.deck, REASONS.get(step.reason, 4)))
                await self._done_or_failed(grip, reply)
            case other:
                raise TypeError(f"{other.do} is no step of the shuffler")

    async def _done_or_failed(self, grip: Grip, reply: Reply) -> None:
        if reply.ok:
            await grip.step.answer(Done(), by=grip.place)
        elif reply.result not in (Result.E_BUSY, Result.E_RING):
            await grip.fail(reply.text)

    async def _feed(self, grip: Grip, step: FeedShuffler) -> None:
        """The deck is in when the shuffler says so; anything else in it is in the way, the other deck too."""
        state, status = await grip.status()
        if state == "LOADED" and status["tray"] == NO_TRAY:
            other = self._other_back(grip, step)
            await grip.step.answer(Fed(not other, other), by=grip.place, evidence=self._settled(grip))
        elif state in ("LOADED", "PRESENTED"):
            await grip.step.answer(Fed(False, "a deck lies in its tray"), by=grip.place, evidence=self._settled(grip))
        elif not await grip.interlocked(state) and state not in (*STARTING, *MOVING, "EMPTY"):
            faults = await grip.station.faults()
            why = faults_text(faults) if faults else IN_THE_WAY.get(state, f"cards are still in it ({state.lower()})")
            reason = f"the shuffler cannot take the deck: {why}"
            await grip.step.answer(Fed(False, reason), by=grip.place, evidence=self._settled(grip))

    def _other_back(self, grip: Grip, step: FeedShuffler) -> str:
        """Why the cards in the infeed are not the deck that was to be fed, where the shuffler sees their backs."""
        identity, loaded = grip.station.identity, grip.unused(EventCode.DECK_LOADED)
        if identity is None or not identity.can(Capability.BACK_COLOUR) or not loaded:
            return ""
        seen, due = loaded[-1].event.body["back"], back_code(step.back)
        if Back.UNKNOWN in (seen, due) or seen == due:
            return ""
        colour = Back(seen).name.lower() if seen in list(Back) else "strange"
        return f"the cards laid into it have a {colour} back, deck {step.deck} is {step.back}"

    async def _start(self, grip: Grip, step: StartShuffle) -> None:
        state, _ = await grip.status()
        if state in STARTING or await grip.interlocked(state):
            return
        intent, reply = await grip.once(self.shuffler.shuffle(step.deck, step.cards))
        if reply.result in (Result.E_BUSY, Result.E_RING):
            return
        if not reply.ok:
            reason = f"the shuffle was not started: {reply.text}"
            await grip.step.answer(Started(0, reason=reason), by=grip.place)
            return
        whole = reply if "cycle" in reply.body else await grip.stored(intent)
        await grip.step.answer(Started(intent.id, int(whole.body.get("cycle", 0))), by=grip.place)

    async def _await(self, grip: Grip, step: AwaitShuffle) -> None:
        asked = Asked(step.motion, step.deck, step.cards)
        if await self._judged(grip, asked):
            return
        state, _ = await grip.status()
        if state in MOVING:
            return
        await grip.station.catch_up()
        if await self._judged(grip, asked) or state in STARTING:
            return
        if self._begun(grip):
            return
        await self._say(grip, lost(asked), ())

    def _begun(self, grip: Grip) -> bool:
        """Whether the newest that was seen is a motion that begins: its rollers spin up in the state it stood in."""
        newest = grip.last(EventCode.SHUFFLE_STARTED, EventCode.STATE, EventCode.POWER_UP)
        if newest is None or newest.event.code == EventCode.POWER_UP:
            return False
        if newest.event.code == EventCode.SHUFFLE_STARTED:
            return True
        return grip.station.family.states.get(newest.event.body["new"]) in MOVING

    async def _judged(self, grip: Grip, asked: Asked) -> bool:
        facts = grip.step.facts
        said = judge(asked, grip.events(), facts.attached(grip.place), facts.alarms(grip.place))
        if said is not None:
            await self._say(grip, said.shuffled, said.evidence)
        return said is not None

    async def _say(self, grip: Grip, shuffled: Shuffled, evidence: tuple[EvidenceRef, ...]) -> None:
        unused = [ref for ref in evidence if not grip.step.facts.used(ref)]
        await grip.step.answer(shuffled, by=grip.place, evidence=unused)

    async def _present(self, grip: Grip, step: PresentDeck) -> None:
        if await self._touched(grip):
            return
        state, status = await grip.status()
        if state == "PRESENTED" and status["tray"] == step.deck:
            await grip.step.answer(Done(), by=grip.place)
            return
        intent, reply = await grip.once(self.shuffler.present(step.deck))
        if reply.result in (Result.E_BUSY, Result.E_RING):
            return
        if not reply.ok:
            await grip.fail(reply.text)
            return
        if (ended := grip.done(intent.id, after=intent.entry)) is not None:
            result = ended.event.body["result"]
            if result == Result.OK:
                await grip.step.answer(Done(), by=grip.place, evidence=(ended.ref,))
            else:
                await grip.fail(f"the deck was not presented: {result_text(result)}")

    async def _take(self, grip: Grip, step: TakeDeck) -> None:
        if await self._touched(grip):
            return
        shuffled = grip.last(EventCode.SHUFFLE_DONE)
        since = shuffled.entry if shuffled is not None else 0
        for one in grip.unused(EventCode.DECK_TAKEN):
            if one.entry > since and one.event.body["deck"] == step.deck:
                await grip.step.answer(Taken(one.event.body["count"]), by=grip.place, evidence=self._settled(grip))
                return
        state, status = await grip.status()
        if status["tray"] == NO_TRAY and state not in STARTING:
            await grip.station.catch_up()
            if not [one for one in grip.unused(EventCode.DECK_TAKEN) if one.entry > since]:
                await grip.fail("the deck left its tray, and nobody knows how")

    async def _touched(self, grip: Grip) -> bool:
        """Whether the proven deck is one no more: hands were in the shuffler, its account does not add up, or it
        restarted (cards moved while it was off are invisible).
        """
        shuffled = grip.last(EventCode.SHUFFLE_DONE)
        since = shuffled.entry if shuffled is not None else 0
        for one in grip.unused(EventCode.POWER_UP, EventCode.DOOR, EventCode.SERVICE_PORT):
            if one.entry > since and one.event.body.get("open", 1):
                kind = Trouble.DEVICE_RESTARTED if one.event.code == EventCode.POWER_UP else Trouble.DEVICE_FAILED
                await grip.fail(f"{WITH_DECK_IN[one.event.code]} with the proven deck in it", kind)
                return True
        if alarms := [alarm for alarm in grip.step.facts.alarms(grip.place) if alarm.entry > since]:
            await grip.fail(alarms[-1].text)
        return bool(alarms)

    async def _take_out(self, grip: Grip, step: TakeOut) -> None:
        """All cards are out, the door is closed, and every latched fault is cleared: one left open would refuse the
        next shuffle, and the cards would be taken out again for ever.
        """
        state, status = await grip.status()
        if state == "SERVICE":
            await grip.interlocked(state)
        elif state in ("EMPTY", "FAULT", "LOCKED") and not any(status[zone] for zone in ZONES) and not grip.stuck:
            if stays := await grip.clear(self.shuffler.clear_fault):
                text = f"the shuffler still reports {faults_text(stays)}: {what_to_do(stays)}"
                await grip.ask_people(f"fault {stays[0][0]}", text, "CLEAR_FAULT")
            elif state == "EMPTY":
                await grip.step.answer(Done(), by=grip.place, evidence=self._settled(grip))

    def _settled(self, grip: Grip) -> tuple[EvidenceRef, ...]:
        """Decks that came and went, which nobody awaits any more."""
        return tuple(one.ref for one in grip.unused(EventCode.DECK_LOADED, EventCode.DECK_TAKEN))
