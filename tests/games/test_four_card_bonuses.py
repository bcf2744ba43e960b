"""§ 641a.11(c)(5) and (7): progressives, envy, the Five Card Hand Bonus; shares of meters, papers, the game system."""

import pytest

from shoectl.games.answers import Reading
from shoectl.games.checks import Refused
from shoectl.games.steps import Papers, ReadSystem
from shoectl.games.wagers import Odds
from tests.games.four_card_records import nets, record, seat, steps
from tests.games.four_card_rounds import Table

NOTHING = "Ac Jh 9c 6d 3c"
TRIPS = "8s 8h 8d 4c 3d"
NINES = "9s 9h 9d 9c As"
ROYAL = "As Ks Qs Js Ts"
LOW = "2c 3h 5d 7c Td Jc"


def rules(out, *do, **where):
    return [step["rule"] for step in steps(out, *do, **where)]


# (5) progressives


@pytest.mark.parametrize(
    ("hand", "net", "line"),
    [
        ("As Ah Ad Ac 2s", 123_456 - 5, "four aces"),
        (NINES, 12_345 - 5, "four-of-a-kind"),
        ("9h 8h 7h 6h Ks", 495, "straight flush"),
        (TRIPS, 20, "three-of-a-kind"),
        ("Kh 9h 7h 2h 4s", -5, None),
    ],
)
def test_641a_11_c_5_the_four_card_progressive_and_its_meter_rounded_down(settle, hand, net, line):
    house = {"progressive_4_meter": 123_456}
    out = settle(record(seat(hand, aces_up=5, progressive_4=5), dealer=LOW, house=house))
    assert nets(out)["progressive_4"] == net
    share = line in ("four aces", "four-of-a-kind")
    found = [step for step in out["steps"] if step["rule"].startswith("641a.11(c)(5)")]
    if line is None:
        assert [step["do"] for step in found] == ["collect"]
        return
    money = ["credit", "hold"] if share else ["pay"]
    assert [step["do"] for step in found] == ["announce", "announce", "verify", *money]
    parts = ["(i)", "(ii)", "(iii)", *["(iv)"] * len(money)]
    assert [step["rule"] for step in found] == [f"641a.11(c)(5){part}" for part in parts]
    assert found[3]["for"] == line


@pytest.mark.parametrize("letter", "ABCD")
@pytest.mark.parametrize(
    ("hand", "paid"),
    [
        (ROYAL, {"A": 1000, "B": 5000, "C": 5000, "D": 5000}),
        ("9h 8h 7h 6h 5h", {"A": 100, "B": 300, "C": 300, "D": 300}),
        (NINES, {"A": 1500, "B": 1500, "C": 77, "D": 77}),
        ("9s 9h 9d Kc Ks", dict.fromkeys("ABCD", 250)),
        ("Kh 9h 7h 2h 3h", dict.fromkeys("ABCD", 200)),
        ("9s 8h 7h 6h 5h", dict.fromkeys("ABCD", 150)),
        (TRIPS, {"A": 45, "B": 45, "C": 50, "D": 45}),
        ("Ks Kh 9d 9c 3s", dict.fromkeys("ABCD", 0)),
    ],
)
def test_641a_12_e_the_five_card_progressives_tables(settle, letter, hand, paid):
    meters = {"progressive_5_meter": 1000, "mega_meter": 5000, "major_meter": 300, "minor_meter": 77}
    house = {"progressive_5": letter} | meters
    out = settle(record(seat(hand, aces_up=5, progressive_5=5), dealer="2d 3c 5c 7c Jd Qd", house=house))
    assert nets(out)["progressive_5"] == paid[letter] - 5


def test_641a_11_c_5_a_win_is_paid_whatever_the_dealer_has(settle):
    out = settle(record(seat(TRIPS, 10, ante=10, progressive_4=5), dealer="Ts Th Td Tc 5s 4h"))
    assert nets(out) == {"ante": -10, "play": -10, "progressive_4": 20}


