"""What a table knows of cards that were misread, or drawn while the shoe forgot: the journal says so, and no more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shoectl.games.procedure import Trouble
from tests.endtoend import truth as truths
from tests.session.test_simulated import table
from tests.timeloop import virtual

from . import faces, invariants
from .world import World

OF_MISREAD = {1: "hidden", 3: "reported", 4: "duplicate", 11: "reported", 18: "hidden"}  # draws of seed 3


async def played(folder: Path, fault: str, rounds: int = 2) -> World:
    world = World(folder, table(), (fault,), seed=3)
    await world.play(rounds)
    assert world.stopped is None
    lost = "wiped" in fault or "other_unit" in fault
    invariants.hold(world.journal, world.truth, invariants.Known(whole=not lost))
    return world


def bodies(world: World, kind: str) -> list[Any]:
    return [entry.body for entry in world.entries if entry.kind == kind]


@virtual
async def test_a_table_without_misread_cards_turns_up_what_was_read(tmp_path: Path) -> None:
    world = await played(tmp_path, "birch:clock")
    found = faces.compare(world.journal, world.truth)
    assert found.as_read > 4
    assert (found.reported, found.hidden) == (0, 0)


@pytest.mark.parametrize(("draw", "becomes"), OF_MISREAD.items())
@virtual
async def test_a_misread_card_is_found_when_it_is_turned_up_or_stays_what_the_reader_said(
    tmp_path: Path, draw: int, becomes: str
) -> None:
    world = await played(tmp_path, f"birch:misread@draw={draw}")
    troubles = [body["trouble"] for body in bodies(world, "irregularity")]
    if becomes == "duplicate":  # taken for one that came as well: the round is void before anything is turned up
        assert troubles == [Trouble.DUPLICATE_CARD]
        return
    found = faces.compare(world.journal, world.truth)
    assert (found.reported, found.hidden) == ((1, 0) if becomes == "reported" else (0, 1))
    assert troubles == [Trouble.MISREAD_CARD] * found.reported
    asked = [body["step"]["do"] for body in bodies(world, "step")]
    assert asked.count("floor") == found.reported


@pytest.mark.parametrize(("fault", "event"), [("wiped", 10), ("wiped", 20), ("other_unit", 14), ("other_unit", 26)])
@virtual
async def test_what_was_drawn_while_the_shoe_forgot_is_counted_before_the_cards_are_gathered(
    tmp_path: Path, fault: str, event: int
) -> None:
    world = await played(tmp_path, f"birch:{fault}@event={event}")
    told, true = truths.dealt_by_journal(world.journal), truths.dealt_by_truth(world.truth)
    missing = faces.unrecorded(world.journal)
    assert sum(missing) > 0
    assert len(true) == len(told) + sum(missing)
    first = [one for one in true if one.load == 1]
    assert true[: len(first) - sum(missing)] == told[: len(first) - sum(missing)]  # what is missing came last
    assert true[len(first) :] == told[len(first) - sum(missing) :]
    kinds = [body["trouble"] for body in bodies(world, "irregularity")]
    assert kinds == [Trouble.RECORD_LOST] * len(missing)
    assert any("took the place of" in body["text"] for body in bodies(world, "alarm"))
