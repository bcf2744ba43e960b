"""The shoe carries steps out: load, deal, close, empty. Level-triggered: look, do the next small thing, look again.

A deal has one lease for all the cards that it owes. Entering it, hands shut the gate, read the ring, count what is
still due and only then arm for the rest: between counting and a new lease a person may draw.
"""

from __future__ import annotations

from protocols.vocabulary import EventCode, Result, Verdict, VerdictFlag
from shoectl.devices.command import Reply
from shoectl.devices.shoe import Shoe
from shoectl.games.answers import ShoeClosed
from shoectl.games.procedure import Done, Trouble
from shoectl.games.steps import CloseShoe, Deal, EmptyShoe, FillShoe, OpenShoe
from shoectl.table.came_out import explained, unread
from shoectl.table.draws import pushed_back, read_again, take, take_unrecorded, too_many, unknown
from shoectl.table.entries import Evidence
from shoectl.table.grip import Grip, carry_out, faults_text, flag
from shoectl.table.holds import what_to_do
from shoectl.table.openstep import OpenStep
from shoectl.table.reconcile import Account
from shoectl.table.restarts import judge, restart

LID_CLOSED = 0  # bits of STATUS flags (birch.md §4)
GATE_OPEN = 1
MOST_LEASE = 0xFE
OPEN_GATE = ("ARMED", "ENDING")  # states in which a lease may stand
WAITING = ("BOOT", "LID_OPEN", "SERVICE")  # states that end by themselves, or by people at the device
JUDGED = (  # faults that say no more than an irregularity, or an answer, has settled
    EventCode.OVERDRAW,
    EventCode.EARLY_DRAW,
    EventCode.DUPLICATE,
    EventCode.FOREIGN,
    EventCode.FACE_UP,
    EventCode.WRONG_BACK,
    EventCode.RESIDUAL,
)


