"""Polls and the reading of events at the host's end of a Birch line."""

from __future__ import annotations

from typing import Any

import pytest

from protocols.events import encode_event, event_json
from protocols.frame import with_x25
from protocols.link import Down, Dropped, LinkEvent, Received
from protocols.message import Event, Request
from protocols.vocabulary import EventCode
from tests.protocols.birch_line import QUIET, Wire, reply
from tests.protocols.rigs import bench, downs, firmware, heard_events, state_event


def poll(wire: Wire, **fields: Any) -> list[LinkEvent]:
    return wire.answer("POLL", **{**QUIET, **fields})


def events_answer(wire: Wire, *events: Event) -> list[LinkEvent]:
    return wire.answer("READ_EVENTS", result=0, events=[event_json(event) for event in events])


def test_it_polls_at_most_100_ms_apart_or_as_soon_as_the_line_is_free() -> None:
    wire = Wire().up()
    times = []
    for _ in range(3):
        poll(wire)
        times.append(wire.now)
    assert times[1] - times[0] == pytest.approx(0.09, abs=0.002)
    assert wire.link.last_poll["state"] == 2
    wire.link.eager = True
    poll(wire)
    before = wire.now
    wire.say()
    assert wire.now - before == pytest.approx(0.005)


def test_nothing_is_read_before_it_is_known_from_where() -> None:
    wire = Wire().up()
    poll(wire, ctr=3, flags=0x20)
    assert wire.say()["type"] == "POLL"
    wire.hear(reply("POLL", 0, **{**QUIET, "ctr": 3, "flags": 0x20}))
    wire.link.read_events_after(40)
    said = wire.say()
    assert (said["type"], said["from"], said["max"]) == ("READ_EVENTS", 41, 255)


def test_events_are_read_when_the_counter_changed_and_not_again() -> None:
    wire = Wire().up()
    wire.link.read_events_after(0)
    wire.answer("POLL", **QUIET)
    events_answer(wire)
    assert wire.link.caught_up
    poll(wire, ctr=2, flags=0x20)
    assert not wire.link.caught_up
    assert [e.message.seq for e in events_answer(wire, state_event(1), state_event(2))] == [1, 2]
    for _ in range(3):
        poll(wire, ctr=2, flags=0x20)
    poll(wire, ctr=3, flags=0x20)
    said = wire.say()
    assert (said["type"], said["from"]) == ("READ_EVENTS", 3)
    wire.hear(reply("READ_EVENTS", said["toggle"], result=0, events=[event_json(state_event(3))]))
    assert [e.message.seq for e in wire.heard(Received)] == [1, 2, 3]


def test_a_full_answer_is_followed_by_another_read() -> None:
    wire = Wire().up()
    wire.link.read_events_after(0)
    poll(wire, ctr=1, flags=0x20)
    events_answer(wire, *(state_event(seq) for seq in range(1, 16)))
    said = wire.say()
    assert (said["type"], said["from"]) == ("READ_EVENTS", 16)


def test_requests_go_between_polls_in_order() -> None:
    wire = Wire().up()
    for number in (1, 2):
        wire.link.send(Request("CONFIG_GET", number, {"key": number}), wire.now)
    poll(wire)
    for number in (1, 2):
        said = wire.say()
        assert said["key"] == number
        wire.hear(reply("CONFIG_GET", said["toggle"], result=0, value=5))
    poll(wire)
    assert [e.message.id for e in wire.heard(Received)] == [1, 2]


def test_many_requests_do_not_stop_the_polls() -> None:
    wire = Wire(eager=True).up()
    for number in range(60):
        wire.link.send(Request("CONFIG_GET", number, {"key": 1}), wire.now)
    last = wire.now
    for _ in range(60):
        said = wire.say()
        if said["type"] == "POLL":
            assert wire.now - last <= 0.105
            last = wire.now
            wire.hear(reply("POLL", said["toggle"], **QUIET))
        else:
            wire.hear(reply("CONFIG_GET", said["toggle"], result=0, value=5))
    assert last > 0.4


def test_a_restarted_device_is_synchronised_again() -> None:
    wire = Wire().up()
    poll(wire, ctr=1, flags=0x60)
    assert wire.heard(Down) == [Down("the device restarted")]
    assert wire.say()["type"] == "SYNC"


def test_reading_goes_on_after_a_loss_but_not_in_another_epoch() -> None:
    rig = bench("birch")
    rig.up()
    firmware(rig).record(rig.now)
    rig.run(0.5)
    for epoch, seen in ((1, [1, 2]), (2, [1, 2])):
        again = type(rig.device)()
        firmware(rig).link = rig.device = again
        firmware(rig).epoch = epoch
        again.resume = firmware(rig).resume
        again.open(rig.now)
        firmware(rig).record(rig.now)
        rig.run(1.0)
        assert rig.host.up
        assert heard_events(rig) == seen
    rig.host.read_events_after(0)
    rig.run(0.5)
    assert heard_events(rig) == [1, 2, 1, 2, 3]
    assert downs(rig) == ["the device restarted"] * 2


def raw_events(toggle: int, *events: bytes) -> bytes:
    body = bytes([0, len(events)]) + b"".join(bytes([len(event)]) + event for event in events)
    return with_x25(bytes([1, len(body), 3, 0x80 | toggle << 6 | 0x11]) + body)


def test_events_before_a_malformed_one_are_read_and_it_is_left_alone() -> None:
    wire = Wire().up()
    wire.link.read_events_after(0)
    poll(wire, ctr=3, flags=0x20)
    good = [encode_event(state_event(seq)) for seq in (1, 2)]
    bad = encode_event(state_event(3))[:10] + bytes([EventCode.CARD_DRAWN, 1, 0, 0x0E, 1, 1, 1])
    for _ in range(2):
        said = wire.say()
        assert (said["type"], said["max"]) == ("READ_EVENTS", 255)
        wire.hear(raw_events(said["toggle"], *good, bad))
    said = wire.say()
    assert (said["from"], said["max"]) == (1, 2)
    wire.hear(raw_events(said["toggle"], *good))
    for _ in range(2):
        said = wire.say()
        assert (said["from"], said["max"]) == (3, 255)
        wire.hear(raw_events(said["toggle"], bad))
    assert [e.message.seq for e in wire.heard(Received)] == [1, 2]
    assert {(str(e.kind), e.seq) for e in wire.heard(Dropped)} == {("card", 3)}
    for _ in range(3):
        poll(wire, ctr=3, flags=0x20)
    assert wire.heard(Down) == []


def test_polls_without_a_session_read_nothing() -> None:
    wire = Wire().up()
    wire.link.read_events_after(0)
    poll(wire)
    events_answer(wire)
    for _ in range(3):
        poll(wire, flags=0xA0)
