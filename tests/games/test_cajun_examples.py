"""§ 683a.11: the worked examples, each named after what it shows and the paragraph that decides it."""

import json

import pytest

from tests.games.records import steps

RAISE = [{"raise": 10}, {"raise": 10}, {"raise": 10}]


def seat(cards, decisions=RAISE, ante=10, **wagers):
    return {"cards": cards, "wagers": {"ante": ante} | wagers, "decisions": list(decisions)}


def record(*seats, board, six="", **house):
    numbered = {str(at): one for at, one in enumerate(seats, 1)}
    return {"game": "cajun-stud", "community": board, "bonus": six, "house": house, "seats": numbered}


# name, pocket, board, All-Six cards, how each wager ends: its odds, "push" or "lose"; the Lo Ball by both tables
HANDS = [
    ("D1 h1: the lowest pair that does not lose", "6s 6h", "Kd 9c 2s", "", "push", "10:1", "lose", "lose", "lose"),
    ("D3 h1: jacks pay", "Js 9h", "Jd 7c 2s", "", "1:1", "lose", "lose", "lose", "lose"),
    ("D4 h1: tens push", "Ts 9h", "Td 7c 2s", "", "push", "lose", "lose", "lose", "lose"),
    ("D6 i3: queen-high wins by one table", "Qs 5h", "9d 7c 2s", "", "lose", "lose", "lose", "lose", "2:1"),
    ("D7 i3: an ace is high", "As 5h", "9d 7c 2s", "", "lose", "lose", "lose", "lose", "lose"),
    ("D9 i3: a straight is a poker hand", "As 5h", "4d 3c 2s", "", "4:1", "lose", "6:1", "lose", "lose"),
    ("D10 i3: the best Lo Ball", "7s 5h", "4d 3c 2s", "", "lose", "lose", "6:1", "100:1", "75:1"),
    ("D12 i3: a flush is a poker hand", "Js 9s", "7s 4s 2s", "", "6:1", "lose", "3:1", "lose", "lose"),
    ("D13 h1: the board's pair for everybody", "2s 3h", "8d 8c Ks", "", "push", "lose", "1:1", "lose", "lose"),
    ("D15 h1: full house", "2s 2h", "8d 8c 8s", "", "10:1", "10:1", "30:1", "lose", "lose"),
    ("D16 h1: the highest straight", "As Kh", "Qd Jc Ts", "", "4:1", "lose", "6:1", "lose", "lose"),
    ("D18 i2: three of a suit", "9s 8h", "Kd Qd 3d", "", "lose", "lose", "3:1", "lose", "lose"),
    ("D19 i3: nine-high wins what the main hand loses", "9s 8h", "4d 3c 2s", "", "lose", "lose", "6:1", "12:1", "9:1"),
    ("D21 i4: a straight of six", "9s 8h", "4d 3c Qs", "7d 6c 5h Kd", "lose", "lose", "lose", "lose", "2:1", "10:1"),
    ("D22 i4: a royal of six", "As Ks", "4d 3c 9s", "Qs Js Ts 9h", "lose", "lose", "lose", "lose", "lose", "1000:1"),
    ("D24 i1, i2: pocket and board both pay", "9s 9h", "9d Kc Ks", "", "10:1", "10:1", "1:1", "lose", "lose"),
    ("D25 i2: ace, three, two", "Ks 2h", "Ad 3c 2s", "", "lose", "lose", "6:1", "lose", "lose"),
]


@pytest.mark.parametrize(
    ("pocket", "board", "six", "ends"), [pytest.param(*row[1:4], row[4:], id=row[0]) for row in HANDS]
)
@pytest.mark.parametrize("lo_ball", ["J", "Q"])
def test_683a_11_h_i_hands(settle, pocket, board, six, ends, lo_ball):
    wagers = {"pocket": 5, "board": 5, "lo_ball": 5} | ({"all_six": 5} if six else {})
    out = settle(record(seat(pocket, **wagers), board=board, six=six, lo_ball=lo_ball))
    expected = dict(zip(("ante", "pocket", "board"), ends, strict=False))
    expected["lo_ball"] = ends[3 if lo_ball == "J" else 4]
    if six:
        expected["all_six"] = ends[5]
    for wager, end in expected.items():
        assert ended(out, wager) == end, wager
    assert {ended(out, f"raise_{number}") for number in (1, 2, 3)} == {ends[0]}


