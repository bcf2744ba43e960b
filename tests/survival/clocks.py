"""One seed is one game on both clocks: at `--speed max` and in real time the same cards, nets and verdicts.

python -m tests.survival.clocks [--seeds 3] [--rounds 4]

Real time is a virtual clock at speed 1, so a shuffle takes its minute and hands take their seconds. Faults that are
counted in cards or frames strike the same way at both; how many frames there are differs, what is dealt does not.
"""

from __future__ import annotations

import argparse
import logging
import math
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoectl.table.summary import summary
from tests.endtoend.truth import dealt_by_journal
from tests.session.test_simulated import table
from tests.timeloop import run

from . import invariants
from .limits import within
from .world import World

FAULTS: tuple[tuple[str, ...], ...] = (
    (),
    ("alder:jam@card=31,tries=2",),
    ("alder:jam@card=17,cycle=2",),
    ("alder:missing@card=20,cycle=1",),
    ("birch:unreadable@draw=4,load=2",),
    ("birch:early_draw@load=1",),
    ("birch:overdraw@draw=25,load=1",),
    ("alder:power_cut@card=31,cycle=1",),
    ("birch:power_cut@card=7,cycle=1",),
    ("alder:corrupt@frame=12", "birch:reply_lost@frame=40"),
    ("birch:corrupt@frame=41", "alder:noise@frame=7"),
    ("alder:hang_up@frame=15", "birch:noise@frame=42"),
    ("alder:sort@cycle=2", "birch:corrupt@frame=90"),
)


@dataclass(frozen=True)
class Game:
    """What must be the same: cards with their places, what each seat gained, the verdict of each shuffle."""

    dealt: tuple[Any, ...]
    net: dict[str, int]
    verdicts: tuple[tuple[int, int], ...]


def play(faults: tuple[str, ...], speed: float, seed: int, rounds: int) -> Game:
    """Rounds at one speed, all invariants held. Raises AssertionError."""
    with tempfile.TemporaryDirectory() as folder, within(120):
        return run(_play(Path(folder), faults, speed, seed, rounds))


async def _play(folder: Path, faults: tuple[str, ...], speed: float, seed: int, rounds: int) -> Game:
    world = World(folder, table(), faults, seed=seed, speed=speed)
    await world.play(rounds, within_s=36_000)
    if world.stopped is not None:
        raise invariants.Wrong(f"the table stopped: {world.stopped}")
    entries = invariants.hold(world.journal, world.truth)
    bodies = [entry.body for entry in entries if entry.kind == "event"]
    verdicts = tuple(
        (body["body"]["verdict"], body["body"]["out"]) for body in bodies if body["name"] == "SHUFFLE_DONE"
    )
    dealt = tuple((one.place, one.card) for one in dealt_by_journal(world.journal))
    return Game(dealt, summary(entries)["net"], verdicts)


def differ(faults: tuple[str, ...], seed: int, rounds: int) -> str:
    """What differs between the clocks, "" where nothing."""
    fast, real = (play(faults, speed, seed, rounds) for speed in (math.inf, 1.0))
    return ", ".join(
        f"{name}: {getattr(fast, name)} at full speed, {getattr(real, name)} in real time"
        for name in ("verdicts", "net", "dealt")
        if getattr(fast, name) != getattr(real, name)
    )


def main() -> None:
    """From the command line, with progress."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--word", default="", help="only faults with this word")
    wish = parser.parse_args()
    logging.disable(logging.CRITICAL)
    bad = 0
    for faults in FAULTS:
        began, said = time.monotonic(), " + ".join(faults) or "no fault"
        if wish.word not in said:
            continue
        for seed in range(wish.first, wish.first + wish.seeds):
            try:
                told = differ(faults, seed, wish.rounds)
            except Exception as error:
                told = invariants.told(error)
            bad += bool(told)
            if told:
                print(f"seed {seed}, {said}: {told[:600]}", flush=True)
        print(f"  {said}: {wish.seeds} seeds, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{bad} games differ")
    raise SystemExit(bool(bad))


if __name__ == "__main__":
    main()
