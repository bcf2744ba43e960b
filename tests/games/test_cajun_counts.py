"""§ 683a.6: every hand counted, against the figures that are published or were computed elsewhere."""

from collections import Counter
from itertools import combinations

from shoectl.cards import STANDARD, Rank
from shoectl.games.cajun_stud.hands import BOARD, POCKET, five_cards, pocket_hand
from shoectl.games.cajun_stud.money import PAYTABLES
from shoectl.games.ranking import Category
from shoectl.odds.hands import tally

ROYAL, STRAIGHT_FLUSH, FOUR, FULL = Category.ROYAL_FLUSH, Category.STRAIGHT_FLUSH, Category.FOUR, Category.FULL_HOUSE
FLUSH, STRAIGHT, THREE, TWO_PAIR = Category.FLUSH, Category.STRAIGHT, Category.THREE, Category.TWO_PAIR
PAIR, NOTHING = Category.PAIR, Category.NOTHING


def test_683a_6_c_pocket_pairs():
    pairs = [two for two in combinations(STANDARD, 2) if POCKET.category(POCKET.order(two)) is PAIR]
    assert len(pairs) == 78
    assert set(Counter(two[0].rank for two in pairs).values()) == {6}


def test_683a_6_d_boards():
    counts = Counter(BOARD.category(BOARD.order(three)) for three in combinations(STANDARD, 3))
    assert counts == {
        Category.MINI_ROYAL: 4,
        STRAIGHT_FLUSH: 44,
        THREE: 52,
        STRAIGHT: 720,
        FLUSH: 1096,
        PAIR: 3744,
        NOTHING: 16440,
    }


def test_683a_6_b_five_cards():
    assert tally(5, 5, lambda hand: five_cards(hand).category) == {
        ROYAL: 4,
        STRAIGHT_FLUSH: 36,
        FOUR: 624,
        FULL: 3744,
        FLUSH: 5108,
        STRAIGHT: 10200,
        THREE: 54912,
        TWO_PAIR: 123552,
        PAIR: 1098240,
        NOTHING: 1302540,
    }


def test_683a_12_a_pairs_by_rank_and_the_lines_that_they_reach():
    def pair_rank(hand):
        ranked = five_cards(hand)
        return ranked.core[0].rank if ranked.category is PAIR else None

    ranks = tally(5, 5, pair_rank)
    assert ranks.pop(None) == 2_598_960 - 1_098_240
    assert ranks == dict.fromkeys(Rank, 84480)
    lines = Counter()
    for rank, count in ranks.items():
        lines[line_of_rank(rank)] += count
    assert lines == {"pair 6-10": 422400, "pair J-A": 337920, None: 337920}


def line_of_rank(rank):
    return PAYTABLES["main"]["A"].line_of(pocket_hand([card for card in STANDARD if card.rank is rank][:2]))


def test_683a_6_e_six_cards():
    counts = tally(6, 5, lambda hand: five_cards(hand).category)
    assert counts.total() == 20_358_520
    assert counts == {
        ROYAL: 188,
        STRAIGHT_FLUSH: 1656,
        FOUR: 14664,
        FULL: 165984,
        FLUSH: 205792,
        STRAIGHT: 361620,
        THREE: 732160,
        TWO_PAIR: 2532816,
        PAIR: 9730740,
        NOTHING: 6612900,
    }
