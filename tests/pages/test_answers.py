"""Every step that people answer has a form, and what the form sends is an answer of that step."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from shoectl.console.forms import answer_of
from shoectl.console.pages.answers import form_of
from shoectl.console.pages.fields import Form
from shoectl.games import steps
from shoectl.games.procedure import Role, Step
from shoectl.games.text import answer_from_json

from .views import BOTH, BY_HAND, DEALER, FLOOR, OBSERVER, WITH_DEVICES, down, listed, up, view

RULE = "671a.11(b)"
CHOICES = (
    steps.Choice("fold"),
    steps.Choice("bet", "bet", 50, 50),
    steps.Choice("exchange", "options", 25, 25, cards=(2, 5)),
    steps.Choice("raise", "raise_1", 10, 30, every=10),
    steps.Choice("play", "play", 10, 30, every=5),
)
OFFERS = (steps.WagerOffer("ante", 25, 500, required=True), steps.WagerOffer("super:2", 5, 25, on_seat=2))
# One of each kind of step, whoever answers it.
EACH: tuple[Step[Any], ...] = (
    steps.PlaceWagers((1, 2), OFFERS, rule="671a.7"),
    steps.Ask(2, CHOICES, rule=RULE),
    steps.Declare(2, "super", rule=RULE),
    steps.GiveBack(2, 2, 5, rule=RULE),
    steps.Reveal("seat 2", rule=RULE),
    steps.SetHands(2, rule=RULE),
    steps.ReadSetting(2, 2, rule=RULE),
    steps.RenewStub(("seat 1",), 5, rule=RULE),
    steps.CallFloor("why", ("go on", "end the round"), rule=RULE),
    steps.DealByHand(("seat 1", "seat 2"), rule=RULE),
    steps.Acknowledge(2, rule=RULE),
    steps.Verify(2, "ante", "royal flush", rule=RULE),
    steps.Papers(2, "why", rule=RULE),
    steps.ReadSystem("meter", "amount", rule=RULE),
    steps.SettleByHand(2, "bet", 50, 500, rule=RULE),
    steps.CountDeck(0, rule=RULE),
    steps.CountTable(12, rule=RULE),
    steps.ShuffleByHand(0, 10, rule=RULE),
    steps.CutDeck(0, 10, rule=RULE),
    steps.RemoveDeck(0, "count", rule=RULE),
    steps.BringDeck(0, "red", rule=RULE),
)
LYING = {"seat 2": up("As Kd 9h 8s 2c")}


def people_steps() -> list[type[Step[Any]]]:
    """Every class of step that people answer, as the vocabulary has it."""
    classes = (getattr(steps, name) for name in steps.__all__)
    return [one for one in classes if isinstance(one, type) and issubclass(one, Step) and one.by is Role.PEOPLE]


def sent(form: Form, *, choice: int = 0) -> dict[str, str]:
    """What a browser sends of a form in which one choice is taken and every needed field is filled."""
    fields = {"token": "t", "ref": "3.9.0", "takes": form.takes, **dict(form.hidden)}
    if form.value[0]:
        fields[form.value[0]] = form.value[1]
    if form.ticks:
        fields[form.name] = " ".join(option.value for option in form.options[:2])
    elif form.options:
        fields[form.name] = form.options[choice].value
    for entry in form.entries:
        filled = {"number": str(entry.least or 1), "cards": "As Kd 9h 8s 2c", "text": "2"}[entry.kind]
        fields.setdefault(entry.name, filled if entry.needed else "")
    return fields | {offer.name: str(offer.least) for seat in form.seats for offer in seat.offers}


def made(step: Step[Any], **more: Any) -> Form | None:
    return form_of(listed(step, **more), view(step, places=LYING), BY_HAND, BOTH)


def test_every_step_that_people_answer_is_tried_here() -> None:
    tried = {type(step) for step in EACH}
    assert [one.__name__ for one in people_steps() if one not in tried] == []


@pytest.mark.parametrize("step", EACH, ids=lambda step: step.do)
def test_each_has_a_form_whose_fields_are_its_answer(step: Step[Any]) -> None:
    form = made(step, unread=5)
    assert form is not None
    assert form.takes == step.takes.__name__
    for choice in range(max(1, len(form.options))):
        fields = sent(form, choice=choice)
        if fields.get("choice") == "play":
            fields["amount"] = "15"  # the amount that has no button
        answer = answer_from_json(step.takes, answer_of(step.takes, fields))
        assert isinstance(answer, step.takes)


def test_every_choice_has_a_key_of_its_own_and_says_what_is_done() -> None:
    form = made(EACH[1])
    assert form is not None
    letters = [option.key for option in form.options]
    assert len(set(letters)) == len(letters)
    said = {option.value: option.says for option in form.options}
    assert (said["bet"], said["raise 20"]) == ("Seat 2 bets 50", "Seat 2 raises 20")


def test_faces_are_asked_for_where_nobody_has_read_them_and_on_demand_elsewhere() -> None:
    reveal = steps.Reveal("seat 2", rule=RULE)
    unread, read = made(reveal, unread=5), made(reveal)
    assert unread is not None
    assert read is not None
    assert (unread.entries[0].needed, unread.folded) == (True, "")
    assert (read.entries[0].needed, bool(read.folded)) == (False, True)


def test_a_step_of_the_floor_takes_his_signature_where_the_dealer_sits() -> None:
    verify = steps.Verify(2, "ante", "royal flush", rule=RULE)
    at_dealer = form_of(listed(verify), view(verify), BY_HAND, DEALER)
    assert at_dealer is not None
    assert at_dealer.signs
    own = form_of(listed(verify), view(verify), BY_HAND, FLOOR)
    assert own == dataclasses.replace(at_dealer, signs=False)


def test_nobody_answers_for_a_device_and_an_observer_answers_nothing() -> None:
    deal, ask = steps.Deal(("seat 1",), rule=RULE), EACH[1]
    assert form_of(listed(deal), view(deal), WITH_DEVICES, BOTH) is None
    assert form_of(listed(deal), view(deal), BY_HAND, BOTH) is not None  # no shoe: the dealer's hands
    assert form_of(listed(ask), view(ask), BY_HAND, OBSERVER) is None


def test_cards_dealt_from_the_hand_are_answered_together_up_to_the_one_that_lies_face_up() -> None:
    deal = steps.Deal(("seat 1", "dealer", "seat 1", "dealer"), (3,), rule=RULE)
    first = form_of(listed(deal), view(deal), BY_HAND, DEALER)
    last = form_of(listed(deal, part=3), view(deal, part=3, places={"dealer": down(1)}), BY_HAND, DEALER)
    assert first is not None
    assert last is not None
    assert (dict(first.hidden)["through"], first.go) == ("3", "3 cards are dealt")
    assert (dict(last.hidden)["through"], last.entries[0].kind) == ("4", "cards")
