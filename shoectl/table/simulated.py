"""Simulated players and dealer of a simulated table. They see their view, and what they look at; they know no more.

The dealer works through the steps in their order: what a step wants to be moved is moved under the id of the step
(`r{round}.s{step}`), so people who are asked again after a restart move once. What passes without an answer (cards to
the rack) is carried out as well, from the record of the round.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from shoectl.cards import Card
from shoectl.devices.station import Station
from shoectl.games import registry
from shoectl.games.answers import Brought, Counted, Declared, Drawn, Faces, FloorWord, Given, Setting, Settled
from shoectl.games.layout import Layout, Refused
from shoectl.games.procedure import Answer, Done, Role, Trouble
from shoectl.games.steps import (
    Ask,
    BringDeck,
    CallFloor,
    CountDeck,
    CountTable,
    Deal,
    Declare,
    GiveBack,
    PlaceWagers,
    ReadSetting,
    ReadSystem,
    Reveal,
    SetHands,
    SettleByHand,
    at_seat,
)
from shoectl.games.text import step_json
from shoectl.table import players
from shoectl.table.carrying import Carrier
from shoectl.table.control import Ask as Asked
from shoectl.table.control import ControlSocket
from shoectl.table.entries import StepRef
from shoectl.table.holds import CARD, GIVE_UP, GO_ON, is_away
from shoectl.table.noticed import Noticed, check_faces, check_number, known_faces
from shoectl.table.openstep import OpenStep
from shoectl.table.reports import report
from shoectl.table.runner import Runner
from shoectl.table.state import TableState

log = logging.getLogger("shoectl.table.simulated")

THINKS_S = 3.0  # how long people take over an answer, at the pace of real time
PUSHED_BACK = 0.3  # how often a card that could not be read is pushed back rather than named
PATIENCE = 3  # how often people try to set a thing right before they give it up
NOT_THE_DEALERS = (PlaceWagers, Ask, Declare, GiveBack, SetHands, Deal)  # a console answers none of these


async def people(
    runner: Runner[TableState],
    stations: Mapping[str, Station],
    *,
    control: Path,
    seed: int,
    dealer: str = "simulated",
    speed: str = "max",
) -> None:
    """Play and deal at the table behind a control socket, until cancelled.

    `dealer` "console": a face answers for the dealer and the floor; his simulated hands move what the steps want. It
    sees no card that lies on a simulated table, so whatever people know of faces is told then.
    `speed` is the simulator's; people keep its pace, so that whoever watches can follow. At `max` they do not dawdle.
    """
    pause = 0.0 if speed == "max" else THINKS_S / float(speed)
    await SimulatedPeople(
        runner, ControlSocket(control), seed, answers_for_dealer=dealer == "simulated", pause=pause
    ).run()


def turned_faces(step: Reveal, layout: Layout, faces: tuple[Card, ...]) -> tuple[Card, ...]:
    """Of the faces that lie up at a place, in the order dealt, those that this step turns."""
    lying = [at for at, slot in enumerate(layout.places[step.place]) if slot.up or at in step.at]
    return tuple(faces[lying.index(at)] for at in step.at) or faces


class SimulatedPeople:
    """Everybody at one table. `ask` is the way to their hands and eyes; `pause` how long an answer takes them, in s."""

    def __init__(
        self,
        runner: Runner[TableState],
        ask: Asked,
        seed: int,
        *,
        answers_for_dealer: bool = True,
        pause: float = 0.0,
    ) -> None:
        self.runner = runner
        self.seed = seed
        self.carrier = Carrier(ask, late=not answers_for_dealer)
        self._for_dealer = answers_for_dealer
        self._pause = pause
        self._refused: StepRef | None = None
        self._changed = asyncio.Event()

    async def run(self) -> None:
        """Act at every change, for ever."""
        self.runner.listen(self._changed.set)
        async with asyncio.TaskGroup() as group:
            self.carrier.start = group.create_task
            while True:
                self._changed.clear()
                await self._look()
                await self._changed.wait()

    async def _look(self) -> None:
        view = self.runner.view("dealer")
        await self.carrier.carry(view, self.runner.state)
        step = self.runner.open
        if step is None or step.closed:
            return
        if view["hold"] and self._for_dealer:
            await self._hold(step, view["hold"])
        elif step.step.by is Role.PEOPLE or (step.step.by is Role.SHOE and step.state.equipment.shoe is None):
            await self._answer(step)

    # answers

    async def _answer(self, step: OpenStep) -> None:
        ref = step.ref
        if ref == self._refused or not (self._for_dealer or isinstance(step.step, NOT_THE_DEALERS)):
            return
        if self._pause:
            await asyncio.sleep(self._pause)
        by = f"seat {step.step.seat}" if isinstance(step.step, Ask | GiveBack | Declare | SetHands) else "dealer"
        try:
            answer = await self._think(step, ref)
            try:
                await self._give(ref, answer, by=by)
            except Refused:
                if step.closed or not isinstance(step.step, Reveal):
                    raise
                faces = await self._faces(step.step.place, lift=False)  # nobody has read them: the dealer enters them
                await self._give(ref, Faces(turned_faces(step.step, step.layout, faces)), by=by)
        except Noticed as noticed:
            await self._report(step, ref, noticed)
        except Refused as refused:
            self._stand_still(step, ref, f"{step.step.do} was refused: {refused.reason}")

    async def _report(self, step: OpenStep, ref: StepRef, noticed: Noticed) -> None:
        """The dealer reports what was noticed; where a face answers for him, it is told to him."""
        if not self._for_dealer:
            self._stand_still(step, ref, f"{noticed}: the dealer has to report {noticed.what!r}")
            return
        said = (self.runner, ref, noticed.what, noticed.place)
        try:
            await self.runner.patiently(lambda: report(*said, by="dealer"))
        except Refused as refused:
            self._stand_still(step, ref, f"{noticed}; the report was refused: {refused.reason}")

    def _stand_still(self, step: OpenStep, ref: StepRef, why: str) -> None:
        if not step.closed and step.ref == ref:
            self._refused = ref  # once is enough: the table stands still, and says at which step
            log.warning("simulated people: %s", why)

    async def _give(self, ref: StepRef, answer: Answer, *, by: str) -> None:
        """Say it until it is written: people stay where a disk is full."""
        await self.runner.patiently(lambda: self.runner.answer(ref, answer, by=by))

    async def _end(self, ref: StepRef, how: str, *, by: Sequence[str], reason: str, card: Card | None = None) -> None:
        await self.runner.patiently(lambda: self.runner.give_held(ref, how, by=by, card=card, reason=reason))

    async def _think(self, step: OpenStep, ref: StepRef) -> Answer:
        state: TableState = step.state
        at, luck = (ref.round, ref.step), players.luck_of(self.seed, ref.round, ref.step)
        match step.step:
            case PlaceWagers() as wagers:
                return players.place_wagers(wagers, luck)
            case Ask(seat) as asked:
                game = registry.game(state.game)
                return players.decide(asked, await self._own(step, seat), game, game.house(state.house), luck)
            case Declare(seat) as declare:
                game = registry.game(state.game)
                wins = game.should_declare(declare, await self._own(step, seat), game.house(state.house))
                return Declared(wins and not (declare.own_word and luck.random() < players.WHIM))
            case GiveBack() as back:
                return await self._give_back(step, back, at, luck)
            case Reveal(place, cards):
                await self.carrier.turn(at, place, cards)
                check_number(step.layout, place, await self.carrier.count_cards(place))
                check_faces(step.layout, step.step, await self._faces(place, lift=False))
                return Faces()
            case ReadSetting(seat):
                game = registry.game(state.game)
                legal = game.settings(await self._own(step, seat), game.house(state.house))
                return Setting(luck.choice(legal) if legal else ())
            case CountTable():
                return Counted(await self.carrier.count_table())
            case CountDeck(place=place):
                await self.carrier.prepare(at, step_json(step.step), state)
                return Counted(await self.carrier.count_cards(place))
            case SettleByHand():
                return Settled("return")
            case ReadSystem() as read:
                return players.system_says(read, state.seats, luck)
            case BringDeck() as bring:
                await self.carrier.prepare(at, step_json(bring), state)
                return Brought()
            case CallFloor(why, choices):  # who goes on with a hand that has a card too few is asked again for ever
                return FloorWord(choices[-1 if why.startswith(Trouble.WRONG_COUNT) else 0])
            case Deal(to) as deal:  # from the dealer's hands
                await self.carrier.deal_by_hand(at, ref.part, to[ref.part])
                told = ref.part in deal.up or not self._for_dealer
                faces = await self._faces(to[ref.part], lift=True) if told else ()
                return Drawn(faces[-1] if faces else None)
            case other:
                await self.carrier.prepare(at, step_json(other), state)
                return Done()

    async def _give_back(self, step: OpenStep, back: GiveBack, at: tuple[int, int], luck: Random) -> Given:
        """Cards of a player to the rack. Raises Noticed."""
        place = at_seat(back.seat)
        held = await self._faces(place, lift=True)
        if len(held) < step.layout.count(place) and (moved := await self.carrier.give_up(at, place, ())):
            if (rest := back.least - moved) > 0:  # it came in the middle of it
                moved += await self.carrier.give_up(at, place, held[:rest], ".rest")
            return Given(moved)  # he had done it before a crash, and nobody saw which
        check_number(step.layout, place, len(held))
        given, cards = players.give_up(back, held, luck)
        await self.carrier.give_up(at, place, cards)
        read = {slot.face for slot in step.layout.places.get(place, [])}
        told = not self._for_dealer and (None in read or read.issuperset(cards))  # what was misread cannot be named
        return replace(given, cards=cards) if told else given

    async def _own(self, step: OpenStep, seat: int) -> tuple[Card, ...]:
        """The cards of a seat. Raises Noticed."""
        cards = await self._faces(at_seat(seat), lift=True)
        check_number(step.layout, at_seat(seat), len(cards))
        return cards

    async def _faces(self, place: str, *, lift: bool) -> tuple[Card, ...]:
        return known_faces(place, await self.carrier.faces(place, lift=lift))

    # holds

    async def _hold(self, step: OpenStep, hold: Mapping[str, Any]) -> None:
        """What people do about a hold: look at a card, set a thing right, give up what does not come right."""
        reason = str(hold["reason"])
        what, _, attempt = reason.rpartition(", ")
        at = (step.ref.round, step.ref.step)
        ref, late = step.ref, attempt.isdecimal() and int(attempt) > PATIENCE
        try:
            if late:
                await self._end(ref, GIVE_UP, by=("floor",), reason=reason)
            elif what.startswith("unreadable"):
                faces = await self.carrier.at_mouth()
                if faces and players.luck_of(self.seed, *at, reason).random() < PUSHED_BACK:
                    await self.carrier.push_back(f"r{ref.round}.s{ref.step}.{reason}")
                elif faces:
                    two, card = ("dealer", "floor"), Card.parse(faces[-1])
                    await self._end(ref, CARD, by=two, card=card, reason=reason)
            elif not is_away(reason):  # a device that is away comes back, or does not
                await self.carrier.set_right(f"r{ref.round}.s{ref.step}.{reason}", reason, hold["text"], step.step)
                await self._end(ref, GO_ON, by=("dealer",), reason=reason)
        except Refused:
            pass  # settled meanwhile
