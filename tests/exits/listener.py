"""A listener on every exit of a table: pages, JSON, metrics, error pages, the bus, the log at its most talkative.

Each face is heard with the number of the journal's last entry. What had been seen of the round by then is read from the
journal afterwards (`tests.endtoend.test_secrets.Oracle`), so nothing here trusts what keeps the secrets. Beside that,
whatever can be rendered is rendered twice, the second time with the hidden cards changed for others: not a byte of it
may differ.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from shoectl.cards import STANDARD
from shoectl.console.app import create
from shoectl.console.face import Caller
from shoectl.console.settings import Settings
from shoectl.journal import Entry
from shoectl.mqtt.contents import retained
from shoectl.mqtt.outbox import Outbox
from shoectl.mqtt.topics import Topics
from shoectl.people.register import Register
from shoectl.people.signin import SignIn
from shoectl.table.desk import KINDS, Desk
from tests.console.exits import exchanged
from tests.console.sitting import OWN, QUICK, TOKENS, people
from tests.endtoend.test_secrets import Oracle
from tests.survival.world import World

NAMES = ["ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king"]
RANKS = dict(zip("A23456789TJQK", NAMES, strict=True))
SUITS = {"s": ("spades", "♠"), "h": ("hearts", "♥"), "d": ("diamonds", "♦"), "c": ("clubs", "♣")}
FACE = re.compile(r"\b(10|[2-9TJQKA])([shdc♠♥♦♣])(?![\w])")
SAID = re.compile(rf"\b({'|'.join(NAMES)}) of (spades|hearts|diamonds|clubs)\b", re.IGNORECASE)
BACK = {word: rank for rank, word in RANKS.items()}
SUIT = {sign: suit for suit, signs in SUITS.items() for sign in (*signs, suit)}
EXAMPLES = (*KINDS.values(), "as As or 10h", "as As Kd 10h")
ROLES = (1, 4711, 815)  # observer, dealer, floor
LOOKS = ("/api/v1/view", "/api/v1/steps", "/api/v1/devices", "/metrics", "/healthz", "/", "/pit", "/parts/dealer")


def faces_in(text: str) -> frozenset[str]:
    """Every face that a text names, in any of the ways in which cards are written here."""
    short = {("T" if rank == "10" else rank) + SUIT[suit] for rank, suit in FACE.findall(text)}
    return frozenset(short | {BACK[rank.lower()] + SUIT[suit.lower()] for rank, suit in SAID.findall(text)})


class Listener:
    """Beside a table in memory (`World.disturb`). `every`: look at each so-many-th change."""

    def __init__(self, every: int = 1) -> None:
        self.every = every
        self.heard: list[tuple[str, int, frozenset[str]]] = []
        self.count: Counter[str] = Counter()
        self.constant: dict[str, str] = {}  # what may never change at all
        self.messages: list[dict[str, Any]] = []
        self._changes = 0
        self._last = 0
        signin = SignIn(Register(people=[people(number) for number in ROLES]), hasher=QUICK)
        self._callers = [Caller(signin.by_token(TOKENS[number])) for number in ROLES]

    async def __call__(self, world: World) -> None:
        """Listen for as long as the table plays."""
        runner = world.runner
        register = Register(people=[people(number) for number in ROLES])
        app = create(Desk(runner), world.stations, SignIn(register, hasher=QUICK), Settings(), title="Table 7")
        self.face, self.world = app.state.face, world
        self.topics = Topics("site", "table")
        outbox = Outbox(world.journal)
        try:
            with self._logged(world):
                runner.listen(self._look)
                transport = httpx.ASGITransport(app, raise_app_exceptions=False)
                async with httpx.AsyncClient(transport=transport, base_url=OWN) as client:
                    turn = 0
                    while True:
                        await runner.next_change()
                        turn += 1
                        self._drain(outbox)
                        if turn % (self.every * 7) == 0:
                            await self._ask(client, turn)
        finally:
            outbox.close()
            app.state.face.stream.close()

    def hear(self, where: str, text: str, n: int = 0) -> None:
        """Keep what a text names, with the entry that it may know of: the last one, where it is not said."""
        self.count[where] += 1
        for words in EXAMPLES:  # how an answer is written, the same at each step
            text = text.replace(words, "").replace(json.dumps(words)[1:-1], "")
        if found := faces_in(text):
            self.heard.append((where, n or self.world.runner.journal.last, found))

    # what can be rendered without waiting

    def _look(self) -> None:
        self._changes += 1
        if self._changes % self.every:
            return
        texts = self._texts()
        for where, text in texts.items():
            self.hear(where, text)
        with exchanged(self.world.runner.course.layout) as hidden:
            if hidden:
                self.count["compared"] += 1
                for where, text in self._texts().items():
                    assert text == texts[where], f"{where} depends on a card that nobody may see"

    def _texts(self) -> dict[str, str]:
        face, runner = self.face, self.world.runner
        texts = {"stream": face.stream.event(), "metrics": face_metrics(face)}
        for caller in self._callers:
            role = caller.person.role
            texts[f"view {role}"] = json.dumps([face.view(caller.person), face.desk.steps()])
            for name in ("dealer", "pit"):
                texts[f"{name} page, {role}"] = face.templates.page(name, face.values(name, caller))
        for topic, content in retained(self.topics, runner, self.world.stations, "0" * 16).items():
            texts[f"bus {topic.rpartition('/')[2]}"] = json.dumps(content)
        return texts

    # what is sent, and what is asked for

    def _drain(self, outbox: Outbox) -> None:
        while batch := outbox.after(self._last):
            for one in batch:
                text = one.payload.decode()
                self.messages.append(json.loads(text))
                self.hear("events", text, one.cursor.n)
                self._last = one.cursor.n

    async def _ask(self, client: httpx.AsyncClient, turn: int) -> None:
        token = {"Authorization": f"Bearer {TOKENS[ROLES[turn % 3]]}"}
        path = LOOKS[turn % len(LOOKS)]
        self.hear(f"GET {path}", (await client.get(path, headers=token)).text)
        card = str(STANDARD[turn % 52])
        for where, body in (
            ("answer", {"ref": "999.1.0", "with": {"cards": card}}),
            ("answer", {"ref": "1.1", "with": {"nonsense": True}}),
            ("held", {"ref": "999.1.0", "how": "card"}),
            ("report", {"ref": "999.1.0", "what": "exposed", "at": "seat 1"}),
            ("report", {"what": []}),
        ):
            answer = await client.post(f"/api/v1/{where}", json=body, headers=token)
            assert answer.status_code >= 400
            self.hear(f"refused {where}", answer.text.replace(f'"{card}"', ""))
        for path in ("/nothing", "/api/v1/nothing", "/static/nothing", "/api/v1/openapi.json"):
            text = (await client.get(path, headers=token)).text
            assert self.constant.setdefault(path, text) == text, f"{path} is another one in play"
            self.count[path] += 1

    @contextmanager
    def _logged(self, world: World) -> Iterator[None]:
        said = self

        class Ear(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                if not record.name.startswith(("httpx", "httpcore")):  # our own questions
                    said.hear("log", self.format(record))

        root, ear = logging.getLogger(), Ear(logging.DEBUG)
        before = root.level
        root.addHandler(ear)
        root.setLevel(logging.DEBUG)
        try:
            yield
        finally:
            root.removeHandler(ear)
            root.setLevel(before)

    # what came of it

    def leaks(self, entries: list[Entry]) -> list[str]:
        """Every face that was heard before anybody might see it."""
        oracle = Oracle(entries)
        found = []
        for where, n, faces in self.heard:
            if early := faces - oracle.public(oracle.round_at(n), n):
                found.append(f"{where} at entry {n}: {' '.join(sorted(early))}")
        return found


def face_metrics(face: Any) -> str:
    """The metrics, without those of the console itself, which count our questions."""
    from shoectl.console.metrics import Metrics

    return Metrics(face).text().decode()


async def listened(folder: Path, world: World, rounds: int, every: int) -> Listener:
    """A table played with a listener. Raises AssertionError at a render that knows too much."""
    listener = Listener(every)
    world.disturb = listener
    await world.play(rounds, within_s=rounds * 600)
    await asyncio.sleep(0)
    return listener
