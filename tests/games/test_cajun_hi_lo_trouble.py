"""Cajun Stud and Five Card Hi-Lo with trouble at every part of every step."""

import random

import pytest

from shoectl.games.procedure import GoOn, Irregularity, Trouble
from shoectl.games.records import record_of
from shoectl.games.settle import settle
from shoectl.games.steps import CallFloor
from shoectl.games.text import step_json
from shoectl.wording import sentence
from tests.games import cajun_rounds, hi_lo_rounds
from tests.games.whole_rounds import Table, void_at

GAMES = pytest.mark.parametrize("rounds", [cajun_rounds, hi_lo_rounds], ids=["cajun", "hi-lo"])


def records(rounds, number, seats=(2, 3, 4)):
    """Records of some seats, the same at every run."""
    rng, found = random.Random("trouble"), []
    while len(found) < number:
        record = rounds.random_record(rng)
        if len(record["seats"]) in seats:
            found.append(record_of(record))
    return found


@GAMES
def test_a_round_that_is_void_at_any_point_gives_back_what_lies_there_and_racks_every_card(rounds):
    for record in records(rounds, 6):
        for point in range(Table(record).finish()):
            void_at(record, point)


@GAMES
def test_trouble_that_is_set_right_at_any_point_changes_nothing_in_the_settlement(rounds):
    floor = GoOn((CallFloor("look", ("go on",), rule="13"),))
    for record in records(rounds, 3):
        plain = settle(record)
        for point in range(Table(record).finish()):
            for remedy in (GoOn(), floor):
                table = Table(record, lambda *_, remedy=remedy: remedy)
                for _ in range(point + 1):
                    table.advance()
                table.round.throw(Irregularity(Trouble.EXTRA_CARD, part=table.round.part))
                table.finish()
                assert table.layout.booked == plain.layout.booked
                assert table.layout.rack == plain.layout.rack


@GAMES
def test_every_step_is_a_sentence_for_people(rounds):
    said = set()
    for record in records(rounds, 8):
        table = Table(record)
        while not table.round.over:
            step = table.round.step
            words = sentence(step_json(step), table.round.part)
            assert words != step.do.replace("_", " ")
            said.add(words)
            table.advance()
    some = {
        cajun_rounds: {"turn up the second of the community cards", "lay the bonus cards into the rack"},
        hi_lo_rounds: {
            "say how seat 2 has set its cards: the 2 cards of the low hand",
            "turn up the cards of the dealer",
        },
    }
    assert some[rounds] <= said
