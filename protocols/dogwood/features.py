"""The host's reading of feature reports, one after the other (dogwood.md §2)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from protocols.dogwood import reports, wire
from protocols.dogwood.datasheet import CONTROL_WITHIN
from protocols.dogwood.reports import Id
from protocols.errors import DecodeError, ErrorKind
from protocols.piece import CONTROL_OUT, Piece, Tail


@dataclass
class Wanted:
    """One thing that feature reports tell; `id` is that of the question, None where the link itself asks."""

    name: str
    id: int | None = None
    chunks: list[bytes] = field(default_factory=list)

    @property
    def report(self) -> Id:
        """The report that is to come next."""
        return Id[wire.FEATURES[self.name][len(self.chunks)]]

    @property
    def complete(self) -> bool:
        """Whether all reports have come."""
        return len(self.chunks) == len(wire.FEATURES[self.name])

    def body(self) -> dict[str, Any]:
        """What they say. Raises DecodeError."""
        return reports.parse_padded(wire.LAYOUTS[self.name], b"".join(self.chunks))


class Features:
    """What was asked for, in order. One report is under way at a time."""

    def __init__(self) -> None:
        self._wanted: deque[Wanted] = deque()
        self._out = False
        self._asked_at = 0.0

    def want(self, name: str, id: int | None = None) -> None:
        """Ask for something when its turn comes."""
        self._wanted.append(Wanted(name, id))

    def forget(self) -> None:
        """Nobody wants anything any more; what is under way will come all the same and is no answer then."""
        self._wanted.clear()
        self._out = False

    @property
    def waiting(self) -> bool:
        """Whether a request could leave now."""
        return bool(self._wanted) and not self._out

    @property
    def quiet(self) -> bool:
        """Whether nothing is wanted."""
        return not self._wanted

    def late_at(self) -> float | None:
        """When the report that is under way is late."""
        return self._asked_at + CONTROL_WITHIN if self._out else None

    def ask(self, now: float) -> Piece:
        """The next request."""
        self._out, self._asked_at = True, now
        return Piece(CONTROL_OUT, wire.get_feature(self._wanted[0].report))

    def take(self, piece: Piece) -> Wanted | None:
        """A report came, or was refused: what is complete with it. Raises DecodeError, FrameError."""
        if not self._out:
            return None
        self._out = False
        wanted = self._wanted[0]
        if piece.tail is not Tail.END:
            raise DecodeError(ErrorKind.TYPE)
        report = reports.split(piece.data)
        if report.id is not wanted.report:
            raise DecodeError(ErrorKind.TYPE)
        wanted.chunks.append(report.data)
        if not wanted.complete:
            return None
        return self._wanted.popleft()
