"""The host's place in the stream of retained reports (dogwood.md §3)."""

from __future__ import annotations

from protocols.dogwood.reports import Ack, Retained
from protocols.message import Event


class Retention:
    """Events as they come, each handed up once, and the acknowledgements that are owed.

    `listening` once the code above has said that it takes events.
    """

    def __init__(self) -> None:
        self.listening = False
        self.acks: list[Ack] = []
        """What is to be sent, in order."""
        self._current: Retained | None = None
        self.handed = 0
        """The number of the event that was handed up last."""
        self._acked = 0
        self._known: Event | None = None  # that event

    def listen(self) -> None:
        """Events are wanted from now on."""
        if not self.listening:
            self.listening = True
            self.resync()

    def link_up(self) -> None:
        """A link came up: nothing was handed up on it yet."""
        self.handed = self._acked = 0
        self.resync()

    def resync(self) -> None:
        """Ask for the outstanding report; what was owed before is void."""
        self._current = None
        self.acks = [Ack()] if self.listening else []

    def take(self, retained: Retained) -> Event | None:
        """A report came: its event if it is to be handed up. What was acknowledged before is acknowledged again; where
        it says something else now, the code above has to know (common.md §7).
        """
        seq, same = retained.event.seq, retained.event == self._known
        if seq == self._acked and same:
            self.acks.append(Ack(retained.tid, seq))
            return None
        self._current = retained
        if seq == self.handed and same:
            return None
        self.handed, self._known = seq, retained.event
        return retained.event

    def durable(self, upto: int) -> None:
        """Everything up to a number is durable: what is outstanding and was handed up may go."""
        current = self._current
        if current is not None and current.event.seq == self.handed <= upto:
            self._acked, self._current = self.handed, None
            self.acks.append(Ack(current.tid, current.event.seq))
