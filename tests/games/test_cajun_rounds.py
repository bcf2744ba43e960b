"""Whole rounds of Cajun Stud: random ones, the ways of dealing, acknowledgements, the payout limit."""

import json

import pytest

from shoectl.errors import BadInput
from shoectl.games.procedure import Void
from shoectl.games.records import record_of
from shoectl.games.registry import game
from shoectl.games.settle import settle as settle_record
from shoectl.games.steps import Acknowledge, Announce, RackStub, Reveal
from shoectl.games.text import step_json
from tests.games import cajun_rounds
from tests.games.records import steps
from tests.games.test_cajun_examples import RAISE, record, seat
from tests.games.whole_rounds import Table, check_round

CAJUN = game("cajun-stud")
TWO = seat("Ks Kh", all_six=5), seat("9s 9h")
BOARD, SIX = "Kd 9c 2s", "7d 6c 5h 3h"


@pytest.mark.parametrize("part", range(4))
def test_random_rounds_are_settled_as_the_second_reading_has_them(part):
    for number in range(200):
        check_round(cajun_rounds, f"suite {part}/{number}")


@pytest.mark.parametrize(
    ("dealing", "rule", "hands"),
    [
        ("manual", "683a.8", ["seat 1", "seat 2", "seat 1", "seat 2"]),
        ("hand", "683a.9", ["seat 1", "seat 2", "seat 1", "seat 2"]),
        ("automated", "683a.10", ["seat 1", "seat 1", "seat 2", "seat 2"]),
    ],
)
def test_683a_8_to_10_hands_then_community_then_all_six_cards(settle, dealing, rule, hands):
    out = settle(record(*TWO, board=BOARD, six=SIX) | {"dealing": dealing})
    (deal,) = steps(out, "deal")
    assert (deal["to"], deal["rule"]) == ([*hands, *["community"] * 3, *["bonus"] * 4], rule)
    assert steps(out, "announce")[0] == {"do": "announce", "text": "no more bets", "rule": rule}
    assert steps(out, "discard")[0] == {"do": "discard", "from": "stub", "cards": "", "rule": rule}


def test_683a_10_no_all_six_cards_without_such_a_wager(settle, refused):
    assert "bonus" not in steps(settle(record(seat("Ks Kh"), board=BOARD)), "deal")[0]["to"]
    assert "bonus: 0 cards are dealt there, 4 are given" in refused(record(seat("Ks Kh"), board=BOARD, six=SIX))


def test_683a_11_i4_the_all_six_cards_are_turned_up_once_and_not_for_a_seat_without_the_wager(settle):
    three = seat("Ks Kh", all_six=5), seat("9s 9h", ["fold"], all_six=5), seat("As Ah")
    out = settle(record(*three, board=BOARD, six=SIX))
    places = [step["place"] for step in steps(out, "reveal")]
    assert places == ["community", "community", "community", "seat 3", "seat 2", "bonus", "seat 1"]


def test_683a_11_h_the_dealer_says_what_each_hand_is(settle):
    out = settle(record(*TWO, board=BOARD, six=SIX))
    assert [step["text"] for step in steps(out, "announce", rule="683a.11(h)")] == [
        "seat 2: three-of-a-kind, nines",
        "seat 1: three-of-a-kind, kings",
    ]


def test_683a_11_b_d_f_three_different_raises_are_paid_by_one_line(settle):
    out = settle(record(seat("Ks Kh", [{"raise": 10}, {"raise": 30}, {"raise": 20}]), board=BOARD))
    paid = [(step["wager"], step["stake"], step["amount"], step["odds"]) for step in steps(out, "pay")]
    assert paid == [
        ("ante", 10, 30, "3:1"),
        ("raise_1", 10, 30, "3:1"),
        ("raise_2", 30, 90, "3:1"),
        ("raise_3", 20, 60, "3:1"),
    ]


