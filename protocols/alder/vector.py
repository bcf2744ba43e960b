"""Whole Alder frames as mappings with the field names of the golden vectors, and back."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from protocols.alder import wire
from protocols.alder.wire import Frame, Kind
from protocols.codec import RESUME, build, parse
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.link import Side
from protocols.vector import message_from_json, message_json, take

_FLAG = b"\x7e"
_FLOW = b"\x11\x13"


def split_frames(data: bytes) -> list[bytes | FrameError]:
    """A recording cut at its flags; each frame is given with both. Bytes before the first flag are ignored.

    A bad frame with a flag of its own in front is given too; what shares both flags with its neighbours is rubbish.
    """
    parts = data.translate(None, _FLOW).split(_FLAG)
    found: list[bytes | FrameError] = []
    for before, part in pairwise(parts[:-1]):
        if not part:
            continue
        try:
            wire.decode(part)
        except FrameError as error:
            if before and part is not parts[1]:
                found.append(error)
                continue
        found.append(_FLAG + part + _FLAG)
    if len(parts) > 1 and parts[-1]:
        found.append(FrameError(ErrorKind.SHORT))
    return found


def decode_frame(data: bytes, sender: Side | None) -> dict[str, Any]:
    """One whole frame with its flags. Raises FrameError or DecodeError."""
    parts = data.translate(None, _FLOW).split(_FLAG)
    inner = [part for part in parts[1:-1] if part]
    if not inner:
        raise FrameError(ErrorKind.SHORT)
    if len(inner) > 1 or parts[-1]:
        wire.decode(inner[0])
        raise FrameError(ErrorKind.LONG)
    frame = wire.decode(inner[0])
    if sender is not None:
        return _fields(frame, sender)
    try:
        return _fields(frame, Side.HOST)
    except (FrameError, DecodeError) as error:
        if error.kind not in (ErrorKind.CONTROL, ErrorKind.TYPE):
            raise
    return _fields(frame, Side.DEVICE)


def _fields(frame: Frame, sender: Side) -> dict[str, Any]:
    wire.check(frame, sender)
    match frame.kind:
        case Kind.DATA:
            payload = message_json(wire.decode_payload(frame.payload, sender))
            return {"link": "DATA", "ns": frame.ns, "retx": frame.retx, "nr": frame.nr, "payload": payload}
        case Kind.RST:
            return {"link": "RST"}
        case Kind.RSTACK:
            return {"link": "RSTACK", **parse(RESUME, frame.payload)}
        case Kind.ERROR:
            return {"link": "ERROR", "reason": frame.payload[0]}
        case kind:
            return {"link": str(kind), "nr": frame.nr}


def encode_frame(fields: Mapping[str, Any], sender: Side | None) -> bytes:
    """The frame of such a mapping. Raises LocalError."""
    left = dict(fields)
    name = take(left, "link", str)
    match name:
        case "DATA":
            frame = _data(left)
        case "RR" | "RNR" | "REJ":
            frame = Frame(Kind(name), nr=_small(left, "nr", 7))
        case "RST":
            frame = Frame(Kind.RST)
        case "RSTACK":
            frame, left = Frame(Kind.RSTACK, payload=build(RESUME, left, "RSTACK")), {}
        case "ERROR":
            frame = Frame(Kind.ERROR, payload=bytes([_small(left, "reason", 255)]))
        case _:
            raise LocalError(f"no kind of frame: {name!r}")
    if left:
        raise LocalError(f"{name}: unknown field {next(iter(left))!r}")
    if sender is not None:
        _may_send(frame, sender)
    return wire.encode(frame)


def _data(left: dict[str, Any]) -> Frame:
    ns, retx, nr = _small(left, "ns", 7), _small(left, "retx", 1), _small(left, "nr", 7)
    message = message_from_json(take(left, "payload", dict))
    return Frame(Kind.DATA, ns, retx, nr, wire.encode_payload(message))


def _small(left: dict[str, Any], name: str, most: int) -> int:
    value: int = take(left, name)
    if not 0 <= value <= most:
        raise LocalError(f"field {name!r} is 0 to {most}, not {value}")
    return value


def _may_send(frame: Frame, sender: Side) -> None:
    try:
        wire.check(frame, sender)
    except FrameError:
        raise LocalError(f"the {sender} does not send {frame.kind}") from None
    if frame.kind is Kind.DATA and (frame.payload[0] < wire.EVENT) is not (sender is Side.HOST):
        raise LocalError(f"the {sender} does not send such messages")
