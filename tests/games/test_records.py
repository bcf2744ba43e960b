"""Round records: what is refused, in one line that says where, and that nothing else ever comes out."""

import copy
import io
import json
import sys
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoectl.errors import BadInput
from shoectl.games.records import read_record
from shoectl.games.settle import settle as settle_record
from tests.games.records import record, seat

GOOD = record(
    {
        "1": seat("As Ah Kd 9c 8s", "bet", s1=5, dealer=5),
        "3": seat("Js Jh 3d 9h 8d", {"exchange": "9h 8d"}, "bet", drawn="Td 2d"),
    },
    dealer="Qs Qh 7d 4c 2s",
    house={"instant_payout": "B"},
    community="",
    bonus="",
)


def changed(path, value):
    """The good record with one value replaced, or a key added, or (value None) removed."""
    data = copy.deepcopy(GOOD)
    at = data
    for key in path[:-1]:
        at = at[key]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return data


WRONG = [
    ("unknown game", ("game",), "whist", "game 'whist' is not known, known are"),
    ("half a character", ("game",), "\ud800\n", r"game '\ud800\n' is not known"),
    ("game as number", ("game",), 7, "game: text is expected, not 7"),
    ("no game", ("game",), None, "game: is missing"),
    ("no dealer", ("dealer",), None, "dealer: 5 cards are dealt there, only 0 are given"),
    ("no seats", ("seats",), {}, "seats: a round has at least one seat"),
    ("seats as list", ("seats",), [], "seats: an object is expected"),
    ("seat 8", ("seats", "8"), GOOD["seats"]["1"], "a seat is a number from 1 to 7"),
    ("seat 01", ("seats", "01"), GOOD["seats"]["1"], "a seat is a number from 1 to 7"),
    ("unknown key", ("colour",), "red", "colour: unknown key, allowed are game,"),
    ("unknown key of a seat", ("seats", "1", "name"), "Bob", "seat 1: name: unknown key, allowed are cards,"),
    ("no cards", ("seats", "1", "cards"), None, "seat 1: cards: is missing"),
    ("no wagers", ("seats", "3", "wagers"), None, "seat 3: wagers: is missing"),
    ("empty wagers", ("seats", "3", "wagers"), {}, "seat 3: no wager is placed"),
    ("four cards", ("seats", "3", "cards"), "Js Jh 3d 9h", "seat 3: 5 cards are dealt there, only 4 are given"),
    ("six cards", ("seats", "3", "cards"), "Js Jh 3d 9h 8d 7c", "seat 3: 5 cards are dealt there, 6 are given"),
    ("a dealer of six", ("dealer",), "Qs Qh 7d 4c 2s 3c", "dealer: 5 cards are dealt there, 6 are given"),
    ("community cards", ("community",), "2c", "community: 0 cards are dealt there, 1 are given"),
    ("no card", ("dealer",), "Qs Qh 7d 4c Zs", "dealer: 'Zs' is no card"),
    ("half a card", ("dealer",), "Qs Qh 7d 4c 2", "dealer: '2' is no card"),
    ("a card twice in a hand", ("dealer",), "Qs Qh 7d 4c 4c", "dealer: 4c is on the table already (dealer)"),
    ("a card at two places", ("dealer",), "Qs Qh 7d 4c As", "dealer: As is on the table already (seat 1)"),
    ("cards as list", ("dealer",), ["Qs"], "dealer: cards are text such as 'As Kd'"),
    ("negative money", ("seats", "1", "wagers", "ante"), -10, "seat 1: ante of -10 is outside 1 to"),
    ("no money", ("seats", "1", "wagers", "ante"), 0, "seat 1: ante of 0 is outside 1 to"),
    ("a float", ("seats", "1", "wagers", "ante"), 10.0, "seat 1: wagers.ante: a whole number is expected, not 10.0"),
    (
        "true as money",
        ("seats", "1", "wagers", "ante"),
        True,
        "seat 1: wagers.ante: a whole number is expected, not true",
    ),
    (
        "money as text",
        ("seats", "1", "wagers", "ante"),
        "10",
        "seat 1: wagers.ante: a whole number is expected, not '10'",
    ),
    ("too much money", ("seats", "1", "wagers", "ante"), 10**30, "seat 1: ante of a number that long is outside"),
    ("no text as money", ("seats", "1", "wagers", "ante"), "", "wagers.ante: a whole number is expected, not ''"),
    ("a flag as text", ("house", "super_needs_own"), "true", "'true' is not allowed, allowed are false"),
    ("a long word", ("seats", "1", "decisions"), ["x" * 10**5], f"seat 1: '{'x' * 40}' is not offered, allowed: fold"),
    ("no ante", ("seats", "1", "wagers", "ante"), None, "seat 1: ante is missing"),
    ("a Bet before the deal", ("seats", "1", "wagers", "bet"), 20, "seat 1: no wager 'bet' here"),
    ("a Super on seat 2", ("seats", "1", "wagers", "super:2"), 5, "seat 2, which does not play"),
    ("a Super on seat 9", ("seats", "1", "wagers", "super:9"), 5, "seat 1: no wager 'super:9' here"),
    ("decisions as text", ("seats", "1", "decisions"), "bet", "seat 1: decisions: a list is expected"),
    ("a decision as number", ("seats", "1", "decisions"), [1], "seat 1: decisions: a decision is a word"),
    ("a negative amount", ("seats", "1", "decisions"), [{"bet": -1}], "'bet' of -1".replace("'", "")),
    ("two decisions in one", ("seats", "1", "decisions"), [{"bet": 1, "fold": 1}], "seat 1: decisions: a decision is"),
    ("unknown option", ("house", "jackpot"), 1, "house option jackpot is not known, known are"),
    (
        "unknown value",
        ("house", "instant_payout"),
        "D",
        "house option instant_payout: D is not allowed, allowed are A, B, C",
    ),
    ("1 for true", ("house", "super_needs_own"), 1, "house option super_needs_own: 1 is not allowed"),
    ("true for a number", ("house", "seats"), True, "house option seats: true is not allowed"),
    ("more seats than the table", ("house", "seats"), 2, "seat 3: not a seat of this table"),
    ("a list as value", ("house", "seats"), [1], "house option seats: [1] is not allowed"),
    (
        "an unknown way of dealing",
        ("dealing",),
        "magic",
        "dealing: magic is not allowed, allowed are manual, hand, automated",
    ),
]


