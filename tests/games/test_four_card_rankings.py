"""§ 641a.6: the rankings, by the worked hands, against the second reading, and by counting every hand there is."""

import json
from collections import Counter
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoectl.cards import STANDARD, Card, Rank, Suit, show_cards
from shoectl.games.four_card_poker.hands import (
    FIVE,
    FOUR,
    aces_up_line,
    bad_beat_line,
    best_five,
    best_four,
    progressive_4_line,
)
from shoectl.games.four_card_poker.money import PAYTABLES
from shoectl.games.ranking import CODE, Category
from tests.games import four_card_reference as reference
from tests.games.four_card_records import nets, record, seat, steps

# player, dealer (the sixth is the up card); each one's best four and what orders it; who is higher; the line of the
# Ante Bonus, of the Bad Beat; whether Aces Up wins; the five-card hands of the player and of the dealer's first five.
# Where the examples say ace-king of five cards it is "nothing" here: that class is Lunar Poker's.
EXAMPLES = {
    "B1: no full house among four; five cards have one": (
        ("Ks Kh Kd Ac Ah", "three-of-a-kind", [13, 14], "full house"),
        ("Qs Qh Jd Jc 3s 2h", "two pair", [12, 11], "two pair"),
        ("first", "two pair", True),
    ),
    "B3: straight flush over three of a kind": (
        ("5s 6s 7s 8s 8h", "straight flush", [8], "pair"),
        ("As Ah Ad Kc 3s 2h", "three-of-a-kind", [14, 13], "three-of-a-kind"),
        ("first", "three-of-a-kind", True),
    ),
    "B4: straight over two pair": (
        ("As Kh Qd Jc 2s", "straight", [14], "nothing"),
        ("Qs Qh 9d 9c 3s 2h", "two pair", [12, 9], "two pair"),
        ("first", "two pair", True),
    ),
    "B6: queen-king-ace-two does not wrap": (
        ("Qs Kh Ad 2c 7s", "high card", [14, 13, 12, 7], "nothing"),
        ("5s 5h 9d 8c Jd 3h", "pair", [5, 11, 9], "pair"),
        ("second", None, False),
    ),
    "B7: two pair loses to a flush, (c)(6)(i)": (
        ("Ts Th 9d 9c 2s", "two pair", [10, 9], "two pair"),
        ("As Ks 8s 4s 3d 2h", "flush", [14, 13, 8, 4], "nothing"),
        ("second", "two pair", True),
    ),
    "B9: a pair that loses pays no Bad Beat, (c)(6)(iii); nines no Aces Up": (
        ("9s 9h 4d 3c 2s", "pair", [9, 4, 3], "pair"),
        ("Ts Jh Qd Kc 5s 6h", "straight", [13], "nothing"),
        ("second", None, False),
    ),
    "B10: a straight that does not lose, (c)(6)(iii)": (
        ("Ts Jh Qd Kc 5s", "straight", [13], "nothing"),
        ("9s 9h 4d 3c 2s 6h", "pair", [9, 6, 4], "pair"),
        ("first", None, True),
    ),
    "B12: an exact tie": (
        ("As Ah Kd 9c 4s", "pair", [14, 13, 9], "pair"),
        ("Ad Ac Kh 9h 4d 3s", "pair", [14, 13, 9], "pair"),
        ("tie", None, True),
    ),
    "B13: the second side card decides": (
        ("As Ah Kd Qc 4s", "pair", [14, 13, 12], "pair"),
        ("Ad Ac Kh Jh Td 3s", "pair", [14, 13, 11], "pair"),
        ("first", None, True),
    ),
    "B15: four of a kind over a straight flush": (
        ("9s 9h 9d 9c As", "four-of-a-kind", [9], "four-of-a-kind"),
        ("Ks Qs Js Ts 4d 2c", "straight flush", [13], "nothing"),
        ("first", "straight flush", True),
    ),
    "B16: royal only with five cards": (
        ("As Ks Qs Js Ts", "straight flush", [14], "royal flush"),
        ("8s 8h 8d 4c 3d 2d", "three-of-a-kind", [8, 4], "three-of-a-kind"),
        ("first", "three-of-a-kind", True),
    ),
    "B18: aces win Aces Up": (
        ("As Ah 9d 6c 3s", "pair", [14, 9, 6], "pair"),
        ("Ks Kh Jd 7c 4s 2h", "pair", [13, 11, 7], "pair"),
        ("first", None, True),
    ),
    "B19: kings win the hand and lose Aces Up": (
        ("Ks Kh 9d 6c 3s", "pair", [13, 9, 6], "pair"),
        ("Qs Qh Jd 7c 4s 2h", "pair", [12, 11, 7], "pair"),
        ("first", None, False),
    ),
    "B21: the ace is not among the four": (
        ("Js Jh 8d 8c As", "two pair", [11, 8], "two pair"),
        ("Jd Jc 8s 8h 3d 2h", "two pair", [11, 8], "two pair"),
        ("tie", None, True),
    ),
    "B22: four of a kind beaten": (
        ("9s 9h 9d 9c 2s", "four-of-a-kind", [9], "four-of-a-kind"),
        ("Ts Th Td Tc 3s 4h", "four-of-a-kind", [10], "four-of-a-kind"),
        ("second", "four-of-a-kind", True),
    ),
}
BONUS = {"four-of-a-kind": 250, "straight flush": 200, "three-of-a-kind": 20}
BAD_BEAT = {"four-of-a-kind": 25_000, "straight flush": 10_000, "three-of-a-kind": 100, "flush": 25, "straight": 15}
BAD_BEAT["two pair"] = 4


