"""§ 663a.11: the worked examples, each named after what it shows and the paragraph that decides it."""

import json

import pytest

from tests.games.records import steps


def seat(cards, *decisions, ante=10, **wagers):
    return {"cards": cards, "wagers": {"ante": ante} | wagers, "decisions": list(decisions)}


def record(*seats, dealer, **house):
    numbered = {str(at): one for at, one in enumerate(seats, 1)}
    return {"game": "five-card-hi-lo", "dealer": dealer, "house": house, "seats": numbered}


# name, player, dealer, the dealer's points, then each legal setting: low cards, points, outcome, Tie Wager
HANDS = [
    ("C1 d, g: the law's own hand", "As Jh Td 9c 2s", "Ks Qh 8d 6c 4s", (28, 10), ("", (31, 11), "push", "lose")),
    ("C1 d, g: its ace low", "As Jh Td 9c 2s", "Ks Qh 8d 6c 4s", (28, 10), ("As 2s", (29, 3), "win", "lose")),
    ("C3 g2: a double tie loses", "Ks Qh 8d 6c 4s", "Kd Qc 8h 6s 4d", (28, 10), ("", (28, 10), "lose", "25:1")),
    ("C4 g3ii: high tie, low win", "Ks Qh Jd 6c 4s", "Kd Qc Th 6s 5d", (30, 11), ("", (30, 10), "push", "4:1")),
    ("C6 g3ii: high tie, low win", "Ks Qh 9d 6c 3s", "Kd Qc 9h 6s 5d", (29, 11), ("", (29, 9), "push", "4:1")),
    ("C7 g2, j1: low tie, high lower", "Ks Qh 8d 6c 5s", "Kd Qc 9h 6s 5d", (29, 11), ("", (28, 11), "lose", "4:1")),
    ("C9 g3i: high win, low higher", "Ks Qh Jd Tc 9s", "Kd Qc 9h 6s 5d", (29, 11), ("", (30, 19), "push", "lose")),
    ("C10 g1: both aces high", "As Ah 9d 6c 2s", "Ks Qh 8d 6s 4s", (28, 10), ("", (31, 8), "win", "lose")),
    ("C10 g3: one ace low", "As Ah 9d 6c 2s", "Ks Qh 8d 6s 4s", (28, 10), ("Ah 2s", (26, 3), "push", "lose")),
    ("C12 d, h: four aces", "As Ah Ad Ac 2s", "Ks Qh 8d 6s 4s", (28, 10), ("", (33, 3), "win", "lose")),
    ("C13 e: the dealer's four aces", "Ks Qh 8d 6s 4s", "As Ah Ad Ac 2s", (33, 3), ("", (28, 10), "lose", "lose")),
    ("C15 g3ii: high lost, low won", "5s 4h 3d 2s 2h", "As Kh 7d 6c 3s", (28, 9), ("", (12, 4), "push", "lose")),
    ("C16 g2: high tie, low higher", "Ks Qh Jd Tc Ts", "Kd Qc Jh Th 9d", (30, 19), ("", (30, 20), "lose", "4:1")),
    ("C18 g2: ace high loses", "Ah 3s 3d 3c 2s", "Kd 9c 4h 3h 2d", (23, 5), ("", (17, 5), "lose", "4:1")),
    ("C18 g3: ace low ties", "Ah 3s 3d 3c 2s", "Kd 9c 4h 3h 2d", (23, 5), ("Ah 2s", (9, 3), "push", "lose")),
]


@pytest.mark.parametrize(
    ("player", "dealer", "house", "setting"), [pytest.param(*row[1:], id=f"{row[0]} {row[4][1]}") for row in HANDS]
)
def test_663a_11_d_to_j_hands(settle, player, dealer, house, setting):
    low, points, outcome, tie = setting
    play = ["play", {"low": low}] if low else ["play"]
    out = settle(record(seat(player, *play, tie=5), dealer=dealer))
    assert (out["dealer"]["high"], out["dealer"]["low"]) == house
    mine = out["seats"]["1"]
    assert (mine["high"], mine["low"]) == points
    assert mine["wagers"]["ante"]["outcome"] == mine["wagers"]["play"]["outcome"] == outcome
    (ended,) = steps(out, "pay", "collect", wager="tie")
    assert ended.get("odds", "lose") == tie


