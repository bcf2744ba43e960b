"""Whole rounds in memory with a listener on every exit of the console: `python -m tests.console.exits [ROUNDS]`.

At each change of the table every page, every part, every JSON answer, the stream's event, metrics and health are made
twice: as it is, and with every face that nobody may see exchanged for another one. The two have to be the same, byte
for byte, so nothing that leaves depends on a hidden face: no text, no label, no order, no length. What is refused is
heard as well; its text may name nothing but what was sent or lies face up. Logs are read at debug level.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

from shoectl.cards import STANDARD, Card
from shoectl.console.app import create
from shoectl.console.face import Caller, Face
from shoectl.console.health import health
from shoectl.console.settings import Settings
from shoectl.games.layout import Layout
from shoectl.games.registry import game
from shoectl.people.register import Register
from shoectl.people.roles import Person
from shoectl.people.signin import SignIn
from shoectl.table.desk import Desk
from tests.session.test_simulated import table
from tests.survival.world import World
from tests.timeloop import run

from .sitting import OWN, QUICK, ROLES, TOKENS, people

GAMES = ("lunar-poker", "four-card-poker", "five-card-hi-lo", "cajun-stud")
FACE = re.compile(r"(?<![\w-])(?:[2-9TJQKA]|10)[shdc](?![\w-])")
EXAMPLE = re.compile(r"""as (?:in )?\\?["']As(?: Kd)?\\?["']""")
CALLERS = tuple(Caller(Person(number, "x", role), token="t", id="i") for number, role in ROLES.items() if number < 4712)
BAD: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("answer", {"with": {"cards": "2s"}}),
    ("answer", {"with": {"card": "2s"}}),
    ("answer", {"with": {"choice": "win"}}),
    ("held", {"how": "card", "card": "2s"}),
    ("held", {"how": "peek"}),
    ("report", {"what": "exposed", "at": "seat 99", "card": "2s"}),
    ("report", {"what": "misread", "at": "rack"}),
)


@dataclass
class Heard:
    """How many moments were looked at, in how many of them faces were hidden, and how many refusals were read."""

    moments: int = 0
    hidden: int = 0
    refusals: int = 0


class Listener:
    """Looks at one table. `every`: at each so-manieth change."""

    def __init__(self, world: World, every: int) -> None:
        self.world, self.every = world, every
        self.heard = Heard()
        self._seen = 0
        self.app: FastAPI

    async def disturb(self, world: World) -> None:
        """Sit down at a daemon that has just begun, and ask for what is not to be had."""
        register = Register(people=[people(number) for number in ROLES])
        self.app = create(Desk(world.runner), world.stations, SignIn(register, hasher=QUICK), Settings(), title="Table")
        world.runner.listen(self._changed)
        transport = httpx.ASGITransport(self.app)
        headers = {"Authorization": f"Bearer {TOKENS[4711]}"}
        async with (
            asyncio.TaskGroup() as group,
            httpx.AsyncClient(transport=transport, base_url=OWN, headers=headers) as client,
        ):
            group.create_task(self.face.history.follow())
            while True:
                await world.runner.next_change()
                if self._seen % self.every == 0:
                    await self._refused(client)

    async def _refused(self, client: httpx.AsyncClient) -> None:
        layout = self.world.runner.course.layout
        ref = next((step["ref"] for step in self.face.desk.steps()), "1.1.0")
        for what, body in (*BAD, ("nothing", {})):
            answer = await client.post(f"/api/v1/{what}", json={"ref": ref, **body})
            if answer.status_code >= 400:
                self.heard.refusals += 1
                assert faces(answer.text) <= shown(layout) | {"2s"}, answer.text
            if answer.status_code >= 500:
                raise AssertionError(answer.text)

    @property
    def face(self) -> Face:
        face: Face = self.app.state.face
        return face

    def _changed(self) -> None:
        self._seen += 1
        if self._seen % self.every == 0:
            self.look()

    def look(self) -> None:
        """Compare what leaves with what would leave if the hidden faces were others. Raises AssertionError."""
        layout = self.world.runner.course.layout
        told = self._everything()
        for name, text in told.items():
            if "page" not in name:  # a page may offer all faces, to choose one
                assert faces(text) <= shown(layout), f"{name} shows {faces(text) - shown(layout)}"
        with exchanged(layout) as hidden:
            other = self._everything()
        for name, text in told.items():
            assert text == other[name], f"{name} depends on a hidden face"
        self.heard.moments += 1
        self.heard.hidden += hidden > 0

    def _everything(self) -> dict[str, str]:
        face = self.face
        told = {
            "steps": json.dumps(face.desk.steps()),
            "stream": face.stream.event(),
            "metrics": self.app.state.metrics.text().decode(),
            "health": json.dumps(health(face)),
            "standing": repr(face.standing()),
        }
        for caller in CALLERS:
            role = caller.person.role
            told[f"view for {role}"] = json.dumps(face.view(caller.person))
            for name in ("dealer", "pit"):
                told[f"page {name} for {role}"] = face.templates.page(name, face.values(name, caller))
        return told


