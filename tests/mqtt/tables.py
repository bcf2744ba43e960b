"""A table in memory that plays in real time, with its journal on disk and the bus beside it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

from bench.hands import PerfectHands
from bench.play import first
from shoectl.cards import STANDARD
from shoectl.config_sections import Bus
from shoectl.games.layout import Layout
from shoectl.games.procedure import Answer, Role, Step
from shoectl.journal import Entry, Journal, Reader
from shoectl.mqtt.face import BusFace
from shoectl.mqtt.settings import Pace, address_of
from shoectl.people.persons import Persons
from shoectl.secret import Secret
from shoectl.table.openstep import OpenStep
from shoectl.table.runner import Runner
from shoectl.table.session import cycle
from shoectl.table.state import TableState

from .broker import PASSWORDS, TABLE, Broker

SITE = "main"
BASE = f"shoectl/v1/{SITE}/{TABLE}/"
QUICK = Pace(
    connect=1.0,
    acknowledged=1.0,
    keepalive=5,
    first=0.05,
    most=0.4,
    steady=5.0,
    telemetry=0.2,
    farewell=1.0,
    breath=0.02,
)


class Hands(PerfectHands):
    """Take their time over each answer; where `by_hand` says so, the step is left to others."""

    def __init__(self, seed: int, pause: float = 0.002, by_hand: Callable[[str], bool] = lambda do: False) -> None:
        super().__init__(seed)
        self.pause, self.by_hand = pause, by_hand

    def answer(self, step: Step[Any], layout: Layout) -> Answer:
        if not self.deck:  # a round that another life began
            lying = {str(slot.face) for slots in layout.places.values() for slot in slots}
            racked = {str(face) for pile in layout.rack for face in pile.cards}
            self.deck = [card for card in STANDARD if str(card) not in lying | racked]
        return super().answer(step, layout)

    async def __call__(self, step: OpenStep) -> None:
        while not step.closed:
            if self.by_hand(step.step.do):
                await step.changed()
                continue
            await asyncio.sleep(self.pause)
            if not step.closed:
                await step.answer(self.answer(step.step, step.layout), by="815")


class Table:
    """A journal in a folder. `play` is a daemon's life: the runner and, beside it, the bus."""

    def __init__(self, folder: Path, broker: Broker, **bus: Any) -> None:
        self.path = folder / "journal"
        secret = folder / "password"
        secret.write_text(bus.pop("word", PASSWORDS[TABLE]))
        secret.chmod(0o600)
        said = {"host": "127.0.0.1", "port": broker.port, "username": TABLE}
        said |= {"ca": str(broker.authority.ca)} if broker.authority.ca else {}
        self.bus = Bus.model_validate({**said, "password": Secret(file=str(secret)), "table": TABLE, **bus})
        self.face: BusFace
        self.runner: Runner[TableState]

    def face_of(self, pace: Pace = QUICK, persons: Persons | None = None) -> BusFace:
        """The bus of a daemon."""
        return BusFace(address_of(self.bus, SITE, TABLE), self.path, "1.2.3", persons=persons, pace=pace)

    @contextlib.asynccontextmanager
    async def life(
        self,
        rounds: int = 1,
        *,
        hands: Hands | None = None,
        pace: Pace = QUICK,
        persons: Persons | None = None,
        stations: Mapping[str, Any] | None = None,
        bus: bool = True,
    ) -> AsyncIterator[asyncio.Task[None]]:
        """A daemon: yields the task that ends when the rounds are played. At the end of the block it is shut down."""
        with Journal.open(self.path, durable=False) as journal:
            self.runner = runner = Runner(journal, cycle, first())
            runner.limit = rounds
            self.face = self.face_of(pace, persons)
            roles = (Role.PEOPLE, Role.SHOE, Role.SHUFFLER)
            async with asyncio.TaskGroup() as group:
                beside = group.create_task(self.face(runner, stations or {})) if bus else None
                playing = group.create_task(runner.run(dict.fromkeys(roles, hands or Hands(1)), rounds=rounds))
                try:
                    yield playing
                finally:
                    playing.cancel()
                    if beside is not None:
                        beside.cancel()

    def entries(self) -> list[Entry]:
        """What the journal says."""
        with Reader(self.path) as reader:
            return list(reader.entries())


async def until(holds: Callable[[], Any], within: float = 40.0) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(within):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