def test_641a_11_c_5_iv_held_cards_go_to_the_rack_last_once_the_papers_are_done(settle):
    house = {"progressive_4_meter": 1000}
    winner, other = seat(NINES, 10, ante=10, progressive_4=5), seat(NOTHING.replace("9c", "Tc"), 10, ante=10)
    out = settle(record(winner, other, house=house))
    (credit,) = steps(out, "credit")
    assert (credit["via"], credit["odds"], credit["amount"]) == ("papers", "10 % of progressive_4_meter", 100)
    assert [step["place"] for step in steps(out, "hold")] == ["seat 1"]
    assert [step["from"] for step in steps(out, "discard", rule="641a.11(d)")] == ["seat 2", "dealer", "seat 1"]
    table = Table(record(winner, other, house=house))
    while not isinstance(table.round.step, Papers):
        table.advance()
    assert table.layout.occupied() == ("seat 1",)
    assert not list(table.layout.standing())


def test_641a_11_c_5_iv_a_reading_that_is_missing_is_bad_input(refused):
    why = refused(record(seat(NINES, 10, ante=10, progressive_4=5)))
    assert "house option progressive_4_meter is missing" in why
    assert "641a.11(c)(5)(iv)" in why


def test_641a_11_c_5_iv_a_reading_that_no_line_needs_may_be_missing(settle):
    assert nets(settle(record(seat(TRIPS, 10, ante=10, progressive_4=5))))["progressive_4"] == 20


# (5)(v) envy


def envious(**house):
    """Seats 1 and 7 have wagered, seat 1 has folded; seats 2 and 5 hold what makes them envious."""
    return record(
        {
            "1": seat("Kd Jd 8c 4d 2c", "fold", ante=10, progressive_4=5),
            "2": seat(NINES, 10, ante=10, progressive_4=5),
            "5": seat("Ts Th Td Tc Ad", aces_up=5),
            "7": seat(NOTHING.replace("9c", "7c"), 10, ante=10, progressive_4=5),
        },
        dealer="2s 3h 5d 7d Jc Qd",
        house={"progressive_4_meter": 1000, **house},
    )


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("pending", [(7, "seat 5"), (2, "seat 5"), (7, "seat 2"), (1, "seat 5"), (1, "seat 2")]),
        ("end_of_round", [(7, "seat 5"), (7, "seat 2"), (2, "seat 5"), (1, "seat 5"), (1, "seat 2")]),
    ],
)
def test_641a_11_c_5_v_a_when_envy_is_paid(settle, how, expected):
    out = settle(envious(envy_payment=how))
    paid = [(at, step) for at, step in enumerate(out["steps"]) if step["rule"] == "641a.11(c)(5)(v)(A)"]
    assert [(step["seat"], step["for"].removeprefix("four-of-a-kind of ")) for _, step in paid] == expected
    assert {(step["amount"], step["odds"], step["stake"]) for _, step in paid} == {(100_000, "fixed 100000", 0)}
    assert [nets(out, number).get("envy_4") for number in "1257"] == [200_000, 100_000, None, 200_000]
    later = [at for at, step in enumerate(out["steps"]) if step["do"] == "reveal"][-1]
    assert how == "pending" or all(at > later for at, _ in paid)


@pytest.mark.parametrize(("house", "net"), [({}, None), ({"envy_folded_hands": True}, 100_000)])
def test_641a_11_c_5_v_a_folded_hand_that_stayed_counts_only_where_the_house_has_it(settle, house, net):
    folder = seat(NINES, "fold", ante=10, aces_up=5)
    other = seat("Kd Jd 8c 4d 2c", 10, ante=10, progressive_4=5)
    out = settle(record(folder, other, dealer="2s 3h 5d 7d Jc Qd", house=house))
    assert nets(out, "2").get("envy_4") == net


def test_641a_11_c_5_v_a_folded_hand_that_is_gone_counts_for_nobody(settle):
    other = seat("Kd Jd 8c 4d 2d", 10, ante=10, progressive_4=5)
    out = settle(record(seat(NINES, "fold", ante=10), other, dealer=LOW, house={"envy_folded_hands": True}))
    assert "envy_4" not in nets(out, "2")


def test_641a_11_c_5_v_one_progressive_gives_no_envy_of_the_other(settle):
    five = seat("Kd Jd 8c 4d 2d", 10, ante=10, progressive_5=5)
    four = seat("Ac Jh 8d 6d 3c", 10, ante=10, progressive_4=5)
    out = settle(record(five, four, seat(NINES, 10, ante=10), dealer=LOW))
    assert ("envy_4" in nets(out), "envy_4" in nets(out, "2")) == (False, True)
    assert "envy_5" not in nets(out), "four of a kind is below a straight flush"