def named(command, kind, cards):
    code, out, err = command("rank", "four-card-poker", kind, cards, "--json")
    assert code == 0, err
    return json.loads(out)


@pytest.mark.parametrize(("player", "dealer", "expected"), EXAMPLES.values(), ids=EXAMPLES)
def test_641a_6_b_d_worked_hands_are_ranked(command, player, dealer, expected):
    for cards, four, weights, five in (player, dealer):
        found = named(command, "four", cards)
        assert found["name"] == four
        assert list(dict.fromkeys(reference.strength(reference.best(cards.split(), 4))[1])) == weights
        assert named(command, "five", " ".join(cards.split()[:5]))["name"] == five
    assert command("compare", "four-card-poker", "four", player[0], dealer[0])[1] == f"{expected[0]}\n"


@pytest.mark.parametrize(("player", "dealer", "expected"), EXAMPLES.values(), ids=EXAMPLES)
def test_641a_11_c_3_to_7_worked_hands_are_settled(settle, player, dealer, expected):
    result, beaten, aces_up = expected
    wagers = {"ante": 10, "aces_up": 5, "bad_beat": 5, "five_card_hand": 5, "five_card_hand_dealer": 5}
    house = {"five_card_hand_meter": 1000}
    found = settle(record(seat(player[0], 30, **wagers), dealer=dealer[0], house=house))
    net, won = nets(found), result != "second"
    assert (net["ante"], net["play"]) == ((10, 30) if won else (-10, -30))
    assert net.get("ante_bonus", 0) == (BONUS.get(player[1], 0) if won else 0)
    assert net["bad_beat"] == (5 * BAD_BEAT[beaten] if beaten else -5)
    assert (net["aces_up"] > 0) == aces_up
    for wager, five in (("five_card_hand", player[3]), ("five_card_hand:dealer", dealer[3])):
        paid = steps(found, "credit", wager=wager)
        assert [step["for"] for step in paid] == ([] if five in ("nothing", "pair", "two pair") else [five])


@pytest.mark.parametrize(
    ("cards", "name", "text", "core"),
    [
        ("9c As Kd Ah 8s", "pair", "pair of aces", "As Ah"),
        ("9c 9s Kd 8h 8s", "two pair", "two pair, nines and eights", "9c 9s 8h 8s"),
        ("6c 6s Kd 6h 8s", "three-of-a-kind", "three-of-a-kind, sixes", "6c 6s 6h"),
        ("6c 6s 6d 6h", "four-of-a-kind", "four-of-a-kind, sixes", "6c 6s 6d 6h"),
        ("4c 2d 3h As Ks", "straight", "straight, four high", "As 4c 3h 2d"),
        ("9s 5s 2s Ks 9h", "flush", "flush, king high", "Ks 9s 5s 2s"),
        ("As 2s 3s 4s Ah", "straight flush", "straight flush, four high", "As 4s 3s 2s"),
        ("As Kd 9h 7c 5s", "high card", "high card, ace high", "As"),
    ],
)
def test_rank_four_names_the_hand_and_the_cards_that_make_it(command, cards, name, text, core):
    found = named(command, "four", cards)
    assert (found["kind"], found["name"], found["text"], found["cards"]) == ("four", name, text, core)


@pytest.mark.parametrize(
    ("kind", "cards", "rule"),
    [
        ("four", "As Kd 9h", "641a.6(b)"),
        ("four", "As Kd 9h 7c 5s 4s 3s", "641a.6(b)"),
        ("five", "As Kd 9h 7c 5s 4s", "641a.6(d)"),
        ("six", "As Kd 9h 7c 5s", "641a.6(e)"),
    ],
)
def test_another_number_of_cards_is_not_ranked(command, kind, cards, rule):
    code, out, err = command("rank", "four-card-poker", kind, cards)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert kind in err


