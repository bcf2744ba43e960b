"""Whose fault it is.

ProtocolError
├── LocalError     we used the protocol wrongly; nothing was sent
└── RemoteError    the other side, or the line between us
    ├── FrameError   bytes that are no frame
    ├── DecodeError  a frame whose content is not of its type
    ├── Untrue       not of the session that stands
    └── LinkFailed   the link is down
"""

from __future__ import annotations

from enum import StrEnum


class ErrorKind(StrEnum):
    """The names of malformed input (common.md §11)."""

    SHORT = "short"
    LONG = "long"
    LENGTH = "length"
    CRC = "crc"
    ESCAPE = "escape"
    ABORT = "abort"
    CONTROL = "control"
    ADDRESS = "address"
    MAGIC = "magic"
    VERSION = "version"
    FLAGS = "flags"
    SEALED = "sealed"
    TYPE = "type"
    BODY = "body"
    STRING = "string"
    CARD = "card"
    ORDER = "order"
    VALUE = "value"
    PADDING = "padding"
    MAC = "mac"
    REPLAY = "replay"


class ProtocolError(Exception):
    """Anything that goes wrong in a protocol."""


class LocalError(ProtocolError):
    """The caller asked for something that the protocol cannot say. Nothing was sent."""


class RemoteError(ProtocolError):
    """The other side, or the line, did something wrong."""


class FrameError(RemoteError):
    """Bytes that are no frame. `kind` names the first error found; the bytes themselves are never kept."""

    def __init__(self, kind: ErrorKind, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}" if detail else str(kind))
        self.kind = kind


class DecodeError(RemoteError):
    """A whole frame whose content does not fit its type. `kind` names the first error found.

    `seq` is set where the content was an event: the one that must never be acknowledged (common.md §7).
    """

    def __init__(self, kind: ErrorKind, detail: str = "", seq: int | None = None) -> None:
        super().__init__(f"{kind}: {detail}" if detail else str(kind))
        self.kind = kind
        self.seq = seq


class Untrue(RemoteError):
    """What came cannot be of the session that stands, or says that it ended: only a new session helps.

    `kind` is that of what was dropped, None where the other side itself said so.
    """

    def __init__(self, kind: ErrorKind | None) -> None:
        super().__init__("the session ended" if kind is None else str(kind))
        self.kind = kind


class LinkFailed(RemoteError):
    """The link is down: no answer within the retries, or the other side said so."""
