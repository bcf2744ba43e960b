"""What stands before the pages: which requests get through, and what every answer carries.

Refused are a host that is not ours (a name that somebody made point here), a change asked for by another site's page,
and a body that is too long or does not come. An exception that nobody expected becomes a plain answer; the log gets its
name and its lines, and not its text, which may hold a face.
"""

from __future__ import annotations

import asyncio
import json
import logging
import traceback
from collections.abc import Iterable
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shoectl.console.settings import Counts, Settings

log = logging.getLogger("shoectl.console")

BODY_MOST: Final = 16 * 1024  # bytes: the wagers of a full table are less than a tenth of it
BODY_WITHIN_S: Final = 10.0
HEAD_MOST: Final = 16 * 1024  # bytes of a request's head
SAFE: Final = ("GET", "HEAD")
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
ALWAYS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with none at all, a form's own origin would be told as "null"
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
HSTS: Final = "max-age=31536000"


class Guarded:
    """The application behind its guard."""

    def __init__(self, app: ASGIApp, settings: Settings, counts: Counts) -> None:
        self._app = app
        self._settings = settings
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            return
        answer = _Answer(send, self._settings)
        try:
            why = self._refusal(Headers(scope=scope), str(scope["method"]))
            if why is None:
                body = await _body(Headers(scope=scope), receive)
                await self._app(scope, _again(body, receive), answer.send)
                return
        except _TooMuch as much:
            why = much.status, much.text
        except Exception as error:
            self._counts.faults += 1
            lines = "".join(traceback.format_tb(error.__traceback__))
            log.error("console: %s\n%s", type(error).__name__, lines)
            why = 500, "Something went wrong here; the table goes on."
        else:
            self._counts.refused += 1
        if not answer.begun:
            await answer.plain(scope, *why)

    def _refusal(self, headers: Headers, method: str) -> tuple[int, str] | None:
        if sum(len(name) + len(value) for name, value in headers.raw) > HEAD_MOST:
            return 431, "That is a longer head than any browser of ours sends."
        host = headers.get("host", "").lower()
        if not any(_names(host, one) for one in self._settings.hosts):
            return 421, "This table is not known by that name."
        if method in SAFE:
            return None
        if method != "POST":
            return 405, "Only GET, HEAD and POST are understood here."
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "That came from the page of another site."
        origin = headers.get("origin")
        scheme = "https" if self._settings.secure else "http"
        if origin is not None and origin.lower() != f"{scheme}://{host}":
            return 403, "That came from the page of another site."
        return None


def _names(host: str, ours: str) -> bool:
    """Whether a host is the one that we are known by; `*.club.example:8443` stands for one label more."""
    if ours.startswith("*."):
        label, _, rest = host.partition(".")
        return bool(label) and rest == ours[2:]
    return host == ours


class _TooMuch(Exception):
    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text


async def _body(headers: Headers, receive: Receive) -> bytes:
    """The whole body of a request, which is small and comes at once. Raises _TooMuch."""
    if "content-length" not in headers and "transfer-encoding" not in headers:
        return b""
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()) or int(length[:12]) > BODY_MOST:
        raise _TooMuch(413, "That is more than any form here holds.")
    parts: list[bytes] = []
    try:
        async with asyncio.timeout(BODY_WITHIN_S):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise _TooMuch(400, "The request was cut off.")
                parts.append(message.get("body", b""))
                if sum(map(len, parts)) > BODY_MOST:
                    raise _TooMuch(413, "That is more than any form here holds.")
                if not message.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        raise _TooMuch(408, "The request did not come to its end.") from None


def _again(body: bytes, receive: Receive) -> Receive:
    """The body that was read, once, and whatever comes then."""
    messages: Iterable[Message] = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def give() -> Message:
        for message in messages:
            return message
        return await receive()

    return give


class _Answer:
    """Puts on each answer what all carry. Nothing is kept by any cache unless the answer says so itself."""

    def __init__(self, send: Send, settings: Settings) -> None:
        self._send = send
        self._secure = settings.secure
        self.begun = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            headers = MutableHeaders(scope=message)
            for name, value in ALWAYS.items():
                headers[name] = value
            if self._secure:
                headers["Strict-Transport-Security"] = HSTS
            headers.setdefault("Cache-Control", "no-store")
        await self._send(message)

    async def plain(self, scope: Scope, status: int, text: str) -> None:
        """A short answer, as JSON where JSON was asked for."""
        api = str(scope["path"]).startswith("/api/")
        body = json.dumps({"error": text}).encode() if api else (text + "\n").encode()
        kind = b"application/json" if api else b"text/plain; charset=utf-8"
        headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