def test_641a_6_e_six_cards_are_ranked_by_their_best_five(command):
    assert named(command, "six", "9s 9h Kd 4c 2s 9c")["name"] == "three-of-a-kind"
    assert named(command, "six", "As Ks Qs Js Ts Ah")["name"] == "royal flush"
    assert named(command, "six", "9s 9h 9d 4c 4s 4d")["text"] == "full house, nines over fours"


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        pytest.param("2s 2h 2d 2c", "As Ks Qs Js", id="four twos over the highest straight flush"),
        pytest.param("As 2s 3s 4s", "Ah Ad Ac Kh", id="the lowest straight flush over three aces"),
        pytest.param("2s 2h 2d 3c", "As Ks Qs 9s", id="three of a kind over a flush"),
        pytest.param("2s 3s 4s 6s", "As Kh Qd Jc", id="a flush over a straight"),
        pytest.param("As 2h 3d 4c", "As Ah Kd Kc", id="the lowest straight over the highest two pair"),
        pytest.param("2s 3h 4d 5c", "As 2h 3d 4c", id="the ace stands low in the lowest straight"),
        pytest.param("2s 2h 3d 3c", "As Ah Kd Qc", id="two pair over a pair"),
        pytest.param("2s 2h 3d 4c", "As Kh Qd Tc", id="a pair over high cards"),
    ],
)
def test_641a_6_b_order_of_the_classes(command, higher, lower):
    assert command("compare", "four-card-poker", "four", higher, lower)[1] == "first\n"
    assert command("compare", "four-card-poker", "four", lower, higher)[1] == "second\n"


# every hand there is


@cache
def suit_patterns(shape, least):
    """For ranks that occur so often: suits for each, and how many hands they stand for. Hands with fewer than `least`
    cards in any suit are one pattern, the others differ by more than the names of the suits.
    """
    found = Counter()
    for suits in product(*(tuple(combinations("shdc", times)) for times in shape)):
        most = max(Counter(suit for group in suits for suit in group).values())
        found[_same_pattern(suits) if most >= least else None] += 1
        if most < least:
            plain = suits
    return [(pattern or plain, times) for pattern, times in found.items()]


def _same_pattern(suits):
    names = (dict(zip("shdc", other, strict=True)) for other in permutations("shdc"))
    return min(tuple(tuple(sorted(name[suit] for suit in group)) for group in suits) for name in names)


def every_hand(size, least):
    """All hands of so many cards: one of each kind that differs by ranks, or by `least` cards of a suit, and how many
    hands it stands for.
    """
    for ranks in combinations_with_replacement(Rank, size):
        times = Counter(ranks)
        if max(times.values()) > 4:
            continue
        for suits, count in suit_patterns(tuple(times.values()), least):
            cards = [Card(rank, Suit(suit)) for rank, group in zip(times, suits, strict=True) for suit in group]
            yield cards, count


def test_641a_6_b_all_four_card_hands_are_in_the_order_of_the_second_reading():
    orders = {}
    for cards, _ in every_hand(4, 4):
        orders.setdefault(FOUR.order(cards), set()).add(str(reference.strength(show_cards(cards).split())))
    strengths = sorted(
        (reference.strength(show_cards(cards).split()), FOUR.order(cards)) for cards, _ in every_hand(4, 4)
    )
    assert all(len(same) == 1 for same in orders.values()), "hands that tie here tie there"
    mine = [order for _, order in strengths]
    assert mine == sorted(mine)
    assert len(set(mine)) == len({str(strength) for strength, _ in strengths}) == len(orders)


def test_641a_6_b_counts_of_all_four_card_hands():
    counts = Counter(str(FOUR.category(FOUR.order_of_code(sum(hand)))) for hand in combinations(CODE.values(), 4))
    assert counts == {
        "four-of-a-kind": 13,
        "straight flush": 44,
        "three-of-a-kind": 2_496,
        "flush": 2_816,
        "straight": 2_772,
        "two pair": 2_808,
        "pair": 82_368,
        "high card": 177_408,
    }


@cache
def best_fours():
    """How many of the 2,598,960 hands of five have a best four of each order."""
    counts = Counter()
    for cards, count in every_hand(5, 4):
        counts[FOUR.best(cards)[0]] += count
    return counts


