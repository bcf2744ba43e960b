"""What the table allows, whatever the game: answers are refused with the reason, the rule and the seat."""

import pytest

from shoectl.cards import STANDARD, parse_cards, show_cards
from shoectl.games.answers import Counted, Decision, Drawn, Faces, FloorWord, Given, Wagers
from shoectl.games.layout import Layout, Refused
from shoectl.games.procedure import Done, Irregularity, Trouble
from shoectl.games.steps import (
    Ask,
    CallFloor,
    Choice,
    CountDeck,
    Deal,
    Discard,
    GiveBack,
    PlaceWagers,
    Reveal,
    WagerOffer,
)

OFFERS = (
    WagerOffer("ante", 5, 100, required=True),
    WagerOffer("side", 1, 9, needs=("ante", "other")),
    WagerOffer("own:{seat}", 1, 9),
    WagerOffer("on:2", 1, 9, needs=("ante",), on_seat=2),
)
PLACE = PlaceWagers((1, 2, 3), OFFERS, rule="7")
ASK = Ask(1, (Choice("fold"), Choice("raise", "raise", 10, 30), Choice("bet", "bet", 20, 20, rule="b2")), rule="b")
HAND = "As Ah Kd 9c 8s"


def table(cards=HAND):
    layout = Layout()
    deal = Deal(("seat 1",) * 5, rule="10")
    for part, card in enumerate(parse_cards(cards)):
        layout.check(deal, part, Drawn(card))
        layout.apply(deal, part, Drawn(card))
    return layout


REFUSED = [
    (PLACE, Wagers(((4, "ante", 5),)), "seat 4: not a seat of this table, there are 1, 2, 3", 4),
    (PLACE, Wagers(((1, "ante", 4),)), "seat 1: ante of 4 is outside 5 to 100", 1),
    (PLACE, Wagers(((1, "pot", 5),)), "seat 1: no wager 'pot' here, allowed: ante", 1),
    (PLACE, Wagers(((1, "ante", 5), (1, "ante", 6))), "seat 1: ante is placed twice", 1),
    (PLACE, Wagers(((2, "ante", 5), (1, "side", 5))), "seat 1: ante is missing", 1),
    (PLACE, Wagers(((1, "ante", 5), (1, "on:2", 5))), "seat 1: on:2 is on the hand of seat 2, which does not play", 1),
    (ASK, Decision("call"), "seat 1: 'call' is not offered, allowed: fold, raise, bet", 1),
    (ASK, Decision("raise", 40), "seat 1: raise of 40 is not allowed, it must be 10 to 30", 1),
    (ASK, Decision("raise"), "seat 1: raise needs an amount, 10 to 30", 1),
    (ASK, Decision("bet", 15), "seat 1: bet of 15 is not allowed, it must be 20", 1),
    (ASK, Decision("fold", 1), "seat 1: an amount with fold is not allowed", 1),
    (ASK, Done(), "ask takes decision, not done", None),
    (GiveBack(1, 2, 5, rule="d"), Given(1), "seat 1: 1 cards given up, allowed are 2 to 5", 1),
    (GiveBack(1, 2, 5, rule="d"), Given(2, parse_cards("As")), "seat 1: 2 cards given up, 1 named", 1),
    (GiveBack(1, 2, 5, rule="d"), Given(2, parse_cards("As As")), "seat 1: a card is given up twice", 1),
    (GiveBack(1, 2, 5, rule="d"), Given(2, parse_cards("As 2c")), "seat 1: 2c is not in the hand", 1),
    (Reveal("seat 1", rule="f"), Faces(parse_cards("As Ah Kd 9c")), "seat 1: 5 cards lie there, 4 entered", 1),
    (Reveal("seat 1", rule="f"), Faces(parse_cards("As As Kd 9c 8s")), "seat 1: a card is entered twice", 1),
    (Reveal("seat 1", rule="f"), Faces(parse_cards("As Ah Kd 9c 7s")), "8s: read for this place", 1),
    (Deal(("dealer",), rule="10"), Drawn(parse_cards("Kd")[0]), "dealer: Kd is on the table already (seat 1)", None),
    (CountDeck(1, rule="h"), Counted(-1), "a count of -1 is not possible", None),
]


