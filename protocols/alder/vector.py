"""Whole Alder frames as mappings with the field names of the golden vectors, and back."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from protocols.alder import sealing, wire
from protocols.alder.wire import Frame, Kind
from protocols.codec import RESUME, build, parse
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.link import Side
from protocols.message import Request
from protocols.vector import Secret, message_from_json, message_json, sealing_with, take

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


def decode_frame(data: bytes, sender: Side | None, *, secret: Secret | None = None) -> dict[str, Any]:
    """One whole frame with its flags, `secret` in a session. Raises FrameError or DecodeError."""
    parts = data.translate(None, _FLOW).split(_FLAG)
    inner = [part for part in parts[1:-1] if part]
    if not inner:
        raise FrameError(ErrorKind.SHORT)
    if len(inner) > 1 or parts[-1]:
        wire.decode(inner[0])
        raise FrameError(ErrorKind.LONG)
    frame = wire.decode(inner[0])
    if sender is not None:
        return _fields(frame, sender, secret)
    try:
        return _fields(frame, Side.HOST, secret)
    except (FrameError, DecodeError) as error:
        if error.kind not in (ErrorKind.CONTROL, ErrorKind.TYPE, ErrorKind.MAC):
            raise
    return _fields(frame, Side.DEVICE, secret)


def _fields(frame: Frame, sender: Side, secret: Secret | None) -> dict[str, Any]:
    wire.check(frame, sender)
    match frame.kind:
        case Kind.DATA:
            payload = _payload_json(frame.payload, sender, secret)
            return {"link": "DATA", "ns": frame.ns, "retx": frame.retx, "nr": frame.nr, "payload": payload}
        case Kind.RST:
            return {"link": "RST"}
        case Kind.RSTACK:
            return {"link": "RSTACK", **parse(RESUME, frame.payload)}
        case Kind.ERROR:
            return {"link": "ERROR", "reason": frame.payload[0]}
        case kind:
            return {"link": str(kind), "nr": frame.nr}


def _payload_json(payload: bytes, sender: Side, secret: Secret | None) -> dict[str, Any]:
    if secret is None or sealing.plain_always(payload):
        return message_json(wire.decode_payload(payload, sender))
    counter, inner = secret.open(sender, *sealing.parts(payload))
    return {"kind": "sealed", "counter": counter, "inner": message_json(wire.decode_payload(inner, sender))}


def encode_frame(fields: Mapping[str, Any], sender: Side | None, *, secret: Secret | None = None) -> bytes:
    """The frame of such a mapping, `secret` in a session. Raises LocalError."""
    left = dict(fields)
    name = take(left, "link", str)
    match name:
        case "DATA":
            frame = _data(left, secret)
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


def _data(left: dict[str, Any], secret: Secret | None) -> Frame:
    ns, retx, nr = _small(left, "ns", 7), _small(left, "retx", 1), _small(left, "nr", 7)
    said = dict(take(left, "payload", dict))
    if said.get("kind") != "sealed":
        return Frame(Kind.DATA, ns, retx, nr, wire.encode_payload(message_from_json(said)))
    message, counter = message_from_json(take(said, "inner", dict)), take(said, "counter")
    sender = Side.HOST if isinstance(message, Request) else Side.DEVICE
    sealed = sealing_with(secret).close(sender, sealing.AAD, wire.encode_payload(message), counter)
    return Frame(Kind.DATA, ns, retx, nr, sealing.AAD + sealed)


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
    sealed = frame.kind is Kind.DATA and frame.payload[0] == wire.SEALED
    if frame.kind is Kind.DATA and not sealed and (frame.payload[0] < wire.EVENT) is not (sender is Side.HOST):
        raise LocalError(f"the {sender} does not send such messages")
