"""Frames typed from the documents: what we decode and what we encode."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.errors import DecodeError, FrameError
from protocols.link import Side
from tests.protocols.golden import Vector, family, plain, vectors

GOOD = plain("vectors", "decode_only")
BAD = plain("malformed")


@pytest.mark.parametrize("vector", GOOD, ids=str)
def test_decoding_gives_the_fields(vector: Vector) -> None:
    decode = family(vector.family).decode_frame
    assert decode(vector.data, vector.sender) == vector.entry["decoded"]
    assert decode(vector.data, None) == vector.entry["decoded"]


@pytest.mark.parametrize("vector", plain("vectors"), ids=str)
def test_encoding_gives_the_frame(vector: Vector) -> None:
    assert family(vector.family).encode_frame(vector.entry["decoded"], vector.sender) == vector.data
    assert family(vector.family).encode_frame(vector.entry["decoded"], None) == vector.data


@pytest.mark.parametrize("vector", BAD, ids=str)
def test_malformed_frames_give_their_kind(vector: Vector) -> None:
    with pytest.raises((FrameError, DecodeError)) as caught:
        family(vector.family).decode_frame(vector.data, vector.sender)
    assert caught.value.kind == vector.entry["error"]


def test_sealed_frames_wait_for_sessions() -> None:
    """What needs a session is kept with the others; this count goes down to none when links have sessions."""
    waiting = [vector for vector in vectors("vectors", "decode_only", "malformed") if vector.waits]
    assert Counter(vector.family for vector in waiting) == {"alder": 8, "birch": 12}


@pytest.mark.parametrize("vector", [v for v in vectors("vectors") if v.waits], ids=str)
def test_sealed_frames_are_never_taken_for_plain_ones(vector: Vector) -> None:
    decoded = vector.entry["decoded"]
    if "sealed" not in decoded and decoded.get("payload", {}).get("kind") != "sealed":
        assert family(vector.family).encode_frame(_plain(decoded), None) == vector.data
        return
    with pytest.raises(DecodeError):
        family(vector.family).decode_frame(vector.data, vector.sender)


def _plain(decoded: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in decoded.items() if name != "session_ended"}


@given(st.binary(max_size=300))
def test_decoding_anything_gives_fields_or_an_error(data: bytes) -> None:
    for name in ("alder", "birch"):
        for sender in (None, *Side):
            try:
                fields = family(name).decode_frame(data, sender)
            except (FrameError, DecodeError):
                continue
            assert fields
