"""Bulk transfers: whatever a bus or a driver does with their packets, a frame is heard once and whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.cedar import datasheet, frames
from protocols.cedar.frames import Frame, Transfers
from protocols.errors import ErrorKind, FrameError
from protocols.link import Dropped, Received, Side
from protocols.message import Request, Response
from protocols.piece import Piece, Tail, packets
from tests.protocols.cedar_plug import command, device, host, reply, split, state_event
from tests.protocols.golden import Vector, plain, vectors

BULK = [v for v in plain("vectors") if v.family == "cedar" and v.entry["decoded"]["ep"] == "bulk"]
EVERY = [v for v in vectors("vectors") if v.family == "cedar" and v.entry["decoded"]["ep"] == "bulk"]  # sealed ones too
COMMANDS = [v for v in BULK if v.sender is Side.HOST]
BAD = [v for v in vectors("malformed") if v.family == "cedar" and v.session is None and "ep" not in v.entry]
SIZES = (datasheet.USB.packet_size(datasheet.BULK_IN, speed) for speed in ("full", "high"))
SPEEDS = pytest.mark.parametrize("size", [*SIZES, 8])


def heard(pieces: list[Piece]) -> list[Frame | FrameError]:
    transfers = Transfers()
    return [item for piece in pieces if (item := transfers.take(piece)) is not None]


@SPEEDS
@pytest.mark.parametrize("vector", EVERY, ids=str)
def test_a_frame_is_heard_however_its_packets_are_read(vector: Vector, size: int) -> None:
    """One reading a packet; all in one; and two readings, cut at each packet boundary in turn."""
    whole = Piece(datasheet.BULK_IN, vector.data)
    expected = [frames.decode(vector.data)]
    assert heard(packets(whole, size)) == expected
    assert heard([whole]) == expected
    for cut in range(size, len(vector.data) + 1, size):
        assert heard(split(whole, [cut])) == expected
    assert heard([*packets(whole, size), Piece(datasheet.BULK_IN), *packets(whole, size)]) == expected * 2


def test_frames_of_just_full_packets_end_with_an_empty_one() -> None:
    full = [v for v in BULK if len(v.data) in (64, 512, 4096)]
    assert len(full) == 3
    for vector in full:
        cut = packets(Piece(datasheet.BULK_IN, vector.data), 64)
        assert cut[-1] == Piece(datasheet.BULK_IN, b"", Tail.END)
        assert heard(cut[:-1]) == []
        assert heard(cut) == [frames.decode(vector.data)]


@SPEEDS
def test_two_frames_are_never_in_one_transfer(size: int) -> None:
    data = COMMANDS[0].data
    (item,) = heard(packets(Piece(1, data + data), size))
    assert isinstance(item, FrameError)
    assert item.kind is ErrorKind.LENGTH


@pytest.mark.parametrize("vector", BAD, ids=str)
def test_what_is_malformed_costs_its_transfer_and_no_more(vector: Vector) -> None:
    plug = device() if vector.sender is Side.HOST else host()
    ep = datasheet.BULK_OUT if vector.sender is Side.HOST else datasheet.BULK_IN
    first = plug.hear(*packets(Piece(ep, vector.data), 64))
    kinds = [event.kind for event in first if isinstance(event, Dropped)]
    if vector.sender is Side.HOST:
        assert kinds == [vector.entry["error"]]
        assert [e.message for e in plug.hear(command("STATUS", 9)) if isinstance(e, Received)] == [Request("STATUS", 9)]
        return
    assert kinds == ["type" if vector.entry["error"] in ("body", "value") else vector.entry["error"]]  # nobody asked
    plug.link.send(Request("FAULTS", 4), plug.now)
    plug.put()
    (asked,) = plug.frames()
    assert plug.hear(reply(asked, faults=[])) == [Received(Response("FAULTS", 4, 0, {"faults": ()}))]


def test_babble_costs_everything_up_to_the_short_packet() -> None:
    good = Piece(datasheet.BULK_OUT, COMMANDS[0].data)
    noise = [Piece(datasheet.BULK_OUT, bytes(512), Tail.MORE)] * 20 + [Piece(datasheet.BULK_OUT, b"\1")]
    items = heard([*noise, good])
    assert [item.kind for item in items if isinstance(item, FrameError)] == [ErrorKind.LONG]
    assert items[-1] == frames.decode(COMMANDS[0].data)


@given(st.lists(st.tuples(st.binary(max_size=120), st.sampled_from(Tail)), max_size=12))
def test_garbage_never_raises_and_the_next_transfer_is_heard(noise: list[tuple[bytes, Tail]]) -> None:
    stream = [Piece(datasheet.BULK_OUT, data, tail) for data, tail in noise]
    plug = device()
    plug.hear(*stream, Piece(datasheet.BULK_OUT, b"x"))
    assert plug.hear(command("STATUS", 9)) == [Received(Request("STATUS", 9))]
    quiet = host()
    quiet.hear(*(Piece(ep, data, tail) for ep in (0x80, 0x81, 0x82, 0x83) for data, tail in noise))
    quiet.wait(5)
    assert quiet.setups().count("FLUSH") <= 6


def test_field_case_41_a_device_that_forgets_the_empty_packet_is_heard_all_the_same() -> None:
    """Nothing ends the transfer, so the frame is taken once nothing more has come for a while."""
    plug = host()
    plug.link.send(Request("EVENT_READ", 4, {"from": 1, "max": 9}), plug.now)
    plug.put()
    (asked,) = plug.frames()
    body = {"events": [state_event(1), state_event(2), state_event(3)]}
    answer = reply(asked, **body)
    whole = Piece(answer.ep, answer.data, Tail.MORE)
    assert plug.hear(whole) == []
    plug.wait(0.1)
    (message,) = plug.messages()
    assert isinstance(message, Response)
    assert [event.seq for event in message.body["events"]] == [1, 2, 3]
    assert plug.hear(Piece(answer.ep)) == []  # it comes late: an empty transfer is nothing
