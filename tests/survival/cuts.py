"""A cut before and after every write of a whole round: the journal's, the NVRAM's, any file's of the simulated table.

python -m tests.survival.cuts [--every K] [--what journal] [--seed 3] [--devices cedar] [--dealing manual]

The cut comes in the first round; two are played. Where only the daemon dies the game is the one that it would have
been; where power goes, the open round goes on or is void, and the next one waits for a new proof.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoectl.games.dealing import Dealing
from shoectl.table.state import TableState
from shoectl.table.summary import summary
from tests.endtoend.truth import dealt_by_journal
from tests.session.test_simulated import BOTH, table
from tests.timeloop import run

from . import invariants
from .knives import AFTER, BEFORE, TORN, Knife
from .limits import within
from .world import World

CPU_S = 60.0  # of the processor, that a run may take; a second is usual
ROUNDS = 2  # one with the cut, one after it
KINDS = {
    "journal": Knife("journal"),
    "nvram": Knife("nvram"),
    "table": Knife("table"),
    "both": Knife("table", both=True),
}
WHERE = {"journal": (BEFORE, AFTER), "nvram": (BEFORE, TORN, AFTER), "table": (BEFORE, TORN, AFTER)}


@dataclass(frozen=True)
class Came:
    """What came of a run: which cards went where, what each seat gained, what was done about the trouble."""

    dealt: tuple[Any, ...]
    net: dict[str, int]
    troubles: tuple[str, ...]
    lives: int
    cuts: int
    points: Counter[str]


@dataclass(frozen=True)
class Played:
    """Which table is cut: its devices, how it deals (None: as such devices do), and its cards."""

    devices: tuple[str, ...] = BOTH
    dealing: Dealing | None = None
    seed: int = 3

    @property
    def state(self) -> TableState:
        """Its state before the first round."""
        return table(self.devices, **({} if self.dealing is None else {"dealing": self.dealing}))


def play(knife: Knife, at: Played = Played(), *, rounds: int = ROUNDS) -> Came:
    """Rounds with a knife, all invariants held. Raises AssertionError."""
    with tempfile.TemporaryDirectory() as folder, within(CPU_S):
        return run(_play(Path(folder), replace(knife, points=Counter()), at, rounds))


async def _play(folder: Path, knife: Knife, at: Played, rounds: int) -> Came:
    world = World(folder, at.state, devices=at.devices, seed=at.seed, knife=knife)
    await world.play(rounds)
    if world.stopped is not None:
        raise invariants.Wrong(f"the table stopped: {world.stopped}")
    entries = invariants.hold(world.journal, world.truth)
    dealt = tuple((one.place, one.card) for one in dealt_by_journal(world.journal))
    troubles = tuple(entry.body["trouble"] for entry in entries if entry.kind == "irregularity")
    return Came(dealt, summary(entries)["net"], troubles, world.lives, world.cuts, knife.points)


def knives(what: str, points: int, every: int, first: int = 1) -> Iterator[Knife]:
    """The knives of a kind: every k-th write, and at each one all the ways to fall."""
    kind = KINDS[what]
    for at in range(first, points + 1, every):
        for where in WHERE[kind.what]:
            yield replace(kind, at=at, where=where)


def wrong(knife: Knife, whole: Came, at: Played = Played()) -> str:
    """What a knife broke, "" where nothing."""
    try:
        came = play(knife, at)
    except Exception as error:
        return invariants.told(error)
    if knife.what == "journal" and (came.dealt, came.net) != (whole.dealt, whole.net):
        return f"another game: {came.net} and not {whole.net}, troubles {came.troubles}"
    if came.lives + came.cuts == 1 and knife.what != "nvram":
        return "the knife did not fall"
    return ""


def points_of(at: Played = Played()) -> tuple[Came, Counter[str]]:
    """The uncut game, and how many writes of each kind its first round has."""
    return play(Knife(), at), play(Knife(), at, rounds=1).points


def main() -> None:
    """From the command line, with progress."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--what", choices=[*KINDS, "all"], default="all")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--devices", default="alder,birch")
    parser.add_argument("--dealing", type=Dealing, choices=list(Dealing))
    wish = parser.parse_args()
    logging.disable(logging.CRITICAL)
    at = Played(tuple(wish.devices.split(",")), wish.dealing, wish.seed)
    whole, points = points_of(at)
    bad = 0
    for what in KINDS if wish.what == "all" else [wish.what]:
        began, runs, count = time.monotonic(), 0, points[KINDS[what].what]
        for knife in knives(what, count, wish.every, wish.first):
            runs += 1
            if told := wrong(knife, whole, at):
                bad += 1
                print(f"{what} {knife.where} write {knife.at}: {told}", flush=True)
            if runs % 50 == 0:
                print(f"  {what}: at write {knife.at} of {count}, {bad} wrong", flush=True)
        print(f"{what}: {runs} cuts in {count} writes, {bad} wrong, {time.monotonic() - began:.0f} s", flush=True)
    raise SystemExit(bool(bad))


if __name__ == "__main__":
    main()
