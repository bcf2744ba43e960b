"""Rounds while the broker is killed and started again: no entry is lost or out of order, no round waits.

`python -m tests.mqtt.outages --restarts 50 --rounds 500` in full: simulated devices, a journal on the disk, a listener
in a process of its own; with how long an entry takes at the table (p99) with and without the bus, and memory.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoectl.journal import Journal, Reader
from shoectl.table.runner import Runner
from shoectl.table.state import TableState

from .broker import PASSWORDS, WATCHER, Broker
from .tables import QUICK, Hands, Table, until


class Timed(Runner[TableState]):
    """A runner that notes how long each thing took that was settled: checked, written, flushed, played on."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.took: list[float] = []

    async def _settle(self, *bodies: Any) -> int:
        began = time.perf_counter()
        n = await super()._settle(*bodies)
        self.took.append(time.perf_counter() - began)
        return n


@dataclass
class Result:
    """What came of it; times in seconds, memory in kB."""

    entries: int = 0
    told: int = 0
    twice: int = 0
    took: list[float] = field(default_factory=list)
    seconds: float = 0.0
    memory: tuple[int, int] = (0, 0)

    def p(self, share: float) -> float:
        """How long the slowest but for a share took."""
        return sorted(self.took)[int(len(self.took) * share)]


class Outages:
    """One run. `devices`: over simulated devices, else by hands that are always right."""

    def __init__(
        self, folder: Path, *, restarts: int, rounds: int, devices: bool = True, seed: int = 5, tell: bool = False
    ) -> None:
        self.folder, self.restarts, self.rounds, self.devices, self.tell = folder, restarts, rounds, devices, tell
        self.random = random.Random(seed)

    async def run(self, *, bus: bool = True) -> Result:
        """Play. Raises AssertionError."""
        broker = Broker(self.folder / "broker")
        broker.start()
        result = Result()
        table = Table(self.folder, broker)
        began = time.monotonic()
        listener = await self._listener(broker)
        try:
            with Journal.open(table.path) as journal:
                await self._play(table, journal, broker, result, bus)
            result.seconds = time.monotonic() - began
            if bus:
                await self._heard(listener, table, result)
        finally:
            if listener.returncode is None:
                listener.kill()
            await listener.wait()
            broker.stop()
        return result

    async def _play(self, table: Table, journal: Journal, broker: Broker, result: Result, bus: bool) -> None:
        playing = self._over_devices if self.devices else self._by_hands
        runner, play = playing(journal)
        runner.limit = self.rounds
        table.runner, table.face = runner, table.face_of(QUICK)
        async with asyncio.TaskGroup() as group:
            beside = [group.create_task(table.face(runner, {}))] if bus else []
            if bus:
                beside.append(group.create_task(self._break(broker, runner)))
                await until(lambda: table.face.status().connected)
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            await play()
            result.took = runner.took
            if bus:
                await beside.pop()
                await until(lambda: table.face.status().connected and not table.face.status().waiting, within=60)
            result.memory = (before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
            for task in beside:
                task.cancel()
        result.entries = journal.head[0]

    def _by_hands(self, journal: Journal) -> tuple[Timed, Any]:
        from bench.play import first
        from shoectl.games.procedure import Role
        from shoectl.table.session import cycle

        runner = Timed(journal, cycle, first())
        roles = dict.fromkeys((Role.PEOPLE, Role.SHOE, Role.SHUFFLER), Hands(1, 0.001))
        return runner, lambda: runner.run(roles, rounds=self.rounds)

    def _over_devices(self, journal: Journal) -> tuple[Timed, Any]:
        from shoectl.devices.places import Place, occupy
        from shoectl.devices.shoe import Shoe
        from shoectl.devices.shuffler import Shuffler
        from shoectl.table.hands import executors
        from shoectl.table.session import cycle
        from shoectl.table.simulated import SimulatedPeople
        from tests.session.test_simulated import table
        from tests.survival.world import PLACES, Wire, World

        world = World(self.folder, table(("alder", "birch")))
        runner = Timed(journal, cycle, table(("alder", "birch")))
        places = [Place(PLACES[family], f"sim:{family}", family) for family in world.devices]
        stations = occupy(places, runner, make=lambda url: Wire(world, url.partition(":")[2].partition("?")[0]))
        hands = executors(Shoe(stations["shoe"]), Shuffler(stations["shuffler"]))

        async def play() -> None:
            world.power_on()
            people = SimulatedPeople(runner, world.ask, 1)
            async with asyncio.TaskGroup() as group:
                beside = [group.create_task(one.run()) for one in (*stations.values(), people)]
                await runner.run(hands, rounds=self.rounds)
                for task in beside:
                    task.cancel()
            world.power_off()

        return runner, play

    async def _break(self, broker: Broker, runner: Timed) -> None:
        """Kill the broker and start it again, spread over the rounds; every other time in good order."""
        for number in range(self.restarts):
            due = (number + 1) * self.rounds / (self.restarts + 1)
            await until(lambda due=due: runner.round_no >= due, within=3600)
            await asyncio.to_thread(broker.stop, signal.SIGKILL if number % 2 else signal.SIGTERM)
            await asyncio.sleep(self.random.uniform(0.0, 0.5))
            await asyncio.to_thread(broker.start)
            if self.tell:
                print(f"restart {number + 1} of {self.restarts}, round {runner.round_no}", flush=True)

    async def _listener(self, broker: Broker) -> asyncio.subprocess.Process:
        words = ["127.0.0.1", str(broker.port), str(broker.authority.ca), WATCHER, PASSWORDS[WATCHER], "shoectl/#"]
        out = (self.folder / "heard").open("wb")
        with out:
            listener = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "tests.mqtt.listener", *words, stdout=out
            )
        await until(lambda: (self.folder / "heard").stat().st_size > 0)
        return listener

    async def _heard(self, listener: asyncio.subprocess.Process, table: Table, result: Result) -> None:
        """Every entry was told, once after de-duplication, in order; the last retained round is the last one."""
        events: dict[int, str] = {}
        with Reader(table.path) as reader:
            entries = [(entry.n, entry.link.hex()) for entry in reader.entries(1, result.entries)]
        for _ in range(200):
            events, result.told = self._read()
            if len(events) >= len(entries):
                break
            await asyncio.sleep(0.05)
        missing = sorted({n for n, _ in entries} - set(events))
        assert listener.returncode is None, "the listener has died"
        assert not missing, f"{len(missing)} of {len(entries)} entries were not heard, {missing[:5]}…"
        assert list(events.items()) == entries, "not in order"
        result.twice = result.told - len(events)

    def _read(self) -> tuple[dict[int, str], int]:
        events: dict[int, str] = {}
        told = 0
        for line in (self.folder / "heard").read_text().splitlines():
            try:
                said = json.loads(line)
            except ValueError:
                continue  # it is being written
            if said.get("topic", "").endswith("/events"):
                event, told = said["said"], told + 1
                assert events.setdefault(event["seq"], event["link"]) == event["link"]
        return events, told


def told(name: str, result: Result) -> None:
    """A run in a line."""
    ms = [f"{1000 * value:.2f}" for value in (statistics.median(result.took), result.p(0.99), max(result.took))]
    rest = f"{result.told} events heard, {result.twice} of them again" if result.told else "no bus"
    before, after = result.memory
    print(f"{name}: {result.entries} entries in {result.seconds:.0f} s; {rest}")
    print(f"  an entry takes {ms[0]} ms (median), {ms[1]} ms (p99), {ms[2]} ms (most); memory {before} → {after} kB")


def main(words: Sequence[str] | None = None) -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--restarts", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=500)
    wish = parser.parse_args(words)
    results = []
    for bus in (False, True):
        with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".outages-") as name:
            outages = Outages(Path(name), restarts=wish.restarts, rounds=wish.rounds, tell=True)
            results.append(asyncio.run(outages.run(bus=bus)))
        told("with the bus" if bus else "without a bus", results[-1])
    ratio = results[1].p(0.99) / results[0].p(0.99)
    print(f"p99 with the bus is {ratio:.2f} times that without; every entry was heard, in order")
    if ratio > 2:
        sys.exit("more than twice")


if __name__ == "__main__":
    main()
