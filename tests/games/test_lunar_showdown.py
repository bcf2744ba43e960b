"""§ 671a.11(f): the worked examples of the showdown, and what they rest on."""

import pytest

from tests.games.records import record, seat, steps

# (name, player's five or six cards, dealer, first payout, second payout, net); of six cards the last was bought,
# its fee is not in the net. Ante 10, Bet 20.
WINS = [
    ("A1 the law's own example", "As Ah Kd 9c 8s", "Qs Qh 7d 4c 2s", "pair 1:1", "ace-king 1:1", 40),
    ("A3 ace and king outside the core", "9s 9h Ad Kc 8s", "8h 8d Jd 4c 2s", "pair 1:1", "ace-king 1:1", 40),
    ("A4 ace-king inside two pair", "As Ah Kd Kc 8s", "Qs Qh 7d 4c 2s", "two pair 2:1", None, 40),
    ("A6 trips and ace-king", "As Ah Ad Kc 6s", "Qs Qh 7d 4c 2s", "three-of-a-kind 3:1", "ace-king 1:1", 80),
    ("A7 trips and a disjoint ace-king", "9s 9h 9d Ac Ks", "Qs Qh 7d 4c 2s", "three-of-a-kind 3:1", "ace-king 1:1", 80),
    ("A9 quads and ace-king", "As Ah Ad Ac Ks", "Qs Qh 7d 4c 2s", "four-of-a-kind 20:1", "ace-king 1:1", 420),
    ("A10 ace-king inside the straight", "As Kh Qd Jc Ts", "Qs Qh 7d 4c 2s", "straight 4:1", None, 80),
    ("A12 flush, of aces and ace-king only one", "As Ks 9s 5s 3s Ah", "Qd Qh 7d 4c 2s", "flush 5:1", "pair 1:1", 120),
    ("A13 six of a suit", "As Ks 9s 5s 3s 2s", "Qd Qh 7d 4c 2d", "flush 5:1", "flush 5:1", 200),
    ("A15 straight with a paired nine", "5c 6d 7h 8s 9c 9d", "Qs Qh 7d 4c 2s", "straight 4:1", "straight 4:1", 160),
    ("A16 two straights", "5c 6d 7h 8s 9c Td", "Qs Qh 7d 4c 2s", "straight 4:1", "straight 4:1", 160),
    ("A18 three pairs", "9s 9h 8d 8c 7s 7h", "Qs Qh 5d 4c 2s", "two pair 2:1", "two pair 2:1", 80),
    ("A19 quads and full house", "9s 9h 9d 9c Ks Kh", "Qs Qh 7d 4c 2s", "four-of-a-kind 20:1", "full house 7:1", 540),
    ("A21 full house and ace-king", "Ks Kh Kd 9c 9s Ah", "Qs Qh 7d 4c 2s", "full house 7:1", "ace-king 1:1", 160),
    ("A22 straight flush and flush", "6s 7s 8s 9s As 5s", "Qd Qh 7d 4c 2s", "straight flush 50:1", "flush 5:1", 1100),
    (
        "A24 a royal that was bought",
        "9s Ts Js Qs As Ks",
        "Qd Qh 7d 4c 2s",
        "royal flush 100:1",
        "straight flush 50:1",
        3000,
    ),
    ("A25 side card of two ace-kings", "As Kh Qd 5c 4s", "Ad Kc Js 9h 8d", "ace-king 1:1", None, 20),
    ("A34 full house over two pair", "2s 2h 2d 3c 3s", "3h 3d 2c 7s 7d", "full house 7:1", None, 140),
    ("A39 four in a row are nothing", "8s 8h Kd Qc Js Ts", "7s 7h 3d 4c 2s", "pair 1:1", None, 20),
    (
        "A40 the second combination need not win",
        "3s 3h 3d As Ks 2c",
        "Ah Kh 8d 7d 4c",
        "three-of-a-kind 3:1",
        "ace-king 1:1",
        80,
    ),
]


def play(player, dealer):
    """The record of one seat that stays in, with a bought card where there are six."""
    cards = player.split()
    bought = cards[5:]
    return record(seat(" ".join(cards[:5]), *(["buy"] if bought else []), "bet", drawn=" ".join(bought)), dealer=dealer)


def without_fee(out):
    return out["seats"]["1"]["net"] - out["seats"]["1"]["wagers"].get("options", {"net": 0})["net"]


@pytest.mark.parametrize(
    ("player", "dealer", "first", "second", "net"), [pytest.param(*row[1:], id=row[0]) for row in WINS]
)
def test_671a_11_f_2_ii_a_winning_hand_and_its_second_combination(settle, player, dealer, first, second, net):
    out = settle(play(player, dealer))
    paid = [f"{step['for']} {step['odds']}" for step in steps(out, "pay", wager="bet")]
    assert paid == [first] + ([second] if second else [])
    assert steps(out, "return", wager="ante", rule="671a.11(f)(2)(ii)", amount=10)
    assert without_fee(out) == net


