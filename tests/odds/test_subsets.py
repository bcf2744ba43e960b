"""Counting by inclusion and exclusion, against counting one by one."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoectl.cards import Card, Suit, parse_cards
from shoectl.games.cajun_stud.hands import BOARD
from shoectl.games.four_card_poker import odds_against_dealer
from shoectl.games.four_card_poker.hands import best_four
from shoectl.games.lunar_poker import odds_best_play
from shoectl.games.lunar_poker.hands import LADDER, QUALIFIES
from shoectl.odds import subsets
from shoectl.odds.subsets import CARDS, DECK, Containing, classes, place, with_card

CARD = st.integers(0, DECK - 1)


def sets(cards):
    return np.array([sorted(cards)], dtype="int8")


@pytest.fixture(scope="module")
def boards():
    """All hands of three cards, with the order of each."""
    hands = {frozenset(hand): BOARD.order([CARDS[at] for at in hand]) for hand in combinations(range(DECK), 3)}
    ranked = {order: rank for rank, order in enumerate(sorted(set(hands.values())))}
    return {hand: ranked[order] for hand, order in hands.items()}


@pytest.fixture(scope="module")
def containing(boards):
    of = np.array([boards[frozenset(hand)] for hand in subsets.subsets(3).tolist()], dtype="uint16")
    return Containing(3, max(boards.values()) + 1, lambda sets: of[np.minimum(with_card(sets), len(of) - 1)])


@given(dead=st.sets(CARD, min_size=1, max_size=6), bound=st.integers(-1, 740))
@settings(max_examples=40, deadline=None)
def test_hands_that_avoid_cards_are_counted(boards, containing, dead, bound):
    expected = sum(rank <= bound and not hand & dead for hand, rank in boards.items())
    assert containing.avoiding(sets(dead), np.array([bound])).tolist() == [expected]
    assert containing.avoiding(sets(dead), np.array([[bound, 0]]))[0, 0] == expected


@given(dead=st.sets(CARD, min_size=1, max_size=2), bound=st.integers(0, 740), shown=CARD)
@settings(max_examples=40, deadline=None)
def test_hands_with_one_card_and_without_others_are_counted(boards, containing, dead, bound, shown):
    if shown not in dead:
        expected = sum(rank <= bound and shown in hand and not hand & dead for hand, rank in boards.items())
        assert containing.with_and_without(sets(dead), np.array([bound]))[0, shown] == expected


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_classes_hold_every_set_once(size):
    kinds = classes(size)
    assert kinds.weights.sum() == comb(DECK, size)
    assert len(kinds.sets) == {1: 13, 2: 169, 3: 1755, 4: 16432}[size]
    assert place(subsets.subsets(size)).tolist() == list(range(comb(DECK, size)))
    assert (kinds.of[place(kinds.sets)] == range(len(kinds.sets))).all()


@pytest.mark.parametrize("cards", ["As Ah Kd 9c 8s", "2s 3s 4s 5s 7s", "As Kh 7d 6c 2s Qd"])
def test_what_becomes_of_a_lunar_bet_is_counted_as_one_by_one(cards):
    hand = [next(at for at, card in enumerate(CARDS) if str(card) == word) for word in cards.split()]
    orders, of = odds_best_play.ranks()
    free = ~np.isin(subsets.subsets(5), hand).any(axis=1)
    ranks = of[free]
    own = odds_best_play.best_rank(sets(hand))[0]
    not_qualified, lower, equal, higher = odds_best_play.against(sets(hand), np.array([own]))
    needed = sum(order < QUALIFIES for order in orders)
    assert orders[own] == LADDER.best([CARDS[at] for at in hand])[0]
    assert not_qualified[0] == (ranks < needed).sum()
    assert lower[0] == ((ranks >= needed) & (ranks < own)).sum()
    assert equal[0] == ((ranks == own) & (ranks >= needed)).sum()
    assert higher[0] == ((ranks > own) & (ranks >= needed)).sum()


@pytest.mark.parametrize(("cards", "shown"), [("Ts Th Kd 9c 8s", "Ah"), ("As Kh Qd Tc 2s", "2d")])
def test_four_card_wins_against_one_card_in_sight_are_counted_as_one_by_one(cards, shown):
    hand = [next(at for at, card in enumerate(CARDS) if str(card) == word) for word in cards.split()]
    up = next(at for at, card in enumerate(CARDS) if str(card) == shown)
    fives = subsets.subsets(5)
    fives = fives[~np.isin(fives, [*hand, up]).any(axis=1)]
    best = odds_against_dealer.best_of_five(fives)
    for part in combinations(range(5), 3):
        four = np.sort(np.concatenate([fives[:, part], np.full((len(fives), 1), up, dtype="int8")], axis=1), axis=1)
        np.maximum(best, odds_against_dealer.ranks().of[place(four)], out=best)
    own = odds_against_dealer.best_of_five(sets(hand)).astype("int64")
    assert odds_against_dealer.ranks().orders[own[0]] == best_four([CARDS[at] for at in hand]).order
    assert len(best) == odds_against_dealer.UNSEEN
    assert odds_against_dealer.dealer().with_and_without(sets(hand), own)[0, up] == (best <= own[0]).sum()


@given(st.lists(st.sampled_from(CARDS), min_size=6, max_size=6, unique=True), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_hands_that_count_as_one_kind_are_paid_alike(hand, luck):
    kind, pays = odds_best_play._kind_of(hand), odds_best_play._pays(hand)
    for _ in range(10):
        suits = {rank: luck.sample(list(Suit), 4) for rank in {card.rank for card in hand}}
        other = [Card(card.rank, suits[card.rank].pop()) for card in hand]
        if odds_best_play._kind_of(other) == kind:
            assert odds_best_play._pays(other) == pays


def test_a_kind_tells_a_flush_and_its_cards():
    one, other, third = (
        odds_best_play._kind_of(parse_cards(cards))
        for cards in ("As Ks 9s 5s 3s Ah", "Ah Kh 9h 5h 3h Ac", "Ah Kh 9h 5h 3s Ac")
    )
    assert one == other
    assert one != third
