"""The rules of Alder's link: coming up, going down, silence, and what is made of messages."""

from __future__ import annotations

import pytest

from protocols.alder import wire
from protocols.alder.link import AlderDevice, AlderHost
from protocols.errors import LocalError
from protocols.link import Down, Dropped, Heard, LinkEvent, Received, Side, Silent, Up
from protocols.message import Progress, Request, Response
from protocols.vocabulary import Resume
from tests.protocols.alder_line import ACK, PROGRESS, RESUME, STATUS, data, frame, only, said, until, up
from tests.protocols.rigs import bench, downs, firmware, state_event

# coming up and going down


def test_the_host_asks_for_a_reset_each_second_until_it_is_answered() -> None:
    link = AlderHost()
    link.open(0.0)
    assert said(link, 0.0) == ["RST"]
    assert [word for _, word in until(link, 3.5)] == ["RST"] * 3
    assert link.receive(data(0, 0, PROGRESS) + frame("ERROR", reason=1) + b"\x7e\x00\x7e", 3.6) == []
    assert link.receive(frame("RSTACK", **RESUME.body), 3.7) == [Up(RESUME)]
    with pytest.raises(LocalError, match="does not send Progress"):
        link.send(Progress(1, 1, 1, 1), 3.7)


def test_what_comes_before_the_answer_to_a_reset_is_forgotten() -> None:
    """Field case 58: frames of the old session, and rubbish, do not count; then numbers start at 0."""
    link = up(Side.HOST)
    for number in range(3):
        link.receive(data(number, 0, PROGRESS), 0.1)
    link.receive(frame("ERROR", reason=2), 0.2)
    assert said(link, 0.2) == ["RST"]
    dropped = link.counters.dropped
    assert link.receive(data(3, 0, PROGRESS) + b"\x7e\x41\x42\x43\x44\x7e", 0.3) == []
    assert link.counters.dropped == dropped
    link.receive(frame("RSTACK", **RESUME.body), 0.4)
    assert only(link.receive(data(0, 0, PROGRESS), 0.5), Received)


def test_the_device_says_once_that_it_started_and_answers_error_until_a_reset() -> None:
    link = AlderDevice(resume=lambda: RESUME)
    link.open(0.0)
    assert said(link, 0.0) == ["RSTACK 0"]
    assert link.deadline() is None
    with pytest.raises(LocalError, match="link is down"):
        link.send(state_event(1), 0.0)
    link.receive(data(0, 0, STATUS), 0.1)
    assert said(link, 0.1) == ["ERROR 1"]
    link.receive(frame("RR", nr=5), 0.1)
    assert said(link, 0.1) == ["ERROR 1"]
    (event,) = link.receive(frame("RST"), 0.2)
    assert event == Up(Resume(1, 3, 1, 0, 1, 0))
    assert said(link, 0.2) == ["RSTACK 0"]
    link.receive(frame("RST"), 0.3)
    assert said(link, 0.3) == ["RSTACK 1"]


def test_a_reset_drops_what_was_queued_and_starts_numbers_at_0() -> None:
    link = up(Side.DEVICE)
    for seq in range(1, 8):
        link.send(state_event(seq), 0.1)
    assert said(link, 0.1) == ["DATA 0", "DATA 1", "DATA 2", "DATA 3"]
    link.receive(frame("RST"), 0.2)
    assert said(link, 0.2) == ["RSTACK 1"]
    link.send(state_event(1), 0.3)
    assert said(link, 0.3) == ["DATA 0"]


@pytest.mark.parametrize("trouble", [frame("RSTACK", **RESUME.body), frame("ERROR", reason=1), frame("RR", nr=3)])
def test_the_host_loses_the_link_by_rstack_error_and_a_wrong_acknowledgement(trouble: bytes) -> None:
    link = up(Side.HOST)
    link.send(ACK, 0.1)
    said(link, 0.1)
    assert len(only(link.receive(trouble, 0.2), Down)) == 1
    assert said(link, 0.2) == ["RST"]
    with pytest.raises(LocalError):
        link.send(ACK, 0.2)


