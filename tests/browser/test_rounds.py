"""A person takes over as dealer at a simulated table, and plays whole rounds from the page alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from .persons import Person
from .tables import simulated

WAYS = {
    "mouse": {"size": (1280, 800), "keyboard": False},
    "keyboard": {"size": (1280, 800), "keyboard": True},
    "phone": {"size": (390, 844), "keyboard": False},
}


@pytest.mark.parametrize("way", WAYS)
def test_a_whole_round_without_a_dead_end(way: str, open_page: Callable[..., Page], tmp_path: Path) -> None:
    (width, height), keyboard = WAYS[way]["size"], WAYS[way]["keyboard"]
    with simulated(tmp_path, "lunar-poker") as table:
        page = open_page(width, height, has_touch=way == "phone")
        table.enter(page)
        person = Person(page, keyboard=keyboard)
        person.play(lambda: person.round >= 2)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert "Turn up the cards of the dealer." in person.seen
    assert any("settled" in say or "pay" in say or "collect" in say for say in person.seen)


@pytest.mark.parametrize("game", ["four-card-poker", "five-card-hi-lo", "cajun-stud"])
def test_a_round_of_each_other_game(game: str, open_page: Callable[..., Page], tmp_path: Path) -> None:
    with simulated(tmp_path, game) as table:
        page = open_page()
        table.enter(page)
        person = Person(page)
        person.play(lambda: person.round >= 2)
    assert any(say.startswith("Turn up") for say in person.seen)
