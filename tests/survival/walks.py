"""Random walks: sessions that meet random trouble and random answers, and whole tables at which people do anything.

python -m tests.survival.walks [--sessions 10000] [--tables 100] [--first 1] [--devices cedar [--dealing manual]]

A walk of a session is driven without devices, three cycles one after the other. A walk of a table has simulated
devices, and somebody who opens doors and lids, pulls plugs, draws cards, presses keys, arms faults, kills the daemon
and cuts the power, each at a random moment. No exception, no dead end: it plays on, or stops and says why.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import random
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoectl.cards import STANDARD
from shoectl.games.answers import FloorWord, ShoeClosed, Shuffled
from shoectl.games.dealing import Dealing
from shoectl.games.layout import Layout, Refused
from shoectl.games.procedure import Answer, Irregularity, Role, Round, Step, Trouble
from shoectl.games.steps import RACK, AwaitShuffle, CallFloor, CloseShoe
from shoectl.games.table_options import TABLE_OPTIONS
from shoectl.table.openstep import Stop
from shoectl.table.session import cycle
from shoectl.table.state import Equipment, ShoeKind, ShufflerKind, TableState
from tests.session.scenes import Hands, nothing_is_left
from tests.session.scenes import table as of_scenes
from tests.session.test_simulated import table
from tests.timeloop import run

from . import invariants
from .answers import SAMPLES
from .limits import within
from .pairs import PLAIN, Words, pair
from .world import World

CYCLES = 3
WITH_DOORS = ("alder", "cedar")
STEPS_MOST = 3000  # of one cycle
TROUBLE, TROUBLES_MOST = 0.04, 25
FREE = ("card_drawn_in_error", "one_exposed_card", "more_exposed_cards", "jam_in_round", "restart_in_round")
CHOSEN = (*FREE, "void_until", "count_policy", "acknowledge")
OF_A_CARD = (Trouble.EARLY_DRAW, Trouble.EXTRA_CARD, Trouble.EXPOSED_CARD, Trouble.DUPLICATE_CARD, Trouble.FOREIGN_CARD)


class DeadEnd(AssertionError):
    """A walk that does not come to an end."""


class Anybody(Hands):
    """Hands that say what devices and people say on bad days."""

    def answer(self, step: Step[Any], play: Round[Any]) -> Answer:
        luck = random.Random(f"anybody {self.seed} {play.number} {play.part}")
        if luck.random() < 0.1:
            match step:
                case AwaitShuffle(cards=cards):
                    counted = luck.choice((cards - 1, cards, cards + 1, 0))
                    return Shuffled(False, counted not in (0, cards), luck.randint(0, 6), counted, 17, "a bad day")
                case CloseShoe():
                    return ShoeClosed(51, 52, False, "a bad day", wrong=luck.random() < 0.5)
        if isinstance(step, CallFloor):
            return FloorWord(luck.choice(step.choices))
        return super().answer(step, play)


def state_of(luck: random.Random) -> TableState:
    """Any table there may be."""
    shuffler, shoe = luck.random() < 0.7, luck.random() < 0.7
    equipment = Equipment(ShufflerKind(counts=luck.random() < 0.7) if shuffler else None, ShoeKind() if shoe else None)
    options = {option.name: option for option in TABLE_OPTIONS}
    house = {name: luck.choice(options[name].alternatives) for name in CHOSEN if luck.random() < 0.5}
    dealing = luck.choice((Dealing.AUTOMATED, Dealing.MANUAL)) if shoe else Dealing.HAND
    seats = tuple(sorted(luck.sample(range(1, 7), luck.randint(1, 6))))
    return of_scenes(equipment, seats=seats, house=house, dealing=dealing)


def session(number: int) -> int:
    """One walk of a session; how many steps it had. Raises DeadEnd, AssertionError."""
    luck = random.Random(f"session {number}")
    state, hands, steps = state_of(luck), Anybody(seed=number), 0
    left = [TROUBLES_MOST]
    for _ in range(CYCLES):
        began = state
        game = Round(lambda layout, began=began: cycle(layout, began), Layout())  # type: ignore[misc]
        count = 0
        while (step := game.step) is not None:
            count += 1
            if count > STEPS_MOST:
                raise DeadEnd(f"session {number}: {count} steps, it asks {step.do}")
            _move(game, step, hands, luck, left)
        nothing_is_left(game)
        assert game.result is not None
        state, steps = TableState.from_json(game.result.to_json()), steps + count
    return steps


def _move(game: Round[Any], step: Step[Any], hands: Hands, luck: random.Random, left: list[int]) -> None:
    if left[0] and luck.random() < TROUBLE:
        left[0] -= 1
        game.throw(_trouble(game, luck))
        return
    if luck.random() < 0.05:
        _foolish(game, step, luck)
    if step.by is Role.NOBODY:
        game.give()
        return
    answer = hands(game)
    game.layout.check(step, game.part, answer)
    game.give(answer)


def _trouble(game: Round[Any], luck: random.Random) -> Irregularity:
    kind = luck.choice(list(Trouble))
    card = luck.choice([card for card in STANDARD if not game.layout.seen(card)] or [None])
    place = RACK if kind in OF_A_CARD else None
    return Irregularity(kind, part=game.part, text="a walk", place=place, card=str(card) if place and card else None)


def _foolish(game: Round[Any], step: Step[Any], luck: random.Random) -> None:
    """An answer that fits no step of this kind is refused, with the reason."""
    answer = luck.choice(SAMPLES)
    if isinstance(answer, step.takes):
        return
    with contextlib.suppress(Refused):
        game.layout.check(step, game.part, answer)
        raise AssertionError(f"{step.do} takes {answer}")


@dataclass(frozen=True)
class Walked:
    """What came of a walk of a table."""

    did: Counter[str]
    stopped: Stop | None


class Somebody:
    """Does anything at a table, each at a random moment, for a while."""

    def __init__(self, number: int) -> None:
        self.luck, self.number = random.Random(f"table {number}"), number
        self.left, self.did = self.luck.randint(3, 12), Counter[str]()

    async def beside(self, world: World) -> None:
        """Beside a daemon."""
        await asyncio.sleep(0)
        while self.left > 0:
            for _ in range(self.luck.randint(1, 60)):
                await world.runner.next_change()
            self.left -= 1
            await self._act(world)

    async def _act(self, world: World) -> None:
        luck = self.luck
        match what := luck.choice(("flap", "flap", "plug", "press", "pull", "fault", "device", "power", "daemon")):
            case "power":
                world.power_cut(luck.choice((0.1, 1.0, 20.0)))
            case "daemon":
                self.did[what] += 1
                world.kill_daemon()
                await asyncio.sleep(1)
            case "device":
                name = luck.choice(world.devices)
                await world.ask({"do": "power_cut", "device": name, "cause": luck.randint(0, 2)})
            case "press":
                await world.ask({"do": "press", "device": world.devices[0]})
            case "fault":
                await world.ask({"fault": pair(luck.randint(1, 2000), world.devices).faults[0]})
            case "pull":
                await self._movement(world, {"do": "draw", "device": world.devices[-1], "to": ["table"]})
            case _:
                await self._flap(world, what)
        self.did[what] += 1

    async def _flap(self, world: World, what: str) -> None:
        device = self.luck.choice(world.devices)
        flap = "service" if what == "plug" else "door" if device in WITH_DOORS else "lid"
        verbs = ("plug_", "unplug_") if what == "plug" else ("open_", "close_")
        await self._movement(world, {"do": verbs[0] + flap, "device": device})
        await asyncio.sleep(self.luck.choice((0.0, 0.1, 3.0, 30.0)))
        await self._movement(world, {"do": verbs[1] + flap, "device": device})

    async def _movement(self, world: World, order: dict[str, Any]) -> None:
        """Not for ever: a hand that waits at a shut gate is called away by the next movement."""
        id = f"walk {self.number} {self.left} {order['do']}"
        try:
            async with asyncio.timeout(60):
                await world.ask({**order, "id": id})
        except TimeoutError:
            return


def at_table(number: int, devices: Words = PLAIN, dealing: str = "") -> Walked:
    """One walk of a table, all invariants held. Raises AssertionError, TimeoutError."""
    with tempfile.TemporaryDirectory() as folder, within(90):
        return run(_at_table(Path(folder), number, devices, dealing))


async def _at_table(folder: Path, number: int, devices: Words, dealing: str) -> Walked:
    somebody = Somebody(number)
    state = table(devices, **({"dealing": dealing} if dealing else {}))
    world = World(folder, state, devices=devices, seed=number, disturb=somebody.beside)
    await world.play(4)
    stopped = world.stopped
    if stopped is not None and not all((stopped.state, stopped.reason, stopped.do)):
        raise invariants.Wrong(f"it stopped without a word: {stopped}")
    known = invariants.Known(whole=not somebody.did["fault"])  # of which some lose events
    invariants.hold(world.journal, world.truth, known, finished=stopped is None)
    return Walked(somebody.did, stopped)


def main() -> None:
    """From the command line, with progress."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--devices", default=",".join(PLAIN), help="of the tables")
    parser.add_argument("--dealing", default="", help="of the tables, where they could deal in two ways")
    wish = parser.parse_args()
    logging.disable(logging.CRITICAL)
    bad, ends, did = 0, Counter[str](), Counter[str]()
    for what, walks in (("session", wish.sessions), ("table", wish.tables)):
        began = time.monotonic()
        for number in range(wish.first, wish.first + walks):
            try:
                if what == "session":
                    did["steps of sessions"] += session(number)
                else:
                    walked = at_table(number, tuple(wish.devices.split(",")), wish.dealing)
                    did += walked.did
                    if walked.stopped is not None:
                        print(f"  stopped: table {number}: {walked.stopped.state}: {walked.stopped.reason}"[:300])
                    ends[walked.stopped.state if walked.stopped else "played to the end"] += 1
            except Exception as error:
                bad += 1
                print(f"{what} {number}: {invariants.told(error)[:500]}", flush=True)
            if number % (1000 if what == "session" else 20) == 0:
                print(f"  {what} {number}, {bad} wrong, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{dict(did)}\n{dict(ends)}\n{bad} walks went wrong")
    raise SystemExit(bool(bad))


if __name__ == "__main__":
    main()
