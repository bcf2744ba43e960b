"""A listener on every exit of a table: pages, JSON, the event stream, metrics, errors, topics, answers to commands, the
local socket, the terminal, the journal's own commands, the log at its most talkative.

What is heard is kept with the number of the journal's last entry, and compared afterwards with what everybody had seen
by then (oracle.py). At the moments at which it looks itself (renders.py), everything is made twice, the second time
with other cards where nobody may see them: not a byte may differ, so no order, no length and no label tells one either.
And it looks into the simulated shoe: a card that is still in there is nowhere, not even in what the table keeps.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Final

from shoectl.console.app import create
from shoectl.console.face import Caller
from shoectl.console.settings import Settings
from shoectl.journal import Entry
from shoectl.mqtt.outbox import Outbox
from shoectl.people.register import Register
from shoectl.people.signin import SignIn
from shoectl.service.log import FIELDS, told_in_log
from shoectl.status import BusStatus, UpkeepStatus
from shoectl.table.desk import Desk
from shoectl.terminal import Lines
from tests.console.sitting import QUICK, TOKENS, people
from tests.survival.world import World

from .bus import TOPICS, Bus
from .faces import exchanged, faces_in
from .oracle import Oracle
from .questions import BEFORE, DEALER, FLOOR, OBSERVER, Events, Pages, at_the_socket, in_the_journal, over_the_bus
from .renders import Renders

ENTRY: Final = re.compile(r'"entry\\?": ?(\d+)')
LINES: Final = "lines"  # of stdout: they tell of a round's cards when the next one has begun
JOURNAL: Final = "journal "  # the commands that read it name entries of their own
OWN_QUESTIONS: Final = ("httpx", "httpcore", "asyncio")
SHOES: Final = (".shoe", "hand")  # places of undealt cards


@dataclass(frozen=True)
class Sound:
    """Faces that were heard: where, and the last entry that could be known then."""

    where: str
    n: int
    faces: frozenset[str]


class Listener:
    """Beside a table in memory (`World.disturb`), through all lives of its daemon.

    `every`: look at each so-many-th change, and ask at each so-many-th look (`asks`); the socket and the journal at
    each third time. Topics, stream, log and lines are heard all the time. `misread`: a reader takes one card for
    another, which may still be in the shoe.
    """

    def __init__(self, every: int = 1, asks: int = 10, *, misread: bool = False) -> None:
        self.every, self.asks, self.misread = every, asks, misread
        self.count: Counter[str] = Counter()  # texts by exit
        self.rounds: defaultdict[str, set[int]] = defaultdict(set)  # in which something was heard at an exit
        self.statuses: Counter[int] = Counter()
        self.compared = 0  # renders made a second time with other cards
        self.hidden = 0  # cards that lay face down then
        self.undealt = 0  # cards that were still in the shoe then
        self.wrong: list[str] = []  # what is wrong whatever the oracle says
        self.messages: dict[int, dict[str, Any]] = {}  # events of the bus, by seq
        self._sounds: set[Sound] = set()
        self._constant: dict[str, str] = {}
        self._changes = self._turn = self._asked = 0
        self._named = ""  # the card that was named in commands last
        self._world: World
        self._renders: Renders
        self._people = SignIn(Register(people=[people(number) for number in TOKENS]), hasher=QUICK)
        self._callers = [Caller(self._people.by_token(TOKENS[number])) for number in (OBSERVER, DEALER, FLOOR)]

    async def __call__(self, world: World) -> None:
        """Listen to one daemon."""
        runner = world.runner
        app = create(
            Desk(runner),
            world.stations,
            self._people,
            Settings(),
            title="Table 7",
            bus=lambda: BusStatus(True, 0, 0),
            upkeep=lambda: UpkeepStatus(10**9),
        )
        self._world, self._lines = world, Lines()
        self._renders = Renders(app, runner, world.stations, self._callers, TOPICS)
        bus = Bus(runner, world.stations, world.journal, self._topic)
        with ExitStack() as stack:
            stack.enter_context(self._logged())
            stack.callback(app.state.face.stream.close)
            runner.listen(self._look)
            async with asyncio.TaskGroup() as group:
                group.create_task(bus.run())
                group.create_task(Events(app, self.hear).run())
                group.create_task(app.state.face.history.follow())
                group.create_task(told_in_log(runner, world.stations))
                await self._ask(Pages(app, runner, self.hear, self._constant), bus)

    def hear(self, where: str, text: str, *, sent: str = "", status: int = 0, differs: bool = False) -> None:
        """Keep what a text names, but for what was sent to get it. It may know what the entry that it names knows,
        else what the last one does.
        """
        self.count[where] += 1
        self.rounds[where].add(self._world.runner.round_no)
        if status:
            self.statuses[status] += 1
        if differs:
            self.wrong.append(f"{where} is another one in play")
        if found := faces_in(text) - faces_in(sent):
            last = self._world.runner.journal.last
            told = None if where.startswith(JOURNAL) else ENTRY.search(text)
            self._sounds.add(Sound(where, min(last, int(told[1])) if told else last, found))

    def rest(self, world: World) -> None:
        """What a broker gets when the table has ended before all of it was sent."""
        outbox = Outbox(world.journal)
        try:
            at = max(self.messages, default=0)
            while batch := outbox.after(at):
                for one in batch:
                    self._topic(TOPICS.events, one.payload)
                at = batch[-1].cursor.n
        finally:
            outbox.close()

    # what is made without waiting

    def _look(self) -> None:
        for line in self._lines.news(self._renders.frames.now()):
            self.hear(LINES, line)
        self._changes += 1
        if self._changes % self.every:
            return
        made = self._renders.made()
        for where, text in made.items():
            self.hear(where, text)
        with exchanged(self._world.runner.course) as hidden:
            if hidden:
                self.compared += len(made)
                self.hidden += hidden
                other = self._renders.made()
                self.wrong += [f"{where} depends on a hidden card" for where in made if made[where] != other[where]]
        self._look_into_the_shoe()

    def _look_into_the_shoe(self) -> None:
        world = self._world
        if world.table is None:
            return
        places = world.table.world.places
        inside = {card.text for place, cards in places.items() if place.endswith(SHOES) for card in cards}
        self.undealt += len(inside)
        known = {str(slot.face) for slots in world.runner.course.layout.places.values() for slot in slots if slot.face}
        if known & inside and not self.misread:
            self.wrong.append(f"the table knows a card that is still in the shoe: {' '.join(sorted(known & inside))}")

    # what is sent, and what is asked for

    def _topic(self, topic: str, payload: bytes) -> None:
        name = topic.removeprefix(TOPICS.base)
        text = payload.decode()
        if name != "events":
            self.hear(f"topic {name}", text, sent=self._named if name.startswith("reply/") else "")
            return
        self.count["topic events"] += 1
        said = json.loads(text)
        self.messages[said["seq"]] = said
        if found := faces_in(text):
            self._sounds.add(Sound("topic events", said["seq"], found))

    async def _ask(self, pages: Pages, bus: Bus) -> None:
        async with pages.client:
            while True:
                await self._world.runner.next_change()
                if self._changes < (self._turn + 1) * self.every * self.asks:
                    continue
                self._turn = self._changes // (self.every * self.asks)
                await pages.ask()
                now = self._world.runner.open
                ref = f"{now.ref.round}.{now.ref.step}.{now.ref.part}" if now is not None else BEFORE
                self._named = over_the_bus(bus.wire, ref, self._turn)
                self._asked += 1
                if self._asked % 3 == 2:
                    in_the_journal(self._world, self.hear)
                    await at_the_socket(self._world, self.hear, self._turn)

    @contextmanager
    def _logged(self) -> Iterator[None]:
        root, ear = logging.getLogger(), _Ear(self.hear)
        before = root.level
        root.addHandler(ear)
        root.setLevel(logging.DEBUG)
        try:
            yield
        finally:
            root.removeHandler(ear)
            root.setLevel(before)

    # what came of it

    def leaks(self, entries: Sequence[Entry]) -> list[str]:
        """Everything that was heard before anybody might know it."""
        oracle = Oracle(entries)
        found = list(dict.fromkeys(self.wrong))
        for one in sorted(self._sounds, key=lambda one: (one.n, one.where)):
            if one.where.startswith(JOURNAL) and not oracle.under_way(one.n):
                continue  # the round is over: the journal is there to say what was dealt
            if early := one.faces - oracle.public(one.n, before=one.where == LINES):
                known = "dealt and hidden" if early <= oracle.secret(one.n) else "that nobody has been dealt"
                found.append(f"{one.where} at entry {one.n}: {' '.join(sorted(early))}, {known}")
        return found


class _Ear(logging.Handler):
    """Every line at every level, with the fields that go to journald and the text of errors."""

    def __init__(self, hear: Callable[..., None]) -> None:
        super().__init__(logging.DEBUG)
        self._hear = hear

    def emit(self, record: logging.LogRecord) -> None:
        if not record.name.startswith(OWN_QUESTIONS):
            fields = {name: getattr(record, name, None) for name in FIELDS}
            self._hear("log", f"{self.format(record)} {fields}")


async def listened(world: World, rounds: int, listener: Listener) -> None:
    """A table played with a listener."""
    beside = world.disturb

    async def both(world: World) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(listener(world))
            if beside is not None:
                group.create_task(beside(world))

    world.disturb = both
    await world.play(rounds, within_s=rounds * 6000)
    listener.rest(world)
