"""`make soak`: the checks that are too long for the suite, in full size, one after the other.

Each is a module that can be run alone, shows its own progress, and of which the suite runs a short form.
`make soak SOAK="kills"` runs those whose name contains the word.
"""

from __future__ import annotations

import subprocess
import sys
import time

CHECKS = (
    ("tests.games.random_rounds", "100,000 random rounds: what players gain the house loses"),
    ("tests.games.cajun_rounds", "100,000 random rounds of Cajun Stud, step by step as a second reading has them"),
    ("tests.games.hi_lo_rounds", "100,000 random rounds of Five Card Hi-Lo, step by step as a second reading has them"),
    ("tests.transports.cycles", "each kind of port opened and closed, and USB plugs pulled, 200 times"),
    ("tests.fieldcases.given_back", "USB devices pulled 500 times where giving them up fails, closed 100 times"),
    ("tests.table.crash", "a crash at every point of a session"),
    ("tests.endtoend.rounds", "200 rounds over real terminals, twice with one seed, against the truth"),
    ("tests.endtoend.faults", "20 rounds with each fault"),
    ("tests.endtoend.usb_bytes", "the plug of each family pulled behind each byte of a frame, seven times"),
    ("tests.endtoend.kills", "the daemon, the power of the table, both: killed 100 times each in one run"),
    ("tests.survival.cuts", "a cut before and after every write of a round: journal, NVRAM, any file"),
    ("tests.survival.pairs", "300 pairs of faults"),
    ("tests.survival.events", "every event at every step"),
    ("tests.survival.plugs", "a plug that goes with each thing that is heard, on each family's line"),
    ("tests.survival.hints", "what a device says by itself of how it stands is lost, or late, at every place"),
    ("tests.survival.walks", "10,000 random sessions, 100 tables at which people do anything"),
    ("tests.exits.rounds", "500 rounds of each game with a listener on every exit, and 52 guesses at each hidden card"),
    ("tests.mqtt.outages", "the broker killed 50 times in 500 rounds: every entry, in order; what it costs"),
    ("tests.mqtt.backlog", "50,000 entries that waited for a broker: what sending them takes of memory"),
    ("tests.mqtt.crowd", "ten browsers, and a bus flooded with what is refused, at a table at full speed"),
    ("tests.survival.clocks", "full speed and real time are one game"),
)


def main(words: list[str]) -> int:
    chosen = [check for check in CHECKS if not words or any(word in check[0] for word in words)]
    failed = []
    for number, (module, what) in enumerate(chosen, 1):
        print(f"== {number} of {len(chosen)}: {what} ({module})", flush=True)
        began = time.monotonic()
        code = subprocess.run([sys.executable, "-u", "-m", module], check=False).returncode
        print(f"== {'good' if code == 0 else f'failed ({code})'} after {time.monotonic() - began:.0f} s", flush=True)
        failed += [module] if code else []
    print(f"{len(chosen) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
