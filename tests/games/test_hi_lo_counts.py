"""§ 663a.6(a), .11(d), (e): every hand of five cards by its ranks, points, aces and settings counted."""

from collections import Counter
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb, prod

from shoectl.cards import Card, Rank, Suit
from shoectl.games.five_card_hi_lo.hands import aces, foul, settings_of
from tests.games.hi_lo_rounds import high_of, legal_settings, low_of

DEALER_HIGH = (
    "7:4 8:28 9:96 10:304 11:656 12:1320 13:2356 14:3896 15:6344 16:10008 17:15836 18:23396 19:34636 20:46684 "
    "21:64756 22:81652 23:109416 24:137544 25:177224 26:207904 27:248064 28:268424 29:297036 30:455656 31:327144 "
    "32:74016 33:4560"
)


@cache
def hands():
    """One hand of each pattern of ranks, and how many hands have it: points know no suits."""
    return tuple(patterns())


def patterns():
    for ranks in combinations_with_replacement(Rank, 5):
        times = Counter(ranks)
        if max(times.values()) <= 4:
            suits = [suit for rank in times for suit in list(Suit)[: times[rank]]]
            cards = tuple(Card(rank, suit) for rank, suit in zip(sorted(ranks), suits, strict=True))
            yield cards, prod(comb(4, one) for one in times.values())


def test_663a_11_e_the_dealers_high_total():
    totals = Counter()
    for cards, count in hands():
        totals[settings_of(cards)[0].high] += count
    assert totals.total() == 2_598_960
    assert " ".join(f"{total}:{count}" for total, count in sorted(totals.items())) == DEALER_HIGH


def test_663a_11_h_three_and_four_aces():
    counts = Counter()
    for cards, count in hands():
        counts[aces(cards)] += count
    assert (counts[3], counts[4]) == (4512, 48)


def test_663a_11_d_how_many_settings_there_are():
    for cards, _ in hands():
        number = len(settings_of(cards))
        assert number == (1 if aces(cards) in (0, 4) else 2), cards
        assert len({two.totals for two in settings_of(cards)}) == number, cards


def test_663a_11_d_of_all_ten_settings_of_a_hand_the_legal_ones_are_those_of_the_second_reading():
    for cards, _ in hands()[::3]:
        words = [str(card) for card in cards]
        legal = {frozenset(low) for _, low in legal_settings(words)}
        for low in combinations(cards, 2):
            assert (foul(cards, low) is None) == (frozenset(map(str, low)) in legal), (cards, low)
        assert {two.totals for two in settings_of(cards)} == {
            (high_of(high), low_of(low)) for high, low in legal_settings(words)
        }


def test_663a_11_d_e_points_stay_within_their_range():
    high = {two.high for cards, _ in hands() for two in settings_of(cards)}
    low = {two.low for cards, _ in hands() for two in settings_of(cards)}
    assert (min(low), max(low), max(high)) == (3, 20, 33)
