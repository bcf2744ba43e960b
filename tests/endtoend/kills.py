"""Kill the daemon in the middle of a deal, of a showdown, of anything, while the devices stay up.

python -m tests.endtoend.kills --kills 10 --rounds 12 --seed 7
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sqlite3
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.endtoend import truth
from tests.endtoend.runs import Table, shoectl, table

DEAL, SHOWDOWN, ANYTHING = "deal", "showdown", "anything"


def open_step(journal: Path) -> str:
    """What the newest step of a journal asks for, "" where there is none yet."""
    if not journal.exists():
        return ""
    try:
        base = sqlite3.connect(f"file:{journal}?mode=ro", uri=True, timeout=0.2)
    except sqlite3.Error:
        return ""
    try:
        row = base.execute(
            "SELECT json_extract(body, '$.step.do') FROM entry WHERE kind = 'step' OR kind = CAST('step' AS BLOB)"
            " ORDER BY n DESC LIMIT 1"
        ).fetchone()
    except sqlite3.Error:
        return ""
    finally:
        base.close()
    return str(row[0]) if row else ""


def wait_for(where: str, journal: Path, daemon: subprocess.Popen[str], luck: random.Random) -> str:
    """Return when the table is where it should be killed. Returns the step it was at."""
    until = time.monotonic() + 60
    time.sleep(luck.uniform(0.5, 1.6))  # not always at once after its start
    while time.monotonic() < until and daemon.poll() is None:
        step = open_step(journal)
        if step and (
            where == ANYTHING
            or (where == DEAL and step == "deal")
            or (where == SHOWDOWN and step in ("reveal", "acknowledge"))
        ):
            return step
        time.sleep(0.001)
    return "nothing"


def kill(standing: Table, rounds: int, where: str, luck: random.Random) -> str:
    """One daemon from its start to its violent end. Returns the step it was at."""
    daemon = standing.daemon(rounds)
    step = wait_for(where, standing.journal, daemon, luck)
    if daemon.poll() is None:
        os.kill(daemon.pid, signal.SIGKILL)
        standing.kills += 1
    _, said = daemon.communicate(timeout=30)
    assert "Traceback" not in said, said
    return step


def play(folder: Path, *, kills: int, rounds: int, seed: int, tell: bool = False) -> Counter[str]:
    """A run with so many kills, then to its end; all must be as if nothing had happened. Returns where it was."""
    luck = random.Random(seed)
    at: Counter[str] = Counter()
    with table(folder, seed=seed) as standing:
        for n in range(kills):
            where = (DEAL, SHOWDOWN, ANYTHING)[n % 3]
            at[kill(standing, rounds, where, luck)] += 1
            if tell:
                print(f"\rkilled {standing.kills} of {kills}", end="", flush=True)
        daemon = standing.daemon(rounds)
        out, said = daemon.communicate(timeout=60 + 10 * rounds)
        assert daemon.returncode == 0, (daemon.returncode, out, said)
    truth.compare(standing.journal, standing.truth)
    truth.evidence_is_whole(standing.journal)
    assert truth.rounds(standing.journal) >= rounds
    for command in ("verify", "replay"):
        ended = shoectl(folder, "journal", command, str(standing.journal))
        assert ended.code == 0, ended.said
    return at


def main() -> None:
    """From the command line, with progress."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=7)
    wish = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        at = play(Path(folder), kills=wish.kills, rounds=wish.rounds, seed=wish.seed, tell=True)
    print(f"\rkilled {sum(at.values())} times, at: {dict(at)}; the journal equals the truth")


if __name__ == "__main__":
    main()
