"""§ 671a.6: the ranking, by examples, by properties, and by counting all 2,598,960 hands."""

import json
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoectl.cards import STANDARD, Card, Suit, parse_cards, show_cards
from shoectl.games.lunar_poker.hands import (
    LADDER,
    QUALIFIES,
    best_hand,
    second_combination,
    super_line,
    super_line_of_code,
)
from shoectl.games.lunar_poker.money import BET, SUPER
from shoectl.games.ranking import CODE, Category
from tests.games import reference

STRAIGHT_FLUSHES = LADDER.lowest(Category.STRAIGHT_FLUSH)


def compared(command, one, other):
    code, out, err = command("compare", "lunar-poker", "hand", one, other)
    assert code == 0, err
    return out.strip()


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        pytest.param("Ks Kh Qd Qc 2s", "2h 2d Ac 3s 4h", id="c: pairs of the class before the highest card"),
        pytest.param("Ks Kh 3d 4c 5s", "2h 2d Ac 7s 8h", id="b9: kings beat twos, whatever lies beside"),
        pytest.param("2s 3h 4d 5c 6s", "Ah 2d 3c 4s 5h", id="b6: the wheel is the lowest straight"),
        pytest.param("As Kh Qd Jc Ts", "Ks Qh Jd Tc 9s", id="b6: ace high is the highest"),
        pytest.param("3s 3h 3d 2c 2s", "2h 2d 2c As Ah", id="b4: full houses by their three"),
        pytest.param("Ks Qs Js Ts 9s", "Ah 2h 3h 4h 5h", id="b2: steel wheel is the lowest straight flush"),
        pytest.param("As Ks 2h 3d 4c", "Ah Qd Jc Ts 9h", id="b10: ace-king beats ace-queen"),
        pytest.param("2s 2h 3d 4c 5s", "As Kh Qd Jc 9s", id="b9: a pair of twos beats ace-king"),
        pytest.param("As Ah Kd Kc 2s", "Ad Ac Qs Qh Kh", id="b8: two pair by the second pair"),
        pytest.param("As Ah Kd Qc 3s", "Ad Ac Ks Qh 2h", id="c: the last side card decides"),
        pytest.param("4s 4h 4d 4c 2s", "As Ah Ad Kc Kh", id="b3: quads beat a full house"),
        pytest.param("2s 4s 5s 6s 7s", "As Kh Qd Jc Th", id="b5: a flush beats a straight"),
        pytest.param("As Ks Qs Js Ts", "Kh Qh Jh Th 9h", id="b1: a royal beats every straight flush"),
    ],
)
def test_671a_6_b_c_order_of_hands(command, higher, lower):
    assert compared(command, higher, lower) == "first"
    assert compared(command, lower, higher) == "second"


def test_671a_6_a_an_ace_does_not_stand_in_the_middle(command):
    _, out, _ = command("rank", "lunar-poker", "hand", "Qs Kh Ad 2c 3s", "--json")
    assert json.loads(out)["name"] == "ace-king"


def test_671a_6_c_equal_ranks_tie_whatever_the_suits(command):
    assert compared(command, "As Kh Qd Jc 9s", "Ah Ks Qc Jd 9h") == "tie"


@pytest.mark.parametrize(
    ("cards", "name", "text", "core"),
    [
        ("9c As Kd Ah 8s", "pair", "pair of aces", "As Ah"),
        ("9c 9s Kd 8h 8s", "two pair", "two pair, nines and eights", "9c 9s 8h 8s"),
        ("6c 6s Kd 6h 8s", "three-of-a-kind", "three-of-a-kind, sixes", "6c 6s 6h"),
        ("6c 6s 6d 6h 8s", "four-of-a-kind", "four-of-a-kind, sixes", "6c 6s 6d 6h"),
        ("8c 6s 6d 6h 8s", "full house", "full house, sixes over eights", "6s 6d 6h 8c 8s"),
        ("4c 5s 2d 3h As", "straight", "straight, five high", "As 5s 4c 3h 2d"),
        ("9s 5s 2s 3s As", "flush", "flush, ace high", "As 9s 5s 3s 2s"),
        ("9s 8s 7s 6s 5s", "straight flush", "straight flush, nine high", "9s 8s 7s 6s 5s"),
        ("As Ks Qs Js Ts", "royal flush", "royal flush", "As Ks Qs Js Ts"),
        ("2s Ks 9d 6h Ac", "ace-king", "ace-king", "Ac Ks"),
        ("2s Ks 9d 6h Qc", "nothing", "nothing, king high", "Ks"),
        ("9c As Kd Ah 8s Kh", "two pair", "two pair, aces and kings", "As Ah Kd Kh"),
    ],
)
def test_rank_names_the_hand_and_the_cards_that_make_it(command, cards, name, text, core):
    code, out, _ = command("rank", "lunar-poker", "hand", cards, "--json")
    found = json.loads(out)
    assert (code, found["kind"], found["name"], found["text"], found["cards"]) == (0, "hand", name, text, core)


