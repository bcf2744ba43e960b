"""Mixers by their statistics: with fixed seeds each test either always passes or never."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from firmware_sim.mechanics import STANDARD, Card, World
from firmware_sim.mixers import MIXERS, given_order, in_order, stream, uniform
from firmware_sim.timeline import Timeline
from protocols.vocabulary import card_byte

DECK: list[Card] = World(Timeline()).create(STANDARD, back="red", deck=0)

CHI_SQUARED_51_AT_ONE_IN_A_THOUSAND = 87.97
"""51 degrees of freedom."""


def chi_squared(mixer: str, rounds: int = 2000) -> float:
    """How far the place of one card is from being equally likely everywhere."""
    where = Counter(MIXERS[mixer](DECK, stream(1, mixer, n)).index(DECK[0]) for n in range(rounds))
    expected = rounds / len(DECK)
    return sum((where[place] - expected) ** 2 / expected for place in range(len(DECK)))


@pytest.mark.parametrize("mixer", sorted(MIXERS))
def test_a_mixer_gives_the_same_cards(mixer: str) -> None:
    mixed = MIXERS[mixer](DECK, stream(7, "shuffle"))
    assert sorted(card.number for card in mixed) == sorted(card.number for card in DECK)


@pytest.mark.parametrize("mixer", sorted(MIXERS))
def test_one_stream_is_one_order(mixer: str) -> None:
    assert MIXERS[mixer](DECK, stream(7, "a", 1)) == MIXERS[mixer](DECK, stream(7, "a", 1))


def test_uniform_puts_every_card_everywhere_alike() -> None:
    assert chi_squared("uniform") < CHI_SQUARED_51_AT_ONE_IN_A_THOUSAND


def test_a_stuck_shelf_and_no_mixing_are_far_from_uniform() -> None:
    assert chi_squared("stuck_shelf") > 2 * CHI_SQUARED_51_AT_ONE_IN_A_THOUSAND
    assert chi_squared("none", 200) > 2 * CHI_SQUARED_51_AT_ONE_IN_A_THOUSAND


def test_riffles_leave_more_rising_pairs_than_uniform() -> None:
    def pairs(mixer: str) -> int:
        found = 0
        for n in range(300):
            mixed = MIXERS[mixer](DECK, stream(3, mixer, n))
            found += sum(b.number == a.number + 1 for a, b in pairwise(mixed))
        return found

    assert pairs("uniform") == pytest.approx(300, rel=0.2)
    assert pairs("riffle") > pairs("uniform")
    assert pairs("stuck_shelf") > pairs("shelf")


def test_uniform_forgets_the_order_before() -> None:
    assert uniform(DECK[::-1], stream(7, 1)) == uniform(DECK, stream(7, 1))


def test_no_mixing_is_sorted() -> None:
    assert [card.text for card in in_order(DECK[::-1], stream(7))] == list(STANDARD)


def test_a_rigged_machine_gives_the_order_asked_for_and_then_the_rest() -> None:
    mixed = given_order([card_byte("2d"), card_byte("As")])(DECK, stream(0))
    assert [card.text for card in mixed[:3]] == ["2d", "As", "2s"]
    assert len(mixed) == 52
