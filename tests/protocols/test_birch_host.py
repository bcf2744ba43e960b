"""The rules of Birch's link at the host's end: times, tries, toggles, answers."""

from __future__ import annotations

from itertools import pairwise

import pytest

from protocols.birch.wire import CATALOGUE
from protocols.errors import LocalError
from protocols.frame import with_x25
from protocols.link import Down, Dropped, Received, Up
from protocols.message import Request, Response
from tests.protocols.birch_line import ARM, BYTE, RESUME, Wire, manual, reply, synced

# times and tries


def test_nothing_is_said_for_5_ms_after_the_last_byte() -> None:
    wire = manual()
    wire.link.send(ARM, wire.now)
    assert wire.link.output(wire.now + 0.0049) == b""
    before = wire.now
    wire.say()
    assert wire.now == pytest.approx(before + 0.005)


@pytest.mark.parametrize("adapter", [0.0, 0.05])
def test_three_tries_with_the_same_bytes_30_ms_each_then_a_sync_each_second(adapter: float) -> None:
    wire = Wire(interval=None, adapter_delay=adapter).up()
    wire.link.send(ARM, wire.now)
    wire.say()
    first, size, start = wire.raw, 11 * BYTE, wire.now
    for _ in range(2):
        wire.say()
        assert wire.raw == first
        assert wire.now == pytest.approx(start + size + adapter + 0.03, abs=1e-6)
        start = wire.now
    assert wire.heard(Down) == []
    times = []
    for _ in range(4):
        assert wire.say()["type"] == "SYNC"
        times.append(wire.now)
    assert wire.heard(Down) == [Down("no answer")]
    assert [b - a for a, b in pairwise(times)] == pytest.approx([1.0] * 3)
    assert wire.link.counters.resends == 2
    assert wire.hear(synced()) == [Up(RESUME)]


def test_the_last_byte_may_take_100_ms_and_rubbish_does_not_move_that() -> None:
    """Field cases 47 and 61: the limit is absolute, however often something comes in."""
    wire = manual()
    wire.link.send(Request("STATUS"), wire.now)
    wire.say()
    end = wire.now + 6 * BYTE + 0.1
    wire.hear(b" Busy ", 0.02)
    assert wire.link.deadline() == pytest.approx(end)
    wire.hear(b" Busy ", 0.05)
    assert wire.link.deadline() == pytest.approx(end)
    assert wire.say()["type"] == "STATUS"
    assert wire.now >= end


def test_requests_are_refused_while_the_link_is_down_and_sync_and_answers_always() -> None:
    wire = Wire()
    with pytest.raises(LocalError, match="down"):
        wire.link.send(ARM, 0.0)
    wire.up()
    with pytest.raises(LocalError, match="own"):
        wire.link.send(Request("SYNC"), wire.now)
    with pytest.raises(LocalError):
        wire.link.send(Response("ARM", 1, 0), wire.now)
    with pytest.raises(LocalError, match="unknown field"):
        wire.link.send(Request("STATUS", 1, {"x": 1}), wire.now)


# toggles and answers


def test_sync_has_toggle_0_and_each_new_command_flips_it() -> None:
    wire = manual()
    toggles = []
    for number in range(3):
        wire.link.send(Request("STATUS", number), wire.now)
        toggles.append(wire.say()["toggle"])
        wire.hear(reply("STATUS", toggles[-1], result=6))
    assert toggles == [1, 0, 1]
    assert [event.message.id for event in wire.heard(Received)] == [0, 1, 2]


def test_a_late_answer_to_a_repeated_command_is_not_taken_for_the_next() -> None:
    """Field case 44: both answers arrive, the second after the next question."""
    wire = manual()
    wire.link.send(Request("STATUS", 1), wire.now)
    wire.link.send(Request("STATUS", 2), wire.now)
    wire.say()
    toggle = wire.say()["toggle"]
    wire.hear(reply("STATUS", toggle, result=3))
    wire.say()
    assert wire.hear(reply("STATUS", toggle, result=3)) == []
    wire.hear(reply("STATUS", toggle ^ 1, result=4))
    assert [(e.message.id, e.message.result) for e in wire.heard(Received)] == [(1, 3), (2, 4)]


