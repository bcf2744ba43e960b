"""A shoe that mixes carries steps out: take a deck in, count it, deal, take back what was dealt, give all out.

It is shuffler and shoe in one, so both roles have these hands. Level-triggered: look, do the next small thing, look
again. What people lay into it is seen in the numbers of its zones, which no event tells of: those are asked for.
"""

from __future__ import annotations

import asyncio

from protocols.message import Body
from protocols.vocabulary import EventCode, Result
from shoectl.devices.carousel import Carousel
from shoectl.games.answers import Shuffled, Started
from shoectl.games.procedure import Done, Irregularity, Trouble
from shoectl.games.steps import (
    AwaitShuffle,
    Deal,
    FeedDiscards,
    FillShoe,
    OpenShoe,
    PlaceWagers,
    StartShuffle,
    TakeOut,
)
from shoectl.table.came_out import explained, lying
from shoectl.table.carousel_state import DOOR_OPEN, GIVING_OUT, halt, in_the_way, inside, new_state, refused, set_right
from shoectl.table.carousel_touched import touched
from shoectl.table.draws import too_many
from shoectl.table.entries import EvidenceRef, Intent
from shoectl.table.grip import Grip, carry_out, faults_text, flag
from shoectl.table.hands_mouth import deal_through_mouth
from shoectl.table.hands_packets import deal_packets
from shoectl.table.holds import what_to_do
from shoectl.table.inventory import judge_inventory
from shoectl.table.openstep import OpenStep
from shoectl.table.packets import gathered
from shoectl.table.reconcile import Account

LOOK_FIRST_S, LOOK_MOST_S = 0.02, 0.5  # between two looks at what people lay in, or take out
QUIET_S = 10.0  # after which they are asked whether that is all


