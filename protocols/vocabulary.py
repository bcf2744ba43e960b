"""What all families mean by the same number (common.md). Names only; layouts are in `codec.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import IntEnum, IntFlag
from typing import Any

PROTO = 1


class Capability(IntFlag):
    """What a device can do (common.md §2)."""

    COUNT_IN = 1 << 0
    COUNT_OUT_AFTER_SHUFFLE = 1 << 1
    COMPOSITION = 1 << 2
    READS_EACH_DRAW = 1 << 3
    GATE = 1 << 4
    PACKETS = 1 << 5
    SORT = 1 << 6
    BACK_COLOUR = 1 << 7
    RESIDUAL_SENSOR = 1 << 8
    NVRAM_RING = 1 << 9
    MAC = 1 << 10
    AEAD = 1 << 11
    SALTED_HASH = 1 << 12
    REJECT_PORTAL = 1 << 13
    SET_BINDING = 1 << 14


class Result(IntEnum):
    """Result codes (common.md §5)."""

    OK = 0x00
    ACCEPTED = 0x01
    E_BUSY = 0x02
    E_STATE = 0x03
    E_PARAM = 0x04
    E_INTERLOCK = 0x05
    E_AUTH = 0x06
    E_RING = 0x07
    E_ID_REUSE = 0x08
    E_UNKNOWN_ID = 0x09
    E_UNSUPPORTED = 0x0A
    E_FAULT = 0x0B
    E_NOT_VERIFIED = 0x0C
    E_ABORTED = 0x0D


class EventCode(IntEnum):
    """Event and fault codes (common.md §7.1)."""

    POWER_UP = 0x01
    STATE = 0x02
    CMD_DONE = 0x04
    CARD_DRAWN = 0x10
    CARD_RETURNED = 0x11
    CUT_CARD = 0x12
    SHOE_EMPTY = 0x13
    PACKET_READY = 0x14
    PACKET_TAKEN = 0x15
    CARD_RESOLVED = 0x16
    SHUFFLE_STARTED = 0x20
    SHUFFLE_DONE = 0x21
    COMPOSITION = 0x22
    DECK_TAKEN = 0x23
    DECK_LOADED = 0x24
    SHOE_COUNT = 0x25
    DOOR = 0x30
    LID = 0x31
    SERVICE_PORT = 0x32
    TAMPER = 0x33
    AUTH_FAIL = 0x34
    CONFIG_CHANGED = 0x36
    CLEARED = 0x7F
    JAM = 0x81
    DOUBLE_FEED = 0x82
    COUNT_MISMATCH = 0x83
    UNREADABLE = 0x84
    DUPLICATE = 0x85
    FOREIGN = 0x86
    FACE_UP = 0x87
    WRONG_BACK = 0x88
    OVERDRAW = 0x89
    EARLY_DRAW = 0x8A
    RESIDUAL = 0x8B
    MOTOR_STALL = 0x8C
    SENSOR_BLOCKED = 0x8D
    SENSOR_WEAK = 0x8E
    OVERTEMP = 0x8F
    NVRAM_ERROR = 0x90
    CLOCK = 0x91
    RNG_HEALTH = 0x92
    FW_INTEGRITY = 0x93
    CARD_DAMAGED = 0x94
    COMMS_LOST = 0x95


FIRST_FAULT = 0x80


class FaultClass(IntEnum):
    """How an open fault ends (common.md §8)."""

    LATCHED = 0
    AUTOMATIC = 1
    PERMANENT = 2


def fault_class(code: int) -> FaultClass:
    """The class of a fault code; unknown codes of 80 and above count as latched (common.md §7, §8)."""
    if code in (EventCode.SENSOR_WEAK, EventCode.OVERTEMP, EventCode.CLOCK, EventCode.COMMS_LOST):
        return FaultClass.AUTOMATIC
    if code == EventCode.FW_INTEGRITY:
        return FaultClass.PERMANENT
    return FaultClass.LATCHED


class Verdict(IntEnum):
    """What a count says (common.md §9)."""

    UNKNOWN = 0
    OK = 1
    SHORT = 2
    OVER = 3
    COMPOSITION = 4
    ABORTED = 5
    NOT_A_SHUFFLE = 6


class VerdictFlag(IntFlag):
    """Flags beside a verdict (common.md §9). Bits 4-5 hold mode - 1."""

    COMPOSITION_COMPARED = 1 << 0
    MANUAL = 1 << 1
    SENSOR_WEAK = 1 << 2
    UNCERTAIN = 1 << 3


class Mode(IntEnum):
    """What a cycle does (common.md §7.2)."""

    SHUFFLE = 1
    COUNT = 2
    SORT = 3


class Back(IntEnum):
    """Back colours (common.md §7.2)."""

    UNKNOWN = 0
    RED = 1
    BLUE = 2
    GREEN = 3
    BLACK = 4
    OTHER = 5


CUT_CARD = 0x50
FOREIGN_CARD = 0x5F
FACE_UP_CARD = 0x60
UNREADABLE_CARD = 0x7E
NO_READER = 0x7F

_RANKS = "A23456789TJQK"
_SUITS = "shcd"
_SPECIAL = {
    CUT_CARD: "cut",
    FOREIGN_CARD: "foreign",
    FACE_UP_CARD: "face up",
    UNREADABLE_CARD: "unreadable",
    NO_READER: "no reader",
}


def card_byte(text: str) -> int:
    """The card byte of a face such as `As` (common.md §1). Raises ValueError for anything else."""
    if len(text) != 2 or text[0] not in _RANKS or text[1] not in _SUITS:
        raise ValueError(f"no card: {text!r}")
    return (_SUITS.index(text[1]) << 4) | (_RANKS.index(text[0]) + 1)


def card_text(byte: int) -> str:
    """The face of a card byte as text (`As`), or what it says instead. Raises ValueError where undefined."""
    if is_face(byte) and byte < 0x41:
        return _RANKS[(byte & 0x0F) - 1] + _SUITS[byte >> 4]
    if is_face(byte):
        return f"joker {byte - 0x40}"
    if byte in _SPECIAL:
        return _SPECIAL[byte]
    raise ValueError(f"undefined card byte {byte:02X}")


def is_face(byte: int) -> bool:
    """Whether a card byte names one card: spades, hearts, clubs, diamonds or a joker."""
    return 0x41 <= byte <= 0x44 or (byte < 0x40 and 1 <= byte & 0x0F <= 13)


def is_card_byte(byte: int) -> bool:
    """Whether a card byte is defined at all (common.md §1)."""
    return is_face(byte) or byte in _SPECIAL


@dataclass(frozen=True)
class Identity:
    """Who a device says it is (common.md §3). Identified by (family, serial); another epoch is another device."""

    proto: int
    family: int
    hw_rev: int
    flags: int
    caps: int
    boot: int
    epoch: int
    key_id: int
    fw_sha256: str
    maker: str
    model: str
    serial: str
    fw_version: str

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Identity:
        """From the body of an IDENT answer."""
        return cls(**body)

    @property
    def body(self) -> dict[str, Any]:
        """As the body of an IDENT answer."""
        return asdict(self)

    def can(self, capability: Capability) -> bool:
        """Whether the device claims a capability."""
        return bool(self.caps & capability)

    @property
    def min_level(self) -> int:
        """MIN_LEVEL: the security level below which it says nothing that matters."""
        return self.flags >> 4 & 3


@dataclass(frozen=True)
class Resume:
    """Where a device stands when a link comes up (common.md §4). An empty ring has oldest = newest + 1."""

    proto: int
    boot: int
    epoch: int
    cause: int
    oldest: int
    newest: int

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Resume:
        """From the fields of the block."""
        return cls(**body)

    @property
    def body(self) -> dict[str, Any]:
        """The fields of the block."""
        return asdict(self)


class ResumeCause(IntEnum):
    """Why a link was down (common.md §4)."""

    RESTARTED = 0
    HOST_ASKED = 1
    GAVE_UP = 2
    PROTOCOL = 3
    SECURITY = 4
