"""The order of all hands: as others rank them, and as it was when it was pinned."""

import pytest

from shoectl.odds.hands import groups
from tests.odds.total_order import DIGESTS, KINDS, LADDERS, digest, disagreements, plain, theirs


@pytest.mark.parametrize("name", ["poker", "lunar"])
def test_all_kinds_of_five_cards_rank_and_tie_as_a_published_evaluator_has_them(name):
    kinds = [hand for hand, _ in groups(5, 5)]
    assert len(kinds) == KINDS[name]
    assert len({LADDERS[name].order(hand) for hand in kinds}) == KINDS[name]
    assert disagreements((LADDERS[name].order(hand), theirs(hand)) for hand in kinds) == []


@pytest.mark.parametrize("name", ["four", "board", "pocket"])
def test_all_kinds_of_two_to_four_cards_rank_and_tie_as_the_rules_read(name):
    size = LADDERS[name].size
    kinds = [hand for hand, _ in groups(size, size)]
    assert disagreements((LADDERS[name].order(hand), plain(hand)) for hand in kinds) == []


@pytest.mark.parametrize("name", ["four", "board", "pocket"])
def test_every_hand_of_two_to_four_cards_ranks_as_pinned(name):
    assert digest(LADDERS[name]) == (KINDS[name], DIGESTS[name])


def test_a_wrong_order_and_a_wrong_tie_are_found():
    assert disagreements([(1, 10), (2, 20), (3, 30)]) == []
    assert disagreements([(1, 10), (2, 30), (3, 20)]) != []
    assert disagreements([(1, 10), (1, 20)]) != []
    assert disagreements([(1, 10), (2, 10)]) != []