def test_683a_12_a_by_the_houses_word_a_pair_of_sixes_is_paid(settle):
    out = settle(record(seat("6s 6h"), board=BOARD, pair_6_10="pay"))
    assert out["seats"]["1"]["net"] == 40


def test_683a_12_the_payout_limit_is_for_all_that_a_hand_wins(settle):
    rich = seat("Ks Kh", ante=10, pocket=5, board=5)
    out = settle(record(rich, board="Kd Kc 2s", payout_limit=1700))
    paid = [(step["wager"], step["amount"]) for step in steps(out, "pay")]
    assert paid == [("ante", 400), ("raise_1", 400), ("raise_2", 400), ("raise_3", 400), ("pocket", 100), ("board", 0)]
    assert out["seats"]["1"]["net"] == 1700
    assert sum("payout limit" in step["text"] for step in steps(out, "announce")) == 1
    for value in ("none", None):
        assert settle(record(rich, board="Kd Kc 2s", payout_limit=value))["seats"]["1"]["net"] == 1705


def test_683a_12_the_payout_limit_is_50_000_dollars_and_each_seat_has_its_own(settle):
    royals = seat("As Ks", [{"raise": 6000}] * 3, ante=2000), seat("Ah Kh", [{"raise": 6000}] * 3, ante=2000)
    out = settle(record(*royals, board="Qs Js Ts"))
    assert [out["seats"][one]["net"] for one in "12"] == [5_000_000, 4 * 20_000]


def test_683a_12_the_payout_limit_never_lies_below_what_the_least_ante_could_win():
    royal = record(seat("As Ks", [{"raise": 6000}] * 3, ante=2000), board="Qs Js Ts", payout_limit=100_000)
    for least, net in [(1, 100_000), (10, 100_000), (100, 500_000), (1000, 5_000_000)]:
        table = Table(record_of(royal), limits={"ante": (least, 10**9)})
        table.finish()
        assert table.layout.net(1) == net


@pytest.mark.parametrize("value", [0, -5, 1.5, "much", True, [1]])
def test_683a_12_a_payout_limit_that_is_none_is_refused(refused, value):
    assert "house option payout_limit" in refused(record(seat("Ks Kh"), board=BOARD, payout_limit=value))


@pytest.mark.parametrize(("how", "count"), [("seat", 2), ("step", 8), ("none", 0)])
def test_the_dealer_acknowledges_as_the_house_wants(how, count):
    table = Table(record_of(record(seat("Ks Kh"), seat("9s 9h"), board=BOARD, acknowledge=how)))
    seen = 0
    while not table.round.over:
        seen += isinstance(table.round.step, Acknowledge)
        table.advance()
    assert seen == count


def test_no_step_before_its_reveal_needs_a_face_and_none_carries_one():
    faces = {"Ks", "Kh", "9s", "9h", *BOARD.split(), *SIX.split()}
    table = Table(record_of(record(*TWO, board=BOARD, six=SIX)), lambda *_: Void())
    turned = []
    while not table.round.over:
        step = table.round.step
        assert faces.isdisjoint(str(step_json(step)).replace("'", " ").split())
        if isinstance(step, Reveal):
            turned.append(step.place)
        if isinstance(step, Announce) and not turned:
            assert step.text == "no more bets"
        table.advance()
    assert turned[:3] == ["community"] * 3


def test_the_stub_is_racked_before_anybody_decides():
    table = Table(record_of(record(*TWO, board=BOARD, six=SIX)))
    while not isinstance(table.round.step, RackStub):
        assert not table.layout.decided
        table.advance()
    assert table.layout.dealt() == 2 * 2 + 3 + 4


def test_a_table_offers_what_it_has_limits_for():
    house = CAJUN.house({})
    offers = CAJUN.offers(house, {"ante": (10, 100), "lo_ball": (5, 50)})
    assert [(one.wager, one.least, one.required, one.needs) for one in offers] == [
        ("ante", 10, True, ()),
        ("lo_ball", 5, False, ("ante",)),
    ]
    with pytest.raises(BadInput, match="those of the ante are missing"):
        CAJUN.offers(house, {"board": (1, 2)})
    with pytest.raises(BadInput, match="no wager 'super'"):
        CAJUN.offers(house, {"ante": (1, 2), "super": (1, 2)})


