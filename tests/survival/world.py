"""A whole table in memory and in virtual time, of which any part may die at any moment and be started again.

The simulated table keeps its state in files, so power may be cut and come back; the daemon keeps nothing but its
journal. `play` starts daemons until the rounds are played, or until one of them stops and says why.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firmware_sim.hosts.control import answer_order
from firmware_sim.hosts.pump import Pump
from firmware_sim.nvram import FileMedium
from firmware_sim.table import Setup, SimulatedTable
from shoectl.devices.places import Place, occupy
from shoectl.devices.shoe import Shoe
from shoectl.devices.shuffler import Shuffler
from shoectl.devices.station import Station
from shoectl.journal import Entry, Journal, JournalUnavailable, Reader
from shoectl.table.course import Cycle
from shoectl.table.hands import executors
from shoectl.table.openstep import Stop
from shoectl.table.runner import Runner
from shoectl.table.session import cycle
from shoectl.table.simulated import SimulatedPeople
from shoectl.table.state import TableState
from shoectl.transports import Transport
from shoectl.transports.base import Lost, Received, TransportError
from shoectl.watch import watch

from .knives import Killed, Knife

KEY = b"k" * 32
PLACES = {"alder": "shuffler", "birch": "shoe", "dogwood": "shoe", "cedar": "shoe"}
PATIENCE_S = 180.0  # virtual; as `run --sim` has it for a table that does not get on
LIVES_MOST = 40
WIRE_S = 0.001  # on the way; without it what goes round in circles would take no time at all
BACK_AFTER_S = 1.0  # from the end of the simulator, or of the daemon, to its next start


class Wire(Transport):
    """One line of the simulated table; not there while its power is off."""

    def __init__(self, world: World, name: str) -> None:
        self.world, self.name = world, name

    async def open(self, received: Received, lost: Lost) -> None:
        if self.world.table is None or self.name in self.world.unplugged:
            raise TransportError(f"{self.name}: no such port")
        self.world.wires[self.name] = (received, lost)

    def write(self, data: bytes) -> None:
        self.world.later(lambda: self.world.soon(lambda: self.world.pump.receive(self.name, bytes(data))))

    async def close(self) -> None:
        self.world.wires.pop(self.name, None)


class MortalPump(Pump):
    """A pump whose turns may be the simulator's last."""

    world: World

    def turn(self) -> None:
        if self._running:
            self.world.carefully(super().turn)


class MortalJournal(Journal):
    """A journal whose writes may be the daemon's last."""

    knife: Knife

    def flush_now(self) -> None:
        if self._pending:
            self.knife.around("journal", super().flush_now)

    def _write(self, batch: list[Entry]) -> None:
        writes = self.knife.points["journal"]
        if self.knife.failing and writes % self.knife.failing == 0:
            raise JournalUnavailable("no space left, for the moment")
        super()._write(batch)


