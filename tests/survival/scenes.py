"""One table with faults, played in memory with all invariants held: what the tests of field cases look at."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoectl.journal import Entry
from shoectl.table.openstep import Stop
from tests.endtoend import truth
from tests.session.test_simulated import table
from tests.timeloop import run

from . import invariants
from .limits import within
from .world import World


@dataclass(frozen=True)
class Played:
    """What the journal and the truth say of it."""

    entries: tuple[Entry, ...]
    dealt: tuple[truth.Dealt, ...]
    true: tuple[truth.Dealt, ...]
    stopped: Stop | None

    def bodies(self, kind: str) -> list[Mapping[str, Any]]:
        """The bodies of all entries of a kind."""
        return [entry.body for entry in self.entries if entry.kind == kind]

    @property
    def asked(self) -> list[str]:
        """All steps, by name."""
        return [body["step"]["do"] for body in self.bodies("step")]

    @property
    def troubles(self) -> list[str]:
        """What was thrown."""
        return [body["trouble"] for body in self.bodies("irregularity")]

    @property
    def said(self) -> list[str]:
        """What was announced."""
        return [body["step"]["text"] for body in self.bodies("step") if body["step"]["do"] == "announce"]

    def answers(self, takes: str) -> list[Mapping[str, Any]]:
        """All answers of a class."""
        return [body["answer"] for body in self.bodies("answer") if body["takes"] == takes]

    def events(self, name: str) -> list[Mapping[str, Any]]:
        """The bodies of all events of a name."""
        return [body["body"] for body in self.bodies("event") if body["name"] == name]


def played(
    *faults: str,
    rounds: int = 2,
    seed: int = 3,
    devices: tuple[str, ...] = ("alder", "birch"),
    known: invariants.Known = invariants.EVERYTHING,
    **changes: Any,
) -> Played:
    """Rounds with faults. `changes` are fields of the table's state. Raises AssertionError."""

    async def play(folder: Path) -> Played:
        world = World(folder, table(devices, **changes), faults, devices=devices, seed=seed)
        await world.play(rounds)
        entries = invariants.hold(world.journal, world.truth, known, finished=world.stopped is None)
        told, true = truth.dealt_by_journal(world.journal), truth.dealt_by_truth(world.truth)
        return Played(tuple(entries), tuple(told), tuple(true), world.stopped)

    with tempfile.TemporaryDirectory() as folder, within(60):
        return run(play(Path(folder)))
