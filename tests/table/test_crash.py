"""Whatever moment the program dies at, the table goes on as if it had not; and whoever breaks the order is noticed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from .crash import DEATHS, SCENARIOS, Wrong, live, same, try_point, uncrashed
from .fakes import Bad, World

EVERY = 37  # all of it: python -m tests.table.crash


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize(("away", "again"), DEATHS)
def test_a_crash_changes_nothing_of_the_round(scenario: str, away: int, again: int) -> None:
    world = World(**SCENARIOS[scenario])
    expected, points = uncrashed(world)
    for at in range(1 + away % 7 + again, points + 1, EVERY):
        try_point(world, expected, at, away, again)


@pytest.mark.parametrize("seed", range(2, 6))
def test_a_crash_changes_nothing_whatever_the_cards(seed: int) -> None:
    world = World(seed=seed, unreadable=(2, 1 + seed % 6), extra_draw=1)
    expected, points = uncrashed(world)
    assert expected.holds == 1
    for at in range(seed, points + 1, 61):
        try_point(world, expected, at, 1, 5)


def test_a_card_set_aside_is_named_once_and_an_unread_one_is_named_by_two(tmp_path: Path) -> None:
    outcome = live(World(unreadable=(1, 3), extra_draw=1), tmp_path / "journal")
    assert len(outcome.cards) == 13
    assert outcome.holds == 1
    assert outcome.moved.count("RESOLVE") == 1


@pytest.mark.parametrize(("name", "bad"), [one for one in Bad.each() if one[0] != "arms_over_an_open_lease"])
def test_what_is_done_in_the_wrong_order_is_noticed(name: str, bad: Bad) -> None:
    world = World()
    expected, points = uncrashed(world)
    for at in range(0, points + 1, 5):
        for away in (0, 52):
            try:
                try_point(replace(world, bad=bad), expected, at, away)
            except Wrong:
                return
    pytest.fail(f"nobody noticed: {name}")


def _lost(world: World, path: Path) -> list[int]:
    """The places at which a lost link changes what comes out."""
    expected, _ = uncrashed(world)
    calm = replace(world, bad=Bad())
    live(calm, path / "calm")
    wrong = []
    for at in range(1, 2 * calm.requests + 5):
        try:
            same("outcome", live(replace(world, lose_at=at), path / f"lost {at}"), expected)
        except Wrong:
            wrong.append(at)
    return wrong


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_link_lost_at_any_request_while_somebody_draws_deals_no_card_too_many(scenario: str, tmp_path: Path) -> None:
    world = replace(World(**SCENARIOS[scenario]), eager=True)
    assert _lost(world, tmp_path) == []


def test_arming_over_an_open_lease_deals_a_card_too_many(tmp_path: Path) -> None:
    assert _lost(World(eager=True, bad=Bad(arms_over_an_open_lease=True)), tmp_path)
