"""§ 641a.11: the round of Four Card Poker paragraph by paragraph; each test is named after its own."""

import pytest

from shoectl.errors import BadInput
from shoectl.games.dealing import Dealing
from shoectl.games.four_card_poker.procedure import deal
from shoectl.games.layout import Layout
from shoectl.games.records import record_of
from shoectl.games.registry import game
from shoectl.games.settle import settle as settle_record
from tests.games.four_card_records import nets, record, seat, steps

FOUR_CARD = game("four-card-poker")
TRIPS = "8s 8h 8d 4c 3d"
NOTHING = "Ac Jh 9c 6d 3c"
QUADS = "Ts Th Td Tc 5s 4h"


def rules(out, *do, **where):
    return [step["rule"] for step in steps(out, *do, **where)]


# examples B24 to B36


def test_b24_641a_11_c_3_i_and_6_i_three_of_a_kind_beaten_by_four(settle):
    one = record(seat(TRIPS, 30, ante=10, bad_beat=5), dealer=QUADS)
    assert nets(settle(one)) == {"ante": -10, "play": -30, "bad_beat": 500}
    one["house"] = {"ante_bonus_on_loss": True}
    out = settle(one)
    assert nets(out) == {"ante": -10, "play": -30, "bad_beat": 500, "ante_bonus": 20}
    assert rules(out, "pay", wager="ante_bonus") == ["641a.11(c)(3)(i)"]
    assert rules(out, "pay", wager="bad_beat") == ["641a.11(c)(6)(i)"]


def test_b25_641a_11_b_1_aces_up_survives_the_fold(settle):
    out = settle(record(seat("Js Jc 8d 8c As", "fold", ante=10, aces_up=5)))
    assert nets(out) == {"ante": -10, "aces_up": 10}
    assert out["seats"]["1"]["wagers"]["ante"]["outcome"] == "forfeit"
    assert rules(out, "discard", **{"from": "seat 1"}) == ["641a.11(d)"], "its cards stay for the wager"


def test_b27_641a_11_c_5_v_no_envy_for_the_own_hand_or_the_dealers(settle):
    house = {"progressive_5_meter": 10_000}
    royal = seat("As Ks Qs Js Ts", 10, ante=10, progressive_5=5)
    out = settle(record(royal, dealer="Ah Kh Qh Jh Th 2c", house=house))
    assert not steps(out, "pay", wager="envy_5")
    assert nets(out)["progressive_5"] == 10_000 - 5


def test_b28_641a_11_c_5_v_one_envy_bonus_for_each_hand(settle):
    others = {
        "1": seat("As Ks Qs Js Ts", 10, ante=10),
        "2": seat(NOTHING, 10, ante=10, progressive_5=5),
        "5": seat("9h 8h 7h 6h 5h", 10, ante=10),
    }
    out = settle(record(others, dealer="2s 3h 5d 7d Td Qd"))
    paid = steps(out, "pay", wager="envy_5")
    assert [(step["seat"], step["for"], step["amount"]) for step in paid] == [
        (2, "straight flush of seat 5", 150_000),
        (2, "royal flush of seat 1", 500_000),
    ]
    assert {step["rule"] for step in paid} == {"641a.11(c)(5)(v)(B)"}
    assert nets(out, "2")["envy_5"] == 650_000


@pytest.mark.parametrize("play", [5, 9, 31, 35, 1000])
def test_b30_641a_11_b_a_play_is_from_one_to_three_antes(refused, play):
    why = refused(record(seat(TRIPS, play, ante=10)))
    assert f"seat 1: play of {play} is not allowed, it must be 10 to 30 (§ 641a.11(b))" in why


def test_b31_641a_11_b_aces_up_alone_is_asked_nothing(settle):
    out = settle(record(seat("As Ah 9d 6c 3s", aces_up=5)))
    assert not steps(out, "ask")
    assert nets(out) == {"aces_up": 5}
    assert rules(out, "pay") == ["641a.11(c)(4)"]


