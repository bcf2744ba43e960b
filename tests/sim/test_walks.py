"""Random walks of person, host, faults and power (long ones: `python -m tests.sim.walk`); power cut at every write."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

import pytest

from protocols.vocabulary import card_byte
from tests.sim.patience import Patient
from tests.sim.walk import Walk

STEPS = 150
"""In the suite; the full size is 10,000."""


@pytest.mark.parametrize("seed", range(8))
def test_nothing_falls_over_and_no_card_is_lost(seed: int) -> None:
    walk = Walk(seed)
    walk.go(STEPS)
    assert len(walk.done) > STEPS / 2


def test_one_seed_is_one_walk() -> None:
    walks = [Walk(3), Walk(3)]
    for walk in walks:
        walk.go(60)
    assert walks[0].done == walks[1].done
    places = [{place: cards for place, cards in walk.desk.bench.table.world.places.items() if cards} for walk in walks]
    assert places[0] == places[1]


def drawn(desk: Patient) -> dict[int, int]:
    """What the events say was drawn: draw index and face, as read or as named."""
    told = [event for event in desk.events("birch") if event.name in ("CARD_DRAWN", "CARD_RESOLVED")]
    return {event.body["idx"]: event.body["card"] for event in told}


@pytest.mark.parametrize("how", ["before", "torn", "after"])
@pytest.mark.parametrize("part", range(2))
def test_power_that_fails_at_any_write_of_a_deal_costs_no_card(tmp_path: Path, how: str, part: int) -> None:
    for number in count(1 + part, 2):
        fault = f"birch:write_cut@write={number},how={how}"
        truth = tmp_path / str(number)
        desk = Patient("birch", seed=7, faults=(fault,), truth=truth)
        desk.dealt(3)
        if f"{fault}#0" not in desk.bench.table.plan.fired:
            break
        moves = [json.loads(line) for line in truth.read_text().splitlines()]
        assert desk.cards("table") == ["As", "2s", "3s"], number
        told = list(drawn(desk).items())
        first = next((idx for idx, card in told if card == card_byte("As")), 0)
        assert [card for idx, card in told if idx >= first][-3:] == [card_byte(text) for text in ("As", "2s", "3s")], (
            number
        )
        there = sum(move["to"] == "table" for move in moves) - sum(move["from"] == "table" for move in moves)
        assert there == 3, number
        seqs = [event.seq for event in desk.events("birch")]
        assert seqs == list(range(1, len(seqs) + 1)), number
    assert number > 12


@pytest.mark.parametrize("how", ["before", "torn", "after"])
def test_power_that_fails_at_any_write_of_a_shuffle_costs_no_card(how: str) -> None:
    decks = set()
    for number in [*range(1, 16), *range(16, 120, 13)]:
        desk = Patient("alder", seed=7, faults=(f"alder:write_cut@write={number},how={how}",))
        desk.proven()
        decks.add(tuple(desk.cards("alder.output")))
        seqs = [event.seq for event in desk.events("alder")]
        assert seqs == list(range(1, len(seqs) + 1)), number
    assert len(decks) == 1
    assert len(set(*decks)) == 52
