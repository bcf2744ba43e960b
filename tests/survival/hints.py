"""What a device says by itself of how it stands is lost on the way, or late: from every single such report on.

python -m tests.survival.hints [--every K] [--rounds 1] [--seed 3] [--only WORDS]

A Dogwood's STATUS and a Cedar's doorbell are hints (dogwood.md §2, cedar.md §1.2): without some of them, and with old
ones that come when they are not true any more, the table has to go on, with every card once and no alarm.
"""

from __future__ import annotations

import argparse
import logging
import math
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from protocols.piece import Piece, pieces
from shoectl.transports.base import Received
from tests.session.test_simulated import table
from tests.timeloop import run

from . import invariants
from .limits import within
from .world import World

CPU_S = 60.0
ENOUGH = 20  # wrong ones
LINES = {"dogwood": ("alder", "dogwood"), "cedar": ("cedar",)}
STATUS_ID, REPORT_IN, DOORBELL_IN = 1, 0x81, 0x82
ALL = 1 << 30


@dataclass(frozen=True)
class Trouble:
    """`many` hints in a row are lost, or come `late` seconds later than they should, 0 for never."""

    many: int
    late: float = 0.0
    speed: float = math.inf

    def __str__(self) -> str:
        many = "all" if self.many == ALL else str(self.many)
        pace = "at full speed" if self.speed == math.inf else f"at speed {self.speed:g}"
        return f"{many} late by {self.late:g} s {pace}" if self.late else f"{many} lost {pace}"


TROUBLES = (
    *(Trouble(many, speed=speed) for many in (1, 2, 3, 4, 12) for speed in (math.inf, 1.0)),
    *(Trouble(1, late, speed) for late in (0.003, 0.1, 1.2) for speed in (math.inf, 1.0)),
    *(Trouble(ALL, late, speed) for late in (0.003, 0.02, 0.1, 0.5, 1.2, 3.1) for speed in (math.inf, 1.0)),
)


@dataclass
class Unheard(World):
    """From hint number `at` on the line has this trouble."""

    line: str = ""
    trouble: Trouble = field(default_factory=lambda: Trouble(0))
    at: int = 1
    hints: int = field(default=0, init=False)

    def _arrive(self, line: str, received: Received, data: bytes) -> None:
        if line != self.line:
            super()._arrive(line, received, data)
            return
        kept = b""
        for piece in pieces(data):
            if not _is_hint(line, piece) or self._passes():
                kept += piece.encode()
            elif self.trouble.late:
                self.loop.call_later(self.trouble.late, super()._arrive, line, received, piece.encode())
        if kept:
            super()._arrive(line, received, kept)

    def _passes(self) -> bool:
        self.hints += 1
        return not self.at <= self.hints < self.at + self.trouble.many


def _is_hint(line: str, piece: Piece) -> bool:
    if line == "cedar":
        return piece.ep == DOORBELL_IN
    return piece.ep == REPORT_IN and piece.data[:1] == bytes([STATUS_ID])


def play(line: str, trouble: Trouble, at: int = 1, *, rounds: int = 1, seed: int = 3) -> bool:
    """Rounds with that trouble; whether there were so many hints at all. Raises what went wrong."""

    async def played() -> bool:
        with tempfile.TemporaryDirectory() as folder:
            state, devices, speed = table(LINES[line]), LINES[line], trouble.speed
            world = Unheard(
                Path(folder), state, devices=devices, seed=seed, speed=speed, line=line, trouble=trouble, at=at
            )
            return await _play(world, rounds)

    with within(CPU_S):
        return run(played())


async def _play(world: Unheard, rounds: int) -> bool:
    await world.play(rounds)
    if world.stopped is not None:
        raise invariants.Wrong(f"it stopped: {world.stopped}")
    invariants.hold(world.journal, world.truth)
    for entry in world.entries:
        if entry.kind == "alarm":
            raise invariants.Wrong(f"an alarm: {entry.body['text']}")
    return world.hints >= world.at


def unheard(*, every: int = 1, rounds: int = 1, seed: int = 3, only: str = "") -> Iterator[tuple[str, str]]:
    """Play each trouble at each place, of those whose name has the words. Which, and what was wrong."""
    for line in LINES:
        for trouble in TROUBLES:
            for at in count(1, every):
                which, wrong = f"{line}, {trouble}, from {at} on", ""
                if only not in which:
                    break
                try:
                    if not play(line, trouble, at, rounds=rounds, seed=seed):
                        break
                except Exception as error:
                    wrong = invariants.told(error)[:500]
                yield which, wrong
                if trouble.many == ALL:
                    break


def main() -> None:
    """From the command line, with progress."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("every", 1), ("rounds", 1), ("seed", 3)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--only", default="")
    wish = parser.parse_args()
    logging.disable(logging.CRITICAL)
    began, bad, total = time.monotonic(), 0, 0
    for total, (which, wrong) in enumerate(unheard(**vars(wish)), 1):
        if wrong:
            bad += 1
            print(f"{which}: {wrong}", flush=True)
            if bad == ENOUGH:
                break
        if total % 100 == 0:
            print(f"  {total}, {which}, {bad} wrong, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{total} played, {bad} wrong, {time.monotonic() - began:.0f} s")
    raise SystemExit(bool(bad))


if __name__ == "__main__":
    main()
