"""The rules of a Cedar's plug at both ends: flush, credits, time-outs, doorbells, what is stale, what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from protocols.cedar import frames
from protocols.cedar.datasheet import BULK_IN, CREDITS
from protocols.cedar.link import CedarDevice
from protocols.cedar.vector import encode_frame
from protocols.cedar.wire import DOORBELL, setup
from protocols.codec import parse
from protocols.errors import LocalError
from protocols.events import event_json
from protocols.link import Down, Dropped, Heard, Received, Silent, Up
from protocols.message import Event, Hint, Progress, Request, Response
from protocols.piece import CONTROL_IN, CONTROL_OUT, Piece, Tail
from tests.protocols.cedar_plug import BELL, RESUME, Plug, bell, command, device, host, reply, resume_piece, state_event
from tests.protocols.cedar_plug import setup as asks

STATUS = Request("FAULTS", 3)
DELIVER = Request("DELIVER", 42, {"round": 7, "seat": 3, "n": 5, "flags": 0})


def events_reply(asked: dict[str, Any], *events: Event) -> Piece:
    return reply(asked, events=[event_json(event) for event in events])


def flushed(plug: Plug) -> None:
    """The link asked for a flush and gets it; then nothing comes for 50 ms."""
    assert plug.setups() == ["FLUSH"]
    plug.hear(Piece(CONTROL_IN))
    plug.wait(0.06)


def downs(plug: Plug) -> list[str]:
    return [event.reason for event in plug.events if isinstance(event, Down)]


# the host


def test_what_comes_between_a_flush_and_quiet_is_thrown_away_and_not_counted() -> None:
    plug = host()
    plug.link.send(DELIVER, plug.now)
    plug.put()
    (asked,) = plug.frames()
    plug.wait(0.51)
    assert plug.setups() == ["FLUSH"]
    plug.hear(reply(asked, 1))
    plug.hear(Piece(CONTROL_IN))
    for _ in range(4):
        plug.wait(0.04)
        plug.hear(reply(asked, 1), Piece(BULK_IN, b"half a frame", Tail.MORE))
    assert plug.frames() == []
    plug.wait(0.06)
    (again,) = plug.frames()
    assert (again["cmd_id"], again["seq"]) == (42, asked["seq"] + 1)
    plug.hear(reply(asked, 1))  # even now: its number is of before
    assert plug.messages() == []
    plug.hear(reply(again, 1))
    assert plug.messages() == [Response("DELIVER", 42, 1)]
    assert plug.link.counters.dropped == 1
    assert plug.link.counters.resends == 1
    assert downs(plug) == []


def test_four_commands_without_a_reply_and_no_more_and_replies_in_any_order() -> None:
    plug = host()
    for number in range(6):
        plug.link.send(Request("CONFIG_GET", number + 1, {"key": number}), plug.now)
    plug.put()
    asked = plug.frames()
    assert [each["key"] for each in asked] == [0, 1, 2, 3]
    plug.hear(reply(asked[2], value=2), reply(asked[0], value=0))
    assert [each["key"] for each in plug.frames()] == [4, 5]
    assert [message.id for message in plug.messages() if isinstance(message, Response)] == [3, 1]


def test_all_that_has_no_reply_is_sent_again_in_order_and_the_third_time_out_loses_the_link() -> None:
    plug = host()
    for number in range(5):
        plug.link.send(Request("CONFIG_GET", number + 1, {"key": number}), plug.now)
    plug.put()
    assert [each["key"] for each in plug.frames()] == [0, 1, 2, 3]
    for _ in range(2):
        plug.wait(0.51)
        flushed(plug)
        assert [each["key"] for each in plug.frames()] == [0, 1, 2, 3]
    plug.wait(0.51)
    assert downs(plug) == ["no answer"]
    assert not plug.link.up
    with pytest.raises(LocalError, match="down"):
        plug.link.send(STATUS, plug.now)
    assert plug.setups() == []
    plug.wait(1.0)
    flushed(plug)
    assert plug.setups() == ["GET_RESUME"]
    plug.hear(resume_piece())
    assert plug.events[-1] == Up(RESUME)
    assert plug.frames() == []


@pytest.mark.parametrize("what", [Tail.STALL, Tail.BABBLE])
def test_stall_and_babble_flush_and_a_storm_of_them_loses_the_link(what: Tail) -> None:
    plug = host()
    plug.link.send(DELIVER, plug.now)
    plug.put()
    flushes = 0
    for _ in range(20):
        plug.hear(Piece(BULK_IN, b"", what))
        flushes += len(asked := plug.setups())
        plug.hear(*[Piece(CONTROL_IN)] * len(asked))
        plug.wait(0.06)
    assert downs(plug) == ["no answer"]
    assert flushes < 6


def test_a_flush_that_is_refused_or_never_answered_is_asked_for_again_each_second() -> None:
    plug = host()
    plug.wait(0.0)
    fresh = Plug(type(plug.link)())
    fresh.put()
    for _ in range(3):
        assert fresh.setups() == ["FLUSH"]
        fresh.hear(Piece(CONTROL_IN, b"", Tail.STALL))
        fresh.wait(0.9)
        assert fresh.setups() == []
        fresh.wait(0.2)
    assert fresh.setups() == ["FLUSH"]
    fresh.wait(2.1)
    assert fresh.setups() == ["FLUSH"]
    fresh.hear(Piece(CONTROL_IN))
    fresh.wait(0.06)
    assert fresh.setups() == ["GET_RESUME"]
    fresh.hear(Piece(CONTROL_IN, b"short"))
    assert not fresh.link.up


def test_events_are_read_when_a_doorbell_tells_of_them_and_each_comes_up_once() -> None:
    plug = host()
    plug.hear(bell(head_seq=3))
    assert plug.frames() == []  # nobody has said yet what is durable
    plug.link.read_events_after(1)
    plug.put()
    (asked,) = plug.frames()
    assert (asked["type"], asked["from"]) == ("EVENT_READ", 2)
    plug.hear(events_reply(asked, state_event(2), state_event(3)))
    plug.hear(bell(head_seq=3), bell(head_seq=3))
    assert plug.frames() == []
    plug.hear(bell(head_seq=4))
    (asked,) = plug.frames()
    assert asked["from"] == 4
    plug.hear(events_reply(asked, state_event(3), state_event(4)))
    assert [message.seq for message in plug.messages() if isinstance(message, Event)] == [2, 3, 4]


def test_without_any_doorbell_events_are_read_all_the_same() -> None:
    plug = host()
    plug.link.read_events_after(0)
    plug.put()
    plug.hear(events_reply(plug.frames()[0]))
    plug.wait(3.1)
    (asked,) = plug.frames()
    plug.hear(events_reply(asked, state_event(1)))
    assert [message.seq for message in plug.messages() if isinstance(message, Event)] == [1]


def test_a_doorbell_is_a_hint_lost_repeated_or_wrong_it_decides_nothing() -> None:
    plug = host()
    plug.hear(bell(), bell(), Piece(0x82, bytes(15)), bell(pad=0))
    plug.hear(Piece(0x82, bytes(14) + b"\1\0"))
    assert [str(event.kind) for event in plug.events if isinstance(event, Dropped)] == ["length", "padding"]
    assert plug.messages() == [Hint(BELL)] * 3
    assert plug.link.up


def test_a_doorbell_of_another_boot_begins_anew() -> None:
    plug = host()
    plug.link.send(DELIVER, plug.now)
    plug.put()
    plug.hear(bell(boot=4))
    assert downs(plug) == ["the device restarted"]
    plug.wait(0.01)
    flushed(plug)
    assert plug.setups() == ["GET_RESUME"]


def test_a_reply_that_does_not_fit_is_asked_for_once_more_then_the_link_is_lost() -> None:
    plug = host()
    plug.link.send(Request("RESULT", 5, {"of": 9}), plug.now)
    plug.put()
    (asked,) = plug.frames()
    wrong = {"ep": "bulk", "kind": "reply", "type": "STOP", "seq": asked["seq"], "cmd_id": 0, "result": 0}
    short = misfit(wrong, 0x04)
    plug.hear(short)
    flushed(plug)
    (again,) = plug.frames()
    plug.hear(misfit({**wrong, "seq": again["seq"]}, 0x04))
    assert downs(plug) == ["an answer that does not fit its command"]


def test_an_event_that_nobody_can_read_is_left_alone_and_those_before_it_are_read() -> None:
    plug = host()
    plug.link.read_events_after(0)
    plug.hear(bell(head_seq=3))
    (asked,) = plug.frames()
    plug.hear(unreadable(asked, state_event(1), state_event(2)))
    flushed(plug)
    (asked,) = plug.frames()
    plug.hear(unreadable(asked, state_event(1), state_event(2)))
    assert {event.seq for event in plug.events if isinstance(event, Dropped)} == {2}
    (asked,) = plug.frames()
    assert (asked["from"], asked["max"]) == (1, 1)
    plug.hear(events_reply(asked, state_event(1)))
    for again in (True, False):
        (asked,) = plug.frames()
        assert asked["from"] == 2
        plug.hear(unreadable(asked, state_event(2)))
        if again:
            flushed(plug)
    plug.hear(bell(head_seq=3))
    plug.wait(2.0)
    assert plug.frames() == []  # until something new is recorded
    assert [message.seq for message in plug.messages() if isinstance(message, Event)] == [1]


def misfit(fields: dict[str, Any], code: int) -> Piece:
    """A reply of another type's body."""
    return Piece(BULK_IN, frames.encode(replace(frames.decode(encode_frame(fields, None)), code=code)))


