"""Kill the daemon, the simulated table (a power cut of all of it), or both, in the middle of anything.

python -m tests.endtoend.kills --who daemon|table|both --kills 100 [--seed 7] [--devices cedar]

One long run over real terminals, or over USB/IP where a device has no serial line: `shoesim --state` and `run --config`
side by side. After the last kill two more rounds are played; then the journal must equal the truth, verify and replay.
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
from collections.abc import Sequence
from pathlib import Path

from tests.endtoend import truth
from tests.endtoend.runs import Table, shoectl, table
from tests.survival import invariants

DEAL, SHOWDOWN, ANYTHING = "deal", "showdown", "anything"
DAEMON, POWER, BOTH = "daemon", "table", "both"
USUAL = ("alder", "birch")
ENDLESS = 100_000  # rounds
TOGETHER_S = 0.05  # within which both die
MOVES_ON = 20  # entries between two power cuts: what it stands at must not always be the same recovery


def newest(journal: Path) -> tuple[int, str]:
    """The last entry's number, and what the newest step of a journal asks for; (0, "") where there is nothing yet."""
    if not journal.exists():
        return 0, ""
    try:
        base = sqlite3.connect(f"file:{journal}?mode=ro", uri=True, timeout=0.2)
    except sqlite3.Error:
        return 0, ""
    try:
        row = base.execute(
            "SELECT (SELECT max(n) FROM entry), json_extract(body, '$.step.do') FROM entry"
            " WHERE kind = 'step' OR kind = CAST('step' AS BLOB) ORDER BY n DESC LIMIT 1"
        ).fetchone()
    except sqlite3.Error:
        return 0, ""
    finally:
        base.close()
    return (int(row[0]), str(row[1])) if row else (0, "")


def wait_for(where: str, after: int, standing: Table, daemon: subprocess.Popen[str], luck: random.Random) -> str:
    """Return when the table is where it should be killed. Returns the step it was at."""
    until = time.monotonic() + 60
    time.sleep(luck.uniform(0.3, 1.4))  # not always at once after its start
    while time.monotonic() < until and daemon.poll() is None:
        n, step = newest(standing.journal)
        at_deal, at_showdown = step == "deal", step in ("reveal", "acknowledge")
        if n >= after and (where == ANYTHING or (where == DEAL and at_deal) or (where == SHOWDOWN and at_showdown)):
            return step
        time.sleep(0.001)
    return "nothing"


def end(daemon: subprocess.Popen[str]) -> None:
    """SIGKILL. Raises AssertionError where it had ended by itself."""
    alive = daemon.poll() is None
    if alive:
        os.kill(daemon.pid, signal.SIGKILL)
    out, said = daemon.communicate(timeout=30)
    assert "Traceback" not in said, said
    assert alive, (daemon.returncode, out, said)


def kill(standing: Table, daemon: subprocess.Popen[str], who: str, luck: random.Random) -> subprocess.Popen[str]:
    """Kill whom it should be, and start what was killed. Returns the daemon that is up then."""
    standing.kills += 1
    if who == POWER:
        standing.cut_power(luck.choice((0.0, 0.3, 1.5)))
        return daemon
    if who == DAEMON:
        end(daemon)
        return standing.daemon(ENDLESS)
    daemon_first = luck.random() < 0.5
    if not daemon_first:
        standing.stop(signal.SIGKILL)
        time.sleep(luck.uniform(0, TOGETHER_S))
    end(daemon)
    if daemon_first:
        time.sleep(luck.uniform(0, TOGETHER_S))
        standing.stop(signal.SIGKILL)
    if luck.random() < 0.5:
        standing.start_again()
        return standing.daemon(ENDLESS)
    daemon = standing.daemon(ENDLESS)
    time.sleep(luck.uniform(0, 0.5))
    standing.start_again()
    return daemon


def play(
    folder: Path, *, kills: int, seed: int, who: str = DAEMON, devices: Sequence[str] = USUAL, tell: bool = False
) -> Counter[str]:
    """A run with so many kills, then two rounds more; all must be as if nothing had happened. Returns where it was."""
    luck = random.Random(f"{seed} {who}")
    at: Counter[str] = Counter()
    with table(folder, seed=seed, families=devices, state=True) as standing:
        daemon = standing.daemon(ENDLESS)
        for n in range(kills):
            last = newest(standing.journal)[0]
            step = wait_for((DEAL, SHOWDOWN, ANYTHING)[n % 3], last + MOVES_ON, standing, daemon, luck)
            at[step] += 1
            daemon = kill(standing, daemon, who, luck)
            if tell:
                print(f"\rkilled {standing.kills} of {kills}", end="", flush=True)
        wait_for(ANYTHING, newest(standing.journal)[0] + MOVES_ON, standing, daemon, luck)
        end(daemon)
        rounds = truth.rounds(standing.journal) + 2
        daemon = standing.daemon(rounds)
        out, said = daemon.communicate(timeout=120)
        assert daemon.returncode == 0, (daemon.returncode, out, said)
    judge(folder, standing, rounds)
    return at


def judge(folder: Path, standing: Table, rounds: int) -> None:
    """All invariants, by our own reading and by the commands that a user has."""
    invariants.hold(standing.journal, standing.truth)
    assert truth.rounds(standing.journal) == rounds
    for command in ("verify", "replay"):
        ended = shoectl(folder, "journal", command, str(standing.journal))
        assert ended.code == 0, ended.said


def voided(journal: Path) -> Counter[str]:
    """What was thrown into the rounds of a journal."""
    return Counter(body["trouble"] for _, kind, body in truth.entries(journal) if kind == "irregularity")


def main() -> None:
    """From the command line, with progress."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--who", choices=(DAEMON, POWER, BOTH, "each"), default="each")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--devices", default=",".join(USUAL))
    parser.add_argument("--keep", type=Path, help="a directory for journal and truth")
    wish = parser.parse_args()
    for who in (DAEMON, POWER, BOTH) if wish.who == "each" else (wish.who,):
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as temporary:
            folder = wish.keep / who if wish.keep else Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            at = play(folder, kills=wish.kills, seed=wish.seed, who=who, devices=wish.devices.split(","), tell=True)
            rounds, troubles = truth.rounds(folder / "table.journal"), dict(voided(folder / "table.journal"))
        print(
            f"\r{who}: killed {sum(at.values())} times in {rounds} rounds, {time.monotonic() - began:.0f} s, at "
            f"{dict(at)}; trouble: {troubles or 'none'}; the journal equals the truth",
            flush=True,
        )


if __name__ == "__main__":
    main()
