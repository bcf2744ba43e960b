"""What Cedar says: messages in bulk frames (cedar.md §3), the doorbell (§1.2) and the requests on endpoint 0 (§1.1)."""

from __future__ import annotations

from typing import Any

from construct import Adapter, Struct

from protocols import codec
from protocols.cedar.datasheet import DOORBELL_SIZE, PACKETS_MAX, PAYLOAD_MAX
from protocols.cedar.frames import Frame
from protocols.codec import Catalogue, MessageType, build, build_answer, parse, parse_answer
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.events import EVENTS
from protocols.fields import listing, raw, reserved, u8, u16, u32
from protocols.message import Request, Response
from protocols.piece import SETUP_SIZE
from protocols.vocabulary import Result

STATUS = Struct(
    "state" / u8,
    "lamp" / u8,
    "flags" / u8,
    "credit" / u8,
    "cycle" / u32,
    "infeed" / u16,
    "path" / u16,
    "carousel" / u16,
    "buffer" / u16,
    "output" / u16,
    "reject" / u16,
    "round" / u16,
    "seat" / u8,
    "k" / u8,
    "fault_mask" / u32,
    "oldest" / u32,
    "newest" / u32,
    "last_cmd_id" / u32,
)
_PACKETS = listing(Struct("seat" / u8, "n" / u8), low=1, high=PACKETS_MAX)
_LOAD = Struct("profile" / u8, "decks" / u8, "expected" / u16, "set_id" / raw(8))

CATALOGUE = Catalogue(
    (
        MessageType(0x01, "IDENT", "Q", response=codec.IDENTITY),
        MessageType(0x02, "STATUS", "Q", response=STATUS),
        MessageType(0x03, "METERS", "Q", response=codec.METERS),
        MessageType(0x04, "RESULT", "Q", Struct("of" / u32), codec.OF_RESULT),
        MessageType(0x05, "FAULTS", "Q", response=codec.FAULTS),
        MessageType(0x10, "LOAD_BEGIN", "M", _LOAD, codec.CYCLE),
        MessageType(0x11, "LOAD_END", "M", response=Struct("counted" / u16)),
        MessageType(0x12, "FEED_DISCARDS", "M", Struct("expected" / u16)),
        MessageType(
            0x14, "DELIVER", "M", Struct("round" / u16, "seat" / u8, "n" / u8, "flags" / reserved(u16, 0xFFFF))
        ),
        MessageType(0x15, "DELIVER_PLAN", "M", Struct("round" / u16, "packets" / _PACKETS)),
        MessageType(0x16, "SHOE_ARM", "M", Struct("round" / u16, "lease" / u8)),
        MessageType(0x17, "STOP", "S"),
        MessageType(0x18, "INVENTORY", "M", response=codec.CYCLE),
        MessageType(0x19, "UNLOAD_ALL", "M"),
        MessageType(0x1A, "PURGE_REJECT", "M", Struct("expected" / u16, "who" / u32)),
        MessageType(0x1B, "CLEAR_FAULT", "S", codec.CLEAR_FAULT),
        MessageType(0x20, "EVENT_READ", "Q", codec.READ, EVENTS),
        MessageType(0x21, "EVENT_ACK", "Q", codec.UPTO),
        MessageType(0x30, "AUTH1", "Q", codec.AUTH1, codec.AUTH1_ANSWER),
        MessageType(0x31, "AUTH2", "Q", codec.AUTH2),
        MessageType(0x32, "HASH_START", "S", codec.HASH_START),
        MessageType(0x33, "HASH_READ", "Q", response=codec.HASH_READ),
        MessageType(0x34, "CONFIG_GET", "Q", codec.CONFIG_GET, codec.CONFIG_VALUE),
        MessageType(0x35, "CONFIG_SET", "S", codec.CONFIG_SET),
    )
)
_SESSION_ENDED = bytes([Result.E_AUTH])
PLAIN_ALWAYS = frozenset(CATALOGUE.by_name[name].code for name in ("IDENT", "AUTH1", "AUTH2"))


def request_bytes(request: Request) -> bytes:
    """Type and payload of a command, what a device keeps beside its id."""
    kind = CATALOGUE.named(request.type)
    return bytes([kind.code]) + build(kind.request, request.body, request.type)


def request_frame(request: Request, seq: int, cmd_id: int | None = None) -> Frame:
    """The frame of a command. A question goes out with id 0, whatever number it has here. Raises LocalError."""
    kind = CATALOGUE.named(request.type)
    if cmd_id is None:
        cmd_id = request.id if kind.command else 0
    return _frame(kind, False, seq, cmd_id, build(kind.request, request.body, request.type))


def reply_frame(response: Response, seq: int, cmd_id: int) -> Frame:
    """The frame of a reply. Raises LocalError."""
    kind = CATALOGUE.named(response.type)
    payload = build_answer(kind.response, response.result, response.body, response.fault_code, response.type)
    return _frame(kind, True, seq, cmd_id, payload)


