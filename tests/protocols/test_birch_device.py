"""The rules of Birch's link at the shoe's end: the toggle, the stored answer, SYNC, silence, addresses, turn-round."""

from __future__ import annotations

from typing import Any

import pytest

from protocols.birch.device import BirchDevice
from protocols.birch.vector import decode_frame, encode_frame
from protocols.errors import LocalError
from protocols.frame import with_x25
from protocols.link import Dropped, Heard, LinkEvent, Received, Side, Silent, Up
from protocols.message import Request, Response
from protocols.vocabulary import Resume
from tests.protocols.rigs import state_event

QUIET: dict[str, Any] = {"ctr": 1, "state": 2, "flags": 0, "recent": ()}


def command(type: str, toggle: int, dst: int = 3, **fields: Any) -> bytes:
    head = {"dst": dst, "src": 1, "toggle": toggle, "kind": "command", "type": type}
    return encode_frame({**head, **fields}, None)


SYNC = command("SYNC", 0)


class Shoe:
    """A device link whose host is the test; its answers are given by hand."""

    def __init__(self, address: int = 3) -> None:
        self.resets = 0
        self.link = BirchDevice(address=address, resume=self.resume)
        self.now = 1.0
        self.link.open(self.now)

    def resume(self) -> Resume:
        self.resets += 1
        return Resume(1, 3, 1, 9, 1, self.resets)

    def hear(self, data: bytes, after: float = 0.02) -> list[LinkEvent]:
        self.now += after
        return self.link.receive(data, self.now)

    def say(self) -> dict[str, Any] | None:
        """What it says within 20 ms, if anything."""
        data = self.link.output(self.now + 0.02)
        return decode_frame(data, Side.DEVICE) if data else None

    def synced(self) -> Shoe:
        self.hear(SYNC)
        assert self.say()
        return self

    def answers(self, data: bytes, response: Response) -> dict[str, Any] | None:
        """Hand a command in, give the answer of the firmware, hear what is said."""
        assert [e for e in self.hear(data) if isinstance(e, Received)]
        self.link.send(response, self.now)
        return self.say()


def test_the_answer_begins_2_to_3_ms_after_the_command() -> None:
    shoe = Shoe().synced()
    shoe.hear(command("POLL", 1))
    shoe.link.send(Response("POLL", 0, 0, QUIET), shoe.now)
    assert shoe.link.output(shoe.now + 0.0019) == b""
    assert shoe.link.deadline() == pytest.approx(shoe.now + 0.002)
    assert shoe.link.output(shoe.now + 0.002)
    assert shoe.link.output(shoe.now + 0.003) == b""


def test_sync_resets_the_toggle_tells_where_the_device_stands_and_is_always_done() -> None:
    shoe = Shoe()
    (up,) = shoe.hear(SYNC)
    assert up == Up(Resume(1, 3, 1, 0, 1, 1))
    assert shoe.say() == {
        "dst": 1,
        "src": 3,
        "toggle": 0,
        "kind": "reply",
        "type": "SYNC",
        "result": 0,
        "proto": 1,
        "boot": 3,
        "epoch": 1,
        "cause": 0,
        "oldest": 1,
        "newest": 1,
    }
    (up,) = shoe.hear(SYNC)
    assert up == Up(Resume(1, 3, 1, 1, 1, 2))
    assert shoe.resets == 2


def test_the_same_toggle_gives_the_last_answer_whatever_the_command_says() -> None:
    shoe = Shoe().synced()
    arm = command("ARM", 1, id=4, round=1, lease=3)
    first = shoe.answers(arm, Response("ARM", 4, 0))
    for again in (arm, command("STATUS", 1), with_x25(bytes([3, 0, 1, 0x7F]))):
        assert shoe.hear(again) == []
        assert shoe.say() == first
    assert shoe.link.counters.resends == 3


def test_a_repeat_before_the_firmware_answered_is_not_a_second_command() -> None:
    shoe = Shoe().synced()
    arm = command("ARM", 1, id=4, round=1, lease=3)
    assert len(shoe.hear(arm)) == 1
    assert shoe.hear(arm) == []
    assert shoe.say() is None
    shoe.link.send(Response("ARM", 4, 0), shoe.now)
    assert shoe.say() == {"dst": 1, "src": 3, "toggle": 1, "kind": "reply", "type": "ARM", "result": 0}


def test_an_answer_that_the_host_gave_up_is_dropped() -> None:
    shoe = Shoe().synced()
    shoe.hear(command("ARM", 1, id=4, round=1, lease=3))
    shoe.hear(command("DISARM", 0, id=5))
    shoe.link.send(Response("ARM", 4, 0), shoe.now)
    assert shoe.say() is None
    shoe.link.send(Response("DISARM", 5, 0), shoe.now)
    said = shoe.say()
    assert said is not None
    assert (said["type"], said["toggle"]) == ("DISARM", 0)


