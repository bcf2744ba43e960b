"""The worked exchanges of Cedar's document, played against each side: it has to say its part byte for byte."""

from __future__ import annotations

from typing import Any

import pytest

from protocols.cedar.datasheet import BULK_IN, BULK_OUT, DOORBELL_IN, DOORBELL_SIZE, MAGIC
from protocols.cedar.link import CedarDevice, CedarHost
from protocols.cedar.vector import decode_frame
from protocols.cedar.wire import CATALOGUE, DOORBELL, RESUME, read_setup
from protocols.codec import parse
from protocols.link import Heard, Received, Silent
from protocols.message import Hint, Request, Response
from protocols.piece import CONTROL_IN, CONTROL_OUT, Piece
from protocols.vocabulary import Resume
from tests.protocols.cedar_plug import Plug, device, host
from tests.protocols.golden import Line, transcript

NAMES = [f"cedar-8-{number}" for number in (1, 2, 3, 4)]
BEFORE = Resume(1, 3, 1, 0, 1, 0)


def ep_of(line: Line) -> int:
    if line.data[:2] == MAGIC.to_bytes(2, "little"):
        return BULK_OUT if line.speaker == "H" else BULK_IN
    if line.speaker == "H":
        return CONTROL_OUT
    return DOORBELL_IN if len(line.data) == DOORBELL_SIZE else CONTROL_IN


def fields_of(line: Line) -> dict[str, Any]:
    return decode_frame(line.data, None)


def request(fields: dict[str, Any]) -> Request:
    head = ("ep", "kind", "type", "seq", "cmd_id")
    number = fields["cmd_id"] if fields["type"] in CATALOGUE.commands else fields["seq"]
    return Request(fields["type"], number, {name: value for name, value in fields.items() if name not in head})


def response(fields: dict[str, Any], asked: Request) -> Response:
    head = ("ep", "kind", "type", "seq", "cmd_id", "result", "fault_code")
    body = {name: value for name, value in fields.items() if name not in head}
    return Response(fields["type"], asked.id, fields["result"], body, fields.get("fault_code"))


def said(plug: Plug, line: Line) -> None:
    """The next piece of the line's endpoint is the line."""
    for _ in range(9):
        if any(piece.ep == ep_of(line) for piece in plug.said):
            break
        plug.wait(0.1)
    piece = next(piece for piece in plug.said if piece.ep == ep_of(line))
    plug.said.remove(piece)
    assert piece.data.hex(" ") == line.data.hex(" ")


@pytest.mark.parametrize("name", NAMES)
def test_the_host_says_its_part(name: str) -> None:
    lines = list(transcript(name))
    plug = host(seq=fields_of(lines[0])["seq"])
    sent: list[bytes] = []
    for line in lines:
        match line.speaker, ep_of(line):
            case "!", _:
                if line.mark == "plug":
                    plug = Plug(CedarHost())
                    plug.put()
            case "H", 0x00:
                said(plug, line)
                if read_setup(line.data)[0] == "FLUSH":
                    plug.hear(Piece(CONTROL_IN))
            case "H", _:
                wanted = request(fields_of(line))
                again = bytes([line.data[3]]) + line.data[8:-4]
                if again not in sent[-1:] or line.data[3] == CATALOGUE.by_name["EVENT_READ"].code:
                    plug.link.send(wanted, plug.now)
                sent.append(again)
                plug.put()
                said(plug, line)
            case _ if line.mark != "!":
                plug.hear(Piece(ep_of(line), line.data))
            case _:
                pass
    assert not [piece for piece in plug.said if piece.ep == BULK_OUT]
    assert plug.link.counters.dropped == 0


@pytest.mark.parametrize("name", NAMES)
def test_the_device_says_its_part(name: str) -> None:
    plug = device()
    assert isinstance(plug.link, CedarDevice)
    for line in transcript(name):
        match line.speaker, ep_of(line):
            case "!", _:
                if line.mark == "plug":
                    assert plug.link.unplugged(plug.now) == [Silent(0)]
            case "H", ep:
                plug.said.clear() if ep == CONTROL_OUT else None
                events = plug.hear(Piece(ep, line.data))
                asked = [event.message for event in events if isinstance(event, Received)]
            case _, 0x82:
                fields = parse(DOORBELL, line.data)
                plug.link.send(Hint({n: v for n, v in fields.items() if n not in ("credit", "pad")}), plug.now)
                plug.put()
                said(plug, line)
            case _, 0x80:
                plug.said.clear()  # what FLUSH was answered by
                plug.link.send(Response("GET_RESUME", 0, 0, parse(RESUME, line.data)), plug.now)
                plug.put()
                piece = plug.said.pop()
                # the document's host has asked before, ours for the first time since the device started
                assert parse(RESUME, piece.data) == {**parse(RESUME, line.data), "cause": 0}
            case _, _:
                (wanted,) = asked
                assert isinstance(wanted, Request)
                plug.link.send(response(fields_of(line), wanted), plug.now)
                plug.put()
                said(plug, line)
    if name == "cedar-8-2":
        assert Heard() in plug.events
