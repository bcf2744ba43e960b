"""Field cases of engines that rank and settle hands, with the hands that those cases name, at Lunar Poker."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from shoectl.cards import STANDARD, Card, Suit, parse_cards
from shoectl.cli import run
from shoectl.errors import BadInput
from shoectl.games.lunar_poker.hands import best_hand, super_line
from shoectl.games.ranking import Category
from shoectl.games.wagers import Odds


def order(text: str) -> int:
    """Of five cards, higher is better; of six, that of their best five."""
    return best_hand(parse_cards(text)).order


def category(text: str) -> Category:
    return best_hand(parse_cards(text)).category


def test_field_case_124_a_straight_and_a_flush_of_other_cards_are_no_straight_flush() -> None:
    assert category("9c Th Jh Qh Kh 2h") is Category.FLUSH
    assert category("Ah 2d 3h 4h 5h 9h") is Category.FLUSH
    assert category("Ah 2h 3h 4h 5h 6d") is Category.STRAIGHT_FLUSH


def test_field_case_125_a_sixth_card_decides_nothing() -> None:
    assert order("Ks Kh Jd Jc 7s 2h") == order("Ks Kh Jd Jc 7s 6h")
    assert order("4s 5h 6d 7c 8s 2h") == order("4s 5h 6d 7c 8s 4h")


def test_field_case_126_three_pairs_among_six_cards_are_the_two_higher_with_the_best_card_left() -> None:
    assert order("As Ah 6d 6c 3s 3h") == order("As Ah 6d 6c 3s")
    assert order("8s 8h 4d 4c 7s 7h") == order("8s 8h 7s 7h 4d")
    assert category("As Ah Ad Ks Kh Kd") is Category.FULL_HOUSE
    assert order("As Ah Ad Ks Kh Kd") == order("As Ah Ad Ks Kh")


def test_field_case_127_the_card_beside_four_alike_and_every_card_of_a_flush_count() -> None:
    assert order("7s 7h 7d 7c 6s") > order("7s 7h 7d 7c 5s")
    assert order("As Ks Qs Js 9s") > order("Ah Kh Qh Jh 8h") > order("Ad Kd Qd Jd 7d")
    assert order("5s 5h Kd 3c 2s") > order("5d 5c Qd 3h 2h")
    luck = random.Random(127)
    for _ in range(3000):
        a, b, c = (order(" ".join(map(str, luck.sample(STANDARD, 5)))) for _ in range(3))
        assert not (a > b > c > a)


@pytest.mark.parametrize(
    "text", ["2h 2h 3d 4c 5s", "", "2h 3h 4h", "2h 3h 4h 5h 6h 7h 8h 9h", "2h 3h 4h 5h Joker", "1h 3h 4h 5h 6h"]
)
def test_field_case_129_a_hand_that_cannot_be_is_refused_in_one_line(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["rank", "lunar-poker", "hand", text]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)


@pytest.mark.parametrize(
    ("text", "literal", "as_flush"),
    [
        ("Ks Kh Kd Qs Qh", "five picture cards", "five picture cards"),
        ("Ks Kh Kd Kc Js", "four-of-a-kind", "four-of-a-kind"),
        ("Ah Kh Qh Jh 9h", "flush", "flush"),
        ("Ah Kd 3h 7d 9h", "same colored five", "same colored five"),
        ("As Ks Qs Js Ts", "ace-king-queen", "flush"),
        ("As Kh Qd 9c 8s", "ace-king-queen", "ace-king-queen"),
        ("As Kh 9d 8c 7s", None, None),
    ],
)
def test_field_case_132_of_lines_that_overlap_the_highest_is_paid(
    text: str, literal: str | None, as_flush: str | None
) -> None:
    cards = parse_cards(text)
    assert (super_line(cards, "literal"), super_line(cards, "as_flush")) == (literal, as_flush)


def test_field_case_138_odds_that_leave_a_rest_are_refused_and_nothing_is_rounded() -> None:
    assert Odds.parse("3:2").payment(10) == 15
    with pytest.raises(BadInput):
        Odds.parse("3:2").payment(5)


def test_field_case_145_suits_and_the_order_of_the_cards_decide_nothing() -> None:
    luck = random.Random(145)
    for _ in range(60):
        hand = luck.sample(STANDARD, 6)
        expected = best_hand(hand).order
        for suits in list(permutations(Suit))[:6]:
            swap = dict(zip(Suit, suits, strict=True))
            turned = [Card(card.rank, swap[card.suit]) for card in hand]
            luck.shuffle(turned)
            assert best_hand(turned).order == expected