def test_b33_641a_11_c_8_each_seat_with_the_same_bonus_card(settle):
    two = (seat("9s 9h Kd 4d 2s", 10, ante=10, six_card=5), seat("8c 8h Qc 5d 3h", 10, ante=10, six_card=5))
    out = settle(record(*two, bonus="9c"))
    assert (nets(out)["six_card"], nets(out, "2")["six_card"]) == (25, -5)
    assert rules(out, "pay", wager="six_card") == ["641a.11(c)(8)(ii)"]
    assert rules(out, "collect", wager="six_card") == ["641a.11(c)(8)(i)"]
    assert [step["cards"] for step in steps(out, "reveal", place="bonus")] == ["9c"], "once, for all"


def test_b34_641a_11_b_1_the_six_card_bonus_survives_the_fold(settle):
    out = settle(record(seat("9s 9h Kd 4d 2s", "fold", ante=10, six_card=5), bonus="9c"))
    assert nets(out) == {"ante": -10, "six_card": 25}
    assert rules(out, "reveal", place="seat 1") == ["641a.11(c)(1)"]


def test_b36_641a_11_b_c_decisions_clockwise_settlement_counterclockwise_seat_by_seat(settle):
    hands = ["As 7d 6h 5c 3s", "Ad 8d 6s 5h 2d", "Ac Td 6d 5s 4h", "Ah 9d 8h 6c 5d", "Qs Jh 9h 7h 3d", "Qd Jc 9c 8c 4d"]
    out = settle(record(*(seat(hand, 20, ante=10, aces_up=5) for hand in hands)))
    assert [step["seat"] for step in steps(out, "ask")] == [1, 2, 3, 4, 5, 6]
    settled = [step["seat"] for step in steps(out, "collect", "pay")]
    assert settled == [one for one in (6, 5, 4, 3, 2, 1) for _ in range(3)]


# dealing


def places(dealing, *, six_card=True, **house):
    """Where each card goes, with seats 2 and 5: one letter a card, and which part is face up."""
    table = Layout(wagers={2: {"ante": 5}, 5: {"aces_up": 5} | ({"six_card": 5} if six_card else {})})
    step = deal(table, FOUR_CARD.house(house), dealing)
    return "".join(place[-1] if place.startswith("seat") else place[0] for place in step.to), step.up, step.rule


@pytest.mark.parametrize(
    ("dealing", "house", "expected"),
    [
        (Dealing.MANUAL, {}, ("b" + 5 * "25d" + "d", (16,), "641a.8")),
        (Dealing.HAND, {}, ("b" + 5 * "25d" + "d", (16,), "641a.9")),
        (Dealing.AUTOMATED, {}, ("2222255555ddddd" + "d" + "b", (15,), "641a.10")),
        (Dealing.AUTOMATED, {"six_card_dealt": "first"}, ("b2222255555ddddd" + "d", (16,), "641a.10")),
        (Dealing.MANUAL, {"six_card_dealt": "last"}, (5 * "25d" + "d" + "b", (15,), "641a.8")),
        (Dealing.MANUAL, {"dealer_upcard": "top"}, ("b" + 5 * "25d" + "d", (), "641a.8")),
    ],
)
def test_641a_8_9_10_the_order_of_the_deal(dealing, house, expected):
    assert places(dealing, **house) == expected


@pytest.mark.parametrize("dealing", Dealing)
def test_641a_8_no_bonus_card_where_nobody_has_wagered_on_it(dealing):
    to, up, _ = places(dealing, six_card=False)
    assert (len(to), to[-1], up) == (16, "d", (15,))
    assert "b" not in to


def test_641a_11_c_7_a_dealer_who_turns_his_top_card_turns_the_sixth(settle):
    one = record(seat(TRIPS, 10, ante=10), dealer=QUADS, house={"dealer_upcard": "top"}, dealing="manual")
    out = settle(one)
    assert [(step["rule"], step["cards"]) for step in steps(out, "reveal", place="dealer")] == [
        ("641a.8", "4h"),
        ("641a.11(c)", QUADS),
    ]
    assert nets(out) == nets(settle(record(seat(TRIPS, 10, ante=10), dealer=QUADS)))


