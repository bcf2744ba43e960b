"""The worked exchanges of the documents, played against each side: it has to say its part byte for byte."""

from __future__ import annotations

from typing import Any

import pytest

from protocols.alder.vector import decode_frame as decode_alder
from protocols.birch.datasheet import FLAG_RESTARTED
from protocols.birch.vector import decode_frame as decode_birch
from protocols.birch.vector import encode_frame as encode_birch
from protocols.link import Down, Link, LinkEvent, Received, Side, Up
from protocols.message import Request, Response
from protocols.vector import message_from_json
from protocols.vocabulary import Resume
from tests.protocols.golden import Line, family, transcript

BEFORE = Resume(1, 3, 1, 0, 1, 0)
NAMES = [f"{name}-9-{number}" for name in ("alder", "birch") for number in (1, 2, 3, 4)]


class Part:
    """One side of a transcript. `said` is what its link put out and no line has asked for yet."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.now = 10.0
        self.said = b""
        self.events: list[LinkEvent] = []

    def hear(self, data: bytes) -> list[LinkEvent]:
        events = self.link.receive(data, self.now)
        self.events += events
        self.said += self.link.output(self.now)
        return events

    def put(self) -> None:
        self.said += self.link.output(self.now)

    def expect(self, line: Line) -> None:
        """The next bytes are those of the line; time passes as the link wishes until it says something."""
        for _ in range(20):
            if self.said:
                break
            due = self.link.deadline()
            assert due is not None, f"nothing more to say before {line.data.hex(' ')}"
            self.now = max(due, self.now) + 1e-6
            self.events += self.link.tick(self.now)
            self.put()
        assert self.said[: len(line.data)].hex(" ") == line.data.hex(" ")
        self.said = self.said[len(line.data) :]

    def silence(self) -> None:
        assert self.said == b""


# Alder


def alder_host(lines: list[Line]) -> Part:
    part = Part(family("alder").make_link(Side.HOST))
    part.link.open(part.now)
    if decode_alder(lines[0].data, Side.HOST)["link"] != "RST":
        part.put()
        part.said = b""
        part.hear(family("alder").encode_frame({"link": "RSTACK", **BEFORE.body}, None))
    return part


def alder_device(lines: list[Line], resume: Resume) -> Part:
    part = Part(family("alder").make_link(Side.DEVICE))
    part.link.resume = lambda: resume
    part.link.open(part.now)
    part.hear(family("alder").encode_frame({"link": "RST"}, None))
    part.said = b""
    return part


def resume_in(lines: list[Line]) -> Resume:
    """The block that the first RSTACK or SYNC answer of these lines tells."""
    for line in lines:
        if line.speaker == "D":
            fields = (decode_alder if line.data[0] == 0x7E else decode_birch)(line.data, Side.DEVICE)
            if fields.get("link") == "RSTACK" or fields.get("type") == "SYNC":
                return Resume(**{name: fields[name] for name in BEFORE.body})
    return BEFORE


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("alder")])
def test_alder_host_says_its_part(name: str) -> None:
    lines = list(transcript(name))
    part = alder_host(lines)
    for line in lines:
        match line.speaker, line.mark:
            case "H", _:
                fields = decode_alder(line.data, Side.HOST)
                if fields["link"] == "DATA":
                    part.link.send(message_from_json(fields["payload"]), part.now)
                    part.put()
                part.expect(line)
            case "D", "":
                part.hear(line.data)
            case _:
                pass
    part.silence()
    assert sum(isinstance(event, Up) for event in part.events) == (2 if name == "alder-9-3" else 1)


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("alder")])
def test_alder_device_says_its_part(name: str) -> None:
    lines = list(transcript(name))
    part = alder_device(lines, resume_in(lines))
    for place, line in enumerate(lines):
        match line.speaker, line.mark:
            case "H", _:
                part.hear(line.data)
            case "!", _:
                part = Part(family("alder").make_link(Side.DEVICE))
                after = resume_in(lines[place:])
                part.link.resume = lambda after=after: after
                part.link.open(part.now)
                part.put()
            case _:
                fields = decode_alder(line.data, Side.DEVICE)
                if fields["link"] == "DATA" and not fields["retx"]:
                    part.link.send(message_from_json(fields["payload"]), part.now)
                    part.put()
                part.expect(line)
    part.silence()


# Birch


def birch_host(lines: list[Line]) -> Part:
    """A host with the toggle of the first line to come. It polls and reads only when it is told to."""
    part = Part(family("birch").make_link(Side.HOST, address=3, interval=None, adapter_delay=0.0))
    part.link.open(part.now)
    first = decode_birch(next(line.data for line in lines if line.speaker == "H"), Side.HOST)
    if first["type"] == "SYNC":
        return part
    head = {"dst": 1, "src": 3, "kind": "reply"}
    _say(part)
    part.hear(encode_birch({**head, "toggle": 0, "type": "SYNC", "result": 0, **BEFORE.body}, None))
    if first["toggle"] == 0:
        part.link.send(Request("POLL"), part.now)
        _say(part)
        quiet = {"ctr": 1, "state": 1, "flags": 0, "recent": []}
        part.hear(encode_birch({**head, "toggle": 1, "type": "POLL", **quiet}, None))
    return part


def _say(part: Part) -> bytes:
    """Let the link say its next command, whatever it is."""
    part.now += 0.02
    part.put()
    said, part.said = part.said, b""
    return said


def birch_request(fields: dict[str, Any]) -> Request:
    body = {k: v for k, v in fields.items() if k not in ("dst", "src", "toggle", "kind", "type", "id")}
    return Request(fields["type"], fields.get("id", 0), body)


def birch_response(fields: dict[str, Any], id: int) -> Response:
    left = {k: v for k, v in fields.items() if k not in ("dst", "src", "toggle", "kind", "type")}
    result, fault_code = left.pop("result", 0), left.pop("fault_code", None)
    return Response(fields["type"], id, result, left, fault_code)


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("birch")])
def test_birch_host_says_its_part(name: str) -> None:
    lines = list(transcript(name))
    part = birch_host(lines)
    before: Line | None = None
    wrong = False
    for line in lines:
        match line.speaker, line.mark:
            case "H", "!":
                part.link.send(birch_request(decode_birch(line.data, Side.HOST)), part.now)
                _say(part)
                wrong = True
            case "H", _:
                fields = decode_birch(line.data, Side.HOST)
                if fields["type"] != "SYNC" and (before is None or before.data != line.data):
                    part.link.send(birch_request(fields), part.now)
                part.expect(line)
                before = line
            case "D", "":
                # our host flips its toggle in any case, so the old answer comes with that of its command
                data = encode_birch({**decode_birch(line.data, None), "toggle": 0}, None) if wrong else line.data
                wrong = False
                part.hear(data)
                part.now += 0.001
                before = None
            case _:
                pass
    part.silence()
    downs = [event.reason for event in part.events if isinstance(event, Down)]
    assert downs == {"birch-9-2": ["an answer to another command"], "birch-9-4": ["the device restarted"]}.get(name, [])


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("birch")])
def test_birch_device_says_its_part(name: str) -> None:
    lines = list(transcript(name))
    after = resume_in(lines)
    part = Part(family("birch").make_link(Side.DEVICE, address=3))
    part.link.resume = lambda: after
    part.link.open(part.now)
    if lines[0].speaker != "!":
        part.hear(encode_birch({"dst": 3, "src": 1, "toggle": 0, "kind": "command", "type": "SYNC"}, None))
        part.now += 0.01
        part.put()
        part.said = b""
    asked: Request | None = None
    for line in lines:
        if line.speaker == "H":
            part.now += 0.02
            requests = [event.message for event in part.hear(line.data) if isinstance(event, Received)]
            asked = requests[0] if requests else None
        elif line.speaker == "D":
            if asked is not None:
                response = birch_response(decode_birch(line.data, Side.DEVICE), asked.id)
                if response.type == "POLL":  # the link knows by itself whether there was a SYNC
                    flags = response.body["flags"] & ~FLAG_RESTARTED
                    response = Response("POLL", 0, 0, {**response.body, "flags": flags})
                part.link.send(response, part.now)
            part.expect(line)
    part.silence()
