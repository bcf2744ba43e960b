"""Every event in every state of the table: each code told by each device while each kind of step is open.

python -m tests.survival.events [--every K] [--first 1] [--seed 3]

The simulated device records the event as if its sensors had said so; nothing else about it changes. Whatever the table
makes of it, it goes on, or stops and says why; never an exception, never money or evidence used twice.
"""

from __future__ import annotations

import argparse
import logging
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protocols.family import families
from protocols.vocabulary import FIRST_FAULT, EventCode, card_byte
from shoectl.table.openstep import Stop
from tests.session.test_simulated import table
from tests.timeloop import run

from . import invariants
from .limits import within
from .world import World

CPU_S = 60.0  # of the processor, that a run may take; a second is usual
ROUNDS = 2
STEPS = (  # of a round as it is, and of one whose deck leaves the table
    *("feed_shuffler", "start_shuffle", "await_shuffle", "present_deck", "take_deck", "open_shoe", "fill_shoe"),
    *("wagers", "deal", "ask", "reveal", "acknowledge", "close_shoe", "empty_shoe"),
    *("retire_deck", "take_out", "remove_deck", "bring_deck", "confirm_deck"),
)
LEAVES = frozenset(("retire_deck", "take_out", "remove_deck", "bring_deck", "confirm_deck"))
A_DECK_LEAVES = "alder:missing@card=20,cycle=1"
OF_CARDS = (  # a device that tells of cards which there are not, or were other: what is true cannot be known
    EventCode.CARD_DRAWN,
    EventCode.CARD_RETURNED,
    EventCode.CARD_RESOLVED,
    EventCode.UNREADABLE,
    EventCode.FACE_UP,
    EventCode.FOREIGN,
    EventCode.WRONG_BACK,
    EventCode.DUPLICATE,
    EventCode.SHOE_EMPTY,
    EventCode.SHOE_COUNT,
    EventCode.POWER_UP,
)


@dataclass(frozen=True)
class Case:
    """An event of a device, told when a step of that kind is open for the first time."""

    device: str
    step: str
    code: int

    def __str__(self) -> str:
        return f"{self.device} {EventCode(self.code).name} at {self.step}"


def cases() -> list[Case]:
    """All of them, in an order that is the same everywhere."""
    return [Case(device, step, code) for step in STEPS for device in ("alder", "birch") for code in EventCode]


def body_of(case: Case, luck: random.Random) -> dict[str, Any]:
    """A body for an event: what could be, drawn by a seed."""
    zones = [{"count": luck.randint(0, 52), "err": 0} for _ in families()[case.device].zones]
    values = {
        "zones": zones,
        "idx": luck.randint(1, 30),
        "card": card_byte(luck.choice(("As", "7d", "Kh"))),
        "entries": [{"card": card_byte("As"), "delta": -1}],
        "verdict": luck.randint(0, 6),
        "flags": luck.choice((0, 1, 2)),
        "result": luck.randint(0, 13),
        "cmd_id": luck.randint(1, 60_000),
        "old": luck.randint(0, 9),
        "new": luck.randint(0, 9),
        "prev_state": luck.randint(0, 9),
        "mode": luck.randint(1, 3),
        "open": luck.randint(0, 1),
    }
    return {name: values.get(name, luck.randint(0, 52)) for name in FIELDS[EventCode(case.code).name]}


FIELDS: dict[str, tuple[str, ...]] = {}


def _fields() -> Iterator[tuple[str, tuple[str, ...]]]:
    from protocols.events import BODIES

    for code, layout in BODIES.items():
        yield EventCode(code).name, tuple(part.name for part in layout.subcons)


FIELDS.update(_fields())


class Teller:
    """Waits for the step, then has the device tell the event, once."""

    def __init__(self, case: Case, seed: int) -> None:
        self.case, self.told = case, False
        self.body = body_of(case, random.Random(f"{seed} {case}"))

    async def beside(self, world: World) -> None:
        """Beside a daemon."""
        while not self.told:
            step = world.runner.open
            if step is not None and step.step.do == self.case.step:
                world.soon(lambda: self._tell(world))
            await world.runner.next_change()

    def _tell(self, world: World) -> None:
        device = world.table.machines[self.case.device].device if world.table else None
        if device is None or self.told:
            return
        self.told = True
        with device.step():
            if self.case.code >= FIRST_FAULT:
                device.fault(self.case.code, **self.body)
            else:
                device.record(self.case.code, **self.body)
        world.pump.turn()


def play(case: Case, seed: int) -> tuple[bool, Stop | None]:
    """Rounds with an event that tells of nothing: whether it was told, and how the table ended."""
    with tempfile.TemporaryDirectory() as folder, within(CPU_S):
        return run(_play(Path(folder), case, seed))


async def _play(folder: Path, case: Case, seed: int) -> tuple[bool, Stop | None]:
    teller = Teller(case, seed)
    faults = (A_DECK_LEAVES,) if case.step in LEAVES else ()
    world = World(folder, table(), faults, seed=seed, disturb=teller.beside)
    await world.play(ROUNDS)
    stopped = world.stopped
    if stopped is not None and not all((stopped.state, stopped.reason, stopped.do)):
        raise invariants.Wrong(f"it stopped without a word: {stopped}")
    truth = world.truth if case.code not in OF_CARDS else Path("nowhere")
    invariants.hold(world.journal, truth, finished=stopped is None)
    return teller.told, stopped


def main() -> None:
    """From the command line, with progress."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--word", default="", help="only cases with this word")
    parser.add_argument("--seed", type=int, default=3)
    wish = parser.parse_args()
    logging.disable(logging.CRITICAL)
    began, bad, ends = time.monotonic(), 0, Counter[str]()
    every = cases()
    for number in range(wish.first, len(every) + 1, wish.every):
        case = every[number - 1]
        if wish.word not in str(case):
            continue
        try:
            told, stopped = play(case, wish.seed)
        except Exception as error:
            bad += 1
            print(f"{number} {case}: {invariants.told(error)[:500]}", flush=True)
            continue
        ends[("" if told else "not told: ") + (stopped.state if stopped else "went on")] += 1
        if number % 100 < wish.every:
            print(f"  {number} of {len(every)}, {bad} wrong, {time.monotonic() - began:.0f} s", flush=True)
    for state, times in sorted(ends.items()):
        print(f"{times:5} {state}")
    print(f"{bad} cases went wrong, {time.monotonic() - began:.0f} s")
    raise SystemExit(bool(bad))


if __name__ == "__main__":
    main()
