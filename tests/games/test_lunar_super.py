"""§ 671a.6(d), 671a.11(c) and (e): Super Wagers."""

import json

import pytest

from tests.games.records import record, seat, steps

HANDS = [
    ("A42 a straight flush is neither flush nor straight", "Ks Qs Js Ts 9s", "same colored five", 2),
    ("A43 the same in red", "5h 4h 3h 2h Ah", "same colored five", 2),
    ("A45 quads come first", "Ks Kh Kd Kc Qs", "four-of-a-kind", 200),
    ("A46 two pair, but all pictures", "Ks Kh Qd Qc Js", "five picture cards", 150),
    ("A48 straight over ace-king-queen", "Ac Kh Qd Jc Ts", "straight", 30),
    ("A49 ace-king-queen with a pair", "Ac Kh Qd 7c 7s", "ace-king-queen", 5),
    ("A51 all red", "Ah Kd 9h 7d 2d", "same colored five", 2),
    ("A52 ace-king is no line", "Ac Ks 9h 7d 2d", None, 0),
    ("A54 the wheel is a straight", "5h 4s 3h 2h Ah", "straight", 30),
    ("A55 ace-king-queen over colour", "Ac Kc Qs 8s 2s", "ace-king-queen", 5),
    ("A57 a pair of aces", "Ah Ad Kh Qd 5d", "ace-king-queen", 5),
    ("A58 quads of pictures", "Js Jh Jd Jc Kd", "four-of-a-kind", 200),
    ("a royal is ace-king-queen", "As Ks Qs Js Ts", "ace-king-queen", 5),
    ("a full house of pictures", "Ks Kh Kd Qc Qs", "five picture cards", 150),
    ("trips of pictures", "Ks Kh Kd Qc Js", "five picture cards", 150),
    ("a full house with an ace", "Ks Kh Kd Ac As", "full house", 100),
    ("a flush", "2s 4s 6s 8s Ts", "flush", 60),
    ("aces and kings", "As Ah Kd Kc 8s", None, 0),
]
ROWS = [pytest.param(*row[1:], id=row[0]) for row in HANDS]


@pytest.mark.parametrize(("cards", "line", "odds"), ROWS)
def test_671a_6_d_the_line_of_the_super_list(command, cards, line, odds):
    code, out, _ = command("rank", "lunar-poker", "super", cards, "--json")
    assert code == 0
    assert json.loads(out)["name"] == (line or "nothing")


@pytest.mark.parametrize(("cards", "line", "odds"), ROWS)
def test_671a_12_b_the_super_wager_pays_by_that_line(settle, cards, line, odds):
    instant = cards in ("As Ks Qs Js Ts", "Ks Qs Js Ts 9s", "5h 4h 3h 2h Ah")
    dealer = next(one for one in ("6d 7d 2d 3s 4c", "8d 8h 9d 3s 4c") if not set(one.split()) & set(cards.split()))
    out = settle(record(seat(cards, *([] if instant else ["fold"]), s1=5), dealer=dealer))
    settled = out["seats"]["1"]["wagers"]["super:1"]
    assert settled == {"stake": 5, "outcome": "win" if line else "lose", "net": 5 * odds if line else -5}
    if line:
        (paid,) = steps(out, "pay", wager="super:1")
        assert (paid["for"], paid["odds"], paid["rule"]) == (line, f"{odds}:1", "671a.11(c)(2)")
    else:
        assert steps(out, "collect", wager="super:1", rule="671a.11(c)(1)")


def test_671a_6_d_the_house_may_pay_straight_flushes_as_a_flush(settle):
    out = settle(record(seat("Ks Qs Js Ts 9s", s1=5), house={"super_sf_policy": "as_flush"}, dealer="8d 8h 9d 3s 4c"))
    assert steps(out, "pay", wager="super:1")[0]["for"] == "flush"


def test_671a_11_c_2_the_owner_is_paid_first_then_the_others_then_his_fold_is_collected_a61(settle):
    seats = {
        "1": seat("2c 5d 9h Jd Kc", "fold", s4=5),
        "2": seat("2h 5s 9d Jc Kd", "fold", s4=5),
        "4": seat("7s 7h 7d 3c 2d", "fold", s4=5),
    }
    out = settle(record(seats, dealer="Qs Qh 8d 4c 2s"))
    turn = [step for step in steps(out, "reveal", "verify", "pay", "collect", "discard") if "(c)" in step["rule"]]
    assert [(step["do"], step.get("seat")) for step in turn][-7:] == [
        ("reveal", 4),
        ("verify", 4),
        ("pay", 4),
        ("pay", 1),
        ("pay", 2),
        ("collect", 4),
        ("discard", None),
    ]
    assert [step["amount"] for step in turn if step["do"] == "pay"] == [40, 40, 40]
    assert turn[-2]["wager"] == "ante"
    assert turn[-2]["rule"] == "671a.11(c)(4)"