@pytest.mark.parametrize(("step", "answer", "reason", "seat"), REFUSED, ids=[row[2] for row in REFUSED])
def test_an_answer_that_the_table_does_not_allow_is_refused(step, answer, reason, seat):
    layout = table()
    before = repr(layout)
    with pytest.raises(Refused) as caught:
        layout.check(step, 0, answer)
    assert reason in caught.value.reason
    assert caught.value.seat == seat
    assert repr(layout) == before, "nothing was written"


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        (PLACE, Wagers(())),
        (PLACE, Wagers(((1, "ante", 5), (1, "side", 1), (1, "on:2", 9), (2, "ante", 100)))),
        (ASK, Decision("raise", 20)),
        (ASK, Decision("bet")),
        (GiveBack(1, 2, 5, rule="d"), Given(5)),
        (Reveal("seat 1", rule="f"), Faces(parse_cards("8s As Ah Kd 9c"))),
        (Reveal("seat 1", rule="f"), Faces()),
        (CallFloor("why", ("go on",), rule="13"), FloorWord("go on")),
        (CountDeck(1, rule="h"), Counted(0)),
    ],
)
def test_an_answer_that_the_table_allows_passes(step, answer):
    table().check(step, 0, answer)


def test_a_choice_names_its_own_paragraph_where_it_has_one():
    with pytest.raises(Refused) as caught:
        table().check(ASK, 0, Decision("bet", 15))
    assert caught.value.rule == "b2"


def test_faces_that_nobody_has_read_have_to_be_entered():
    layout = Layout()
    layout.apply(Deal(("dealer",), rule="10"), 0, Drawn(None))
    with pytest.raises(Refused, match="dealer: the faces have to be entered"):
        layout.check(Reveal("dealer", rule="e"), 0, Faces())
    assert layout.hand("dealer") is None


def test_the_rack_remembers_where_each_hand_lay():
    layout = table()
    assert show_cards(layout.last_hand("seat 1")) == HAND
    layout.apply(GiveBack(1, 2, 5, rule="d"), 0, Given(2, parse_cards("8s As")))
    layout.apply(Discard("seat 1", rule="g"), 0, Done())
    assert [(racked.origin, show_cards(racked.cards)) for racked in layout.rack] == [
        ("seat 1", "8s As"),
        ("seat 1", "Ah Kd 9c"),
    ]
    assert show_cards(layout.last_hand("seat 1")) == "Ah Kd 9c"
    assert layout.last_hand("dealer") is None
    assert (layout.dealt(), layout.stub(), layout.occupied()) == (5, 47, ())


def test_a_card_of_no_place_goes_to_the_rack_and_stays_explained():
    layout = table()
    layout.interrupt(Irregularity(Trouble.EARLY_DRAW, place="rack", card="2c"))
    layout.interrupt(Irregularity(Trouble.EXPOSED_CARD, place="rack"))
    assert layout.dealt() == 7
    assert layout.known()[parse_cards("2c")[0]] == "rack (early draw)"
    with pytest.raises(Refused, match="2c is on the table already"):
        layout.check(Deal(("dealer",), rule="10"), 0, Drawn(parse_cards("2c")[0]))


def test_every_card_of_a_deck_can_be_dealt_once():
    layout = Layout()
    deal = Deal(("dealer",) * 52, rule="10")
    for part, card in enumerate(STANDARD):
        layout.check(deal, part, Drawn(card))
        layout.apply(deal, part, Drawn(card))
    assert (layout.stub(), len(layout.known())) == (0, 52)
