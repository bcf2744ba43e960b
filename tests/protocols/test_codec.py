"""Bodies: each layout both ways, what cannot be said, and what is checked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.alder import wire as alder
from protocols.birch import wire as birch
from protocols.codec import build_answer, parse_answer
from protocols.errors import DecodeError, LocalError
from protocols.events import BODIES, EVENT_MAX, decode_event, encode_event, events_that_fit
from protocols.link import Side
from protocols.message import Event, Progress, Request, Response
from protocols.vocabulary import EventCode, Identity, Result, card_byte, card_text, is_card_byte

FACES = [card_byte(rank + suit) for rank in "A23456789TJQK" for suit in "shcd"]


@given(st.sampled_from(sorted(BODIES)), st.binary(min_size=0, max_size=29))
def test_an_event_that_decodes_encodes_to_the_same_bytes(code: int, body: bytes) -> None:
    data = bytes([1, 0, 0, 0, 2, 0, 3, 0, 0, 0, code]) + body
    try:
        event = decode_event(data)
    except DecodeError:
        return
    assert encode_event(event) == data
    assert event.name == EventCode(code).name


def test_an_event_that_does_not_decode_tells_its_number() -> None:
    with pytest.raises(DecodeError) as caught:
        decode_event(bytes([1, 0, 0, 0, 2, 0, 3, 0, 0, 0, EventCode.STATE, 1]))
    assert caught.value.seq == 1


@given(st.integers(0, 255).filter(lambda code: code not in BODIES), st.binary(max_size=29))
def test_an_unknown_event_keeps_its_raw_body(code: int, body: bytes) -> None:
    event = Event(9, 1, 5, code, {"raw": body.hex()})
    assert decode_event(encode_event(event)) == event
    assert event.name is None


def test_event_bodies_have_29_bytes_at_most() -> None:
    too_long = bytes(11) + bytes(30)
    with pytest.raises(DecodeError):
        decode_event(too_long)
    with pytest.raises(LocalError):
        encode_event(Event(1, 1, 1, 0x6F, {"raw": "00" * 30}))
    assert EVENT_MAX == 40


@pytest.mark.parametrize("entries", [[], [(FACES[0], 1)] * 12])
def test_composition_has_1_to_11_entries(entries: list[tuple[int, int]]) -> None:
    body = {"cycle": 1, "part": 1, "parts": 1, "entries": [{"card": c, "delta": d} for c, d in entries]}
    with pytest.raises(LocalError):
        encode_event(Event(1, 1, 1, EventCode.COMPOSITION, body))
    head = encode_event(Event(1, 1, 1, EventCode.STATE, {"old": 0, "new": 0}))[:10]
    with pytest.raises(DecodeError) as caught:
        decode_event(head + bytes([0x22, 1, 0, 0, 0, 1, 1, 0]))
    assert caught.value.kind == "body"


@pytest.mark.parametrize(("code", "right", "wrong"), [("SHUFFLE_DONE", 0x3F, 0x40), ("SHOE_COUNT", 0x0F, 0x10)])
def test_flags_beside_a_verdict(code: str, right: int, wrong: int) -> None:
    head = bytes([1, 0, 0, 0, 2, 0, 3, 0, 0, 0, EventCode[code]]) + bytes(10) + b"\x01"
    assert decode_event(head + bytes([right])).body["flags"] == right
    with pytest.raises(DecodeError) as caught:
        decode_event(head + bytes([wrong]))
    assert caught.value.kind == "value"


def test_card_bytes_and_their_text() -> None:
    defined = [byte for byte in range(256) if is_card_byte(byte)]
    assert len(defined) == 52 + 4 + 5
    assert {card_text(byte) for byte in FACES} == {rank + suit for rank in "A23456789TJQK" for suit in "shcd"}
    assert card_byte("As") == 0x01
    assert card_byte("Kd") == 0x3D
    for byte in set(range(256)) - set(defined):
        with pytest.raises(ValueError, match="undefined"):
            card_text(byte)
    with pytest.raises(ValueError, match="no card"):
        card_byte("1s")


# the body rule of answers


@given(st.integers(0, 255))
def test_only_00_and_01_carry_a_body_and_0b_a_fault_code(result: int) -> None:
    layout = alder.CATALOGUE.by_name["RESULT"].response
    body = {"of_type": 1, "of_result": 2}
    if result in (Result.OK, Result.ACCEPTED):
        assert parse_answer(layout, build_answer(layout, result, body, None, "x")) == (result, body, None)
        with pytest.raises(DecodeError):
            parse_answer(layout, bytes([result]))
        return
    code = 0x81 if result == Result.E_FAULT else None
    assert parse_answer(layout, build_answer(layout, result, {}, code, "x")) == (result, {}, code)
    with pytest.raises(LocalError):
        build_answer(layout, result, body, code, "x")
    with pytest.raises(LocalError):
        build_answer(layout, result, {}, 1 if code is None else None, "x")
    with pytest.raises(DecodeError):
        parse_answer(layout, bytes([result, 1, 2]))


def test_an_answer_without_a_result_is_malformed() -> None:
    with pytest.raises(DecodeError):
        parse_answer(alder.CATALOGUE.by_name["ABORT"].response, b"")


# what cannot be said


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (Request("DANCE"), "no message type 'DANCE'"),
        (Request("PRESENT", 1, {"deck": 0}), "'override_by' is missing"),
        (Request("PRESENT", 1, {"deck": 0, "override_by": 0, "x": 1}), "unknown field 'x'"),
        (Request("PRESENT", 1, {"deck": 256, "override_by": 0}), "field deck"),
        (Request("PRESENT", 70000, {"deck": 0, "override_by": 0}), "id 70000"),
        (Request("HASH_START", 1, {"nonce": "xy", "region": 0}), "not hex text"),
        (Request("HASH_START", 1, {"nonce": "00", "region": 0}), "nonce"),
        (Request("HASH_START", 1, {"nonce": 5, "region": 0}), "not hex text"),
    ],
)
def test_what_does_not_fit_is_our_own_error(request_: Request, said: str) -> None:
    with pytest.raises(LocalError, match=said) as caught:
        alder.encode_payload(request_)
    assert "\n" not in str(caught.value)


IDENTITY: dict[str, Any] = Identity(1, 0x41, 2, 3, 0x1743, 3, 1, 0, "00" * 32, "Example", "Alder", "AL1", "1.0").body


@pytest.mark.parametrize(
    ("field", "value"), [("maker", "x" * 17), ("model", "a\n"), ("serial", "ä"), ("serial", 5), ("flags", 0x40)]
)
def test_strings_and_reserved_bits_are_checked_before_sending(field: str, value: object) -> None:
    with pytest.raises(LocalError):
        alder.encode_payload(Response("IDENT", 1, 0, {**IDENTITY, field: value}))


def test_identity_comes_back_as_it_was() -> None:
    payload = alder.encode_payload(Response("IDENT", 1, 0, IDENTITY))
    answer = alder.decode_payload(payload, Side.DEVICE)
    assert isinstance(answer, Response)
    assert Identity.of(answer.body).body == IDENTITY


def test_payloads_have_a_limit() -> None:
    events = tuple(Event(n, 1, 1, 0x6F, {"raw": "00" * 29}) for n in range(5))
    assert alder.encode_payload(Response("EVENT_READ", 1, 0, {"events": events[:4]}))
    with pytest.raises(LocalError, match="at most 200"):
        alder.encode_payload(Response("EVENT_READ", 1, 0, {"events": events}))
    with pytest.raises(LocalError, match="at most 240"):
        birch.encode_response(Response("READ_EVENTS", 1, 0, {"events": events + events}))


@pytest.mark.parametrize(("room", "limit", "fit"), [(100, 9, 2), (123, 9, 3), (122, 9, 2), (500, 1, 1), (500, 0, 0)])
def test_as_many_whole_events_as_fit(room: int, limit: int, fit: int) -> None:
    assert events_that_fit([bytes(40)] * 4, limit, room) == fit


def test_requests_of_the_same_meaning_have_the_same_bytes_whatever_their_id() -> None:
    one = Request("ARM", 1, {"round": 7, "lease": 2})
    assert birch.request_bytes(one) == birch.request_bytes(replace(one, id=2)) == bytes.fromhex("16070002")
    other = Request("ARM", 1, {"round": 7, "lease": 3})
    assert birch.request_bytes(other) != birch.request_bytes(one)
    assert alder.request_bytes(Request("PRESENT", 4, {"deck": 1, "override_by": 0})) == bytes.fromhex("140100000000")


def test_poll_says_a_result_only_where_it_is_one() -> None:
    poll = {"ctr": 1, "state": 1, "flags": 0, "recent": ()}
    assert birch.encode_response(Response("POLL", 0, 0, poll)) == (0x10, bytes([1, 1, 0, 0]))
    assert birch.encode_response(Response("POLL", 0, Result.E_AUTH)) == (0x10, b"\x06")
    with pytest.raises(LocalError):
        birch.encode_response(Response("POLL", 0, Result.E_STATE))
    with pytest.raises(LocalError):
        birch.encode_response(Response("POLL", 0, 0, {**poll, "recent": ({"code": 0x10, "arg": 0x0E},)}))


def test_progress_both_ways() -> None:
    progress = Progress(17, 4, 26, 52)
    assert alder.decode_payload(alder.encode_payload(progress), Side.DEVICE) == progress
