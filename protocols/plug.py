"""What the links of families with endpoints share: pieces in and out; at the device's end, whether it is plugged in."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping

from protocols.errors import ErrorKind, FrameError
from protocols.link import Dropped, Heard, Link, LinkEvent, Side, Silent
from protocols.piece import Piece, PieceFramer

Ears = Mapping[int, Callable[[Piece, float], None]]


class Plug(Link):
    """A link whose bytes are pieces (see `protocols.piece`). `ears`: what is done with a piece, by its endpoint."""

    def __init__(self, ears: Ears) -> None:
        super().__init__()
        self._ears = ears
        self._framer = PieceFramer()

    def receive(self, data: bytes, now: float) -> list[LinkEvent]:
        """See Link. Takes pieces of the endpoints that this end listens to, cut as the pipe likes."""
        self._tally.bytes_in += len(data)
        for item in self._framer.feed(data, now):
            if isinstance(item, FrameError):
                self._drop(item.kind)
            elif item.ep not in self._ears:
                self._drop(ErrorKind.TYPE)
            elif self._listens():
                self._ears[item.ep](item, now)
        return self._take_events()

    def _listens(self) -> bool:
        """Whether pieces are looked at."""
        return True

    def _said(self, out: Iterable[Piece]) -> bytes:
        """Pieces that leave now."""
        parts = [piece.encode() for piece in out]
        data = b"".join(parts)
        self._tally.bytes_out += len(data)
        self._tally.frames_out += len(parts)
        return data

    def _drop(self, kind: ErrorKind, seq: int | None = None) -> None:
        self._tally.dropped += 1
        if self.up:
            self._events.append(Dropped(kind, seq))


class DevicePlug(Plug):
    """The device's end. Nothing is said before the host was heard, and nothing after the plug was pulled."""

    side = Side.DEVICE

    def __init__(self, ears: Ears) -> None:
        super().__init__(ears)
        self._open = False
        self._plugged = False

    @property
    def up(self) -> bool:
        """Whether the device has power and listens."""
        return self._open

    def unplugged(self, now: float) -> list[LinkEvent]:
        """See Link. `Silent` tells the firmware, with 0 ms; `Heard` follows with the first thing that comes in."""
        self._pulled()
        if self.guard is not None:
            self._events += self.guard.end()
        if self._plugged:
            self._plugged = False
            self._events.append(Silent(0))
        return self._take_events()

    @abstractmethod
    def _pulled(self) -> None:
        """What is under way is lost."""

    def _listens(self) -> bool:
        if self._open and not self._plugged:
            self._plugged = True
            self._events.append(Heard())
        return self._open
