"""Crashes at every point of two rounds: `python -m tests.table.crash [--every K] [--scenario NAME]`.

Before and after each append, each flush, each request to a device, each acknowledgement and each word of a person the
program dies, somebody draws no card, one, or all that the lease allows, and the program is started again.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from shoectl.journal import Broken, Entry, Journal, JournalUnavailable, Reader, verify
from shoectl.table.audit import Audit
from shoectl.table.course import Diverged
from shoectl.table.entries import Evidence, Intent
from shoectl.table.facts import awaited
from shoectl.table.runner import Runner
from shoectl.table.summary import summary
from tests.timeloop import Stuck
from tests.timeloop import run as run_virtual

from .fakes import Bad, Crash, World
from .game import Purse, cycle
from .hands import Hands

ROUNDS = 2
DEATHS = ((0, 0), (1, 0), (52, 0), (1, 17))  # cards drawn meanwhile, points until the next death (0: none)
PATIENCE_S = 50.0  # virtual seconds; nothing in these rounds takes time
SCENARIOS: Mapping[str, Mapping[str, Any]] = {
    "plain": {},
    "unreadable": {"unreadable": (1, 3)},
    "extra": {"extra_draw": 1},
    "eager": {"eager": True},
}


class MortalJournal(Journal):
    """A journal that dies before or after an append or a flush."""

    world: World

    def append(self, kind: str, body: Mapping[str, Any]) -> Entry:
        self.world.point()
        entry = super().append(kind, body)
        self.world.point()
        return entry

    def flush_now(self) -> None:
        self.world.point()
        super().flush_now()
        self.world.point()


class BadRunner(Runner[Purse]):
    """The runner with the order of things broken, as `world.bad` says."""

    world: World

    async def _settle(self, *bodies: Any) -> int:
        bad = self.world.bad
        first = bodies[0]
        if bad.moves_the_round_before_the_journal:
            return await self._rash(bodies)
        late = (bad.acknowledges_before_flush and isinstance(first, Evidence)) or (
            bad.does_not_flush_intents and isinstance(first, Intent)
        )
        if late:
            entries = [self.journal.append(body.kind, body.to_json()) for body in bodies]
            self._happen(entries)
            return entries[-1].n
        return await super()._settle(*bodies)

    async def _rash(self, bodies: tuple[Any, ...]) -> int:
        n = self.journal.last
        for body in bodies:
            n += 1
            raw = MortalJournal.append(self.journal, body.kind, body.to_json())
            self.journal.forget(raw.n)
            self.course.take(raw)
            self._advance()
            MortalJournal.append(self.journal, body.kind, body.to_json())
        await self.journal.flush()
        self._wake()
        return n


@dataclass(frozen=True)
class Outcome:
    """What must be the same however often the program died."""

    net: Mapping[str, int]
    cards: tuple[str, ...]
    holds: int
    chips: int
    moved: tuple[str, ...]


class Wrong(AssertionError):
    """An invariant that does not hold."""


def play(world: World, path: Path) -> None:
    """One life of the program: until two rounds are in the journal, or until it dies. Raises Crash."""
    journal = MortalJournal.open(path, key=b"k" * 32, threaded=False, durable=False)
    assert isinstance(journal, MortalJournal)
    journal.world = world
    BadRunner.world = world
    try:
        run_virtual(_play(world, journal))
    except BaseExceptionGroup as group:
        _, rest = group.split(Crash)
        if rest is not None:
            raise rest from None
        raise Crash from None
    finally:
        journal.abandon()


async def _play(world: World, journal: Journal) -> None:
    carries = (lambda one: False) if world.bad.forgets_evidence_at_a_new_round else awaited
    runner = BadRunner(journal, cycle, Purse(), carries=carries, current={"rules": "1"})
    for device in (world.shoe, world.shuffler):
        device.news = asyncio.Event()  # events belong to the loop of one life
        device.news.set()
    world.shoe.opened = asyncio.Event()
    if world.shoe.lease:
        world.shoe.opened.set()
    hands = Hands(world, runner)
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
        others = [hands.shoe.run(), hands.shuffler.run(), hands.draw(), hands.at_hold()]
        tasks = [group.create_task(other) for other in others]
        await runner.run(hands.executors(), rounds=ROUNDS)
        for task in tasks:
            task.cancel()


def live(world: World, path: Path, away: int = 0, again: int = 0) -> Outcome:
    """Start the program until it has played its rounds; `away` cards are drawn while it is gone (the gate is open).

    `again`: points of its second and third life at which it dies too. Raises Wrong.
    """
    crashes = 0
    while True:
        try:
            play(world, path)
        except Crash:
            world.dead = False
            crashes += 1
            world.crash_at = world.points + again if again and crashes < 3 else 0
            for _ in range(away):
                world.shoe.pull()
        except (
            TimeoutError,
            Stuck,
            Diverged,
            JournalUnavailable,
            ExceptionGroup,
            AssertionError,
            LookupError,
        ) as error:
            raise Wrong(f"the table does not go on: {type(error).__name__} {error}") from error
        else:
            return inspect(world, path)


def inspect(world: World, path: Path) -> Outcome:
    """What came of it. Raises Wrong, naming the invariant."""
    with Reader(path) as reader:
        try:
            verify(reader)
        except Broken as broken:
            raise Wrong(str(broken)) from broken
        entries = list(reader.entries())
    try:
        replayed = Audit(cycle, Purse.from_json, current={"rules": "1"}).all(entries)
    except Exception as error:
        raise Wrong(f"a replay fails: {error}") from error
    if replayed.diverged:
        raise Wrong(f"a replay goes another way: {replayed.diverged}")
    cards = tuple(_cards(entries))
    dealt = tuple(str(card) for card in world.shoe.dealt)
    same("cards answered and set aside", cards, dealt)
    refs = Counter(
        (ref["unit"], ref["epoch"], ref["seq"])
        for entry in entries
        if entry.kind in ("answer", "irregularity")
        for ref in entry.body["evidence"]
    )
    same("evidence named twice", [ref for ref, times in refs.items() if times > 1], [])
    for device in (world.shoe, world.shuffler):
        unit = f"{device.family:02X}-{device.identity.serial}"
        told = [entry.body["seq"] for entry in entries if entry.kind == "event" and entry.body["unit"] == unit]
        same(f"events of {unit}", told, list(range(1, device.seq + 1)))
    totals = summary(entries)
    placed = [entry for entry in entries if entry.kind == "answer" and entry.body["takes"] == "Wagers"]
    same("chips on the table", len(world.chips), sum(len(entry.body["answer"]["placed"]) for entry in placed))
    holds = sum(entry.kind == "hold" for entry in entries)
    moved = tuple(type for type in (*world.shuffler.moved, *world.shoe.moved) if type in ("SHUFFLE", "LOAD", "RESOLVE"))
    return Outcome(totals["net"], cards, holds, len(world.chips), moved)


def _cards(entries: list[Entry]) -> Iterator[str]:
    for entry in entries:
        body = entry.body
        if entry.kind == "answer" and body["takes"] == "Drawn":
            yield body["answer"]["card"]
        if entry.kind == "irregularity" and body["place"] == "rack":
            yield body["card"]


def same(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise Wrong(f"{what}: {found}, expected {expected}")


def uncrashed(world: World) -> tuple[Outcome, int]:
    """The same world, where nothing happens to the program; and how many points there are to die at."""
    with tempfile.TemporaryDirectory() as folder:
        calm = replace(world, bad=Bad())
        return live(calm, Path(folder) / "journal"), calm.points


def try_point(world: World, expected: Outcome, at: int, away: int, again: int = 0) -> None:
    """Die at one point. Raises Wrong if anything came out otherwise than without the crash."""
    with tempfile.TemporaryDirectory() as folder:
        same("outcome", live(replace(world, crash_at=at), Path(folder) / "journal", away, again), expected)


@click.command()
@click.option("--every", default=1, show_default=True, help="Every k-th point only.")
@click.option("--scenario", type=click.Choice(list(SCENARIOS)), multiple=True, help="Only this one.")
def main(every: int, scenario: tuple[str, ...]) -> None:
    """Die at every point of every scenario, with 0, 1 and all owed cards drawn meanwhile."""
    from rich.progress import track

    failed = 0
    for name in scenario or SCENARIOS:
        world = World(**SCENARIOS[name])
        expected, points = uncrashed(world)
        for at in track(range(1, points + 1, every), description=f"{name}, {points} points"):
            for away, again in DEATHS:
                try:
                    try_point(world, expected, at, away, again)
                except Wrong as wrong:
                    failed += 1
                    click.echo(f"{name}: point {at}, {away} drawn meanwhile, again {again}: {wrong}")
    click.echo(f"{failed} runs went wrong")
    raise SystemExit(bool(failed))


if __name__ == "__main__":
    main()
