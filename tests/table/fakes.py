"""A shoe and a shuffler in memory that remember command ids, a person who draws, as an acceptance bench has them.

Everything in `World` survives a crash of the program; `World.point` is where a crash may come. Flags of `Bad` break the
order of things on purpose, one at a time.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from protocols.message import Event
from protocols.vocabulary import UNREADABLE_CARD, EventCode, Identity, Result, Resume, card_byte, card_text
from shoectl.cards import STANDARD, Card
from shoectl.devices.command import Command, DeviceLost, Reply
from shoectl.devices.record import Record


class Crash(BaseException):
    """The program is gone at this very point."""


@dataclass(frozen=True)
class Bad:
    """What is done wrong on purpose; one at a time in a test."""

    acknowledges_before_append: bool = False
    acknowledges_before_flush: bool = False
    does_not_flush_intents: bool = False
    resends_under_a_new_id: bool = False
    moves_without_ids: bool = False
    moves_the_round_before_the_journal: bool = False
    forgets_evidence_at_a_new_round: bool = False
    arms_over_an_open_lease: bool = False

    @classmethod
    def each(cls) -> Iterator[tuple[str, Bad]]:
        """Every mistake by its name."""
        for f in fields(cls):
            yield f.name, cls(**{f.name: True})


@dataclass
class World:
    """What is there whether the program runs or not. `crash_at`: the point (from 1) at which it dies, 0 for never."""

    seed: int = 1
    crash_at: int = 0
    lose_at: int = 0  # the request at which the link goes
    unreadable: tuple[int, int] = (0, 0)  # (load, draw index) whose face the shoe cannot read
    extra_draw: int = 0  # the load in which somebody draws one card more than is due
    eager: bool = False  # the person draws at every moment at which the gate is open
    bad: Bad = Bad()
    points: int = field(default=0, init=False)
    requests: int = field(default=0, init=False)
    dead: bool = field(default=False, init=False)
    chips: dict[str, int] = field(default_factory=dict, init=False)  # movement id -> chips laid down

    def __post_init__(self) -> None:
        self.shuffler = Shuffler(self)
        self.shoe = Shoe(self)

    def point(self) -> None:
        """A place where the program may die; the dead do nothing more."""
        self.points += 1
        if self.dead or self.points == self.crash_at:
            self.dead = True
            raise Crash

    def request(self, work: Callable[[], Reply]) -> Reply:
        """A request to a device: the link may go before it arrives, or after it was done."""
        self.point()
        if self.eager:
            self.shoe.pull()
        self.requests += 1
        if self.requests * 2 - 1 == self.lose_at:
            raise DeviceLost
        reply = work()
        if self.eager:
            self.shoe.pull()
        self.point()
        if self.requests * 2 == self.lose_at:
            raise DeviceLost
        return reply

    def lay_chips(self, movement: str, chips: int) -> None:
        """A person lays chips down; the same movement again moves nothing."""
        if self.bad.moves_without_ids:
            movement += f" at {self.points}"
        self.chips.setdefault(movement, chips)

    def luck(self, *name: object) -> random.Random:
        """A stream of its own for every purpose, whatever the order in which things come about."""
        return random.Random(f"{self.seed} {name}")


class Device:
    """What every device has: an event ring that waits for acknowledgement, and a memory of command ids."""

    family = 0

    def __init__(self, world: World, serial: str) -> None:
        self.world = world
        self.identity = Identity(1, self.family, 1, 8, 0, 1, 1, 0, "00" * 32, "test", "fake", serial, "1.0")
        self.ring: list[Event] = []
        self.seq = 0
        self.done: dict[int, tuple[str, Mapping[str, Any], int]] = {}
        self.moved: list[str] = []
        self.news = asyncio.Event()

    def record(self, code: EventCode, **body: Any) -> None:
        self.seq += 1
        self.ring.append(Event(self.seq, 1, self.seq * 100, code, body))
        self.news.set()

    def acknowledge(self, upto: int) -> None:
        self.ring = [event for event in self.ring if event.seq > upto]

    def command(self, id: int, command: Command) -> Reply:
        """The same id and bytes give the stored result; nothing moves twice."""
        if id in self.done:
            type, body, result = self.done[id]
            same = (type, dict(body)) == (command.type, dict(command.body))
            return Reply(result if same else Result.E_ID_REUSE)
        self.done[id] = (command.type, command.body, Result.OK)
        self.done = dict(list(self.done.items())[-16:])
        self.moved.append(command.type)
        self.carry_out(id, command)
        return Reply(Result.OK)

    def carry_out(self, id: int, command: Command) -> None:
        raise NotImplementedError


class Shuffler(Device):
    """Shuffles one deck after another; each is ready as soon as it was asked for."""

    family = 0x41

    def __init__(self, world: World) -> None:
        super().__init__(world, "SHUFFLER1")
        self.ready: list[list[Card]] = []
        self.count = 0

    def carry_out(self, id: int, command: Command) -> None:
        self.count += 1
        deck = list(STANDARD)
        self.world.luck("deck", self.count).shuffle(deck)
        self.ready.append(deck)
        self.record(EventCode.SHUFFLE_DONE, cycle=id, verdict=1)


class Shoe(Device):
    """Deals the deck that it was loaded with while its lease lasts."""

    family = 0x42

    def __init__(self, world: World) -> None:
        super().__init__(world, "SHOE1")
        self.cards: list[Card] = []
        self.dealt: list[Card] = []  # everything that ever left it
        self.loads = 0
        self.lease = 0
        self.idx = 0
        self.pending = 0  # a draw without a face that waits for REREAD_OK
        self.opened = asyncio.Event()

    def carry_out(self, id: int, command: Command) -> None:
        match command.type:
            case "LOAD":
                self.cards = self.world.shuffler.ready.pop(0)
                self.loads, self.idx, self.lease = self.loads + 1, 0, 0
            case "ARM":
                self.lease = command.body["lease"]
                self.opened.set()
            case "SHUT":
                self.lease = 0
            case "RESOLVE":
                assert command.body["idx"] == self.pending
                self.pending = 0
                self.record(EventCode.CARD_RESOLVED, idx=command.body["idx"], card=command.body["card"])

    def pull(self) -> None:
        """A person draws, if the gate is open."""
        if self.lease and not self.pending:
            self.lease -= 1
            self.draw()
            if self.lease == 0 and self.world.extra_draw == self.loads and self.idx == 6:
                self.draw()
                self.record(EventCode.OVERDRAW, idx=self.idx, gate=0)

    def draw(self) -> None:
        card = self.cards.pop(0)
        self.idx += 1
        self.dealt.append(card)
        if (self.loads, self.idx) == self.world.unreadable:
            self.pending, self.lease = self.idx, 0
            self.record(EventCode.CARD_DRAWN, idx=self.idx, card=UNREADABLE_CARD)
        else:
            self.record(EventCode.CARD_DRAWN, idx=self.idx, card=card_byte(str(card)))


class Link:
    """What a station does for a device: deliver its ring to the journal, then acknowledge; carry requests."""

    def __init__(self, world: World, place: str, device: Device, record: Record) -> None:
        self.world, self.place, self.device, self.record = world, place, device, record
        self.durable = 0
        self.up = asyncio.Event()
        self._reading = asyncio.Lock()

    async def run(self) -> None:
        identity = self.device.identity
        oldest = self.device.ring[0].seq if self.device.ring else self.device.seq + 1
        resume = Resume(1, 1, 1, 0, oldest, self.device.seq)
        self.durable = await self.record.attached(self.place, identity, resume, "fake")
        await self.catch_up()
        self.up.set()
        while True:
            await self.device.news.wait()
            await self.catch_up()

    async def catch_up(self) -> None:
        async with self._reading:
            self.device.news.clear()
            events = [event for event in self.device.ring if event.seq > self.durable]
            self.world.point()
            if not events:
                return
            if self.world.bad.acknowledges_before_append:
                self.device.acknowledge(events[-1].seq)
                self.world.point()
            await self.record.evidence(self.place, self.device.identity, events)
            self.durable = events[-1].seq
            self.world.point()
            self.device.acknowledge(self.durable)

    async def command(self, id: int, command: Command) -> Reply:
        await self.up.wait()
        return self.world.request(lambda: self.device.command(id, command))

    async def fate(self, id: int) -> int | None:
        await self.up.wait()
        self.world.point()
        return self.device.done[id][2] if id in self.device.done else None


def face_of(event: Event) -> Card | None:
    """The face of a draw, None where the shoe could not read it."""
    byte = event.body["card"]
    return None if byte == UNREADABLE_CARD else Card.parse(card_text(byte))