class ShoeHands:
    """Executor for the steps of the shoe, and the eye on it while people are waited for."""

    def __init__(self, shoe: Shoe) -> None:
        self.shoe = shoe
        self.account = Account()

    async def __call__(self, step: OpenStep) -> None:
        """Carry the open step out."""
        await carry_out(step, self.shoe.station, self._look)

    async def watch(self, step: OpenStep) -> None:
        """While people are waited for: shut a gate that stands open, judge a restart and cards that are not due."""
        await carry_out(step, self.shoe.station, self._watch, held=False)

    async def _watch(self, grip: Grip) -> None:
        await self.account.settle(grip)
        if self._may_be_open(grip) and not grip.stuck:
            await grip.order(self.shoe.shut())
            await grip.station.catch_up()
        if (restarted := restart(grip)) is not None:
            await judge(grip, restarted)
        else:
            await too_many(grip, always=False)

    async def _look(self, grip: Grip) -> None:
        await grip.end_interlock()
        await self.account.settle(grip)
        match grip.step.step:
            case Deal():
                await self._deal(grip)
            case OpenShoe() as step:
                await self._open(grip, step)
            case FillShoe():
                await self._fill(grip)
            case CloseShoe() as step:
                await self._close(grip, step)
            case EmptyShoe():
                await self._empty(grip)
            case other:
                raise TypeError(f"{other.do} is no step of the shoe")

    # dealing

    async def _deal(self, grip: Grip) -> None:
        if not await self._settled(grip) or self._lease_stands(grip) or grip.stuck:
            return
        if self.shoe.leases:
            await grip.order(self.shoe.shut())
        await grip.station.catch_up()
        if not await self._settled(grip) or not self.shoe.leases or await self._unrecorded(grip):
            return
        due = grip.step.step.parts - grip.step.ref.part
        grip.lease, reply = await grip.order(self.shoe.arm(grip.step.ref.round, min(due, MOST_LEASE)))
        if not reply.ok:
            grip.lease = None
            await self._refused(grip, reply)

    async def _unrecorded(self, grip: Grip) -> bool:
        """Where events were lost, draws may have been among them: the shoe's own count tells. Asked only then."""
        if not grip.step.facts.alarms(grip.place):
            return False
        _, status = await grip.status()
        await grip.station.catch_up()
        return await take_unrecorded(grip, int(status["drawn"]))

    async def _settled(self, grip: Grip) -> bool:
        """Whether all that came out of the shoe is settled, so that it may be armed for the rest."""
        await pushed_back(grip)
        if (restarted := restart(grip)) is not None:
            await take(grip, before=restarted.entry)
            if not grip.step.closed:
                await judge(grip, restarted)
            return False
        if await take(grip):
            return True
        if grip.step.closed or (draw := unread(grip)) is None:
            return False
        if await read_again(grip, self.shoe, draw.idx):
            await grip.step.irregularity(unknown(draw), draw.rests_on)
        return not grip.step.closed and unread(grip) is None and await take(grip)

    def _lease_stands(self, grip: Grip) -> bool:
        """Whether the lease that these hands gave is still there, as far as the shoe has told. Where events were lost
        since, its end may have been among them.
        """
        if grip.lease is None:
            return False
        given, facts = grip.lease.entry, grip.step.facts
        lost = any(one.entry > given for one in facts.alarms(grip.place))
        return not lost and not any(_ends_lease(one, grip) for one in facts.events(grip.place, after=given))

    def _may_be_open(self, grip: Grip) -> bool:
        """Whether a lease may stand although no deal is open: the deal was interrupted."""
        last = grip.last(EventCode.STATE, EventCode.POWER_UP, EventCode.COMMS_LOST)
        armed = last is not None and last.event.code == EventCode.STATE and _new(last, grip) == "ARMED"
        return armed and self.shoe.leases

    async def _refused(self, grip: Grip, reply: Reply) -> None:
        """A command that the shoe would not take: clear what is judged, tell people the rest."""
        state, _ = await grip.status()
        if reply.result == Result.E_FAULT or state == "FAULT":
            stays = await grip.clear(self.shoe.clear_fault, *JUDGED)
            if stays and not (stays[0][1] == EventCode.UNREADABLE and unread(grip)):
                await self._set_right(grip, stays)
        elif await grip.interlocked(state):
            return
        elif state == "EMPTY":
            await grip.fail("it holds no cards to deal (empty)")
        elif state in ("UNLOADED", "LOADING"):  # in the middle of a deal: its memory is blank, or it is another shoe
            text = f"it knows of no deck any more ({state.lower()}), what was drawn since its last word has no record"
            await grip.fail(text, Trouble.RECORD_LOST)
        elif state not in WAITING:
            await grip.ask_people("refused", f"the shoe does not obey: {reply.text}")

    async def _set_right(self, grip: Grip, faults: list[tuple[int, int]]) -> None:
        """Faults that people have to set right at the device; then they are cleared."""
        text = f"the shoe reports {faults_text(faults)}: {what_to_do(faults)}; then say so, or give the step up"
        if await grip.ask_people(f"fault {faults[0][0]}", text, "CLEAR_FAULT"):
            await grip.clear(self.shoe.clear_fault)

    # loading

    async def _open(self, grip: Grip, step: OpenShoe) -> None:
        state, _ = await grip.status()
        if state == "LOADING":
            await grip.step.answer(Done(), by=grip.place)
        elif state in ("UNLOADED", "EMPTY"):
            if not grip.stuck:
                name = f"deck{step.deck}.{grip.state.deck_of(step.deck).generation}"
                load = self.shoe.load(deck=name, cards=step.cards)
                intent, reply = await grip.once(load)
                if reply.ok and grip.step.facts.events(grip.place, EventCode.POWER_UP, after=intent.entry):
                    _, reply = await grip.order(load)  # it lost power while it waited for cards: they are still in hand
                if not reply.ok:
                    await self._refused(grip, reply)
        elif state == "FAULT":
            await self._clear_all(grip)
        elif not await grip.interlocked(state) and state not in WAITING:
            await grip.fail("other cards are in it already")

    async def _fill(self, grip: Grip) -> None:
        state, status = await grip.status()
        if state == "LOADED":
            await grip.step.answer(Done(), by=grip.place)
        elif state == "LOADING":
            if self._lid_was_open(grip, "LOADING") and flag(status, LID_CLOSED):
                _, reply = await grip.once(self.shoe.loaded())
                if reply.ok and reply.body.get("est") == 0:
                    await grip.fail("its lid was closed, but no card is in it")
        elif state == "FAULT":
            await self._clear_all(grip)
        elif not await grip.interlocked(state) and state not in WAITING:
            await grip.fail(f"loading it was broken off ({state.lower()})")

    def _lid_was_open(self, grip: Grip, state: str) -> bool:
        """Whether somebody has had the lid open since the shoe came to that state, and closed it again."""
        began = [one for one in grip.events(EventCode.STATE) if _new(one, grip) == state]
        since = began[-1].entry if began else 0
        lid = [one.event.body["open"] for one in grip.step.facts.events(grip.place, EventCode.LID, after=since)]
        return bool(lid) and lid[-1] == 0  # who closes it has had it open, maybe from before

    async def _clear_all(self, grip: Grip) -> None:
        if not grip.stuck and (stays := await grip.clear(self.shoe.clear_fault, *JUDGED)):
            await self._set_right(grip, stays)

    # closing

    async def _close(self, grip: Grip, step: CloseShoe) -> None:
        if await too_many(grip, always=True):
            return
        state, status = await grip.status()
        if state == "UNLOADED" or grip.unused(EventCode.SHOE_COUNT):
            await self._closed(grip)
        elif state == "HOLD":
            if await read_again(grip, self.shoe, int(status["hold_idx"])):
                await grip.fail("a card in its mouth is still unread")
        elif state == "FAULT":
            await self._clear_all(grip)
        elif state == "ARMED":
            await grip.order(self.shoe.shut())
        elif state == "LOADING":  # a deck that was never dealt from
            if flag(status, LID_CLOSED):
                await grip.once(self.shoe.loaded())
        elif not await grip.interlocked(state) and state not in WAITING and not grip.stuck:
            await self.account.settle(grip, due=True)
            await self._count(grip, step.residual)

    async def _count(self, grip: Grip, residual: int) -> None:
        intent, reply = await grip.once(self.shoe.close(residual))
        ended = grip.done(intent.id, after=intent.entry)
        if reply.ok and ended is not None and ended.event.body["result"] != Result.OK:
            _, reply = await grip.order(self.shoe.close(residual))  # it was broken off: lid, power
        if not reply.ok:
            await self._refused(grip, reply)

    async def _closed(self, grip: Grip) -> None:
        """The shoe is closed: what it counted, if anybody had it count."""
        await grip.station.catch_up()
        if await too_many(grip, always=True):
            return
        if counts := grip.unused(EventCode.SHOE_COUNT):
            said = _inventory(counts[-1])
            if said.right and (alarms := grip.step.facts.alarms(grip.place)):
                said = ShoeClosed(said.counted, said.expected, False, alarms[-1].text)
            await grip.step.answer(said, by=grip.place, evidence=[*(one.ref for one in counts), *explained(grip)])
        else:
            nobody = ShoeClosed(0, grip.state.deck.cards, False, "nobody counted what was in the shoe")
            await grip.step.answer(nobody, by=grip.place, evidence=explained(grip))

    async def _empty(self, grip: Grip) -> None:
        """The stub is out when the shoe senses nothing, or somebody has had the lid open; a height sensor may lie."""
        state, status = await grip.status()
        if await grip.interlocked(state) or not flag(status, LID_CLOSED):
            return
        nothing = not status["shoe"] and not status["mouth"]
        if state == "FAULT" and nothing:
            await self._clear_all(grip)
        elif state == "UNLOADED" and (nothing or self._lid_was_open(grip, "UNLOADED")):
            await grip.step.answer(Done(), by=grip.place)
        elif state not in ("UNLOADED", "FAULT", *WAITING):
            await grip.fail(f"it is locked ({state.lower()}), its cards cannot be taken out")


