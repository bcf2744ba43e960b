"""Odds in whole units, and the settlement as a fold of what was booked."""

import pytest

from shoectl.cards import parse_cards
from shoectl.errors import BadInput
from shoectl.games.dealing import Dealing, deal_hands, dealing_order
from shoectl.games.house import Standing
from shoectl.games.layout import Booking, Layout
from shoectl.games.ranking import POKER, Hand
from shoectl.games.steps import Collect, Pay, Return
from shoectl.games.wagers import Odds, Paytable, Settled, settlement


@pytest.mark.parametrize(
    ("text", "stake", "paid"),
    [("1:1", 7, 7), ("1500:1", 3, 4500), ("3:2", 10, 15), ("300 for 1", 2, 600), ("1:2", 10**15, 5 * 10**14)],
)
def test_odds_pay_whole_units(text, stake, paid):
    odds = Odds.parse(text)
    assert str(odds) == text
    assert odds.payment(stake) == paid
    assert type(odds.payment(stake)) is int


def test_odds_that_are_not_exact_on_a_stake_are_refused_and_never_rounded():
    with pytest.raises(BadInput, match="3:2 on 5 is no whole amount: the stake must be a multiple of 2"):
        Odds.parse("3:2").payment(5)


@pytest.mark.parametrize("text", ["", "1", "1:0", "1.5:1", "1:1:1", "-1:1", "5 for 2", "five to one"])
def test_text_that_is_no_odds_is_refused(text):
    with pytest.raises(ValueError, match="is no odds"):
        Odds.parse(text)


def table(**wagers):
    layout = Layout()
    layout.wagers = {1: dict(wagers)}
    layout.placed = {1: dict(wagers)}
    return layout


def apply(layout, *steps):
    for step in steps:
        layout.apply(step, 0, step.takes())
    return settlement(layout)[1]


def test_a_stake_goes_home_once_however_often_it_is_paid():
    layout = table(bet=20)
    pay = Pay(1, "bet", 20, 20, "1:1", "pair", rule="r")
    assert apply(layout, pay, pay) == {"bet": Settled(20, "win", 40)}
    assert not list(layout.standing())


def test_odds_for_one_include_the_stake():
    paid = apply(table(progressive=2), Pay(1, "progressive", 600, 2, "300 for 1", "quads", True, rule="r"))
    assert paid == {"progressive": Settled(2, "win", 598)}


def test_each_way_a_wager_may_end():
    layout = table(a=1, b=2, c=3, d=4, e=5)
    ended = apply(
        layout,
        Collect(1, "a", 1, rule="r"),
        Collect(1, "b", 2, "forfeit", rule="r"),
        Return(1, "c", 3, rule="r"),
        Return(1, "d", 4, "void", rule="r"),
    )
    assert {name: (one.outcome, one.net) for name, one in ended.items()} == {
        "a": ("lose", -1),
        "b": ("forfeit", -2),
        "c": ("push", 0),
        "d": ("void", 0),
    }
    assert layout.net(1) == -3
    assert layout.booked[0] == Booking(1, "a", -1, "lose", 1)
    assert list(layout.standing()) == [(1, "e", 5)]


def test_more_than_lies_there_is_never_collected():
    with pytest.raises(ValueError, match="ante of 10 lies there, not 11"):
        apply(table(ante=10), Collect(1, "ante", 11, rule="r"))


def test_stacks_from_an_automated_shoe_and_single_cards_otherwise():
    places = ["seat 1", "seat 3", "dealer"]
    assert dealing_order(Dealing.AUTOMATED, places, 2) == ("seat 1", "seat 1", "seat 3", "seat 3", "dealer", "dealer")
    assert dealing_order(Dealing.MANUAL, places, 2) == ("seat 1", "seat 3", "dealer") * 2
    assert dealing_order(Dealing.HAND, places, 1) == tuple(places)


@pytest.mark.parametrize("dealing", list(Dealing))
def test_the_dealers_last_card_is_the_one_that_lies_face_up(dealing):
    deal = deal_hands("671a", dealing, ["seat 1", "dealer"], 5, last_up=True)
    assert [deal.to[part] for part in deal.up] == ["dealer"]
    assert deal.up == (deal.parts - 1,)
    assert deal.rest(8).up == (1,)
    assert deal_hands("671a", dealing, ["seat 1", "dealer"], 5).up == ()


def test_a_line_that_pushes_pays_nothing_and_is_written_as_such():
    push = Odds.parse("push")
    assert (push.push, str(push), push.payment(7)) == (True, "push", 0)
    assert not Odds.parse("1:1").push


def test_pairs_go_by_their_rank_where_a_table_tells_them_apart():
    lines = {"two pair": Odds(2), "pair of aces": Odds(3), "pair J-K": Odds(2), "pair 6-10": Odds(1)}
    table = Paytable("some", "A", lines, "here", Standing.DEFAULT)
    found = {
        rank: table.line_of(Hand.best(POKER, parse_cards(f"{rank}s {rank}h {side}")))
        for rank, side in [
            ("A", "Kd 7c 3s"),
            ("K", "Ad 7c 3s"),
            ("J", "Ad 7c 3s"),
            ("T", "Ad 7c 3s"),
            ("6", "Ad 7c 3s"),
        ]
    }
    assert found == {"A": "pair of aces", "K": "pair J-K", "J": "pair J-K", "T": "pair 6-10", "6": "pair 6-10"}
    assert table.line_of(Hand.best(POKER, parse_cards("5s 5h Ad 7c 3s"))) is None
    assert table.line_of(Hand.best(POKER, parse_cards("5s 5h Ad Ac 3s"))) == "two pair"
