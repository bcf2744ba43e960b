"""Alder's transfer of DATA: numbers modulo 8, at most four unacknowledged, go back to the first missing (§3.3).

Both ends have one. It knows neither states nor bytes: the link gives it what came in and asks what has to go out.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import islice

from protocols.alder.datasheet import ACK_WITHIN, MODULO, T1_FIRST, T1_MOST, WINDOW
from protocols.alder.wire import Frame, Kind


@dataclass
class _Sent:
    """A DATA that is not acknowledged yet. `ended`: when its last byte left, None while it waits to leave again."""

    number: int
    payload: bytes
    ended: float | None = None
    times: int = 0


class Window:
    """One end of the transfer. Times are seconds."""

    def __init__(self) -> None:
        self.queue: deque[bytes] = deque()
        self.stopped = False
        """This side cannot take more: RNR goes out in place of RR."""
        self.reset()

    def reset(self) -> None:
        """The link came up or went down: numbers start at 0, and nothing of before is sent."""
        self.queue.clear()
        self._sent: deque[_Sent] = deque()
        self._next = 0
        self.expected = 0
        self._taken = 0
        self._unacknowledged = 0
        self._answer_at: float | None = None
        self._reject = False
        self._rejected = False
        self._t1 = T1_FIRST
        self.timeouts = 0
        self.held_since: float | None = None
        """When the other side said RNR, None while it takes DATA."""

    # what came in

    def fits(self, nr: int) -> bool:
        """Whether N(R) lies between the oldest unacknowledged number and the next one."""
        return (nr - self._oldest) % MODULO <= len(self._sent)

    def acknowledge(self, nr: int) -> None:
        """Everything before `nr` has arrived. Progress sets T1 back."""
        while self._sent and self._oldest != nr:
            self._sent.popleft()
            self._t1 = T1_FIRST
            self.timeouts = 0

    def go_back(self) -> None:
        """REJ: what is still unacknowledged leaves again."""
        for each in self._sent:
            each.ended = None

    def hold(self, now: float) -> None:
        """RNR: no new DATA."""
        if self.held_since is None:
            self.held_since = now

    def release(self) -> None:
        """RR or REJ after RNR."""
        self.held_since = None

    def take(self, number: int, now: float) -> bool:
        """A DATA came in: whether it is the expected one. Else it is dropped and answered by RR or REJ."""
        if number == self.expected:
            self.expected = (number + 1) % MODULO
            self._taken = min(WINDOW, self._taken + 1)
            self._unacknowledged += 1
            self._rejected = False
            full = self._unacknowledged >= WINDOW
            self._answer_by(now if full else now + ACK_WITHIN)
            return True
        if 1 <= (self.expected - number) % MODULO <= self._taken:
            self._answer_by(now)
        elif not self._rejected:
            self._reject = self._rejected = True
        return False

    # what goes out

    def frames(self, now: float) -> list[Frame]:
        """What may leave now, in order: what has to leave again, new DATA, else REJ or RR if one is owed."""
        frames = []
        if self._reject:
            frames.append(self._acknowledged(Frame(Kind.REJ, nr=self.expected)))
        for each in self._sent:
            if each.ended is None:
                frames.append(self._data(each))
        while self.queue and len(self._sent) < WINDOW and self.held_since is None:
            fresh = _Sent(self._next, self.queue.popleft())
            self._next = (self._next + 1) % MODULO
            self._sent.append(fresh)
            frames.append(self._data(fresh))
        if self._answer_at is not None and now >= self._answer_at:
            frames.append(self.answer())
        return frames

    def answer(self) -> Frame:
        """RR, or RNR while this side is stopped."""
        return self._acknowledged(Frame(Kind.RNR if self.stopped else Kind.RR, nr=self.expected))

    def left(self, ended: float) -> None:
        """All that `frames` gave is on the wire; its last byte leaves at `ended`."""
        for each in self._sent:
            if each.ended is None:
                each.ended = ended

    def _data(self, each: _Sent) -> Frame:
        retx = 1 if each.times else 0
        each.times += 1
        return self._acknowledged(Frame(Kind.DATA, each.number, retx, self.expected, each.payload))

    def _acknowledged(self, frame: Frame) -> Frame:
        self._answer_at = None
        self._unacknowledged = 0
        self._reject = False
        return frame

    # time

    def expire(self, now: float) -> bool:
        """Whether T1 ran out: then everything unacknowledged leaves again, and T1 doubles."""
        due = self._t1_due
        if due is None or now < due:
            return False
        self.timeouts += 1
        self._t1 = min(T1_MOST, 2 * self._t1)
        self.go_back()
        return True

    def deadline(self) -> float | None:
        """When T1 runs out or an acknowledgement is owed; 0.0 when something may leave at once."""
        if self.waiting:
            return 0.0
        times = [at for at in (self._t1_due, self._answer_at) if at is not None]
        return min(times, default=None)

    @property
    def waiting(self) -> bool:
        """Whether a frame could leave without time passing."""
        room = len(self._sent) < WINDOW and self.held_since is None
        return (
            self._reject or bool(self.queue and room) or any(each.ended is None for each in islice(self._sent, WINDOW))
        )

    @property
    def quiet(self) -> bool:
        """Whether nothing waits to be sent or acknowledged."""
        return not self._sent and not self.queue

    @property
    def _oldest(self) -> int:
        return self._sent[0].number if self._sent else self._next

    @property
    def _t1_due(self) -> float | None:
        if not self._sent or self._sent[0].ended is None:
            return None
        return self._sent[0].ended + self._t1

    def _answer_by(self, at: float) -> None:
        self._answer_at = at if self._answer_at is None else min(at, self._answer_at)
