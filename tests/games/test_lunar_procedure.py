"""§ 671a.11(b) to (g): decisions, instant payouts, draws, the stub, the rack."""

import pytest

from shoectl.cards import parse_cards
from shoectl.games.layout import Layout
from shoectl.games.printed import Printed
from shoectl.games.procedure import Round, drive
from shoectl.games.records import record_of
from shoectl.games.registry import game
from shoectl.games.settle import RecordHands
from shoectl.games.steps import Deal, DealByHand, PlaceWagers, RenewStub
from tests.games.records import record, seat, steps

NOTHING = "2c 5d 9h Jd Kc"
ROYAL = "As Ks Qs Js Ts"


@pytest.mark.parametrize(("table", "royal", "other"), [("A", 1500, 250), ("B", 1000, 300), ("C", 1000, 250)])
def test_671a_12_a_the_instant_payout_by_table(settle, table, royal, other):
    seats = [seat(ROYAL), seat("9h 8h 7h 6h 5h")]
    out = settle(record(*seats, house={"instant_payout": table}, dealer="2d 2h 7d 4c 2s"))
    assert (out["seats"]["1"]["net"], out["seats"]["2"]["net"]) == (10 * royal, 10 * other)


@pytest.mark.parametrize("dealer", ["Ad Qc Jd 9h 8d", "Ah Kh Qh Jh Th"], ids=["does not qualify", "has a royal too"])
def test_671a_11_c_3_an_instant_payout_does_not_meet_the_dealer_a60(settle, dealer):
    out = settle(record(seat(ROYAL), dealer=dealer, house={"instant_payout": "B"}))
    assert out["seats"]["1"]["net"] == 10_000
    turn = [step["do"] for step in out["steps"] if step["rule"] == "671a.11(c)(3)"]
    assert turn == ["reveal", "verify", "pay", "discard"]
    assert not steps(out, "ask")


def test_671a_11_c_3_a_super_on_the_hand_is_settled_before_its_instant_payout(settle):
    out = settle(record(seat(ROYAL, s1=5), dealer="2d 2h 7d 4c 2s"))
    assert [(step["wager"], step["for"]) for step in steps(out, "pay")] == [
        ("super:1", "ace-king-queen"),
        ("ante", "royal flush"),
    ]


@pytest.mark.parametrize("choice", ["bet", "fold", "buy"])
def test_671a_11_b_2_a_hand_of_the_instant_payout_takes_no_decision(refused, choice):
    line = refused(record(seat(ROYAL, choice), dealer="2d 2h 7d 4c 2s"))
    assert "seat 1" in line
    assert "671a.11(b)(2)" in line


def test_671a_11_c_4_a_fold_forfeits_the_ante_and_the_cards_go_to_the_rack(settle):
    out = settle(record(seat(NOTHING, "fold"), seat("3c 5h 9d Th Kh", "bet")))
    assert out["seats"]["1"]["wagers"]["ante"] == {"stake": 10, "outcome": "forfeit", "net": -10}
    turn = [step["do"] for step in out["steps"] if step["rule"] == "671a.11(c)(4)"]
    assert turn == ["collect", "discard"]


def test_671a_11_c_decisions_are_announced_as_locked_in_after_the_last_one(settle):
    out = settle(record(seat(NOTHING, "bet"), seat("3c 5h 9d Th Kh", "fold")))
    kinds = [step["do"] for step in out["steps"]]
    (said,) = steps(out, "announce", text="all decisions are locked in")
    at = out["steps"].index(said)
    assert said["rule"] == "671a.11(c)"
    assert kinds[at - 2 : at] == ["ask", "ask"]


def test_671a_11_d_4_a_buyer_who_folds_loses_fee_and_ante_and_the_dealer_stays_unseen_a66(settle):
    out = settle(record(seat(NOTHING, "buy", "fold", drawn="3s")))
    assert out["seats"]["1"]["net"] == -20
    assert out["seats"]["1"]["wagers"]["options"] == {"stake": 10, "outcome": "lose", "net": -10}
    assert steps(out, "discard", rule="671a.11(d)(4)")[0]["cards"] == f"{NOTHING} 3s"
    assert not steps(out, "reveal")


def test_671a_11_d_a_buyer_who_bets_and_loses_loses_four_antes_a67(settle):
    out = settle(record(seat(NOTHING, "buy", "bet", drawn="3s")))
    assert out["seats"]["1"]["net"] == -40


def test_671a_11_d_1_ii_all_five_cards_may_be_exchanged_a70(settle):
    out = settle(record(seat(NOTHING, {"exchange": NOTHING}, "bet", drawn="As Ah Ad 8c 8s")))
    assert out["seats"]["1"]["hand"] == "full house, aces over eights"
    assert steps(out, "discard", rule="671a.11(d)(1)(ii)")[0] == {
        "do": "discard",
        "from": "seat 1",
        "cards": NOTHING,
        "rule": "671a.11(d)(1)(ii)",
    }


