"""What is asked of a table from outside: every address of its pages, at the local socket, of its journal, on the bus.

Most of it is refused, on purpose, in every way there is: an error has to know as little as a page.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
from click.testing import CliRunner
from fastapi import FastAPI

from shoectl.cards import STANDARD
from shoectl.commands.answer import answer
from shoectl.commands.journal import journal
from shoectl.console.face import Face
from shoectl.local_socket import LocalSocket, listening
from shoectl.people.roles import Person
from shoectl.table.runner import Runner
from tests.console.sitting import FORM, OWN, TOKENS
from tests.survival.world import World

from .bus import Wire
from .faces import hidden

Hear = Callable[..., None]
OBSERVER, DEALER, FLOOR = 1, 4711, 815
LOOKS = ("/api/v1/view", "/api/v1/steps", "/api/v1/devices", "/api/v1/me", "/metrics", "/healthz")
PAGES = ("/", "/pit", "/parts/dealer", "/parts/pit")
ALWAYS = ("/nothing", "/api/v1/nothing", "/static/nothing", "/api/v1/openapi.json", "/signin", "/signin?link=none")
NOBODY = ("/", "/parts/dealer", "/api/v1/view", "/api/v1/stream")
BEFORE = "999999.1.0"  # a step that is not open


def bearer(number: int) -> dict[str, str]:
    """A program's token."""
    return {"Authorization": f"Bearer {TOKENS[number]}"}


class Pages:
    """Asks the application. `hear(where, text, sent)` keeps what comes; `said` counts answers by status."""

    def __init__(self, app: FastAPI, runner: Runner[Any], hear: Hear, constant: dict[str, str]) -> None:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self.client = httpx.AsyncClient(transport=transport, base_url=OWN)
        self._face: Face = app.state.face
        self._runner, self._hear, self._constant = runner, hear, constant
        self._turn = 0

    async def ask(self) -> None:
        """Everything once, as one of the three who have signed in, in turn."""
        self._turn += 1
        number = (OBSERVER, DEALER, FLOOR)[self._turn % 3]
        for path in (*LOOKS, *PAGES):
            await self._get(path, bearer(number))
        for path in ALWAYS:
            text = await self._get(path, {})
            if self._constant.setdefault(path, text) != text:
                self._hear(f"GET {path}", "", differs=True)
        for path in NOBODY:
            await self._get(path, {})
        await self._refused(number)
        await self._stopped_at_the_door(number)
        await self._broken(number)

    async def _get(self, path: str, headers: dict[str, str]) -> str:
        came = await self.client.get(path, headers=headers)
        self._hear(f"GET {path.partition('?')[0]}", _all_of(came), status=came.status_code)
        return came.text

    async def _post(self, path: str, headers: dict[str, str], sent: str = "", **given: Any) -> None:
        came = await self.client.post(path, headers=headers, **given)
        self._hear(f"POST {path}", _all_of(came), status=came.status_code, sent=sent)

    async def _refused(self, number: int) -> None:
        """Acts that cannot be, of the step that is open and of others, as JSON and as a form."""
        card, other = str(STANDARD[self._turn % 52]), str(STANDARD[(self._turn * 7 + 1) % 52])
        cards = f"{card} {card}"  # one card cannot lie there twice, so nobody takes it for an answer
        acts: tuple[tuple[str, dict[str, Any]], ...] = (
            ("answer", {"with": {"cards": cards}}),
            ("answer", {"with": {"card": cards}}),
            ("answer", {"with": {"choice": "win"}}),
            ("answer", {"ref": BEFORE, "with": {"cards": card}}),
            ("answer", {}),
            ("held", {"how": "card", "card": card}),
            ("held", {"how": "peek"}),
            ("report", {"what": "exposed", "at": "seat 99", "card": card}),
            ("report", {"ref": BEFORE, "what": "exposed", "at": "seat 1", "card": card}),
            ("report", {"what": "misread", "at": "rack"}),
        )
        for what, body in acts:
            await self._post(f"/api/v1/{what}", bearer(number), json={"ref": self._ref(), **body}, sent=card)
        forms: tuple[tuple[str, dict[str, str]], ...] = (
            ("answer", {"cards": cards, "back": "/pit"}),
            ("answer", {"ref": BEFORE, "cards": card}),
            ("held", {"how": "card", "cards": card, "again": other}),
            ("report", {"what": "exposed", "place": "seat 99", "cards": card}),
        )
        for what, form in forms:
            data = {"ref": self._ref(), **form}
            await self._post(f"/act/{what}", bearer(number) | FORM, data=data, sent=f"{card} {other}")

    def _ref(self) -> str:
        return next((step["ref"] for step in self._face.desk.steps()), BEFORE)

    async def _stopped_at_the_door(self, number: int) -> None:
        for headers, path in (
            (bearer(number) | {"Origin": "http://elsewhere.example"}, "/api/v1/answer"),
            ({"Authorization": "Bearer 1.none"}, "/api/v1/answer"),
            ({}, "/act/answer"),
            (FORM, "/signin"),
            (bearer(number), "/metrics"),
        ):
            await self._post(path, headers, data={"operator": "9", "pin": "0000"})
        await self._post("/api/v1/answer", bearer(number), content=b"x" * 20_000)
        await self._get("/pit", {**bearer(number), "Host": "elsewhere.example"})

    async def _broken(self, number: int) -> None:
        """Something breaks, and its error knows a card."""
        told = f"no place for {' '.join(map(str, hidden(self._runner.course.layout)))}"

        def breaks(person: Person) -> None:
            raise RuntimeError(told)

        self._face.call_floor = breaks  # type: ignore[method-assign]
        try:
            await self._post("/api/v1/call-floor", bearer(number))
        finally:
            del self._face.call_floor


