"""Whole Birch frames as mappings with the field names of the golden vectors, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protocols.birch import frames, wire
from protocols.birch.datasheet import BROADCAST, DEVICES, HOST
from protocols.birch.frames import BirchFramer, Frame
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.events import jsonable
from protocols.link import Side
from protocols.message import Request
from protocols.vector import answer_from_json, answer_json, take


def split_frames(data: bytes) -> list[bytes | FrameError]:
    """A recording cut into frames, with an error for each stretch that is none."""
    framer = BirchFramer()
    found = framer.feed(data, 0.0) + framer.flush()
    return [item if isinstance(item, FrameError) else frames.encode(item) for item in found]


def decode_frame(data: bytes, sender: Side | None) -> dict[str, Any]:
    """One whole frame. Raises FrameError or DecodeError."""
    frame = frames.decode(data)
    if sender is not None and frame.answer is not (sender is Side.DEVICE):
        raise DecodeError(ErrorKind.TYPE)
    head = {"dst": frame.dst, "src": frame.src, "toggle": frame.toggle}
    if frame.answer:
        response = wire.decode_response(frame)
        fields = answer_json(response)
        if frame.code == wire.POLL_CODE and response.ok:
            del fields["result"]
        return {**head, "kind": "reply", "type": response.type, **fields}
    request = wire.decode_request(frame)
    id = {"id": request.id} if request.type in wire.CATALOGUE.commands else {}
    return {**head, "kind": "command", "type": request.type, **id, **jsonable(request.body)}


def encode_frame(fields: Mapping[str, Any], sender: Side | None) -> bytes:
    """The frame of such a mapping. Raises LocalError."""
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
    if answer:
        if name == "POLL" and "result" not in left:
            left["result"] = 0
        code, data = wire.encode_response(answer_from_json(name, 0, left))
    else:
        id = take(left, "id") if name in wire.CATALOGUE.commands else 0
        code, data = wire.encode_request(Request(name, id, left))
    return frames.encode(Frame(dst, src, answer, toggle, code, data))


def _pair(dst: int, src: int, answer: bool) -> bool:
    if answer:
        return dst == HOST and src in DEVICES
    return src == HOST and (dst == BROADCAST or dst in DEVICES)
