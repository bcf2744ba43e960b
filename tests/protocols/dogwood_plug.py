"""A Dogwood link whose other end is the test."""

from __future__ import annotations

from typing import Any

from protocols.codec import build
from protocols.dogwood import wire
from protocols.dogwood.datasheet import DATA_SIZE, REPORT_IN, REPORT_OUT
from protocols.dogwood.link import DogwoodDevice, DogwoodHost
from protocols.dogwood.reports import Id
from protocols.dogwood.vector import decode_frame, encode_frame
from protocols.link import LinkEvent, Received, Side, Up
from protocols.message import Event, Message
from protocols.piece import CONTROL_IN, CONTROL_OUT, Piece, Tail, pieces
from protocols.vocabulary import Identity, Resume

RESUME = Resume(1, 3, 1, 1, 1, 5)
IDENTITY = Identity(1, 0x44, 2, 3, 0x1E08, 3, 1, 7, "00" * 32, "Example Works", "Dogwood-L", "DW000311", "1.4.2")
STATUS = {"state": 2, "lamp": 5, "flags": 1, "drawn": 0, "remain": 416, "boot": 3, "epoch": 1, "fault": 0, "depth": 0}
METERS = dict.fromkeys(("cycles_ok", "cycles_bad", "cards", "jams", "crc_errors", "resends", "link_resets"), 4)


def state_event(seq: int) -> Event:
    return Event(seq, 3, seq * 10, 2, {"old": seq % 7, "new": seq % 5})


def report(**fields: Any) -> Piece:
    """An output or input report."""
    data = encode_frame(fields, None)
    return Piece(REPORT_OUT if data[0] in (Id.ACK, Id.COMMAND) else REPORT_IN, data)


def retained(seq: int, tid: int, again: int = 0) -> Piece:
    event = state_event(seq)
    head = {"report": "EVENT", "tid": tid, "flags": again, "seq": seq, "boot": event.boot, "t_ms": event.t_ms}
    return report(**head, code=event.code, body=event.body)


def ack(tid: int = 0, seq: int = 0) -> dict[str, Any]:
    return {"report": "ACK", "flags": int(tid == 0), "tid": tid, "seq": seq}


def status(**fields: Any) -> Piece:
    return report(report="STATUS", pending_seq=0, **{**STATUS, **fields})


class Plug:
    """The test's end. It answers requests for feature reports by itself where the link is a host's."""

    def __init__(self, link: DogwoodHost | DogwoodDevice, resume: Resume = RESUME, who: Identity = IDENTITY) -> None:
        self.link, self.resume, self.who = link, resume, who
        self.now = 10.0
        self.said: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        self.events: list[LinkEvent] = []
        self.features = 0
        self.refuses = False
        link.open(self.now)

    def hear(self, *heard: Piece) -> list[LinkEvent]:
        """Give the link pieces, and let it answer."""
        events = self.link.receive(b"".join(piece.encode() for piece in heard), self.now)
        self.events += events
        self.put()
        return events

    def put(self) -> None:
        for piece in pieces(self.link.output(self.now)):
            if piece.ep == CONTROL_OUT:
                self.features += 1
                if not self.refuses:
                    self.hear(self.feature(Id(wire.feature_asked(piece.data))))
            elif piece.tail is Tail.STALL:
                self.said.append({"stall": piece.ep})
            else:
                self.raw.append(piece.data)
                self.said.append(decode_frame(piece.data, None))

    def feature(self, id: Id) -> Piece:
        name = next(name for name, ids in wire.FEATURES.items() if id.name in ids)
        bodies = {"IDENT": self.who.body, "METERS": METERS, "WINDOW": self.resume.body}
        data = build(wire.LAYOUTS[name], bodies[name], name)
        at = DATA_SIZE * wire.FEATURES[name].index(id.name)
        return Piece(CONTROL_IN, bytes([id]) + data[at : at + DATA_SIZE].ljust(DATA_SIZE, b"\0"))

    def wait(self, seconds: float) -> None:
        """Let time pass as the link wishes."""
        end = self.now + seconds
        while (due := self.link.deadline()) is not None and due <= end:
            self.now = max(due, self.now + 1e-6)
            self.events += self.link.tick(self.now)
            self.put()
        self.now = end

    def take(self) -> list[dict[str, Any]]:
        """What was said."""
        said, self.said = self.said, []
        self.raw.clear()
        return said

    def messages(self) -> list[Message]:
        taken = [event.message for event in self.events if isinstance(event, Received)]
        self.events = [event for event in self.events if not isinstance(event, Received)]
        return taken


def host(*, listening: bool = True, **options: Any) -> Plug:
    """A host that is up and has asked for the outstanding report, if it listens."""
    plug = Plug(DogwoodHost(**options))
    plug.put()
    assert [event for event in plug.events if isinstance(event, Up)] == [Up(RESUME)]
    assert plug.features == 3
    if listening:
        plug.link.read_events_after(0)
        plug.put()
        assert plug.take() == [ack()]
    return plug


def device(*events: Event) -> Plug:
    """A device that a host has just opened, with these events retained."""
    plug = Plug(DogwoodDevice(resume=lambda: RESUME))
    assert plug.link.side is Side.DEVICE
    plug.wait(0.0)
    assert [event for event in plug.events if isinstance(event, Up)]
    for event in events:
        plug.link.send(event, plug.now)
    plug.events.clear()
    return plug
