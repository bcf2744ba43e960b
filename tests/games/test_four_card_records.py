"""Four Card Poker records that are not legal: each kind is one line with place and paragraph, exit code 2."""

import copy
import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoectl.errors import BadInput
from shoectl.games.records import read_record
from shoectl.games.settle import settle as settle_record
from tests.games.four_card_records import record, seat

EVERY = dict.fromkeys(("aces_up", "progressive_4", "progressive_5", "bad_beat", "five_card_hand", "six_card"), 5)
GOOD = record(
    {
        "1": seat("8s 8h 8d 4c 3d", 20, ante=10, five_card_hand_dealer=5, **EVERY),
        "3": seat("Ac Jh 9c 6d 3c", "fold", ante=10, **EVERY),
        "4": seat("As Ah Qd 6c 3s", aces_up=5),
    },
    dealer="Ks Kh Jd 7c 4s 2h",
    bonus="Td",
    house={"play_step": 5, "magic_card": "Ks", "lucky_bonus": 3},
)
WAGERS = sorted(GOOD["seats"]["1"]["wagers"])
METERS = ["progressive_4_meter", "progressive_5_meter", "mega_meter", "major_meter", "minor_meter"]
METERS.append("five_card_hand_meter")
DROP = object()


def changed(*path_and_value, **more):
    """The good record with one value replaced, added, or (DROP) removed."""
    *path, value = path_and_value
    data = copy.deepcopy(GOOD)
    at = data
    for key in path[:-1]:
        at = at[key]
    if value is DROP:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return data | more


def wager(name, amount, where="1"):
    return changed("seats", where, "wagers", name, amount)


def decide(*decisions, where="1"):
    return changed("seats", where, "decisions", list(decisions))


def house(**options):
    return changed("house", GOOD["house"] | options)


