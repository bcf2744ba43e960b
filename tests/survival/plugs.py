"""A plug that goes in the very moment something is heard, and comes again: after every single thing that is heard.

python -m tests.survival.plugs [--every K] [--first 1] [--again 0] [--rounds 1] [--seed 3]

`--again N`: the plug goes once more, after N things that were heard since it was in again.

Whoever waits for the answer gets it and the loss at once. Cables that really are pulled seldom do that; it is where a
loss is missed, and then nobody wakes the table any more. It has to go on, with every card once.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from protocols.piece import pieces
from shoectl.transports.base import Received, TransportError
from tests.session.test_simulated import table
from tests.timeloop import run

from . import invariants
from .limits import within
from .world import World

CPU_S = 60.0
BACK_AFTER_S = 0.5
ENOUGH = 20  # wrong ones
LINES = (  # every family, beside each it sits with
    (("alder", "birch"), "alder"),
    (("alder", "birch"), "birch"),
    (("alder", "dogwood"), "dogwood"),
    (("cedar",), "cedar"),
)
IN_PIECES = ("cedar", "dogwood")


@dataclass
class Plugged(World):
    """The plug of `line` goes right after the thing number `at` was heard on it, and `again` so many later, 0 never."""

    line: str = ""
    at: int = 0
    again: int = 0
    heard: int = field(default=0, init=False)

    def _arrive(self, line: str, received: Received, data: bytes) -> None:
        for part in _parts(line, data):  # what was heard at once may come apart another time
            super()._arrive(line, received, part)
            if line == self.line:
                self.heard += 1
                if self.heard == self.at or (self.again and self.heard == self.at + self.again):
                    self._pull()

    def _pull(self) -> None:
        self.unplugged.add(self.line)
        self.loop.call_later(BACK_AFTER_S, self.unplugged.discard, self.line)
        self.soon(lambda: self.pump.unplugged(self.line))
        if self.line in self.wires:
            self.wires.pop(self.line)[1](TransportError("the port was lost", "check the plug"))


def _parts(line: str, data: bytes) -> list[bytes]:
    return [piece.encode() for piece in pieces(data)] if line in IN_PIECES else [data]


def play(devices: tuple[str, ...], line: str, at: int, *, again: int = 0, rounds: int = 1, seed: int = 3) -> bool:
    """Rounds with a plug that goes then; whether so much was heard at all. Raises what went wrong."""

    async def played() -> bool:
        with tempfile.TemporaryDirectory() as folder:
            world = Plugged(Path(folder), table(devices), devices=devices, seed=seed, line=line, at=at, again=again)
            return await _play(world, rounds)

    with within(CPU_S):
        return run(played())


async def _play(world: Plugged, rounds: int) -> bool:
    await world.play(rounds)
    if world.stopped is not None:
        raise invariants.Wrong(f"it stopped: {world.stopped}")
    invariants.hold(world.journal, world.truth)
    return world.heard >= world.at


def pulls(
    *, first: int = 1, every: int = 1, again: int = 0, rounds: int = 1, seed: int = 3
) -> Iterator[tuple[str, str]]:
    """Play with the plug of each line going ever later, until it would go after the end. Which, and what was wrong."""
    for devices, line in LINES:
        for at in count(first, every):
            wrong = ""
            try:
                if not play(devices, line, at, again=again, rounds=rounds, seed=seed):
                    break
            except Exception as error:
                wrong = invariants.told(error)[:500]
            yield f"{line} of {','.join(devices)} after {at}", wrong


def main() -> None:
    """From the command line, with progress."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("every", 1), ("first", 1), ("again", 0), ("rounds", 1), ("seed", 3)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    wish = parser.parse_args()
    logging.disable(logging.CRITICAL)
    began, bad, total = time.monotonic(), 0, 0
    for total, (which, wrong) in enumerate(pulls(**vars(wish)), 1):
        if wrong:
            bad += 1
            print(f"{which}: {wrong}", flush=True)
            if bad == ENOUGH:
                break
        if total % 50 == 0:
            print(f"  {total}, {which}, {bad} wrong, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{total} plugs pulled, {bad} wrong, {time.monotonic() - began:.0f} s")
    raise SystemExit(bool(bad))


if __name__ == "__main__":
    main()