def test_c12_663a_11_h_four_aces_are_paid_on_the_ante(settle):
    out = settle(record(seat("As Ah Ad Ac 2s", "play"), dealer="Ks Qh 8d 6s 4s"))
    assert out["seats"]["1"]["net"] == 10 + 10 + 500
    (bonus,) = steps(out, "pay", wager="ante_bonus")
    assert (bonus["for"], bonus["stake"], bonus["rule"]) == ("four aces", 10, "663a.11(h)")


def test_c1_trap_8_663a_11_h_three_aces_are_paid_on_a_lost_hand_and_with_one_set_low(settle):
    out = settle(record(seat("As Ah Ad 9c 2s", "play", {"low": "Ad 2s"}), dealer="Ac 3h 2d 2h 2c"))
    assert out["seats"]["1"]["wagers"]["ante_bonus"]["net"] == 50
    lost = settle(record(seat("As Ah Ad 9c 8s", "play"), dealer="Ks Kh Qd 9s 9d"))
    assert lost["seats"]["1"]["net"] == 20 + 50


def test_c19_663a_11_b_j2_a_fold_costs_ante_and_tie_and_keeps_the_poker_bonus(settle):
    folded = seat("7s 7h 5d 4c 2h", "fold", tie=5, poker_bonus=5)
    out = settle(record(folded, dealer="Ks Qh 8d 6c 4s", poker_bonus="7s"))
    assert {w: one["net"] for w, one in out["seats"]["1"]["wagers"].items()} == {
        "ante": -10,
        "tie": -5,
        "poker_bonus": 5,
    }
    assert [(step["wager"], step["rule"]) for step in steps(out, "collect")] == [
        ("ante", "663a.11(c)"),
        ("tie", "663a.11(c)"),
    ]
    assert steps(out, "discard", **{"from": "seat 1"})[0]["rule"] == "663a.11(k)"


@pytest.mark.parametrize(
    ("cards", "table", "net"),
    [
        ("6s 6h 5d 4c 2h", "6s", 5),
        ("6s 6h 5d 4c 2h", "7s", -5),
        ("5s 5h 6d 4c 2h", "6s", -5),
        ("7s 7h 5d 4c 2h", "7s", 5),
        ("As Ah 5d 4c 2h", "7s", 5),
        ("2s 2h 3d 3c 4h", "6s", 15),
        ("2s 2h 3d 3c 4h", "7s", 20),
    ],
)
def test_663a_11_j2_the_paytable_says_from_which_pair_on(settle, cards, table, net):
    out = settle(record(seat(cards, "fold", poker_bonus=5), dealer="Ks Qh 8d 6c 4s", poker_bonus=table))
    assert out["seats"]["1"]["wagers"]["poker_bonus"]["net"] == net


def test_c21_663a_11_g1_ante_and_play_are_paid_one_to_one(settle):
    out = settle(record(seat("As Ah 9d 6c 2s", "play"), dealer="Ks Qh 8d 6s 4s"))
    assert out["seats"]["1"]["net"] == 20


def test_c22_663a_11_b_the_play_wager_is_the_ante(settle, refused):
    message = refused(record(seat("As Ah 9d 6c 2s", {"play": 20}), dealer="Ks Qh 8d 6s 4s"))
    assert "seat 1: play of 20 is not allowed, it must be 10 (§ 663a.11(b))" in message
    assert settle(record(seat("As Ah 9d 6c 2s", {"play": 10}), dealer="Ks Qh 8d 6s 4s"))["seats"]["1"]["net"] == 20


def test_c24_663a_11_a3_hands_that_are_set_may_not_be_touched(refused):
    play = ("play", {"low": "6c 4s"}, {"low": "4s 6c"})
    message = refused(record(seat("Ks Qh 8d 6c 4s", *play), dealer="Kd Qc 8h 6s 4d"))
    assert "seat 1: 'low' is one decision too many" in message
    assert "§ 663a.11(a)(3)" in message


