"""What simulated people notice of the cards that lie on the table, and the table does not know: they report it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from shoectl.games.procedure import Trouble
from tests.session.test_simulated import table
from tests.timeloop import virtual

from . import invariants, scenes
from .world import World

UNTOLD = Path("no truth")  # which says what the journal cannot know: a card that a hand has moved


class Sleight:
    """Moves one card when a step is open for the first time, behind everybody's back and before anybody looks."""

    def __init__(self, step: str, source: str, to: str) -> None:
        self.step, self.source, self.to = step, source, to
        self.done = False

    async def beside(self, world: World) -> None:
        """Beside a daemon."""
        world.runner.listen(lambda: self._look(world))
        await asyncio.Event().wait()

    def _look(self, world: World) -> None:
        step = world.runner.open
        if not self.done and world.table is not None and step is not None and step.step.do == self.step:
            self.done = True
            cards = world.table.world
            cards.move(cards.cards(self.source)[-1], self.to, by="somebody")


async def played(folder: Path, sleight: Sleight) -> World:
    world = World(folder, table(), seed=3, disturb=sleight.beside)
    await world.play(2)
    return world


def bodies(world: World, kind: str) -> list[Mapping[str, Any]]:
    return [entry.body for entry in world.entries if entry.kind == kind]


def asked(world: World) -> list[str]:
    return [body["step"]["do"] for body in bodies(world, "step")]


@pytest.mark.parametrize("to", ["off", "seat 4", "rack"])
@virtual
async def test_a_hand_with_a_card_too_few_or_too_many_is_reported_and_voids_the_round(tmp_path: Path, to: str) -> None:
    world = await played(tmp_path, Sleight("ask", "seat 2", to))
    assert world.stopped is None
    trouble = bodies(world, "irregularity")[0]
    assert (trouble["trouble"], trouble["place"][:5]) == (Trouble.WRONG_COUNT, "seat ")
    invariants.hold(world.journal, UNTOLD)
    counted = [body["answer"]["counted"] for body in bodies(world, "answer") if body["takes"] == "Shuffled"]
    assert counted[:2] == [52, 51 if to == "off" else 52]  # the next shuffle counts what was gathered
    assert ("remove_deck" in asked(world)) is (to == "off")


@virtual
async def test_a_hand_that_is_short_when_it_is_turned_up_voids_the_round_before_anything_is_settled(
    tmp_path: Path,
) -> None:
    world = await played(tmp_path, Sleight("reveal", "dealer", "rack"))
    assert world.stopped is None
    assert [body["trouble"] for body in bodies(world, "irregularity")] == [Trouble.WRONG_COUNT]
    first = bodies(world, "irregularity")[0]
    assert first["place"] == "dealer"
    invariants.hold(world.journal, UNTOLD)


def test_a_card_of_another_game_that_no_reader_has_seen_is_reported_and_its_deck_leaves() -> None:
    came = scenes.played("alder:foreign@card=10", devices=("alder",), rounds=3)
    assert came.stopped is None
    assert came.troubles == [Trouble.FOREIGN_CARD]
    assert "remove_deck" in came.asked