DEAL = "641a.10"
CASES = {
    # cards: how many, which, twice
    "a player of four": (changed("seats", "1", "cards", "8s 8h 8d 4c"), "seat 1: 5 cards are dealt", DEAL),
    "a player of six": (changed("seats", "1", "cards", "8s 8h 8d 4c 3d 5c"), "seat 1: 5 cards are dealt", DEAL),
    "a player of none": (changed("seats", "1", "cards", ""), "seat 1: 5 cards are dealt", DEAL),
    "a dealer of five": (changed("dealer", "Ks Kh Jd 7c 4s"), "dealer: 6 cards are dealt", DEAL),
    "a dealer of seven": (changed("dealer", "Ks Kh Jd 7c 4s 2h 2c"), "dealer: 6 cards are dealt", DEAL),
    "no dealer": (changed("dealer", DROP), "dealer: 6 cards are dealt", DEAL),
    "no bonus card for a wager on it": (changed("bonus", DROP), "bonus: 1 cards are dealt", DEAL),
    "two bonus cards": (changed("bonus", "Td 9d"), "bonus: 1 cards are dealt there, 2 are given", DEAL),
    "community cards": (changed("community", "Td 9d 8c"), "community: 0 cards are dealt there", DEAL),
    "cards drawn": (changed("seats", "1", "drawn", "2c"), "seat 1: drawn: 2c too many", DEAL),
    "a card twice in a hand": (changed("seats", "1", "cards", "8s 8s 8d 4c 3d"), "seat 1: 8s is on the table", DEAL),
    "a card of the dealer's": (changed("seats", "1", "cards", "8s 8h 8d 4c Ks"), "Ks is on the table already", DEAL),
    "a card of another seat": (changed("seats", "3", "cards", "8h Jh 9c 6d 3c"), "8h is on the table already", DEAL),
    "the bonus card in a hand": (changed("bonus", "2h"), "2h is on the table already (dealer)", DEAL),
    "the dealer's up card twice": (changed("dealer", "Ks Kh Jd 7c 4s 4s"), "dealer: 4s is on the table", DEAL),
    "dealt by hand, four cards": (
        changed("seats", "1", "cards", "8s 8h 8d 4c", dealing="hand"),
        "seat 1: 5 cards are dealt",
        "641a.9",
    ),
    "from a manual shoe, a card twice": (
        changed("dealer", "Ks Ks Jd 7c 4s 2h", dealing="manual"),
        "dealer: Ks is on the table",
        "641a.8",
    ),
    # wagers: who may place what
    **{f"a {name} of nothing": (wager(name, 0), f"seat 1: {name} of 0 is outside 1 to", "641a.7") for name in WAGERS},
    **{f"a negative {name}": (wager(name, -5), f"seat 1: {name} of -5 is outside 1 to", "641a.7") for name in WAGERS},
    **{f"too much {name}": (wager(name, 10**16), f"seat 1: {name} of", "641a.7") for name in WAGERS},
    **{
        f"{name} with neither Ante nor Aces Up": (
            changed("seats", "4", {**seat("As Ah Qd 6c 3s"), "wagers": {name: 5}}),
            f"seat 4: {name} needs ante or aces_up",
            "641a.7",
        )
        for name in WAGERS
        if name not in ("ante", "aces_up", "bad_beat")
    },
    "a Bad Beat without an Ante": (wager("bad_beat", 5, "4"), "seat 4: bad_beat needs ante", "641a.7"),
    "no wager": (changed("seats", "4", "wagers", {}), "seat 4: no wager is placed", "641a.7"),
    **{
        f"the wager {name}": (wager(name, 5), f"seat 1: no wager {name!r} here", "641a.7")
        for name in ("play", "ante_bonus", "envy_4", "super:1", "six_card:1", "five_card_hand:2", "pocket", "tie", "")
    },
    "a seat that the table has not": (house(seats=3), "seat 4: not a seat of this table", "641a.7"),
    "Ante and Aces Up that differ": (
        house(equal_ante_aces_up=True),
        "seat 1: aces_up and ante have to be equal, 5 and 10 lie there",
        "641a.7",
    ),
    # decisions
    "no decision": (decide(), "seat 1: a decision is missing, one of fold, play", "641a.11(b)"),
    **{
        f"the decision {word}": (decide(word), f"seat 1: {word!r} is not offered, allowed: fold, play", "641a.11(b)")
        for word in ("bet", "call", "raise", "declare", "buy", "Fold", "")
    },
    "a Play without an amount": (decide("play"), "seat 1: play needs an amount, 10 to 30", "641a.11(b)"),
    **{
        f"a Play of {play}": (decide({"play": play}), f"seat 1: play of {play} is not allowed", "641a.11(b)")
        for play in (0, -20, 1, 5, 9, 12, 31, 35, 40, 10**15)
    },
    "a fold with an amount": (decide({"fold": 10}), "seat 1: an amount with fold is not allowed", "641a.11(b)"),
    "a Play of cards": (decide({"play": "8s"}), "seat 1: play of 1 cards, allowed are none", "641a.11(b)"),
    "two decisions": (decide({"play": 20}, "fold"), "seat 1: 'fold' is one decision too many", "641a.11(b)"),
    "a Play after a fold": (decide("fold", {"play": 20}), "seat 1: 'play' is one decision too many", "641a.11(b)"),
    "a fold without an Ante": (decide("fold", where="4"), "a seat without an Ante decides nothing", "641a.11(b)"),
    "a Play without an Ante": (decide({"play": 5}, where="4"), "seat 4: 'play' is one decision", "641a.11(b)"),
    "a low hand": (decide({"play": 20}, {"low": "8s 8h"}), "seat 1: 'low' is one decision too many", "641a.11(b)"),
    # what the game system has to say
    **{
        f"no reading of {meter}": (
            record(seat(cards, aces_up=5, **{wager: 5}), dealer="2c 3h 5d 7c Td Jc", house=options),
            f"house option {meter} is missing",
            f"641a.11(c){part}",
        )
        for meter, cards, wager, options, part in (
            ("progressive_4_meter", "9s 9h 9d 9c As", "progressive_4", {}, "(5)(iv)"),
            ("progressive_5_meter", "9h 8h 7h 6h 5h", "progressive_5", {}, "(5)(iv)"),
            ("mega_meter", "As Ks Qs Js Ts", "progressive_5", {"progressive_5": "B", "major_meter": 5}, "(5)(iv)"),
            ("major_meter", "9h 8h 7h 6h 5h", "progressive_5", {"progressive_5": "C", "mega_meter": 5}, "(5)(iv)"),
            ("minor_meter", "9s 9h 9d 9c As", "progressive_5", {"progressive_5": "D", "mega_meter": 5}, "(5)(iv)"),
            ("five_card_hand_meter", "As Ks Qs Js Ts", "five_card_hand", {"mega_meter": 5}, "(7)(iii)"),
        )
    },
    "no pick of a card": (house(magic_card="on"), "house option magic_card is missing", "641a.11(c)(7)"),
    "no pick of a place": (house(lucky_bonus="on"), "house option lucky_bonus is missing", "641a.11(c)(7)"),
}

