"""A running table whose hands all wait, with its pages before it: in memory, or behind a real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from argon2 import PasswordHasher
from fastapi import FastAPI

from shoectl.console.app import create
from shoectl.console.face import Face
from shoectl.console.settings import Settings
from shoectl.devices.station import Station
from shoectl.games.answers import Drawn, Wagers
from shoectl.games.dealing import Dealing
from shoectl.games.procedure import Done, Role
from shoectl.journal import Journal
from shoectl.people.pins import hash_pin, hash_token
from shoectl.people.register import Record, Register
from shoectl.people.signin import SignIn
from shoectl.table.desk import Desk
from shoectl.table.people import wait
from shoectl.table.runner import Runner
from shoectl.table.session import cycle
from shoectl.table.state import TableState
from tests.session.devices import fresh_deck
from tests.session.scenes import BY_HAND, table

HANDS = dict.fromkeys((Role.PEOPLE, Role.SHOE, Role.SHUFFLER), wait)
QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
HOST = "127.0.0.1:8080"
OWN = f"http://{HOST}"
PINS = {1: "5512", 4711: "2580", 4712: "8642", 815: "7391", 816: "1973"}
ROLES = {1: "observer", 4711: "dealer", 4712: "dealer", 815: "floor", 816: "floor"}
TOKENS = {number: f"{number}.token-of-a-program" for number in ROLES}
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Origin": OWN}


def people(number: int) -> Record:
    pin, token = hash_pin(PINS[number], QUICK), hash_token(TOKENS[number])
    return Record(number=number, name=f"Person {number}", role=ROLES[number], pin=pin, token=token)  # type: ignore[arg-type]


@dataclass
class Clock:
    """Seconds that pass when the test says so."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


class Browser:
    """Somebody at the pages: keeps his cookie, and the token of his session."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.token = ""

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self.client.get(path, headers=headers)

    async def sign_in(self, number: int | str, pin: str | None = None) -> httpx.Response:
        pin = PINS.get(int(number), "") if pin is None else pin
        answer = await self.client.post("/signin", data={"operator": str(number), "pin": pin}, headers=FORM)
        await self.look()
        return answer

    async def look(self) -> None:
        """Take the session's token, as a page has it."""
        me = await self.client.get("/api/v1/me")
        self.token = me.json()["token"] if me.status_code == 200 else ""

    async def act(self, what: str, /, **fields: str) -> httpx.Response:
        return await self.client.post(f"/act/{what}", data={"token": self.token, **fields}, headers=FORM)

    async def api(self, what: str, body: object) -> httpx.Response:
        headers = {"X-CSRF-Token": self.token} if self.token else {}
        return await self.client.post(f"/api/v1/{what}", json=body, headers=headers)


@dataclass
class Sitting:
    """The table, its application, and how to get in."""

    runner: Runner[TableState]
    app: FastAPI
    people: SignIn
    clock: Clock
    clients: list[httpx.AsyncClient] = field(default_factory=list)

    @property
    def face(self) -> Face:
        face: Face = self.app.state.face
        return face

    def browser(self, address: str = "127.0.0.1", token: str = "", host: str = HOST) -> Browser:
        transport = httpx.ASGITransport(self.app, client=(address, 40000), raise_app_exceptions=False)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        client = httpx.AsyncClient(transport=transport, base_url=f"http://{host}", headers=headers)
        self.clients.append(client)
        return Browser(client)

    async def signed_in(self, number: int) -> Browser:
        browser = self.browser()
        assert (await browser.sign_in(number)).status_code == 303
        return browser

    def program(self, number: int) -> Browser:
        return self.browser(token=TOKENS[number])

    @property
    def ref(self) -> str:
        """The open part, as the pages name it."""
        assert self.runner.open is not None
        at = self.runner.open.ref
        return f"{at.round}.{at.step}.{at.part}"

    @property
    def do(self) -> str:
        return self.runner.open.step.do if self.runner.open is not None else ""

    async def until(self, do: str) -> None:
        """Answer what people do until a step of that kind is open."""
        while self.do != do:
            if self.runner.open is None:
                await self.runner.next_change()
                continue
            step = self.runner.open
            answers: Mapping[str, Any] = {
                "wagers": Wagers(((1, "ante", 10), (1, "super:1", 5), (2, "ante", 10))),
                "deal": Drawn(fresh_deck()[step.ref.part]),
            }
            await self.runner.answer(step.ref, answers.get(step.step.do, Done()), by="dealer")


def by_hand(**house: Any) -> TableState:
    return table(BY_HAND, dealing=Dealing.HAND, house=house)


@asynccontextmanager
async def sitting(
    folder: Path,
    state: TableState | None = None,
    *,
    settings: Settings | None = None,
    stations: Mapping[str, Station] | None = None,
    register: Register | None = None,
    also_floor: int | None = None,
    **given: Any,
) -> AsyncIterator[Sitting]:
    clock = Clock()
    register = register or Register(people=[people(number) for number in ROLES])
    signin = SignIn(register, hasher=QUICK, now=clock, also_floor=also_floor)
    with Journal.open(folder / "journal", durable=False) as journal:
        runner: Runner[TableState] = Runner(journal, cycle, state or by_hand())
        app = create(Desk(runner), stations or {}, signin, settings or Settings(), title="Table 7", **given)
        sat = Sitting(runner, app, signin, clock)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(runner.run(HANDS))]
            while runner.open is None:
                await runner.next_change()
            yield sat
            sat.face.stream.close()
            for client in sat.clients:
                await client.aclose()
            for task in tasks:
                task.cancel()
