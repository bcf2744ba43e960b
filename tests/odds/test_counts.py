"""How often each line happens, as whole numbers: what tables of counts say."""

from itertools import combinations
from math import comb

import pytest

from shoectl.cards import STANDARD
from shoectl.games.registry import game, game_names
from shoectl.odds.hands import groups
from shoectl.odds.question import Question, calculations

COUNTS = [
    ("four-card-poker", "aces_up", [624, 2072, 58656, 114616, 101808, 123552, 81096]),
    ("four-card-poker", "six_card", [188, 1656, 14664, 165984, 205792, 361620, 732160]),
    ("cajun-stud", "all_six", [188, 1656, 14664, 165984, 205792, 361620, 732160]),
    ("cajun-stud", "pocket", [6, 18, 54]),
    ("cajun-stud", "board", [4, 44, 52, 720, 1096, 3744]),
    ("cajun-stud", "lo_ball", [4080, 14280, 34680, 70380, 127500]),
    ("lunar-poker", "super", [624, 768, 3600, 5108, 10200, 54720, 60676, 122544]),
    ("lunar-poker", "instant_payout", [4, 36]),
    ("five-card-hi-lo", "poker_bonus", [4, 36, 624, 3744, 5108, 10200, 54912, 123552, 760320]),
]


def figures(name, wager, **house):
    played = game(name)
    return calculations(played)[wager].find(Question(played.house(house)))


@pytest.mark.parametrize(("name", "wager", "counts"), COUNTS, ids=lambda value: value if isinstance(value, str) else "")
def test_lines_happen_as_often_as_counted(name, wager, counts):
    found = figures(name, wager)
    assert [line.count for line in found.lines[: len(counts)]] == counts
    assert len(found.lines) == len(counts) + 1  # the rest loses, or has no bonus


def test_671a_11_f_the_dealer_qualifies_in_1463700_of_2598960_hands():
    found = figures("lunar-poker", "qualify")
    assert found.more["qualifies"] == 1_463_700
    assert found.count("ace-king") == 167_280
    assert found.total == comb(52, 5)


def test_super_with_straight_flushes_paid_as_flushes():
    found = figures("lunar-poker", "super", super_sf_policy="as_flush")
    assert [found.count(line) for line in ("flush", "ace-king-queen", "same colored five")] == [5148, 60672, 122508]


@pytest.mark.parametrize(("size", "flush"), [(2, 2), (3, 3), (4, 4), (5, 4), (5, 5), (6, 4), (6, 5)])
def test_groups_stand_for_every_hand_once(size, flush):
    found = list(groups(size, flush))
    assert sum(count for _, count in found) == comb(52, size)
    assert all(len(set(hand)) == size for hand, _ in found)


def test_groups_count_hands_one_by_one():
    def name(hand):
        ranks = tuple(sorted(card.rank for card in hand))
        return ranks, len({card.suit for card in hand}) == 1

    by_group = {}
    for hand, count in groups(3, 3):
        by_group[name(hand)] = by_group.get(name(hand), 0) + count
    one_by_one = {}
    for hand in combinations(STANDARD, 3):
        one_by_one[name(hand)] = one_by_one.get(name(hand), 0) + 1
    assert by_group == one_by_one


def test_two_flushes_in_one_hand_cannot_be_grouped():
    with pytest.raises(ValueError, match="two flushes"):
        next(groups(6, 3))


def test_a_progressive_pays_a_share_of_the_meter_that_is_given():
    low = figures("four-card-poker", "progressive_5", progressive_5_meter=100_000)
    high = figures("four-card-poker", "progressive_5", progressive_5_meter=200_000)
    # a royal takes the whole meter, a straight flush a tenth; the wager is 100
    assert low.edge - high.edge == pytest.approx((4 * 1000 + 36 * 100) / comb(52, 5))


def test_every_game_has_its_odds_and_every_option_they_name():
    for name in game_names():
        played = game(name)
        options = {option.name for option in played.options}
        found = calculations(played)
        assert "main" in found
        assert [option for one in found.values() for option in one.options if option not in options] == []
