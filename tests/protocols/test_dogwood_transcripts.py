"""The worked exchanges of Dogwood's document, played against each side: it has to say its part byte for byte."""

from __future__ import annotations

from typing import Any

import pytest

from protocols.dogwood.datasheet import REPORT_IN, REPORT_OUT
from protocols.dogwood.link import DogwoodHost
from protocols.dogwood.reports import Id
from protocols.dogwood.vector import decode_frame
from protocols.dogwood.wire import get_feature
from protocols.message import Event, Hint, Request, Response
from protocols.piece import CONTROL_OUT, Piece
from protocols.vocabulary import EventCode, Resume
from tests.protocols.dogwood_plug import RESUME, Plug, ack, device, host, report, state_event
from tests.protocols.golden import Line, transcript

NAMES = [f"dogwood-9-{number}" for number in (1, 2, 3, 4)]


def fields_of(line: Line) -> dict[str, Any]:
    return decode_frame(line.data, None)


def event_of(fields: dict[str, Any]) -> Event:
    head = [fields[name] for name in ("seq", "boot", "t_ms")]
    if fields["report"] == "EVENT":
        return Event(*head, fields["code"], fields["body"])
    body = {name: fields[name] for name in ("idx", "card", "quality", "dwell_ms")}
    return Event(*head, EventCode.CARD_DRAWN.value, body)


def window(lines: list[Line]) -> Resume:
    """The resume block of these lines."""
    told = next((fields_of(line) for line in lines if line.data[:1] == bytes([Id.WINDOW])), None)
    return RESUME if told is None else Resume(**{name: told[name] for name in RESUME.body})


def said(plug: Plug, line: Line) -> None:
    """The next report is the line; what STATUS says in between does not matter here."""
    for _ in range(9):
        if plug.raw:
            break
        plug.wait(0.1)
    assert plug.raw.pop(0).hex(" ") == line.data.hex(" ")


@pytest.mark.parametrize("name", NAMES)
def test_the_host_says_its_part(name: str) -> None:
    lines = list(transcript(name))
    plug = host(listening=fields_of(lines[0]) != {"report": "ACK", "flags": 1, "tid": 0, "seq": 0})
    plug.take()
    for place, line in enumerate(lines):
        if line.speaker == "!":
            plug = Plug(DogwoodHost(), resume=window(lines[place:]))
            plug.put()
            plug.take()
            continue
        fields = fields_of(line)
        match line.speaker, fields["report"]:
            case "H", "ACK":
                if fields["flags"]:
                    plug.link.read_events_after(0)
                elif not plug.raw:
                    plug.link.send(Request("ACK", 0, {"upto": fields["seq"]}), plug.now)
                plug.put()
                said(plug, line)
            case "H", "COMMAND":
                body = {k: v for k, v in fields.items() if k not in ("report", "cmd_id", "op")}
                plug.link.send(Request(fields["op"], fields["cmd_id"], body), plug.now)
                plug.put()
                said(plug, line)
            case "D", "WINDOW":
                pass  # told when it was asked for
            case _:
                plug.hear(Piece(REPORT_IN, line.data))
    assert plug.raw == []
    assert plug.link.counters.dropped == 0


def used(plug: Plug, tids: int) -> None:
    """Have the device use up so many transfer numbers."""
    plug.hear(report(**ack()))
    for tid in range(1, tids + 1):
        plug.link.send(state_event(tid), plug.now)
        plug.put()
        plug.hear(report(**ack(tid, tid)))
    plug.take()
    plug.events.clear()


@pytest.mark.parametrize("name", NAMES)
def test_the_device_says_its_part(name: str) -> None:
    lines = list(transcript(name))
    plug = device()
    first = fields_of(lines[0])
    if lines[0].speaker == "D":
        used(plug, first["tid"] - 1)
    told: set[int] = set()
    for place, line in enumerate(lines):
        if line.speaker == "!":
            if line.mark == "power":
                plug = device()
                after = [event_of(fields_of(each)) for each in lines[place:] if each.data[:1] in (b"\2", b"\3")]
                for event in after:
                    plug.link.send(event, plug.now)
                told |= {event.seq for event in after}
            continue
        fields = fields_of(line)
        match line.speaker, fields["report"]:
            case "H", _ if line.mark != "!":
                plug.hear(Piece(REPORT_OUT, line.data))
            case "D", "WINDOW":
                plug.hear(Piece(CONTROL_OUT, get_feature(Id.WINDOW)))
                plug.link.send(Response("WINDOW", 0, 0, {k: v for k, v in fields.items() if k != "report"}), plug.now)
                plug.put()
                plug.raw = [each for each in plug.raw if each[0] == Id.WINDOW]  # nobody reads its reports yet
                said(plug, line)
            case "D", "RESULT":
                head = ("report", "cmd_id", "op", "result", "fault_code")
                body = {k: v for k, v in fields.items() if k not in head}
                answer = Response(fields["op"], fields["cmd_id"], fields["result"], body, fields.get("fault_code"))
                plug.link.send(answer, plug.now)
                plug.put()
                said(plug, line)
            case "D", "STATUS":
                plug.link.send(Hint({k: v for k, v in fields.items() if k not in ("report", "pending_seq")}), plug.now)
                plug.put()
                said(plug, line)
            case "D", _:
                event = event_of(fields)
                if event.seq not in told:
                    plug.link.send(event, plug.now)
                    told.add(event.seq)
                plug.put()
                said(plug, line)
            case _:
                pass
