"""A Cedar link whose other end is the test."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from protocols.cedar import datasheet, wire
from protocols.cedar.link import CedarDevice, CedarHost
from protocols.cedar.vector import decode_frame, encode_frame
from protocols.codec import build
from protocols.link import LinkEvent, Received, Side
from protocols.message import Event, Message
from protocols.piece import CONTROL_IN, CONTROL_OUT, Piece, Tail, pieces
from protocols.vocabulary import Resume

RESUME = Resume(1, 3, 1, 1, 1, 5)
BELL = {"state": 5, "flags": 32, "head_seq": 5, "tail_seq": 1, "fault": 0, "credit": 4, "boot": 3, "pad": 0}


def state_event(seq: int) -> Event:
    return Event(seq, 3, seq * 10, 2, {"old": seq % 7, "new": seq % 5})


class Plug:
    """The test's end. `said` is what the link has put out and nobody has looked at yet."""

    def __init__(self, link: CedarHost | CedarDevice) -> None:
        self.link = link
        self.now = 10.0
        self.said: list[Piece] = []
        self.events: list[LinkEvent] = []
        link.open(self.now)

    def hear(self, *heard: Piece) -> list[LinkEvent]:
        """Give the link pieces, and let it answer."""
        events = self.link.receive(b"".join(piece.encode() for piece in heard), self.now)
        self.events += events
        self.put()
        return events

    def put(self) -> None:
        self.said += pieces(self.link.output(self.now))

    def wait(self, seconds: float) -> None:
        """Let time pass as the link wishes."""
        end = self.now + seconds
        while (due := self.link.deadline()) is not None and due <= end:
            self.now = max(due, self.now + 1e-6)
            self.events += self.link.tick(self.now)
            self.put()
        self.now = end

    def take(self, ep: int) -> list[bytes]:
        """What was said on an endpoint."""
        taken = [piece.data for piece in self.said if piece.ep == ep]
        self.said = [piece for piece in self.said if piece.ep != ep]
        return taken

    def frames(self) -> list[dict[str, Any]]:
        """The bulk frames that were said, without seal."""
        host = self.link.side is Side.HOST
        return [decode_frame(data, self.link.side) for data in self.take(0x01 if host else 0x81)]

    def setups(self) -> list[str]:
        """The requests on endpoint 0 that were said."""
        return [wire.read_setup(data)[0] for data in self.take(CONTROL_OUT)]

    def messages(self) -> list[Message]:
        taken = [event.message for event in self.events if isinstance(event, Received)]
        self.events = [event for event in self.events if not isinstance(event, Received)]
        return taken


def resume_piece(resume: Resume = RESUME) -> Piece:
    return Piece(CONTROL_IN, build(wire.RESUME, {**resume.body, "last_cmd_id": 7}, "resume"))


def bell(**fields: Any) -> Piece:
    return Piece(datasheet.DOORBELL_IN, build(wire.DOORBELL, {**BELL, **fields}, "doorbell"))


def reply(asked: dict[str, Any], result: int = 0, **body: Any) -> Piece:
    head = {"ep": "bulk", "kind": "reply", **{name: asked[name] for name in ("type", "seq", "cmd_id")}}
    return Piece(datasheet.BULK_IN, encode_frame({**head, "result": result, **body}, None))


def command(name: str, seq: int, cmd_id: int = 0, **body: Any) -> Piece:
    fields = {"ep": "bulk", "kind": "command", "type": name, "seq": seq, "cmd_id": cmd_id, **body}
    return Piece(datasheet.BULK_OUT, encode_frame(fields, None))


def setup(name: str) -> Piece:
    return Piece(CONTROL_OUT, wire.setup(name))


def host(**options: Any) -> Plug:
    """A host that is up and has said nothing yet."""
    plug = Plug(CedarHost(**options))
    plug.put()
    assert plug.setups() == ["FLUSH"]
    plug.hear(Piece(CONTROL_IN))
    plug.wait(0.06)
    assert plug.setups() == ["GET_RESUME"]
    plug.hear(resume_piece())
    assert plug.link.up
    return plug


def device() -> Plug:
    """A device that was flushed."""
    plug = Plug(CedarDevice(resume=lambda: RESUME))
    plug.hear(setup("FLUSH"))
    assert plug.take(CONTROL_IN) == [b""]
    plug.events.clear()
    return plug


def split(piece: Piece, cuts: Iterable[int]) -> list[Piece]:
    """One transfer in several readings."""
    edges = [0, *cuts, len(piece.data)]
    parts = [piece.data[a:b] for a, b in pairwise(edges)]
    return [Piece(piece.ep, part, Tail.MORE) for part in parts[:-1]] + [Piece(piece.ep, parts[-1], piece.tail)]