def test_671a_11_d_each_draw_is_finished_before_the_next_seats(settle):
    seats = [
        seat(NOTHING, {"exchange": "2c 5d"}, "bet", drawn="3s 3h"),
        seat("3c 5h 9d Th Kh", "buy", "fold", drawn="8c"),
    ]
    out = settle(record(*seats))
    turn = [
        (step["do"], step.get("seat") or step.get("from") or step["to"][0])
        for step in out["steps"]
        if step["rule"].startswith("671a.11(d)")
    ]
    assert turn == [
        ("collect", 1),
        ("discard", "seat 1"),
        ("deal", "seat 1"),
        ("ask", 1),
        ("collect", 2),
        ("deal", "seat 2"),
        ("ask", 2),
        ("collect", 2),
        ("discard", "seat 2"),
    ]


ILLEGAL = [
    ("A69 one card exchanged", [{"exchange": "2c"}, "bet"], "3s", "671a.11(b)(3)"),
    ("six cards exchanged", [{"exchange": f"{NOTHING} 3s"}, "bet"], "3s", "671a.11(b)(3)"),
    ("a card exchanged that is not there", [{"exchange": "2c 2d"}, "bet"], "3s 4s", "671a.11(d)(1)(ii)"),
    ("a card exchanged twice", [{"exchange": "2c 2c"}, "bet"], "3s 4s", "671a.11(d)(1)(ii)"),
    ("exchange without cards", ["exchange", "bet"], "3s 4s", "671a.11(b)(3)"),
    ("A72 the Bet pulled after the lock-in", ["bet", "fold"], "", "671a.11(a)(3)"),
    ("a folder comes back", ["fold", "bet"], "", "671a.11(a)(3)"),
    ("A73 a Bet of 15 on an Ante of 10", [{"bet": 15}], "", "671a.11(b)(2)"),
    ("a fee of 5", [{"buy": 5}, "bet"], "3s", "671a.11(b)(3)"),
    ("a fold with an amount", [{"fold": 5}], "", "671a.11(b)(1)"),
    ("a second option", ["buy", "buy"], "3s", "671a.11(d)(3)"),
    ("buy and exchange", ["buy", {"exchange": "2c 5d"}, "bet"], "3s 4s 6s", "671a.11(d)(3)"),
    ("an unknown decision", ["raise"], "", "671a.11(b)"),
    ("no decision", [], "", "671a.11(b)"),
    ("no decision after the draw", ["buy"], "3s", "671a.11(d)(3)"),
    ("too few drawn", [{"exchange": "2c 5d"}, "bet"], "3s", "671a.11(d)(1)(ii)"),
    ("none drawn", ["buy", "bet"], "", "671a.11(d)(1)(i)"),
    ("a card drawn that lies there", ["buy", "bet"], "Qs", "671a.11(d)(1)(i)"),
]


@pytest.mark.parametrize(("decisions", "drawn", "rule"), [pytest.param(*row[1:], id=row[0]) for row in ILLEGAL])
def test_671a_11_what_a_player_may_not_do_is_refused_with_the_rule(refused, decisions, drawn, rule):
    line = refused(record(seat(NOTHING, *decisions, drawn=drawn)))
    assert "seat 1" in line
    assert f"(§ {rule})" in line


def test_671a_11_cards_drawn_that_nobody_asked_for_are_refused(refused):
    assert "seat 1: drawn: 3s 4s" in refused(record(seat(NOTHING, "bet", drawn="3s 4s")))
    assert "seat 1: drawn: 4s" in refused(record(seat(NOTHING, "buy", "bet", drawn="3s 4s")))


FULL = [
    "2c 3c 4c 5c 7d",
    "2d 3d 4d 5d 7h",
    "2h 3h 4h 5h 7s",
    "2s 3s 4s 5s 7c",
    "8c 9c Tc Jc Kd",
    "8d 9d Td Jd Kh",
]


def full_table():
    """Six seats exchange everything: 30 cards are asked for, 17 are left; the rest comes from the rack."""
    left = ["8h", "9h", "Th", "Jh", "Ks", "8s", "9s", "Ts", "Js", "Kc", "6c", "6d", "6h", "6s", "Ac", "Ad", "Ah"]
    renewed = " ".join(FULL[:4]).split()
    drawn = [left[0:5], left[5:10], left[10:15], left[15:17] + renewed[:3], renewed[3:8], renewed[8:13]]
    seats = [
        seat(cards, {"exchange": cards}, "bet", drawn=" ".join(new)) for cards, new in zip(FULL, drawn, strict=True)
    ]
    return record(*seats, dealer="Qs Qh Qd Qc As")


