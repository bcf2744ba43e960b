"""Rounds where faces become known only when they are turned up, and exchanges that nobody sees."""

import pytest

from shoectl.cards import parse_cards, show_cards
from shoectl.games.answers import Declared, Drawn, Faces, Given
from shoectl.games.layout import Layout, Refused
from shoectl.games.printed import Printed
from shoectl.games.procedure import Round, drive
from shoectl.games.records import record_of
from shoectl.games.registry import game
from shoectl.games.settle import RecordHands, settle
from shoectl.games.steps import Ask, Deal, Declare, GiveBack, Reveal
from tests.games.records import record, seat, steps

LUNAR = game("lunar-poker")
NOTHING = "2c 5d 9h Jd Kc"


def test_671a_11_b_where_nobody_has_seen_the_faces_the_player_declares():
    out = settle(record_of(record(seat("7s 7h 7d 3c 2d", "bet", s1=5), dealer="Qs Qh 8d 4c 2s")), blind=True).json()
    asked = [step for step in steps(out, "ask") if "declare" in step]
    assert [(step["declare"], step["declared"]) for step in asked] == [("super", True), ("instant payout", False)]
    assert [step["do"] for step in out["steps"] if step["rule"] == "671a.11(c)(2)"] == ["reveal", "verify", "pay"]


def test_671a_11_c_1_an_undeclared_hand_is_collected_without_being_looked_at():
    out = settle(record_of(record(seat(NOTHING, "fold", s1=5))), blind=True).json()
    assert steps(out, "collect", wager="super:1", rule="671a.11(c)(1)")
    assert not steps(out, "reveal")
    assert out["seats"]["1"]["hand"] is None
    assert out["dealer"] == {"hand": None, "qualifies": None}


def test_671a_11_c_3_a_declared_royal_is_turned_up_once_and_paid_unseen_before():
    out = settle(record_of(record(seat("As Ks Qs Js Ts", s1=5), dealer="2d 2h 7d 4c 2s")), blind=True).json()
    assert [step["do"] for step in out["steps"] if step["rule"].startswith("671a.11(c)(")] == [
        "reveal",
        "verify",
        "pay",
        "verify",
        "pay",
        "discard",
    ]


class Liar(RecordHands):
    """Declares whatever he is asked."""

    def __call__(self, played):
        if isinstance(played.step, Declare):
            super().__call__(played)
            return Declared(True)
        return super().__call__(played)


def test_671a_11_b_a_hand_declared_in_error_for_the_instant_payout_still_owes_its_election():
    from shoectl.games.dealing import Dealing
    from shoectl.games.steps import PlaceWagers

    read = record_of(record(seat(NOTHING, "fold")))
    house = LUNAR.house({})
    layout = Layout()
    hands = Liar(LUNAR, house, read, Printed(layout), True, False)

    def play(table):
        yield from PlaceWagers((1,), LUNAR.offers(house, {"ante": (1, 100)}), rule="671a.7")
        yield from LUNAR.play(table, house, Dealing.MANUAL)

    drive(Round(play, layout), hands, hands.printed.asked)
    do = [step["do"] for step in hands.printed.steps]
    assert do[-6:] == ["announce", "reveal", "ask", "collect", "discard", "discard"]
    assert layout.net(1) == -10


def dealt(place, *faces):
    """A layout with cards at a place; None is a face that nobody has read."""
    table = Layout()
    for face in faces:
        table.apply(Deal((place,), rule="r"), 0, Drawn(parse_cards(face)[0] if face else None))
    return table


def give_up(table, count, cards=""):
    step, answer = GiveBack(1, 2, 5, rule="r"), Given(count, parse_cards(cards))
    table.check(step, 0, answer)
    table.apply(step, 0, answer)


def turn(table, cards):
    step, answer = Reveal("seat 1", rule="r"), Faces(parse_cards(cards))
    table.check(step, 0, answer)
    table.apply(step, 0, answer)


def test_after_an_unseen_exchange_the_hand_is_unknown_until_it_is_turned_up():
    table = dealt("seat 1", *NOTHING.split())
    give_up(table, 2)
    table.apply(Deal(("seat 1", "seat 1"), rule="r"), 0, Drawn(parse_cards("As")[0]))
    table.apply(Deal(("seat 1", "seat 1"), rule="r"), 1, Drawn(parse_cards("Ad")[0]))
    assert table.hand("seat 1") is None
    assert table.count("seat 1") == 5
    with pytest.raises(Refused, match="read for this place"):
        turn(table, "2c 5d 9h Jd Kc")
    with pytest.raises(Refused, match="3s: never dealt here"):
        turn(table, "2c 5d 3s As Ad")
    turn(table, "2c 5d 9h As Ad")
    assert show_cards(table.hand("seat 1")) == "2c 5d 9h As Ad"
    assert [show_cards(racked.cards) for racked in table.rack] == ["Jd Kc"], "what was not shown was given up"


def test_an_unseen_exchange_of_an_unread_hand_takes_any_card_that_lies_nowhere_else():
    table = dealt("seat 1", None, None, None, None, "Kc")
    table.apply(Deal(("dealer",), rule="r"), 0, Drawn(parse_cards("Qs")[0]))
    give_up(table, 2)
    for _ in range(2):
        table.apply(Deal(("seat 1",), rule="r"), 0, Drawn(None))
    with pytest.raises(Refused, match="Qs lies elsewhere"):
        turn(table, "2c 5d 9h As Qs")
    turn(table, "2c 5d 9h As Kc")
    assert show_cards(table.hand("seat 1")) == "2c 5d 9h As Kc"


def test_a_hand_that_goes_to_the_rack_after_an_unseen_exchange_says_what_it_was_among():
    from shoectl.games.steps import Discard

    table = dealt("seat 1", *NOTHING.split())
    give_up(table, 3)
    table.apply(Discard("seat 1", rule="r"), 0, Faces())
    assert [len(racked.cards) for racked in table.rack] == [3, 2]
    assert show_cards(table.rack[1].among) == NOTHING
    assert table.last_hand("seat 1") is None


def test_671a_11_choices_do_not_depend_on_a_hand_that_nobody_has_seen():
    def choices(**how):
        read = record_of(record(seat(NOTHING, {"exchange": "2c 5d"}, "bet", drawn="As Ah")))
        return [
            step["choices"] for step in settle(read, **how).json()["steps"] if step["do"] == "ask" and "choices" in step
        ]

    assert choices() == choices(blind=True) == choices(exchange_seen=False)
    assert choices()[1] == ["fold", "bet"]
    assert Ask.do == "ask"