def unreadable(asked: dict[str, Any], *events: Event) -> Piece:
    """Events of which the last one has a body that does not fit its code."""
    frame = frames.decode(events_reply(asked, *events).data)
    last = len(frame.payload) - 3
    payload = frame.payload[:last] + b"\x31" + frame.payload[last + 1 :]  # code LID has one byte
    return Piece(BULK_IN, frames.encode(replace(frame, payload=payload)))


# the device


def test_commands_come_up_and_are_answered_in_any_order() -> None:
    plug = device()
    plug.hear(command("STATUS", 7), command("STOP", 8, 70), command("STATUS", 9))
    assert plug.messages() == [Request("STATUS", 7), Request("STOP", 70), Request("STATUS", 9)]
    plug.link.send(Response("STOP", 70, 1), plug.now)
    plug.link.send(Response("STATUS", 9, 3), plug.now)
    plug.link.send(Response("STATUS", 7, 2), plug.now)
    plug.link.send(Response("STATUS", 7, 2), plug.now)  # nobody waits for it
    plug.put()
    assert [(each["seq"], each["cmd_id"], each["result"]) for each in plug.frames()] == [
        (8, 70, 1),
        (9, 0, 3),
        (7, 0, 2),
    ]


def test_a_fifth_command_is_busy_and_an_unknown_or_misfit_one_is_refused_by_the_link() -> None:
    plug = device()
    plug.hear(*(command("STATUS", number) for number in range(CREDITS)))
    plug.hear(command("STATUS", 99))
    assert [(each["seq"], each["result"]) for each in plug.frames()] == [(99, 2)]
    plug.hear(asks("FLUSH"))
    plug.take(CONTROL_IN)
    data = command("SHOE_ARM", 5, 9, round=1, lease=2)
    plug.hear(*(raw(data, code, payload) for code, payload in ((0x13, b""), (0x16, b"\1"), (0x14, b"\1\0\1\1\1\0"))))
    refused = [frames.decode(each) for each in plug.take(BULK_IN)]
    assert [(frame.code, frame.cmd_id, frame.payload.hex()) for frame in refused] == [
        (0x13, 9, "0a"),
        (0x16, 9, "04"),
        (0x14, 9, "04"),
    ]
    assert plug.messages()[CREDITS:] == []