def _frame(kind: MessageType, reply: bool, seq: int, id: int, payload: bytes) -> Frame:
    if not 0 <= id <= 0xFFFF_FFFF:
        raise LocalError(f"id {id} does not fit 32 bits")
    if len(payload) > PAYLOAD_MAX:
        raise LocalError(f"payload of {len(payload)} bytes, at most {PAYLOAD_MAX} fit")
    return Frame(kind.code, reply, seq, id, payload)


def check(frame: Frame, *, reply: bool) -> MessageType:
    """Whether a frame goes that way, and its type. Raises FrameError of kind `flags`, DecodeError of kind `type`."""
    if frame.reply is not reply:
        raise FrameError(ErrorKind.FLAGS)
    return CATALOGUE.coded(frame.code)


def sealed_rightly(frame: Frame, level: int) -> bool:
    """Whether a frame is sealed as frames are in a session of that level, 0 without one."""
    return frame.level == (0 if frame.code in PLAIN_ALWAYS else level)


def ends_session(frame: Frame) -> bool:
    """Whether a frame is the plain reply that tells of the end of a session, or that one is needed."""
    return frame.reply and not frame.level and frame.payload == _SESSION_ENDED


def read_request(kind: MessageType, frame: Frame) -> Request:
    """The command in a frame that was opened. The number of a question is that of its frame. Raises DecodeError."""
    return Request(kind.name, frame.cmd_id if kind.command else frame.seq, parse(kind.request, frame.payload))


def read_reply(kind: MessageType, frame: Frame, id: int = 0) -> Response:
    """The reply in a frame that was opened; `id` is that of the request. Raises DecodeError."""
    result, body, fault_code = parse_answer(kind.response, frame.payload)
    return Response(kind.name, id, result, body, fault_code)


# the doorbell


class _Padding(Adapter):  # type: ignore[misc]
    """Bytes that must be zero (kind `padding`)."""

    def _decode(self, obj: int, context: Any, path: Any) -> int:
        if obj:
            raise DecodeError(ErrorKind.PADDING)
        return obj

    def _encode(self, obj: Any, context: Any, path: Any) -> int:
        if obj != 0:
            raise LocalError(f"padding is 0, not {obj!r}")
        return 0


DOORBELL = Struct(
    "state" / u8,
    "flags" / u8,
    "head_seq" / u32,
    "tail_seq" / u32,
    "fault" / u8,
    "credit" / u8,
    "boot" / u16,
    "pad" / _Padding(u16),
)


def read_doorbell(data: bytes) -> dict[str, Any]:
    """The fields of a doorbell. Raises FrameError of kind `length`, DecodeError of kind `padding`."""
    if len(data) != DOORBELL_SIZE:
        raise FrameError(ErrorKind.LENGTH)
    return parse(DOORBELL, data)


# endpoint 0

_SETUP = Struct("kind" / u8, "request" / u8, "value" / u16, "index" / u16, "length" / u16)
_VENDOR_IN, _VENDOR_OUT = 0xC1, 0x41
RESUME = Struct(*codec.RESUME.subcons, "last_cmd_id" / u32)
CONTROL = Catalogue(
    (
        MessageType(0x01, "GET_RESUME", "Q", response=RESUME),
        MessageType(0x02, "FLUSH", "Q"),
        MessageType(0x04, "GET_IDENT", "Q", response=codec.IDENTITY),
    )
)
LENGTHS = {"GET_RESUME": 18, "FLUSH": 0, "GET_IDENT": 255}


def setup(name: str, length: int | None = None) -> bytes:
    """The eight setup bytes of a request on endpoint 0; `length` is that of the data asked for."""
    kind = CONTROL.named(name)
    fields = {
        "kind": _VENDOR_OUT if name == "FLUSH" else _VENDOR_IN,
        "request": kind.code,
        "value": 0,
        "index": 0,
        "length": LENGTHS[name] if length is None else length,
    }
    return build(_SETUP, fields, name)


def read_setup(data: bytes) -> tuple[str, int]:
    """Name and length of a request on endpoint 0. Raises FrameError by size, DecodeError `type` or `value`."""
    if len(data) != SETUP_SIZE:
        raise FrameError(ErrorKind.SHORT if len(data) < SETUP_SIZE else ErrorKind.LONG)
    fields = parse(_SETUP, data)
    kind = CONTROL.coded(fields["request"])
    if fields["kind"] != (_VENDOR_OUT if kind.name == "FLUSH" else _VENDOR_IN):
        raise DecodeError(ErrorKind.TYPE)
    if fields["value"] or fields["index"]:
        raise DecodeError(ErrorKind.VALUE)
    return kind.name, fields["length"]
