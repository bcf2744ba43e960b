"""Frames typed from the documents, through the receive path of a link: whole, in pieces, among rubbish."""

from __future__ import annotations

from typing import Any

import pytest

from protocols.link import Dropped, Link, LinkEvent, Received, Side, Up
from protocols.message import Event, Request
from protocols.vector import message_json
from protocols.vocabulary import Resume
from tests.protocols.golden import Vector, family, plain

RESUME = Resume(1, 1, 1, 0, 1, 0)
STREAMS = ("alder", "birch")
"""What has endpoints instead of a stream of bytes is tried in `test_plugs.py`."""
BAD = [vector for vector in plain("malformed") if vector.family in STREAMS]
SPOKEN = [
    vector
    for vector in plain("vectors", "decode_only")
    if vector.family in STREAMS and (vector.entry["decoded"].get("link") == "DATA" or "dst" in vector.entry["decoded"])
]


def frame(name: str, **fields: Any) -> bytes:
    return family(name).encode_frame(fields, None)


def meaning(vector: Vector) -> dict[str, Any]:
    decoded: dict[str, Any] = vector.entry["decoded"]
    return decoded.get("payload") or decoded


# bringing a link to where the frame is the next one


def alder_listener(vector: Vector) -> Link:
    """An Alder link that expects just this N(S) and N(R), and waits for the answer if it is one."""
    device = vector.sender is Side.HOST
    link = family("alder").make_link(Side.DEVICE if device else Side.HOST)
    link.resume = lambda: RESUME
    link.open(0.0)
    link.output(0.0)
    link.receive(frame("alder", link="RST") if device else frame("alder", link="RSTACK", **RESUME.body), 0.0)
    link.output(0.0)
    decoded, said = vector.entry.get("decoded", {}), meaning(vector) if "decoded" in vector.entry else {}
    asks = said.get("kind") == "response"
    sent = decoded.get("nr", 0) or 8 * asks
    for number in range(sent):
        if device:
            link.send(Event(1, 1, 0, 2, {"old": 1, "new": 2}), 0.0)
        else:
            last = asks and number == sent - 1
            link.send(question("alder", said["type"], said["id"]) if last else Request("STATUS", 9), 0.0)
        link.output(0.0)
        link.receive(frame("alder", link="RR", nr=(number + 1) % 8), 0.0)
    for number in range(decoded.get("ns", 0)):
        payload = (
            {"kind": "request", "type": "STATUS", "id": 9}
            if device
            else {"kind": "progress", "cycle": 1, "state": 4, "done": 1, "total": 2}
        )
        link.receive(frame("alder", link="DATA", ns=number, retx=0, nr=sent % 8, payload=payload), 0.0)
    link.output(0.0)
    return link


def birch_listener(vector: Vector) -> Link:
    """A Birch link at the address in question; a host waits for the answer if the frame is one."""
    decoded = vector.entry.get("decoded", {})
    if vector.sender is Side.HOST:
        link = family("birch").make_link(Side.DEVICE, address=decoded.get("dst") or 3)
        link.resume = lambda: RESUME
        link.open(0.0)
        return link
    link = family("birch").make_link(Side.HOST, address=decoded.get("src", 3), interval=None)
    link.open(0.0)
    link.output(0.1)
    if decoded.get("type") == "SYNC":
        return link
    head = {"dst": 1, "src": link.address, "kind": "reply"}
    link.receive(frame("birch", **head, toggle=0, type="SYNC", result=0, **RESUME.body), 0.1)
    if not decoded:
        return link
    if decoded["toggle"] == 0:
        link.send(Request("POLL"), 0.2)
        link.output(0.2)
        link.receive(frame("birch", **head, toggle=1, type="POLL", ctr=1, state=1, flags=0, recent=[]), 0.2)
    link.send(question("birch", decoded["type"], 9), 0.9)
    link.output(0.9)
    return link


