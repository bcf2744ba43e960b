"""What passes on each endpoint of a Cedar as mappings with the field names of the golden vectors, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from protocols.cedar import frames, wire
from protocols.cedar.datasheet import OVERHEAD
from protocols.cedar.frames import Frame
from protocols.codec import build, parse
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.events import jsonable
from protocols.link import Side
from protocols.message import Request
from protocols.seal import Seal
from protocols.vector import Secret, answer_from_json, answer_json, sealed_by, sealing_with, take

BULK, INTERRUPT, SETUP, DATA = "bulk", "int", "setup", "ep0:"
ENDPOINTS = (BULK, INTERRUPT, SETUP, *(f"{DATA}{name}" for name in ("GET_RESUME", "GET_IDENT")))


def split_frames(data: bytes) -> list[bytes | FrameError]:
    """A recording of a bulk endpoint cut into frames, with an error for each stretch that is none."""
    found: list[bytes | FrameError] = []
    at = start = 0
    while at < len(data):
        size = frames.frame_at(data, at)
        if not size:
            at += 1
            continue
        if at > start:
            found.append(_no_frame(data[start:at]))
        found.append(data[at : at + size])
        at = start = at + size
    if at > start:
        found.append(_no_frame(data[start:at]))
    return found


def _no_frame(data: bytes) -> FrameError:
    return FrameError(ErrorKind.SHORT if len(data) < OVERHEAD else ErrorKind.CRC)


def decode_frame(
    data: bytes, sender: Side | None, *, ep: str | None = None, secret: Secret | None = None
) -> dict[str, Any]:
    """What passed on an endpoint, a bulk frame unless told otherwise; `secret` in a session.

    Raises FrameError or DecodeError.
    """
    match ep or BULK:
        case "bulk":
            return {"ep": BULK, **_decode_bulk(data, sender, secret)}
        case "int":
            _from(Side.DEVICE, sender)
            return {"ep": INTERRUPT, **wire.read_doorbell(data)}
        case "setup":
            _from(Side.HOST, sender)
            name, length = wire.read_setup(data)
            return {"ep": SETUP, "request": name, "length": length}
        case other:
            _from(Side.DEVICE, sender)
            return {"ep": other, **parse(_control(other), data)}


def _from(side: Side, sender: Side | None) -> None:
    if sender not in (None, side):
        raise DecodeError(ErrorKind.TYPE)


def _control(ep: str) -> Any:
    name = ep.removeprefix(DATA)
    if not ep.startswith(DATA) or name not in wire.CONTROL.by_name:
        raise LocalError(f"no endpoint {ep!r}; known are {', '.join(ENDPOINTS)}")
    return wire.CONTROL.by_name[name].response


def _decode_bulk(data: bytes, sender: Side | None, secret: Secret | None) -> dict[str, Any]:
    frame = frames.decode(data)
    kind = wire.check(frame, reply=frame.reply if sender is None else sender is Side.DEVICE)
    plain, sealed = _opened(frame, secret)
    head = {"type": kind.name, "seq": frame.seq, "cmd_id": frame.cmd_id, **sealed}
    if frame.reply:
        return {"kind": "reply", **head, **answer_json(wire.read_reply(kind, plain))}
    return {"kind": "command", **head, **jsonable(wire.read_request(kind, plain).body)}


def _opened(frame: Frame, secret: Secret | None) -> tuple[Frame, dict[str, Any]]:
    """The frame without its seal, and what is said of that."""
    if wire.ends_session(frame) and secret is not None:
        return frame, {"session_ended": True}
    if not wire.sealed_rightly(frame, 0 if secret is None else secret.keys.level):
        raise DecodeError(ErrorKind.SEALED)
    if not frame.level:
        return frame, {}
    counter, payload = sealed_by(secret).open(Side.DEVICE if frame.reply else Side.HOST, frame.aad, frame.payload)
    return replace(frame, payload=payload, level=0), {"sealed": counter}


def encode_frame(fields: Mapping[str, Any], sender: Side | None, *, secret: Secret | None = None) -> bytes:
    """The bytes of such a mapping; its `ep` tells the endpoint, bulk where it is left out; `secret` in a session.

    Raises LocalError.
    """
    left = dict(fields)
    ep = take(left, "ep", str) if "ep" in left else BULK
    side = Side.HOST if ep == SETUP or (ep == BULK and left.get("kind") == "command") else Side.DEVICE
    if sender not in (None, side):
        raise LocalError(f"the {sender} does not send that")
    match ep:
        case "bulk":
            return frames.encode(_encode_bulk(left, secret))
        case "int":
            return build(wire.DOORBELL, left, "doorbell")
        case "setup":
            name = take(left, "request", str)
            length = take(left, "length") if "length" in left else None
            if left:
                raise LocalError(f"setup: unknown field {next(iter(left))!r}")
            return wire.setup(name, length)
        case _:
            return build(_control(ep), left, ep)


def _encode_bulk(left: dict[str, Any], secret: Secret | None) -> Frame:
    counter = take(left, "sealed") if "sealed" in left else None
    left.pop("session_ended", None)
    frame = _plain_bulk(left)
    if counter is None:
        return frame
    keys = sealing_with(secret).keys
    return frames.seal(frame, Seal(keys, Side.DEVICE if frame.reply else Side.HOST, counter))


def _plain_bulk(left: dict[str, Any]) -> Frame:
    kind, name = take(left, "kind", str), take(left, "type", str)
    seq, cmd_id = take(left, "seq"), take(left, "cmd_id")
    if not 0 <= seq <= 0xFFFF:
        raise LocalError(f"seq {seq} does not fit 16 bits")
    match kind:
        case "command":
            return wire.request_frame(Request(name, cmd_id, left), seq, cmd_id)
        case "reply":
            return wire.reply_frame(answer_from_json(name, cmd_id, left), seq, cmd_id)
        case _:
            raise LocalError(f"no kind of frame: {kind!r}")
