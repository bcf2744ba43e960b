"""Whether cards are awaited from a shoe: then a polled link asks as often as its line allows, else at leisure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from protocols.family import Family, Verb
from protocols.message import Event
from protocols.vocabulary import EventCode

NO_LIMIT = 0xFF  # a lease without limit (birch.md §4)
_GATE_OPEN = ("ARMED", "ENDING")


class Awaiting:
    """How many draws the gate is open for, by what was sent and what came."""

    def __init__(self, family: Family) -> None:
        self._states = family.states
        self._arm = family.verbs.get(Verb.ARM)
        self._end = {family.verbs.get(verb) for verb in (Verb.SHUT, Verb.CLOSE_SHOE, Verb.LOAD)}
        self._owed = 0

    def __bool__(self) -> bool:
        return self._owed > 0

    def replied(self, type: str, body: Mapping[str, Any], ok: bool) -> None:
        """A command was answered."""
        if ok and type == self._arm:
            lease = body["lease"]
            self._owed = 1 << 30 if lease == NO_LIMIT else lease
        elif ok and type in self._end:
            self._owed = 0

    def happened(self, events: Sequence[Event]) -> None:
        """Events came in."""
        for event in events:
            if event.code == EventCode.CARD_DRAWN:
                self._owed = max(0, self._owed - 1)
            elif self._shuts(event):
                self._owed = 0

    def _shuts(self, event: Event) -> bool:
        if event.code == EventCode.STATE:
            return self._states.get(event.body["new"]) not in _GATE_OPEN
        return event.code == EventCode.SHOE_EMPTY

    def reset(self) -> None:
        """A new session: no lease survives it."""
        self._owed = 0
