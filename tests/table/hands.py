"""Hands for the fakes: level-triggered, with no memory of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from protocols.vocabulary import EventCode, card_byte, card_text
from shoectl.cards import Card
from shoectl.devices.command import Command, DeviceLost
from shoectl.games.answers import Decision, Drawn, Faces, Shuffled, Started, Wagers
from shoectl.games.procedure import Answer, Done, Irregularity, Role, Step, Trouble
from shoectl.games.steps import Ask, AwaitShuffle, Deal, FillShoe, PlaceWagers, Reveal, StartShuffle
from shoectl.table.entries import Evidence
from shoectl.table.openstep import Executor, OpenStep
from shoectl.table.runner import Runner

from .fakes import Link, World, face_of
from .game import STAKE, Purse


class Hands:
    """Shoe, shuffler and people of one table."""

    def __init__(self, world: World, runner: Runner[Purse]) -> None:
        self.world, self.runner = world, runner
        self.shoe = Link(world, "shoe", world.shoe, runner)
        self.shuffler = Link(world, "shuffler", world.shuffler, runner)

    def executors(self) -> Mapping[Role, Executor]:
        return {Role.SHOE: self.at_shoe, Role.SHUFFLER: self.at_shuffler, Role.PEOPLE: self.at_table}

    async def draw(self) -> None:
        """A person who draws while the gate is open."""
        shoe = self.world.shoe
        while True:
            await shoe.opened.wait()
            self.world.point()
            shoe.pull()
            if not shoe.lease:
                shoe.opened.clear()
            await asyncio.sleep(0)

    # shuffler

    async def at_shuffler(self, step: OpenStep) -> None:
        match step.step:
            case StartShuffle():
                motion = await self._once(step, self.shuffler, Command("SHUFFLE", {"deck": step.step.deck}))
                await step.answer(Started(motion), by="shuffler")
            case AwaitShuffle(motion=motion):
                while not step.closed:
                    for done in step.facts.unused("shuffler", EventCode.SHUFFLE_DONE):
                        if done.event.body["cycle"] == motion:
                            await step.answer(Shuffled(True), by="shuffler", evidence=[done.ref])
                            return
                    await step.changed()

    async def _once(self, step: OpenStep, link: Link, command: Command) -> int:
        """A command of which a step has only one. Returns its id, done by then."""
        while True:
            try:
                await self._settle_intents(step, link)
                if step.intents():
                    return step.intents()[-1].id
                id = await step.intend(link.place, command)
                await link.command(id, command)
                return id
            except DeviceLost:
                continue

    async def _settle_intents(self, step: OpenStep, link: Link) -> None:
        """Ask what became of each command; what never ran is sent again as it was."""
        for intent in step.intents():
            if self.world.bad.resends_under_a_new_id:
                await link.command(await step.intend(link.place, intent.command), intent.command)
            elif await link.fate(intent.id) is None:
                await link.command(intent.id, intent.command)

    # shoe

    async def at_shoe(self, step: OpenStep) -> None:
        match step.step:
            case FillShoe():
                await self._once(step, self.shoe, Command("LOAD", {"deck": step.step.deck}))
                await step.answer(Done(), by="shoe")
            case Deal():
                while not step.closed:
                    try:
                        await self._enter(step)
                        await self._deal(step)
                    except DeviceLost:
                        continue

    async def _enter(self, step: OpenStep) -> None:
        """Fate of each command, gate shut, ring read; only then is counted what is still due."""
        await self._settle_intents(step, self.shoe)
        if not self.world.bad.arms_over_an_open_lease:
            await self._send(step, Command("SHUT"))
        await self.shoe.catch_up()

    async def _send(self, step: OpenStep, command: Command) -> None:
        await self.shoe.command(await step.intend("shoe", command), command)

    async def _deal(self, step: OpenStep) -> None:
        armed = False
        while not step.closed:
            draws = step.facts.unused("shoe", EventCode.CARD_DRAWN)
            if draws and face_of(draws[0].event) is None:
                await self._name(step, draws[0])
                return  # the shoe held: what is still due needs another lease
            if draws and not await self._judged(step, draws[0]):
                card = Drawn(face_of(draws[0].event), _idx(draws[0]))
                await step.answer(card, by="shoe", evidence=[draws[0].ref])
            elif not draws and not armed:
                await self._send(step, Command("ARM", {"lease": step.step.parts - step.ref.part}))
                armed = True
            elif not draws:
                await step.changed()

    async def _name(self, step: OpenStep, draw: Evidence) -> None:
        """A card that the shoe could not read: two persons look, and their word is an entry before the command."""
        reason = f"unreadable {draw.event.seq}"
        while not (resolved := step.facts.unused("shoe", EventCode.CARD_RESOLVED)):
            held = step.held_for(reason)
            if held is None:
                await step.hold(reason, "The card at the mouth cannot be read: two persons name it")
            elif not any(intent.type == "RESOLVE" for intent in step.intents()):
                await self._send(step, Command("RESOLVE", {"idx": _idx(draw), "card": card_byte(str(held.card))}))
            await step.changed()
        card = Card.parse(card_text(resolved[0].event.body["card"]))
        await step.answer(Drawn(card, _idx(draw)), by="dealer", evidence=[draw.ref, resolved[0].ref])

    async def at_hold(self) -> None:
        """Two persons who look at a card when they are asked."""
        while True:
            step, hold = self.runner.open, self.runner.facts.hold
            if step is not None and hold is not None and hold.word is None:
                self.world.point()
                await self.runner.give_held(step.ref, "card", by=("dealer", "floor"), card=self.world.shoe.dealt[-1])
                self.world.point()
            await self.runner.next_change()

    # people

    async def at_table(self, step: OpenStep) -> None:
        while not step.closed:
            draws = step.facts.unused("shoe", EventCode.CARD_DRAWN)
            if draws and await self._judged(step, draws[0]):
                continue
            self.world.point()
            await self.runner.answer(step.ref, self._people(step.ref.step, step.step), by="people")
            self.world.point()

    async def _judged(self, step: OpenStep, draw: Evidence) -> bool:
        """A draw that nothing was due for is set aside."""
        over = next((one for one in step.facts.events("shoe", EventCode.OVERDRAW) if _idx(one) == _idx(draw)), None)
        if over is None or over.entry < draw.entry:
            return False
        trouble = Irregularity(Trouble.EARLY_DRAW, place="rack", card=str(face_of(draw.event)))
        await step.irregularity(trouble, [draw.ref, over.ref])
        return True

    def _people(self, number: int, step: Step[Any]) -> Answer:
        luck = self.world.luck(self.runner.round_no, step.do, getattr(step, "seat", 0))
        match step:
            case PlaceWagers(seats=seats):
                for seat in seats:
                    self.world.lay_chips(f"round {self.runner.round_no} step {number} seat {seat}", STAKE)
                return Wagers(tuple((seat, "ante", STAKE) for seat in seats))
            case Ask(choices=choices):
                return Decision(luck.choice(choices).name)
            case Reveal():
                return Faces()
        raise AssertionError(step)


def _idx(one: Evidence) -> int:
    return int(one.event.body["idx"])