@dataclass
class World:
    """One table. `knife` says who dies at which write; `away_s`, how long the daemon is gone then."""

    folder: Path
    state: TableState
    faults: Sequence[str] = ()
    devices: tuple[str, ...] = ("alder", "birch")
    seed: int = 1
    knife: Knife = field(default_factory=Knife)
    speed: float = math.inf
    away_s: float = BACK_AFTER_S
    pause: float = 0.0  # s that people take over an answer
    disturb: Callable[[World], Any] | None = None  # a coroutine that runs beside each daemon
    rules: Cycle[TableState] = cycle  # of the version that is installed
    version: Mapping[str, str] | None = None  # its name; None: this one

    def __post_init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.truth, self.journal = self.folder / "truth", self.folder / "journal"
        self.wires: dict[str, tuple[Received, Lost]] = {}
        self.unplugged: set[str] = set()  # lines whose plug somebody has pulled
        self.table: SimulatedTable | None = None
        self.lives = 0
        self.cuts = 0
        self.stopped: Stop | None = None
        self.runner: Runner[TableState]
        self.stations: Mapping[str, Station] = {}
        self.entries: list[Entry] = []
        self.fired = 0  # how many faults have struck
        self._under_way: deque[Callable[[], None]] = deque()
        self._power = asyncio.Event()
        self._daemon: asyncio.Task[Any] | None = None

    # the simulated table

    def power_on(self) -> None:
        """Start the simulator, as a process that finds its state."""
        setup = Setup(self.devices, self.seed, self.speed, tuple(self.faults), person="none", truth=self.truth)
        setup = Setup(**{**vars(setup), "state": self.folder / "table"})
        with self.knife.sharpened():
            try:
                table = SimulatedTable(setup)
            except Killed:
                self.cuts += 1
                self.loop.call_later(BACK_AFTER_S, self.power_on)
                return
        self.table = table
        self.pump = MortalPump(table, self._deliver, self._drop)
        self.pump.world = self
        self._power.set()
        self.pump.start()

    def power_off(self) -> None:
        """End the simulator between two of its writes, at once; every port is gone."""
        table, self.table = self.table, None
        if table is None:
            return
        self._power.clear()
        self.fired = len(table.plan.fired)
        self.pump.stop()
        table.world.close()
        for machine in table.machines.values():
            if isinstance(machine.medium, FileMedium):
                machine.medium.close()
        for _, lost in self.wires.values():
            self.loop.call_soon(lost, None)
        self.wires.clear()

    def power_cut(self, off_s: float = BACK_AFTER_S) -> None:
        """Power of the whole table goes, and comes back."""
        if self.table is not None:
            self.cuts += 1
            self.power_off()
            self.loop.call_later(off_s, self.power_on)

    def unplug(self, line: str) -> None:
        """Somebody pulls the plug of a line; it is in again when the name is out of `unplugged`."""
        self.unplugged.add(line)
        self._drop(line)

    def carefully(self, act: Callable[[], None]) -> None:
        """Something of the simulator's, which may end it."""
        with self.knife.sharpened():
            try:
                act()
            except Killed:
                self.power_cut()
                if self.knife.both and self._daemon is not None:
                    self._daemon.cancel()

    def soon(self, act: Callable[[], None]) -> None:
        """Have the simulator do something, if there is one then."""
        self.loop.call_soon(lambda: self.carefully(act) if self.table is not None else None)

    def later(self, act: Callable[[], None]) -> None:
        """Something that is on the wire. What was sent first arrives first; timers of one time keep no order."""
        self._under_way.append(act)
        self.loop.call_later(WIRE_S, lambda: self._under_way.popleft()())

    def _deliver(self, line: str, data: bytes) -> None:
        if line in self.wires:
            received = self.wires[line][0]
            self.later(lambda: self._arrive(line, received, data))

    def _arrive(self, line: str, received: Received, data: bytes) -> None:
        if line in self.wires and self.wires[line][0] == received:
            received(data)

    def _drop(self, line: str) -> None:
        if line in self.wires:
            self.loop.call_soon(self.wires.pop(line)[1], None)

    async def ask(self, order: Mapping[str, Any]) -> Mapping[str, Any]:
        """The control socket without the socket: asked again of the next simulator where this one ended."""
        answered: asyncio.Future[Mapping[str, Any]] = self.loop.create_future()
        while not answered.done():
            await self._power.wait()
            if (table := self.table) is not None:
                self._order(table, order, answered)
            while self.table is table and not answered.done():
                await asyncio.wait([answered], timeout=0.5)
        return answered.result()

    def _order(self, table: SimulatedTable, order: Mapping[str, Any], answered: asyncio.Future[Any]) -> None:
        def answer(said: Mapping[str, Any]) -> None:
            if not answered.done():
                answered.set_result(said)

        self.carefully(lambda: answer_order(table, dict(order), answer))
        self.soon(self.pump.turn)

    # the daemon

    async def play(self, rounds: int, *, within_s: float = 3600) -> None:
        """Daemons one after the other until the journal holds so many rounds, or one stops. Raises TimeoutError."""
        if self.table is None:
            self.power_on()
        async with asyncio.timeout(within_s):
            while self.lives < LIVES_MOST:
                self.lives += 1
                if await self.life(rounds):
                    break
                await asyncio.sleep(self.away_s)
            else:
                raise AssertionError(f"{LIVES_MOST} daemons have not played {rounds} rounds")
        self.power_off()
        with Reader(self.journal) as reader:
            self.entries = list(reader.entries())

    async def life(self, rounds: int) -> bool:
        """One daemon, from its start to its end; whether that was a good one. Raises what ended it otherwise."""
        self._daemon = asyncio.ensure_future(self._daemon_of(rounds))
        try:
            await self._daemon
        except Killed:
            return False
        except asyncio.CancelledError:
            if self._daemon.cancelled() and not _cancelling():
                return False
            raise
        except BaseExceptionGroup as group:
            if (rest := group.split(Killed)[1]) is not None:
                raise rest from None
            return False
        finally:
            self.wires.clear()
        return True

    async def _daemon_of(self, rounds: int) -> None:
        journal = MortalJournal.open(self.journal, key=KEY, threaded=False, durable=False)
        assert isinstance(journal, MortalJournal)
        journal.knife = self.knife
        self.knife.daemon_dead = False
        try:
            await self._serve(journal, rounds)
        finally:
            journal.abandon()

    async def _serve(self, journal: Journal, rounds: int) -> None:
        self.runner = runner = Runner(journal, self.rules, self.state, current=self.version)
        runner.limit = rounds
        places = [Place(PLACES[family], f"sim:{family}", family) for family in self.devices]
        stations = occupy(places, runner, make=lambda url: Wire(self, url.partition(":")[2].partition("?")[0]))
        self.stations = stations
        shoe, shuffler = stations.get("shoe"), stations.get("shuffler")
        hands = executors(Shoe(shoe) if shoe else None, Shuffler(shuffler) if shuffler else None)
        people = SimulatedPeople(runner, self.ask, self.seed, pause=self.pause)
        async with asyncio.TaskGroup() as group:
            beside = [group.create_task(station.run()) for station in stations.values()]
            beside += [group.create_task(people.run()), group.create_task(watch(runner, stations, PATIENCE_S))]
            if self.disturb is not None:
                beside.append(group.create_task(self.disturb(self)))
            await runner.run(hands, rounds=rounds)
            for task in beside:
                task.cancel()
        self.stopped = runner.stopped

    def kill_daemon(self) -> None:
        """SIGKILL, at the next moment at which it looks."""
        if self._daemon is not None:
            self.knife.daemon_dead = True
            self._daemon.cancel()


def _cancelling() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
