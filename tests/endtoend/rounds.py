"""Rounds over real terminals: the journal equals the truth, and one seed is one game. `make soak` runs 200 of them.

Devices without a serial line (`--devices cedar`) are reached over USB/IP. `--every-game` plays each game in each way of
dealing.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from tests.endtoend import truth
from tests.endtoend.runs import shoectl, simulated

WITHIN_S = 600.0  # what 200 rounds may take, on a machine that has other things to do
GAMES = ("lunar-poker", "four-card-poker", "five-card-hi-lo", "cajun-stud")
WAYS = {"shoe": "alder,birch", "manual": "alder,birch", "hand": "alder"}  # of dealing, and the devices for it


def play(
    folder: Path, rounds: int, seed: int, devices: str = "alder,birch", game: str = GAMES[0], dealing: str = ""
) -> dict[str, Any]:
    """Rounds without a fault: everything that is dealt is as it was, one verdict a deck pass, both proofs hold. Without
    a shoe the dealer deals from his hand and enters at the reveal what lies face up.
    """
    words: tuple[str, ...] = ("--rounds", str(rounds), "--seed", str(seed), "--devices", devices, "--game", game)
    words += ("--dealing", dealing) if dealing else ()
    ended, journal, true = simulated(folder, *words, timeout=60 + WITHIN_S * rounds / 200)
    assert ended.code == 0, ended.said
    assert (ended.summary["rounds"], ended.summary["shuffles"]) == (rounds, rounds)
    truth.compare(journal, true)
    assert truth.revealed(journal, true) or {"birch", "dogwood"} & set(devices.split(",")) or dealing == "manual"
    for command in ("verify", "replay"):
        proven = shoectl(folder, "journal", command, str(journal))
        assert proven.code == 0, proven.said
    dealt = [(one.place, one.card) for one in truth.dealt_by_journal(journal)]
    return {"dealt": dealt, "net": ended.summary["net"], "seconds": ended.seconds}


def every_game(rounds: int, seed: int) -> None:
    """Each game in each way of dealing."""
    for game in GAMES:
        for dealing, devices in WAYS.items():
            with tempfile.TemporaryDirectory() as folder:
                played = play(Path(folder), rounds, seed, devices, game, dealing)
            print(f"{game}, {dealing}: {rounds} rounds in {played['seconds']:.0f} s, the journal equals the truth")


def main() -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--devices", default="alder,birch")
    parser.add_argument("--every-game", action="store_true")
    wish = parser.parse_args()
    if wish.every_game:
        every_game(wish.rounds, wish.seed)
        return
    runs = []
    for number in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            runs.append(play(Path(folder), wish.rounds, wish.seed, wish.devices))
        print(f"run {number}: {wish.rounds} rounds in {runs[-1].pop('seconds'):.0f} s, the journal equals the truth")
    assert runs[0] == runs[1], "two runs with one seed differ"
    print("both runs dealt the same cards and paid the same")


if __name__ == "__main__":
    main()
