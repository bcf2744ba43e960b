"""Birch frames: a length, no delimiter, a check value at the end (birch.md §2), and finding them among other bytes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from protocols.birch.datasheet import BROADCAST, DATA_MAX, DEVICES, HOST, OVERHEAD
from protocols.errors import ErrorKind, FrameError
from protocols.frame import Framer, with_x25, x25_fits

_ANSWER = 0x80
_TOGGLE = 0x40
_COMMAND = 0x3F


@dataclass(frozen=True)
class Frame:
    """One frame: `code` is the command, `answer` tells a reply from a command."""

    dst: int
    src: int
    answer: bool
    toggle: int
    code: int
    data: bytes = b""

    @property
    def hdr(self) -> int:
        """The header byte: direction, toggle, command."""
        return _ANSWER * self.answer | _TOGGLE * self.toggle | self.code

    @property
    def aad(self) -> bytes:
        """What a seal covers besides the data."""
        return bytes([self.dst, self.src, self.hdr])


def encode(frame: Frame) -> bytes:
    """The whole frame with its check value."""
    return with_x25(bytes([frame.dst, len(frame.data), frame.src, frame.hdr]) + frame.data)


def decode(data: bytes) -> Frame:
    """Exactly one whole frame. Raises FrameError in the order of birch.md §2."""
    if len(data) < OVERHEAD:
        raise FrameError(ErrorKind.SHORT)
    if data[1] > DATA_MAX:
        raise FrameError(ErrorKind.LONG)
    if len(data) != data[1] + OVERHEAD:
        raise FrameError(ErrorKind.SHORT if len(data) < data[1] + OVERHEAD else ErrorKind.LENGTH)
    if not x25_fits(data):
        raise FrameError(ErrorKind.CRC)
    if not _addressed(data):
        raise FrameError(ErrorKind.ADDRESS)
    hdr = data[3]
    return Frame(data[0], data[2], bool(hdr & _ANSWER), hdr >> 6 & 1, hdr & _COMMAND, bytes(data[4:-2]))


def _addressed(head: bytes | bytearray) -> bool:
    """Whether the header has a right pair of addresses, as far as it is there."""
    if len(head) < 4:
        return head[0] in (BROADCAST, HOST) or head[0] in DEVICES
    if head[3] & _ANSWER:
        return head[0] == HOST and head[2] in DEVICES
    return head[2] == HOST and (head[0] == BROADCAST or head[0] in DEVICES)


class _Look(Enum):
    FRAME = auto()
    NONE = auto()
    WAIT = auto()
    DOUBTFUL = auto()


class BirchFramer(Framer[Frame]):
    """Finds frames by length, check value and addresses. After a false start the search goes on one byte further.

    A beginning with a wrong pair of addresses may still prove to be a whole frame, so it is kept, but what follows is
    looked at meanwhile: it holds nothing up. `gap`: a pause that long drops an open frame (device side).
    """

    def __init__(self, gap: float | None = None) -> None:
        self._held = bytearray()
        self._gap = gap
        self._last = 0.0

    def feed(self, data: bytes, now: float) -> list[Frame | FrameError]:
        """See Framer."""
        found: list[Frame | FrameError] = []
        if self._held and self._gap is not None and now - self._last >= self._gap:
            self._held.clear()
            found.append(FrameError(ErrorKind.SHORT))
        self._last = now
        self._held += data
        return found + self._search()

    def flush(self) -> list[Frame | FrameError]:
        """See Framer. What a false start swallowed is searched again."""
        found: list[Frame | FrameError] = [FrameError(ErrorKind.SHORT)] if self._held else []
        while self._held:
            del self._held[0]
            found += self._search()
        return found

    def _search(self) -> list[Frame | FrameError]:
        found: list[Frame | FrameError] = []
        held, start, at = self._held, 0, 0
        rubbish: ErrorKind | None = None
        while at < len(held):
            match self._look(at):
                case _Look.FRAME:
                    size = held[at + 1] + OVERHEAD
                    if at > start or rubbish:
                        found.append(FrameError(rubbish or ErrorKind.SHORT))
                    found.append(self._cut(bytes(held[at : at + size])))
                    at = start = at + size
                    rubbish = None
                    continue
                case _Look.WAIT:
                    break
                case _Look.NONE if at == start:
                    rubbish = rubbish or (ErrorKind.LONG if held[at + 1] > DATA_MAX else ErrorKind.CRC)
                    start += 1
                case _:
                    pass
            at += 1
        if rubbish:
            found.append(FrameError(rubbish))
        del held[:start]
        return found

    def _look(self, at: int) -> _Look:
        held = self._held
        there = len(held) - at
        if there < 2:
            return _Look.WAIT if _addressed(held[at:]) else _Look.DOUBTFUL
        if held[at + 1] > DATA_MAX:
            return _Look.NONE
        size = held[at + 1] + OVERHEAD
        if there >= size:
            return _Look.FRAME if x25_fits(bytes(held[at : at + size])) else _Look.NONE
        return _Look.WAIT if _addressed(held[at : at + 4]) else _Look.DOUBTFUL

    @staticmethod
    def _cut(data: bytes) -> Frame | FrameError:
        try:
            return decode(data)
        except FrameError as error:
            return error