def _all_of(came: httpx.Response) -> str:
    return f"{came.headers}\n{came.text}"


class Events:
    """A browser that is on the stream all the time."""

    def __init__(self, app: FastAPI, hear: Hear) -> None:
        self._app, self._hear = app, hear

    async def run(self) -> None:
        """Until it is cancelled."""
        head = [(b"host", b"127.0.0.1:8080"), (b"authorization", f"Bearer {TOKENS[OBSERVER]}".encode())]
        scope: dict[str, Any] = {"type": "http", "method": "GET", "path": "/api/v1/stream", "query_string": b""}
        scope |= {"headers": head, "client": ("127.0.0.1", 4), "server": ("127.0.0.1", 8080), "scheme": "http"}
        scope |= {"http_version": "1.1", "root_path": "", "asgi": {"version": "3.0"}}
        await self._app(scope, self._stays, self._came)

    async def _stays(self) -> dict[str, Any]:
        await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def _came(self, message: Any) -> None:
        self._hear("event stream", repr(message.get("headers", "")) + message.get("body", b"").decode())


def over_the_bus(wire: Wire, ref: str, turn: int) -> str:
    """Commands, all but `list` to be refused. Returns the card that they name."""
    card = str(STANDARD[turn % 52])
    wire.command("list", {})
    wire.command("answer", {"step": ref, "with": {"cards": f"{card} {card}"}})
    wire.command("answer", {"step": BEFORE, "with": {"cards": card}}, by="floor")
    wire.command("answer", {"step": ref, "with": {"card": card}}, by="somebody")
    wire.command("held", {"step": ref, "how": "peek", "card": card})
    wire.command("report", {"step": ref, "what": "exposed", "at": "seat 99", "card": card})
    wire.command("report", {"step": ref, "what": "exposed", "at": "seat 99"}, age_s=60)
    wire.command("list", {}, retain=True)
    wire.command("peek", {})
    wire.command("answer", {"step": card})
    return card


async def at_the_socket(world: World, hear: Hear, turn: int) -> None:
    """What the daemon's local socket says, to a program and to `shoectl answer`."""
    path, card = world.folder / "socket", str(STANDARD[turn % 52])
    with listening(path) as listener:
        server = asyncio.ensure_future(LocalSocket(world.runner, listener, world.stations, "Table 7").run())
        try:
            while not listener.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):  # noqa: ASYNC110
                await asyncio.sleep(0)
            async with _line(path) as say:
                listed = await say({"list": True})
                hear("socket", listed)
                ref = next((one["ref"] for one in json.loads(listed)["steps"]), BEFORE)
                for request in (
                    {"answer": ref, "with": {"cards": f"{card} {card}"}},
                    {"answer": ref, "with": {"card": f"{card} {card}"}},
                    {"answer": BEFORE, "with": {"card": card}},
                    {"held": ref, "how": "card", "by": ["dealer", "dealer"], "card": card},
                    {"report": ref, "what": "exposed", "at": "seat 99", "card": card},
                    {"answer": card},
                    card,
                ):
                    hear("socket", await say(request), sent=card)
            for words in (["--json"], [], [BEFORE, "{}"], [ref, json.dumps({"cards": f"{card} {card}"}), "--json"]):
                said = await asyncio.to_thread(CliRunner().invoke, answer, ["--socket", str(path), *words])
                hear("shoectl answer", f"{said.output} {said.exception}", sent=card)
        finally:
            server.cancel()
            await asyncio.wait([server])


@contextlib.asynccontextmanager
async def _line(path: Path) -> AsyncIterator[Callable[[object], Any]]:
    reader, writer = await asyncio.open_unix_connection(str(path))

    async def say(request: object) -> str:
        writer.write(json.dumps(request).encode() + b"\n")
        return (await reader.readline()).decode()

    try:
        yield say
    finally:
        writer.close()


def in_the_journal(world: World, hear: Hear) -> None:
    """What `shoectl journal` says of the round that is under way, while it is written."""
    path, number = str(world.journal), str(world.runner.round_no)
    for words in (
        ["show", path, "--round", number],
        ["show", path, "--round", number, "--json"],
        ["round", path, number],
        ["round", path, number, "--json"],
    ):
        hear(f"journal {words[0]}", CliRunner().invoke(journal, words).output)
    exported = CliRunner().invoke(journal, ["export", path, "--open", "all"]).output.splitlines()
    opened = next((n for n, line in reversed(list(enumerate(exported))) if '"kind": "round"' in line), 0)
    hear("journal export", "\n".join(exported[opened:]))
