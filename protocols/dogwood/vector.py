"""Whole Dogwood reports as mappings with the field names of the golden vectors, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protocols.codec import build
from protocols.dogwood import reports, wire
from protocols.dogwood.datasheet import REPORT_SIZE
from protocols.dogwood.reports import FROM_HOST, NO_OP, Ack, Id, Report, Retained
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.events import encode_body, event_from_json, jsonable
from protocols.link import Side
from protocols.message import Event, Request
from protocols.seal import Seal
from protocols.vector import Secret, answer_from_json, answer_json, sealing_with, take
from protocols.vocabulary import EventCode


def split_frames(data: bytes) -> list[bytes | FrameError]:
    """A recording cut into reports: they are all of one size, and nothing else tells where one begins."""
    cut: list[bytes | FrameError] = [data[at : at + REPORT_SIZE] for at in range(0, len(data), REPORT_SIZE)]
    if len(data) % REPORT_SIZE:
        cut[-1] = FrameError(ErrorKind.SHORT)
    return cut


def decode_frame(data: bytes, sender: Side | None, *, secret: Secret | None = None) -> dict[str, Any]:
    """One whole report, `secret` in a session. Raises FrameError or DecodeError."""
    report = reports.split(data, sender)
    plain, sealed = _opened(report, secret)
    return {"report": report.id.name, **sealed, **_fields(plain)}


def _opened(report: Report, secret: Secret | None) -> tuple[Report, dict[str, Any]]:
    """The report without its seal, and what is said of that. What fails the tag may be one that is always plain."""
    if secret is None or report.id not in reports.SEALED:
        return report, {}
    if reports.ends_session(report):
        return report, {"session_ended": True}
    side = Side.HOST if report.id in FROM_HOST else Side.DEVICE
    try:
        counter, data = secret.open(side, bytes([report.id]), report.data)
    except DecodeError:
        if reports.is_handshake(report):
            return report, {}
        raise
    return Report(report.id, data), {"sealed": counter}


def _fields(report: Report) -> dict[str, Any]:
    match report.id:
        case Id.STATUS:
            return reports.parse_padded(wire.STATUS, report.data)
        case Id.CARD | Id.EVENT:
            return _retained_json(reports.read_retained(report.id, report.data))
        case Id.RESULT:
            response = reports.read_result(report.data)
            return {"cmd_id": response.id, "op": response.type or None, **answer_json(response)}
        case Id.ACK:
            ack = reports.read_ack(report.data)
            return {"flags": int(ack.resync), "tid": ack.tid, "seq": ack.seq}
        case Id.COMMAND:
            request = reports.read_command(report.data)
            return {"cmd_id": request.id, "op": request.type, **jsonable(request.body)}
        case Id.IDENT | Id.IDENT2:
            return {"chunk": report.data.hex()}
        case Id.METERS | Id.WINDOW:
            return reports.parse_padded(wire.LAYOUTS[report.id.name], report.data)


def _retained_json(retained: Retained) -> dict[str, Any]:
    event = retained.event
    head = {"tid": retained.tid, "flags": int(retained.again), "seq": event.seq}
    if retained.id is Id.CARD:
        return {**head, **event.body, "t_ms": event.t_ms, "boot": event.boot}
    size = len(encode_body(event))
    when = {"boot": event.boot, "t_ms": event.t_ms, "code": event.code, "blen": size, "name": event.name}
    return {**head, **when, "body": jsonable(event.body)}


def encode_frame(fields: Mapping[str, Any], sender: Side | None, *, secret: Secret | None = None) -> bytes:
    """The report of such a mapping, `secret` in a session. Raises LocalError."""
    left = dict(fields)
    name = take(left, "report", str)
    if name not in Id.__members__:
        raise LocalError(f"no report {name!r}; known are {', '.join(Id.__members__)}")
    id = Id[name]
    if sender is not None and (id in FROM_HOST) is not (sender is Side.HOST):
        raise LocalError(f"the {sender} does not send {name}")
    counter = take(left, "sealed") if "sealed" in left else None
    left.pop("session_ended", None)
    layout = _layout(id, left)
    if counter is None:
        return Report(id, reports.pad(layout)).encode()
    keys = sealing_with(secret).keys
    return reports.seal(id, layout, Seal(keys, Side.HOST if id in FROM_HOST else Side.DEVICE, counter)).encode()


def _layout(id: Id, left: dict[str, Any]) -> bytes:
    """What the report says, before padding."""
    match id:
        case Id.STATUS:
            return build(wire.STATUS, left, "STATUS")
        case Id.CARD | Id.EVENT:
            return reports.say_retained(_retained(id, left))
        case Id.RESULT:
            cmd_id, op = take(left, "cmd_id"), left.pop("op", None)
            return reports.say_result(answer_from_json(NO_OP if op is None else op, cmd_id, left))
        case Id.ACK:
            return _ack(left)
        case Id.COMMAND:
            return reports.say_command(Request(take(left, "op", str), take(left, "cmd_id"), left))
        case Id.IDENT | Id.IDENT2:
            return _chunk(left)
        case Id.METERS | Id.WINDOW:
            return build(wire.LAYOUTS[id.name], left, id.name)


def _retained(id: Id, left: dict[str, Any]) -> Retained:
    tid, flags = take(left, "tid"), take(left, "flags")
    if flags not in (0, 1):
        raise LocalError(f"field 'flags' is 0 or 1, not {flags}")
    if id is Id.CARD:
        seq, boot, t_ms = (take(left, name) for name in ("seq", "boot", "t_ms"))
        return Retained(tid, bool(flags), Event(seq, boot, t_ms, EventCode.CARD_DRAWN.value, left))
    size = left.pop("blen", None)
    event = event_from_json(left)
    if event.code == EventCode.CARD_DRAWN:
        raise LocalError("a card that was drawn is a CARD report")
    if size not in (None, len(encode_body(event))):
        raise LocalError(f"blen is {len(encode_body(event))}, not {size}")
    return Retained(tid, bool(flags), event)


def _ack(left: dict[str, Any]) -> bytes:
    flags, ack = take(left, "flags"), Ack(take(left, "tid"), take(left, "seq"))
    if left:
        raise LocalError(f"ACK: unknown field {next(iter(left))!r}")
    if flags != int(ack.resync):
        raise LocalError("flags is 1 where tid and seq are 0, else 0")
    return reports.say_ack(ack)


def _chunk(left: dict[str, Any]) -> bytes:
    text = take(left, "chunk", str)
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise LocalError(f"not hex text: {text!r}") from None