def question(name: str, type: str, id: int) -> Request:
    """A request of that type, taken from the golden frames."""
    for vector in plain("vectors"):
        said = meaning(vector)
        if vector.family == name and said.get("kind") in ("request", "command") and said["type"] == type:
            return Request(type, id, body_of(said))
    raise AssertionError(type)


def body_of(said: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in said.items() if k not in ("dst", "src", "toggle", "kind", "type", "id", "result")}


def listener(vector: Vector) -> Link:
    return alder_listener(vector) if vector.family == "alder" else birch_listener(vector)


def messages(events: list[LinkEvent]) -> list[dict[str, object]]:
    return [message_json(event.message) for event in events if isinstance(event, Received)]


PIECES = {
    "whole": lambda data: [(0.0, data)],
    "byte by byte": lambda data: [(0.0003, bytes([byte])) for byte in data],
    "rubbish before and after": lambda data: [(0.0, b"\xf3\x55\x00" + data + b"\x55\xaa")],
    "text before": lambda data: [(0.0, b"assert failed\n"), (0.02, data)],
    "twice in one reading": lambda data: [(0.0, data + data)],
}


def hears(link: Link, pieces: list[tuple[float, bytes]]) -> list[LinkEvent]:
    """Feed pieces with the pauses before them."""
    events, now = [], 0.92
    for pause, piece in pieces:
        now += pause
        events += link.receive(piece, now)
    return events


@pytest.mark.parametrize("way", PIECES)
@pytest.mark.parametrize("vector", SPOKEN, ids=str)
def test_a_link_hears_each_frame_once(vector: Vector, way: str) -> None:
    events = hears(listener(vector), PIECES[way](vector.data))
    said = meaning(vector)
    if said.get("type") == "SYNC":
        assert [event.resume.newest for event in events if isinstance(event, Up)]
    elif vector.family == "alder":
        assert messages(events) == [said]
    elif said["kind"] == "reply":
        answer = {"kind": "response", "type": said["type"], "id": 9, "result": said.get("result", 0)}
        assert messages(events) == [{**answer, **body_of(said)}]
    elif said["dst"] == 0:  # no toggle tells a repeat of a broadcast
        assert messages(events) == [{"kind": "request", "type": "DISARM", "id": 0}] * (
            1 + (way == "twice in one reading")
        )
    elif said["type"] in family("birch").commands:
        assert messages(events) == []  # E_BUSY until the host has synchronised
    else:
        assert messages(events) == [{"kind": "request", "type": said["type"], "id": 0, **body_of(said)}]


@pytest.mark.parametrize("way", ["whole", "byte by byte"])
@pytest.mark.parametrize("vector", BAD, ids=str)
def test_a_link_hands_no_malformed_frame_up_and_goes_on(vector: Vector, way: str) -> None:
    link = listener(vector)
    after = {"alder": {"link": "RR", "nr": 0}, "birch": {}}[vector.family]
    events = hears(link, PIECES[way](vector.data))
    assert messages(events) == []
    assert link.up
    if after:
        heard = link.counters.frames_in
        link.receive(frame("alder", **after), 1.0)
        assert link.counters.frames_in == heard + 1


@pytest.mark.parametrize("vector", [v for v in BAD if v.family == "alder"], ids=str)
def test_an_alder_link_tells_what_was_wrong(vector: Vector) -> None:
    events = hears(listener(vector), [(0.0, vector.data)])
    assert [str(event.kind) for event in events if isinstance(event, Dropped)] == [vector.entry["error"]]


@pytest.mark.parametrize(
    "name", ["bad_crc", "broadcast_poll", "unknown_command", "body_short", "body_long", "reread_undefined_card"]
)
def test_a_birch_device_tells_what_was_wrong(name: str) -> None:
    (vector,) = (v for v in BAD if v.family == "birch" and v.entry["name"] == name)
    events = hears(listener(vector), [(0.0, vector.data)])
    assert str(next(event.kind for event in events if isinstance(event, Dropped))) == vector.entry["error"]