def raw(piece: Piece, code: int, payload: bytes) -> Piece:
    return Piece(piece.ep, frames.encode(replace(frames.decode(piece.data), code=code, payload=payload)))


def test_a_flush_drops_what_is_half_received_not_taken_and_not_sent_and_then_says_so() -> None:
    plug = device()
    plug.hear(command("STATUS", 7), command("STOP", 8, 70))
    plug.link.send(Response("STATUS", 7, 2), plug.now)
    half = command("STATUS", 9)
    plug.link.receive(Piece(half.ep, half.data[:10], Tail.MORE).encode() + asks("FLUSH").encode(), plug.now)
    plug.put()
    assert [piece.ep for piece in plug.said] == [CONTROL_IN]
    plug.said.clear()
    plug.link.send(Response("STOP", 70, 1), plug.now)
    assert plug.hear(command("STATUS", 1))[-1] == Received(Request("STATUS", 1))
    assert plug.frames() == []


def test_the_cause_is_0_until_the_resume_block_was_read_once() -> None:
    plug = device()
    for cause in (0, 1, 1):
        assert plug.hear(asks("GET_RESUME")) == [Received(Request("GET_RESUME"))]
        plug.link.send(Response("GET_RESUME", 0, 0, {**RESUME.body, "last_cmd_id": 9}), plug.now)
        plug.put()
        (data,) = plug.take(CONTROL_IN)
        assert (len(data), data[5]) == (18, cause)