def _new(state: Evidence, grip: Grip) -> str:
    return grip.station.family.states.get(state.event.body["new"], "unknown")


def _ends_lease(one: Evidence, grip: Grip) -> bool:
    if one.event.code == EventCode.STATE:
        return _new(one, grip) not in OPEN_GATE
    return one.event.code in (EventCode.POWER_UP, EventCode.COMMS_LOST)


def _inventory(evidence: Evidence) -> ShoeClosed:
    """What SHOE_COUNT says: "all there", wrong, or that it cannot tell (common.md §9). It never says shuffled."""
    body = evidence.event.body
    counted, expected, verdict = body["counted"], body["expected"], body["verdict"]
    reason = ""
    if verdict in (Verdict.SHORT, Verdict.OVER):
        reason = f"the shoe counted {counted} of {expected} cards"
    elif verdict == Verdict.COMPOSITION:
        reason = "the right number of cards, but not those of the deck"
    elif verdict != Verdict.OK:
        manual = body["flags"] & VerdictFlag.MANUAL
        reason = "the lid was open while cards were dealt" if manual else "the shoe cannot tell whether all were there"
    wrong = verdict in (Verdict.SHORT, Verdict.OVER, Verdict.COMPOSITION)
    return ShoeClosed(counted, expected, verdict == Verdict.OK, reason, wrong)
