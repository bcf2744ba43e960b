"""The plug of a device is pulled behind each byte of a frame to the host: the rounds go on all the same.

python -m tests.endtoend.usb_bytes [--family cedar] [--offsets 7]

In memory and in virtual time. A frame is what the line has: bytes of a serial line behind a plug, or a piece
(protocols/piece.py), as a record of events or a report. In one run the plug is pulled once behind each number of bytes,
each time in another frame that is longer than that; the next run begins a frame later.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from tests.session.test_simulated import table
from tests.survival import invariants
from tests.survival.limits import within
from tests.survival.world import World
from tests.timeloop import run

LONGEST = {"alder": 50, "birch": 63, "cedar": 113, "dogwood": 64}  # bytes of the longest frame that every round has
BOTH = ("alder", "birch")
DEVICES = {"alder": BOTH, "birch": BOTH, "cedar": ("cedar",), "dogwood": ("alder", "dogwood")}
FIRST = 12  # frame
APART = 20  # frames: a session has to stand before the plug is pulled again
ROUNDS = {"alder": 40, "birch": 40, "cedar": 50, "dogwood": 30}  # in which so many frames pass


def pulled(family: str, offset: int, every: int) -> tuple[str, ...]:
    """The faults of a run, behind every n-th byte. Long frames are rare, so what needs one waits first."""
    sizes = range(1 + offset % every, LONGEST[family], every)[::-1]
    return tuple(f"{family}:unplug@frame={FIRST + offset + APART * n},bytes={size}" for n, size in enumerate(sizes))


def play(family: str, offset: int = 0, every: int = 1, seed: int = 3) -> int:
    """A run; how often the plug was pulled. Raises AssertionError where a card is lost, invented or counted twice, or
    the plug was not pulled behind each byte.
    """
    devices, faults = DEVICES[family], pulled(family, offset, every)

    async def played(folder: Path) -> int:
        world = World(folder, table(devices), faults, devices=devices, seed=seed)
        await world.play(-(-ROUNDS[family] // every))
        invariants.hold(world.journal, world.truth, finished=world.stopped is None)
        assert world.stopped is None, world.stopped
        assert world.fired == len(faults), (world.fired, len(faults))
        return world.fired

    with tempfile.TemporaryDirectory() as folder, within(120):
        return run(played(Path(folder)))


def main() -> None:
    """From the command line, with progress."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--family", choices=[*DEVICES, "each"], default="each")
    parser.add_argument("--offsets", type=int, default=7, help="so many runs of each family")
    wish = parser.parse_args()
    for family in DEVICES if wish.family == "each" else (wish.family,):
        for offset in range(wish.offsets):
            began = time.monotonic()
            times = play(family, offset)
            took = time.monotonic() - began
            print(
                f"{family}, offset {offset}: the plug was pulled {times} times, {took:.0f} s; journal = truth",
                flush=True,
            )


if __name__ == "__main__":
    main()
