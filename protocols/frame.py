"""What framing is, whatever the family, and the check value that two of them share.

A framer takes bytes as they come off the wire and gives whole frames, or the reason why some bytes were none. It never
raises on input, keeps a bounded amount of it, and goes on with the next frame after any rubbish.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from binascii import crc_hqx
from typing import Generic, TypeVar

from protocols.errors import FrameError

F = TypeVar("F")

_REFLECTED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def x25(data: bytes) -> int:
    """The X-25 check value (polynomial 1021 reflected, start and final XOR FFFF): `123456789` gives 906E.

    The standard library has the same polynomial without reflection, so bits are turned around on the way in and out.
    """
    crc = crc_hqx(data.translate(_REFLECTED), 0xFFFF)
    return (_REFLECTED[crc & 0xFF] << 8 | _REFLECTED[crc >> 8]) ^ 0xFFFF


def with_x25(data: bytes) -> bytes:
    """The bytes followed by their check value, low byte first."""
    return data + x25(data).to_bytes(2, "little")


def x25_fits(data: bytes) -> bool:
    """Whether the last two bytes are the check value of those before them."""
    return x25(data[:-2]) == int.from_bytes(data[-2:], "little")


class Framer(ABC, Generic[F]):
    """Bytes in, frames out. One per direction and link; `now` is seconds on any steady clock."""

    @abstractmethod
    def feed(self, data: bytes, now: float) -> list[F | FrameError]:
        """Take bytes; give what they completed, in order: frames, and an error for each stretch that is none."""

    @abstractmethod
    def flush(self) -> list[F | FrameError]:
        """Nothing more will come: give whole frames that a false start still held back, drop the rest."""