def test_an_answer_after_the_time_out_and_before_the_repeat_is_taken() -> None:
    wire = manual()
    wire.link.send(ARM, wire.now)
    toggle = wire.say()["toggle"]
    wire.now = wire.link.deadline() or 0.0
    wire.link.tick(wire.now)
    assert wire.hear(reply("ARM", toggle, result=0), 0.0) == [Received(Response("ARM", 7, 0))]
    assert wire.link.idle


def test_an_answer_to_another_command_with_our_toggle_ends_in_sync() -> None:
    wire = manual()
    wire.link.send(Request("STATUS"), wire.now)
    toggle = wire.say()["toggle"]
    assert wire.hear(reply("ARM", toggle, result=0)) == []
    assert wire.say()["type"] == "SYNC"
    assert wire.heard(Down) == [Down("an answer to another command")]


def test_but_the_right_answer_may_still_come_behind_it() -> None:
    wire = manual()
    wire.link.send(Request("STATUS"), wire.now)
    toggle = wire.say()["toggle"]
    wire.hear(reply("ARM", toggle, result=0))
    assert wire.hear(reply("STATUS", toggle, result=6)) == [Received(Response("STATUS", 0, 6))]


def test_answers_of_other_shoes_are_nothing_to_us() -> None:
    """Field case 64."""
    wire = manual()
    wire.link.send(Request("STATUS"), wire.now)
    toggle = wire.say()["toggle"]
    assert wire.hear(reply("STATUS", toggle, src=4, result=0 + 6)) == []
    assert wire.hear(reply("STATUS", toggle, result=6)) == [Received(Response("STATUS", 0, 6))]
    assert wire.link.counters.dropped == 0


def test_our_own_bytes_are_taken_away_whole_or_in_pieces() -> None:
    for step in (1, 3, 100):
        wire = manual()
        wire.link.send(ARM, wire.now)
        toggle = wire.say()["toggle"]
        stream = wire.raw + reply("ARM", toggle, result=0)
        events = [e for at in range(0, len(stream), step) for e in wire.hear(stream[at : at + step], 0.0001)]
        assert events == [Received(Response("ARM", 7, 0))]
        assert wire.link.counters.dropped == 0


def test_our_own_bytes_do_not_count_as_the_first_of_the_answer() -> None:
    wire = manual()
    wire.link.send(ARM, wire.now)
    wire.say()
    due = wire.link.deadline()
    wire.hear(wire.raw)
    assert wire.link.deadline() == due


def test_an_answer_behind_a_false_start_is_found_at_the_time_out() -> None:
    wire = manual()
    wire.link.send(ARM, wire.now)
    toggle = wire.say()["toggle"]
    assert wire.hear(bytes([1, 200, 3, 0x90]) + reply("ARM", toggle, result=0)) == []
    wire.now = wire.link.deadline() or 0.0
    assert Received(Response("ARM", 7, 0)) in wire.link.tick(wire.now)


def test_a_malformed_answer_is_asked_for_once_more_then_the_link_is_lost() -> None:
    wire = manual()
    wire.link.send(Request("CONFIG_GET", 9, {"key": 1}), wire.now)
    toggle = wire.say()["toggle"]
    bad = with_x25(bytes([1, 2, 3, 0x80 | toggle << 6 | CATALOGUE.by_name["CONFIG_GET"].code, 0, 1]))
    first = wire.raw
    assert wire.hear(bad) == [Dropped("body")]  # type: ignore[arg-type]
    wire.say()
    assert wire.raw == first
    wire.hear(bad)
    assert wire.heard(Down) == [Down("an answer that does not fit its command")]
    assert wire.say()["type"] == "SYNC"