@pytest.mark.parametrize(
    ("trouble", "reason", "cause"), [("bad N(R)", 3, 3), ("sealed", 4, 4), ("gave up", 2, 2), ("RNR", 3, 3)]
)
def test_the_device_says_why_it_gives_up_and_says_it_again_at_the_next_reset(
    trouble: str, reason: int, cause: int
) -> None:
    link = up(Side.DEVICE)
    events: list[LinkEvent] = []
    now = 0.2
    match trouble:
        case "bad N(R)":
            events = link.receive(frame("RR", nr=1), now)
        case "sealed":
            events = link.receive(wire.encode(wire.Frame(wire.Kind.DATA, payload=b"\x50" + bytes(16))), now)
        case "RNR":
            link.receive(frame("RNR", nr=0), 0.0)
            link.receive(frame("RNR", nr=0), 4.0)
            events = link.tick(5.0)
            now = 5.0
        case _:
            link.send(state_event(1), 0.0)
            assert said(link, 0.0) == ["DATA 0"]
            while not events:
                now = link.deadline() or 0.0
                events = link.tick(now)
                if not events:
                    said(link, now)
    assert len(only(events, Down)) == 1
    assert said(link, now) == [f"ERROR {reason}"]
    link.receive(frame("RST"), now)
    assert said(link, now) == [f"RSTACK {cause}"]


def test_frames_of_the_wrong_side_are_control_and_change_nothing() -> None:
    host, device = up(Side.HOST), up(Side.DEVICE)
    assert host.receive(frame("RST"), 0.1) == [Dropped("control")]  # type: ignore[arg-type]
    assert device.receive(frame("ERROR", reason=1), 0.1) == [Dropped("control")]  # type: ignore[arg-type]
    assert (host.up, device.up) == (True, True)


# silence


def test_a_side_that_said_nothing_for_2_s_says_rr() -> None:
    for side in Side:
        assert [at for at, _ in until(up(side), 5.5)] == pytest.approx([2.0, 4.0], abs=0.02)


def test_the_host_resets_after_6_s_of_silence() -> None:
    words = until(up(Side.HOST), 6.5)
    assert words[-1] == (6.0, "RST")


def test_the_device_tells_6_s_of_silence_once_and_stays_up() -> None:
    link = up(Side.DEVICE)
    assert link.tick(5.9) == []
    assert link.tick(6.0) == [Silent(6000)]
    assert link.tick(9.0) == []
    assert link.receive(b"\x7e\x00\x00\x00\x00\x7e", 9.1)[0] == Dropped("crc")  # type: ignore[arg-type]
    assert link.receive(frame("RR", nr=0), 9.2) == [Heard()]
    assert link.up


# messages


def test_the_device_answers_what_it_cannot_read() -> None:
    link = up(Side.DEVICE)
    payloads = [b"\x3f\x07\x00", b"\x10\x08\x00\x01\x00\x01", b"", b"\x02\x01", b"\x82\x01\x00\x00", b"\x02\x05\x00"]
    events = []
    for number, payload in enumerate(payloads):
        events += link.receive(wire.encode(wire.Frame(wire.Kind.DATA, ns=number, payload=payload)), 0.1)
    assert [str(event.kind) for event in only(events, Dropped)] == ["type", "body", "body", "body", "type"]
    assert [event.message for event in only(events, Received)] == [Request("STATUS", 5)]
    parts = [part for part in link.output(0.1).split(b"\x7e") if part]
    assert [wire.decode(part).payload.hex() for part in parts] == ["bf07000a", "90080004"]


def test_the_host_drops_an_answer_that_it_did_not_ask_for() -> None:
    link = up(Side.HOST)
    answer = {"kind": "response", "type": "ABORT", "id": 3, "result": 1}
    assert link.receive(data(0, 0, answer), 0.1) == [Dropped("type")]  # type: ignore[arg-type]
    link.send(Request("ABORT", 3), 0.1)
    said(link, 0.1)
    assert link.receive(data(1, 1, answer), 0.2) == [Received(Response("ABORT", 3, 1))]
    assert link.receive(data(2, 1, answer), 0.3) == [Dropped("type")]  # type: ignore[arg-type]


def test_a_malformed_event_tells_its_number() -> None:
    link = up(Side.HOST)
    payload = b"\x40" + bytes([7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0x02, 1])
    events = link.receive(wire.encode(wire.Frame(wire.Kind.DATA, payload=payload)), 0.1)
    assert events == [Dropped("body", seq=7)]  # type: ignore[arg-type]


def test_a_restarted_device_is_found_again_and_its_events_come_again() -> None:
    rig = bench("alder")
    rig.up()
    firmware(rig).record(rig.now)
    rig.run(0.1)
    again = AlderDevice()
    firmware(rig).link = rig.device = again
    again.resume = firmware(rig).resume
    again.open(rig.now)
    rig.run(1.0)
    assert downs(rig) == ["the device restarted or reset the link"]
    assert [e.message.seq for e in rig.at_host if isinstance(e, Received)] == [1, 1]
