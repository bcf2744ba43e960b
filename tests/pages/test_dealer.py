"""What the dealer's page shows, from views alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoectl.cards import STANDARD
from shoectl.console.pages import dealer, pit
from shoectl.console.pages.dealer import Page
from shoectl.console.render import Templates
from shoectl.games import steps
from shoectl.games.procedure import Step, Trouble
from shoectl.people.roles import Person
from shoectl.table.state import TableState

from .views import BOTH, BY_HAND, DEALER, OBSERVER, STANDING, WITH_DEVICES, down, listed, passed, up, view

TEMPLATES = Templates()
ASK = steps.Ask(3, (steps.Choice("fold"), steps.Choice("bet", "bet", 50, 50)), rule="671a.11(b)")
ACK = steps.Acknowledge(3, rule="671a.11(f)(2)(ii)")
WAGERS = steps.PlaceWagers((1, 2, 3), (steps.WagerOffer("ante", 25, 500, required=True),), rule="671a.7")
PROOF = (
    passed(steps.FeedShuffler(0, "red", rule="671a.5"), "answered"),
    passed(steps.AwaitShuffle(0, 1, 52, rule="671a.11(h)"), "answered"),
    passed(WAGERS, "answered"),
)
FACE = re.compile(r"\b(?:[2-9TJQKA]|10)[shdc]\b")
SPOKEN = re.compile(
    r"(two|three|four|five|six|seven|eight|nine|ten|jack|queen|king|ace) of (spades|hearts|diamonds|clubs)"
)


def page(step: Step[Any], state: TableState = BY_HAND, person: Person = DEALER, **more: Any) -> Page:
    shown = view(step, **more)
    return dealer.page(
        shown, [listed(step, words=("card", "give up") if shown["hold"] else ())], state, person, STANDING
    )


def html(step: Step[Any], state: TableState = BY_HAND, person: Person = DEALER, **more: Any) -> str:
    common = {"title": "Table 7 · Lunar Poker", "person": person, "token": "t", "said": "", "idle_minutes": 15}
    return TEMPLATES.page("dealer", {**common, "simulated": False, "page": page(step, state, person, **more)})


# ---- never shown


@settings(deadline=None, max_examples=50)  # whole pages
@given(st.permutations(STANDARD), st.integers(0, 5))
def test_no_page_shows_a_card_that_does_not_lie_face_up(deck: list[Any], shown: int) -> None:
    """The same page, whatever lies face down: all that differs is what lies face up."""
    faces = " ".join(map(str, deck[:shown]))
    places = {"dealer": down(5 - shown) + up(faces), "seat 3": down(5)}
    text = html(ASK, places=places, wagers={"3": {"ante": 25}})
    assert sorted(map(" ".join, SPOKEN.findall(text))) == sorted(" ".join(_spoken(str(card))) for card in deck[:shown])
    assert FACE.findall(re.sub(r"as As( Kd)?( or)? 10h", "", text)) == []


RANKS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")
SUITS = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}


def _spoken(card: str) -> tuple[str, str]:
    return RANKS["23456789TJQKA".index(card[0])], SUITS[card[1]]


def test_backs_are_one_and_the_same_element() -> None:
    text = html(ASK, places={"seat 1": down(5), "seat 3": down(5)}, wagers={"1": {"ante": 25}, "3": {"ante": 25}})
    assert set(re.findall(r"<i [^>]*back[^>]*>", text)) == {'<i class="back">'}


def test_marks_and_the_name_of_a_hand_stand_only_where_all_of_it_lies_face_up() -> None:
    whole = page(ACK, places={"seat 3": up("As Ah Kd 9h 8s")}, wagers={"3": {"ante": 25}}).seats[2]
    part = page(ACK, places={"seat 3": [*up("As Ah Kd 9h"), *down(1)]}, wagers={"3": {"ante": 25}}).seats[2]
    assert whole.hand is not None
    assert part.hand is not None
    assert [spot.marks for spot in whole.hand.spots] == ["1 2", "1", "2", "", ""]
    assert (whole.text, part.text, part.hand.marked) == ("pair of aces", "", False)


# ---- the tape, the seats, the sentence


def test_the_tape_stands_at_the_paragraph_of_the_open_step() -> None:
    record = [*PROOF, passed(steps.Deal(("seat 3",), rule="671a.8"), "answered")]
    states = {one.letter: one.state for one in page(ASK, record=record).heading.tape}
    assert states == {"a": "done", "b": "current", **dict.fromkeys("cdefg", "")}
    assert page(WAGERS).heading.tape == ()
    assert page(WAGERS).heading.limits == "Ante 25 to 500 · Super 5 to 25"


def test_a_count_is_no_paragraph_of_another_games_section() -> None:
    state = TableState("five-card-hi-lo")
    record = [passed(WAGERS, "answered"), passed(steps.Discard("dealer", rule="663a.11(l)"))]
    count = steps.CountDeck(0, rule="663a.11(h)")
    assert [one.letter for one in page(count, state, record=record).heading.tape if one.state == "current"] == ["l"]


def test_seats_stand_from_the_dealers_left_with_their_state_in_a_word() -> None:
    more = {
        "record": list(PROOF),
        "wagers": {"1": {"ante": 25}, "3": {"ante": 25}, "4": {"ante": 25}},
        "places": {f"seat {seat}": down(5) for seat in (1, 3, 4)},
        "decided": {"1": ["fold"]},
    }
    seats = page(ASK, **more).seats
    assert [(seat.number, seat.state, seat.tone) for seat in seats] == [
        (1, "folds", "out"),
        (2, "no player", ""),
        (3, "deciding", "on"),
        (4, "to come", ""),
    ]
    assert page(ASK, **more).now.next == "Next is seat 4."


def test_what_passed_by_itself_is_said_and_done_first() -> None:
    record = [passed(ASK, "answered"), passed(steps.Announce("all decisions are locked in", rule="671a.11(c)"))]
    assert page(ACK, record=record).now.before == ("Say: “all decisions are locked in”.",)


def test_a_void_is_told_in_full_and_in_few_sentences() -> None:
    record = [
        passed(steps.Deal(("seat 1",), rule="671a.8"), str(Trouble.UNKNOWN_CARD)),
        passed(steps.Announce("The round is void", rule="671a.13")),
        *(passed(steps.Return(1, wager, 10, "void", rule="671a.13")) for wager in ("ante", "super:1", "super:2")),
        passed(steps.Return(2, "ante", 25, "void", rule="671a.13")),
        *(passed(steps.Discard(place, rule="671a.13")) for place in ("seat 1", "seat 2", "dealer")),
    ]
    assert page(steps.CloseShoe(0, 43, rule="671a.11(h)"), WITH_DEVICES, record=record).now.before == (
        "Trouble: unknown card.",
        "Say: “The round is void”.",
        "Give back to seat 1: Ante 10, Super 10, Super seat 2 10.",
        "Give seat 2 the ante back: 25.",
        "Lay the cards of seat 1, the cards of seat 2 and the cards of the dealer into the rack.",
    )


def test_a_settlement_lists_what_moved_since_the_last_acknowledgement() -> None:
    record = [
        passed(steps.Collect(2, "ante", 25, rule="r")),
        passed(steps.Acknowledge(2, rule="r"), "answered"),
        passed(steps.Return(3, "ante", 25, rule="r")),
        passed(steps.Pay(3, "bet", 50, 50, "1:1", "pair", rule="r")),
        passed(steps.Pay(3, "bet", 50, 50, "1:1", "ace-king", rule="r")),
    ]
    now = page(ACK, record=record).now
    assert now.say == "Seat 3 wins twice: pay 100, return 25."
    assert [(one.do, one.what, one.amount) for one in now.sums] == [
        ("Return", "Ante", "25"),
        ("Pay 1", "Bet 50, pair", "50"),
        ("Pay 2", "Bet 50, second combination: ace-king", "50"),
    ]


# ---- green is earned


def cell(name: str, step: Step[Any], state: TableState = WITH_DEVICES, **more: Any) -> Any:
    return next(one for one in page(step, state, **more).strip if one.name.startswith(name))


def test_the_deck_is_green_only_where_a_device_has_proven_it_in_this_round() -> None:
    assert cell("Deck in play", ASK, record=list(PROOF)).mark == "ok"
    assert cell("Deck in play", steps.AwaitShuffle(0, 1, 52, rule="671a.11(h)")).mark == "ask"
    by_hand = [passed(steps.ShuffleByHand(0, rule="671a.5"), "answered"), passed(WAGERS, "answered")]
    assert cell("Deck in play", ASK, BY_HAND, record=by_hand).mark == ""


@pytest.mark.parametrize("trouble", [Trouble.DUPLICATE_CARD, Trouble.MISREAD_CARD, Trouble.WRONG_COUNT])
def test_trouble_with_the_cards_takes_the_green_away(trouble: Trouble) -> None:
    record = [*PROOF, passed(steps.Deal(("seat 1",), rule="671a.8"), str(trouble))]
    assert cell("Deck in play", ASK, record=record).mark == "ask"


def test_a_journal_that_cannot_be_written_is_red() -> None:
    assert cell("Journal", ASK, journal="no space left").mark == "stop"


# ---- holds and who may do what


def test_an_unreadable_card_can_be_pushed_back_named_by_two_or_given_up() -> None:
    deal = steps.Deal(("seat 1", "seat 2"), rule="671a.8")
    hold = {"reason": "unreadable 2", "text": "…", "part": 1}
    shown = page(deal, WITH_DEVICES, part=1, hold=hold, places={"seat 1": down(1)})
    assert shown.held is not None
    assert [way.how for way in shown.held.ways] == ["", "card", "give up"]
    assert all(way.signs for way in shown.held.ways if way.how)  # the dealer alone cannot
    assert shown.form is None
    assert shown.seats[1].hand is not None
    assert (shown.seats[1].state, shown.seats[1].hand.spots[0].kind) == ("not read", "unread")
    alone = page(deal, WITH_DEVICES, BOTH, part=1, hold=hold).held
    assert alone is not None
    assert not any(way.signs for way in alone.ways)


def test_an_observer_sees_the_table_and_no_form() -> None:
    text = html(ASK, person=OBSERVER, places={"seat 3": down(5)})
    assert [one for one in re.findall(r'<form[^>]* action="([^"]*)"', text) if one != "/signout"] == []
    assert "Ask seat 3" in text


def test_the_page_rests_while_the_deck_is_counted() -> None:
    text = html(steps.CountDeck(0, rule="671a.11(h)"))
    assert all(re.search(rf'<{tag}[^>]* id="{id}"[^>]* inert', text) for tag, id in _RESTS)
    assert 'aria-modal="true"' in text


_RESTS = (("header", "top"), ("main", "main"), ("footer", "foot"))


def test_nothing_on_a_page_is_a_script_or_a_style_of_its_own() -> None:
    text = html(ASK, places={"seat 3": down(5)}, wagers={"3": {"ante": 25}})
    assert re.findall(r"<script(?![^>]* src=)|<style|\bstyle=|\bon[a-z]+=", text) == []


def test_the_pit_shows_no_more_faces_than_the_table() -> None:
    shown = view(ASK, places={"seat 3": down(5)}, wagers={"3": {"ante": 25}})
    made = pit.page(shown, [listed(ASK)], WITH_DEVICES, DEALER, STANDING)
    assert FACE.findall(repr(made)) == []
