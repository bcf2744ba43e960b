"""Whole rounds of Four Card Poker: random ones against the second reading, and with trouble at every point."""

import random
import re

import pytest

from shoectl.games.procedure import GoOn, Irregularity, Trouble, guarded
from shoectl.games.records import record_of
from shoectl.games.registry import game
from shoectl.games.settle import settle
from shoectl.games.steps import PlaceWagers
from shoectl.games.text import step_json
from tests.games import four_card_generate
from tests.games.four_card_rounds import LIMITS, Table, check_round, check_void

FOUR_CARD = game("four-card-poker")


@pytest.mark.parametrize("part", range(4))
def test_641a_11_random_rounds_are_settled_as_the_second_reading_has_them(part):
    for number in range(250):
        check_round(f"suite {part}/{number}")


def records(number, seats=(3, 4, 5)):
    """Records of some seats, the same at every run."""
    rng = random.Random("trouble")
    found = []
    while len(found) < number:
        record = four_card_generate.random_record(rng)
        if len(record["seats"]) in seats:
            found.append(record)
    return found


def test_641a_13_a_round_that_is_void_at_any_point_gives_back_what_lies_there_and_racks_every_card():
    for record in records(8):
        for point in range(Table(record).run()):
            check_void(record, point)


class SetRight(Table):
    """Trouble is set right, and what it interrupted is asked again."""

    def play(self, table):
        yield from PlaceWagers(tuple(range(1, 8)), FOUR_CARD.offers(self.house, LIMITS), rule="641a.7")
        yield from guarded(FOUR_CARD.until_showdown(table, self.house, self.dealing), lambda *_: GoOn())
        yield from guarded(FOUR_CARD.showdown(table, self.house), lambda *_: GoOn())


def test_trouble_that_is_set_right_at_any_point_changes_nothing_in_the_settlement():
    for record in records(5):
        plain = settle(record_of(record)).layout
        for point in range(1, SetRight(record).run()):
            table = SetRight(record)
            for _ in range(point):
                table.advance()
            table.round.throw(Irregularity(Trouble.EXPOSED_CARD, part=table.round.part))
            table.run()
            assert table.layout.booked == plain.booked
            assert table.layout.rack == plain.rack


def test_no_step_carries_a_face_even_where_the_game_system_picked_a_card():
    faces = set(four_card_generate.DECK)
    for record in records(40, seats=(1, 4, 7)):
        table = Table(record, asked=True)
        while not table.round.over:
            words = re.findall(r"\w+", str(step_json(table.round.step)))
            assert faces.isdisjoint(words), words
            table.advance()


def test_641a_11_b_what_is_asked_before_the_showdown_does_not_depend_on_the_cards():
    for record in records(10):
        table, other = Table(record), Table(record, blind=True)
        while table.round.step is not None and not table.round.step.rule.startswith("641a.11(c)"):
            assert table.round.step == other.round.step
            table.advance()
            other.advance()
