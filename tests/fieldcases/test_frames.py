"""Field cases about cutting bytes into frames: whatever stands between them, a right frame is found."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.alder import wire
from protocols.alder.wire import AlderFramer
from protocols.alder.wire import Frame as AlderFrame
from protocols.birch import frames
from protocols.birch.datasheet import LAST_BYTE
from protocols.birch.frames import BirchFramer
from protocols.birch.frames import Frame as BirchFrame
from protocols.errors import FrameError
from protocols.link import Dropped, Received, Side
from protocols.message import Event
from tests.protocols import alder_line as alder
from tests.protocols import birch_line as birch
from tests.protocols.golden import plain

ALDER = [v.data for v in plain("vectors") if v.family == "alder"]
BIRCH = [v.data for v in plain("vectors") if v.family == "birch"]
SPECIAL = (0x7E, 0x7D, 0x5E, 0x5D, 0x11, 0x13, 0x00, 0xFF, 0x01, 0x03)


def alder_frames(data: bytes) -> list[bytes]:
    return [wire.encode(one) for one in AlderFramer().feed(data, 0.0) if isinstance(one, AlderFrame)]


def birch_frames(data: bytes) -> list[bytes]:
    """What a host has found when the time for an answer is over."""
    framer = BirchFramer()
    found = framer.feed(data, 0.0)
    return [frames.encode(one) for one in [*found, *framer.flush()] if isinstance(one, BirchFrame)]


@pytest.mark.parametrize("length", [0, 239, 240, 241, 255])
def test_field_case_49_a_length_out_of_noise_costs_one_answer_time_and_hides_no_frame(length: int) -> None:
    line = birch.manual()
    line.link.send(birch.ARM, line.now)
    said = line.say()
    started = line.now
    line.hear(bytes([1, length, 3, 0x96]), after=0.003)
    line.hear(birch.reply("ARM", said["toggle"], result=0), after=0.003)
    while not line.heard(Received):
        line.now = line.link.deadline() or line.now
        line.events += line.link.tick(line.now)
        assert line.now - started <= LAST_BYTE + 0.01
    assert line.link.counters.resends == 0


@pytest.mark.parametrize("rest", range(1, 7))
def test_field_case_50_half_an_answer_is_given_up_by_time_and_the_command_repeated(rest: int) -> None:
    line = birch.manual()
    line.link.send(birch.ARM, line.now)
    toggle = line.say()["toggle"]
    answer = birch.reply("ARM", toggle, result=0)
    line.hear(answer[:-rest])
    assert line.say(within=0.2)["type"] == "ARM"  # by its own timer: nothing more has come
    line.hear(answer)
    assert len(line.heard(Received)) == 1


@pytest.mark.parametrize("part", [1, 2, 4, -1])
def test_field_case_50_half_a_frame_of_alder_does_not_outlive_a_pause(part: int) -> None:
    link = alder.up(Side.HOST)
    whole = alder.data(0, 0, alder.PROGRESS)
    link.receive(whole[:part], 1.0)
    assert alder.only(link.receive(whole, 3.0), Received)


@given(st.binary(max_size=30), st.sampled_from(BIRCH), st.sampled_from(BIRCH), st.integers(0, 255), st.integers(0, 255))
def test_field_case_52_frames_inside_a_false_start_are_found(
    junk: bytes, first: bytes, second: bytes, length: int, header: int
) -> None:
    false = bytes([1, length, 3, header])
    assert birch_frames(junk + false + first + second)[-2:] == [first, second]


@given(st.binary(max_size=30), st.sampled_from(ALDER), st.sampled_from(ALDER))
def test_field_case_52_a_false_flag_hides_no_frame(junk: bytes, first: bytes, second: bytes) -> None:
    found = alder_frames(junk + b"\x7e" + junk + first + second)
    assert found[-2:] == [first, second]


def test_field_case_53_start_bytes_and_escapes_at_every_place() -> None:
    for place, value in itertools.product(range(12), SPECIAL):
        payload = bytes(value if at == place else at + 32 for at in range(12))
        one = AlderFrame(wire.Kind.DATA, 1, 0, 2, payload)
        assert AlderFramer().feed(wire.encode(one), 0.0) == [one]
        other = BirchFrame(1, 3, True, 1, 0x11, payload)
        assert BirchFramer().feed(frames.encode(other), 0.0) == [other]


def test_field_case_53_a_check_value_that_looks_like_flags_or_a_header() -> None:
    wanted = {bytes([a, b]) for a in (0x7E, 0x7D, 0x11, 0x13) for b in (0x7E, 0x7D, 0x11, 0x13, 0x5E)}
    wanted |= {bytes([1, 2]), bytes([3, 0]), bytes([1, 0])}
    for number in range(1 << 24):
        one = BirchFrame(1, 3, True, 1, 0x11, number.to_bytes(3, "big"))
        check = frames.encode(one)[-2:]
        if check in wanted:
            wanted.discard(check)
            assert birch_frames(frames.encode(one) * 2) == [frames.encode(one)] * 2
            same = AlderFrame(wire.Kind.DATA, payload=frames.encode(one)[:-2])
            assert AlderFramer().feed(wire.encode(same), 0.0) == [same]
        if not wanted:
            return
    raise AssertionError(f"not met: {wanted}")


@pytest.mark.parametrize("flags", [0, 1, 2])
def test_field_case_54_the_flag_of_a_broken_frame_opens_the_next(flags: int) -> None:
    broken, good = bytearray(ALDER[0]), ALDER[1]
    broken[2] ^= 0x01
    shared = good[1:] if flags == 0 else b"\x7e" * (flags - 1) + good
    assert alder_frames(bytes(broken) + shared) == [good]


def test_field_case_59_numbers_that_nobody_knows_do_not_end_the_reader() -> None:
    link = alder.up(Side.HOST)
    unknown = bytes.fromhex("40 01000000 0100 02000000 6f 0102")  # an event of code 6F
    malformed = bytes.fromhex("40 02000000 0100 02000000 02 010203")  # a STATE of three bytes
    strange = bytes.fromhex("3e 0100 00")  # a message of a type that does not exist
    bad_card = bytes.fromhex("40 03000000 0100 02000000 10 0100 4e ff 0100")  # a card of rank 14
    heard = []
    for number, payload in enumerate((unknown, malformed, strange, bad_card)):
        heard += link.receive(wire.encode(AlderFrame(wire.Kind.DATA, ns=number, payload=payload)), 1.0)
    heard += link.receive(alder.data(4, 0, alder.PROGRESS), 1.0)
    assert [type(one) for one in heard] == [Received, Dropped, Dropped, Dropped, Received]
    event = heard[0].message  # type: ignore[union-attr]
    assert isinstance(event, Event)
    assert (event.code, event.name) == (0x6F, None)
    assert [one.seq for one in heard if isinstance(one, Dropped)] == [2, None, 3]
    assert link.up


@pytest.mark.parametrize("text", [b"assert failed\n", b"panic: stack\r\n\r\n", b"~~~\x7d", bytes(range(128, 192))])
def test_field_case_63_text_between_frames_is_skipped(text: bytes) -> None:
    assert alder_frames(text.join([b"", *ALDER[:8], b""])) == ALDER[:8]
    assert birch_frames(text.join([b"", *BIRCH[:8], b""])) == BIRCH[:8]


def test_field_case_65_no_part_and_no_shuffle_of_a_frame_is_a_frame() -> None:
    for whole in [one for one in BIRCH if len(one) <= 24][:12]:
        for start, end in itertools.combinations(range(len(whole) + 1), 2):
            if (start, end) != (0, len(whole)):
                with pytest.raises(FrameError):
                    frames.decode(whole[start:end])
        for a, b in itertools.combinations(range(len(whole)), 2):
            swapped = bytearray(whole)
            swapped[a], swapped[b] = swapped[b], swapped[a]
            if swapped != whole:
                with pytest.raises(FrameError):
                    frames.decode(bytes(swapped))


def test_field_case_65_another_address_type_or_length_needs_another_check_value() -> None:
    one = frames.decode(BIRCH[1])
    sent = frames.encode(one)
    for change in ({"dst": one.dst ^ 2}, {"src": one.src ^ 1}, {"toggle": one.toggle ^ 1}, {"code": one.code ^ 1}):
        other = frames.encode(replace(one, **change))  # type: ignore[arg-type]
        with pytest.raises(FrameError):
            frames.decode(other[:-2] + sent[-2:])


def test_field_case_65_random_bytes_pass_for_frames_no_oftener_than_the_check_value_allows() -> None:
    """16 bits let one in 65,536 candidates through; a candidate needs a right header besides."""
    luck, size = random.Random(65), 400_000
    noise = luck.randbytes(size)
    assert len(birch_frames(noise)) <= 3
    assert len(alder_frames(noise)) <= 3
