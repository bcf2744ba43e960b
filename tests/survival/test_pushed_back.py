"""Cards that are pushed back into a shoe after the journal has them where they were dealt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shoectl.games.dealing import Dealing
from shoectl.games.procedure import Trouble
from tests.session.test_simulated import table
from tests.timeloop import virtual

from . import invariants
from .knives import Knife
from .scenes import played
from .world import World

LIGHT = ("alder", "dogwood")  # it tells its events one at a time: a draw is answered before its return is told
LAST = 20  # the last draw of the first deal, with seed 3 and three seats
LEISURE_S = 2.0  # that people take over an answer


async def at_leisure(folder: Path, fault: str, devices: tuple[str, ...] = LIGHT, **changes: Any) -> World:
    """Rounds of people who take their time, all invariants held."""
    world = World(folder, table(devices, **changes), (fault,), devices=devices, seed=3, pause=LEISURE_S)
    await world.play(2)
    assert world.stopped is None
    invariants.hold(world.journal, world.truth)
    return world


def bodies(world: World, kind: str) -> list[Any]:
    return [entry.body for entry in world.entries if entry.kind == kind]


@pytest.mark.parametrize("draw", [1, 7, 19])
@pytest.mark.parametrize("devices", [LIGHT, ("alder", "birch"), ("cedar",)])
def test_the_same_card_drawn_again_lies_where_it_was_dealt(devices: tuple[str, ...], draw: int) -> None:
    came = played(f"{devices[-1]}:pushed_back@draw={draw}", devices=devices, dealing=Dealing.MANUAL)
    assert came.stopped is None
    assert not came.troubles
    assert len(came.events("CARD_RETURNED")) == 1
    assert len(came.events("CARD_DRAWN")) == len(came.dealt) + 1
    assert all(said["right"] for said in came.answers("ShoeClosed"))


@virtual
async def test_the_place_of_a_card_that_does_not_come_again_is_open_and_the_next_one_is_dealt_to_it(
    tmp_path: Path,
) -> None:
    world = await at_leisure(tmp_path, f"dogwood:pushed_back@draw={LAST}")
    assert [body["trouble"] for body in bodies(world, "irregularity")] == [Trouble.RETURNED_CARD]
    asked = [body["step"] for body in bodies(world, "step")]
    at = [step["do"] for step in asked].index("take_back")
    first = next(step for step in asked if step["do"] == "deal")
    assert asked[at + 1]["do"] == "deal"
    assert asked[at + 1]["to"] == first["to"][LAST - 1 :] == [asked[at]["place"]]
    assert asked[at + 1]["up"] == [0], "as the one that it takes the place of, it lies face up"
    assert all(body["answer"]["right"] for body in bodies(world, "answer") if body["takes"] == "ShoeClosed")


@virtual
async def test_a_table_that_dies_anywhere_around_a_returned_card_deals_it_once(tmp_path: Path) -> None:
    for nth in range(46, 62, 3):
        world = World(
            tmp_path / str(nth),
            table(LIGHT),
            (f"dogwood:pushed_back@draw={LAST}",),
            devices=LIGHT,
            seed=3,
            pause=LEISURE_S,
            knife=Knife("journal", nth),
        )
        world.folder.mkdir()
        await world.play(1)
        assert world.stopped is None
        invariants.hold(world.journal, world.truth)
