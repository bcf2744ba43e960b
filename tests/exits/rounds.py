"""Rounds of each game in memory with a listener on every exit.

    python -m tests.exits.rounds --rounds 500 [--game lunar-poker] [--every 8] [--asks 4]

First every irregularity that the game knows, then tables of every kind with faults and a daemon that is killed, until
the rounds are played. Prints for each game how much was heard, what was heard before its time, and how many guesses at
the published hashes were right; a total at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path

from shoectl.games import registry
from shoectl.journal import Entry
from tests.session.test_simulated import table
from tests.survival.irregular import CASES, Case, at_step, until
from tests.survival.world import KEY, World
from tests.timeloop import run

from .guesses import guessed
from .listener import Listener, listened

GAMES = registry.game_names()
MOST = 20  # rounds of one table
PAUSE_S = 0.3  # virtual, that people take over an answer: time to ask questions in
TOLD_MOST = 10  # leaks that are printed of a game
ALWAYS = ("event stream", "topic round", "lines", "view, dealer", "page dealer, floor", "page pit, observer")
WHOLE = ("alder", "birch")


@dataclass(frozen=True)
class Block:
    """Rounds of one table, from its first deck on. `kill`: after so many changes a daemon dies, and another comes."""

    name: str
    rounds: int = MOST
    devices: tuple[str, ...] = WHOLE
    faults: tuple[str, ...] = ()
    case: Case | None = None
    dealing: str = ""
    seed: int = 3
    kill: int = 0


TABLES = (
    Block("a whole table"),
    Block("an unreadable card, one drawn early", faults=("birch:unreadable@draw=7", "birch:early_draw@load=2")),
    Block("dealt from the hand, faces entered as they are turned up", devices=("alder",)),
    Block("the daemon is killed", kill=70),
    Block("a shoe that mixes", devices=("cedar",)),
    Block("cards that came face up", faults=("birch:face_up@draw=3", "birch:face_up@draw=9,load=2")),
    Block("a light shoe", devices=("alder", "dogwood")),
    Block("a shoe that mixes, dealt by hand", devices=("cedar",), dealing="manual"),
    Block("a shoe alone", devices=("birch",)),
    Block("a jam, a power cut", faults=("alder:jam@card=31", "birch:power_cut@card=12")),
)


def blocks(game: str, rounds: int) -> Iterator[Block]:
    """What is played of a game: so many rounds in all."""
    for case in CASES:
        if game in case.games and rounds >= case.rounds:
            rounds -= case.rounds
            yield Block(case.name, case.rounds, faults=case.faults, case=case, seed=case.seed)
    for seed, block in enumerate(cycle(TABLES), 11):
        if rounds <= 0:
            return
        yield replace(block, rounds=min(rounds, block.rounds), seed=seed)
        rounds -= block.rounds


@dataclass
class Heard:
    """What came of rounds, and of the guesses at their hashes."""

    rounds: int = 0
    entries: int = 0
    texts: int = 0
    compared: int = 0
    messages: int = 0
    hidden: int = 0
    undealt: int = 0
    cards: int = 0
    guesses: int = 0
    right: int = 0
    leaks: list[str] = field(default_factory=list)
    exits: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)

    def add(self, other: Heard) -> None:
        """All of it together."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def __str__(self) -> str:
        return (
            f"{self.rounds} rounds, {self.entries} entries: {self.texts} texts at {len(self.exits)} exits, "
            f"{self.compared} of them made again with other cards ({self.hidden} face down), "
            f"{self.undealt} cards still in the shoe at those moments; "
            f"{self.messages} messages on the bus; {len(self.leaks)} leaks; "
            f"{self.guesses} guesses at {self.cards} hidden cards, {self.right} right"
        )


def played(game: str, block: Block, folder: Path, listener: Listener) -> list[Entry]:
    """Play a block with a listener. Returns the journal. Raises AssertionError where the table stops."""

    async def play() -> list[Entry]:
        case = block.case
        changes = {"game": game, "limits": dict.fromkeys(registry.game(game).families, (10, 100))}
        changes |= {"house": dict(case.house)} if case else {}
        changes |= {"dealing": block.dealing} if block.dealing else {}
        state = table(block.devices, **changes)
        pause = 1.0 if case and case.act else PAUSE_S
        world = World(folder, state, block.faults, devices=block.devices, seed=block.seed, pause=pause)

        async def beside(world: World) -> None:
            if block.kill:
                for _ in range(block.kill):
                    await world.runner.next_change()
                world.kill_daemon()
            elif case is not None and case.act is not None and world.lives == 1:
                await until(world, lambda: at_step(world, case))
                assert world.runner.open is not None
                await case.act(world, world.runner.open)
            await asyncio.Event().wait()

        world.disturb = beside
        await listened(world, block.rounds, listener)
        assert world.stopped is None, f"{game}, {block.name}: {world.stopped}"
        return world.entries

    return run(play())


def heard(game: str, block: Block, *, every: int = 1, asks: int = 10) -> Heard:
    """Play a block, and what a listener made of it."""
    listener = Listener(every, asks, misread=any("duplicate" in fault for fault in block.faults))
    with tempfile.TemporaryDirectory() as folder:
        entries = played(game, block, Path(folder), listener)
    tried = guessed(list(listener.messages.values()), entries, KEY)
    assert tried.sound == tried.cards, "whoever knows the salt finds each card"
    assert len(listener.messages) == len(entries), "every entry becomes a message"
    for exit in ALWAYS:
        assert listener.rounds[exit] >= set(range(1, block.rounds + 1)), f"{exit} was heard in each round"
    return Heard(
        rounds=block.rounds,
        entries=len(entries),
        texts=listener.count.total(),
        compared=listener.compared,
        messages=sum(n for where, n in listener.count.items() if where.startswith("topic ")),
        hidden=listener.hidden,
        undealt=listener.undealt,
        cards=tried.cards,
        guesses=tried.made,
        right=tried.right,
        leaks=[f"{game}, {block.name}: {leak}" for leak in listener.leaks(entries)],
        exits=listener.count,
        statuses=listener.statuses,
    )


def main(words: list[str]) -> int:
    """From the command line. Returns 1 where something was heard."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=500, help="of each game")
    parser.add_argument("--game", choices=GAMES, action="append")
    parser.add_argument("--every", type=int, default=8, help="look at each so-many-th change of the table")
    parser.add_argument("--asks", type=int, default=4, help="and ask at each so-many-th look")
    wish = parser.parse_args(words)
    began, total = time.monotonic(), Heard()
    for game in wish.game or GAMES:
        so_far = Heard()
        for block in blocks(game, wish.rounds):
            so_far.add(heard(game, block, every=wish.every, asks=wish.asks))
            told = f"{game}: {so_far.rounds} of {wish.rounds} rounds, {len(so_far.leaks)} leaks, {so_far.right} right"
            print(f"{told}, {time.monotonic() - began:.0f} s; {block.name}", flush=True)
        print(f"== {game}: {so_far}", flush=True)
        for leak in so_far.leaks[:TOLD_MOST]:
            print(f"   {leak}", flush=True)
        total.add(so_far)
    print(f"== in all: {total}; {time.monotonic() - began:.0f} s", flush=True)
    print(f"   exits: {', '.join(f'{where} {n}' for where, n in sorted(total.exits.items()))}", flush=True)
    print(f"   answers by status: {', '.join(f'{code} {n}' for code, n in sorted(total.statuses.items()))}", flush=True)
    return 1 if total.leaks or total.right else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