# (7) the Five Card Hand Bonus


@pytest.mark.parametrize(
    ("hand", "net"),
    [
        (ROYAL, 777 - 2),
        ("9h 8h 7h 6h 5h", 998),
        (NINES, 598),
        ("9s 9h 9d Kc Ks", 98),
        ("Kh 9h 7h 2h 3h", 78),
        ("9s 8h 7h 6h 5h", 58),
        (TRIPS, 16),
        ("Ks Kh 9d 9c 3s", -2),
    ],
)
def test_641a_12_g_what_the_five_card_hand_bonus_pays_on_either_hand(settle, hand, net):
    house = {"five_card_hand_meter": 777}
    own = settle(record(seat(hand, aces_up=5, five_card_hand=2), dealer="2d 3c 5c 7c Jd Qd", house=house))
    assert nets(own)["five_card_hand"] == net
    other = seat("2d 3c 5c 7c Jd", aces_up=5, five_card_hand_dealer=2)
    assert nets(settle(record(other, dealer=f"{hand} Qd", house=house)))["five_card_hand:dealer"] == net


def test_641a_11_c_7_the_dealers_sixth_card_is_no_part_of_his_five(settle):
    one = seat(NOTHING, 10, ante=10, five_card_hand_dealer=2)
    assert nets(settle(record(one, dealer="8s 8h 7d 4s 2s 8d")))["five_card_hand:dealer"] == -2
    assert nets(settle(record(one, dealer="8s 8h 8d 4s 2s 7d")))["five_card_hand:dealer"] == 16


@pytest.mark.parametrize(
    ("hand", "house", "verified"),
    [
        ("9h 8h 7h 6h 5h", {}, True),
        ("9h 8h 7h 6h 5h", {"high_odds_verify": 501}, False),
        (NINES, {}, False),
        (NINES, {"high_odds_verify": 300}, True),
        (ROYAL, {"high_odds_verify": 10**6, "five_card_hand_meter": 5}, True),
    ],
)
def test_641a_11_c_7_ii_the_floor_verifies_from_500_for_1_and_shares_of_the_meter(settle, hand, house, verified):
    out = settle(record(seat(hand, aces_up=5, five_card_hand=2), dealer="2d 3c 5c 7c Jd Qd", house=house))
    assert rules(out, "verify") == ["641a.11(c)(7)(ii)"] * verified
    assert rules(out, "announce")[1:] == ["641a.11(c)(7)(i)"]
    (credit,) = steps(out, "credit")
    assert (credit["rule"], credit["via"]) == (
        "641a.11(c)(7)(iii)",
        "papers" if hand == ROYAL else "game account",
    )


def test_641a_11_c_7_iii_the_dealers_royal_stays_on_the_table_for_each_papers(settle):
    one = seat(NOTHING, 10, ante=10, five_card_hand_dealer=2)
    two = seat("Kd Jd 8c 4d 2c", 10, ante=10, five_card_hand_dealer=2)
    one = record(one, two, dealer=f"{ROYAL} Qd", house={"five_card_hand_meter": 5})
    out = settle(one)
    assert [(step["seat"], step["place"]) for step in steps(out, "hold")] == [(2, "dealer"), (1, "dealer")]
    assert [step["from"] for step in steps(out, "discard")][-1] == "dealer"
    table, papers = Table(one), []
    while not table.round.over:
        if isinstance(table.round.step, Papers):
            papers.append((table.round.step.seat, table.layout.occupied()))
        table.advance()
    assert papers == [(2, ("dealer",)), (1, ("dealer",))]


