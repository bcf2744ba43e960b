"""Rounds with each fault of the simulator: the run recovers, or stops in a named state that says what to do.

python -m tests.endtoend.faults --rounds 20 [--only jam] [--jobs 2] [--bus | --usb] [--record [--missing]]

`--record` keeps what was seen in `seen.json`, which docs/faults.md is held against, script by script; `--missing` goes
on where that was broken off.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.endtoend import seen
from tests.endtoend.bus_scripts import ON_A_BUS
from tests.endtoend.runs import Ended, simulated
from tests.endtoend.scripts import FIRST, VARIANTS, Script
from tests.endtoend.usb_scripts import USB
from tests.survival import invariants
from tests.survival.pairs import LOSING

LASTING = ("no_count", "ring_small")  # how a device is made; such a fault does not strike at a moment


@dataclass(frozen=True)
class Came:
    """What came of a script: what was seen, the state in which it stopped, if it did, seconds, and what was wrong."""

    script: Script
    words: tuple[str, ...] = ()
    stopped: str | None = None
    seconds: float = 0.0
    wrong: str = ""

    def __str__(self) -> str:
        if self.wrong:
            return f"WRONG {self.script}: {self.wrong}"
        said = f"stopped ({self.stopped})" if self.stopped else "went on"
        return f"{self.seconds:6.1f} s  {said:10}  {self.script}: {', '.join(self.words)}"


def play(folder: Path, script: Script, rounds: int, seed: int = 7) -> Came:
    """So many rounds with a fault. Raises AssertionError where a card is lost, invented or counted twice, or anything
    else that has to be true of journal and truth is not.
    """
    words = ["--rounds", str(rounds), "--seed", str(seed), "--devices", script.devices]
    words += ["--dealing", script.dealing] if script.dealing else []
    words += [word for fault in script.faults for word in ("--fault", fault)]
    ended, journal, true = simulated(folder, *words, timeout=120 + 10 * rounds)
    stopped = _stopped(ended, rounds)
    never = {fault for fault in script.faults if not any(one in fault for one in LASTING)} - struck(folder)
    assert not never, f"never struck: {never}"
    whole = not any(word in fault for fault in script.faults for word in LOSING)
    invariants.hold(journal, true, invariants.Known(whole), finished=stopped is None)
    return Came(script, tuple(seen.seen(journal, stopped is not None)), stopped, ended.seconds)


def _stopped(ended: Ended, rounds: int) -> str | None:
    """The state in which it stopped, if it did. Raises AssertionError where it ended otherwise."""
    if ended.code != 3:
        assert ended.code == 0, (ended.code, ended.said)
        assert ended.summary["rounds"] == rounds
        return None
    stopped = ended.summary.get("stopped", {})
    assert stopped, ended.said
    assert all(stopped[key] for key in ("state", "reason", "do")), stopped
    return str(stopped["state"])


def struck(folder: Path) -> set[str]:
    """The faults that struck: the simulator keeps them with the whereabouts of its cards."""
    facts: dict[str, Any] = {}
    for line in (folder / "table.journal-table" / "cards.jsonl").read_text().splitlines():
        facts |= json.loads(line).get("facts", {})
    return {name.removeprefix("fault.").rpartition("#")[0] for name in facts if name.startswith("fault.")}


def tried(scripts: Iterable[Script], rounds: int, seed: int, jobs: int) -> Iterator[Came]:
    """Play them, some at a time; each as it ends, in their order."""

    def one(script: Script) -> Came:
        with tempfile.TemporaryDirectory() as folder:
            try:
                return play(Path(folder), script, rounds, seed)
            except Exception as error:
                return Came(script, wrong=f"{type(error).__name__}: {str(error)[:600]}")

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(one, scripts)


def _otherwise(came: Came, before: Mapping[str, Any]) -> str:
    words = before.get(str(came.script), {"seen": [*came.words]})["seen"]
    return "" if came.wrong or words == [*came.words] else f" (recorded was: {', '.join(words)})"


def main() -> None:
    """From the command line, with progress."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", default="", help="scripts with this word")
    parser.add_argument("--jobs", type=int, default=2, help="so many tables at a time")
    parser.add_argument("--bus", action="store_true", help="devices that are nothing but USB devices, over USB/IP")
    parser.add_argument("--usb", action="store_true", help="the faults of a USB plug, over USB/IP")
    parser.add_argument("--record", action="store_true", help="keep what was seen")
    parser.add_argument("--missing", action="store_true", help="only what is not recorded with so many rounds")
    wish = parser.parse_args()
    began = time.monotonic()
    before = seen.recorded()
    known = {name for name, came in before.items() if wish.missing and came["rounds"] >= wish.rounds}
    chosen = ON_A_BUS if wish.bus else USB if wish.usb else (*FIRST, *VARIANTS)
    scripts = [script for script in chosen if wish.only in str(script) and str(script) not in known]
    ends, bad = Counter[str](), 0
    for n, came in enumerate(tried(scripts, wish.rounds, wish.seed, wish.jobs), start=1):
        print(f"{n:3}/{len(scripts)} {came}{_otherwise(came, before)}", flush=True)
        bad += bool(came.wrong)
        ends[came.stopped or "went on"] += not came.wrong
        if wish.record and not came.wrong:
            seen.record(came.script, came.words, came.stopped, wish.rounds)
    print(f"{len(scripts)} scripts of {wish.rounds} rounds, {time.monotonic() - began:.0f} s, {bad} wrong")
    for state, times in ends.most_common():
        print(f"{times:5} {state}")
    raise SystemExit(bool(bad))


if __name__ == "__main__":
    main()