def test_641a_8_the_stub_goes_to_the_rack_before_anybody_decides(settle):
    out = settle(record(seat(TRIPS, 10, ante=10), dealing="hand"))
    assert [step["do"] for step in out["steps"][:4]] == ["announce", "deal", "discard", "ask"]
    assert out["steps"][2]["from"] == "stub"
    assert {step["rule"] for step in out["steps"][:3]} == {"641a.9"}


def test_641a_8_seven_seats_need_no_more_than_a_deck():
    assert FOUR_CARD.cards_needed(7) == 42


# (b) decisions


@pytest.mark.parametrize(("step", "play"), [(1, 11), (1, 15), (5, 15), (5, 25), ("ante", 10), ("ante", 30), (7, 20)])
def test_641a_11_b_any_amount_that_the_house_has_chips_for(settle, step, play):
    assert nets(settle(record(seat(TRIPS, play, ante=10), house={"play_step": step})))["play"] == play


@pytest.mark.parametrize(("step", "play", "every"), [(5, 12, 5), ("ante", 15, 10), (10, 25, 10), (4, 13, 2)])
def test_641a_11_b_an_amount_between_is_refused(refused, step, play, every):
    why = refused(record(seat(TRIPS, play, ante=10), house={"play_step": step}))
    assert f"seat 1: play of {play} is not allowed, it must be a multiple of {every} (§ 641a.11(b))" in why


def test_641a_11_b_2_a_fold_loses_both_progressives_and_keeps_envy(settle):
    folder = seat(NOTHING, "fold", ante=10, progressive_4=5, progressive_5=5)
    out = settle(record(folder, seat("9h 8h 7h 6h 5h", 10, ante=10), house={"envy_4": "B"}))
    assert nets(out) == {"ante": -10, "progressive_4": -5, "progressive_5": -5, "envy_4": 50_000, "envy_5": 150_000}
    assert {one["outcome"] for one in out["seats"]["1"]["wagers"].values()} == {"forfeit", "win"}
    assert rules(out, "discard", **{"from": "seat 1"}) == ["641a.11(c)"], "nothing is settled by its cards"
    assert not steps(out, "reveal", place="seat 1")


@pytest.mark.parametrize(
    ("house", "kept"),
    [
        ({}, {"five_card_hand", "five_card_hand:dealer"}),
        ({"bad_beat_on_fold": "keep"}, {"bad_beat", "five_card_hand", "five_card_hand:dealer"}),
        ({"five_card_hand_on_fold": "forfeit"}, set()),
        ({"five_card_hand_on_fold": "forfeit", "bad_beat_on_fold": "keep"}, {"bad_beat"}),
    ],
)
def test_641a_11_b_what_a_fold_does_to_wagers_it_does_not_name(settle, house, kept):
    wagers = {"ante": 10, "bad_beat": 5, "five_card_hand": 5, "five_card_hand_dealer": 5}
    out = settle(record(seat(TRIPS, "fold", **wagers), dealer=QUADS, house=house))
    ended = {wager: one["outcome"] for wager, one in out["seats"]["1"]["wagers"].items()}
    assert {wager for wager, how in ended.items() if how != "forfeit"} == kept
    assert bool(steps(out, "reveal", place="seat 1")) == bool(kept)
    if "bad_beat" in kept:
        assert nets(out)["bad_beat"] == 500


def test_641a_11_b_cards_go_where_only_a_wager_on_the_dealers_hand_is_left(settle):
    out = settle(record(seat(TRIPS, "fold", ante=10, five_card_hand_dealer=5), dealer=QUADS))
    assert rules(out, "discard", **{"from": "seat 1"}) == ["641a.11(c)"]
    assert nets(out) == {"ante": -10, "five_card_hand:dealer": 1495}