def test_671a_11_c_1_a_losing_super_of_the_owner_is_collected_first(settle):
    seats = {"1": seat("2c 5d 9h Jd Kc", "bet", s3=5), "3": seat("2h 5s 9d Jc Kd", "bet", s3=7)}
    out = settle(record(seats))
    assert [(one["seat"], one["amount"]) for one in steps(out, "collect", wager="super:3")] == [(3, 7), (1, 5)]


def test_671a_11_c_1_others_may_wager_on_a_hand_whose_owner_does_not(settle):
    seats = {"1": seat("2c 5d 9h Jd Kc", "fold", s3=5), "3": seat("7s 7h 7d 3c 2d", "fold")}
    out = settle(record(seats, dealer="Qs Qh 8d 4c 2s"))
    assert out["seats"]["1"]["wagers"]["super:3"]["net"] == 40


def test_671a_11_c_supers_are_settled_before_the_draw_a75(settle):
    out = settle(record(seat("9s 9h Ad 3c 8s", {"exchange": "Ad 3c"}, "bet", drawn="9d 9c", s1=5)))
    assert out["seats"]["1"]["hand"] == "four-of-a-kind, nines"
    assert out["seats"]["1"]["wagers"]["super:1"]["outcome"] == "lose"
    names = [step.get("wager") for step in steps(out, "collect")]
    assert names == ["super:1", "options"]


def test_field_case_134_671a_11_e_2_a_folded_seat_keeps_its_super_on_the_dealers_hand_a63(settle):
    seats = {"2": seat("2c 5d 9h Jd Kc", "bet"), "3": seat("2h 5s 9d Jc Kd", "fold", dealer=5)}
    out = settle(record(seats, dealer="As Ah Ad Kh Ks"))
    assert out["dealer"]["hand"] == "full house, aces over kings"
    assert out["seats"]["3"]["wagers"]["super:dealer"]["net"] == 500
    assert out["seats"]["3"]["net"] == 490
    (paid,) = steps(out, "pay", wager="super:dealer")
    assert paid["rule"] == "671a.11(e)(2)"


def test_671a_11_e_the_dealer_reveals_for_a_super_though_every_seat_folded_a64(settle):
    out = settle(record(seat("2c 5d 9h Jd Kc", "fold", dealer=5)))
    assert steps(out, "reveal", place="dealer", rule="671a.11(e)")
    assert steps(out, "collect", wager="super:dealer", rule="671a.11(e)(1)")
    assert [step["rule"] for step in out["steps"]][-1] == "671a.11(g)"


def test_671a_11_e_supers_on_the_dealers_hand_are_settled_clockwise(settle):
    seats = [seat(cards, "bet", dealer=5) for cards in ("2c 5d 9h Jd Kc", "2h 5s 9d Jc Kd", "3h 6s 8d Th Kh")]
    out = settle(record(*seats))
    assert [step["seat"] for step in steps(out, "collect", wager="super:dealer")] == [1, 2, 3]


def test_671a_11_c_1_an_undeclared_winner_is_collected_where_the_house_leaves_it_to_the_player(settle):
    house = {"super_require_declaration": True}
    silent = settle(record(seat("7s 7h 7d 3c 2d", "bet", s1=5), house=house, dealer="Qs Qh 8d 4c 2s"))
    assert steps(silent, "collect", wager="super:1", rule="671a.11(c)(1)")
    spoken = settle(record(seat("7s 7h 7d 3c 2d", "declare", "bet", s1=5), house=house, dealer="Qs Qh 8d 4c 2s"))
    assert steps(spoken, "pay", wager="super:1", rule="671a.11(c)(2)")


def test_671a_11_c_2_a_hand_declared_in_error_is_shown_and_collected(settle):
    house = {"super_require_declaration": True}
    out = settle(record(seat("2c 5d 9h Jd Kc", "declare", "bet", s1=5), house=house))
    assert steps(out, "reveal", rule="671a.11(c)(2)")
    assert not steps(out, "verify")
    assert steps(out, "collect", wager="super:1")


def test_671a_7_a_super_on_another_hand_may_need_one_on_the_own_hand(refused, settle):
    house = {"super_needs_own": True}
    seats = {"1": seat("2c 5d 9h Jd Kc", "fold", s2=5), "2": seat("2h 5s 9d Jc Kd", "fold")}
    assert "super:2 needs super:1" in refused(record(seats, house=house))
    seats["1"]["wagers"]["super:1"] = 5
    settle(record(seats, house=house))


def test_671a_7_a_super_on_an_empty_seat_is_refused(refused):
    line = refused(record(seat("2c 5d 9h Jd Kc", "fold", s2=5)))
    assert "seat 1" in line
    assert "super:2" in line
    assert "671a.7" in line