def test_671a_13_a_stub_that_runs_out_is_made_anew_of_what_was_folded_and_exchanged(settle):
    out = settle(full_table())
    (said,) = [step for step in steps(out, "announce") if "stub" in step["text"]]
    assert "20 cards" in said["text"]
    dealt = [step["cards"].split() for step in steps(out, "deal", rule="671a.11(d)(1)(ii)")]
    assert [len(cards) for cards in dealt] == [5, 5, 5, 2, 3, 5, 5]
    assert all(seat["wagers"]["bet"]["outcome"] == "lose" for seat in out["seats"].values())


def test_671a_13_a_stub_that_runs_out_may_void_the_round(settle):
    out = settle(full_table() | {"house": {"stub_exhausted": "void"}} | {"seats": void_seats()})
    assert steps(out, "announce")[-1]["text"] == "the round is void: stub exhausted"
    assert {step["wager"] for step in steps(out, "return", rule="671a.13")} == {"ante", "bet", "options"}
    assert out["seats"]["4"]["wagers"]["options"] == {"stake": 10, "outcome": "void", "net": 0}
    assert out["seats"]["6"]["net"] == 0
    assert out["seats"]["1"]["net"] == -10, "what was collected before stays so"


def void_seats():
    """Seats 5 and 6 are never asked after the draw, seat 4 neither."""
    seats = full_table()["seats"]
    for number in "456":
        seats[number]["drawn"] = ""
        seats[number]["decisions"] = seats[number]["decisions"][:1]
    return seats


@pytest.mark.parametrize(
    ("dealing", "rule", "first"),
    [
        ("automated", "671a.10", ["seat 1"] * 5 + ["seat 2"]),
        ("manual", "671a.8", ["seat 1", "seat 2", "dealer", "seat 1", "seat 2", "dealer"]),
        ("hand", "671a.9", ["seat 1", "seat 2", "dealer", "seat 1", "seat 2", "dealer"]),
    ],
)
def test_671a_8_to_10_the_three_ways_of_dealing(settle, dealing, rule, first):
    out = settle(record(seat(NOTHING, "fold"), seat("3c 5h 9d Th Kh", "fold"), dealing=dealing))
    (deal,) = steps(out, "deal")
    assert deal["rule"] == rule
    assert deal["to"][:6] == first
    assert deal["to"][-1] == "dealer"
    assert out["steps"][0] == {"do": "announce", "text": "no more bets", "rule": rule}


def test_671a_11_g_the_rack_permits_each_hand_to_be_rebuilt(settle):
    out = settle(record(seat(NOTHING, {"exchange": "2c 5d"}, "bet", drawn="As Ah"), seat("3c 5h 9d Th Kh", "bet")))
    racked = [(step["from"], step["cards"]) for step in steps(out, "discard")]
    assert racked == [
        ("seat 1", "2c 5d"),
        ("seat 2", "3c 5h 9d Th Kh"),
        ("seat 1", "9h Jd Kc As Ah"),
        ("dealer", "Qs Qh 7d 4c 2s"),
    ]


def asked(data):
    """The steps of a record's round as they were asked, before anything is printed."""
    read = record_of(data)
    lunar = game("lunar-poker")
    house, layout, seen = lunar.house({"seats": 7}), Layout(), []
    hands = RecordHands(lunar, house, read, Printed(layout))

    def play(table):
        yield from PlaceWagers(tuple(range(1, 8)), lunar.offers(house, {"ante": (1, 100)}), rule="671a.7")
        yield from lunar.play(table, house, read.dealing)

    def both(step):
        seen.append(step)
        hands.printed.asked(step)

    drive(Round(play, layout), hands, both)
    return seen, layout


def test_671a_13_a_stub_made_anew_is_dealt_by_hand_and_an_instant_payout_stays_in_the_rack():
    data = full_table()
    data["seats"]["7"] = seat("As Ks Qs Js Ts")
    data["dealer"] = "Qh Qd Qc Ah Ad"
    left = ["8h", "9h", "Th", "Jh", "8s", "9s", "6c", "6d", "6h", "6s", "Ac", "Kc"]
    pile = " ".join(FULL).split()
    drawn = [left[:5], left[5:10], left[10:] + pile[:3], pile[3:8], pile[8:13], pile[13:18]]
    for number, new in zip("123456", drawn, strict=True):
        data["seats"][number]["drawn"] = " ".join(new)
    seen, layout = asked(data)
    at = next(at for at, step in enumerate(seen) if isinstance(step, RenewStub))
    assert "seat 7" not in seen[at].origins
    assert [type(step) for step in seen[:at] if isinstance(step, Deal)] == [Deal] * 4
    assert [type(step) for step in seen[at:] if isinstance(step, Deal)] == [DealByHand] * 5, (
        "it runs out again for seat 6"
    )
    assert [racked.cards for racked in layout.rack if racked.origin == "seat 7"] == [parse_cards("As Ks Qs Js Ts")]
    assert layout.dealt() + layout.stub() == 52
