"""To whom a station tells what happens: the table's journal, or a list in a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from protocols.message import Event
from protocols.vocabulary import Identity, Resume


class Record(Protocol):
    """What a station needs of the journal. Whatever a method raises ends the station's task, and so the daemon."""

    async def attached(
        self,
        place: str,
        identity: Identity,
        resume: Resume,
        family: str,
        *,
        node: str = "",
        counted: Mapping[str, int] | None = None,
    ) -> int:
        """A device is there. Returns the last durable event seq for its (serial, epoch), 0 if there is none.

        `node`: what the stable name of the port stood for when it was opened. `counted`: what the link of the place
        has counted before, since the program started (`Station.counters`).
        """
        ...

    async def evidence(self, place: str, identity: Identity, events: Sequence[Event]) -> int:
        """Events, ascending: new ones, and old ones that the device tells again. Durable when this returns; only then
        the device may forget them.

        Returns 0, or the number of the first that was told before with another content, or is told only now that later
        ones were: that one was alarmed, nothing from it on was written, and the device must not forget it
        (common.md §7).
        """
        ...

    async def alarm(self, place: str, text: str) -> None:
        """Something that makes the device's word worthless until a count: one plain sentence, without a card."""
        ...

    def changed(self, place: str) -> None:
        """`online` or `condition` of the station changed, or the device stands otherwise than it was answered."""
        ...
