"""Dogwood's reports: an id and 63 bytes, zeros after what they say (dogwood.md §2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from io import BytesIO
from typing import Any

from construct import Struct

from protocols.codec import EMPTY, OK_RESULTS, build, build_answer, parse_some
from protocols.dogwood import wire
from protocols.dogwood.datasheet import DATA_SIZE, REPORT_SIZE
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.events import BODY_MAX, decode_body, encode_body
from protocols.fields import card, flags, nonzero, u8, u16, u32
from protocols.link import Side
from protocols.message import Event, Request, Response
from protocols.seal import Seal, overhead
from protocols.vocabulary import EventCode, Result


class Id(IntEnum):
    """Report ids."""

    STATUS = 0x01
    CARD = 0x02
    EVENT = 0x03
    RESULT = 0x04
    ACK = 0x10
    COMMAND = 0x11
    IDENT = 0x20
    METERS = 0x22
    WINDOW = 0x24
    IDENT2 = 0x26


FROM_HOST = frozenset((Id.ACK, Id.COMMAND))
FEATURES = frozenset((Id.IDENT, Id.IDENT2, Id.METERS, Id.WINDOW))
SEALED = frozenset((Id.CARD, Id.EVENT, Id.RESULT, Id.ACK, Id.COMMAND))
_HANDSHAKE = ("AUTH1", "AUTH2")
_SESSION_ENDED = bytes((0, 0, 0, Result.E_AUTH)).ljust(DATA_SIZE, b"\0")
AGAIN = 1 << 0
"""Flag of a retained report that was sent before."""

_FLAGS = flags(reserved=0xFE)
_CARD = Struct(
    "tid" / nonzero(u8),
    "flags" / _FLAGS,
    "seq" / u32,
    "idx" / u16,
    "card" / card,
    "quality" / u8,
    "dwell_ms" / u16,
    "t_ms" / u32,
    "boot" / u16,
)
_EVENT = Struct(
    "tid" / nonzero(u8), "flags" / _FLAGS, "seq" / u32, "boot" / u16, "t_ms" / u32, "code" / u8, "blen" / u8
)
_ACK = Struct("flags" / _FLAGS, "tid" / u8, "seq" / u32)
_RESULT_HEAD = Struct("cmd_id" / u16, "op" / u8, "result" / u8)
_COMMAND_HEAD = Struct("cmd_id" / u16, "op" / u8)


@dataclass(frozen=True)
class Report:
    """One report. `data` are the 63 bytes after the id."""

    id: Id
    data: bytes

    def encode(self) -> bytes:
        """The whole report."""
        return bytes([self.id]) + self.data


def split(data: bytes, sender: Side | None = None) -> Report:
    """Exactly one whole report. Raises FrameError by size, DecodeError of kind `type` for an id that is not his."""
    if len(data) != REPORT_SIZE:
        raise FrameError(ErrorKind.SHORT if len(data) < REPORT_SIZE else ErrorKind.LONG)
    if data[0] not in Id.__members__.values():
        raise DecodeError(ErrorKind.TYPE)
    id = Id(data[0])
    if sender is not None and (id in FROM_HOST) is not (sender is Side.HOST):
        raise DecodeError(ErrorKind.TYPE)
    return Report(id, bytes(data[1:]))


def feature(id: int) -> Id:
    """The feature report of an id. Raises DecodeError of kind `type`."""
    if id not in FEATURES:
        raise DecodeError(ErrorKind.TYPE)
    return Id(id)


def pad(data: bytes, size: int = DATA_SIZE) -> bytes:
    """What a report says, with zeros up to its size. Raises LocalError where it does not fit."""
    if len(data) > size:
        raise LocalError(f"{len(data)} bytes, at most {size} fit into a report")
    return data.ljust(size, b"\0")


def seal(id: Id, layout: bytes, with_: Seal) -> Report:
    """A report sealed. Raises LocalError where it does not fit then."""
    return Report(id, with_.close(bytes([id]), pad(layout, DATA_SIZE - overhead(with_.level))))


def unseal(report: Report, with_: Seal) -> Report:
    """A report without its seal. Raises DecodeError: `mac`, `replay`."""
    return Report(report.id, with_.open(bytes([report.id]), report.data))


def is_handshake(report: Report) -> bool:
    """Whether a report is a well-formed plain AUTH1 or AUTH2, or the result of one."""
    try:
        match report.id:
            case Id.COMMAND:
                return read_command(report.data).type in _HANDSHAKE
            case Id.RESULT:
                return read_result(report.data).type in _HANDSHAKE
            case _:
                return False
    except DecodeError:
        return False


def ends_session(report: Report) -> bool:
    """Whether a report is the plain RESULT that tells of the end of a session, or that one is needed."""
    return report.id is Id.RESULT and report.data == _SESSION_ENDED


# retained reports


@dataclass(frozen=True)
class Retained:
    """A CARD or EVENT report: the event, its transfer number, and whether it was sent before."""

    tid: int
    again: bool
    event: Event

    @property
    def id(self) -> Id:
        """Cards have a report of their own."""
        return Id.CARD if self.event.code == EventCode.CARD_DRAWN else Id.EVENT


def read_retained(id: Id, data: bytes) -> Retained:
    """What a CARD or EVENT report says. Raises DecodeError; its `seq` says which event it was."""
    seq = int.from_bytes(data[2:6], "little")
    try:
        return _read_card(data) if id is Id.CARD else _read_event(data)
    except DecodeError as error:
        raise DecodeError(error.kind, seq=seq) from None


def _read_card(data: bytes) -> Retained:
    fields = parse_padded(_CARD, data)
    body = {name: fields[name] for name in ("idx", "card", "quality", "dwell_ms")}
    event = Event(fields["seq"], fields["boot"], fields["t_ms"], EventCode.CARD_DRAWN.value, body)
    return Retained(fields["tid"], bool(fields["flags"]), event)


def _read_event(data: bytes) -> Retained:
    stream = BytesIO(data)
    fields = parse_some(_EVENT, stream)
    if fields["code"] == EventCode.CARD_DRAWN:
        raise DecodeError(ErrorKind.VALUE)
    if fields["blen"] > BODY_MAX:
        raise DecodeError(ErrorKind.BODY)
    body = decode_body(fields["code"], stream.read(fields["blen"]))
    _only_zeros(stream)
    event = Event(fields["seq"], fields["boot"], fields["t_ms"], fields["code"], body)
    return Retained(fields["tid"], bool(fields["flags"]), event)


def say_retained(retained: Retained) -> bytes:
    """The layout of a CARD or EVENT report, without padding. Raises LocalError."""
    event = retained.event
    head = {"tid": retained.tid, "flags": AGAIN * retained.again, "seq": event.seq}
    when = {"t_ms": event.t_ms, "boot": event.boot}
    if retained.id is Id.CARD:
        return build(_CARD, {**head, **event.body, **when}, "CARD")
    body = encode_body(event)
    return build(_EVENT, {**head, **when, "code": event.code, "blen": len(body)}, "EVENT") + body


# ACK


@dataclass(frozen=True)
class Ack:
    """An acknowledgement of one report, or (`resync`, both numbers 0) the wish to hear the outstanding one again."""

    tid: int = 0
    seq: int = 0

    @property
    def resync(self) -> bool:
        """Whether nothing is acknowledged."""
        return self.tid == 0


def read_ack(data: bytes) -> Ack:
    """What an ACK report says. Raises DecodeError."""
    fields = parse_padded(_ACK, data)
    if bool(fields["flags"]) is not (fields["tid"] == 0) or (fields["tid"] == 0) is not (fields["seq"] == 0):
        raise DecodeError(ErrorKind.VALUE)
    return Ack(fields["tid"], fields["seq"])


def say_ack(ack: Ack) -> bytes:
    """The layout of an ACK report, without padding. Raises LocalError."""
    if ack.resync is not (ack.seq == 0):
        raise LocalError("tid and seq are both 0, which asks for the outstanding report, or neither is")
    return build(_ACK, {"flags": int(ack.resync), "tid": ack.tid, "seq": ack.seq}, "ACK")


# commands and results


def read_command(data: bytes) -> Request:
    """What a COMMAND report says. Raises DecodeError."""
    stream = BytesIO(data)
    head = parse_some(_COMMAND_HEAD, stream)
    kind = wire.CATALOGUE.coded(head["op"])
    body = parse_some(kind.request, stream)
    _only_zeros(stream)
    return Request(kind.name, head["cmd_id"], body)


def say_command(request: Request) -> bytes:
    """The layout of a COMMAND report, without padding. Raises LocalError."""
    kind = wire.CATALOGUE.named(request.type)
    head = build(_COMMAND_HEAD, {"cmd_id": request.id, "op": kind.code}, request.type)
    return head + build(kind.request, request.body, request.type)


NO_OP = ""
"""The type of a RESULT that tells of no operation (op 0): a session ended, or the operation is unknown."""


def read_result(data: bytes) -> Response:
    """What a RESULT report says. Raises DecodeError."""
    stream = BytesIO(data)
    head = parse_some(_RESULT_HEAD, stream)
    result = head["result"]
    if head["op"] == 0 and result not in OK_RESULTS:
        name, layout = NO_OP, EMPTY
    else:
        kind = wire.CATALOGUE.coded(head["op"])
        name, layout = kind.name, kind.response
    body: Mapping[str, Any] = parse_some(layout, stream) if result in OK_RESULTS else {}
    fault_code = stream.read(1)[0] if result == Result.E_FAULT else None
    _only_zeros(stream)
    return Response(name, head["cmd_id"], result, body, fault_code)


def say_result(response: Response) -> bytes:
    """The layout of a RESULT report, without padding. Raises LocalError."""
    op, layout = 0, EMPTY
    if response.type != NO_OP:
        kind = wire.CATALOGUE.named(response.type)
        op, layout = kind.code, kind.response
    elif response.ok:
        raise LocalError("a RESULT without operation tells of a failure")
    answer = build_answer(layout, response.result, response.body, response.fault_code, response.type or "RESULT")
    head = build(_RESULT_HEAD, {"cmd_id": response.id, "op": op, "result": response.result}, "RESULT")
    return head + answer[1:]


# fixed layouts


def parse_padded(layout: Any, data: bytes) -> dict[str, Any]:
    """Fields by a layout, then only zeros (kind `padding`). Raises DecodeError."""
    stream = BytesIO(data)
    fields = parse_some(layout, stream)
    _only_zeros(stream)
    return fields


def _only_zeros(stream: BytesIO) -> None:
    if any(stream.read()):
        raise DecodeError(ErrorKind.PADDING)
