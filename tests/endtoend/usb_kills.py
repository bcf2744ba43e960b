"""A daemon killed while events of a USB device are not acknowledged: the next one finds each of them, once.

python -m tests.endtoend.usb_kills [--devices cedar] [--kills 20]

The daemon is stopped again and again for a moment until cards have left the shoe of which its journal has no event, and
then it is killed. So each kill is one with events that nobody but the device has.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.endtoend import truth
from tests.endtoend.kills import ENDLESS, judge
from tests.endtoend.runs import Table, table

HELD_S = 0.03  # while it stands still: what the device was told to do comes to its end
WITHIN_S = 90.0  # for one kill; a hundredth of it is usual


def untold(standing: Table) -> int | None:
    """So many cards left the shoe, and the journal has no event of them. None where nobody can say at this moment."""
    try:
        bodies = [body for _, kind, body in truth.entries(standing.journal) if kind == "event"]
        left = len(truth.dealt_by_truth(standing.truth))
    except (OSError, sqlite3.Error, json.JSONDecodeError):
        return None
    told = [body["body"]["n"] if body["name"] == "PACKET_TAKEN" else body["name"] == "CARD_DRAWN" for body in bodies]
    return left - int(sum(told))


def kill(standing: Table, daemon: subprocess.Popen[str], luck: random.Random) -> int:
    """Kill it where it has events to come, after it had all there were before. How many cards they are.

    Raises AssertionError where there never were any.
    """
    until, had_all = time.monotonic() + WITHIN_S, False
    while time.monotonic() < until:
        time.sleep(luck.uniform(0.002, 0.02))
        daemon.send_signal(signal.SIGSTOP)
        time.sleep(HELD_S)
        cards = untold(standing)
        had_all = had_all or cards == 0
        if had_all and cards:
            os.kill(daemon.pid, signal.SIGKILL)
            daemon.communicate(timeout=30)
            return cards
        daemon.send_signal(signal.SIGCONT)
        assert daemon.poll() is None, daemon.communicate()
    raise AssertionError("no event was ever on its way")


def play(folder: Path, devices: Sequence[str], *, kills: int, seed: int = 7) -> list[int]:
    """A run with so many kills, then two rounds more; all must be as if nothing had happened. Returns how many cards
    the journal had no event of at each.
    """
    luck = random.Random(seed)
    with table(folder, seed=seed, families=devices, state=True) as standing:
        found = []
        for _ in range(kills):
            daemon = standing.daemon(ENDLESS)
            found.append(kill(standing, daemon, luck))
        rounds = truth.rounds(standing.journal) + 2
        daemon = standing.daemon(rounds)
        out, said = daemon.communicate(timeout=120)
        assert daemon.returncode == 0, (daemon.returncode, out, said)
    judge(folder, standing, rounds)
    return found


def main() -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--devices", default="cedar")
    parser.add_argument("--kills", type=int, default=20)
    wish = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        found = play(Path(folder), wish.devices.split(","), kills=wish.kills)
    print(f"killed {len(found)} times with {found} cards untold, {time.monotonic() - began:.0f} s; journal = truth")


if __name__ == "__main__":
    main()