def test_other_requests_on_endpoint_0_stall_and_a_short_length_cuts_the_data() -> None:
    plug = device()
    for wrong in ("C103000000001200", "C101010000001200", "4101000000001200", "C101"):
        plug.hear(Piece(CONTROL_OUT, bytes.fromhex(wrong)))
        assert plug.said.pop().tail is Tail.STALL
    plug.hear(Piece(CONTROL_OUT, setup("GET_RESUME", 6)))
    plug.link.send(Response("GET_RESUME", 0, 0, {**RESUME.body, "last_cmd_id": 9}), plug.now)
    plug.put()
    assert plug.take(CONTROL_IN) == [bytes.fromhex("010300010000")]


def test_it_rings_when_something_changed_and_each_second_with_its_credit() -> None:
    plug = device()
    hint = Hint({name: value for name, value in BELL.items() if name not in ("credit", "pad")})
    plug.link.send(hint, plug.now)
    plug.hear(command("STATUS", 1))
    plug.wait(2.5)
    bells = [parse(DOORBELL, data) for data in plug.take(0x82)]
    assert [each["credit"] for each in bells] == [4, 3, 3]
    assert bells[0] == BELL


def test_nothing_is_said_before_the_host_was_heard_nor_after_the_plug_was_pulled() -> None:
    plug = Plug(CedarDevice(resume=lambda: RESUME))
    plug.link.send(Hint({name: value for name, value in BELL.items() if name not in ("credit", "pad")}), plug.now)
    plug.wait(5)
    assert plug.said == []
    assert plug.hear(asks("FLUSH"))[0] == Heard()
    plug.hear(command("STATUS", 1))
    assert plug.link.unplugged(plug.now) == [Silent(0)]
    assert plug.link.unplugged(plug.now) == []
    plug.said.clear()
    plug.link.send(Response("STATUS", 1, 3), plug.now)
    plug.wait(5)
    assert plug.said == []
    assert plug.hear(command("STATUS", 2)) == [Heard(), Received(Request("STATUS", 2))]


def test_it_pushes_no_events() -> None:
    plug = device()
    for message in (state_event(1), Progress(1, 2, 3, 4), Request("STATUS", 1)):
        with pytest.raises(LocalError):
            plug.link.send(message, plug.now)
