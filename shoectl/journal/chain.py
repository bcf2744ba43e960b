"""Entries and the chain through them.

    salt(n)  = HMAC-SHA256(key of this journal, n as 8 bytes, big-endian)
    inner(n) = SHA256(salt(n) ‖ "kind wall mono boot\\n" ‖ body)
    link(n)  = SHA256(link(n - 1) ‖ inner(n)),  link(0) = SHA256("shoectl journal 1")

A hash of an entry that holds a face would give the face away (there are 52 to try), so each is salted. Who is given
the salt of one entry can check that one entry against a chain of inner digests, and learns nothing of the others. The
clocks are inside the digest, so that a time cannot be changed either.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

GENESIS = hashlib.sha256(b"shoectl journal 1").digest()


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as it lies in the file.

    `n` counts from 1 without gaps. `raw` is the body, UTF-8 JSON. `wall` is UTC in µs since 1970, `mono` µs of a clock
    that never jumps, counted from the boot whose id is `boot`. Order is by `n`, never by time.
    """

    n: int
    kind: str
    raw: bytes
    wall: int
    mono: int
    boot: str
    link: bytes

    @property
    def body(self) -> dict[str, Any]:
        """The body as JSON, parsed anew at each call."""
        return json.loads(self.raw)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Salted:
    """An entry with what opens it: its salt and its inner digest."""

    entry: Entry
    salt: bytes
    inner: bytes


def to_bytes(body: Mapping[str, Any]) -> bytes:
    """A body as it is stored and hashed: compact JSON in the order of its fields."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def salt_of(key: bytes, n: int) -> bytes:
    """The salt of entry `n`."""
    return hmac.digest(key, n.to_bytes(8, "big"), "sha256")


def inner_digest(salt: bytes, kind: str, wall: int, mono: int, boot: str, raw: bytes) -> bytes:
    """What stands for an entry in the chain."""
    return hashlib.sha256(b"%b%b %d %d %b\n%b" % (salt, kind.encode(), wall, mono, boot.encode(), raw)).digest()


def link_of(previous: bytes, inner: bytes) -> bytes:
    """The chain value after an entry."""
    return hashlib.sha256(previous + inner).digest()
