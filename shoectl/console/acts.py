"""What persons do through the pages: each act with the number of whoever signs it, and his role checked first.

A step of the floor is signed by a floorperson: by the one who is signed in, or by a second one who enters number and
PIN at the same page. Whoever is given a second signature signs with it; a card that nobody could read takes both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from shoectl.console.face import Caller, Face
from shoectl.people.roles import DEALER, FLOOR, Forbidden, Person
from shoectl.people.signin import NotSignedIn
from shoectl.table.desk import default_by, ref_of, says
from shoectl.table.holds import CARD

Given = Callable[[type[Any]], Mapping[str, Any]]  # what is answered, once the class of the answer is known


@dataclass(frozen=True)
class Second:
    """Another person's signature."""

    operator: str
    pin: str = field(repr=False)


@dataclass(frozen=True)
class Acts:
    """What one caller does, from one address. Each raises ShoectlError, and nothing was written then."""

    face: Face
    caller: Caller
    address: str

    async def answer(self, ref: str, given: Given, second: Second | None = None) -> int:
        """Answer the open step. Returns the number of the entry."""
        step = self.face.desk.runner.at(ref_of(ref)).step
        whose = default_by(step.do)
        answer = given(step.takes)
        signer = await self._proved(second) if second else self.caller.person
        return await self.face.desk.answer(ref, answer, by=signer.signs(whose))

    async def held(self, ref: str, how: str, card: str | None = None, second: Second | None = None) -> int:
        """Say a word to the hold of the open step: `go on` by whoever answers here, `give up` by a floorperson, `card`
        by two. Returns the number of the entry.
        """
        other = await self._proved(second) if second else None
        if how == CARD:
            both = (_own(self.caller.person), _own(other) if other else self._also())
            return await self.face.desk.end_hold(ref, how, by=both, card=card or "")
        signer = other or self.caller.person
        by = signer.signs(FLOOR) if says(how) == FLOOR else _own(signer)
        return await self.face.desk.end_hold(ref, how, by=(by,), card=card)

    async def report(self, ref: str, what: str, at: str, card: str | None = None) -> int:
        """Report what only people can see. Returns the number of the entry."""
        return await self.face.desk.report(ref, what, at, by=_own(self.caller.person), card=card)

    def call_floor(self) -> None:
        """Call a floorperson; one who says the same has come."""
        _own(self.caller.person)
        self.face.call_floor(self.caller.person)

    async def _proved(self, second: Second) -> Person:
        """The second person. Raises Forbidden (who is signed in stays so), TooMany, NotNow."""
        try:
            record = await self.face.people.proved(second.operator, second.pin, self.address)
        except NotSignedIn as error:
            raise Forbidden(str(error)) from None
        return Person(record.number, record.name, record.role)

    def _also(self) -> str:
        """The second number of somebody who signs for two (a simulated table). Raises Refused by the desk elsewhere."""
        person = self.caller.person
        return person.signs(FLOOR) if person.may(FLOOR) else _own(person)


def _own(person: Person) -> str:
    """The number of somebody who may act at all, as dealer or as floorperson. Raises Forbidden for an observer."""
    return person.signs(FLOOR if person.role == FLOOR else DEALER)
