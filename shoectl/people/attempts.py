"""How often somebody may try to sign in: fewer and fewer, for each operator and each address.

After a wrong PIN the next try waits: half a second, then twice as long each time. After `TRIES` in a row the operator
is locked for a while, whoever it was; an address that tried too many numbers is locked as well. What is counted is
forgotten once nothing was wrong for as long as that. Numbers that nobody has are counted like the others, so that an
answer does not tell which exist. What is remembered is bounded: known operators are never forgotten for the sake of
strangers.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from shoectl.errors import ShoectlError

TRIES: Final = 5  # wrong ones in a row until an operator is locked
ADDRESS_TRIES: Final = 20  # wrong ones of one address, whichever numbers it tried
LOCKED_S: Final = 600.0
FIRST_DELAY_S: Final = 0.5
STRANGERS_MOST: Final = 1000  # numbers that nobody has, and addresses, that are remembered


K = TypeVar("K")


class TooMany(ShoectlError):
    """Not now: `wait` seconds have to pass first."""

    def __init__(self, text: str, wait: float) -> None:
        super().__init__(text)
        self.wait = wait


@dataclass
class _Count:
    wrong: int = 0
    last: float = 0.0  # when the last wrong one was
    until: float = 0.0  # no try before


class Attempts:
    """Counts wrong tries. `now` gives seconds that never go back."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._known: dict[int, _Count] = {}
        self._strangers: OrderedDict[int, _Count] = OrderedDict()
        self._addresses: OrderedDict[str, _Count] = OrderedDict()

    def check(self, number: int, address: str, *, known: bool) -> None:
        """Whether a try may be made now. Raises TooMany."""
        now = self._now()
        for count, most in ((self._of(number, known), TRIES), (self._at(address), ADDRESS_TRIES)):
            if count.until > now:
                wait = count.until - now
                if count.wrong >= most:
                    raise TooMany(f"Locked for {_minutes(wait)}: too many tries.", wait)
                raise TooMany("Too fast: wait a moment, then try again.", wait)
            if count.wrong >= most or now >= count.last + LOCKED_S:
                count.wrong = 0  # it was locked and the time is over, or it is long ago

    def count(self, number: int, address: str, *, known: bool) -> int:
        """A try, counted as a wrong one until it has succeeded: tries that are made at once are as many as those made
        one after the other. Returns how many are left until the operator is locked.
        """
        count, place, now = self._of(number, known), self._at(address), self._now()
        count.wrong += 1
        place.wrong += 1
        count.last = place.last = now
        count.until = now + (LOCKED_S if count.wrong >= TRIES else FIRST_DELAY_S * 2 ** (count.wrong - 1))
        if place.wrong >= ADDRESS_TRIES:
            place.until = now + LOCKED_S
        return max(0, TRIES - count.wrong)

    def succeeded(self, number: int, address: str) -> None:
        """It was the right PIN: this try and earlier ones of this operator count no more. Earlier ones of the address
        do: a colleague's sign-in buys nobody new tries.
        """
        self._known.pop(number, None)
        place = self._at(address)
        place.wrong -= 1
        if place.wrong < ADDRESS_TRIES:
            place.until = 0.0

    def _of(self, number: int, known: bool) -> _Count:
        if not known:
            return _remembered(self._strangers, number)
        if number not in self._known:
            self._known[number] = self._strangers.pop(number, _Count())
        return self._known[number]

    def _at(self, address: str) -> _Count:
        return _remembered(self._addresses, address)


def _remembered(table: OrderedDict[K, _Count], key: K) -> _Count:
    count = table.setdefault(key, _Count())
    table.move_to_end(key)
    if len(table) > STRANGERS_MOST:
        table.popitem(last=False)
    return count


def _minutes(seconds: float) -> str:
    minutes = -(-int(seconds) // 60)
    return "a minute" if minutes <= 1 else f"{minutes} minutes"
