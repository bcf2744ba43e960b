"""The face without a page: a unix socket of the daemon, one JSON object a line, one line back for each.

    {"list": true}                                   the open step, its hold, what the dealer may see
    {"answer": "12.7.0", "with": {...}, "by": "dealer"}
    {"held": "12.7.0", "how": "...", "by": ["dealer", "floor"], "card": "As"}
    {"report": "12.7.0", "what": "exposed", "at": "seat 2", "card": "9c", "by": "dealer"}
    {"follow": true}                                 a line at each change, what a public picture shows; nothing else

A step is named `round.step.part`, as listed; the part may be left out where there is one only. Whoever may open the
socket (0600) may speak for the persons of the table: it is for the user that the daemon runs as. He cannot speak for a
device (people.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from shoectl.devices.station import Station
from shoectl.errors import BadInput, ShoectlError
from shoectl.frames import Frames
from shoectl.socket_client import LINE_LIMIT, NAMES_SOCKET, PATIENCE, STILL_THERE, TOO_LONG, alive, check_length
from shoectl.strict_json import loads
from shoectl.table.desk import Desk
from shoectl.table.runner import Runner

log = logging.getLogger("shoectl.socket")

FOLLOW: Final = b'{"follow": true}'
FRAMES_PER_S: Final = 8.0
LOOKS_EVERY_S: Final = 2.0  # whether the file is still there
CLIENTS_MOST: Final = 32  # at a time: descriptors are for devices first


class Listener:
    """A socket at a path, and whether it is still the one that is found there."""

    def __init__(self, path: Path) -> None:
        """Raises BadInput where a daemon listens, or none can be made."""
        self.path = path
        self.socket = _bind(path)
        self._ours = path.stat().st_ino

    async def lost(self) -> None:
        """Return when somebody has removed the file: nobody can come in any more."""
        while True:
            await asyncio.sleep(LOOKS_EVERY_S)
            if not self._is_there():
                return

    def _is_there(self) -> bool:
        return os.path.lexists(self.path)

    def renew(self) -> None:
        """Listen at the path anew. Raises BadInput."""
        self.socket = _bind(self.path)
        self._ours = self.path.stat().st_ino

    def close(self) -> None:
        """Listen no more; the file goes, if it is ours."""
        self.socket.close()
        if self.path.exists() and self.path.stat().st_ino == self._ours:
            self.path.unlink()


class LocalSocket:
    """Answers at a listening socket until it is cancelled. `stations` and `title` are for those who follow."""

    def __init__(
        self, runner: Runner[Any], listener: Listener, stations: Mapping[str, Station] | None = None, title: str = ""
    ) -> None:
        self._desk = Desk(runner)
        self._listener = listener
        self._frames = Frames(runner, stations or {}, title)
        self._clients = 0

    async def run(self) -> None:
        """Serve every client that comes. A socket whose file was removed is made anew."""
        while True:
            server = await asyncio.start_unix_server(self._serve, sock=self._listener.socket, limit=LINE_LIMIT)
            try:
                await self._listener.lost()
            finally:
                server.close()
            try:
                self._listener.renew()
            except BadInput as error:
                log.warning("the socket was removed, and cannot be made anew: %s", error)
                return

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients += 1
        try:
            if self._clients > CLIENTS_MOST:
                writer.write(b'{"ok": false, "error": "too many clients"}\n')
                return
            while line := await reader.readline():
                if line.strip() == FOLLOW:
                    await self._follow(writer)
                writer.write(json.dumps(await self._reply(line)).encode() + b"\n")
                await asyncio.wait_for(writer.drain(), PATIENCE)
        except ValueError:
            writer.write(json.dumps({"ok": False, "error": TOO_LONG}).encode() + b"\n")
        except (ConnectionError, TimeoutError):
            pass  # the client went away, or does not read
        except asyncio.CancelledError:
            pass  # the daemon ends; Python 3.11 would call it an error of this client's, with a traceback
        finally:
            self._clients -= 1
            writer.close()

    async def _follow(self, writer: asyncio.StreamWriter) -> None:
        """A line at each change, and now and then one without; for ever. A slow reader gets the newest alone."""
        runner = self._desk.runner
        while True:
            seen = runner.version
            writer.write(json.dumps({"ok": True, "frame": vars(self._frames.now())}).encode() + b"\n")
            await asyncio.wait_for(writer.drain(), PATIENCE)
            await asyncio.sleep(1 / FRAMES_PER_S)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STILL_THERE):
                    while runner.version == seen:
                        await runner.next_change()

    async def _reply(self, line: bytes) -> dict[str, Any]:
        try:
            request = loads(line)
            if not isinstance(request, dict):
                raise BadInput("a request is a JSON object")
            return {"ok": True, **await self._do(request)}
        except ShoectlError as error:
            return {"ok": False, "error": str(error), "rule": getattr(error, "rule", None)}

    async def _do(self, request: Mapping[str, Any]) -> dict[str, Any]:
        desk, card = self._desk, request.get("card")
        match request:
            case {"list": True}:
                return {"steps": desk.steps(), "view": desk.runner.view("dealer")}
            case {"answer": str(name), "with": dict(given)}:
                (by,) = _persons(request) or (None,)
                return {"entry": await desk.answer(name, given, by=by)}
            case {"held": str(name), "how": str(how)}:
                return {"entry": await desk.end_hold(name, how, by=_persons(request, most=2), card=card)}
            case {"report": str(name), "what": str(what), "at": str(place)}:
                (by,) = _persons(request) or ("dealer",)
                return {"entry": await desk.report(name, what, place, by=by, card=card)}
            case _:
                raise BadInput(
                    "a request is list, follow, answer (with an object `with`), held (with `how`) or report "
                    "(with `what`, `at`)"
                )


def _persons(request: Mapping[str, Any], most: int = 1) -> tuple[str, ...]:
    """Who says so: a name, or a list of them; none where the request does not tell. Raises BadInput."""
    match request.get("by"):
        case None | "" | []:
            return ()
        case str(name):
            return (name,)
        case list(names) if len(names) <= most and all(isinstance(name, str) for name in names):
            return tuple(names)
    raise BadInput(f"by is a name{' or a list of two' if most > 1 else ''}")


@contextmanager
def listening(path: Path) -> Iterator[Listener]:
    """A socket at `path` for the time of the block. Raises BadInput where a daemon listens, or none can be made."""
    listener = Listener(path)
    try:
        yield listener
    finally:
        listener.close()


def _bind(path: Path) -> socket.socket:
    """A listening socket at `path`, 0600 from its first moment; one that a dead daemon left is taken over."""
    check_length(path)
    if alive(path):
        raise BadInput(f"another daemon listens at {path}; {NAMES_SOCKET}")
    listener = socket.socket(socket.AF_UNIX)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # before the mask: nobody enters a folder without x
        path.unlink(missing_ok=True)
        mask = os.umask(0o177)
        try:
            listener.bind(str(path))
        finally:
            os.umask(mask)
        listener.listen()  # whoever comes before the table does waits for it, and no other daemon takes the path
    except OSError as error:
        listener.close()
        raise BadInput(f"{path}: no socket can be made here: {error.strerror or error}; {NAMES_SOCKET}") from None
    return listener