def test_641a_11_c_forfeits_are_collected_clockwise_before_the_dealers_cards_are_turned_up(settle):
    out = settle(record(seat("2s 5d 9h Th Kc", "fold", ante=10), seat(NOTHING, "fold", ante=20)))
    plain = [step for step in out["steps"] if step["rule"] == "641a.11(c)"]
    assert [step["do"] for step in plain] == ["collect", "discard", "collect", "discard", "reveal"]
    assert [step.get("seat") for step in plain] == [1, None, 2, None, None]
    assert plain[-1]["place"] == "dealer", "in any case, also where nobody is left"


# (c)(3)


@pytest.mark.parametrize(
    ("hand", "bonus"), [("9s 9h 9d 9c As", 250), ("5s 6s 7s 8s 8h", 200), (TRIPS, 20), ("As Ks 9s 5s 2c", 0)]
)
@pytest.mark.parametrize("letter", "AB")
def test_641a_12_b_the_ante_bonus_is_on_the_ante_alone(settle, hand, bonus, letter):
    out = settle(record(seat(hand, 30, ante=10), dealer="Qs Qh Jd 7c 4s 2h", house={"ante_bonus": letter}))
    bonus = {("B", 250): 300, ("B", 200): 150}.get((letter, bonus), bonus)
    assert nets(out) == {"ante": 10, "play": 30} | ({"ante_bonus": bonus} if bonus else {})
    assert not bonus or rules(out, "pay", wager="ante_bonus") == ["641a.11(c)(3)(ii)"]


def test_641a_11_c_3_ii_equal_hands_are_paid(settle):
    out = settle(record(seat("Js Jh 8d 8c As", 20, ante=10), dealer="Jd Jc 8s 8h 3d 2h"))
    assert nets(out) == {"ante": 10, "play": 20}


def test_641a_11_c_the_dealer_takes_his_best_four_of_six(settle):
    out = settle(record(seat(NOTHING, 10, ante=10), dealer="2s 3h 9d Kc 5s Kd"))
    assert (out["dealer"]["hand"], out["dealer"]["five"]) == ("pair of kings", "nothing, king high")
    assert nets(out) == {"ante": -10, "play": -10}


# (d), trouble, limits


def test_641a_11_d_the_rack_holds_each_hand_by_its_place(settle):
    out = settle(record(seat(TRIPS, 10, ante=10), seat(NOTHING, 10, ante=10, six_card=5), bonus="2c"))
    gone = [(step["from"], step["cards"]) for step in steps(out, "discard", rule="641a.11(d)")]
    assert gone == [("seat 2", NOTHING), ("seat 1", TRIPS), ("dealer", "Ks Kh Jd 7c 4s 2h"), ("bonus", "2c")]


def test_641a_7_wagers_are_offered_where_the_table_has_limits_for_them():
    house = FOUR_CARD.house({})
    every = dict.fromkeys(FOUR_CARD.families, (5, 100))
    offers = {offer.wager: offer for offer in FOUR_CARD.offers(house, every)}
    assert set(offers) == {*FOUR_CARD.families, "five_card_hand:dealer"}
    assert offers["bad_beat"].needs == ("ante",)
    assert offers["six_card"].needs == ("ante", "aces_up")
    assert [offer.wager for offer in FOUR_CARD.offers(house, {"ante": (5, 100)})] == ["ante"]
    one = FOUR_CARD.offers(house, {"ante": (5, 100), "five_card_hand:dealer": (1, 5)})
    assert [offer.wager for offer in one] == ["ante", "five_card_hand:dealer"]
    for limits in ({}, {"aces_up": (1, 5)}, {"ante": (1, 5), "super": (1, 5)}):
        with pytest.raises(BadInput, match="limits"):
            FOUR_CARD.offers(house, limits)


def test_faces_known_only_at_the_reveal_change_no_step():
    wagers = {"ante": 10, "aces_up": 5, "bad_beat": 5, "five_card_hand": 5, "six_card": 5, "progressive_4": 5}
    read = record_of(record(seat(TRIPS, 30, **wagers), seat(NOTHING, "fold", **wagers), dealer=QUADS, bonus="2c"))
    assert settle_record(read, blind=True).steps == settle_record(read).steps
