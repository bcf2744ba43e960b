"""The events of one device on their way into the journal: in order, each once, and what is missing is said."""

from __future__ import annotations

from collections import OrderedDict

from protocols.message import Event

SEQ_MOST = 0xFFFF_FFFF  # the last number that there is: after it nothing could be told any more


class Conflict(Exception):
    """An event cannot be true: most of all one that came twice with the same number and different content."""

    def __init__(self, seq: int, what: str = "came again with other content") -> None:
        super().__init__(f"event {seq} {what}")
        self.seq = seq


class Intake:
    """Events that came in and are not delivered yet, and the last ones that were. `last` is durable."""

    def __init__(self, last: int, keep: int) -> None:
        self.last = last
        self._keep = keep
        self._waiting: dict[int, Event] = {}
        self._again: dict[int, Event] = {}  # durable ones, told again, and only the journal knows what they said
        self._known: OrderedDict[int, Event] = OrderedDict()

    def again(self, last: int) -> Intake:
        """For the next session with the same device: what was delivered is still known, what waited comes again."""
        intake = Intake(last, self._keep)
        intake._known = self._known
        return intake

    @property
    def highest(self) -> int:
        """The highest number that came in, gap or not."""
        return max(self._waiting, default=self.last)

    @property
    def heard(self) -> int:
        """The highest number that came in without a gap before it."""
        seq = self.last
        while seq + 1 in self._waiting:
            seq += 1
        return seq

    def put(self, event: Event) -> None:
        """An event came in. Raises Conflict; a plain repetition is dropped."""
        if event.seq >= SEQ_MOST:
            raise Conflict(event.seq, "has the last number that there is")
        before = self._waiting.get(event.seq) or self._known.get(event.seq)
        if before is not None and before != event:
            raise Conflict(event.seq)
        if event.seq > self.last:
            self._waiting[event.seq] = event
        elif before is None:
            self._again[event.seq] = event

    def due(self, below: int | None = None) -> list[Event]:
        """What may be delivered now, ascending: old events told again that are to be compared, and the new ones that
        follow `last` without a gap; only those below a number if one is given.
        """
        upto = self.heard if below is None else min(self.heard, below - 1)
        again = [self._again[seq] for seq in sorted(self._again) if seq <= upto]
        return again + [self._waiting[seq] for seq in range(self.last + 1, upto + 1)]

    def gap(self) -> int | None:
        """The number after a gap: the lowest that waits and does not follow; None without a gap."""
        after = [seq for seq in self._waiting if seq > self.heard]
        return min(after, default=None)

    def delivered(self, events: list[Event]) -> None:
        """These are durable now."""
        for event in events:
            self._waiting.pop(event.seq, None)
            self._again.pop(event.seq, None)
            self._known[event.seq] = event
            self.last = max(self.last, event.seq)
        while len(self._known) > self._keep:
            self._known.popitem(last=False)

    def skip_to(self, seq: int) -> None:
        """The numbers up to `seq` are lost for good: go on after it."""
        self.last = max(self.last, seq)
