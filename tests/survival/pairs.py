"""Pairs of faults, drawn by a seed from the simulator's whole catalogue: the table recovers, or stops and says why.

python -m tests.survival.pairs [--pairs 300] [--first 1] [--rounds 3] [--word jam] [--devices cedar]

Pair number N is always the same pair at the same table with the same cards, as long as the catalogue is the same.
`--devices alder,dogwood` has the pairs of a table with a light shoe, `cedar` those of a shoe that mixes, which deals
packets or through its mouth.
"""

from __future__ import annotations

import argparse
import logging
import random
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from firmware_sim.catalogue import Key, Kind, had_by
from shoectl.table.openstep import Stop
from tests.session.test_simulated import table
from tests.timeloop import run

from . import invariants
from .limits import within
from .world import World

Words = tuple[str, ...]
RANGES = {  # where a fault may strike in rounds of four seats; what is not listed keeps its default or goes up to +3
    "card": (1, 52),
    "draw": (1, 25),
    "frame": (1, 90),
    "event": (1, 45),
    "write": (1, 240),
    "tries": (0, 3),
    "cycle": (1, 2),
    "load": (1, 2),
    "cause": (0, 2),
    "times": (1, 2),
    "in": (-2, 2),
    "out": (-2, 2),
    "rest": (-2, 2),
    "shut": (0, 1),
    "stays": (0, 1),
    "ms": (20, 3000),
}
CUTS: Words = ("_cut", "_write", "watchdog")
FOR_EVER = 0.1  # how many faults strike again and again
PLAIN: Words = ("alder", "birch")
MOTIONS = {"cycle": (1, 6), "frame": (1, 200)}  # of a Cedar, where they are others
AT_TIMES = frozenset(("hang_up", "renamed", "gap", "wiped", "other_unit"))  # for ever, they would leave no table
LOSING: Words = ("gap", "ring_full", "wiped", "dogwood:ring_small")  # events of these devices are not all told
CPU_S = 60.0  # of the processor, that a pair may take; a second is usual


@dataclass(frozen=True)
class Pair:
    """Two faults, and the table that has them."""

    number: int
    faults: tuple[str, ...]
    devices: tuple[str, ...]
    dealing: str = ""

    def __str__(self) -> str:
        return f"pair {self.number}: {' + '.join(self.faults)} at {' '.join((*self.devices, self.dealing)).strip()}"


@dataclass(frozen=True)
class Met:
    """What came of a pair: which faults struck, whether the table stopped, and what had to be thrown."""

    fired: int
    stopped: Stop | None
    troubles: tuple[str, ...]


def pair(number: int, devices: Words = PLAIN) -> Pair:
    """The pair of that number, at a table with these devices, or with one of them where both faults are of it."""
    luck = random.Random(f"pair {number}" if devices == PLAIN else f"pair {number} at {devices}")
    catalogue = had_by(*devices)
    kinds = luck.sample(sorted(catalogue), 2) if luck.random() < 0.9 else [luck.choice(sorted(catalogue))] * 2
    families = [luck.choice([name for name in catalogue[kind].families if name in devices]) for kind in kinds]
    faults = tuple(fault(catalogue[kind], family, luck) for kind, family in zip(kinds, families, strict=True))
    alone = families[0] == families[1] and luck.random() < 0.4
    dealing = luck.choice(("", "manual")) if "cedar" in devices else ""
    return Pair(number, faults, (families[0],) if alone else devices, dealing)


def fault(kind: Kind, family: str, luck: random.Random) -> str:
    """One fault, its keys drawn."""
    values = []
    for name, key in kind.keys_of(family).items():
        if name == "times":
            ever = luck.random() < FOR_EVER and kind.name not in AT_TIMES and not kind.name.endswith(CUTS)
            values.append(f"times={0 if ever else luck.randint(*RANGES[name])}")
        elif key.default is not None or luck.random() < 0.3:
            values.append(f"{name}={_value(name, key, family, luck)}")
    return f"{family}:{kind.name}@{','.join(values)}"


def _value(name: str, key: Key, family: str, luck: random.Random) -> int | str:
    if key.choices is not None:
        return luck.choice(key.choices) if key.choices else str(key.default)
    least = key.default if isinstance(key.default, int) else max(key.least, 1)
    ranges = RANGES | (MOTIONS if family == "cedar" else {})
    low, high = ranges.get(name, (max(least, key.least), max(least, key.least) + 3))
    return luck.randint(max(low, key.least), high)


def known(one: Pair) -> invariants.Known:
    """What a table with these faults can know."""
    return invariants.Known(not any(word in fault for fault in one.faults for word in LOSING))


def play(one: Pair, rounds: int = 3) -> Met:
    """Rounds with a pair, all invariants held. Raises AssertionError, TimeoutError."""
    with tempfile.TemporaryDirectory() as folder, within(CPU_S):
        return run(_play(Path(folder), one, rounds))


async def _play(folder: Path, one: Pair, rounds: int) -> Met:
    changes = {"dealing": one.dealing} if one.dealing else {}
    world = World(folder, table(one.devices, **changes), one.faults, devices=one.devices, seed=one.number)
    await world.play(rounds)
    stopped = world.stopped
    if stopped is not None and not all((stopped.state, stopped.reason, stopped.do)):
        raise invariants.Wrong(f"it stopped without a word: {stopped}")
    entries = invariants.hold(world.journal, world.truth, known(one), finished=stopped is None)
    troubles = tuple(entry.body["trouble"] for entry in entries if entry.kind == "irregularity")
    return Met(world.fired, stopped, troubles)


def main() -> None:
    """From the command line, with progress."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--devices", default=",".join(PLAIN))
    parser.add_argument("--word", default="", help="only pairs with this word")
    wish = parser.parse_args()
    logging.disable(logging.CRITICAL)
    began, bad, ends = time.monotonic(), 0, Counter[str]()
    for number in range(wish.first, wish.first + wish.pairs):
        one = pair(number, tuple(wish.devices.split(",")))
        if wish.word not in str(one):
            continue
        try:
            met = play(one, wish.rounds)
        except Exception as error:
            bad += 1
            print(f"{one}: {invariants.told(error)[:500]}", flush=True)
            continue
        if met.stopped is not None:
            print(f"  stopped: {one}: {met.stopped.state}: {met.stopped.reason}"[:400], flush=True)
        ends[met.stopped.state if met.stopped else "played to the end"] += 1
        ends[f"  {met.fired} faults struck"] += 1
        if number % 25 == 0:
            print(f"  pair {number}, {bad} wrong, {time.monotonic() - began:.0f} s", flush=True)
    for state, times in sorted(ends.items()):
        print(f"{times:5} {state}")
    print(f"{bad} pairs went wrong, {time.monotonic() - began:.0f} s")
    raise SystemExit(bool(bad))


if __name__ == "__main__":
    main()
