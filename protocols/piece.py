"""What passes over a plug at once, where a wire is more than one stream of bytes: USB endpoints and HID reports.

A link takes and gives bytes. Where its medium has endpoints these bytes are pieces, one after the other:

    ep u8 | tail u8 | len u16 | len bytes

`ep` is the endpoint's address (81 = endpoint 1 IN). Endpoint 0 carries control requests: the host's piece (ep 00) holds
the eight setup bytes and the data of the request if it has some, and exactly one piece (ep 80) answers it: the data
stage, empty where there is none, or a stall. `tail` says how a transfer goes on after these bytes. The form is ours and
never on a USB wire; it lets a pipe of bytes (a socket, a terminal, memory) carry what a bus carries.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from protocols.errors import ErrorKind, FrameError
from protocols.frame import Framer

CONTROL_OUT, CONTROL_IN = 0x00, 0x80
SETUP_SIZE = 8
_HEAD = 4
DATA_MAX = 0xFFFF


class Tail(IntEnum):
    """How a transfer goes on after a piece."""

    MORE = 0
    """Only full packets so far: the transfer is not over."""
    END = 1
    """The transfer is over: a short packet, an empty one, or a report."""
    STALL = 2
    """The endpoint refused (STALL); it was cleared where it has to be."""
    BABBLE = 3
    """More came than was asked for, and is lost."""


@dataclass(frozen=True)
class Piece:
    """Bytes of one endpoint that passed at once: whole packets of one transfer, a report, a control request."""

    ep: int
    data: bytes = b""
    tail: Tail = Tail.END

    def encode(self) -> bytes:
        """The piece as it stands among others in a pipe of bytes."""
        return bytes([self.ep, self.tail]) + len(self.data).to_bytes(2, "little") + self.data


class PieceFramer(Framer[Piece]):
    """Pieces out of a pipe of bytes, however the pipe cuts them."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes, now: float) -> list[Piece | FrameError]:
        """See Framer. A tail that is none (kind `value`) ends all understanding: what is held is dropped."""
        self._held += data
        found: list[Piece | FrameError] = []
        while len(self._held) >= _HEAD:
            ep, tail = self._held[0], self._held[1]
            if tail not in Tail.__members__.values():
                self._held.clear()
                found.append(FrameError(ErrorKind.VALUE))
                break
            size = _HEAD + int.from_bytes(self._held[2:_HEAD], "little")
            if len(self._held) < size:
                break
            found.append(Piece(ep, bytes(self._held[_HEAD:size]), Tail(tail)))
            del self._held[:size]
        return found

    def flush(self) -> list[Piece | FrameError]:
        """See Framer."""
        held, self._held = bool(self._held), bytearray()
        return [FrameError(ErrorKind.SHORT)] if held else []


def pieces(data: bytes) -> list[Piece]:
    """The whole pieces in what a link has put out."""
    return [item for item in PieceFramer().feed(data, 0.0) if isinstance(item, Piece)]


def packets(piece: Piece, size: int) -> list[Piece]:
    """A transfer as the packets that a bus carries: full ones of `size` bytes, then a short one, empty if need be."""
    if piece.tail is not Tail.END:
        return [piece]
    parts = [piece.data[at : at + size] for at in range(0, len(piece.data) + 1, size)]
    return [Piece(piece.ep, part, Tail.END if len(part) < size else Tail.MORE) for part in parts]
