"""A light shoe carries steps out: nothing in it stops a hand, so what people did is looked at, and then judged.

It deals as every shoe does. Its lid is not locked: the cards are laid in first and told of afterwards. It counts what
was drawn and cannot count what is left, so that its word on a deck is no more than "as many as the journal says".
"""

from __future__ import annotations

from protocols.vocabulary import EventCode
from shoectl.devices.light_shoe import LightShoe
from shoectl.games.answers import ShoeClosed
from shoectl.games.procedure import Done
from shoectl.games.steps import CloseShoe, FillShoe, OpenShoe
from shoectl.table.came_out import explained, unread
from shoectl.table.draws import read_again, too_many
from shoectl.table.entries import Evidence
from shoectl.table.grip import Grip, flag
from shoectl.table.hands_shoe import LID_CLOSED, WAITING, ShoeHands

FREE = ("UNLOADED", "EMPTY", "RETIRED")  # states in which it takes a new load
FORGOTTEN = "lid forgotten"  # the reason of a hold: whether its lid was open
BY_POLICY = 4  # why it is retired when a round is over


class LightShoeHands(ShoeHands):
    """Executor for the steps of such a shoe."""

    def __init__(self, shoe: LightShoe) -> None:
        super().__init__(shoe)
        self.light = shoe

    async def _open(self, grip: Grip, step: OpenShoe) -> None:
        """It stands open to everybody; other cards must not be in it."""
        state, _ = await grip.status()
        if state in FREE:
            await grip.step.answer(Done(), by=grip.place)
        elif state == "FAULT":
            await self._clear_all(grip)
        elif not await grip.interlocked(state) and state not in WAITING:
            await grip.fail("other cards are in it already")

    async def _fill(self, grip: Grip) -> None:
        """The cards are in once the lid was opened and shut again; then it is told how many they are."""
        state, status = await grip.status()
        if state in FREE:
            if flag(status, LID_CLOSED) and await self._lid_was_used(grip, "the cards are in it"):
                assert isinstance(grip.step.step, FillShoe)
                _, reply = await grip.once(self.light.load(deck="", cards=grip.step.step.cards))
                if not reply.ok:
                    await self._refused(grip, reply)
        elif state == "LOADED":
            await grip.step.answer(Done(), by=grip.place, evidence=[one.ref for one in grip.unused(EventCode.LID)])
        elif state == "FAULT":
            await self._clear_all(grip)
        elif not await grip.interlocked(state) and state not in WAITING:
            await grip.fail(f"loading it was broken off ({state.lower()})")

    async def _close(self, grip: Grip, step: CloseShoe) -> None:
        if await too_many(grip, always=True):
            return
        state, _ = await grip.status()
        if state == "HOLD" and (draw := unread(grip)) is not None:
            if await read_again(grip, self.shoe, draw.idx):
                await grip.fail("a card in its mouth is still unread")
        elif state == "FAULT":
            await self._clear_all(grip)
        elif state == "ARMED":
            await grip.order(self.shoe.shut())
        elif not await grip.interlocked(state) and state not in WAITING and not grip.stuck:
            await self.account.settle(grip, due=True)
            await self._counted(grip, state)

    async def _counted(self, grip: Grip, state: str) -> None:
        """Have it count what was drawn, then retire it, so that it takes other cards."""
        _, reply = await grip.once(self.light.count())
        if reply.ok and (counts := grip.unused(EventCode.SHOE_COUNT)):
            if state == "RETIRED":
                await self._say(grip, counts)
                return
            _, reply = await grip.once(self.light.retire(BY_POLICY))
        if not reply.ok:
            await self._refused(grip, reply)

    async def _say(self, grip: Grip, counts: list[Evidence]) -> None:
        await grip.station.catch_up()
        if await too_many(grip, always=True):
            return
        drawn, dealt = int(counts[-1].event.body["counted"]), grip.step.layout.dealt()
        said = ShoeClosed(drawn, dealt, drawn == dealt, "" if drawn == dealt else f"{drawn} were drawn, {dealt} dealt")
        if said.right and (alarms := grip.step.facts.alarms(grip.place)):
            said = ShoeClosed(drawn, dealt, False, alarms[-1].text)
        await grip.step.answer(said, by=grip.place, evidence=[*(one.ref for one in counts), *explained(grip)])

    async def _empty(self, grip: Grip) -> None:
        """The stub is out once the lid was opened and shut again."""
        state, status = await grip.status()
        if await grip.interlocked(state) or not flag(status, LID_CLOSED):
            return
        if state == "FAULT":
            await self._clear_all(grip)
        elif state in FREE:
            if await self._lid_was_used(grip, "the rest of the cards is out of it"):
                await grip.step.answer(Done(), by=grip.place)
        elif state not in WAITING:
            await grip.order(self.light.retire(BY_POLICY))

    async def _lid_was_used(self, grip: Grip, what: str) -> bool:
        """Whether somebody has had the lid open and shut it: since it counted, or since it was to be loaded.

        A shoe that has lost its memory in this round, or is another one, may not know it any more: then people say so.
        """
        counted = grip.last(EventCode.SHOE_COUNT)
        lid = [one for one in grip.unused(EventCode.LID) if counted is None or one.entry > counted.entry]
        if lid and lid[-1].event.body["open"] == 0:
            await grip.step.lift("its lid was used", FORGOTTEN)
            return True
        if not _forgot(grip):
            return False
        text = f"the {grip.place} does not know whether its lid was open: see to it that {what} and the lid is shut"
        return await grip.ask_people(FORGOTTEN, f"{text}; then say so, or give the step up")


def _forgot(grip: Grip) -> bool:
    """Whether the first thing that it knows is of this round, though it was there before (or another one was)."""
    began = any(one.event.seq == 1 for one in grip.events(EventCode.POWER_UP))
    return began and len({(one.unit, one.epoch) for one in grip.events()}) > 1
