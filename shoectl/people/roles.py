"""What persons may do. An observer looks; a dealer answers for the dealer; a floorperson answers for the floor.

Nobody answers for both: what a floorperson verifies somebody else has dealt. Whoever does both jobs has two numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from shoectl.errors import ShoectlError

OBSERVER: Final = "observer"
DEALER: Final = "dealer"
FLOOR: Final = "floor"
ROLES: Final = (OBSERVER, DEALER, FLOOR)


class Forbidden(ShoectlError):
    """This person may not do that."""


@dataclass(frozen=True)
class Person:
    """Somebody who has signed in: operator number, name, role.

    `also_floor` is the number with which somebody signs for the floor as well: at a simulated table, where one person
    plays everybody. None on a real one.
    """

    number: int
    name: str
    role: str
    also_floor: int | None = None

    def may(self, whose: str) -> bool:
        """Whether this person answers for `dealer` or `floor`."""
        return self.role == whose or (whose == FLOOR and self.also_floor is not None)

    def signs(self, whose: str) -> str:
        """The operator number that this person answers with, for `dealer` or `floor`. Raises Forbidden."""
        if not self.may(whose):
            raise Forbidden(f"a {'floorperson' if whose == FLOOR else whose} answers this, not the role {self.role}")
        return str(self.also_floor if whose == FLOOR and self.role != FLOOR else self.number)
