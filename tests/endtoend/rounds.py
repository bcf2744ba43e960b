"""200 rounds over real terminals: the journal equals the truth, and one seed is one game. `make soak` runs it."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from tests.endtoend import truth
from tests.endtoend.runs import shoectl, simulated

WITHIN_S = 300.0  # what 200 rounds may take


def play(folder: Path, rounds: int, seed: int, devices: str = "alder,birch") -> dict[str, Any]:
    """Rounds without a fault: everything that is dealt is as it was, one verdict a deck pass, both proofs hold. Without
    a shoe the dealer deals from his hand and enters at the reveal what lies face up.
    """
    words = ("--rounds", str(rounds), "--seed", str(seed), "--devices", devices)
    ended, journal, true = simulated(folder, *words, timeout=60 + WITHIN_S * rounds / 200)
    assert ended.code == 0, ended.said
    assert (ended.summary["rounds"], ended.summary["shuffles"]) == (rounds, rounds)
    truth.compare(journal, true)
    assert truth.revealed(journal, true) or "birch" in devices
    for command in ("verify", "replay"):
        proven = shoectl(folder, "journal", command, str(journal))
        assert proven.code == 0, proven.said
    dealt = [(one.place, one.card) for one in truth.dealt_by_journal(journal)]
    return {"dealt": dealt, "net": ended.summary["net"], "seconds": ended.seconds}


def main() -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--devices", default="alder,birch")
    wish = parser.parse_args()
    runs = []
    for number in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            runs.append(play(Path(folder), wish.rounds, wish.seed, wish.devices))
        print(f"run {number}: {wish.rounds} rounds in {runs[-1].pop('seconds'):.0f} s, the journal equals the truth")
    assert runs[0] == runs[1], "two runs with one seed differ"
    print("both runs dealt the same cards and paid the same")


if __name__ == "__main__":
    main()
