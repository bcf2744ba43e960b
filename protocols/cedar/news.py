"""What a Cedar's doorbell says, and what the host reads of its ring because of that (cedar.md §1.2, §7)."""

from __future__ import annotations

from protocols.cedar import wire
from protocols.cedar.datasheet import DOORBELL_MISSED, FLAG_SESSION_NEEDED, PAYLOAD_MAX
from protocols.message import Hint
from protocols.reading import Reading


class News:
    """The last doorbell and the place in the ring. Without a doorbell for long the ring is read all the same."""

    def __init__(self) -> None:
        self.reading = Reading("EVENT_READ", PAYLOAD_MAX)
        self.doorbell: Hint | None = None
        self._rang_at = 0.0

    def link_up(self, epoch: int, room: int, now: float) -> None:
        """After a reset nothing is known; an answer has `room` bytes."""
        self._rang_at, self.doorbell = now, None
        self.reading.room = room
        self.reading.link_up(epoch)

    def rang(self, data: bytes, now: float) -> Hint:
        """A doorbell came. Raises FrameError, DecodeError."""
        hint = Hint(wire.read_doorbell(data))
        self._rang_at, self.doorbell = now, hint
        self.reading.polled(hint.body["head_seq"])
        return hint

    def due(self, level: int) -> bool:
        """Whether events are to be read. A device that says that it needs a session gives none without."""
        needed = self.doorbell is not None and self.doorbell.body["flags"] & FLAG_SESSION_NEEDED
        return self.reading.due and (bool(level) or not needed)

    @property
    def missed_at(self) -> float:
        """When a doorbell is missed."""
        return self._rang_at + DOORBELL_MISSED

    def missed(self, now: float) -> None:
        """The doorbell is missed: the interrupt endpoint may be dead."""
        self._rang_at = now
        self.reading.doubt()