def ended(out, wager):
    """How the only seat's wager ended: the odds of its payment, push or lose."""
    (step,) = steps(out, "pay", "collect", "return", wager=wager)
    return {"pay": step.get("odds"), "collect": "lose", "return": "push"}[step["do"]]


@pytest.mark.parametrize(
    ("kind", "cards", "name"),
    [
        ("pocket", "6s 6h", "pair"),
        ("pocket", "As 5h", "nothing"),
        ("board", "4d 3c 2s", "straight"),
        ("board", "Ad 3c 2s", "straight"),
        ("board", "Kd Qd 3d", "flush"),
        ("board", "8d 8c 8s", "three-of-a-kind"),
        ("board", "8d 8c Ks", "pair"),
        ("board", "Ad Kd Qd", "mini-royal"),
        ("board", "Ad 3d 2d", "straight flush"),
        ("board", "Kd Ad 2d", "flush"),
        ("five", "As 5h 4d 3c 2s", "straight"),
        ("five", "Ad Kd Qh Js 9s", "nothing"),
        ("six", "As Ks Qs Js Ts 9h", "royal flush"),
        ("six", "9s 8h 7d 6c 5h Kd", "straight"),
        ("lo", "7s 5h 4d 3c 2s", "7-high"),
        ("lo", "Js 8h 6d 4c 2s", "J-high"),
        ("lo", "Qs 5h 9d 7c 2s", "nothing"),
        ("lo", "As 5h 4d 3c 2s", "nothing"),
    ],
)
def test_683a_6_rank_names_the_hand(command, kind, cards, name):
    code, out, err = command("rank", "cajun-stud", kind, cards, "--json")
    assert code == 0, err
    assert json.loads(out)["name"] == name


@pytest.mark.parametrize(
    ("kind", "higher", "lower"),
    [
        ("board", "Ad Kd Qd", "Kd Qd Jd"),
        ("board", "Ad 3d 2d", "As Ah Ac"),
        ("board", "2s 2h 2d", "As Kd Qd"),
        ("board", "2s 3h 4d", "As Ks Js"),
        ("board", "2s 4s 5s", "As Ah Ks"),
        ("board", "2s 3h 4d", "As 2d 3c"),
        ("pocket", "2s 2h", "As Ks"),
        ("lo", "7s 5h 4d 3c 2s", "8s 5h 4d 3c 2s"),
        ("lo", "Js 5h 4d 3c 2s", "Qs 5h 4d 3c 2s"),
        ("five", "2s 2h 3d 4c 5s", "As Kh Qd Jc 9s"),
        ("six", "2s 2h 2d 4c 5s 9h", "As Ah Kd Kc Qs Qh"),
    ],
)
def test_683a_6_order_of_hands(command, kind, higher, lower):
    assert command("compare", "cajun-stud", kind, higher, lower)[1] == "first\n"
    assert command("compare", "cajun-stud", kind, lower, higher)[1] == "second\n"


def test_683a_11_i3_by_the_other_table_queen_high_is_a_line(command):
    code, out, _ = command("rank", "cajun-stud", "lo", "Qs 5h 9d 7c 2s", "--json", "--house", "lo_ball=Q")
    assert (code, json.loads(out)["name"]) == (0, "Q-high")


@pytest.mark.parametrize("kind", ["five", "pocket", "board", "lo", "six"])
def test_683a_6_a_wrong_number_of_cards_is_refused_with_the_paragraph(command, kind):
    code, out, err = command("rank", "cajun-stud", kind, "As")
    assert (code, out) == (2, "")
    assert "cards are ranked, 1 were given" in err


