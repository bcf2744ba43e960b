"""What Alder says: frames with flags and byte stuffing (alder.md §2, §3.1), and the messages inside DATA (§4)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from construct import Struct

from protocols import codec
from protocols.alder.datasheet import FRAME_MAX, FRAME_MIN, GAP, PAYLOAD_MAX
from protocols.codec import Catalogue, MessageType, build, build_answer, parse, parse_answer
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.events import EVENTS, decode_event, encode_event
from protocols.fields import text, u8, u16, u32
from protocols.frame import Framer, with_x25, x25_fits
from protocols.link import Side
from protocols.message import Event, Hint, Message, Progress, Request, Response

FLAG, ESCAPE, XON, XOFF = 0x7E, 0x7D, 0x11, 0x13
_FLAG = bytes([FLAG])
_FLOW = bytes([XON, XOFF])
_RIGHT_AFTER_ESCAPE = {0x5E, 0x5D, 0x31, 0x33}
_RAW_MAX = 1024
"""Stuffed bytes kept of one frame: more than twice what a right one has."""


class Kind(StrEnum):
    """What a frame is for."""

    DATA = "DATA"
    RR = "RR"
    RNR = "RNR"
    REJ = "REJ"
    RST = "RST"
    RSTACK = "RSTACK"
    ERROR = "ERROR"


_SUPERVISORY = {0x80: Kind.RR, 0x90: Kind.RNR, 0xA0: Kind.REJ}
_SUPERVISORY_CODES = {kind: code for code, kind in _SUPERVISORY.items()}
_UNNUMBERED = {0xC0: Kind.RST, 0xC1: Kind.RSTACK, 0xC2: Kind.ERROR}
_UNNUMBERED_CODES = {kind: code for code, kind in _UNNUMBERED.items()}
_PAYLOAD_SIZE = {Kind.RR: 0, Kind.RNR: 0, Kind.REJ: 0, Kind.RST: 0, Kind.RSTACK: 14, Kind.ERROR: 1}
_SENDER = {Kind.RST: Side.HOST, Kind.RSTACK: Side.DEVICE, Kind.ERROR: Side.DEVICE}


@dataclass(frozen=True)
class Frame:
    """One frame: `ns` and `retx` mean something in DATA, `nr` also in RR, RNR and REJ."""

    kind: Kind
    ns: int = 0
    retx: int = 0
    nr: int = 0
    payload: bytes = b""

    @property
    def ctrl(self) -> int:
        """The ctrl byte."""
        if self.kind is Kind.DATA:
            return self.ns << 4 | self.retx << 3 | self.nr
        if self.kind in _SUPERVISORY_CODES:
            return _SUPERVISORY_CODES[self.kind] | self.nr
        return _UNNUMBERED_CODES[self.kind]


def encode(frame: Frame) -> bytes:
    """A whole frame with both flags."""
    body = with_x25(bytes([frame.ctrl]) + frame.payload)
    body = body.replace(b"\x7d", b"\x7d\x5d").replace(b"\x7e", b"\x7d\x5e")
    return _FLAG + body.replace(b"\x11", b"\x7d\x31").replace(b"\x13", b"\x7d\x33") + _FLAG


def decode(stuffed: bytes) -> Frame:
    """What stood between two flags, XON and XOFF already removed. Raises FrameError in the order of alder.md §2."""
    body = _unstuff(stuffed)
    if len(body) < FRAME_MIN:
        raise FrameError(ErrorKind.SHORT)
    if len(body) > FRAME_MAX:
        raise FrameError(ErrorKind.LONG)
    if not x25_fits(body):
        raise FrameError(ErrorKind.CRC)
    return _open(body[0], body[1:-2])


def _unstuff(stuffed: bytes) -> bytes:
    first, *others = stuffed.split(b"\x7d")
    if not others:
        return stuffed
    parts = [first]
    for place, part in enumerate(others, start=1):
        if not part and place == len(others):
            raise FrameError(ErrorKind.ABORT)
        if not part or part[0] not in _RIGHT_AFTER_ESCAPE:
            raise FrameError(ErrorKind.ESCAPE)
        parts += (bytes([part[0] ^ 0x20]), part[1:])
    return b"".join(parts)


def _open(ctrl: int, payload: bytes) -> Frame:
    if ctrl < 0x80:
        return Frame(Kind.DATA, ctrl >> 4, ctrl >> 3 & 1, ctrl & 7, payload)
    if ctrl in _UNNUMBERED:
        return Frame(_UNNUMBERED[ctrl], payload=payload)
    kind = _SUPERVISORY.get(ctrl & 0xF8)
    if kind is None:
        raise FrameError(ErrorKind.CONTROL)
    return Frame(kind, nr=ctrl & 7, payload=payload)


def check(frame: Frame, sender: Side) -> None:
    """Whether this side sends such frames, and of this size. Raises FrameError of kind `control` or `body`."""
    if _SENDER.get(frame.kind, sender) is not sender:
        raise FrameError(ErrorKind.CONTROL)
    if len(frame.payload) != _PAYLOAD_SIZE.get(frame.kind, len(frame.payload)):
        raise FrameError(ErrorKind.BODY)


class AlderFramer(Framer[Frame]):
    """Cuts the byte stream at its flags; one flag may close a frame and open the next."""

    def __init__(self) -> None:
        self._part: bytearray | None = None
        self._last = 0.0

    def feed(self, data: bytes, now: float) -> list[Frame | FrameError]:
        """See Framer. A pause of more than 50 ms inside a frame drops the frame (kind `short`)."""
        found: list[Frame | FrameError] = []
        if self._part and now - self._last > GAP:
            self._part = None
            found.append(FrameError(ErrorKind.SHORT))
        self._last = now
        first, *others = data.translate(None, _FLOW).split(_FLAG)
        self._take(first)
        for part in others:
            if self._part:
                found.append(self._close(bytes(self._part)))
            self._part = bytearray()
            self._take(part)
        return found

    def flush(self) -> list[Frame | FrameError]:
        """See Framer: an open frame is dropped."""
        held, self._part = self._part, None
        return [FrameError(ErrorKind.SHORT)] if held else []

    def _take(self, part: bytes) -> None:
        if self._part is not None:
            self._part += part[: _RAW_MAX - len(self._part)]

    @staticmethod
    def _close(stuffed: bytes) -> Frame | FrameError:
        try:
            return decode(stuffed)
        except FrameError as error:
            return error


STATUS = Struct(
    "state" / u8,
    "lamp" / u8,
    "flags" / u8,
    "tray" / u8,
    "cycle" / u32,
    "infeed" / u16,
    "path" / u16,
    "rack" / u16,
    "output" / u16,
    "fault_mask" / u32,
    "oldest" / u32,
    "newest" / u32,
    "text" / text,
)
_DECK = Struct("deck" / u8)

CATALOGUE = Catalogue(
    (
        MessageType(0x01, "IDENT", "Q", response=codec.IDENTITY),
        MessageType(0x02, "STATUS", "Q", response=STATUS),
        MessageType(0x03, "METERS", "Q", response=codec.METERS),
        MessageType(0x04, "RESULT", "Q", codec.OF, codec.OF_RESULT),
        MessageType(0x05, "FAULTS", "Q", response=codec.FAULTS),
        MessageType(0x10, "SHUFFLE_START", "M", Struct("mode" / u8, "deck" / u8, "expected" / u16), codec.CYCLE),
        MessageType(0x11, "EVENT_ACK", "Q", codec.UPTO),
        MessageType(0x12, "EVENT_READ", "Q", codec.READ, EVENTS),
        MessageType(0x13, "ABORT", "S"),
        MessageType(0x14, "PRESENT", "M", Struct("deck" / u8, "override_by" / u32)),
        MessageType(0x15, "RETRACT", "M", _DECK),
        MessageType(0x16, "CLEAR_FAULT", "S", codec.CLEAR_FAULT),
        MessageType(0x17, "CONFIRM_DECK", "S", Struct("deck" / u8, "back" / u8, "count" / u16)),
        MessageType(0x18, "RETIRE_DECK", "S", Struct("deck" / u8, "reason" / u8)),
        MessageType(0x20, "AUTH1", "Q", codec.AUTH1, codec.AUTH1_ANSWER),
        MessageType(0x21, "AUTH2", "Q", codec.AUTH2),
        MessageType(0x22, "HASH_START", "S", codec.HASH_START),
        MessageType(0x23, "HASH_READ", "Q", response=codec.HASH_READ),
        MessageType(0x24, "CONFIG_GET", "Q", codec.CONFIG_GET, codec.CONFIG_VALUE),
        MessageType(0x25, "CONFIG_SET", "S", codec.CONFIG_SET),
    )
)

EVENT, PROGRESS, SEALED, ANSWER = 0x40, 0x41, 0x50, 0x80
HEAD_SIZE = 3
_PROGRESS = Struct("cycle" / u32, "state" / u8, "done" / u16, "total" / u16)


def request_bytes(request: Request) -> bytes:
    """Type and body of a request, what a device keeps beside its id."""
    kind = CATALOGUE.named(request.type)
    return bytes([kind.code]) + build(kind.request, request.body, request.type)


def encode_payload(message: Message) -> bytes:
    """The payload of DATA for a message. Raises LocalError for what does not fit its type."""
    match message:
        case Request():
            kind = CATALOGUE.named(message.type)
            data = _head(kind.code, message.id) + build(kind.request, message.body, message.type)
        case Response():
            kind = CATALOGUE.named(message.type)
            data = _head(kind.code | ANSWER, message.id) + build_answer(
                kind.response, message.result, message.body, message.fault_code, message.type
            )
        case Event():
            data = bytes([EVENT]) + encode_event(message)
        case Progress():
            fields = {"cycle": message.cycle, "state": message.state, "done": message.done, "total": message.total}
            data = bytes([PROGRESS]) + build(_PROGRESS, fields, "progress")
        case Hint():
            raise LocalError("an Alder gives no hints")
    return fitting(data)


def fitting(data: bytes) -> bytes:
    """A payload, if it is not too long for DATA. Raises LocalError."""
    if len(data) > PAYLOAD_MAX:
        raise LocalError(f"payload of {len(data)} bytes, at most {PAYLOAD_MAX} fit")
    return data


def _head(code: int, id: int) -> bytes:
    if not 0 <= id <= 0xFFFF:
        raise LocalError(f"id {id} does not fit 16 bits")
    return bytes([code]) + id.to_bytes(2, "little")


def decode_payload(payload: bytes, sender: Side) -> Message:
    """The message in the payload of DATA. Raises DecodeError with the first error found."""
    if not payload:
        raise DecodeError(ErrorKind.BODY)
    code = payload[0]
    if code == SEALED:
        raise DecodeError(ErrorKind.SEALED)
    if sender is Side.HOST:
        return _decode_request(code, payload)
    if code == EVENT:
        return decode_event(payload[1:])
    if code == PROGRESS:
        return Progress(**parse(_PROGRESS, payload[1:]))
    if code < ANSWER:
        raise DecodeError(ErrorKind.TYPE)
    kind = CATALOGUE.coded(code & 0x7F)
    if len(payload) < HEAD_SIZE:
        raise DecodeError(ErrorKind.BODY)
    result, body, fault_code = parse_answer(kind.response, payload[HEAD_SIZE:])
    return Response(kind.name, int.from_bytes(payload[1:3], "little"), result, body, fault_code)


def _decode_request(code: int, payload: bytes) -> Request:
    kind = CATALOGUE.coded(code)
    if len(payload) < HEAD_SIZE:
        raise DecodeError(ErrorKind.BODY)
    return Request(kind.name, int.from_bytes(payload[1:3], "little"), parse(kind.request, payload[HEAD_SIZE:]))