class CarouselHands:
    """Executor for the steps of the shoe and of the shuffler, and the eye on it while people are waited for."""

    def __init__(self, carousel: Carousel) -> None:
        self.carousel = carousel
        self.account = Account()

    async def __call__(self, step: OpenStep) -> None:
        """Carry the open step out."""
        await carry_out(step, self.carousel.station, self._look)

    async def watch(self, step: OpenStep) -> None:
        """While people are waited for: end what nobody asks for any more, judge cards and restarts."""
        await carry_out(step, self.carousel.station, self._watch, held=False)

    async def _watch(self, grip: Grip) -> None:
        last = grip.last(EventCode.STATE, EventCode.POWER_UP)
        if last is not None and last.event.code == EventCode.STATE and new_state(last, grip) in GIVING_OUT:
            state, _ = await grip.status()
            if await halt(grip, self.carousel, state):
                await grip.station.catch_up()
        if not isinstance(grip.step.step, PlaceWagers) or not await touched(grip):
            await too_many(grip, always=grip.state.by_packets)

    async def _look(self, grip: Grip) -> None:
        await grip.end_interlock()
        await self.account.settle(grip, due=isinstance(grip.step.step, AwaitShuffle))
        match grip.step.step:
            case Deal():
                if await touched(grip):
                    return
                await (deal_packets if grip.state.by_packets else deal_through_mouth)(grip, self.carousel)
            case OpenShoe() as step:
                await self._open(grip, step)
            case FillShoe() as step:
                await self._fill(grip, step)
            case FeedDiscards() as step:
                await self._feed(grip, step)
            case StartShuffle():
                await self._start(grip)
            case AwaitShuffle() as step:
                await self._await(grip, step)
            case TakeOut():
                await self._take_out(grip)
            case other:
                raise TypeError(f"{other.do} is no step of a shoe that mixes")

    # a deck goes in

    async def _open(self, grip: Grip, step: OpenShoe) -> None:
        state, status = await grip.status()
        if state == "LOADING":
            await grip.step.answer(Done(), by=grip.place)
        elif await in_the_way(grip, state, status):
            return
        elif state == "FAULT":
            await set_right(grip, self.carousel)
        elif state != "UNLOADED" or inside(status):
            await grip.fail("other cards are in it already")
        elif not grip.stuck:
            name = f"deck{step.deck}.{grip.state.deck_of(step.deck).generation}"
            load = self.carousel.load(deck=name, cards=step.cards)
            intent, reply = await grip.once(load)
            if reply.ok and grip.step.facts.events(grip.place, EventCode.POWER_UP, after=intent.entry):
                _, reply = await grip.order(load)  # it lost power before a card was laid in
            if not reply.ok:
                await refused(grip, self.carousel, reply)

    async def _fill(self, grip: Grip, step: FillShoe) -> None:
        state, status = await grip.status()
        if state == "LOADING":
            if await self._laid_in(grip, step.cards, state):
                _, reply = await grip.once(self.carousel.loaded())
                if not reply.ok:
                    await refused(grip, self.carousel, reply)
        elif state == "READY":
            await grip.step.answer(Done(), by=grip.place)
        elif not await in_the_way(grip, state, status):
            await self._not_taken_in(grip, state, "loading it")

    async def _feed(self, grip: Grip, step: FeedDiscards) -> None:
        """What is out goes in again; a packet that nobody wants any more is taken first, for it lies in the tray."""
        state, status = await grip.status()
        if await in_the_way(grip, state, status) or await halt(grip, self.carousel, state):
            return
        await grip.station.catch_up()
        if await too_many(grip, always=True):
            return
        out = grip.state.deck_of(step.deck).cards - inside(status)
        if state != "READY":
            await self._not_taken_in(grip, state, "taking cards back")
        elif out <= 0:
            await grip.step.answer(Done(), by=grip.place, evidence=gathered(grip))
        elif not status["output"] and await self._laid_in(grip, out, state):
            intent, reply = await grip.once(self.carousel.feed(out))
            if not reply.ok:
                await refused(grip, self.carousel, reply)
            elif grip.done(intent.id, after=intent.entry) is not None:
                await grip.order(self.carousel.feed(out))  # it was broken off, or more were laid in since

    async def _laid_in(self, grip: Grip, cards: int, state: str) -> bool:
        """Whether so many cards were laid in, or people say that this is all. What they lay down is seen by looking."""
        loop, pause = asyncio.get_running_loop(), LOOK_FIRST_S
        lies, since = -1, loop.time()
        while not grip.step.closed:
            now, status = await grip.status()
            if now != state:
                return False
            there = int(status["infeed"]) + (inside(status) if state == "LOADING" else 0)
            if there >= cards:
                await grip.step.lift("they are in", *_asked(grip))
                return True
            if there != lies:
                lies, since, pause = there, loop.time(), LOOK_FIRST_S
            elif loop.time() - since > QUIET_S:
                text = f"{there} of {cards} cards are in the {grip.place}: lay the others in, or say that this is all"
                if await grip.ask_people("cards in it", text):
                    return True
            await asyncio.sleep(pause)
            pause = min(pause * 2, LOOK_MOST_S)
        return False

    async def _not_taken_in(self, grip: Grip, state: str, what: str) -> None:
        """Why cards that were laid in are not in play."""
        if state == "FAULT":
            await set_right(grip, self.carousel)
            return
        if state == "REJECT_PENDING":
            text = f"{what}: it has turned cards away: {faults_text(await grip.station.faults())}"
            await grip.fail(text, Trouble.FOREIGN_CARD)
            return
        mismatch = grip.unused(EventCode.COUNT_MISMATCH)
        if state == "LOCKED" and mismatch:
            body = mismatch[-1].event.body
            said = Irregularity(
                Trouble.WRONG_COUNT, text=f"{grip.place}: {body['in']} cards in, not {body['expected']}"
            )
            await grip.step.irregularity(said, (mismatch[-1].ref,))
            return
        await grip.fail(f"{what} was broken off ({state.lower().replace('_', ' ')})")

    # counting

    async def _start(self, grip: Grip) -> None:
        state, status = await grip.status()
        if await in_the_way(grip, state, status) or await halt(grip, self.carousel, state):
            return
        await grip.station.catch_up()
        if lying(grip):
            reason = "cards were drawn from it before it was counted"
            await grip.step.answer(Started(0, reason=reason), by=grip.place, evidence=_left_over(grip))
            return
        if state == "FAULT":
            await set_right(grip, self.carousel)
            return
        if state not in ("READY", "LOCKED"):
            await grip.step.answer(Started(0, reason=f"the shoe holds no deck ({state.lower()})"), by=grip.place)
            return
        if (out := grip.state.deck.cards - inside(status) - int(status["infeed"])) > 0:
            await grip.step.answer(Started(0, reason=f"{out} cards of its deck are not in the shoe"), by=grip.place)
            return
        intent, reply = await grip.once(self.carousel.count())
        if reply.result in (Result.E_BUSY, Result.E_RING):
            return
        if not reply.ok:
            await grip.step.answer(Started(0, reason=f"the count was not started: {reply.text}"), by=grip.place)
            return
        whole = reply if "cycle" in reply.body else await grip.stored(intent)
        cycle = int(whole.body.get("cycle", 0))
        await grip.step.answer(Started(intent.id, cycle), by=grip.place, evidence=explained(grip))

    async def _await(self, grip: Grip, step: AwaitShuffle) -> None:
        facts = grip.step.facts
        asked = next((one for one in reversed(facts.intents()) if one.id == step.motion), None)
        if asked is not None:
            lost = any(one.entry > asked.entry for one in facts.alarms(grip.place))  # its end may have been among it
            fate = await grip.station.fate(asked.id)
            await grip.station.catch_up()
            if await self._judged(grip, asked, step.cards) or (fate is not None and not lost):
                return
        if not grip.step.closed:
            reason = f"nobody saw the end of the count (command {step.motion}): the deck is unknown"
            await grip.step.answer(Shuffled(False, reason=reason), by=grip.place)

    async def _judged(self, grip: Grip, asked: Intent, cards: int) -> bool:
        facts = grip.step.facts
        said = judge_inventory(asked, cards, grip.events(), facts.attached(grip.place), facts.alarms(grip.place))
        if said is not None:
            unused = [ref for ref in said.evidence if not facts.used(ref)]
            await grip.step.answer(said.shuffled, by=grip.place, evidence=unused)
        return said is not None

    # all comes out

    async def _take_out(self, grip: Grip) -> None:
        """All cards are out, the door is closed, and every latched fault is cleared, or the next load is refused."""
        state, status = await grip.status()
        if await in_the_way(grip, state, status) or await halt(grip, self.carousel, state):
            return
        if state == "UNLOADED":
            if not grip.stuck and await self._taken_out(grip):
                await self._out(grip)
        elif grip.stuck:
            return
        elif state == "FAULT":
            await set_right(grip, self.carousel)
        elif state == "LOADING":
            await grip.order(self.carousel.loaded())
        elif state == "REJECT_PENDING":
            await self._purge(grip, status)
        else:
            await self._unload(grip)

    async def _taken_out(self, grip: Grip) -> bool:
        """Whether nothing lies in it any more. Nobody tells when cards are taken out of it: that is seen by looking."""
        pause = LOOK_FIRST_S
        while not grip.step.closed:
            state, status = await grip.status()
            if state != "UNLOADED" or flag(status, DOOR_OPEN):
                return False
            if not inside(status) and not status["infeed"]:
                return True
            await asyncio.sleep(pause)
            pause = min(pause * 2, LOOK_MOST_S)
        return False

    async def _out(self, grip: Grip) -> None:
        if stays := await grip.clear(self.carousel.clear_fault):
            text = f"the shoe still reports {faults_text(stays)}: {what_to_do(stays)}"
            await grip.ask_people(f"fault {stays[0][0]}", text, "CLEAR_FAULT")
            return
        await grip.station.catch_up()
        await grip.step.answer(Done(), by=grip.place, evidence=_left_over(grip))

    async def _unload(self, grip: Grip) -> None:
        _, reply = await grip.order(self.carousel.unload())
        if not reply.ok:
            await refused(grip, self.carousel, reply)

    async def _purge(self, grip: Grip, status: Body) -> None:
        """The floor has what it turned away taken out of its pocket."""
        who = grip.operator("floor") or grip.operator("dealer")
        _, reply = await grip.once(self.carousel.purge(int(status["reject"]), who))
        if not reply.ok:
            await refused(grip, self.carousel, reply)


def _left_over(grip: Grip) -> list[EvidenceRef]:
    """Cards of which no deal made use: they lie in the rack. They are not laid down there, for the next step may feed
    them again, and then they are cards of the deck as all others.
    """
    return [*(ref for draw in lying(grip) for ref in draw.rests_on), *gathered(grip)]


def _asked(grip: Grip) -> tuple[str, ...]:
    return tuple(hold.reason for hold in grip.step.facts.holds if hold.reason.startswith("cards in it"))
