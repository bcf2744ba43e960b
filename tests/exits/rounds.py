"""Rounds of each game in memory with a listener on every exit.

    python -m tests.exits.rounds --rounds 500 [--game lunar-poker] [--every 5]

Prints for each game how often it looked where, which faces were heard before their time, and how many guesses at the
published hashes were right.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shoectl.cards import STANDARD
from shoectl.games import registry
from shoectl.journal import Entry
from shoectl.journal.chain import inner_digest, salt_of
from tests.endtoend.test_secrets import FACE
from tests.exits.listener import Listener, listened
from tests.session.test_simulated import table
from tests.survival.world import KEY, World
from tests.timeloop import run

GAMES = registry.game_names()


def heard(game: str, folder: Path, rounds: int, every: int, seed: int = 3) -> tuple[Listener, World]:
    """So many rounds of a game, with what was heard. Raises AssertionError."""

    async def play() -> tuple[Listener, World]:
        limits = dict.fromkeys(registry.game(game).families, (10, 100))
        world = World(folder, table(("alder", "birch"), game=game, limits=limits), (), seed=seed)
        listener = await listened(folder, world, rounds, every)
        assert world.stopped is None, world.stopped
        return listener, world

    return run(play())


def guessed(messages: Iterable[dict[str, Any]], entries: list[Entry]) -> tuple[int, int, int]:
    """Every hidden entry tried with all 52 cards by somebody who knows all of it but the card and its salt.

    He tries no salt, and every salt that was published. Returns the guesses made, those that were right, and how many
    entries are found by one who does know the salt: a check that the guesses are made as the digests are.
    """
    told = list(messages)
    salts = [b"", *(bytes.fromhex(one["salt"]) for one in told if "salt" in one)][:400]
    tried = found = sound = 0
    for one in told:
        entry = entries[one["seq"] - 1]
        raw = entry.raw.decode()
        if one["kind"] != "hidden" or len(faces := FACE.findall(raw)) != 1:
            continue
        digest = bytes.fromhex(one["inner"])
        for card in STANDARD:
            body = raw.replace(f'"{faces[0]}"', f'"{card}"').encode()
            known = (entry.kind, entry.wall, entry.mono, entry.boot, body)
            tried += 1
            found += any(inner_digest(salt, *known) == digest for salt in salts)
            sound += inner_digest(salt_of(KEY, entry.n), *known) == digest
    return tried, found, sound


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--game", choices=GAMES, action="append")
    parser.add_argument("--every", type=int, default=5, help="look at each so-many-th change")
    wish = parser.parse_args(words)
    wrong = 0
    for game in wish.game or GAMES:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            listener, world = heard(game, Path(folder), wish.rounds, wish.every)
        leaks = listener.leaks(world.entries)
        tried, found, _ = guessed(listener.messages[:20_000], world.entries)
        wrong += len(leaks) + found
        looks, exits = sum(listener.count.values()), len(listener.count)
        print(f"{game}: {wish.rounds} rounds, {len(world.entries)} entries, {looks} texts at {exits} exits", flush=True)
        print(f"  {listener.count['compared']} times with other hidden cards; {len(leaks)} leaks", flush=True)
        print(f"  {found} of {tried} guesses right; {time.monotonic() - began:.0f} s", flush=True)
        for leak in leaks[:10]:
            print(f"  {leak}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