def test_683a_11_an_all_six_wager_that_went_back_leaves_no_cards_on_the_table():
    table = Table(record_of(record(seat("Ks Kh", ["fold"], all_six=5), seat("9s 9h"), board=BOARD, six=SIX)))
    while not table.layout.decided.get(1):
        table.advance()
    table.layout.wagers[1].pop("all_six")  # as the table's policy gives it back, when one of those cards was exposed
    table.finish()
    assert not table.layout.occupied()
    assert [racked.origin for racked in table.layout.rack] == ["seat 1", "seat 2", "community", "bonus"]


def test_a_round_that_is_seen_and_one_that_is_blind_end_alike():
    read = record_of(record(*TWO, board=BOARD, six=SIX))
    assert settle_record(read).json() == settle_record(read, blind=True).json()


def test_a_decision_after_a_fold_or_after_three_raises_is_refused_with_the_paragraph(refused):
    late = record(seat("Ks Kh", ["fold", {"raise": 10}], pocket=5), board=BOARD)
    assert "seat 1: 'raise' is one decision too many: it has folded (§ 683a.11(b))" in refused(late)
    late = record(seat("Ks Kh", [*RAISE, "fold"]), board=BOARD)
    assert "seat 1: 'fold' is one decision too many: there are three Raises (§ 683a.11(f))" in refused(late)


@pytest.mark.parametrize("folds_at", [1, 2, 3])
@pytest.mark.parametrize("wager", ["pocket", "board", "lo_ball", "all_six", None])
def test_field_case_134_a_fold_takes_ante_and_raises_and_leaves_every_optional_wager(settle, folds_at, wager):
    optional = {wager: 5} if wager else {}
    folder = seat("Ks Kh", [*RAISE[: folds_at - 1], "fold"], **optional)
    out = settle(record(folder, seat("9s 9h"), board=BOARD, six=SIX if wager == "all_six" else ""))
    mine = out["seats"]["1"]["wagers"]
    lost = ["ante", "raise_1", "raise_2"][:folds_at]
    assert {name for name, one in mine.items() if one["outcome"] == "forfeit"} == set(lost)
    assert set(mine) == {*lost, *optional}
    assert {step["rule"] for step in steps(out, "collect", seat=1) if step["wager"] in lost} == {
        f"683a.11({'bdf'[folds_at - 1]})"
    }
    assert bool(steps(out, "reveal", seat=1)) == bool(wager)
    racked = [step["from"] for step in steps(out, "discard")]
    assert racked.index("seat 1") == (racked.index("seat 2") + 1 if wager else 1)


def test_field_case_130_an_ace_is_high_for_the_lo_ball_and_a_wheel_is_a_straight(settle):
    for five, wins in [
        ("As 5h 4d 3c 2s", False),
        ("7s 5h 4d 3c 2s", True),
        ("As 8h 6d 4c 2s", False),
        ("2h 3h 2d 5c 7s", False),
    ]:
        cards = five.split()
        out = settle(record(seat(" ".join(cards[:2]), lo_ball=5), board=" ".join(cards[2:])))
        assert (out["seats"]["1"]["wagers"]["lo_ball"]["outcome"] == "win") == wins, five


def test_a_settled_round_is_told_in_words(command, tmp_path):
    file = tmp_path / "round.json"
    file.write_text(json.dumps(record(*TWO, board=BOARD, six=SIX)))
    code, out, err = command("settle", file)
    assert code == 0, err
    for words in (
        "seat 1: raise 10",
        "community: Kd",
        "bonus: 7d 6c 5h 3h",
        "“seat 2: three-of-a-kind, nines”",
        "stub: ",
    ):
        assert words in out
