"""What Dogwood says: operations inside COMMAND and RESULT, and what feature reports hold (dogwood.md §2, §4)."""

from __future__ import annotations

from construct import Struct

from protocols import codec
from protocols.codec import Catalogue, MessageType, build, parse
from protocols.dogwood.datasheet import FAULTS_MAX, REPORT_SIZE
from protocols.errors import DecodeError, ErrorKind
from protocols.fields import card, listing, u8, u16, u32
from protocols.message import Request
from protocols.piece import SETUP_SIZE

STATUS = Struct(
    "state" / u8,
    "lamp" / u8,
    "flags" / u8,
    "drawn" / u16,
    "remain" / u16,
    "boot" / u16,
    "epoch" / u16,
    "pending_seq" / u32,
    "fault" / u8,
    "depth" / u16,
)
_FAULTS = Struct("faults" / listing(Struct("seq" / u32, "code" / u8), high=FAULTS_MAX))

CATALOGUE = Catalogue(
    (
        MessageType(0x01, "LOAD", "S", Struct("decks" / u8, "expected" / u16), codec.CYCLE),
        MessageType(0x02, "ARM", "M", Struct("round" / u16, "lease" / u8)),
        MessageType(0x03, "DISARM", "S"),
        MessageType(0x04, "LAMP", "S", Struct("lamp" / u8, "buzzer" / u8)),
        MessageType(0x05, "REREAD", "S", Struct("idx" / u16, "card" / card, "op1" / u32, "op2" / u32)),
        MessageType(0x06, "COUNT_NOW", "S", response=codec.CYCLE),
        MessageType(0x07, "CLEAR_FAULT", "S", codec.CLEAR_FAULT),
        MessageType(0x08, "RETIRE", "S", Struct("reason" / u8)),
        MessageType(0x09, "RESULT", "Q", codec.OF, codec.OF_RESULT),
        MessageType(0x0A, "CONFIG_GET", "Q", codec.CONFIG_GET, codec.CONFIG_VALUE),
        MessageType(0x0B, "CONFIG_SET", "S", codec.CONFIG_SET),
        MessageType(0x0C, "HASH_START", "S", codec.HASH_START),
        MessageType(0x0D, "HASH_READ", "Q", response=codec.HASH_READ),
        MessageType(0x0E, "AUTH1", "Q", codec.AUTH1, codec.AUTH1_ANSWER),
        MessageType(0x0F, "AUTH2", "Q", codec.AUTH2),
        MessageType(0x10, "FAULTS", "Q", Struct("from" / u32), _FAULTS),
    )
)
AUTH = frozenset(CATALOGUE.by_name[name].code for name in ("AUTH1", "AUTH2"))

FEATURES = {"IDENT": ("IDENT", "IDENT2"), "METERS": ("METERS",), "WINDOW": ("WINDOW",)}
"""What is asked for by feature reports, and the reports that hold it."""
LAYOUTS = {"IDENT": codec.IDENTITY, "METERS": codec.METERS, "WINDOW": codec.RESUME}


def request_bytes(request: Request) -> bytes:
    """Operation and body of a command, what a device keeps beside its id."""
    kind = CATALOGUE.named(request.type)
    return bytes([kind.code]) + build(kind.request, request.body, request.type)


# endpoint 0

_SETUP = Struct("kind" / u8, "request" / u8, "report" / u8, "type" / u8, "index" / u16, "length" / u16)
_CLASS_IN, _GET_REPORT, _FEATURE = 0xA1, 1, 3


def get_feature(report: int) -> bytes:
    """The setup bytes that ask for a feature report."""
    fields = {"kind": _CLASS_IN, "request": _GET_REPORT, "report": report, "type": _FEATURE, "index": 0}
    return build(_SETUP, {**fields, "length": REPORT_SIZE}, "GET_REPORT")


def feature_asked(setup: bytes) -> int:
    """The feature report that a request on endpoint 0 asks for. Raises DecodeError of kind `type` for anything else."""
    if len(setup) != SETUP_SIZE:
        raise DecodeError(ErrorKind.TYPE)
    fields = parse(_SETUP, setup)
    if (fields["kind"], fields["request"], fields["type"], fields["index"]) != (_CLASS_IN, _GET_REPORT, _FEATURE, 0):
        raise DecodeError(ErrorKind.TYPE)
    return int(fields["report"])
