"""The whole thing in one process and in virtual time: simulated devices, cards, hands; real stations, links, runner."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firmware_sim.hosts.control import answer_order
from firmware_sim.hosts.pump import Pump
from firmware_sim.table import Setup, SimulatedTable
from shoectl.devices.places import Place, occupy
from shoectl.devices.shoe import Shoe
from shoectl.devices.shuffler import Shuffler
from shoectl.journal import Journal, Reader
from shoectl.table.hands import executors
from shoectl.table.runner import Runner
from shoectl.table.session import cycle
from shoectl.table.simulated import SimulatedPeople
from shoectl.table.state import TableState
from shoectl.transports import Transport
from shoectl.transports.base import Lost, Received

KEY = b"k" * 32


class Wire(Transport):
    """One line of the simulated table."""

    def __init__(self, bench: Bench, name: str) -> None:
        self.bench, self.name = bench, name

    async def open(self, received: Received, lost: Lost) -> None:
        self.bench.wires[self.name] = (received, lost)

    def write(self, data: bytes) -> None:
        self.bench.loop.call_soon(self.bench.pump.receive, self.name, bytes(data))

    async def close(self) -> None:
        self.bench.wires.pop(self.name, None)


class Bench:
    """A simulated table with its people, and everything of ours above the wire."""

    def __init__(self, folder: Path, state: TableState, *faults: str, devices: tuple[str, ...], seed: int = 1) -> None:
        self.loop = asyncio.get_running_loop()
        self.folder, self.state, self.seed, self.devices = folder, state, seed, devices
        self.truth = folder / "truth"
        setup = Setup(devices, seed, math.inf, faults, person="none", truth=self.truth)
        self.table = SimulatedTable(setup)
        self.wires: dict[str, tuple[Received, Lost]] = {}
        self.pump = Pump(self.table, self._deliver, self._drop)

    def _deliver(self, line: str, data: bytes) -> None:
        if line in self.wires:
            self.loop.call_soon(self.wires[line][0], data)

    def _drop(self, line: str) -> None:
        if line in self.wires:
            self.loop.call_soon(self.wires.pop(line)[1], None)

    async def ask(self, order: Mapping[str, Any]) -> Mapping[str, Any]:
        """The control socket without the socket."""
        answered: asyncio.Future[Mapping[str, Any]] = self.loop.create_future()
        answer_order(self.table, dict(order), lambda reply: None if answered.done() else answered.set_result(reply))
        self.loop.call_soon(self.pump.turn)
        return await answered

    async def play(self, rounds: int, *, die_at: int | None = None) -> Runner[TableState]:
        """Play until the journal holds so many rounds, or dies at an entry; cards and devices stay as they are then."""
        self.pump.start()
        names = {"alder": "shuffler", "birch": "shoe"}
        with Journal.open(self.folder / "journal", key=KEY, threaded=False, durable=False) as journal:
            runner: Runner[TableState] = Runner(journal, cycle, self.state)
            self.runner = runner
            places = [Place(names[family], f"sim:{family}", family) for family in self.devices]
            stations = occupy(places, runner, make=lambda url: Wire(self, url.partition(":")[2].partition("?")[0]))
            shoe, shuffler = stations.get("shoe"), stations.get("shuffler")
            hands = executors(Shoe(shoe) if shoe else None, Shuffler(shuffler) if shuffler else None)
            people = SimulatedPeople(runner, self.ask, self.seed)
            async with asyncio.TaskGroup() as group:
                beside = [group.create_task(one.run()) for one in (*stations.values(), people)]
                async with asyncio.timeout(600):
                    table = group.create_task(runner.run(hands, rounds=rounds))
                    dying = group.create_task(_dies(runner, die_at))
                    await asyncio.wait([table, dying], return_when=asyncio.FIRST_COMPLETED)
                for task in (table, dying, *beside):
                    task.cancel()
        self.wires.clear()
        with Reader(self.folder / "journal") as reader:
            self.entries = list(reader.entries())
        return runner

    # what the journal says, and what happened

    def journal_deals(self) -> list[tuple[str, str | None]]:
        """Where each card was dealt, in order, and which it was (None: nobody has read it)."""
        deals: list[tuple[str, str | None]] = []
        step: Mapping[str, Any] = {}
        for entry in self.entries:
            if entry.kind == "step":
                step = entry.body["step"]
            elif entry.kind == "answer" and entry.body["takes"] == "Drawn":
                deals.append((step["to"][entry.body["part"]], entry.body["answer"]["card"]))
        return deals

    def true_deals(self) -> list[tuple[str, str]]:
        """The same, as the cards really went."""
        lines = [json.loads(line) for line in self.truth.read_text().splitlines()]
        sources = ("birch.shoe", "birch.mouth", "hand")
        ours = [line for line in lines if line["from"] in sources]
        return [(line["to"], line["card"]) for line in ours if line["to"] == "dealer" or line["to"].startswith("seat ")]

    def steps(self) -> list[Mapping[str, Any]]:
        return [entry.body["step"] for entry in self.entries if entry.kind == "step"]

    def asked(self) -> list[str]:
        return [step["do"] for step in self.steps()]

    def check(self) -> None:
        """The journal's cards are the true ones, place by place; at the end all lie in the rack."""
        journal, truth = self.journal_deals(), self.true_deals()
        assert [place for place, _ in journal] == [place for place, _ in truth]
        assert all(face in (None, card) for (_, face), (_, card) in zip(journal, truth, strict=True))
        places = self.table.state()["places"]
        assert set(places) <= {"rack", "off", "supply", "floor"}, places


async def _dies(runner: Runner[TableState], at: int | None) -> None:
    """Return when the journal holds so many entries; never where none is named."""
    while at is None or runner.journal.last < at:
        await runner.next_change()
