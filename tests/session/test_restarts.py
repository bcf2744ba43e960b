"""Restarts of the shoe in a deal: what is explained goes on, what is not voids the round, good draws stay good."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.timeloop import virtual

from .scenes import table
from .table import Scene, at_draw


@virtual
async def test_a_restart_that_explains_every_card_goes_on(tmp_path: Path) -> None:
    scene = Scene(tmp_path, idle=at_draw(5, lambda scene: scene.birch.restart()))
    await scene.play()
    scene.check()
    assert scene.irregularities() == []
    assert scene.dealt() == scene.birch.drawn


@virtual
async def test_a_restart_after_which_a_card_is_missing_voids_the_round(tmp_path: Path) -> None:
    scene = Scene(tmp_path, idle=at_draw(5, lambda scene: scene.birch.restart(lost=1)))
    await scene.play()
    scene.check()
    assert scene.irregularities() == ["device restarted"]
    assert {how for how, *_ in scene.money()} == {"return"}


@virtual
async def test_a_house_may_void_at_every_restart(tmp_path: Path) -> None:
    state = table(house={"restart_in_round": "void"})
    scene = Scene(tmp_path, state, idle=at_draw(5, lambda scene: scene.birch.restart()))
    await scene.play()
    assert scene.irregularities() == ["device restarted"]


def drawn_unread(cards: int, lost: int = 0) -> Callable[[Scene], object]:
    """So many cards are drawn and power goes before the table has read of any of them."""

    def cut(scene: Scene) -> None:
        for _ in range(cards):
            assert scene.birch.pull()
        scene.birch.restart(lost=lost)

    return at_draw(5, cut)


@pytest.mark.parametrize("house", ["explained", "void"])
@virtual
async def test_what_was_drawn_before_a_restart_that_voids_is_dealt_before_it_is_judged(
    tmp_path: Path, house: str
) -> None:
    scene = Scene(tmp_path, table(house={"restart_in_round": house}), idle=drawn_unread(4, lost=house == "explained"))
    await scene.play()
    scene.check()
    assert scene.irregularities() == ["device restarted"]  # and no card is called one that nobody asked for
    assert scene.dealt() == scene.birch.drawn
    assert len(scene.birch.drawn) == 9
    assert {how for how, *_ in scene.money()} == {"return"}


@virtual
async def test_what_was_drawn_before_a_restart_that_is_explained_is_dealt_and_the_deal_goes_on(tmp_path: Path) -> None:
    scene = Scene(tmp_path, idle=drawn_unread(4))
    await scene.play()
    scene.check()
    assert scene.irregularities() == []
    assert scene.dealt() == scene.birch.drawn


@virtual
async def test_a_restart_behind_the_last_card_of_a_deal_is_judged_when_people_are_waited_for(tmp_path: Path) -> None:
    state = table(house={"restart_in_round": "void"})
    scene = Scene(tmp_path, state, idle=drawn_unread(15))  # twenty in all: the first deal is done with them
    await scene.play()
    scene.check()
    assert scene.irregularities() == ["device restarted"]
    steps = {entry.body["number"]: entry.body["step"]["do"] for entry in scene.entries if entry.kind == "step"}
    judged = next(entry.body["step"] for entry in scene.entries if entry.kind == "irregularity")
    assert steps[judged] != "deal"
    assert scene.dealt() == scene.birch.drawn
