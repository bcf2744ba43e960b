"""Cuts before and after writes of a round, in short form; `python -m tests.survival.cuts` makes all of them."""

from __future__ import annotations

from functools import cache

import pytest

from .cuts import KINDS, Came, knives, points_of, wrong

EVERY = {"journal": 29, "nvram": 103, "table": 907, "both": 907}  # of the writes; 1 for all


@cache
def whole() -> tuple[Came, dict[str, int]]:
    game, points = points_of()
    return game, dict(points)


@pytest.mark.parametrize("what", KINDS)
def test_field_case_143_a_cut_at_any_write_loses_no_card_and_the_game_goes_on(what: str) -> None:
    game, points = whole()
    for knife in knives(what, points[KINDS[what].what], EVERY[what], first=5):
        assert wrong(knife, game) == "", knife


def test_field_case_109_a_shoe_that_loses_power_as_a_card_goes_out_counts_it_once() -> None:
    game, points = whole()
    for knife in knives("nvram", points["nvram"], 11, first=points["nvram"] - 60):
        if knife.where == "torn":
            assert wrong(knife, game) == "", knife
