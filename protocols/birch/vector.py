"""Whole Birch frames as mappings with the field names of the golden vectors, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from protocols.birch import frames, wire
from protocols.birch.datasheet import BROADCAST, DEVICES, HOST
from protocols.birch.frames import BirchFramer, Frame
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.events import jsonable
from protocols.link import Side
from protocols.message import Request
from protocols.vector import Secret, answer_from_json, answer_json, sealing_with, take


def split_frames(data: bytes) -> list[bytes | FrameError]:
    """A recording cut into frames, with an error for each stretch that is none."""
    framer = BirchFramer()
    found = framer.feed(data, 0.0) + framer.flush()
    return [item if isinstance(item, FrameError) else frames.encode(item) for item in found]


def decode_frame(data: bytes, sender: Side | None, *, secret: Secret | None = None) -> dict[str, Any]:
    """One whole frame, `secret` in a session. Raises FrameError or DecodeError."""
    frame = frames.decode(data)
    if sender is not None and frame.answer is not (sender is Side.DEVICE):
        raise DecodeError(ErrorKind.TYPE)
    head = {"dst": frame.dst, "src": frame.src, "toggle": frame.toggle}
    kind = wire.check(frame)
    plain, sealed = _opened(frame, secret)
    if frame.answer:
        response = wire.read_response(kind, plain)
        fields = answer_json(response)
        if frame.code == wire.POLL_CODE and response.ok:
            del fields["result"]
        return {**head, **sealed, "kind": "reply", "type": response.type, **fields}
    request = wire.read_request(kind, plain, frame.dst == BROADCAST)
    id = {"id": request.id} if request.type in wire.CATALOGUE.commands else {}
    return {**head, **sealed, "kind": "command", "type": request.type, **id, **jsonable(request.body)}


def _opened(frame: Frame, secret: Secret | None) -> tuple[bytes, dict[str, Any]]:
    """The plain data of a frame, and what is said of its seal."""
    if secret is None or wire.plain_always(frame):
        return frame.data, {}
    if frame.answer and frame.data == wire.SESSION_ENDED:
        return frame.data, {"session_ended": True}
    counter, plain = secret.open(Side.DEVICE if frame.answer else Side.HOST, frame.aad, frame.data)
    return plain, {"sealed": counter}


def encode_frame(fields: Mapping[str, Any], sender: Side | None, *, secret: Secret | None = None) -> bytes:
    """The frame of such a mapping, `secret` in a session. Raises LocalError."""
    left = dict(fields)
    dst, src, toggle = (take(left, name) for name in ("dst", "src", "toggle"))
    kind, name = take(left, "kind", str), take(left, "type", str)
    if kind not in ("command", "reply"):
        raise LocalError(f"no kind of frame: {kind!r}")
    answer = kind == "reply"
    if toggle not in (0, 1):
        raise LocalError(f"toggle is 0 or 1, not {toggle}")
    if sender is not None and answer is not (sender is Side.DEVICE):
        raise LocalError(f"the {sender} sends no {kind}")
    if not _pair(dst, src, answer):
        raise LocalError(f"no {kind} goes from {src} to {dst}")
    counter = take(left, "sealed") if "sealed" in left else None
    left.pop("session_ended", None)
    code, data = _data(name, answer, left)
    frame = Frame(dst, src, answer, toggle, code, data)
    if counter is not None:
        side = Side.DEVICE if answer else Side.HOST
        frame = replace(frame, data=wire.fitting(sealing_with(secret).close(side, frame.aad, data, counter)))
    return frames.encode(frame)


def _data(name: str, answer: bool, left: dict[str, Any]) -> tuple[int, bytes]:
    """Command code and plain data."""
    if answer:
        if name == "POLL" and "result" not in left:
            left["result"] = 0
        return wire.encode_response(answer_from_json(name, 0, left))
    id = take(left, "id") if name in wire.CATALOGUE.commands else 0
    return wire.encode_request(Request(name, id, left))


def _pair(dst: int, src: int, answer: bool) -> bool:
    if answer:
        return dst == HOST and src in DEVICES
    return src == HOST and (dst == BROADCAST or dst in DEVICES)