def test_641a_6_b_counts_of_the_best_four_of_five():
    counts, pairs = Counter(), Counter()
    for order, count in best_fours().items():
        counts[str(FOUR.category(order))] += count
        if FOUR.category(order) is Category.PAIR:
            pairs[order // 16**3] += count
    assert counts == {
        "four-of-a-kind": 624,
        "straight flush": 2_072,
        "three-of-a-kind": 58_656,
        "flush": 114_616,
        "straight": 101_808,
        "two pair": 123_552,
        "pair": 1_047_552,
        "high card": 1_150_080,
    }
    by_rank = [81_096, 80_724, *[80_352] * 8, 80_724, 81_096, 81_096]
    assert [count for _, count in sorted(pairs.items())] == by_rank


@pytest.mark.parametrize(
    ("letter", "edge"),
    list(zip("DFGCBAHE", (1.9786, 2.5752, 2.7759, 3.3724, 3.8917, 4.2355, 4.6890, 6.1486), strict=True)),
)
def test_641a_12_c_what_aces_up_costs(letter, edge):
    lines = PAYTABLES["aces_up"][letter].lines
    counts = Counter()
    for order, count in best_fours().items():
        counts[aces_up_line(order)] += count
    assert counts["pair of aces"] == 81_096
    hands = counts.total()
    hit = sum(count for line, count in counts.items() if line in lines)
    assert (hands, round(100 * hit / hands, 4)) == (2_598_960, 18.5622)
    lost = hands - hit - sum(odds.pays * counts[line] for line, odds in lines.items())
    assert round(100 * lost / hands, 4) == edge


@cache
def best_of_six():
    counts = Counter()
    for cards, count in every_hand(6, 5):
        counts[str(FIVE.category(FIVE.best(cards)[0]))] += count
    return counts


def test_641a_6_e_counts_of_the_best_five_of_six():
    assert best_of_six() == {
        "royal flush": 188,
        "straight flush": 1_656,
        "four-of-a-kind": 14_664,
        "full house": 165_984,
        "flush": 205_792,
        "straight": 361_620,
        "three-of-a-kind": 732_160,
        "two pair": 2_532_816,
        "pair": 9_730_740,
        "nothing": 6_612_900,
    }
    assert best_of_six().total() == 20_358_520


@pytest.mark.parametrize(("letter", "edge"), [("A", 10.225), ("B", 8.561), ("C", 15.279), ("D", 6.741)])
def test_641a_12_h_what_the_six_card_bonus_costs(letter, edge):
    lines, counts = PAYTABLES["six_card"][letter].lines, best_of_six()
    hit = sum(counts[line] for line in lines)
    lost = counts.total() - hit - sum(odds.pays * counts[line] for line, odds in lines.items())
    assert round(100 * lost / counts.total(), 3) == edge
    assert round(100 * hit / counts.total(), 3) == 7.280


# properties

some_cards = st.lists(st.sampled_from(STANDARD), min_size=5, max_size=6, unique=True)


@given(some_cards, some_cards)
def test_641a_11_c_2_best_hands_compare_as_in_the_second_reading(one, other):
    for mine, size in ((best_four, 4), (best_five, 5)):
        orders = [mine(cards).order for cards in (one, other)]
        theirs = [reference.strength(reference.best(show_cards(cards).split(), size)) for cards in (one, other)]
        assert (orders[0] > orders[1], orders[0] == orders[1]) == (theirs[0] > theirs[1], theirs[0] == theirs[1])


@given(some_cards, some_cards)
def test_641a_11_c_6_the_bad_beat_is_paid_on_the_hand_that_lost(one, other):
    player, dealer = best_four(one), best_four(other)
    line = bad_beat_line(player.order, dealer.order)
    assert line == bad_beat_line(dealer.order, player.order)
    if line is not None:
        assert line == min(player, dealer, key=lambda hand: hand.order).category
        assert line in PAYTABLES["bad_beat"]["A"].lines
    assert bad_beat_line(player.order, player.order) is None


@given(some_cards)
def test_every_line_is_one_of_its_paytables_or_loses_by_name(cards):
    four, five = best_four(cards), best_five(cards)
    losing = {"high card", "pair", "two pair", "straight", "flush", "nothing"}
    assert progressive_4_line(four.order) in {*PAYTABLES["progressive_4"]["A"].lines, *losing}
    assert aces_up_line(four.order) in {*PAYTABLES["aces_up"]["A"].lines, "high card", None}
    assert str(five.category) in {*PAYTABLES["five_card_hand"]["A"].lines, *losing}
    assert set(four.core) <= set(four.cards) <= set(cards)


def test_641a_12_d_four_aces_are_a_line_of_their_own():
    lines = Counter(progressive_4_line(FOUR.order_of_code(sum(hand))) for hand in combinations(CODE.values(), 4))
    assert (lines["four aces"], lines["four-of-a-kind"]) == (1, 12)
