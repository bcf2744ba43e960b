"""Simulated people at a Four Card Poker table: whatever they do is allowed."""

import random
from collections import Counter

import pytest

from shoectl.cards import parse_cards
from shoectl.games.layout import Layout, Slot
from shoectl.games.registry import game
from shoectl.games.steps import DEALER, PlaceWagers, ReadSystem, Reveal
from shoectl.table import players
from shoectl.table.simulated import turned_faces

FOUR_CARD = game("four-card-poker")
LIMITS = dict.fromkeys(FOUR_CARD.families, (5, 100)) | {"ante": (10, 500)}


@pytest.mark.parametrize("equal", [False, True])
def test_641a_7_what_they_wager_is_allowed_and_most_of_them_place_an_ante(equal):
    offers = FOUR_CARD.offers(FOUR_CARD.house({"equal_ante_aces_up": equal}), LIMITS)
    step, seen = PlaceWagers((1, 2, 3, 4), offers, rule="641a.7"), Counter()
    for number in range(300):
        placed = players.place_wagers(step, random.Random(number))
        Layout().check(step, 0, placed)
        assert placed.placed
        seen.update(wager for _, wager, _ in placed.placed)
    assert set(seen) == {offer.wager for offer in offers}
    assert seen["ante"] > 800


@pytest.mark.parametrize("kind", ["amount", "card", "place"])
def test_what_their_game_system_says_is_allowed(kind):
    step = ReadSystem("it", kind, rule="641a.11(c)(7)")
    for number in range(50):
        Layout().check(step, 0, players.system_says(step, (1, 2, 5), random.Random(number)))


@pytest.mark.parametrize(("at", "up", "seen"), [((5,), (), "4h"), ((5,), (0,), "Ks 4h"), ((1, 5), (2,), "Kh Jd 4h")])
def test_641a_11_c_7_the_dealer_enters_the_one_card_that_he_turned(at, up, seen):
    six = parse_cards("Ks Kh Jd 7c 4s 4h")
    table = Layout(places={DEALER: [Slot(None, up=number in up) for number in range(6)]})
    step = Reveal(DEALER, at, rule="641a.8")
    assert turned_faces(step, table, parse_cards(seen)) == tuple(six[one] for one in at)
    assert turned_faces(Reveal(DEALER, rule="641a.11(c)"), table, six) == six
