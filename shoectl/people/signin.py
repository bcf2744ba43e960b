"""Signing in: by number and PIN, by a token, or by a link that works once."""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from argon2 import PasswordHasher

from shoectl.errors import BadInput, ShoectlError
from shoectl.people.attempts import Attempts, TooMany
from shoectl.people.numbers import operator_number
from shoectl.people.pins import HASHER, hash_pin, pin_fits, token_fits
from shoectl.people.register import Record, Register
from shoectl.people.roles import Person
from shoectl.people.sessions import Session, Sessions

log = logging.getLogger("shoectl.people")

AT_ONCE: Final = 2  # PINs that are checked at the same time; each takes 64 MiB and a tenth of a second of a core
WAITING_MOST: Final = 16  # that wait for it; more are sent away
LINK_S: Final = 1800.0


class NotSignedIn(ShoectlError):
    """Number and PIN do not match; or there is nobody."""


class NotNow(ShoectlError):
    """The register cannot be read: nobody is let in, and who is in is not let do anything."""


@dataclass
class _Link:
    text: str
    until: float
    number: int


class SignIn:
    """Who may do what at one table, whichever face asks. `idle_s`: after so long without a touch a session ends.

    `also_floor`: at a simulated table one person signs for the dealer and for the floor (roles.py).
    """

    def __init__(
        self,
        register: Register,
        *,
        idle_s: float = 900.0,
        also_floor: int | None = None,
        hasher: PasswordHasher = HASHER,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.register = register
        self.sessions = Sessions(idle_s, now)
        self.failures = 0  # wrong PINs and tokens since the start
        self._also_floor = also_floor
        self._hasher, self._now = hasher, now
        self._attempts = Attempts(now)
        self._link: _Link | None = None
        self._checking = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0
        self._nobody = ""  # the hash of a PIN that nobody has: what nobody's number is checked against

    def _look_up(self, number: int) -> Record | None:
        try:
            return self.register.find(number)
        except BadInput as error:
            log.error("nobody can sign in: %s", error)
            raise NotNow("Nobody can sign in at the moment: the register cannot be read.") from None

    # by PIN

    async def begin(self, number: str, pin: str, address: str) -> Session:
        """Sign in. Raises NotSignedIn with the tries that are left, TooMany, NotNow."""
        record = await self.proved(number, pin, address)
        return self.sessions.begin(self._person(record), record)

    async def proved(self, number: str, pin: str, address: str) -> Record:
        """Who this is, by number and PIN: for a second signature as well. Raises as `begin` does."""
        who = operator_number(number.strip())
        record = self._look_up(who)
        known = record is not None and record.pin is not None
        self._attempts.check(who, address, known=known)
        if self._waiting >= WAITING_MOST:
            raise TooMany("Too many sign-ins at once: wait a moment, then try again.", 1.0)
        left = self._attempts.count(who, address, known=known)
        if await self._fits(pin, record.pin if record else None) and record and self._look_up(who) == record:
            self._attempts.succeeded(who, address)
            return record
        self.failures += 1
        tries = "Locked for 10 minutes." if left == 0 else f"{left} {'try' if left == 1 else 'tries'} left."
        raise NotSignedIn(f"Number and PIN do not match. {tries}")

    async def _fits(self, pin: str, kept: str | None) -> bool:
        """Check a PIN in a thread: the table does not wait for it. Nobody's takes as long as anybody's."""
        self._waiting += 1
        try:
            async with self._checking:
                if not self._nobody:
                    self._nobody = await asyncio.to_thread(hash_pin, secrets.token_urlsafe(16), self._hasher)
                fits = await asyncio.to_thread(pin_fits, pin[:64], kept or self._nobody, self._hasher)
                return fits and kept is not None
        finally:
            self._waiting -= 1

    # by token

    def by_token(self, token: str) -> Person:
        """The person whose program shows this token. Raises NotSignedIn, NotNow."""
        record = self._look_up(operator_number(token.partition(".")[0]))
        if record is not None and record.token is not None and token_fits(token, record.token):
            return self._person(record)
        self.failures += 1
        raise NotSignedIn("the token is not valid")

    # by link

    def make_link(self, number: int) -> str:
        """The secret part of a link that signs this person in, once, within half an hour."""
        self._link = _Link(secrets.token_urlsafe(16), self._now() + LINK_S, number)
        return self._link.text

    def by_link(self, text: str) -> Session:
        """Sign in by a link. Raises NotSignedIn: it was used, its time is over, it never was one."""
        link = self._link
        if link is None or not hmac.compare_digest(text.encode(), link.text.encode()) or self._now() > link.until:
            self.failures += 1
            raise NotSignedIn("This link was used, or its time is over. Sign in with number and PIN.")
        self._link = None
        record = self._look_up(link.number)
        if record is None:
            raise NotSignedIn("This link is of somebody who is not in the register.")
        return self.sessions.begin(self._person(record), record)

    # a session

    def find(self, id: str, *, touch: bool = True) -> Session | None:
        """The session of an id; None once it has ended: by time, or since its person's role or PIN is another one."""
        session = self.sessions.find(id, touch=touch)
        if session is None:
            return None
        now = self._look_up(session.person.number)
        if now is None or (now.role, now.pin) != (session.record.role, session.record.pin):
            self.sessions.end(id)
            return None
        return session

    def _person(self, record: Record) -> Person:
        also = self._also_floor if record.role == "dealer" else None
        return Person(record.number, record.name, record.role, also)
