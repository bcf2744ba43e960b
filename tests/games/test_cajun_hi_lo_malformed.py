"""Records of Cajun Stud and Five Card Hi-Lo that are not legal: exit 2, one line with place and paragraph."""

import re

import pytest

from tests.games.malformed import Good, Kind, changed, kinds

CAJUN = {
    "game": "cajun-stud",
    "dealing": "manual",
    "community": "Kd 9c 2s",
    "bonus": "7d 6c 5h 4h",
    "house": {"payout_limit": 5_000_000, "lo_ball": "Q", "pair_6_10": "push", "all_six": "B", "main": "A"},
    "seats": {
        "2": {"cards": "6s 6h", "wagers": {"ante": 10}, "decisions": ["fold"]},
        "3": {
            "cards": "Ks Qc",
            "wagers": {"ante": 10, "pocket": 5, "board": 5, "lo_ball": 5, "all_six": 5},
            "decisions": [{"raise": 10}, {"raise": 20}, {"raise": 30}],
        },
    },
}
HI_LO = {
    "game": "five-card-hi-lo",
    "dealing": "manual",
    "dealer": "Ks Qh 8d 6c 4s",
    "house": {"poker_bonus": "7s", "ante_bonus_on_fold": True, "foul_hand": "reset", "tie": "A", "ante_bonus": "A"},
    "seats": {
        "2": {"cards": "6s 6h 3d 3c 2h", "wagers": {"ante": 10}, "decisions": ["fold"]},
        "3": {
            "cards": "As Jh Td 9c 2s",
            "wagers": {"ante": 10, "tie": 5, "poker_bonus": 5},
            "decisions": ["play", {"low": "As 2s"}],
        },
    },
}


def lows():
    """Low hands that § 663a.11(d) does not allow, or that are none."""
    path = ("seats", "3", "decisions")
    foul = {
        "Jh 2s": "Jh 2s",
        "As 9c": "As 9c",
        "As": "As",
        "As 2s 9c": "As 2s 9c",
        "3s 2s": "3s",
        "": "none",
        "2s 2s": "2s",
    }
    for low, word in foul.items():
        record = changed(HI_LO, *path, to=["play", {"low": low}])
        yield Kind(f"low hand {low!r}", record, ("seat 3", word), "663a.11(d)")
    for wrong in ("low", {"low": 5}):
        yield Kind(f"low hand as {wrong!r}", changed(HI_LO, *path, to=["play", wrong]), ("seat 3", "low"), "663a.11(d)")
    for wrong in ({"low": None}, {"low": []}, {"low": "xx"}):
        yield Kind(f"low hand as {wrong!r}", changed(HI_LO, *path, to=["play", wrong]), ("seat 3", "decisions"))
    record = changed(HI_LO, *path, to=[{"low": "As 2s"}, "play"])
    yield Kind("low hand before Play", record, ("seat 3", "'low'"), "663a.11(b)")
    record = changed(HI_LO, *path, to=["play", {"low": "As 2s"}, {"low": "9c 2s"}])
    yield Kind("low hand twice", record, ("seat 3", "'low'"), "663a.11(a)(3)")
    record = changed(HI_LO, *path, to=["play", "play"])
    yield Kind("Play twice", record, ("seat 3", "'play'"), "663a.11(a)(3)")


GOODS = {
    "cajun": Good(
        CAJUN, "683a", "3", {"community": 3, "bonus": 4}, ("raise", "raise_1", "raise_3"), ("b", "d", "f"), "raise"
    ),
    "hi-lo": Good(HI_LO, "663a", "3", {"dealer": 5}, ("play", "ante_bonus"), ("b",), "play", tuple(lows())),
}
KINDS = [pytest.param(kind, id=f"{name}: {kind.name}") for name, good in GOODS.items() for kind in kinds(good)]


@pytest.mark.parametrize("good", GOODS.values(), ids=GOODS)
def test_the_record_that_is_spoiled_is_a_good_one(settle, good):
    settle(good.record)


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_that_is_not_legal_is_refused_in_one_line_with_place_and_paragraph(refused, kind):
    line = refused(kind.record)
    assert all(word in line for word in kind.names), line
    assert bool(kind.rule) == bool(re.search(r"\(§ [0-9a-z.()]+\)\n$", line)), line
    assert f"(§ {kind.rule}" in line or not kind.rule, line


def test_there_are_two_hundred_kinds():
    assert len({kind.values[0].name for kind in KINDS}) > 200
