"""Devices and what they report, as a journal names them.

A device is named by its *unit*: family byte and serial number, as `42-BR000200` (common.md §3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar

from protocols.message import Event
from protocols.vocabulary import Identity

Json = dict[str, Any]


@dataclass(frozen=True)
class EvidenceRef:
    """One event of one device: `seq` counts inside an epoch."""

    unit: str
    epoch: int
    seq: int


def unit_of(identity: Identity) -> str:
    """The name of a device in the journal."""
    return f"{identity.family:02X}-{identity.serial}"


@dataclass(frozen=True)
class Unit:
    """Where the journal stands with a device: last durable seq in each epoch, last command id given."""

    seqs: Mapping[int, int] = field(default_factory=dict)
    id: int = 0


@dataclass(frozen=True)
class Attached:
    """`device`: a device took a place of the table. `node`: the port where it is, as the system calls it now.

    `counted`: what the link of the place had counted before, over all connections of the daemon that wrote this.
    """

    kind: ClassVar[str] = "device"
    place: str
    unit: str
    serial: str
    family: str
    epoch: int
    boot: int
    caps: int
    firmware: str
    oldest: int
    newest: int
    node: str = ""
    counted: Mapping[str, int] = field(default_factory=dict)

    def to_json(self) -> Json:
        """Its body."""
        return asdict(self)


@dataclass(frozen=True)
class LinkCounted:
    """`note`: what the link of a place has counted when its daemon ends; while it runs, `device` entries tell it."""

    kind: ClassVar[str] = "note"
    place: str
    counted: Mapping[str, int]
    text: str = "the table stops: what the link of the place has counted since the program started"

    def to_json(self) -> Json:
        """Its body."""
        return {"text": self.text, "place": self.place, "counted": dict(self.counted)}


@dataclass(frozen=True)
class Evidence:
    """`event`: what a device reported, and the number of the entry that holds it."""

    kind: ClassVar[str] = "event"
    place: str
    unit: str
    epoch: int
    event: Event
    entry: int = 0

    @property
    def ref(self) -> EvidenceRef:
        """By what an answer names it."""
        return EvidenceRef(self.unit, self.epoch, self.event.seq)

    def says(self, event: Event) -> bool:
        """Whether another telling of the event has the same content (lists and tuples of a body alike)."""
        other = replace(event, body=frozen(dict(event.body)))
        return self.event == other

    def to_json(self) -> Json:
        """Its body; a known code is named for people."""
        event = self.event
        return {
            "place": self.place,
            "unit": self.unit,
            "epoch": self.epoch,
            "seq": event.seq,
            "boot": event.boot,
            "t_ms": event.t_ms,
            "code": event.code,
            "name": event.name,
            "body": dict(event.body),
        }

    @classmethod
    def from_json(cls, body: Mapping[str, Any], entry: int) -> Evidence:
        """The event of an entry."""
        event = Event(body["seq"], body["boot"], body["t_ms"], body["code"], frozen(body["body"]))
        return cls(body["place"], body["unit"], body["epoch"], event, entry)


def frozen(value: Any) -> Any:
    """JSON as bodies of messages have it: tuples for lists."""
    match value:
        case dict():
            return {name: frozen(item) for name, item in value.items()}
        case list():
            return tuple(frozen(item) for item in value)
        case _:
            return value
