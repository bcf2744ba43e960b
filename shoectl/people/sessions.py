"""Who is signed in, in memory only: a restart of the daemon signs everybody out."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from shoectl.people.register import Record
from shoectl.people.roles import Person

ABSOLUTE_S: Final = 12 * 3600.0  # however busy somebody is: once a shift a PIN is asked for
SESSIONS_MOST: Final = 256
OF_ONE_MOST: Final = 8  # sessions of one person; the oldest ends


@dataclass
class Session:
    """One sign-in. `token` goes into each form. `record` is what the register said then."""

    person: Person
    record: Record
    began: float
    touched: float
    id: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)


class Sessions:
    """All of them. `find` gives one only if nothing has ended it."""

    def __init__(self, idle_s: float, now: Callable[[], float] = time.monotonic) -> None:
        self.idle_s = idle_s
        self._now = now
        self._all: OrderedDict[str, Session] = OrderedDict()

    def begin(self, person: Person, record: Record) -> Session:
        """Sign somebody in."""
        now = self._now()
        session = Session(person, record, now, now)
        self._all[session.id] = session
        own = [one.id for one in self._all.values() if one.person.number == person.number]
        for id in own[:-OF_ONE_MOST]:
            del self._all[id]
        if len(self._all) > SESSIONS_MOST:
            self._all.popitem(last=False)
        return session

    def find(self, id: str, *, touch: bool = True) -> Session | None:
        """The session of an id, unless it has ended. `touch`: a person did something, so it is not idle."""
        session, now = self._all.get(id), self._now()
        if session is None:
            return None
        if now - session.touched > self.idle_s or now - session.began > ABSOLUTE_S:
            del self._all[id]
            return None
        if touch:
            session.touched = now
        return session

    def end(self, id: str) -> None:
        """Sign out."""
        self._all.pop(id, None)

    def __len__(self) -> int:
        return len(self._all)