def test_after_a_start_any_toggle_is_taken_and_nothing_that_changes_before_sync() -> None:
    for toggle in (0, 1):
        shoe = Shoe()
        assert shoe.hear(command("ARM", toggle, id=4, round=1, lease=3)) == []
        said = shoe.say()
        assert said is not None
        assert said["result"] == 2
        poll = shoe.answers(command("POLL", 1 - toggle), Response("POLL", 0, 0, QUIET))
        assert poll is not None
        assert poll["flags"] == 0x40
        assert not shoe.link.synced
        shoe.synced()
        poll = shoe.answers(command("POLL", 1), Response("POLL", 0, 0, QUIET))
        assert poll is not None
        assert poll["flags"] == 0


@pytest.mark.parametrize(
    ("hdr", "data", "said"),
    [
        (0x3F, b"", {"result": 10}),
        (0x16, b"\x01\x00\x01", {"result": 4}),
        (0x18, bytes([1, 0, 1, 0, 0x0E, *range(8)]), {"result": 4}),
        (0x10, b"\x00", {"result": 4}),
        (0x01, b"\x00", {"result": 4}),
    ],
)
def test_what_cannot_be_read_is_answered_and_stored(hdr: int, data: bytes, said: dict[str, Any]) -> None:
    shoe = Shoe().synced()
    frame = with_x25(bytes([3, len(data), 1, hdr | 0x40]) + data)
    (event,) = shoe.hear(frame)
    assert isinstance(event, Dropped)
    first = shoe.link.output(shoe.now + 0.02)
    assert first[4:-2] == bytes([said["result"]])
    assert shoe.hear(frame) == []
    assert shoe.link.output(shoe.now + 0.02) == first


def test_other_addresses_replies_and_rubbish_are_met_with_silence() -> None:
    shoe = Shoe().synced()
    for data in (
        command("POLL", 1, dst=4),
        encode_frame({"dst": 1, "src": 4, "toggle": 1, "kind": "reply", "type": "ARM", "result": 0}, None),
        command("POLL", 1)[:-1] + b"\x00",
        b"AT\r\n",
    ):
        assert [e for e in shoe.hear(data) if isinstance(e, Received)] == []
        assert shoe.say() is None
    assert shoe.hear(command("POLL", 1))[-1] == Received(Request("POLL"))


def test_a_broadcast_disarm_is_handed_up_unanswered_and_leaves_the_toggle() -> None:
    shoe = Shoe().synced()
    everyone = command("DISARM", 0, dst=0, id=0)
    for _ in range(2):
        assert shoe.hear(everyone) == [Received(Request("DISARM", 0, {}, broadcast=True))]
        shoe.link.send(Response("DISARM", 0, 0), shoe.now)
        assert shoe.say() is None
    (event,) = shoe.hear(with_x25(bytes([0, 0, 1, 0x10])))
    assert event == Dropped("address")  # type: ignore[arg-type]
    assert shoe.say() is None
    assert len(shoe.hear(command("POLL", 1))) == 1


def test_a_second_without_a_new_command_is_silence_and_repeats_and_broadcasts_do_not_count() -> None:
    shoe = Shoe().synced()
    poll = command("POLL", 1)
    shoe.answers(poll, Response("POLL", 0, 0, QUIET))
    start = shoe.now
    assert shoe.link.deadline() == pytest.approx(start + 1.0)
    shoe.hear(poll, 0.9)
    shoe.hear(command("DISARM", 0, dst=0, id=0), 0.05)
    assert shoe.link.tick(start + 0.999) == []
    assert shoe.link.tick(start + 1.0) == [Silent(1000)]
    assert shoe.link.tick(start + 5.0) == []
    shoe.now = start + 5.0
    assert shoe.hear(poll) == []
    assert shoe.hear(command("POLL", 0)) == [Heard(), Received(Request("POLL"))]


def test_silence_counts_from_the_start() -> None:
    shoe = Shoe()
    assert shoe.link.tick(2.0) == [Silent(1000)]
    assert [type(event) for event in shoe.hear(SYNC, 5.0)] == [Heard, Up]


def test_a_birch_pushes_nothing() -> None:
    with pytest.raises(LocalError, match="does not push"):
        Shoe().synced().link.send(state_event(1), 1.0)
    with pytest.raises(LocalError, match="not open"):
        BirchDevice().send(Response("POLL", 0, 0, QUIET), 0.0)