@pytest.mark.parametrize(
    ("player", "dealer"),
    [
        pytest.param("As Kh 9d 5c 4s", "Ad Kc Qs 5h 3d", id="A27 the queen decides"),
        pytest.param("As Qh Jd 9c 4s", "Ad Kc 8s 5h 3d", id="A28 ace-king is a hand, ace-queen is none"),
        pytest.param("2s 2h Ad Kc Qs", "3s 3h 7d 5c 4s", id="A33 pairs before side cards, no ace-king for a loser"),
        pytest.param("Ah Qd 9s 8c 7h 6s", "Kd Kc 2s 3h 4d", id="A37 9-8-7-6 is no straight"),
    ],
)
def test_671a_11_f_2_i_a_losing_hand_loses_ante_and_bet_and_goes_to_the_rack(settle, player, dealer):
    out = settle(play(player, dealer))
    assert without_fee(out) == -30
    assert [step["wager"] for step in steps(out, "collect", rule="671a.11(f)(2)(i)")] == ["ante", "bet"]
    assert steps(out, "discard", rule="671a.11(f)(2)(i)")[0]["from"] == "seat 1"


def test_field_case_135_671a_11_f_2_iii_a36_a_tie_returns_both_wagers_and_pays_no_second_combination(settle):
    out = settle(play("Qs Qh Ad Kc 5s", "Qd Qc As Kh 5d"))
    assert [step["wager"] for step in steps(out, "return", rule="671a.11(f)(2)(iii)")] == ["ante", "bet"]
    assert not steps(out, "pay")
    assert out["seats"]["1"]["net"] == 0
    assert {one["outcome"] for one in out["seats"]["1"]["wagers"].values()} == {"push"}


@pytest.mark.parametrize(
    ("player", "dealer"),
    [
        pytest.param("7s 6h 5d 4c 3s", "Ad Qc Js 9h 8d", id="A30 a straight"),
        pytest.param("Ks Qs Js Ts Ah 9s", "Ad Qc Jc 9h 8d", id="A31 a straight flush that was bought"),
    ],
)
def test_671a_12_c_straight_or_higher_pays_the_ante_4_to_1_when_the_dealer_does_not_qualify(settle, player, dealer):
    out = settle(play(player, dealer))
    assert out["dealer"] == {"hand": "nothing, ace high", "qualifies": False}
    assert steps(out, "return", wager="bet", rule="671a.11(f)(1)", amount=20)
    (paid,) = steps(out, "pay")
    assert (paid["wager"], paid["odds"], paid["amount"], paid["rule"]) == ("ante", "4:1", 40, "671a.11(f)(1)")
    assert without_fee(out) == 40


def test_671a_11_f_1_a_hand_worse_than_the_dealers_is_paid_too_when_he_does_not_qualify(settle):
    out = settle(play("2s 4h 6d 8c 9s", "Ad Qc Js 9h 8d"))
    assert [(step["odds"], step["amount"]) for step in steps(out, "pay", wager="ante")] == [("1:1", 10)]
    assert steps(out, "discard", rule="671a.11(f)(1)")
    assert out["seats"]["1"]["net"] == 10


def test_671a_11_f_2_six_cards_count_for_a_buyer_and_five_for_an_exchanger(settle):
    given = {"exchange": "9s 8s"}
    out = settle(record(seat("As Ah Kd 9s 8s", given, "bet", drawn="Kh 3c")))
    assert out["seats"]["1"]["hand"] == "two pair, aces and kings"
    assert [step["for"] for step in steps(out, "pay")] == ["two pair"]


def test_671a_11_f_2_the_showdown_runs_counterclockwise_a76(settle):
    hands = ["As Ah 2d", "Ks Kh 3d", "Js Jh 4d", "Ts Th 5d", "9s 9h 6d", "8s 8h Ac"]
    rest = ["3c 4c", "5c 6c", "7c 8c", "9c Tc", "Jc Kc", "Td Jd"]
    drawn = ["Ad", "Kd", "2h", "3h", "4h", "5h"]
    seats = [seat(f"{one} {two}", "buy", "bet", drawn=card) for one, two, card in zip(hands, rest, drawn, strict=True)]
    out = settle(record(*seats, dealer="Qs Qh 7d 7h 2s"))
    assert [step["seat"] for step in steps(out, "reveal", rule="671a.11(f)(2)")] == [6, 5, 4, 3, 2, 1]
    assert [step["seat"] for step in steps(out, "collect", wager="options")] == [1, 2, 3, 4, 5, 6]
    assert [step["to"] for step in steps(out, "deal", rule="671a.11(d)(1)(i)")] == [
        [f"seat {at}"] for at in range(1, 7)
    ]


@pytest.mark.parametrize(("direction", "order"), [("counterclockwise", [3, 2, 1]), ("clockwise", [1, 2, 3])])
def test_671a_11_f_1_the_direction_is_the_houses(settle, direction, order):
    seats = [seat(cards, "bet") for cards in ("As Ah Kd 9c 8s", "2c 3c 5d 6h 9h", "4d 4h Tc Td 2h")]
    out = settle(record(*seats, dealer="Ad Qc Js 9d 8d", house={"nonqualify_direction": direction}))
    assert [step["seat"] for step in steps(out, "pay", wager="ante")] == order
