"""How a session comes about, at either end (common.md §14.1, §14.3). Families carry it; the rules are here once.

The host's link gets a `Pin` and is not up before the session stands. The device's link gets a `Guard`: it answers
AUTH1 and AUTH2, says what needs a session, and counts what failed. Both are without I/O and take time as an argument;
random bytes come from `entropy`, the system's own unless told otherwise.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from protocols.errors import ErrorKind
from protocols.link import AuthFailed, LinkEvent, Secured, Side
from protocols.message import Body, Request, Response
from protocols.seal import AEAD, KEY_SIZE, LEVELS, MAC, NONCE_SIZE, Keys, Session, derive
from protocols.vocabulary import Capability, Identity, Result, Resume

Entropy = Callable[[int], bytes]
_SESSION_SIZE = 4
_CAPABILITY = {MAC: Capability.MAC, AEAD: Capability.AEAD}


# host


@dataclass(frozen=True)
class Pin:
    """What a host insists on: a level, and the key of this device, which is known by its number."""

    level: int
    key: bytes = field(repr=False)
    key_id: int

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise ValueError(f"the level of a session is 1 or 2, not {self.level}")
        if len(self.key) != KEY_SIZE or not self.key_id:
            raise ValueError(f"a key has {KEY_SIZE} bytes and a number that is not 0")


BUSY_PAUSE = 1.0
"""Seconds until the host tries again where the device takes no handshake for now."""


class Securing:
    """The host's way from a link that stands to a session. Kept over link resets: a proof that failed is remembered.

    `done` where messages may pass; `stopped` says why they never will, and what to do; `unproven`: because a proof
    was wrong, which is more than a mistake in a configuration.
    """

    def __init__(self, pin: Pin | None, entropy: Entropy = secrets.token_bytes) -> None:
        self.pin = pin
        self.session: Session | None = None
        self.stopped = ""
        self.unproven = False
        self._entropy = entropy
        self._resume: Resume | None = None
        self._who: Identity | None = None
        self._nonce = b""
        self._keys: Keys | None = None
        self._failed_at: tuple[int, int] | None = None

    @property
    def done(self) -> bool:
        """Whether there is a session, or none is wanted."""
        return self.pin is None or self.session is not None

    @property
    def level(self) -> int:
        """The level of the session that stands, 0 without one."""
        return 0 if self.session is None else self.session.level

    def end(self) -> None:
        """The link was reset: the session is over."""
        self.session = self._keys = None

    def begin(self, resume: Resume, who: Identity | None = None) -> Request | None:
        """What is to be said first: IDENT, or AUTH1 where the device has said already who it is; None where no session
        is wanted (`done`), or in vain (`stopped`).

        Boot and epoch are those of the resume block that the link came up with.
        """
        self.end()
        self._resume = resume
        if self.pin is None or self.stopped:
            return None
        return Request("IDENT") if who is None else self._first(self.pin, resume, who)

    def _first(self, pin: Pin, resume: Resume, who: Identity) -> Request | None:
        self.stopped = in_vain(pin, who)
        if not self.stopped and self._failed_at == (resume.boot, resume.epoch):
            self._not_proven(who)
        if self.stopped:
            return None
        self._who = Identity.of({**who.body, "boot": resume.boot, "epoch": resume.epoch})
        self._nonce = self._entropy(NONCE_SIZE)
        return Request("AUTH1", 0, {"level": pin.level, "nonce_h": self._nonce.hex()})

    def answered(self, response: Response) -> Request | None:
        """What is to be said to an answer of the device; None where that was the last one: see `done`, `stopped`.

        With neither of them the link is reset, and there may be another try.
        """
        match response.type:
            case "IDENT" if response.ok and self.pin is not None and self._resume is not None:
                return self._first(self.pin, self._resume, Identity.of(response.body))
            case "AUTH1":
                return self._prove(response)
            case "AUTH2":
                self._finish(response)
        return None

    def _prove(self, response: Response) -> Request | None:
        """AUTH2, unless the device's proof is wrong: then ours is never sent."""
        if self.pin is None or self._who is None:
            return None
        if not response.ok:
            self._refused(response)
            return None
        told = response.body
        keys = derive(
            self.pin.key, self._who, self.pin.level, told["session"], self._nonce, bytes.fromhex(told["nonce_d"])
        )
        if not hmac.compare_digest(bytes.fromhex(told["proof_d"]), keys.proof(Side.DEVICE)):
            if self._failed_at is not None:
                self._not_proven(self._who)
            self._failed_at = (self._who.boot, self._who.epoch)
            return None
        self._keys = keys
        return Request("AUTH2", 0, {"proof_h": keys.proof(Side.HOST).hex()})

    def _finish(self, response: Response) -> None:
        keys, self._keys = self._keys, None
        if not response.ok or keys is None:
            self._refused(response)
        else:
            self.session, self._failed_at = Session(keys, Side.HOST), None

    def _refused(self, response: Response) -> None:
        """Busy passes; anything else is a matter of keys and levels, which waiting does not change."""
        if response.result != Result.E_BUSY and self.pin is not None and self._who is not None:
            what = f"wrong security level: {self._who.serial} refuses a session of level {self.pin.level}"
            self.stopped = f"{what}: have service look at its settings"

    def _not_proven(self, who: Identity) -> None:
        self.unproven = True
        self.stopped = (
            f"wrong key: {who.serial} does not prove that it has key {self.pin.key_id if self.pin else 0}: "
            "make sure that it is the unit meant, and that both have the same key"
        )