def test_671a_6_b_counts_of_all_hands():
    code, order = list(CODE.values()), LADDER.order_of_code
    by_order = Counter(order(sum(hand)) for hand in combinations(code, 5))
    counts = Counter()
    for value, times in by_order.items():
        counts[str(LADDER.category(value))] += times
    assert counts == {
        "royal flush": 4,
        "straight flush": 36,
        "four-of-a-kind": 624,
        "full house": 3_744,
        "flush": 5_108,
        "straight": 10_200,
        "three-of-a-kind": 54_912,
        "two pair": 123_552,
        "pair": 1_098_240,
        "ace-king": 167_280,
        "nothing": 1_302_540 - 167_280,
    }
    assert sum(times for value, times in by_order.items() if value >= QUALIFIES) == 1_463_700
    assert len(by_order) == 7_462, "classes of hands that tie"


def test_671a_6_d_counts_of_all_hands_by_both_policies():
    line, order = super_line_of_code, LADDER.order_of_code
    literal, as_flush = Counter(), Counter()
    for hand in combinations(CODE.values(), 5):
        code = sum(hand)
        literal[line(code, "literal")] += 1
        if order(code) >= STRAIGHT_FLUSHES:
            as_flush[line(code, "literal")] -= 1
            as_flush[line(code, "as_flush")] += 1
    assert literal == {
        "four-of-a-kind": 624,
        "five picture cards": 768,
        "full house": 3_600,
        "flush": 5_108,
        "straight": 10_200,
        "three-of-a-kind": 54_720,
        "ace-king-queen": 60_676,
        "same colored five": 122_544,
        None: 2_340_720,
    }
    assert as_flush == {"flush": 40, "ace-king-queen": -4, "same colored five": -36}
    pays = {line: odds.pays for line, odds in SUPER.lines.items()}
    edge = literal[None] - sum(times * pays[line] for line, times in literal.items() if line)
    assert round(edge / 2_598_960, 6) == 0.054642


def test_671a_12_a_the_instant_payouts_worth():
    royals, others = 4, 36
    worth = {table: (royals * top + others * rest) / 2_598_960 for table, (top, rest) in reference.INSTANT.items()}
    assert {table: round(100 * one, 3) for table, one in worth.items()} == {"A": 0.577, "B": 0.569, "C": 0.5}


hands = st.lists(st.sampled_from(STANDARD), min_size=5, max_size=6, unique=True).map(tuple)
fives = st.lists(st.sampled_from(STANDARD), min_size=5, max_size=5, unique=True).map(tuple)


@given(fives, fives)
def test_671a_6_c_the_order_is_that_of_the_second_reading(one, other):
    mine = (LADDER.order(one) > LADDER.order(other), LADDER.order(one) == LADDER.order(other))
    theirs = [reference.strength_of_five(show_cards(hand).split()) for hand in (one, other)]
    assert mine == (theirs[0] > theirs[1], theirs[0] == theirs[1])


@given(hands, st.permutations(list(Suit)), st.randoms(use_true_random=False))
def test_671a_6_a_suits_are_equal_and_the_order_of_the_cards_does_not_matter(cards, suits, rng):
    other = dict(zip(Suit, suits, strict=True))
    moved = [Card(card.rank, other[card.suit]) for card in cards]
    rng.shuffle(moved)
    assert best_hand(moved).order == best_hand(cards).order


@given(st.lists(st.sampled_from(STANDARD), min_size=6, max_size=6, unique=True))
def test_671a_11_d_2_the_best_of_six_is_the_highest_of_its_fives(cards):
    hand = best_hand(cards)
    assert hand.order == max(LADDER.order(five) for five in combinations(cards, 5))
    assert LADDER.order(hand.five) == hand.order
    assert set(hand.core) <= set(hand.five) <= set(cards)


@given(hands)
def test_671a_11_f_2_ii_the_second_combination_is_that_of_the_second_reading(cards):
    hand = best_hand(cards)
    if hand.category is Category.NOTHING:
        return
    second = second_combination(cards, hand, BET)
    total = BET.odds(hand.category).pays + (BET.odds(second).pays if second else 0)
    assert total == reference.bet_pays(show_cards(cards).split())


@given(fives)
def test_671a_6_d_the_super_line_is_that_of_the_second_reading(cards):
    for policy in ("literal", "as_flush"):
        assert super_line(cards, policy) == reference.super_name(show_cards(cards).split(), policy)


@pytest.mark.parametrize(
    ("first", "second", "sum_"),
    [
        ("royal flush", "straight flush", 150),
        ("straight flush", "flush", 55),
        ("four-of-a-kind", "full house", 27),
        ("full house", "full house", 14),
        ("straight", "straight", 8),
    ],
)
def test_671a_12_d_two_combinations_add_up(first, second, sum_):
    assert BET.odds(first).pays + BET.odds(second).pays == sum_


def test_671a_6_an_order_is_no_order_of_another_number_of_cards():
    with pytest.raises(KeyError):
        LADDER.order(parse_cards("As Kd"))
