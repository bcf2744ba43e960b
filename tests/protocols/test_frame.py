"""Framing: the check value, escapes, shared flags, pauses, and the search after false starts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.alder import wire
from protocols.alder.wire import AlderFramer, Frame, Kind
from protocols.birch import frames
from protocols.birch.frames import BirchFramer
from protocols.errors import ErrorKind, FrameError
from protocols.frame import with_x25, x25, x25_fits
from tests.protocols.golden import plain

BIRCH = [v.data for v in plain("vectors") if v.family == "birch"]
special = st.sampled_from([0x7E, 0x7D, 0x11, 0x13, 0x5E, 0x5D, 0x31, 0x33])
payloads = st.lists(st.one_of(special, st.integers(0, 255)), max_size=200).map(bytes)


def by_bits(data: bytes) -> int:
    """X-25 as its definition says it, a bit at a time."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x8408 if crc & 1 else 0)
    return crc ^ 0xFFFF


@given(st.binary(max_size=250))
def test_x25_is_its_definition(data: bytes) -> None:
    assert x25(data) == by_bits(data)
    assert x25_fits(with_x25(data))


def test_x25_of_the_usual_digits() -> None:
    assert x25(b"123456789") == 0x906E


def test_the_check_value_knows_places_and_lengths() -> None:
    """No slice of a golden frame and no exchange of two of its bytes is a frame of its own."""
    for data in BIRCH[:20]:
        for start in range(len(data)):
            for end in range(start + 1, len(data) + 1):
                if (start, end) != (0, len(data)):
                    with pytest.raises(FrameError):
                        frames.decode(data[start:end])
        for a in range(len(data)):
            for b in range(a + 1, len(data)):
                if data[a] != data[b]:
                    swapped = bytearray(data)
                    swapped[a], swapped[b] = data[b], data[a]
                    with pytest.raises(FrameError):
                        frames.decode(bytes(swapped))


# Alder


def data(payload: bytes) -> Frame:
    return Frame(Kind.DATA, 1, 0, 2, payload)


@given(payloads)
def test_any_payload_passes(payload: bytes) -> None:
    sent = wire.encode(data(payload))
    assert not set(sent[1:-1]) & {0x7E, 0x11, 0x13}
    assert AlderFramer().feed(sent, 0.0) == [data(payload)]


@given(st.lists(payloads, min_size=1, max_size=4), st.data())
def test_flags_may_be_shared_and_xon_xoff_put_in_anywhere(each: list[bytes], draw: st.DataObject) -> None:
    stream = wire.encode(data(each[0]))
    for payload in each[1:]:
        stream += wire.encode(data(payload))[1:]
    for _ in range(3):
        at = draw.draw(st.integers(0, len(stream)))
        stream = stream[:at] + bytes([draw.draw(st.sampled_from([0x11, 0x13]))]) + stream[at:]
    assert AlderFramer().feed(stream, 0.0) == [data(payload) for payload in each]


@given(st.binary(max_size=60), payloads, st.integers(1, 7))
def test_a_frame_behind_any_rubbish_is_found(rubbish: bytes, payload: bytes, step: int) -> None:
    framer, stream = AlderFramer(), rubbish + wire.encode(data(payload))
    found = [item for at in range(0, len(stream), step) for item in framer.feed(stream[at : at + step], 0.0)]
    assert data(payload) in found


@pytest.mark.parametrize("between", [b"", b"\x7e"])
def test_the_flag_of_a_bad_frame_opens_the_next(between: bytes) -> None:
    bad = bytearray(wire.encode(data(b"\x02\x01\x00")))
    bad[3] ^= 1
    good = wire.encode(data(b"\x02\x02\x00"))
    stream = bytes(bad) + between + (good if between else good[1:])
    assert [str(getattr(item, "kind", "")) for item in AlderFramer().feed(stream, 0.0)] == ["crc", "DATA"]


@pytest.mark.parametrize(
    ("inside", "kind"),
    [
        ("7d41 00 7d", "escape"),
        ("00 7d", "abort"),
        ("7d7d", "escape"),
        ("007d 41", "escape"),
        ("80 70", "short"),
        ("b0f345", "control"),
    ],
)
def test_the_first_error_in_the_bytes_counts(inside: str, kind: str) -> None:
    (item,) = AlderFramer().feed(b"\x7e" + bytes.fromhex(inside) + b"\x7e", 0.0)
    assert isinstance(item, FrameError)
    assert item.kind == kind


def test_a_pause_of_more_than_50_ms_drops_the_frame_and_its_rest() -> None:
    sent = wire.encode(data(b"\x02\x01\x00"))
    framer = AlderFramer()
    assert framer.feed(sent[:4], 1.0) == []
    assert framer.feed(sent[4:6], 1.049) == []
    dropped, *rest = framer.feed(sent[6:], 1.1)
    assert isinstance(dropped, FrameError)
    assert dropped.kind is ErrorKind.SHORT
    assert rest == []
    assert framer.feed(sent, 1.1) == [data(b"\x02\x01\x00")]


def test_a_pause_after_a_flag_loses_nothing() -> None:
    sent = wire.encode(data(b"\x02\x01\x00"))
    framer = AlderFramer()
    assert framer.feed(sent[:1], 1.0) == []
    assert framer.feed(sent[1:], 9.0) == [data(b"\x02\x01\x00")]


# Birch


def right(found: list[frames.Frame | FrameError]) -> list[bytes]:
    return [frames.encode(item) for item in found if isinstance(item, frames.Frame)]


@given(st.lists(st.sampled_from(BIRCH), min_size=1, max_size=4), st.binary(max_size=40), st.integers(1, 9))
def test_frames_behind_any_rubbish_are_found_at_the_latest_at_the_time_out(
    sent: list[bytes], rubbish: bytes, step: int
) -> None:
    framer, stream = BirchFramer(), rubbish + b"".join(sent)
    found = [item for at in range(0, len(stream), step) for item in framer.feed(stream[at : at + step], 0.0)]
    got = right(found + framer.flush())
    assert got[-len(sent) :] == sent


def test_a_false_start_that_reaches_into_two_frames_hides_neither() -> None:
    first, second = BIRCH[0], BIRCH[2]
    framer = BirchFramer()
    false = bytes([3, 10, 1, 0x10])
    assert right(framer.feed(false + first + second, 0.0)) == [first, second]


@pytest.mark.parametrize("length", [241, 255, 240, 0])
def test_a_length_out_of_nothing_costs_one_time_out_at_most(length: int) -> None:
    framer = BirchFramer()
    found = framer.feed(bytes([1, length, 3, 0x90]) + BIRCH[1], 0.0)
    assert right(found + framer.flush()) == [BIRCH[1]]


def test_a_wrong_pair_of_addresses_holds_nothing_up() -> None:
    framer = BirchFramer()
    found = framer.feed(bytes([77, 200, 9, 9]) + BIRCH[0], 0.0)
    assert right(found) == [BIRCH[0]]


def test_a_device_forgets_a_beginning_after_10_ms() -> None:
    framer = BirchFramer(gap=0.010)
    assert framer.feed(BIRCH[0][:4], 1.0) == []
    found = framer.feed(BIRCH[0], 1.010)
    assert right(found) == [BIRCH[0]]
    assert len(found) == 2
    framer.feed(BIRCH[0][:4], 2.0)
    assert right(framer.feed(BIRCH[0][4:], 2.009)) == [BIRCH[0]]
