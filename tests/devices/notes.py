"""A record of what stations tell, in lists."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from protocols.message import Event
from protocols.vocabulary import Identity, Resume


class Notes:
    """A record that keeps everything in lists; durable at once."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.alarms: list[str] = []
        self.attachments: list[tuple[Identity, Resume]] = []
        self.nodes: list[str] = []
        self.counted: list[Mapping[str, int]] = []
        self.changes = 0
        self.slow = 0.0
        self.broken: Exception | None = None
        self._of: list[tuple[Event, tuple[str, int]]] = []

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
        self.nodes.append(node)
        self.counted.append(counted or {})
        self.attachments.append((identity, resume))
        return max((event.seq for event, of in self._of if of == (identity.serial, identity.epoch)), default=0)

    async def evidence(self, place: str, identity: Identity, events: Sequence[Event]) -> int:
        if self.broken is not None:
            raise self.broken
        await asyncio.sleep(self.slow)
        unit = (identity.serial, identity.epoch)
        for event in events:
            before = next((old for old, of in self._of if of == unit and old.seq == event.seq), None)
            if before is None:
                self.events.append(event)
                self._of.append((event, unit))
            elif before != event:
                self.alarms.append(f"event {event.seq} was told before, with another content")
                return event.seq
        return 0

    async def alarm(self, place: str, text: str) -> None:
        self.alarms.append(text)

    def changed(self, place: str) -> None:
        self.changes += 1

    @property
    def seqs(self) -> list[int]:
        return [event.seq for event in self.events]
