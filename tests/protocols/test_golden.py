"""Frames typed from the documents: what we decode and what we encode, sealed ones with the keys of their session."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.link import Side
from protocols.seal import Seal
from tests.protocols.forging import with_each_byte_changed
from tests.protocols.golden import FAMILIES, Vector, family, keys, security, vectors

GOOD = vectors("vectors", "decode_only")
BAD = vectors("malformed")
SEALED = [vector for vector in vectors("vectors") if "sealed" in str(vector.entry["decoded"])]


def test_each_family_brings_its_frames() -> None:
    assert {vector.family for vector in GOOD} == {vector.family for vector in BAD} == set(FAMILIES)


@pytest.mark.parametrize("vector", GOOD, ids=str)
def test_decoding_gives_the_fields(vector: Vector) -> None:
    decode = family(vector.family).decode_frame
    assert decode(vector.data, vector.sender, **vector.reading) == vector.entry["decoded"]
    assert decode(vector.data, None, **vector.reading) == vector.entry["decoded"]


@pytest.mark.parametrize("vector", vectors("vectors"), ids=str)
def test_encoding_gives_the_frame(vector: Vector) -> None:
    encode = family(vector.family).encode_frame
    assert encode(vector.entry["decoded"], vector.sender, **vector.making) == vector.data
    assert encode(vector.entry["decoded"], None, **vector.making) == vector.data


@pytest.mark.parametrize("vector", BAD, ids=str)
def test_malformed_frames_give_their_kind(vector: Vector) -> None:
    with pytest.raises((FrameError, DecodeError)) as caught:
        family(vector.family).decode_frame(vector.data, vector.sender, **vector.reading)
    assert caught.value.kind == vector.entry["error"]


@pytest.mark.parametrize("session", security())
def test_a_session_has_the_keys_proofs_and_seals_of_the_document(session: str) -> None:
    entry, ours = security()[session], keys(session)
    assert ours.auth.hex() == entry["k_auth"]
    assert (ours.of[Side.HOST].hex(), ours.of[Side.DEVICE].hex()) == (entry["k_h2d"], entry["k_d2h"])
    assert ours.proof(Side.DEVICE).hex() == entry["proof_d"]
    assert ours.proof(Side.HOST).hex() == entry["proof_h"]
    example = entry["example"]
    sender = Side.HOST if example["dir"] == "H" else Side.DEVICE
    aad, body = bytes.fromhex(example["aad"]), bytes.fromhex(example["body"])
    assert Seal(ours, sender, example["counter"]).close(aad, body).hex() == example["sealed"]
    assert Seal(ours, sender).open(aad, bytes.fromhex(example["sealed"])) == body
    assert ours.auth.hex() not in repr(ours)


@pytest.mark.parametrize("vector", SEALED, ids=str)
def test_sealed_frames_are_never_taken_for_plain_ones(vector: Vector) -> None:
    kind = family(vector.family)
    extra = {name: value for name, value in vector.reading.items() if name != "secret"}
    with pytest.raises(DecodeError):
        kind.decode_frame(vector.data, vector.sender, **extra)
    with pytest.raises(LocalError, match="keys of its session"):
        kind.encode_frame(vector.entry["decoded"], vector.sender)


@pytest.mark.parametrize("vector", SEALED, ids=str)
def test_each_byte_of_a_sealed_message_is_covered(vector: Vector) -> None:
    """Whatever is changed under a right check value is found by the seal or before it."""
    kind, seen = family(vector.family), set()
    for turned in with_each_byte_changed(vector.family, vector.data):
        try:
            fields = kind.decode_frame(turned, vector.sender, **vector.reading)
        except (FrameError, DecodeError) as error:
            seen.add(error.kind)
        else:
            assert vector.family == "alder", "only Alder's link numbers lie outside the seal"
            assert fields["payload"] == vector.entry["decoded"]["payload"]
    assert ErrorKind.MAC in seen


@given(st.binary(max_size=300))
def test_decoding_anything_gives_fields_or_an_error(data: bytes) -> None:
    for name in FAMILIES:
        for sender in (None, *Side):
            for ep in family(name).endpoints or (None,):
                try:
                    fields = family(name).decode_frame(data, sender, **({} if ep is None else {"ep": ep}))
                except (FrameError, DecodeError):
                    continue
                assert fields
