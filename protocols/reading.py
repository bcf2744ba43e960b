"""Which events of a device were handed up, and whether there are more to be read (birch.md §4, §8; cedar.md §7)."""

from __future__ import annotations

from protocols.events import EVENT_MAX
from protocols.message import Event, Request, Response

_ALL = 0xFF


class Reading:
    """The host's place in the event ring. Reading begins once `begin` was called, and again for each epoch.

    `type` is the family's message that reads events; `room` the bytes that an answer to it has for result and events.
    """

    def __init__(self, type: str, room: int) -> None:
        self._type = type
        self.room = room
        self.after: int | None = None
        self._epoch: int | None = None
        self._ctr: int | None = None
        self._unread = False
        self._limit = _ALL

    def begin(self, seq: int) -> None:
        """Events up to `seq` are durable at the host: read what follows."""
        self.after = seq
        self._unread = True
        self._limit = _ALL

    def link_up(self, epoch: int) -> None:
        """After a reset the next poll is news. In another epoch all numbers mean something else."""
        if self._epoch is not None and epoch != self._epoch:
            self.after = None
        self._epoch = epoch
        self._ctr = None
        self._limit = _ALL

    def polled(self, ctr: int) -> None:
        """What a poll or a doorbell counted: another number than before means events that were not read."""
        if ctr != self._ctr:
            self._ctr = ctr
            self._unread = True
            self._limit = _ALL

    def doubt(self) -> None:
        """Nobody has counted for long: there may be events that were not read."""
        self._unread = True

    @property
    def due(self) -> bool:
        """Whether events have to be read."""
        return self._unread and self.after is not None

    @property
    def polls_matter(self) -> bool:
        """Whether a poll would be news even if it says the same as the one before."""
        return self._ctr is None

    @property
    def caught_up(self) -> bool:
        """Whether everything that the last poll knew of was read."""
        return self._ctr is not None and self.after is not None and not self._unread

    def request(self) -> Request:
        """The next read."""
        return Request(self._type, 0, {"from": (self.after or 0) + 1, "max": self._limit})

    def read(self, response: Response, size: int) -> list[Event]:
        """The new events of an answer of `size` bytes. With room left in it for one more, these were all."""
        if not response.ok:
            self._unread, self._ctr = False, None
            return []
        events: tuple[Event, ...] = response.body["events"]
        after = self.after or 0
        fresh = [event for event in events if event.seq > after]
        self.after = max([after, *(event.seq for event in fresh)])
        whole = self.room - size > EVENT_MAX and len(events) < self._limit
        self._unread = bool(fresh) and not whole
        self._limit = _ALL
        return fresh

    def misread(self, seq: int | None) -> None:
        """Event `seq` cannot be read, twice: read those before it, then wait until something new is recorded."""
        before = 0 if seq is None or self.after is None else seq - self.after - 1
        self._unread = 0 < before < _ALL and self._limit == _ALL
        self._limit = before if self._unread else _ALL
