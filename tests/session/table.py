"""A whole table in memory: runner, journal, hands, two devices, people who see what is open and answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from shoectl.cards import Card
from shoectl.devices.shoe import Shoe
from shoectl.devices.shuffler import Shuffler
from shoectl.devices.station import Station as RealStation
from shoectl.games.answers import Drawn
from shoectl.games.layout import Refused
from shoectl.games.procedure import Role
from shoectl.journal import Journal
from shoectl.table.entries import Evidence
from shoectl.table.hands import executors
from shoectl.table.openstep import Executor, OpenStep
from shoectl.table.runner import Runner
from shoectl.table.session import cycle
from shoectl.table.state import TableState

from .devices import Alder, Birch, Station, fresh_deck
from .scenes import Hands, table

KEY = b"k" * 32


@dataclass
class Scene:
    """`people`: who answers; `idle`: what somebody does beside (a card drawn too early, a door opened), and while it
    returns something true, nobody answers.
    """

    folder: Path
    state: TableState = field(default_factory=table)
    alder: Alder = field(default_factory=Alder)
    birch: Birch = field(default_factory=Birch)
    people: Hands = field(default_factory=Hands)
    rack: list[Card] = field(default_factory=fresh_deck)
    hand: list[Card] = field(default_factory=list)
    idle: Callable[[Scene], object] = lambda scene: None
    holds: Callable[[Scene, OpenStep], Any] | None = None
    draws: bool = True
    takes: Callable[[Scene], bool] = lambda scene: True  # whether the dealer is ready to take a deck from the tray

    def __post_init__(self) -> None:
        self.steps: list[str] = []
        self.record_of: list[str] = []
        self._done: set[tuple[int, int]] = set()

    async def play(
        self, rounds: int = 1, *, wrap: Callable[[Executor], Executor] = lambda one: one, prepare: Any = None
    ) -> Runner[TableState]:
        """Play until the journal holds so many rounds."""
        with Journal.open(self.folder / "journal", key=KEY, threaded=False, durable=False) as journal:
            runner: Runner[TableState] = Runner(journal, cycle, self.state)
            self.runner = runner
            self.shuffler = Station("shuffler", self.alder, runner)
            self.shoe = Station("shoe", self.birch, runner)
            if prepare is not None:
                prepare(self)
            shoe, shuffler = Shoe(cast("RealStation", self.shoe)), Shuffler(cast("RealStation", self.shuffler))
            hands: Mapping[Role, Executor] = {role: wrap(one) for role, one in executors(shoe, shuffler).items()}
            async with asyncio.TaskGroup() as group:
                beside = [group.create_task(work()) for work in (self.shuffler.run, self.shoe.run, self.act)]
                async with asyncio.timeout(3600):
                    await runner.run(hands, rounds=rounds)
                for task in beside:
                    task.cancel()
            self.entries = list(journal.tail())
        return runner

    async def act(self) -> None:
        """People: move cards for the open step, answer it, look again at every change."""
        while True:
            step = self.runner.open
            if step is not None and not step.closed:
                waits = self.idle(self)
                await self._move(step)
                if self.holds is not None and step.holding is not None and step.holding.word is None:
                    with suppress(Refused):
                        await self.holds(self, step)
                elif not waits and step.step.by is Role.PEOPLE and self.runner.round is not None:
                    with suppress(Refused):
                        await self.runner.answer(step.ref, self.people(self.runner.round), by="people")
            await asyncio.sleep(0.001)

    async def _move(self, step: OpenStep) -> None:
        if step.step.do == "deal" and self.draws:
            self.birch.pull()
            return
        at = (step.ref.round, step.ref.step)
        if at in self._done or (step.step.do == "take_deck" and not self.takes(self)):
            return
        self._done.add(at)
        match step.step.do:
            case "feed_shuffler":
                self.alder.feed(self.hand or self.rack)
            case "take_deck":
                self.hand = self.alder.take()
            case "take_out":
                self.alder.take_out()
            case "fill_shoe":
                self.birch.fill(self.hand)
                self.hand = []
            case "empty_shoe":
                self.birch.unload()
                self.rack = fresh_deck()

    # what happened

    def asked(self, runner: Runner[TableState]) -> list[str]:
        """The steps of the last round."""
        return [entry.body["step"]["do"] for entry in self.entries if entry.kind == "step"]

    def announced(self) -> list[str]:
        steps = [entry.body["step"] for entry in self.entries if entry.kind == "step"]
        return [step["text"] for step in steps if step["do"] == "announce"]

    def dealt(self) -> list[Card | None]:
        """The cards that the journal gives to places or to the rack, in order."""
        cards: list[Card | None] = []
        for entry in self.entries:
            if entry.kind == "answer" and entry.body["takes"] == Drawn.__name__:
                face = entry.body["answer"]["card"]
                cards.append(None if face is None else Card.parse(face))
            elif entry.kind == "irregularity" and entry.body["place"] == "rack":
                face = entry.body["card"]
                cards.append(None if face is None else Card.parse(face))
        return cards

    def irregularities(self) -> list[str]:
        return [entry.body["trouble"] for entry in self.entries if entry.kind == "irregularity"]

    def holds_opened(self) -> list[str]:
        return [entry.body["reason"] for entry in self.entries if entry.kind == "hold"]

    def money(self) -> list[tuple[Any, ...]]:
        steps = [entry.body["step"] for entry in self.entries if entry.kind == "step"]
        moved = [step for step in steps if step["do"] in ("collect", "pay", "return")]
        return [(step["do"], step["seat"], step["wager"], step["amount"]) for step in moved]

    def check(self) -> None:
        """What must hold however often the hands were interrupted."""
        named = [
            tuple(ref.items())
            for entry in self.entries
            for ref in entry.body.get("evidence", ())
            if entry.kind in ("answer", "irregularity")
        ]
        assert len(named) == len(set(named)), "evidence is named twice"
        for place in ("shuffler", "shoe"):
            events = [Evidence.from_json(one.body, one.n) for one in self.entries if one.kind == "event"]
            seqs = [one.event.seq for one in events if one.place == place]
            assert seqs == sorted(set(seqs)), "events are out of order, or twice"
        assert list(self.runner.course.layout.standing()) == []
        assert self.runner.course.layout.occupied() == ()


def at_draw(number: int, what: Callable[[Scene], object]) -> Callable[[Scene], object]:
    """Something that happens once in the deal, when so many cards were drawn."""
    done: list[int] = []

    def idle(scene: Scene) -> None:
        step = scene.runner.open
        if step is not None and step.step.do == "deal" and scene.birch.idx == number and not done:
            done.append(number)
            what(scene)

    return idle
