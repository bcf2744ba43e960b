"""A table on a bench: a journal in a folder, a runner on it, and the fakes' hands."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from shoectl.games.procedure import Role
from shoectl.journal import Entry, Journal, Reader
from shoectl.table.course import Cycle
from shoectl.table.openstep import Executor, OpenStep
from shoectl.table.runner import Runner

from .fakes import World
from .game import Purse, cycle
from .hands import Hands

VERSION = {"rules": "1"}


async def leave(step: OpenStep) -> None:
    """Hands that wait for somebody else."""
    while not step.closed:
        await step.changed()


@asynccontextmanager
async def table(
    path: Path,
    world: World | None = None,
    *,
    play: Cycle[Purse] = cycle,
    rounds: int | None = None,
    people: Executor | None = None,
    listener: Callable[[Runner[Purse]], None] | None = None,
    current: Mapping[str, str] = VERSION,
    **opening: Any,
) -> AsyncIterator[tuple[Runner[Purse], asyncio.Task[None]]]:
    """A running table; its task ends when the rounds are played. `people` answer instead of the fakes'."""
    world = world or World()
    with Journal.open(path, threaded=False, durable=False, **opening) as journal:
        runner = Runner(journal, play, Purse(), current=current)
        if listener is not None:
            runner.listen(lambda: listener(runner))
        hands = Hands(world, runner)
        executors = {**hands.executors(), **({Role.PEOPLE: people} if people else {})}
        others = [asyncio.create_task(other) for other in (hands.shoe.run(), hands.shuffler.run(), hands.draw())]
        others.append(asyncio.create_task(hands.at_hold()))
        running = asyncio.create_task(runner.run(executors, rounds=rounds))
        try:
            yield runner, running
        finally:
            for task in (running, *others):
                task.cancel()
            await asyncio.gather(running, *others, return_exceptions=True)


async def until(holds: Callable[[], bool], runner: Runner[Purse]) -> None:
    """Wait until something holds at the table."""
    async with asyncio.timeout(50):
        while not holds():
            await runner.next_change()


async def at(runner: Runner[Purse], do: str) -> OpenStep:
    """Wait until a step of that kind is open."""
    await until(lambda: runner.open is not None and runner.open.step.do == do, runner)
    assert runner.open is not None
    return runner.open


def entries_of(path: Path) -> list[Entry]:
    """Everything that a journal says."""
    with Reader(path) as reader:
        return list(reader.entries())


def kinds(path: Path, *of: str) -> list[Mapping[str, Any]]:
    """The bodies of entries of some kinds."""
    return [entry.body for entry in entries_of(path) if entry.kind in of]
