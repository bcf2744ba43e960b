"""The server of the pages, as one task beside the table: uvicorn, bounded, and with no hand on the daemon's signals."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from shoectl.console.face import Face
from shoectl.console.guarded import HEAD_MOST
from shoectl.console.listening import Bound, check_tls
from shoectl.errors import BadInput

log = logging.getLogger("shoectl.console")

CERTIFICATE_EVERY_S: Final = 60.0  # how often its files are looked at
HEAD_WITHIN_S: Final = 10.0  # for a request to say what it wants
KEEP_ALIVE_S: Final = 15
END_WITHIN_S: Final = 1  # s for answers under way when the daemon ends
END_AT_LAST_S: Final = 2.0


class Bounded(H11Protocol):
    """One connection, which says soon what it wants."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody came."""
        super().connection_made(transport)
        self._late = self.loop.call_later(HEAD_WITHIN_S, transport.abort)

    def data_received(self, data: bytes) -> None:
        """Bytes came: a request is whole now, or has so long to become it."""
        super().data_received(data)
        asked = self.cycle is not None and not self.cycle.response_complete
        if asked:
            self._unset_late()
        elif self._late is None and not self.transport.is_closing():
            self._late = self.loop.call_later(HEAD_WITHIN_S, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._unset_late()
        super().connection_lost(exc)

    def _unset_late(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


class Server(uvicorn.Server):
    """Uvicorn's, but signals are the daemon's."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave them alone."""
        yield


def server_of(app: FastAPI, bound: Bound) -> Server:
    """A server for an application."""
    tls: dict[str, Any] = {}
    if bound.cert is not None and bound.key is not None:
        tls = {"ssl_certfile": str(bound.cert), "ssl_keyfile": str(bound.key)}
    return Server(
        uvicorn.Config(
            app,
            http=Bounded,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level=logging.CRITICAL,  # what strangers send is no news; what breaks in the application it says itself
            access_log=False,
            proxy_headers=False,
            server_header=False,
            h11_max_incomplete_event_size=HEAD_MOST,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=END_WITHIN_S,
            **tls,
        )
    )


async def serve(app: FastAPI, bound: Bound, begun: Callable[[], None]) -> None:
    """Serve until cancelled; then the streams end, answers under way are finished, and the socket is closed."""
    face: Face = app.state.face
    server = server_of(app, bound)
    async with asyncio.TaskGroup() as group:
        following = group.create_task(face.history.follow(), name="console: history")
        serving = group.create_task(server.serve([bound.listener]), name="console: server")
        renewing = group.create_task(_renew(server, bound), name="console: certificate")
        try:
            begun()
            await asyncio.wait([serving])
        finally:
            following.cancel()
            renewing.cancel()
            face.stream.close()
            server.should_exit = True
            await asyncio.wait([serving], timeout=END_AT_LAST_S)


async def _renew(server: Server, bound: Bound) -> None:
    """Take over a certificate that was renewed, for connections from then on: a table is not restarted for it.

    The names in it are those of the start. One that is not right yet (its key is still to come) is tried again.
    """
    if bound.cert is None or bound.key is None:
        return
    files = (bound.cert, bound.key)
    taken, told = _as_of(*files), ""
    while True:
        await asyncio.sleep(CERTIFICATE_EVERY_S)
        if (now := _as_of(*files)) == taken or server.config.ssl is None:
            continue
        try:
            check_tls(*files)  # apart from the one in use, which would be spoilt by half of a pair
            server.config.ssl.load_cert_chain(*files)
            taken, told = now, ""
            log.info("console: the certificate was read again")
        except (BadInput, OSError) as error:
            if told != str(error):
                told = str(error)
                log.warning("console: the certificate has changed and is not taken over: %s", told)


def _as_of(*files: Path) -> tuple[tuple[int, int, int] | None, ...]:
    """What tells one version of these files from another; None for one that is not there."""
    found: list[tuple[int, int, int] | None] = []
    for file in files:
        try:
            stat = file.stat()
            found.append((stat.st_mtime_ns, stat.st_ino, stat.st_size))
        except OSError:
            found.append(None)
    return tuple(found)