def test_d27_683a_11_h1_a_pair_of_eights_costs_nothing(settle):
    raises = [{"raise": 10}, {"raise": 20}, {"raise": 30}]
    out = settle(record(seat("8s 8h", raises), board="Kd 9c 2s"))
    assert out["seats"]["1"]["net"] == 0
    assert {one["outcome"] for one in out["seats"]["1"]["wagers"].values()} == {"push"}


def test_d28_683a_11_h2_a_pair_of_fives_loses_ante_and_raises(settle):
    out = settle(record(seat("5s 5h", [{"raise": 10}, {"raise": 20}, {"raise": 30}]), board="Kd 9c 2s"))
    assert out["seats"]["1"]["net"] == -70


def test_d30_683a_11_d_i1_a_fold_after_the_first_card_keeps_the_pocket(settle):
    out = settle(record(seat("4s 4h", [{"raise": 10}, "fold"], pocket=5), board="Kd 9c 2s"))
    assert {w: one["net"] for w, one in out["seats"]["1"]["wagers"].items()} == {
        "ante": -10,
        "raise_1": -10,
        "pocket": 50,
    }
    assert [step["rule"] for step in steps(out, "collect")] == ["683a.11(d)"] * 2
    assert {one["outcome"] for w, one in out["seats"]["1"]["wagers"].items() if w != "pocket"} == {"forfeit"}


def test_d31_683a_11_b_i3_a_folder_wins_the_lo_ball_with_jack_high(settle):
    out = settle(record(seat("Js 8h", ["fold"], lo_ball=5), board="6d 4c 2s"))
    assert out["seats"]["1"]["net"] == -10 + 20
    assert [step["from"] for step in steps(out, "discard")] == ["stub", "seat 1", "community"]


def test_d33_683a_11_c_e_g_all_fold_and_one_board_bonus_is_open(settle):
    out = settle(record(seat("Js 8h", ["fold"], board=5), seat("Ks 8d", ["fold"]), board="6d 6c 2s"))
    shown = [(step["cards"], step["rule"]) for step in steps(out, "reveal", place="community")]
    assert shown == [("6d", "683a.11(c)"), ("6c", "683a.11(e)"), ("2s", "683a.11(g)")]
    assert out["seats"]["1"]["net"] == -10 + 5
    assert not steps(out, "reveal", seat=2)


def test_d34_683a_11_b_j_all_fold_without_an_optional_wager(settle):
    out = settle(record(seat("Js 8h", ["fold"]), seat("Ks 8d", ["fold"]), board="6d 6c 2s"))
    assert not steps(out, "reveal")
    assert [step["from"] for step in steps(out, "discard")] == ["stub", "seat 1", "seat 2", "community"]
    assert steps(out, "discard")[-1]["rule"] == "683a.11(j)"


@pytest.mark.parametrize("amount", [5, 15, 40, 31])
def test_d1_trap_3_683a_11_b_a_raise_is_one_two_or_three_antes(refused, amount):
    message = refused(record(seat("8s 8h", [{"raise": amount}, *RAISE[1:]]), board="Kd 9c 2s"))
    assert f"seat 1: raise_1 of {amount} is not allowed" in message
    assert "683a.11(b)" in message


def test_d1_trap_10_683a_11_b_h_decisions_go_clockwise_and_settlement_the_other_way(settle):
    hands = [("2s 3h", "4s 5h"), ("6s 8h", "7s 9h")]
    out = settle(record(*(seat(one) for pair in hands for one in pair), board="Kd Jc Ts"))
    asked = [step["seat"] for step in steps(out, "ask")]
    assert asked == [1, 2, 3, 4] * 3
    assert [step["seat"] for step in steps(out, "reveal") if "seat" in step] == [4, 3, 2, 1]


def test_d22_683a_11_b_i4_a_folder_gets_the_royal_of_his_six_cards(settle):
    out = settle(record(seat("As Ks", ["fold"], all_six=5), board="4d 3c 9s", six="Qs Js Ts 9h"))
    assert out["seats"]["1"]["net"] == -10 + 5000
