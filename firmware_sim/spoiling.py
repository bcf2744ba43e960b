"""What becomes of the frames of one device on their way to the host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from firmware_sim.faults import Fault, FaultPlan
from firmware_sim.mixers import stream
from protocols.piece import CONTROL_IN, Tail

NOISE = b"\x00\xffAT\r\n\x55"


@dataclass(frozen=True)
class Piece:
    """Bytes that arrive together, so many seconds later than they should."""

    data: bytes
    delay: float = 0.0


class Spoiler:
    """Counts the frames of one device and asks the plan about each. `gone` after one behind which the line drops."""

    def __init__(self, device: str, plan: FaultPlan, seed: int, head: int = 0) -> None:
        self.gone: Fault | None = None
        self._device = device
        self._plan = plan
        self._seed = seed
        self._head = head
        self._number = 0
        self._mute_frames = 0
        self._mute_until = 0.0
        self._drowned = 0
        self._rubbish = 0
        self._waiting = b""

    def spoil(self, frame: bytes, now: float) -> Iterator[Piece]:
        """A frame as it arrives: maybe not at all, maybe in pieces."""
        self._number += 1
        dropped = self._take("hang_up")
        unplugged = self._unplug(len(self._waiting + frame), frame)
        self.gone = dropped or self._take("renamed") or unplugged
        self._begin_silence(now)
        if self._drowned:
            self._drowned -= 1
            yield Piece(stream(self._seed, "babble", self._device, self._number).randbytes(self._rubbish))
        elif now < self._mute_until or self._mute_frames or self._take("reply_lost"):
            self._mute_frames = max(self._mute_frames - 1, 0)
        elif unplugged:
            yield Piece(torn(self._waiting + frame, unplugged.number("bytes"), self._head))
            self._waiting = b""
        else:
            yield from self._whole(frame)

    def _begin_silence(self, now: float) -> None:
        if mute := self._take("mute"):
            milliseconds = mute.number("ms")
            self._mute_until = now + milliseconds / 1000
            self._mute_frames = 0 if milliseconds else mute.number("frames")
        if babble := self._take("babble"):
            self._drowned, self._rubbish = babble.number("frames"), babble.number("bytes")

    def _whole(self, frame: bytes) -> Iterator[Piece]:
        """A frame that arrives, one way or another."""
        if self._take("corrupt"):
            frame = flipped(frame, self._seed, "corrupt", self._device, self._number, head=self._head)
        if self._take("noise"):
            frame = NOISE + frame
        if self._take("frame_twice"):
            frame += frame
        frame, self._waiting = self._waiting + frame, b""
        if self._take("merged"):
            self._waiting = frame
        elif late := self._take("late"):
            yield Piece(frame, late.number("ms") / 1000)
        elif split := self._take("split"):
            half = len(frame) // 2
            yield Piece(frame[:half])
            yield Piece(frame[half:], split.number("ms") / 1000)
        else:
            yield Piece(frame)

    def _unplug(self, size: int, frame: bytes) -> Fault | None:
        """The plug is pulled within a frame: one that has more bytes than arrive. Of an answer no part arrives ever."""
        if self._head and frame[0] == CONTROL_IN:
            return None
        longer = size - self._head
        return self._plan.take_since(
            "unplug", self._device, lambda fault: fault.number("bytes") < longer, frame=self._number
        )

    def _take(self, name: str) -> Fault | None:
        return self._plan.take(name, self._device, frame=self._number)


def torn(frame: bytes, size: int, head: int = 0) -> bytes:
    """The first bytes of a frame. Of a piece so many bytes, which no transfer ends with."""
    if not head:
        return frame[:size]
    data = frame[head : head + size]
    return bytes((frame[0], Tail.MORE)) + len(data).to_bytes(2, "little") + data


def flipped(frame: bytes, seed: int, *luck: object, head: int = 0) -> bytes:
    """A frame with one bit of it turned over, behind a `head` that cannot be."""
    if head >= len(frame):
        return frame
    first, last = (head, len(frame)) if head else (1, len(frame) - 1)
    place = stream(seed, *luck).randrange(first, last)
    return frame[:place] + bytes([frame[place] ^ 0x04]) + frame[place + 1 :]
