"""The host's requests on endpoint 0 of a Cedar, one after the other (cedar.md §1.1)."""

from __future__ import annotations

from collections import deque
from enum import Enum, auto

from protocols.cedar import wire
from protocols.cedar.datasheet import CONTROL_WITHIN
from protocols.codec import parse
from protocols.errors import DecodeError
from protocols.piece import CONTROL_OUT, Piece, Tail
from protocols.vocabulary import Identity, Resume


class Done(Enum):
    """How a request without data ended, or any that was refused."""

    FLUSHED = auto()
    REFUSED = auto()


class Control:
    """Requests in their order; one is under way at a time."""

    def __init__(self) -> None:
        self._names: deque[str] = deque()
        self._out = False
        self._asked_at = 0.0

    def ask(self, *names: str) -> None:
        """These and no others."""
        self._names = deque(names)
        self._out = False

    @property
    def waiting(self) -> bool:
        """Whether a request could leave now."""
        return bool(self._names) and not self._out

    @property
    def quiet(self) -> bool:
        """Whether nothing is asked for."""
        return not self._names

    def next(self, now: float) -> Piece:
        """The next request."""
        self._out, self._asked_at = True, now
        return Piece(CONTROL_OUT, wire.setup(self._names[0]))

    def late_at(self) -> float | None:
        """When the answer is late."""
        return self._asked_at + CONTROL_WITHIN if self._out else None

    def answered(self, piece: Piece) -> Identity | Resume | Done | DecodeError | None:
        """What an answer says: what it brought, or what is wrong with it; None where nothing was asked for."""
        if not self._out:
            return None
        self._out = False
        name = self._names.popleft()
        if piece.tail is not Tail.END:
            return Done.REFUSED
        if name == "FLUSH":
            return Done.FLUSHED
        try:
            body = parse(wire.CONTROL.by_name[name].response, piece.data)
        except DecodeError as error:
            return error
        if name == "GET_IDENT":
            return Identity.of(body)
        del body["last_cmd_id"]
        return Resume.of(body)
