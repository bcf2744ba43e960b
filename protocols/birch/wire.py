"""What Birch says: the messages inside its frames (birch.md §4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from construct import Adapter, Struct

from protocols import codec
from protocols.birch.datasheet import BROADCAST, DATA_MAX, RECENT_MAX
from protocols.birch.frames import Frame
from protocols.codec import Catalogue, MessageType, build, build_answer, parse, parse_answer
from protocols.errors import DecodeError, ErrorKind, LocalError, Untrue
from protocols.events import EVENTS
from protocols.fields import card, listing, raw, u8, u16, u32
from protocols.message import Request, Response
from protocols.seal import Session
from protocols.vocabulary import EventCode, Result, is_card_byte

_CARD_CODES = {EventCode.CARD_DRAWN, *range(EventCode.UNREADABLE, EventCode.WRONG_BACK + 1)}


class _Hint(Adapter):  # type: ignore[misc]
    """One line of POLL: the argument of some codes is a card."""

    def _decode(self, obj: Any, context: Any, path: Any) -> Any:
        if obj.code in _CARD_CODES and not is_card_byte(obj.arg):
            raise DecodeError(ErrorKind.CARD)
        return obj

    def _encode(self, obj: Any, context: Any, path: Any) -> Any:
        if obj["code"] in _CARD_CODES and not is_card_byte(obj["arg"]):
            raise LocalError(f"undefined card byte: {obj['arg']!r}")
        return obj


STATUS = Struct(
    "state" / u8,
    "lamp" / u8,
    "flags" / u8,
    "lease" / u8,
    "cycle" / u32,
    "shoe" / u16,
    "mouth" / u16,
    "drawn" / u16,
    "hold_idx" / u16,
    "fault_mask" / u32,
    "oldest" / u32,
    "newest" / u32,
)
POLL = Struct(
    "ctr" / u8,
    "state" / u8,
    "flags" / u8,
    "recent" / listing(_Hint(Struct("code" / u8, "arg" / u8)), high=RECENT_MAX),
)

CATALOGUE = Catalogue(
    (
        MessageType(0x01, "SYNC", "Q", response=codec.RESUME),
        MessageType(0x02, "IDENT", "Q", response=codec.IDENTITY),
        MessageType(0x04, "RESULT", "Q", codec.OF, codec.OF_RESULT),
        MessageType(0x05, "STATUS", "Q", response=STATUS),
        MessageType(0x06, "FAULTS", "Q", response=codec.FAULTS),
        MessageType(0x10, "POLL", "Q", response=POLL),
        MessageType(0x11, "READ_EVENTS", "Q", codec.READ, EVENTS),
        MessageType(0x12, "ACK_EVENTS", "Q", codec.UPTO),
        MessageType(
            0x14, "LOAD_BEGIN", "M", Struct("decks" / u8, "expected" / u16, "set_id" / raw(8), "cut" / u16), codec.CYCLE
        ),
        MessageType(0x15, "LOAD_END", "S", response=Struct("est" / u16)),
        MessageType(0x16, "ARM", "M", Struct("round" / u16, "lease" / u8)),
        MessageType(0x17, "DISARM", "S"),
        MessageType(0x18, "REREAD_OK", "S", Struct("idx" / u16, "card" / card, "op1" / u32, "op2" / u32)),
        MessageType(0x19, "SHOE_CLOSE", "S", Struct("residual" / u16)),
        MessageType(0x1A, "CLEAR_FAULT", "S", codec.CLEAR_FAULT),
        MessageType(0x1B, "METERS", "Q", response=codec.METERS),
        MessageType(0x1C, "HASH_START", "S", codec.HASH_START),
        MessageType(0x1D, "HASH_READ", "Q", response=codec.HASH_READ),
        MessageType(0x1E, "CONFIG_GET", "Q", codec.CONFIG_GET, codec.CONFIG_VALUE),
        MessageType(0x1F, "CONFIG_SET", "S", codec.CONFIG_SET),
        MessageType(0x20, "AUTH1", "Q", codec.AUTH1, codec.AUTH1_ANSWER),
        MessageType(0x21, "AUTH2", "Q", codec.AUTH2),
    )
)

SYNC = CATALOGUE.by_name["SYNC"].code
POLL_CODE = CATALOGUE.by_name["POLL"].code
_POLL_RESULTS = (Result.E_PARAM, Result.E_AUTH)
_ID_SIZE = 2
_PLAIN = frozenset(CATALOGUE.by_name[name].code for name in ("SYNC", "IDENT", "AUTH1", "AUTH2"))
SESSION_ENDED = bytes([Result.E_AUTH])
"""The whole data of a plain reply that tells of the end of a session."""


def request_bytes(request: Request) -> bytes:
    """Command and body of a request without its id, what a device keeps beside that id."""
    kind = CATALOGUE.named(request.type)
    return bytes([kind.code]) + build(kind.request, request.body, request.type)


def encode_request(request: Request) -> tuple[int, bytes]:
    """Command code and data. Raises LocalError."""
    kind = CATALOGUE.named(request.type)
    data = build(kind.request, request.body, request.type)
    if kind.command:
        if not 0 <= request.id <= 0xFFFF:
            raise LocalError(f"id {request.id} does not fit 16 bits")
        data = request.id.to_bytes(_ID_SIZE, "little") + data
    return kind.code, fitting(data)


def check(frame: Frame) -> MessageType:
    """The type of a frame. Raises DecodeError of kind `type`, then `address` for what is not broadcast."""
    kind = CATALOGUE.coded(frame.code)
    if frame.dst == BROADCAST and kind.name != "DISARM":
        raise DecodeError(ErrorKind.ADDRESS)
    return kind


def plain_always(frame: Frame) -> bool:
    """Whether a frame is never sealed: SYNC, IDENT, the handshake, and what goes to all."""
    return frame.dst == BROADCAST or frame.code in _PLAIN


def sealed(session: Session | None, frame: Frame) -> Frame:
    """A frame as it travels. Raises LocalError where it is too long with its seal."""
    if session is None or plain_always(frame):
        return frame
    return replace(frame, data=fitting(session.outgoing.close(frame.aad, frame.data)))


def opened(session: Session | None, frame: Frame) -> bytes:
    """The plain data of a frame. Raises DecodeError: `sealed`, `mac`, `replay`."""
    if session is None or plain_always(frame):
        return frame.data
    return session.incoming.open(frame.aad, frame.data)


def answered(session: Session | None, frame: Frame) -> bytes:
    """The plain data of a reply. Raises Untrue."""
    if session is not None and frame.data == SESSION_ENDED and not plain_always(frame):
        raise Untrue(None)
    try:
        return opened(session, frame)
    except DecodeError as error:
        raise Untrue(error.kind) from None


def open_to_all(frame: Frame) -> bool:
    """Whether a device that insists on a session answers a plain command without one. An empty POLL is a hint."""
    return frame.code in _PLAIN or (frame.code == POLL_CODE and not frame.data)


def read_request(kind: MessageType, data: bytes, broadcast: bool = False) -> Request:
    """The request in the plain data of a command. Raises DecodeError."""
    if not kind.command:
        return Request(kind.name, 0, parse(kind.request, data))
    if len(data) < _ID_SIZE:
        raise DecodeError(ErrorKind.BODY)
    id = int.from_bytes(data[:_ID_SIZE], "little")
    return Request(kind.name, id, parse(kind.request, data[_ID_SIZE:]), broadcast)


def decode_request(frame: Frame) -> Request:
    """The request in a plain command frame. Raises DecodeError: type, then address (broadcast), then the body."""
    return read_request(check(frame), frame.data, frame.dst == BROADCAST)


def encode_response(response: Response) -> tuple[int, bytes]:
    """Command code and data of an answer. POLL carries no result unless it is one. Raises LocalError."""
    kind = CATALOGUE.named(response.type)
    data = build_answer(kind.response, response.result, response.body, response.fault_code, response.type)
    if kind.code == POLL_CODE:
        if response.result == Result.OK:
            data = data[1:]
        elif response.result not in _POLL_RESULTS:
            raise LocalError(f"POLL: result {response.result:02X} cannot be said")
    return kind.code, fitting(data)


def read_response(kind: MessageType, data: bytes, id: int = 0) -> Response:
    """The answer in the plain data of a reply; `id` is that of the request. Raises DecodeError."""
    if kind.code != POLL_CODE:
        result, body, fault_code = parse_answer(kind.response, data)
        return Response(kind.name, id, result, body, fault_code)
    if len(data) != 1:
        return Response(kind.name, id, Result.OK, parse(POLL, data))
    if data[0] not in _POLL_RESULTS:
        raise DecodeError(ErrorKind.BODY)
    return Response(kind.name, id, data[0])


def decode_response(frame: Frame, id: int = 0) -> Response:
    """The answer in a plain reply frame; `id` is that of the request. Raises DecodeError."""
    return read_response(CATALOGUE.coded(frame.code), frame.data, id)


def fitting(data: bytes) -> bytes:
    """The data of a frame, if it is not too long for one. Raises LocalError."""
    if len(data) > DATA_MAX:
        raise LocalError(f"{len(data)} bytes of data, at most {DATA_MAX} fit")
    return data
