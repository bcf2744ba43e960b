"""A limit that pyserial's client for RFC 2217 does not have: how much a server may say within one suboption.

It keeps a suboption until its end comes. One that never ends would be kept for ever, and nothing else be heard.
"""

from __future__ import annotations

import re
import socket
from typing import Any

SUBOPTION_MOST = 4096
"""Bytes; those of RFC 2217 have ten at most, a signature a line of text."""

_IAC, _SUBOPTION, _END = 0xFF, 0xFA, 0xF0
_COMMAND = re.compile(rb"\xff(?:[\xfb-\xfe].|[^\xfb-\xfe])", re.DOTALL)  # a doubled FF is one too, and means a byte


class Suboptions:
    """How far the suboption goes that a stream of telnet is in."""

    def __init__(self) -> None:
        self._cut = b""  # a command of which the rest is still to come
        self._open = False
        self.length = 0

    def heard(self, data: bytes) -> None:
        """More of the stream; `length` is then what was said since the suboption began, 0 outside of one."""
        text, at, end = self._cut + data, 0, 0
        for command in _COMMAND.finditer(text):
            end = command.end()
            if command[0][1] in (_SUBOPTION, _END):
                self._open, at, self.length = command[0][1] == _SUBOPTION, end, 0
        rest = text.find(_IAC, end)
        self._cut = text[rest:] if rest >= 0 else b""
        self.length = self.length + len(text) - len(self._cut) - at if self._open else 0


class LimitedSocket:
    """A connection that ends where a suboption is longer than it may be. In all else the one that it is made of."""

    def __init__(self, connected: socket.socket) -> None:
        self._connected = connected
        self._suboptions = Suboptions()

    def recv(self, size: int) -> bytes:
        """As a socket's; nothing, as at the end, once too much was said."""
        if self._suboptions.length > SUBOPTION_MOST:
            return b""
        data = self._connected.recv(size)
        self._suboptions.heard(data)
        return data

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connected, name)
