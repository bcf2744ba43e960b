"""The event stream: tells each page that something changed, and nothing else. A page then fetches what it shows.

An event names the last entry, the round and the open step: `{"entry": 812, "round": 12, "step": "12.7.0"}`. The newest
one is all that counts: whoever reads slowly skips, whoever comes back (`Last-Event-ID`) is told how it is now. What a
reader does not take within `TAKEN_WITHIN_S` ends his stream; his browser asks again.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from shoectl.table.runner import Runner

CLIENTS_MOST: Final = 48
OF_ONE_MOST: Final = 8  # streams of one person; the oldest ends for a new one
PACE_S: Final = 0.2  # between two events of one client, however fast the table is
ALIVE_S: Final = 10.0  # of quiet, then a sign of life, which pages wait for; how soon an ended session is noticed
TAKEN_WITHIN_S: Final = 30.0
ALIVE: Final = "event: alive\ndata: {}\n\n"


class _Client:
    def __init__(self, number: int) -> None:
        self.number = number
        self.news = asyncio.Event()
        self.over = False


class Stream:
    """All clients of one table's stream."""

    def __init__(self, runner: Runner[Any]) -> None:
        self._runner = runner
        self._clients: list[_Client] = []
        self._closed = False
        runner.listen(self.wake)

    def __len__(self) -> int:
        return len(self._clients)

    def wake(self) -> None:
        """Something changed."""
        for client in self._clients:
            client.news.set()

    def close(self) -> None:
        """End all streams, and begin no other: the daemon ends."""
        self._closed = True
        for client in self._clients:
            client.over = True
        self.wake()

    def event(self) -> str:
        """How it is now, as an event."""
        runner = self._runner
        now = runner.open
        ref = f"{now.ref.round}.{now.ref.step}.{now.ref.part}" if now is not None else None
        entry = runner.journal.last
        data = json.dumps({"entry": entry, "round": runner.round_no, "step": ref})
        return f"event: view\nid: {entry}\ndata: {data}\n\n"

    def answer(self, number: int, still: Callable[[], bool]) -> Response:
        """The stream of somebody; it ends when `still` says that he is not signed in any more."""
        if self._closed or len(self._clients) >= CLIENTS_MOST:
            return Response("Too many pages are open.\n", 503, {"Retry-After": "10"}, "text/plain")
        return _Events(self, number, still)

    async def follow(self, number: int, still: Callable[[], bool], send: Send) -> None:
        """Send events until the client goes away, is too slow, or is signed out."""
        client = _Client(number)
        self._clients.append(client)
        for oldest in [one for one in self._clients if one.number == number][:-OF_ONE_MOST]:
            oldest.over = True
            oldest.news.set()
        try:
            client.news.set()
            while not client.over:
                try:
                    async with asyncio.timeout(ALIVE_S):
                        await client.news.wait()
                except TimeoutError:
                    text = ALIVE
                else:
                    client.news.clear()
                    text = self.event()
                if client.over:
                    return
                if not still():
                    await _give(send, "event: signed-out\ndata: {}\n\n")
                    return
                await _give(send, text)
                await asyncio.sleep(PACE_S)
        except TimeoutError:
            return
        finally:
            self._clients.remove(client)


async def _give(send: Send, text: str) -> None:
    async with asyncio.timeout(TAKEN_WITHIN_S):
        await send({"type": "http.response.body", "body": text.encode(), "more_body": True})


class _Events(Response):
    """An answer that goes on."""

    media_type = "text/event-stream"

    def __init__(self, stream: Stream, number: int, still: Callable[[], bool]) -> None:
        super().__init__(headers={"X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._stream, self._number, self._still = stream, number, still

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async with asyncio.TaskGroup() as group:
            gone = group.create_task(_gone(receive))
            following = group.create_task(self._stream.follow(self._number, self._still, send))
            await asyncio.wait([gone, following], return_when=asyncio.FIRST_COMPLETED)
            gone.cancel()
            following.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _gone(receive: Receive) -> None:
    """Return when the client has gone away."""
    while (await receive())["type"] != "http.disconnect":
        pass
