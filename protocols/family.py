"""A device family as one value: all that the code above the wire has to know. Each folder exports one `FAMILY`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from protocols.errors import FrameError
from protocols.link import Link
from protocols.message import Body, Request
from protocols.vocabulary import Capability


class Verb(StrEnum):
    """What a host wants, in the words of the pit; a family maps each verb that it knows to a message type."""

    IDENT = "ident"
    STATUS = "status"
    METERS = "meters"
    RESULT = "result"
    FAULTS = "faults"
    READ_EVENTS = "read_events"
    ACK_EVENTS = "ack_events"
    CLEAR_FAULT = "clear_fault"
    SHUFFLE = "shuffle"
    ABORT = "abort"
    PRESENT = "present"
    RETRACT = "retract"
    CONFIRM_DECK = "confirm_deck"
    RETIRE_DECK = "retire_deck"
    LOAD = "load"
    LOADED = "loaded"
    ARM = "arm"
    SHUT = "shut"
    RESOLVE = "resolve"
    CLOSE_SHOE = "close_shoe"
    FEED = "feed"
    DELIVER = "deliver"
    DELIVER_PLAN = "deliver_plan"
    COUNT = "count"
    UNLOAD = "unload"
    PURGE = "purge"
    RETIRE = "retire"
    LAMP = "lamp"
    RESUME = "resume"
    HASH_START = "hash_start"
    HASH_READ = "hash_read"
    CONFIG_GET = "config_get"
    CONFIG_SET = "config_set"


@dataclass(frozen=True)
class Family:
    """One device family.

    `make_link(side, **options)` makes a fresh link; options are the family's own (`address` for Birch).
    `states` names the device's state numbers; `zones` its card zones in the order of POWER_UP.
    `carries_id(type)` tells whether a request of that type is an S or M command, whose id is remembered.
    `decode_frame(data, side)` turns one whole frame into the fields of the golden vectors (JSON-ready; raises
    FrameError or DecodeError), `encode_frame(fields, side)` does the reverse (raises LocalError); their side is the
    sender, None where it is to be found out. A family with levels takes `secret`, a sealed session (`vector.Secret`).
    `split_frames` cuts a recording into frames and what is none. `request_bytes` gives the exact type and body of a
    request, which a device compares when an id comes again (common.md §6). `type_codes` gives the number of each
    message type, by which RESULT names the command that it tells of.

    `endpoints`, where the medium has several: their names in the vectors, the usual one first. `decode_frame` then
    takes one as `ep`, and a mapping for `encode_frame` names it. The bytes of such a family's links are pieces
    (`piece.py`). A family without READ_EVENTS among its verbs sends its events by itself, one at a time: the next one
    comes when the one before was acknowledged.

    `standing`, where no question brings STATUS and hints stand in for it: what of such a body people and hands go by.
    An answer may be of before; a hint in which this is another one says so.
    """

    name: str
    code: int
    caps: Capability
    ring: int
    id_max: int
    verbs: Mapping[Verb, str]
    states: Mapping[int, str]
    zones: tuple[str, ...]
    commands: frozenset[str]
    motions: frozenset[str]
    make_link: Callable[..., Link]
    decode_frame: Callable[..., dict[str, Any]]
    encode_frame: Callable[..., bytes]
    split_frames: Callable[[bytes], list[bytes | FrameError]]
    request_bytes: Callable[[Request], bytes]
    line: Mapping[str, Any] = field(default_factory=dict)
    type_codes: Mapping[str, int] = field(default_factory=dict)
    endpoints: tuple[str, ...] = ()
    standing: Callable[[Body], object] | None = None

    @property
    def levels(self) -> tuple[int, ...]:
        """The security levels that its devices can have."""
        can = ((1, Capability.MAC), (2, Capability.AEAD))
        return (0, *(level for level, capability in can if capability & self.caps))

    def type_named(self, code: int) -> str:
        """The message type of a number, as text with the number where the family has none."""
        return next((name for name, known in self.type_codes.items() if known == code), f"type {code:02X}")

    def carries_id(self, type: str) -> bool:
        """Whether a request type is an S or M command (common.md §6)."""
        return type in self.commands


@cache
def families() -> Mapping[str, Family]:
    """All installed families by name, those from outside the tree included (entry points `shoectl.families`)."""
    return {entry.name: entry.load() for entry in sorted(entry_points(group="shoectl.families"), key=lambda e: e.name)}