# what no paragraph is about: options of the house, and what is no record of this game at all
WITHOUT_RULE = {
    **{
        f"{name} as {value!r}": (house(**{name: value}), f"house option {name}: ")
        for name, values in {
            "ante_bonus": ("C", "a", 1, None),
            "aces_up": ("I", True),
            "bad_beat": ("B",),
            "six_card": ("E", ""),
            "progressive_4": ("B",),
            "progressive_5": ("E", ["A"]),
            "envy_4": ("C",),
            "envy_5": ("B",),
            "five_card_hand": ("B",),
            "magic_pays": ("B",),
            "lucky_pays": ("B",),
            "ante_bonus_on_loss": (1, "true", None),
            "bad_beat_on_fold": ("lose", True),
            "five_card_hand_on_fold": ("lose",),
            "envy_folded_hands": ("no",),
            "envy_payment": ("now",),
            "high_odds_verify": (0, -1, "500", 1.5),
            "magic_card": ("Xs", "K", "Ks Kh", True, 7, ""),
            "lucky_bonus": (0, 8, "3", "seat 3", True, -1),
            "play_step": (0, -5, "step", 2.5, True),
            "equal_ante_aces_up": ("yes",),
            "dealer_upcard": ("last", "none", 6),
            "six_card_dealt": ("second", 1),
            "seats": (0, 8, "6"),
            **dict.fromkeys(METERS, (-1, "1000", 0.5, True, 10**16)),
        }.items()
        for value in values
    },
    **{
        f"the option {name}": (house(**{name: 1}), "is not known, known are")
        for name in ("jackpot", "super_sf_policy", "Aces_Up", "progressive_4_meters", "play step", "")
    },
    **{
        f"{name} of {value!r}": (wager(name, value), f"seat 1: wagers.{name}: a whole number is expected")
        for name in ("ante", "six_card")
        for value in ("10", 10.0, True, [10], {"a": 1})
    },
    "no game": (changed("game", DROP), "game: is missing"),
    "a name that is nearly the game's": (changed("game", "four_card_poker"), "game 'four_card_poker' is not known"),
    "a seat 0": (changed("seats", "0", GOOD["seats"]["4"]), "a seat is a number from 1 to 7"),
    "a seat 8": (changed("seats", "8", GOOD["seats"]["4"]), "a seat is a number from 1 to 7"),
    "no seats": (changed("seats", {}), "seats: a round has at least one seat"),
    "an up card of its own": (changed("upcard", "2h"), "upcard: unknown key"),
    "a bonus of a seat": (changed("seats", "1", "bonus", "Td"), "seat 1: bonus: unknown key"),
    "no cards": (changed("seats", "1", "cards", DROP), "seat 1: cards: is missing"),
    "no wagers": (changed("seats", "1", "wagers", DROP), "seat 1: wagers: is missing"),
    "a word among cards": (changed("seats", "1", "cards", "8s 8h 8d 4c joker"), "seat 1: cards: 'jo' is no card"),
    "half a card": (changed("dealer", "Ks Kh Jd 7c 4s 2"), "dealer: '2' is no card"),
    "a bonus card as list": (changed("bonus", ["Td"]), "bonus: cards are text"),
    "decisions as word": (changed("seats", "1", "decisions", "fold"), "seat 1: decisions: a list is expected"),
    "half a Play": (decide({"play": 20.5}), "seat 1: decisions: "),
    "a Play as text": (decide({"play": "20"}), "seat 1: decisions: play takes a whole amount or cards, not '20'"),
    "a Play as truth": (decide({"play": True}), "seat 1: decisions: "),
    "a Play and a fold in one": (decide({"play": 20, "fold": 0}), "seat 1: decisions: a decision is a word"),
    "a decision as list": (decide(["fold"]), "seat 1: decisions: a decision is a word"),
    "no decision at all": (decide(None), "seat 1: decisions: a decision is a word"),
    "another way of dealing": (changed("dealing", "shoe"), "dealing: shoe is not allowed"),
    "a house as list": (changed("house", []), "house: an object is expected"),
}


def test_the_good_record_is_good(settle):
    main, sides, on_dealer = 10 + 20 + 20, 40 + 20 + 40 - 5 + 40 + 25, -5 + 5
    assert settle(GOOD)["seats"]["1"]["net"] == main + sides + on_dealer


@pytest.mark.parametrize(("data", "reason", "rule"), CASES.values(), ids=CASES)
def test_what_the_section_does_not_allow_is_refused_with_its_paragraph(refused, data, reason, rule):
    why = refused(data)
    assert reason in why
    assert f"(§ {rule})" in why


@pytest.mark.parametrize(("data", "reason"), WITHOUT_RULE.values(), ids=WITHOUT_RULE)
def test_what_is_no_option_or_no_record_is_refused_where_it_stands(refused, data, reason):
    assert reason in refused(data)


def test_there_are_some_two_hundred_kinds():
    assert len(CASES) + len(WITHOUT_RULE) > 150


anything = st.none() | st.booleans() | st.integers(-20, 50) | st.sampled_from(["As", "fold", "play", "ante", "", "on"])
values = anything | st.lists(anything, max_size=2) | st.dictionaries(st.sampled_from(["play", "ante"]), anything)


def places(data, path=()):
    yield path
    if isinstance(data, dict | list):
        for key, inner in data.items() if isinstance(data, dict) else enumerate(data):
            yield from places(inner, (*path, key))


@given(st.sampled_from([path for path in places(GOOD) if path]), values, st.booleans())
@settings(max_examples=300, deadline=None)
def test_whatever_stands_in_a_place_the_record_is_settled_or_refused_in_one_line(path, value, blind):
    data = changed(*path, value)
    with suppress(BadInput):
        settle_record(read_record(json.dumps(data)), blind=blind).json()
