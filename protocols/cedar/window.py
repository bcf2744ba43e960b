"""Commands of a Cedar host that wait, and those that are out without a reply: four at most (cedar.md §2)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from protocols.cedar.datasheet import CREDITS, TIMEOUT, TRIES
from protocols.cedar.frames import Frame
from protocols.cedar.wire import CATALOGUE
from protocols.message import Request


@dataclass
class Asked:
    """One command. `own`: the link reads events by itself. `seq`, `at`: number and time of its last sending."""

    request: Request
    own: bool = False
    seq: int = 0
    at: float = 0.0
    tries: int = 0
    unreadable: bool = False
    """Its reply came once and did not fit it."""

    def answered_by(self, frame: Frame) -> bool:
        """Whether a reply is this command's: type, frame number and id all match."""
        kind = CATALOGUE.by_name[self.request.type]
        id = self.request.id if kind.command else 0
        return (frame.code, frame.seq, frame.cmd_id) == (kind.code, self.seq, id)


class Window:
    """The host's commands in their order. `seq` is the number of the next frame."""

    def __init__(self, seq: int) -> None:
        self._seq = seq
        self._waiting: deque[Asked] = deque()
        self._out: list[Asked] = []

    def add(self, asked: Asked) -> None:
        """A command that waits for its turn."""
        self._waiting.append(asked)

    @property
    def quiet(self) -> bool:
        """Whether no command waits for a reply or for its turn."""
        return not self._out and not self._waiting

    @property
    def free(self) -> bool:
        """Whether a command that waits could leave."""
        return bool(self._waiting) and len(self._out) < CREDITS

    @property
    def reads(self) -> bool:
        """Whether the link's own reading of events is under way."""
        return any(asked.own for asked in (*self._out, *self._waiting))

    def next(self, now: float) -> Asked:
        """The next command, which counts as sent under a new frame number."""
        asked = self.number(self._waiting.popleft(), now)
        self._out.append(asked)
        return asked

    def number(self, asked: Asked, now: float) -> Asked:
        """A command that leaves now, with the next frame number."""
        asked.seq, asked.at, asked.tries = self._seq, now, asked.tries + 1
        self._seq = self._seq + 1 & 0xFFFF
        return asked

    def answered(self, frame: Frame) -> Asked | None:
        """The command that a reply belongs to, None for a stale one. The command stays until `done`."""
        return next((asked for asked in self._out if asked.answered_by(frame)), None)

    def done(self, asked: Asked) -> None:
        """A command has its reply, or needs none any more."""
        self._out.remove(asked)

    def late_at(self) -> float | None:
        """When the first reply is late."""
        return min((asked.at + TIMEOUT for asked in self._out), default=None)

    def used_up(self) -> bool:
        """Whether some command was sent as often as it may be."""
        return any(asked.tries >= TRIES for asked in self._out)

    def again(self) -> None:
        """Everything without a reply is to be sent again, in the order of its last sending."""
        self._waiting.extendleft(reversed(self._out))
        self._out.clear()

    def forget(self) -> None:
        """The link is lost: nobody waits any more."""
        self._waiting.clear()
        self._out.clear()