def test_the_good_record_is_good(settle):
    out = settle(GOOD)
    assert out["seats"]["1"]["net"] == 30


@pytest.mark.parametrize(("path", "value", "reason"), [pytest.param(*row[1:], id=row[0]) for row in WRONG])
def test_a_record_that_is_not_legal_is_refused_in_one_line_that_says_where(refused, path, value, reason):
    assert reason in refused(changed(path, value))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "a record is a JSON object, not []"),
        ("null", "a record is a JSON object, not none"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 10_000, "not JSON that can be read"),
        ('{"game": "lunar-poker", "game": "lunar-poker"}', "the key game stands there twice"),
        ('{"game": NaN}', "NaN is no number of JSON"),
        ('{"game": "\\ud800"}', "seats: is missing"),
    ],
)
def test_text_that_is_no_record_is_refused(refused, text, reason):
    assert reason in refused(text)


def test_a_file_that_is_not_there_or_not_text_is_refused(command, tmp_path):
    assert command("settle", tmp_path / "none.json")[0] == 2
    assert command("settle", tmp_path)[0] == 2
    assert command("settle", "a\0b")[0] == 2
    (tmp_path / "bytes").write_bytes(b"\xff\xfe{}")
    code, _, err = command("settle", tmp_path / "bytes")
    assert (code, "not UTF-8" in err) == (2, True)


def test_settle_jsonl_goes_on_after_a_refused_record(command, tmp_path):
    file = tmp_path / "rounds.jsonl"
    bad = changed(("seats", "3", "decisions"), [{"exchange": "9h"}, "bet"])
    file.write_text("\n".join([json.dumps(GOOD), "", json.dumps(bad), "{", json.dumps(GOOD)]))
    code, out, err = command("settle", file, "--jsonl")
    lines = [json.loads(line) for line in out.splitlines()]
    assert (code, err, len(lines)) == (2, "", 4)
    assert lines[0] == lines[3]
    reason = "seat 3: exchange of 1 cards, allowed are 2 to 5"
    assert lines[1] == {"error": {"reason": reason, "rule": "671a.11(b)(3)", "seat": 3}}
    assert lines[2]["error"]["seat"] is None
    file.write_text(json.dumps(GOOD))
    assert command("settle", file, "--jsonl")[0] == 0


def test_settle_reads_standard_input(command, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(GOOD).encode())))
    code, out, _ = command("settle", "-", "--json")
    assert (code, json.loads(out)["seats"]["1"]["net"]) == (0, 30)


def test_settle_shows_a_round_to_people(command, tmp_path):
    file = tmp_path / "record.json"
    file.write_text(json.dumps(GOOD))
    code, out, _ = command("settle", file)
    assert code == 0
    assert "671a.11(f)(2)(ii)" in out
    assert "dealer  pair of queens, qualifies" in out
    assert "seat 1  +30  pair of aces" in out


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["As", "bet", "fold", "buy", "ante", "super:1", "declare", 10**400]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=6,
)


def places(data, path=()):
    """Every place of a JSON value."""
    yield path
    if isinstance(data, dict | list):
        for key, inner in data.items() if isinstance(data, dict) else enumerate(data):
            yield from places(inner, (*path, key))


def replaced(data, path, value):
    if not path:
        return value
    copied = copy.copy(data)
    copied[path[0]] = replaced(data[path[0]], path[1:], value)
    return copied


def refusal(text):
    """Why a record is refused, None where it is not; any other exception is a fault."""
    try:
        settle_record(read_record(text)).json()
    except BadInput as error:
        return error
    return None


def only_bad_input(text):
    error = refusal(text)
    if error is not None:
        assert "\n" not in error.reason
        assert len(error.reason) < 1000


@given(st.sampled_from(list(places(GOOD))), values, st.sampled_from(list(places(GOOD))), values)
@settings(max_examples=1000, deadline=None)
def test_whatever_json_comes_in_a_record_is_settled_or_refused(path, value, other, value_there):
    data = replaced(GOOD, path, value)
    with suppress(KeyError, TypeError, IndexError):  # the second place may have gone with the first
        data = replaced(data, other, value_there)
    only_bad_input(json.dumps(data))


@given(st.text())
def test_whatever_text_comes_in_it_is_refused(text):
    only_bad_input(text)


tokens = st.sampled_from(
    ["bet", "fold", "buy", "declare", {"exchange": "9h 8d"}, {"exchange": "Js Jh 3d"}, {"bet": 20}]
)


@given(st.lists(tokens, max_size=4), st.lists(st.sampled_from(["Td", "2d", "2c", "As", "5c"]), max_size=4))
@settings(deadline=None)
def test_any_list_of_decisions_is_settled_or_refused_with_a_rule(decisions, drawn):
    data = changed(("seats", "3", "decisions"), decisions)
    data["seats"]["3"]["drawn"] = " ".join(drawn)
    error = refusal(json.dumps(data))
    if error is not None:
        assert error.rule or "drawn" in error.reason
        assert error.seat == 3