def faces(text: str) -> set[str]:
    """Every face that a text names, but for those that say how a card is written."""
    return set(FACE.findall(EXAMPLE.sub("", text)))


def shown(layout: Layout) -> set[str]:
    """Every face that lies up, or lay up until it was racked."""
    up = {slot.face for slots in layout.places.values() for slot in slots if slot.up}
    racked = {card for pile in layout.rack for card, was in zip(pile.cards, pile.up, strict=False) if was}
    return {str(face) for face in up | racked if face is not None}


@contextmanager
def exchanged(layout: Layout) -> Iterator[int]:
    """Every face that is hidden is another one, for the time of the block. Yields how many there are."""
    places, rack, unseen = {k: list(v) for k, v in layout.places.items()}, list(layout.rack), dict(layout.unseen)
    seen = shown(layout)
    free = [card for card in STANDARD if str(card) not in seen]
    to = dict(zip(free, [*free[1:], free[0]], strict=True))
    hidden = 0

    def other(face: Card | None, up: bool) -> Card | None:
        nonlocal hidden
        if face is None or up:
            return face
        hidden += 1
        return to.get(face, face)

    try:
        for place, slots in places.items():
            layout.places[place] = [replace(slot, face=other(slot.face, slot.up)) for slot in slots]
        for at, pile in enumerate(rack):
            ups = pile.up or (False,) * len(pile.cards)
            cards = tuple(other(card, up) for card, up in zip(pile.cards, ups, strict=True))
            layout.rack[at] = replace(pile, cards=cards, among=tuple(other(card, False) for card in pile.among))
        for place, pool in unseen.items():
            layout.unseen[place] = tuple(other(face, False) for face in pool)
        yield hidden
    finally:
        layout.places.clear()
        layout.places.update(places)
        layout.rack[:] = rack
        layout.unseen.clear()
        layout.unseen.update(unseen)


async def listen(name: str, rounds: int, folder: Path, *, every: int = 1, seed: int = 5, **changes: Any) -> Heard:
    """Play rounds of a game and listen. Raises AssertionError."""
    state = table(("alder", "birch"), game=name, limits=dict.fromkeys(game(name).families, (10, 100)), **changes)
    world = World(folder, state, (), seed=seed)
    listener = Listener(world, every)
    world.disturb = listener.disturb
    await world.play(rounds)
    assert world.stopped is None, world.stopped
    return listener.heard


class _Log(logging.Handler):
    """All lines of the log, at every level."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def main() -> None:
    """All games, with progress."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("rounds", nargs="?", type=int, default=500)
    words.add_argument("--every", type=int, default=1, help="look at each so-manieth change")
    given = words.parse_args()
    log = _Log()
    logging.getLogger("shoectl").addHandler(log)
    logging.getLogger("shoectl").setLevel(logging.DEBUG)
    for name in GAMES:
        total, done, seed = Heard(), 0, 0
        while done < given.rounds:
            part, seed = min(25, given.rounds - done), seed + 1
            with tempfile.TemporaryDirectory() as folder:
                heard = run(listen(name, part, Path(folder), every=given.every, seed=seed))
            done += part
            total.moments, total.hidden = total.moments + heard.moments, total.hidden + heard.hidden
            total.refusals += heard.refusals
            print(f"\r{name}: {done} of {given.rounds} rounds, {total}", end="", flush=True)
        named = [line for line in log.lines if faces(line)]
        print(f"; {len(log.lines)} lines of log, {len(named)} with a face", flush=True)
        assert not named, named[:3]


if __name__ == "__main__":
    main()
