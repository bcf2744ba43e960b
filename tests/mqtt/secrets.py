"""Rounds of every game, and everything that the bus would say of them: no face before everybody has seen it.

`python -m tests.mqtt.secrets --rounds 500` plays 500 of each game; the suite plays a few.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoectl.cards import STANDARD
from shoectl.games import registry
from shoectl.journal import Entry
from shoectl.mqtt import contents
from shoectl.mqtt.outbox import Outbox, name_of
from shoectl.mqtt.topics import Topics
from shoectl.table.visibility import may_leave
from tests.endtoend.test_secrets import FACE, Oracle
from tests.survival.world import KEY, World
from tests.timeloop import run

FAULTS = ("birch:unreadable@draw=7", "birch:early_draw@load=2")
TOPICS = Topics("main", "table")
ANY_FACE = re.compile("|".join(map(str, STANDARD)))


@dataclass
class Played:
    """A journal, the events that were made of it, and what the retained topics said at each change of the table."""

    entries: list[Entry] = field(default_factory=list)
    events: list[bytes] = field(default_factory=list)
    retained: set[str] = field(default_factory=set)


def played(folder: Path, game: str, rounds: int, seed: int = 21) -> Played:
    """Rounds over simulated devices, in virtual time."""
    from tests.session.test_simulated import table

    async def play() -> Played:
        world = World(
            folder,
            table(("alder", "birch"), game=game, limits=dict.fromkeys(registry.game(game).families, (10, 100))),
            FAULTS,
            seed=seed,
        )
        found = Played()

        async def look(world: World) -> None:
            runner, name = world.runner, name_of(KEY)

            def now() -> None:
                said = contents.retained(TOPICS, runner, world.stations, name)
                found.retained.update(json.dumps(content) for content in said.values())

            runner.listen(now)

        world.disturb = look
        await world.play(rounds, within_s=600.0 * rounds)
        found.entries = world.entries
        outbox = Outbox(world.journal)
        at = 0
        while batch := outbox.after(at):
            found.events += [one.payload for one in batch]
            at = batch[-1].cursor.n
        outbox.close()
        return found

    return run(play())


def check_messages(found: Played) -> None:
    """Assert that nothing of it gives a face away."""
    oracle = Oracle(found.entries)
    hidden = 0
    for entry, payload in zip(found.entries, found.events, strict=True):
        said = json.loads(payload)
        number = oracle.round_at(entry.n)
        before = {face for one in range(1, number) for _, face in oracle.up.get(one, [])}
        faces = set(FACE.findall(payload.decode()))
        assert faces <= oracle.public(number, entry.n) | (before if entry.kind == "round" else set()), payload
        if said["kind"] == "hidden":
            hidden += 1
            assert not may_leave(entry.kind, entry.body)
            assert said["inner"] not in set(guesses(entry, found.entries)), "a guess opens it"
    assert hidden
    views = 0
    for text in found.retained:
        said = json.loads(text)
        view = said.get("view")
        faces = set(FACE.findall(text))
        assert faces <= (oracle.public(view["round"], view["entry"]) if view else set()), text
        views += view is not None and bool(faces)
    assert views, "a view with a card that lies face up was heard"


def guesses(entry: Entry, entries: list[Entry]) -> Iterator[str]:
    """What somebody would try who has everything that was published: each face in the place of the one that is there,
    without a salt, and with whatever else is known.
    """
    text = entry.raw.decode()
    previous = entries[entry.n - 2].link if entry.n > 1 else b""
    head = f"{entry.kind} {entry.wall} {entry.mono} {entry.boot}\n"
    for card in STANDARD:
        body = ANY_FACE.sub(str(card), text)
        for salt in (b"", previous, entry.n.to_bytes(8, "big"), name_of(KEY).encode()):
            for opening in ("", head):
                yield hashlib.sha256(salt + (opening + body).encode()).hexdigest()


def main() -> None:
    """From the command line."""
    from tests.survival.irregular import GAMES

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=500)
    wish = parser.parse_args()
    for game in GAMES:
        with tempfile.TemporaryDirectory() as folder:
            found: Any = played(Path(folder), game, wish.rounds)
        check_messages(found)
        counted = f"{len(found.events)} events, {len(found.retained)} retained messages"
        print(f"{game}: {wish.rounds} rounds, {counted}: no face before its time", flush=True)


if __name__ == "__main__":
    main()
