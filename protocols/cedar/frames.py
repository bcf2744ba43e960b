"""Cedar's bulk frames (cedar.md §2), and putting them together from the packets of a transfer."""

from __future__ import annotations

from dataclasses import dataclass, replace

import google_crc32c
from construct import Struct

from protocols.cedar.datasheet import FRAME_MAX, HEAD_SIZE, MAGIC, OVERHEAD, PAYLOAD_MAX, VERSION
from protocols.codec import parse
from protocols.errors import ErrorKind, FrameError, LocalError
from protocols.fields import u8, u16, u32
from protocols.piece import Piece, Tail
from protocols.seal import Seal, overhead

REPLY = 1 << 0
_LEVELS = {0: 0, 1 << 3: 1, 1 << 4: 2}
_FLAGS = {level: flag for flag, level in _LEVELS.items()}

_HEAD = Struct("magic" / u16, "ver" / u8, "type" / u8, "flags" / u16, "seq" / u16, "len" / u32, "cmd_id" / u32)


@dataclass(frozen=True)
class Frame:
    """One frame. `level` is that of its seal, 0 where the payload is plain."""

    code: int
    reply: bool
    seq: int
    cmd_id: int
    payload: bytes = b""
    level: int = 0

    def head(self, size: int) -> bytes:
        """The sixteen header bytes of a frame whose payload has `size` bytes; a seal covers them."""
        flags = REPLY * self.reply | _FLAGS[self.level]
        return bytes(
            _HEAD.build(
                {
                    "magic": MAGIC,
                    "ver": VERSION,
                    "type": self.code,
                    "flags": flags,
                    "seq": self.seq,
                    "len": size,
                    "cmd_id": self.cmd_id,
                }
            )
        )

    @property
    def aad(self) -> bytes:
        """What a seal covers besides the payload: the header, with the length of what is sealed."""
        return self.head(len(self.payload))


def seal(frame: Frame, with_: Seal) -> Frame:
    """The frame with its payload sealed. Raises LocalError where it is too long for that."""
    size = len(frame.payload) + overhead(with_.level)
    if size > PAYLOAD_MAX:
        raise LocalError(f"payload of {size} bytes with its seal, at most {PAYLOAD_MAX} fit")
    marked = replace(frame, level=with_.level)
    return replace(marked, payload=with_.close(marked.head(size), frame.payload))


def unseal(frame: Frame, with_: Seal) -> Frame:
    """The frame with its payload in plain. Raises DecodeError: `sealed`, `mac`, `replay`."""
    return replace(frame, level=0, payload=with_.open(frame.aad, frame.payload))


def _check(data: bytes) -> bytes:
    """The CRC-32C of some bytes as it follows them: `123456789` gives 83 92 06 E3."""
    crc: int = google_crc32c.value(data)
    return crc.to_bytes(4, "little")


def encode(frame: Frame) -> bytes:
    """The whole frame with its check value."""
    data = frame.head(len(frame.payload)) + frame.payload
    return data + _check(data)


def decode(data: bytes) -> Frame:
    """Exactly one whole frame. Raises FrameError in the order of cedar.md §2, up to the flags."""
    if len(data) < OVERHEAD:
        raise FrameError(ErrorKind.SHORT)
    if len(data) > FRAME_MAX:
        raise FrameError(ErrorKind.LONG)
    head = parse(_HEAD, data[:HEAD_SIZE])
    if head["magic"] != MAGIC:
        raise FrameError(ErrorKind.MAGIC)
    if head["len"] > PAYLOAD_MAX:
        raise FrameError(ErrorKind.LONG)
    if len(data) != OVERHEAD + head["len"]:
        raise FrameError(ErrorKind.SHORT if len(data) < OVERHEAD + head["len"] else ErrorKind.LENGTH)
    if _check(data[:-4]) != data[-4:]:
        raise FrameError(ErrorKind.CRC)
    if head["ver"] != VERSION:
        raise FrameError(ErrorKind.VERSION)
    level = _LEVELS.get(head["flags"] & ~REPLY)
    if level is None:
        raise FrameError(ErrorKind.FLAGS)
    reply = bool(head["flags"] & REPLY)
    return Frame(head["type"], reply, head["seq"], head["cmd_id"], bytes(data[HEAD_SIZE:-4]), level)


class Transfers:
    """Frames out of the pieces of one bulk endpoint. Nothing but the end of a transfer ends a frame."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._too_long = False

    def take(self, piece: Piece) -> Frame | FrameError | None:
        """A piece came: the frame or the error that it completes. An empty transfer is nothing."""
        if piece.tail in (Tail.STALL, Tail.BABBLE):
            self.clear()
            return FrameError(ErrorKind.LONG) if piece.tail is Tail.BABBLE else None
        if self._too_long:
            self._too_long = piece.tail is Tail.MORE
            return None
        self._held += piece.data
        if len(self._held) > FRAME_MAX:
            self.clear()
            self._too_long = piece.tail is Tail.MORE
            return FrameError(ErrorKind.LONG)
        return self.end() if piece.tail is Tail.END and self._held else None

    def end(self) -> Frame | FrameError:
        """The transfer counts as over: the frame that it was."""
        held, self._held = bytes(self._held), bytearray()
        try:
            return decode(held)
        except FrameError as error:
            return error

    def clear(self) -> None:
        """What came of a transfer so far is forgotten."""
        self._held.clear()
        self._too_long = False

    @property
    def whole(self) -> bool:
        """Whether what is held could be a whole frame that lacks only the end of its transfer."""
        size = len(self._held)
        return size >= OVERHEAD and size == OVERHEAD + int.from_bytes(self._held[8:12], "little")


def frame_at(data: bytes, at: int) -> int:
    """The size of the frame that begins at a place of a recording, 0 where none does."""
    if data[at : at + 2] != MAGIC.to_bytes(2, "little") or len(data) < at + OVERHEAD:
        return 0
    size = OVERHEAD + int.from_bytes(data[at + 8 : at + 12], "little")
    if size > FRAME_MAX or len(data) < at + size:
        return 0
    body, check = data[at : at + size - 4], data[at + size - 4 : at + size]
    return size if _check(body) == check else 0
