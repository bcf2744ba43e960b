"""Frames changed on purpose, with a check value that is right again: what an attacker can do, and noise cannot."""

from __future__ import annotations

import google_crc32c

from protocols.alder import wire as alder
from protocols.frame import with_x25
from protocols.piece import Piece, pieces

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


def first_sealed_changed(family: str, data: bytes) -> bytes:
    """The last byte of the first sealed message in these bytes of a host changed, its check value made right again."""
    match family:
        case "alder":
            for part in data.split(_ALDER_FLAG):
                if part and alder.decode(part).payload[:1] == b"\x50":
                    frame = alder.decode(part)
                    return data.replace(part, _stuffed(_last_turned(bytes([frame.ctrl]) + frame.payload))[1:-1])
            return data
        case "birch":
            return with_x25(_last_turned(data[:-2])) if data[1] and data[3] & 0x3F != 1 else data
        case _:
            return b"".join(_piece_changed(family, piece).encode() for piece in pieces(data))


def _piece_changed(family: str, piece: Piece) -> Piece:
    if piece.ep != 0x01:
        return piece
    if family == "dogwood":
        return Piece(piece.ep, _last_turned(piece.data))
    turned = _last_turned(piece.data[:-4])
    return Piece(piece.ep, turned + google_crc32c.value(turned).to_bytes(4, "little"))


def _last_turned(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 0x01])