@pytest.mark.parametrize(
    ("cards", "low", "reason"),
    [
        ("Ks Qh 8d 6c 4s", "Qh 4s", "the two cards of least points belong there"),
        ("As Ah 9d 6c 2s", "As Ah", "no more than one ace may lie in the low hand"),
        ("As Ah Ad Ac 2s", "As Ah", "no more than one ace may lie in the low hand"),
        ("As Jh Td 9c 2s", "As 9c", "the two cards of least points belong there"),
        ("As Jh Td 9c 2s", "As", "the low hand has 2 cards, not As"),
        ("As Jh Td 9c 2s", "As 2s 9c", "the low hand has 2 cards"),
        ("As Jh Td 9c 2s", "2s 2s", "the low hand has 2 cards"),
        ("As Jh Td 9c 2s", "As 3s", "3s is not in the hand"),
        ("As Jh Td 9c 2s", "", "the low hand has 2 cards, not none"),
    ],
)
def test_c25_663a_11_d_a_foul_setting_is_no_record(refused, cards, low, reason):
    message = refused(record(seat(cards, "play", {"low": low}), dealer="Kd Qc 8h 6s 5d"))
    assert message.startswith("shoectl: seat 1: ")
    assert reason in message
    assert "§ 663a.11(d)" in message


def test_663a_11_d_of_equal_points_any_card_may_lie_low(settle):
    for low in ("Ts 9s", "Jd 9s", "Qh 9s", "Ks 9s"):
        out = settle(record(seat("Ks Qh Jd Ts 9s", "play", {"low": low}), dealer="Kd Qc 9h 6s 5d"))
        assert (out["seats"]["1"]["high"], out["seats"]["1"]["low"]) == (30, 19)
        assert steps(out, "set", seat=1)[0]["low"] == low


def test_c27_663a_11_e_the_dealers_aces_lie_high(settle):
    out = settle(record(seat("Ks Qh 8d 6s 4s", "play"), dealer="As Ah 9d 6c 2s"))
    assert steps(out, "set", place="dealer") == [
        {"do": "set", "place": "dealer", "high": "As Ah 9d", "low": "6c 2s", "rule": "663a.11(e)"}
    ]
    assert (out["dealer"]["high"], out["dealer"]["low"]) == (31, 8)


def test_c1_trap_12_663a_11_b_f_decisions_go_clockwise_and_hands_are_shown_the_other_way(settle):
    hands = ["Ks Qh 8d 6s 4s", "Kd Qc 8h 6c 4d", "Kh Qd 8s 6d 4c"]
    out = settle(record(*(seat(hand, "play") for hand in hands), dealer="As Ah 9d 6h 2s"))
    assert [step["seat"] for step in steps(out, "ask")] == [1, 2, 3]
    assert [step["place"] for step in steps(out, "reveal")] == ["dealer", "seat 3", "seat 2", "seat 1"]


def test_663a_11_f_the_dealer_says_what_becomes_of_ante_and_play(settle):
    out = settle(record(seat("As Ah 9d 6c 2s", "play"), dealer="Ks Qh 8d 6s 4s"))
    assert [step["text"] for step in steps(out, "announce", rule="663a.11(f)")] == [
        "seat 1: Ante and Play win, 31 high against 28, 8 low against 10"
    ]


def test_663a_11_e_where_all_have_folded_the_dealers_cards_stay_unseen(settle):
    out = settle(record(seat("As Ah 9d 6c 2s", "fold", poker_bonus=5), dealer="Ks Qh 8d 6s 4s"))
    assert [step["place"] for step in steps(out, "reveal")] == ["seat 1"]
    assert not steps(out, "set")
    assert out["dealer"]["hand"] is None


def test_663a_11_h_by_the_houses_word_a_folder_is_paid_his_ante_bonus(settle):
    folders = seat("As Ah Ad 6c 2s", "fold"), seat("Ks Qh 8d 6s 4s", "fold")
    assert settle(record(*folders, dealer="Kd Qc 9h 6h 5d"))["seats"]["1"]["net"] == -10
    out = settle(record(*folders, dealer="Kd Qc 9h 6h 5d", ante_bonus_on_fold=True))
    assert out["seats"]["1"]["net"] == -10 + 50
    assert [step["rule"] for step in steps(out, "reveal")] == ["663a.11(h)"] * 2


