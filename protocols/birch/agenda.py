"""What a Birch host asks next: polls, reads because of them, and what the code above wants (birch.md §3, §4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from protocols.birch.datasheet import DATA_MAX, FLAG_RESTARTED, FLAG_SESSION_NEEDED
from protocols.birch.exchange import Why
from protocols.message import Request
from protocols.reading import Reading


class Agenda:
    """`interval`: seconds between polls, None for no polls and no reads of its own. `eager`: as often as can be."""

    def __init__(self, interval: float | None, eager: bool) -> None:
        self.interval, self.eager = interval, eager
        self.last_poll: Mapping[str, Any] = {}
        self._poll_data: bytes | None = None
        self.queue: deque[Request] = deque()
        self.reading = Reading("READ_EVENTS", DATA_MAX)
        self._polled_at = 0.0
        self._polled_last = False

    def link_up(self, epoch: int, room: int, now: float) -> None:
        """A poll is due at once; an answer has `room` bytes."""
        self._polled_at = now - (self.interval or 0.0)
        self._poll_data = None
        self.reading.room = room
        self.reading.link_up(epoch)

    def knows(self, poll: bytes) -> bool:
        """Whether a POLL answer says what the last one said, and that is no news."""
        return poll == self._poll_data and not self.reading.polls_matter

    def polled(self, body: Mapping[str, Any], data: bytes) -> bool:
        """A POLL answer: whether it tells that the device restarted."""
        self.last_poll, self._poll_data = body, data
        if body["flags"] & FLAG_RESTARTED:
            return True
        if not body["flags"] & FLAG_SESSION_NEEDED:
            self.reading.polled(body["ctr"])
        return False

    def next(self, now: float) -> tuple[Why, Request] | None:
        """What to ask now, if anything. On a slow shared line a poll is due whenever the turn comes."""
        due = self.interval is not None and now >= self._polled_at + self.interval
        waiting = self.queue or (self.interval is not None and self.reading.due)
        if due and not (waiting and self._polled_last):
            return Why.POLL, Request("POLL")
        if self.queue:
            return Why.ASKED, self.queue.popleft()
        if waiting:
            return Why.READ, self.reading.request()
        return (Why.POLL, Request("POLL")) if self.interval is not None and self.eager else None

    def asked(self, poll: bool, now: float) -> None:
        """A command left."""
        self._polled_last = poll
        if poll:
            self._polled_at = now

    def due(self, free: float) -> float | None:
        """When the next command may leave, on a line that is free from a time on."""
        if self.queue:
            return free
        if self.interval is None:
            return None
        return free if self.eager or self.reading.due else max(free, self._polled_at + self.interval)
