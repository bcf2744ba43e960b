"""Events: envelope, the body of each code (common.md §7), and lists of them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from construct import Adapter, GreedyBytes, Prefixed, Struct

from protocols.codec import build, parse
from protocols.errors import DecodeError, ErrorKind, LocalError
from protocols.fields import card, flags, i8, listing, rest, u8, u16, u32
from protocols.message import Event
from protocols.vocabulary import EventCode

ENVELOPE_SIZE = 11
BODY_MAX = 29
EVENT_MAX = ENVELOPE_SIZE + BODY_MAX


class _Ascending(Adapter):  # type: ignore[misc]
    """Composition entries: cards strictly ascending, no delta of zero (kind `order`)."""

    def _decode(self, obj: Any, context: Any, path: Any) -> Any:
        if not _ascending([(entry.card, entry.delta) for entry in obj]):
            raise DecodeError(ErrorKind.ORDER)
        return obj

    def _encode(self, obj: Any, context: Any, path: Any) -> Any:
        if not _ascending([(entry["card"], entry["delta"]) for entry in obj]):
            raise LocalError("entries must ascend by card and have no delta of 0")
        return obj


def _ascending(entries: list[tuple[int, int]]) -> bool:
    return all(delta for _, delta in entries) and all(a[0] < b[0] for a, b in pairwise(entries))


_SHUFFLE_FLAGS = flags(reserved=0xC0)
_COUNT_FLAGS = flags(reserved=0xF0)
"""A count has no mode: bits 4 and 5, which hold it after a shuffle, are zero."""
_OPEN = Struct("open" / u8)
_IDX = Struct("idx" / u16)
_PACKET = Struct("round" / u16, "seat" / u8, "n" / u8)
_DECK = Struct("deck" / u8, "back" / u8, "count" / u16)
_SIGHTING = Struct("card" / card, "idx" / u16)
_CONDITION = Struct("which" / u8, "level" / u8)

C = EventCode
BODIES: Mapping[int, Any] = {
    C.POWER_UP: Struct("cause" / u8, "prev_state" / u8, "zones" / listing(Struct("count" / u16, "err" / u8))),
    C.STATE: Struct("old" / u8, "new" / u8),
    C.CMD_DONE: Struct("cmd_id" / u32, "result" / u8),
    C.CARD_DRAWN: Struct("idx" / u16, "card" / card, "quality" / u8, "dwell_ms" / u16),
    C.CARD_RETURNED: _IDX,
    C.CUT_CARD: _IDX,
    C.SHOE_EMPTY: _IDX,
    C.PACKET_READY: _PACKET,
    C.PACKET_TAKEN: _PACKET,
    C.CARD_RESOLVED: Struct("idx" / u16, "card" / card, "op1" / u32, "op2" / u32),
    C.SHUFFLE_STARTED: Struct("cycle" / u32, "mode" / u8, "deck" / u8, "origin" / u8),
    C.SHUFFLE_DONE: Struct(
        "cycle" / u32, "in" / u16, "out" / u16, "expected" / u16, "verdict" / u8, "flags" / _SHUFFLE_FLAGS
    ),
    C.COMPOSITION: Struct(
        "cycle" / u32,
        "part" / u8,
        "parts" / u8,
        "entries" / _Ascending(listing(Struct("card" / card, "delta" / i8), low=1, high=11)),
    ),
    C.DECK_TAKEN: _DECK,
    C.DECK_LOADED: _DECK,
    C.SHOE_COUNT: Struct(
        "cycle" / u32, "expected" / u16, "counted" / u16, "unread" / u16, "verdict" / u8, "flags" / _COUNT_FLAGS
    ),
    C.DOOR: _OPEN,
    C.LID: _OPEN,
    C.SERVICE_PORT: _OPEN,
    C.TAMPER: _OPEN,
    C.AUTH_FAIL: Struct("reason" / u8, "count" / u16),
    C.CONFIG_CHANGED: Struct("key" / u8, "old" / u32, "new" / u32, "who" / u32),
    C.CLEARED: Struct("fault_seq" / u32, "how" / u8, "who" / u32),
    C.JAM: Struct("zone" / u8, "cards_in_path" / u8, "attempt" / u8),
    C.DOUBLE_FEED: Struct("zone" / u8, "thickness" / u8),
    C.COUNT_MISMATCH: Struct("in" / u16, "out" / u16, "expected" / u16),
    C.UNREADABLE: _SIGHTING,
    C.DUPLICATE: _SIGHTING,
    C.FOREIGN: _SIGHTING,
    C.FACE_UP: _SIGHTING,
    C.WRONG_BACK: _SIGHTING,
    C.OVERDRAW: Struct("idx" / u16, "gate" / u8),
    C.EARLY_DRAW: _IDX,
    C.RESIDUAL: Struct("zone" / u8, "n" / u16),
    C.MOTOR_STALL: _CONDITION,
    C.SENSOR_BLOCKED: _CONDITION,
    C.SENSOR_WEAK: _CONDITION,
    C.OVERTEMP: _CONDITION,
    C.NVRAM_ERROR: _CONDITION,
    C.CLOCK: _CONDITION,
    C.RNG_HEALTH: _CONDITION,
    C.FW_INTEGRITY: _CONDITION,
    C.CARD_DAMAGED: Struct("zone" / u8),
    C.COMMS_LOST: Struct("ms" / u32),
}

_ENVELOPE = Struct("seq" / u32, "boot" / u16, "t_ms" / u32, "code" / u8)
_RAW = Struct("raw" / rest)


def decode_event(data: bytes) -> Event:
    """One event. Raises DecodeError; its `seq` says which event it was if that much could be read."""
    if len(data) < ENVELOPE_SIZE:
        raise DecodeError(ErrorKind.BODY)
    head = parse(_ENVELOPE, data[:ENVELOPE_SIZE])
    if len(data) > EVENT_MAX:
        raise DecodeError(ErrorKind.BODY, seq=head["seq"])
    try:
        body = decode_body(head["code"], data[ENVELOPE_SIZE:])
    except DecodeError as error:
        raise DecodeError(error.kind, seq=head["seq"]) from None
    return Event(**head, body=body)


def decode_body(code: int, data: bytes) -> dict[str, Any]:
    """The body of an event of a code. Raises DecodeError."""
    return parse(BODIES.get(code, _RAW), data)


def encode_event(event: Event) -> bytes:
    """The bytes of an event: what is kept in NVRAM, compared, and sent. Raises LocalError."""
    head = {"seq": event.seq, "boot": event.boot, "t_ms": event.t_ms, "code": event.code}
    return build(_ENVELOPE, head, "event") + encode_body(event)


def encode_body(event: Event) -> bytes:
    """The body of an event. Raises LocalError."""
    data = build(BODIES.get(event.code, _RAW), event.body, event.name or f"event {event.code:02X}")
    if len(data) > BODY_MAX:
        raise LocalError(f"event body of {len(data)} bytes, at most {BODY_MAX} fit")
    return data


def event_json(event: Event) -> dict[str, Any]:
    """An event with the field names of the golden vectors."""
    return {
        "seq": event.seq,
        "boot": event.boot,
        "t_ms": event.t_ms,
        "code": event.code,
        "name": event.name,
        "body": jsonable(event.body),
    }


def event_from_json(value: Mapping[str, Any]) -> Event:
    """The event of such a mapping; `name` may be left out. Raises LocalError."""
    try:
        event = Event(value["seq"], value["boot"], value["t_ms"], value["code"], value["body"])
    except KeyError as error:
        raise LocalError(f"event: field {error} is missing") from None
    if not isinstance(event.code, int) or not isinstance(event.body, Mapping):
        raise LocalError("event: code is a number and body an object")
    if value.get("name", event.name) != event.name:
        raise LocalError(f"event: code {event.code} is {event.name}, not {value['name']}")
    return event


def jsonable(value: Any) -> Any:
    """A body with its tuples as lists and its events as mappings."""
    match value:
        case Event():
            return event_json(value)
        case Mapping():
            return {name: jsonable(item) for name, item in value.items()}
        case list() | tuple():
            return [jsonable(item) for item in value]
        case _:
            return value


class _EventItem(Adapter):  # type: ignore[misc]
    """One event of a list. Built from an `Event` or from a mapping with its fields."""

    def _decode(self, obj: bytes, context: Any, path: Any) -> Event:
        return decode_event(obj)

    def _encode(self, obj: Any, context: Any, path: Any) -> bytes:
        return encode_event(obj if isinstance(obj, Event) else event_from_json(obj))


EVENTS = Struct("events" / listing(_EventItem(Prefixed(u8, GreedyBytes))))


def events_that_fit(events: list[bytes], limit: int, room: int) -> int:
    """How many of these encoded events go into one answer: at most `limit`, and at most `room` bytes with lengths."""
    used = 0
    for taken, data in enumerate(events[:limit]):
        used += 1 + len(data)
        if used > room:
            return taken
    return min(limit, len(events))
