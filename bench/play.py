"""Rounds per second: the procedures alone, with a journal that is not flushed to the disk, and with one that is."""

from __future__ import annotations

import asyncio
import functools
import time
from pathlib import Path

from bench.hands import PerfectHands
from shoectl.games.layout import Layout
from shoectl.games.procedure import Role, Round, drive
from shoectl.journal import Journal
from shoectl.table.runner import Runner
from shoectl.table.session import cycle
from shoectl.table.state import Equipment, ShoeKind, ShufflerKind, TableState


def first() -> TableState:
    return TableState(
        "lunar-poker",
        limits={"ante": (10, 500), "super": (5, 100)},
        equipment=Equipment(ShufflerKind(), ShoeKind()),
    )


def pure(seconds: float) -> float:
    """Rounds per second of the session's procedure, four seats, without a journal."""
    hands, state, rounds = PerfectHands(1), first(), 0
    began = time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        game = Round(functools.partial(cycle, state=state), Layout())
        state = drive(game, hands.due)
        rounds += 1
    return rounds / spent


def journaled(folder: Path, rounds: int, *, durable: bool) -> tuple[float, float]:
    """Rounds per second through runner and journal, and entries per round."""
    return asyncio.run(_journaled(folder, rounds, durable))


async def _journaled(folder: Path, rounds: int, durable: bool) -> tuple[float, float]:
    hands = PerfectHands(1)
    with Journal.open(folder / f"play-{durable}.journal", durable=durable) as journal:
        runner = Runner(journal, cycle, first())
        began = time.perf_counter()
        await runner.run(dict.fromkeys((Role.PEOPLE, Role.SHOE, Role.SHUFFLER), hands), rounds=rounds)
        spent = time.perf_counter() - began
        return rounds / spent, journal.last / rounds
