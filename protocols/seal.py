"""Sealed messages (common.md §14): keys of a session, and how a plain message becomes what travels, and back.

Level 1 adds a MAC (HMAC-SHA256, cut to 8 bytes), level 2 encrypts (ChaCha20-Poly1305). Level 0 has no seal at all.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from typing import Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from protocols.errors import DecodeError, ErrorKind, LocalError
from protocols.link import Side

MAC, AEAD = 1, 2
"""Levels."""
LEVELS = (MAC, AEAD)
KEY_SIZE = 32
NONCE_SIZE = 16
_PROOF_SIZE = 16
_COUNTER_SIZE = 4
_TAG_SIZE = {MAC: 8, AEAD: 16}
_COUNTER_MAX = 0xFFFF_FFFF
_DIRECTION = {Side.HOST: b"\x48", Side.DEVICE: b"\x44"}


def overhead(level: int) -> int:
    """How many bytes a seal adds to a message."""
    return _COUNTER_SIZE + _TAG_SIZE[level] if level else 0


@dataclass(frozen=True)
class Keys:
    """What both ends of a session have in common. Never shown."""

    level: int
    session: int
    auth: bytes = field(repr=False)
    of: dict[Side, bytes] = field(repr=False, compare=False)
    """The key of what each side sends."""

    def proof(self, side: Side) -> bytes:
        """What a side shows to prove that it has the key."""
        return hmac.digest(self.auth, _DIRECTION[side] + self.session_bytes, "sha256")[:_PROOF_SIZE]

    @property
    def session_bytes(self) -> bytes:
        """The number of the session as it is sealed in."""
        return self.session.to_bytes(4, "little")


class Who(Protocol):
    """The part of an identity block that the keys of a session depend on."""

    @property
    def family(self) -> int:
        """Its family's number."""

    @property
    def serial(self) -> str:
        """Its serial number."""

    @property
    def key_id(self) -> int:
        """The number of its key."""

    @property
    def boot(self) -> int:
        """Its last start, as it was told before the handshake."""

    @property
    def epoch(self) -> int:
        """Which memory it has, told likewise."""


def derive(key: bytes, who: Who, level: int, session: int, nonce_h: bytes, nonce_d: bytes) -> Keys:
    """The keys of a session (common.md §14.1). `who` is the identity with boot and epoch as they were told before."""
    serial = who.serial.encode("ascii")
    info = b"".join(
        (
            b"shoectl/1",
            bytes([who.family, level]),
            who.key_id.to_bytes(4, "little"),
            who.boot.to_bytes(2, "little"),
            who.epoch.to_bytes(2, "little"),
            bytes([len(serial)]),
            serial,
        )
    )
    material = HKDF(SHA256(), 3 * KEY_SIZE, salt=nonce_h + nonce_d, info=info).derive(key)
    auth, to_device, to_host = (material[at : at + KEY_SIZE] for at in range(0, len(material), KEY_SIZE))
    return Keys(level, session, auth, {Side.HOST: to_device, Side.DEVICE: to_host})


class Seal:
    """What one side sends in one session. One end closes with it, the other opens."""

    def __init__(self, keys: Keys, sender: Side, counter: int = 0, last: int = -1) -> None:
        self.level = keys.level
        self.counter = counter
        """Of the next message that is closed."""
        self.last = last
        """Of the last message that was opened, -1 before the first."""
        self._session = keys.session_bytes
        self._direction = _DIRECTION[sender]
        self._key = keys.of[sender]
        self._cipher = ChaCha20Poly1305(self._key) if keys.level == AEAD else None

    def close(self, aad: bytes, body: bytes) -> bytes:
        """What travels for `body`. Each call takes the next counter. Raises LocalError when they are used up."""
        if self.counter > _COUNTER_MAX:
            raise LocalError("the session has used up its counters: a new one is needed")
        ctr = self.counter.to_bytes(_COUNTER_SIZE, "little")
        self.counter += 1
        if self._cipher is not None:
            return ctr + self._cipher.encrypt(self._nonce(ctr), body, aad)
        return ctr + body + self._mac(ctr, aad, body)

    def open(self, aad: bytes, sealed: bytes) -> bytes:
        """The plain message. Raises DecodeError: `sealed` where it is too short, `mac`, then `replay`."""
        size = _TAG_SIZE[self.level]
        if len(sealed) < _COUNTER_SIZE + size:
            raise DecodeError(ErrorKind.SEALED)
        ctr, rest = sealed[:_COUNTER_SIZE], sealed[_COUNTER_SIZE:]
        body = self._checked(ctr, aad, rest, size)
        counter = int.from_bytes(ctr, "little")
        if counter <= self.last:
            raise DecodeError(ErrorKind.REPLAY)
        self.last = counter
        return body

    def _checked(self, ctr: bytes, aad: bytes, rest: bytes, size: int) -> bytes:
        if self._cipher is not None:
            try:
                return self._cipher.decrypt(self._nonce(ctr), rest, aad)
            except InvalidTag:
                raise DecodeError(ErrorKind.MAC) from None
        body, mac = rest[:-size], rest[-size:]
        if not hmac.compare_digest(mac, self._mac(ctr, aad, body)):
            raise DecodeError(ErrorKind.MAC)
        return body

    def _nonce(self, ctr: bytes) -> bytes:
        return self._session + self._direction + bytes(3) + ctr

    def _mac(self, ctr: bytes, aad: bytes, body: bytes) -> bytes:
        text = self._direction + self._session + ctr + aad + body
        return hmac.digest(self._key, text, "sha256")[: _TAG_SIZE[MAC]]


class Session:
    """The session that stands, as one side has it."""

    def __init__(self, keys: Keys, side: Side) -> None:
        other = Side.DEVICE if side is Side.HOST else Side.HOST
        self.level = keys.level
        self.outgoing = Seal(keys, side)
        self.incoming = Seal(keys, other)