def in_vain(pin: Pin, who: Identity) -> str:
    """Why a handshake with a device that says so of itself cannot succeed, and what to do; empty where it may."""
    if not who.can(_CAPABILITY[pin.level]):
        what = f"wrong security level: {who.serial} cannot speak at level {pin.level}, which is configured"
        return f"{what}: configure one that it has, or put another unit there"
    if who.min_level > pin.level:
        what = f"wrong security level: {who.serial} asks for level {who.min_level}, and {pin.level} is configured"
        return f"{what}: configure level {who.min_level}"
    if not who.key_id:
        return f"no key: {who.serial} has none, and key {pin.key_id} is configured: have it installed in the device"
    if who.key_id != pin.key_id:
        what = f"wrong key: {who.serial} has key {who.key_id} and not key {pin.key_id}, which is configured"
        return f"{what}: configure the key that it has, or have the other one installed in it"
    return ""


# device


class Failure(IntEnum):
    """Reasons of AUTH_FAIL (common.md §7.1)."""

    PROOF = 1
    TAG = 2
    COUNTER = 3
    LEVEL = 4


SHORT_REST, LONG_REST, IN_A_ROW = 1.0, 60.0, 5
ONE_EVENT_IN = 60.0
_COUNT_MAX = 0xFFFF


class Guard:
    """The device's side: what it takes without a session, its handshake, and what failed since it started.

    `identity` is asked anew each time, for MIN_LEVEL, boot and epoch may change. `key` is None without one.
    """

    def __init__(
        self,
        identity: Callable[[], Identity],
        key: bytes | None = None,
        entropy: Entropy = secrets.token_bytes,
    ) -> None:
        self.session: Session | None = None
        self._identity, self._key, self._entropy = identity, key, entropy
        self._offered: Keys | None = None
        self._count = self._row = 0
        self._rest_until = float("-inf")
        self._told: dict[Failure, float] = {}

    @property
    def level(self) -> int:
        """The level of the session that stands, 0 without one."""
        return 0 if self.session is None else self.session.level

    @property
    def min_level(self) -> int:
        """The level below which the device says nothing that matters."""
        return self._identity().min_level

    @property
    def missing(self) -> bool:
        """Whether a session is needed and none stands."""
        return self.session is None and self.min_level > 0

    def end(self) -> list[LinkEvent]:
        """The session is over, and so is a handshake that was begun."""
        self._offered = None
        if self.session is None:
            return []
        self.session = None
        return [Secured(0)]

    def failed(self, reason: Failure, now: float) -> list[LinkEvent]:
        """Something failed: counted, and told at most once in 60 s for each reason."""
        self._count = min(self._count + 1, _COUNT_MAX)
        if now < self._told.get(reason, float("-inf")) + ONE_EVENT_IN:
            return []
        self._told[reason] = now
        return [AuthFailed(int(reason), self._count)]

    def untrue(self, kind: ErrorKind, now: float) -> list[LinkEvent]:
        """A message whose seal does not fit: a tag or a counter that is wrong."""
        return self.failed(Failure.COUNTER if kind is ErrorKind.REPLAY else Failure.TAG, now)

    def answer(self, request: Request, now: float) -> tuple[Response, list[LinkEvent]]:
        """The answer to AUTH1 or AUTH2, which travels plain, and what happened. With `Secured` among it the session
        counts from the next message on.
        """
        if request.type == "AUTH1":
            result, body, events = self._first(request.body, now)
        else:
            (result, events), body = self._second(request.body, now), {}
        return Response(request.type, request.id, int(result), body), events

    def _first(self, body: Body, now: float) -> tuple[Result, dict[str, Any], list[LinkEvent]]:
        who, level = self._identity(), body["level"]
        if level not in LEVELS:
            return Result.E_PARAM, {}, []
        if not who.can(_CAPABILITY[level]):
            return Result.E_UNSUPPORTED, {}, []
        if now < self._rest_until:
            return Result.E_BUSY, {}, []
        if self._key is None or level < self.min_level:
            return Result.E_AUTH, {}, self.failed(Failure.LEVEL, now)
        session = int.from_bytes(self._entropy(_SESSION_SIZE), "little")
        nonce_d = self._entropy(NONCE_SIZE)
        self._offered = derive(self._key, who, level, session, bytes.fromhex(body["nonce_h"]), nonce_d)
        proof = self._offered.proof(Side.DEVICE)
        return Result.OK, {"session": session, "nonce_d": nonce_d.hex(), "proof_d": proof.hex()}, []

    def _second(self, body: Body, now: float) -> tuple[Result, list[LinkEvent]]:
        keys, self._offered = self._offered, None
        if keys is None or not hmac.compare_digest(bytes.fromhex(body["proof_h"]), keys.proof(Side.HOST)):
            self._row += 1
            self._rest_until = now + (LONG_REST if self._row >= IN_A_ROW else SHORT_REST)
            return Result.E_AUTH, self.failed(Failure.PROOF, now)
        self._row = 0
        self.session = Session(keys, Side.DEVICE)
        return Result.OK, [Secured(self.session.level)]
