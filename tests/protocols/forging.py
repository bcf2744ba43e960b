"""Frames changed on purpose, with a check value that is right again: what an attacker can do, and noise cannot."""

from __future__ import annotations

import google_crc32c

from protocols.alder import wire as alder
from protocols.frame import with_x25

_ALDER_FLAG = b"\x7e"


def with_each_byte_changed(family: str, data: bytes) -> list[bytes]:
    """The frame once for each of its bytes outside the check value, with that byte changed."""
    match family:
        case "alder":
            frame = alder.decode(data[1:-1])
            body = bytes([frame.ctrl]) + frame.payload
            return [_stuffed(turned) for turned in _turned(body)]
        case "birch":
            return [with_x25(turned) for turned in _turned(data[:-2])]
        case "cedar":
            return [turned + google_crc32c.value(turned).to_bytes(4, "little") for turned in _turned(data[:-4])]
        case _:
            return _turned(data)


def _turned(data: bytes) -> list[bytes]:
    return [data[:at] + bytes([data[at] ^ 0x01]) + data[at + 1 :] for at in range(len(data))]


def _stuffed(body: bytes) -> bytes:
    inner = with_x25(body)
    for special in (0x7D, 0x7E, 0x11, 0x13):
        inner = inner.replace(bytes([special]), bytes([0x7D, special ^ 0x20]))
    return _ALDER_FLAG + inner + _ALDER_FLAG
