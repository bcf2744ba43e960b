"""Rounds with each fault of the simulator: the run recovers, or stops in a named state that says what to do.

python -m tests.endtoend.faults --rounds 20 [--only jam]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from tests.endtoend import truth
from tests.endtoend.runs import Ended, shoectl, simulated

# each with what it makes of the table: the faults named in the catalogue, on each device that can have them
FAULTS = (
    "alder:jam@card=31,tries=2",
    "alder:jam@card=31",
    "alder:missing@card=20",
    "alder:extra@card=5",
    "alder:sort",
    "alder:lying_count@out=-1",
    "alder:lying_count@out=1",
    "alder:gap@event=3",
    "alder:panel",
    "alder:no_count@times=0",
    "alder:reply_lost@frame=9",
    "alder:corrupt@frame=12",
    "alder:noise@frame=7",
    "alder:hang_up@frame=15",
    "alder:power_cut@card=31",
    "birch:unreadable@draw=4",
    "birch:early_draw",
    "birch:overdraw",
    "birch:gap@event=9",
    "birch:lying_count@rest=-1",
    "birch:reply_lost@frame=40",
    "birch:corrupt@frame=41",
    "birch:noise@frame=42",
    "birch:hang_up@frame=60",
    "birch:power_cut@card=7",
)


def play(folder: Path, fault: str, rounds: int, seed: int = 7) -> Ended:
    """So many rounds with a fault. Raises AssertionError where a card is lost, invented or counted twice."""
    ended, journal, true = simulated(
        folder, "--rounds", str(rounds), "--seed", str(seed), "--fault", fault, timeout=90 + 8 * rounds
    )
    if ended.code == 3:
        stopped = ended.summary.get("stopped", {})
        assert stopped, ended.said
        assert all(stopped[key] for key in ("state", "reason", "do")), stopped
    else:
        assert ended.code == 0, (ended.code, ended.said)
        assert ended.summary["rounds"] == rounds
    truth.compare(journal, true)
    ended_verify = shoectl(folder, "journal", "verify", str(journal))
    assert ended_verify.code == 0, ended_verify.said
    ended_replay = shoectl(folder, "journal", "replay", str(journal))
    assert ended_replay.code == 0, ended_replay.said
    return ended


def main() -> None:
    """From the command line, with progress."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", default="")
    wish = parser.parse_args()
    bad = 0
    for fault in FAULTS:
        if wish.only not in fault:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                ended = play(Path(folder), fault, wish.rounds, wish.seed)
                print(
                    f"{fault:32} {ended.seconds:6.1f} s  {json.dumps(ended.summary.get('stopped', 'went on'))}",
                    flush=True,
                )
            except Exception as error:
                bad += 1
                print(f"{fault:32} FAILED {type(error).__name__}: {str(error)[:600]}", flush=True)
    raise SystemExit(bool(bad))


if __name__ == "__main__":
    main()