def test_663a_6_a_points_name_every_legal_setting(command):
    code, out, err = command("rank", "five-card-hi-lo", "points", "As Jh Td 9c 2s", "--json")
    assert code == 0, err
    assert json.loads(out)["settings"] == [
        {"high": 31, "low": 11, "low_cards": "9c 2s"},
        {"high": 29, "low": 3, "low_cards": "As 2s"},
    ]


@pytest.mark.parametrize(
    ("kind", "one", "other", "result"),
    [
        ("points", "As Ah 9d 6c 2s", "Ks Qh 8d 6s 4s", "first"),
        ("points", "Ks Qh 8d 6s 4s", "As Ah 9d 6c 2s", "second"),
        ("points", "As Jh Td 9c 2s", "Ks Qh 8d 6c 4s", "tie"),
        ("points", "Ks Qh 8d 6c 4s", "Kd Qc 8h 6s 4d", "tie"),
        ("poker", "2s 2h 3d 4c 5s", "As Kh Qd Jc 9s", "first"),
        ("poker", "As Kh Qd Jc 9s", "Ah Ks Qc Jd 9h", "tie"),
    ],
)
def test_663a_6_hands_are_compared(command, kind, one, other, result):
    assert command("compare", "five-card-hi-lo", kind, one, other)[1] == f"{result}\n"


@pytest.mark.parametrize(("kind", "rule"), [("points", "663a.6(a)"), ("poker", "663a.6(b)")])
def test_663a_6_a_wrong_number_of_cards_is_refused(command, kind, rule):
    code, out, err = command("rank", "five-card-hi-lo", kind, "As Ah")
    assert (code, out) == (2, "")
    assert f"{kind}: 5 cards are ranked, 2 were given" in err


def test_field_case_136_two_hands_are_set_from_one_and_the_ace_is_both(settle, refused):
    law = "As Jh Td 9c 2s"
    out = settle(record(seat(law, "play", {"low": "As 2s"}), dealer="Kd Qc 8h 6s 5d"))
    assert (out["seats"]["1"]["high"], out["seats"]["1"]["low"]) == (29, 3)
    assert "no more than one ace" in refused(
        record(seat("As Ah 9d 6c 2s", "play", {"low": "As Ah"}), dealer="Kd Qc 8h 7s 5d")
    )
    out = settle(record(seat(law, "play"), dealer="Ah Ad Ac 3s 7s"))
    assert (out["dealer"]["high"], out["dealer"]["low"]) == (33, 10), "three aces lie high"
    out = settle(record(seat("Kd Qc 8h 6s 5d", "play"), dealer="As Ah Ad Ac 2s"))
    assert (out["dealer"]["high"], out["dealer"]["low"]) == (33, 3), "the fourth lies low"


@pytest.mark.parametrize(
    ("player", "outcome"),
    [
        ("Kh Qd 8s 6d 4c", "lose"),  # equal, equal
        ("Kh Qd 9s 6d 4c", "push"),  # higher, equal
        ("Kh Qd 8s 6d 3c", "push"),  # equal, lower
        ("Kh Qd 9s 6d 3c", "win"),
        ("Kh 9d 8s 6d 4c", "lose"),  # lower, equal
        ("Kh Qd 8s 7d 4c", "lose"),  # equal, higher
    ],
)
def test_field_case_135_a_tie_of_both_hands_loses_and_of_one_is_a_tie_or_lost(settle, player, outcome):
    out = settle(record(seat(player, "play"), dealer="Ks Qh 8d 6c 4s"))
    assert {one["outcome"] for one in out["seats"]["1"]["wagers"].values()} == {outcome}


def test_field_case_134_a_fold_takes_the_tie_wager_and_leaves_the_poker_bonus(settle):
    for optional in ({}, {"tie": 5}, {"poker_bonus": 5}, {"tie": 5, "poker_bonus": 5}):
        out = settle(record(seat("7s 7h 5d 4c 2h", "fold", **optional), dealer="Ks Qh 8d 6c 4s"))
        ended = {wager: one["outcome"] for wager, one in out["seats"]["1"]["wagers"].items()}
        expected = {"ante": "forfeit", "tie": "forfeit", "poker_bonus": "win"}
        assert ended == {wager: expected[wager] for wager in ("ante", *optional)}
        assert bool(steps(out, "reveal", seat=1)) == ("poker_bonus" in optional)
