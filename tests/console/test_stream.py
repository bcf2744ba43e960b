"""The event stream: newest wins, one event waits for each client, a reader that does not read holds nobody up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from shoectl.console import stream as module
from shoectl.people.register import Register, write

from .sitting import Browser, Sitting, people, sitting


class Client:
    """A browser's stream, straight at the application; `reading` cleared, it takes nothing."""

    def __init__(self, sat: Sitting, browser: Browser, last: str = "") -> None:
        self._app, self._browser, self._last = sat.app, browser, last
        self.status, self.text = 0, ""
        self.reading = asyncio.Event()
        self.reading.set()
        self.gone = asyncio.Event()
        self.over = False

    async def run(self) -> None:
        kept = (b"cookie", b"authorization")
        sent = self._browser.client.build_request("GET", "/api/v1/stream").headers.raw
        headers = [(b"host", b"127.0.0.1:8080")] + [(n.lower(), value) for n, value in sent if n.lower() in kept]
        headers += [(b"last-event-id", self._last.encode())] if self._last else []
        scope: dict[str, Any] = {"type": "http", "method": "GET", "path": "/api/v1/stream", "query_string": b""}
        scope |= {"headers": headers, "client": ("127.0.0.1", 4), "server": ("127.0.0.1", 8080), "scheme": "http"}
        scope |= {"http_version": "1.1", "root_path": "", "asgi": {"version": "3.0"}}
        await self._app(scope, self._receive, self._send)
        self.over = True

    async def _receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        await self.reading.wait()
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.text += message["body"].decode()

    @property
    def views(self) -> list[dict[str, Any]]:
        """What every `view` event said."""
        blocks = [block.splitlines() for block in self.text.split("\n\n") if block.startswith("event: view")]
        return [json.loads(next(line for line in block if line.startswith("data: "))[6:]) for block in blocks]

    async def until(self, true: Any) -> None:
        async with asyncio.timeout(20):
            while not true():  # noqa: ASYNC110 (what is looked at is of many kinds)
                await asyncio.sleep(0.005)


@asynccontextmanager
async def streaming(sat: Sitting, browser: Browser, count: int = 1, last: str = "") -> AsyncIterator[list[Client]]:
    clients = [Client(sat, browser, last) for _ in range(count)]
    async with asyncio.TaskGroup() as group:
        for client in clients:
            group.create_task(client.run())
            await asyncio.sleep(0)
        yield clients
        for client in clients:
            client.reading.set()
            client.gone.set()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PACE_S", 0.01)


async def test_a_client_is_told_how_it_is_now_and_of_each_change(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat, streaming(sat, sat.program(1)) as (client,):
        await client.until(lambda: client.views)
        first = client.views[0]
        assert first == {"entry": sat.runner.journal.last, "round": 1, "step": sat.ref}
        assert client.text.startswith(f"event: view\nid: {first['entry']}\n")
        await sat.until("wagers")
        await client.until(lambda: client.views[-1]["step"] == sat.ref)


async def test_whoever_comes_back_is_told_how_it_is_now(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        await sat.until("wagers")
        for last in ("3", str(sat.runner.journal.last), "rubbish"):
            async with streaming(sat, sat.program(1), last=last) as (client,):
                await client.until(lambda client=client: client.views)
                assert client.views[0]["step"] == sat.ref


async def test_a_slow_reader_skips_to_the_newest_and_the_table_does_not_wait(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat, streaming(sat, sat.program(1), 2) as (slow, quick):
        await slow.until(lambda: slow.views and quick.views)
        slow.reading.clear()
        seen = len(slow.views)
        await sat.until("ask")
        await quick.until(lambda: quick.views[-1]["step"] == sat.ref)
        assert len(slow.views) == seen
        slow.reading.set()
        await slow.until(lambda: slow.views[-1]["step"] == sat.ref)
        assert len(slow.views) - seen <= 2, "one that was under way, and the newest"


async def test_a_reader_that_takes_nothing_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TAKEN_WITHIN_S", 0.05)
    async with sitting(tmp_path) as sat, streaming(sat, sat.program(1)) as (client,):
        await client.until(lambda: client.views)
        client.reading.clear()
        sat.face.stream.wake()
        await client.until(lambda: not len(sat.face.stream))


async def test_a_quiet_table_sends_a_sign_of_life(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ALIVE_S", 0.02)
    async with sitting(tmp_path) as sat, streaming(sat, sat.program(1)) as (client,):
        await client.until(lambda: client.text.count("event: alive\ndata: {}\n\n") >= 3)
        assert len(client.views) == 1


async def test_clients_are_bounded_and_one_person_does_not_take_all(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat, streaming(sat, sat.program(1), module.OF_ONE_MOST + 3) as clients:
        await clients[-1].until(lambda: sum(one.over for one in clients) == 3)
        assert len(sat.face.stream) == module.OF_ONE_MOST


async def test_more_clients_than_there_may_be_are_told_to_come_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CLIENTS_MOST", 2)
    async with sitting(tmp_path) as sat, streaming(sat, sat.program(1), 2) as clients:
        await clients[1].until(lambda: clients[1].views)
        answer = await sat.program(815).get("/api/v1/stream")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "10")


async def test_a_client_that_goes_away_leaves_nothing_behind(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        async with streaming(sat, sat.program(1), 5) as clients:
            await clients[4].until(lambda: clients[4].views)
            assert len(sat.face.stream) == 5
        assert len(sat.face.stream) == 0


async def test_the_stream_ends_with_the_session_and_is_no_touch(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        browser = await sat.signed_in(4711)
        async with streaming(sat, browser) as (client,):
            await client.until(lambda: client.views)
            sat.clock.now += 901
            sat.face.stream.wake()
            await client.until(lambda: client.over)
        assert client.text.endswith("event: signed-out\ndata: {}\n\n")
        assert (await browser.get("/")).status_code == 303


async def test_the_stream_of_somebody_who_is_removed_ends(tmp_path: Path) -> None:
    file = tmp_path / "people.json"
    write(file, [people(4711)])
    async with sitting(tmp_path, register=Register(file)) as sat:
        browser, program = await sat.signed_in(4711), sat.program(4711)
        async with streaming(sat, browser) as (one,), streaming(sat, program) as (two,):
            await two.until(lambda: one.views and two.views)
            write(file, [])
            sat.face.stream.wake()
            await one.until(lambda: one.over and two.over)


async def test_at_the_end_of_the_daemon_all_streams_end_and_none_begins(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat, streaming(sat, sat.program(1), 4) as clients:
        await clients[3].until(lambda: clients[3].views)
        sat.face.stream.close()
        await clients[0].until(lambda: all(one.over for one in clients))
        assert (await sat.program(1).get("/api/v1/stream")).status_code == 503
