"""What trouble does to a round, by the house's options."""

from __future__ import annotations

import pytest

from shoectl.games.procedure import Decide, GoOn, Irregularity, Trouble, Void
from shoectl.games.steps import Ask, CallFloor, Deal, PlaceWagers, Reveal
from shoectl.table.policies import after_showdown, before_showdown, patient

from .scenes import table

RULE = "671a.13"
DEAL = Deal(("seat 1",), rule=RULE)
ASK = Ask(1, (), rule=RULE)


def floor(consequence: Void | GoOn | Decide) -> bool:
    return isinstance(consequence, Decide) and isinstance(consequence.step, CallFloor)


@pytest.mark.parametrize(
    ("option", "value", "kind", "expected"),
    [
        ("card_drawn_in_error", "next_card", Trouble.EARLY_DRAW, "on"),
        ("card_drawn_in_error", "rack", Trouble.EXTRA_CARD, "on"),
        ("card_drawn_in_error", "void", Trouble.EXTRA_CARD, "void"),
        ("one_exposed_card", "discard", Trouble.EXPOSED_CARD, "on"),
        ("one_exposed_card", "void", Trouble.EXPOSED_CARD, "void"),
        ("jam_in_round", "void", Trouble.DEVICE_FAILED, "void"),
        ("jam_in_round", "floor", Trouble.DEVICE_FAILED, "floor"),
        ("restart_in_round", "explained", Trouble.DEVICE_RESTARTED, "void"),
        ("restart_in_round", "floor", Trouble.DEVICE_RESTARTED, "floor"),
        ("wrong_count_scope", "round", Trouble.WRONG_COUNT, "void"),
        ("wrong_count_scope", "round", Trouble.DUPLICATE_CARD, "void"),
        ("wrong_count_scope", "round", Trouble.STUB_EXHAUSTED, "void"),
    ],
)
def test_until_the_showdown_the_house_decides(option: str, value: str, kind: Trouble, expected: str) -> None:
    said = before_showdown(table(house={option: value}), RULE)(Irregularity(kind), DEAL)
    assert (isinstance(said, Void), floor(said)) == (expected == "void", expected == "floor")


@pytest.mark.parametrize(("value", "second"), [("void", "void"), ("floor", "floor")])
def test_the_second_exposed_card_has_an_option_of_its_own(value: str, second: str) -> None:
    policy = before_showdown(table(house={"more_exposed_cards": value}), RULE)
    assert policy(Irregularity(Trouble.EXPOSED_CARD), DEAL) == GoOn()
    said = policy(Irregularity(Trouble.EXPOSED_CARD), DEAL)
    assert (isinstance(said, Void), floor(said)) == (second == "void", second == "floor")


def test_a_house_may_void_only_while_cards_are_dealt() -> None:
    policy = before_showdown(table(house={"void_until": "deal"}), RULE)
    assert isinstance(policy(Irregularity(Trouble.DEVICE_FAILED), DEAL), Void)
    assert isinstance(policy(Irregularity(Trouble.DEVICE_FAILED), PlaceWagers((), (), rule=RULE)), Void)
    assert floor(policy(Irregularity(Trouble.DEVICE_FAILED), ASK))
    assert isinstance(policy(Irregularity(Trouble.WITHDRAWN), ASK), Void)


def test_from_the_showdown_on_the_floor_is_called_or_the_house_voids_to_the_end() -> None:
    reveal = Reveal("dealer", rule=RULE)
    assert floor(after_showdown(table(), RULE)(Irregularity(Trouble.DEVICE_FAILED), reveal))
    assert after_showdown(table(), RULE)(Irregularity(Trouble.EXTRA_CARD), reveal) == GoOn()
    to_the_end = after_showdown(table(house={"void_until": "end_of_round"}), RULE)
    assert isinstance(to_the_end(Irregularity(Trouble.DEVICE_FAILED), reveal), Void)


def test_while_decks_are_handled_a_card_too_many_changes_nothing_and_other_trouble_is_the_sessions() -> None:
    assert patient(Irregularity(Trouble.EXTRA_CARD), DEAL) == GoOn()
    assert isinstance(patient(Irregularity(Trouble.DEVICE_FAILED), DEAL), Void)