@pytest.mark.parametrize(
    ("house", "bonuses"),
    [
        ({}, {}),
        ({"magic_card": "8h"}, {"magic_card": 2}),
        ({"magic_card": "7d"}, {"magic_card:dealer": 3}),
        ({"magic_card": "Qd"}, {}),
        ({"lucky_bonus": 1}, {"lucky_bonus": 2}),
        ({"lucky_bonus": "dealer"}, {"lucky_bonus:dealer": 3}),
        ({"lucky_bonus": 2}, {}),
        ({"lucky_bonus": 1, "magic_card": "8s"}, {"magic_card": 2, "lucky_bonus": 2}),
    ],
)
def test_641a_11_c_7_magic_card_and_lucky_bonus_are_the_systems_picks(settle, house, bonuses):
    one = seat(TRIPS, 10, ante=10, five_card_hand=2, five_card_hand_dealer=3)
    out = settle(record(one, dealer="2s 3h 5d 7d Jc Qd", house=house))
    assert {bonus: net for bonus, net in nets(out).items() if bonus.startswith(("magic", "lucky"))} == bonuses
    for bonus in bonuses:
        assert [step["via"] for step in steps(out, "credit", wager=bonus)] == ["game account"]


def test_641a_11_c_7_a_pick_wins_also_where_the_hand_loses(settle):
    one = seat(NOTHING, "fold", ante=10, five_card_hand=2)
    out = settle(record(one, house={"magic_card": "Ac"}))
    assert nets(out) == {"ante": -10, "five_card_hand": -2, "magic_card": 2}


# what the game system says at a table


def test_a_pick_that_is_on_but_not_given_is_bad_input(refused):
    for option in ("magic_card", "lucky_bonus"):
        why = refused(record(seat(NOTHING, 10, ante=10, five_card_hand=2), house={option: "on"}))
        assert f"house option {option} is missing" in why
        assert "641a.11(c)(7)" in why


def test_nobody_asks_for_a_pick_that_nobody_has_wagered_on(settle):
    settle(record(seat(NOTHING, 10, ante=10), house={"magic_card": "on", "lucky_bonus": "on"}))


def test_the_game_system_is_asked_once_for_each_pick_and_for_each_share(settle):
    house = {"magic_card": "8h", "lucky_bonus": 2, "five_card_hand_meter": 500, "progressive_5_meter": 1000}
    one = seat(TRIPS, 10, ante=10, five_card_hand=2)
    royal = seat(ROYAL, 10, ante=10, five_card_hand=2, progressive_5=5)
    made = record(one, royal, dealer="2d 3c 5c 7c Jd Qd", house=house)
    table, asked = Table(made, asked=True), []
    while not table.round.over:
        if isinstance(table.round.step, ReadSystem):
            asked.append((table.round.step.what, table.round.step.kind, table.round.step.rule))
        table.advance()
    assert asked == [
        ("magic_card", "card", "641a.11(c)(7)"),
        ("lucky_bonus", "place", "641a.11(c)(7)"),
        ("progressive_5_meter", "amount", "641a.11(c)(5)(iv)"),
        ("five_card_hand_meter", "amount", "641a.11(c)(7)(iii)"),
    ]
    assert table.hands.printed.steps == settle(made)["steps"]


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("amount", [Reading(0), Reading(7)], [Reading(-1), Reading(5, "Ks")]),
        ("card", [Reading(pick="Ks")], [Reading(), Reading(5), Reading(pick="Xs"), Reading(pick="dealer")]),
        ("place", [Reading(pick="dealer"), Reading(pick="3")], [Reading(pick="0"), Reading(pick="seat 3"), Reading(3)]),
    ],
)
def test_what_the_game_system_says_is_checked(kind, right, wrong):
    step, layout = ReadSystem("it", kind, rule="r"), Table(record(seat(NOTHING, 10, ante=10))).layout
    for answer in right:
        layout.check(step, 0, answer)
    for answer in wrong:
        with pytest.raises(Refused, match=r"it: .* asked for"):
            layout.check(step, 0, answer)


@pytest.mark.parametrize("text", ["100 % of mega_meter", "10 % of x", "fixed 5000", "300 for 1", "4:1", "push"])
def test_odds_are_read_and_written_alike(text):
    assert str(Odds.parse(text)) == text


@pytest.mark.parametrize("text", ["% of x", "10 % of", "fixed", "fixed -5", "10% of x", "4:0"])
def test_what_is_no_odds_is_refused(text):
    with pytest.raises(ValueError, match="no odds"):
        Odds.parse(text)


def test_a_share_is_rounded_down_and_a_fixed_sum_knows_no_stake():
    assert Odds.parse("10 % of x").payment(5, 199) == 19
    assert Odds.parse("fixed 5000").payment(7) == 5000
