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
    "birch:torn_write@event=12",
    "alder:torn_write@event=5",
    "alder:double_feed",
    "alder:card_damaged",
    "birch:missing",
    "alder:duplicate",
    "birch:duplicate",
    "alder:foreign",
    "birch:foreign",
    "alder:wrong_back",
    "birch:wrong_back",
    "birch:face_up",
    "alder:residual",
    "birch:residual",
    "birch:pushed_back",
    "birch:cut_card",
    "alder:door",
    "alder:door@shut=0",
    "birch:lid",
    "birch:lid@shut=0",
    "alder:service@shut=0",
    "birch:service",
    "birch:service@shut=0",
    "alder:tamper",
    "birch:tamper",
    "birch:flutter",
    "alder:motor_stall@stays=1",
    "birch:motor_stall@stays=1",
    "alder:sensor_blocked@stays=1",
    "birch:sensor_blocked@stays=1",
    "alder:sensor_weak",
    "birch:overtemp",
    "alder:nvram_error",
    "birch:nvram_error@stays=1",
    "birch:clock",
    "alder:rng_health",
    "birch:rng_health",
    "alder:fw_integrity",
    "birch:fw_integrity",
    "alder:watchdog",
    "birch:watchdog",
    "alder:write_cut",
    "birch:write_cut",
    "birch:event_twice@event=12",
    "birch:unknown_event@event=12",
    "birch:unknown_event@event=12,code=9F",
    "alder:ring_full@event=9",
    "birch:ring_full@event=12",
    "birch:ring_small",
    "alder:wiped@event=9",
    "alder:other_unit@event=9",
    "birch:late@frame=40",
    "birch:split@frame=40",
    "birch:merged@frame=40",
    "birch:frame_twice@frame=40",
    "alder:mute@frame=9",
    "birch:mute@frame=40",
    "alder:babble@frame=9",
    "birch:babble@frame=40",
    "alder:command_lost@frame=9",
    "birch:command_corrupt@frame=30",
    "birch:echo@frame=40",
    "alder:stuck_flow@frame=9",
    "alder:renamed@frame=15",
    "birch:renamed@frame=60",
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
