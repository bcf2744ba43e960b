"""A person takes over as dealer at a simulated table, and plays whole rounds from the page alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from .persons import Person
from .tables import simulated

WAYS = (("mouse", 1280, 800), ("keyboard", 1280, 800), ("phone", 390, 844))


def test_a_whole_round_by_mouse_by_keyboard_and_on_a_phone_without_a_dead_end(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    """One table, a round each; whoever plays on a phone scrolls in one direction only."""
    with simulated(tmp_path, "lunar-poker") as table:
        page = open_page(has_touch=True)
        table.enter(page)
        for way, width, height in WAYS:
            page.set_viewport_size({"width": width, "height": height})
            person = Person(page, keyboard=way == "keyboard")
            began = person.round
            person.play(lambda: person.round > began)  # noqa: B023
            assert page.evaluate("document.documentElement.scrollWidth") <= width, way
            assert "Turn up the cards of the dealer." in person.seen, way
            assert any("collect" in say or "pay" in say for say in person.seen), way


@pytest.mark.parametrize("game", ["four-card-poker", "five-card-hi-lo", "cajun-stud"])
def test_a_round_of_each_other_game(game: str, open_page: Callable[..., Page], tmp_path: Path) -> None:
    with simulated(tmp_path, game) as table:
        page = open_page()
        table.enter(page)
        person = Person(page)
        person.play(lambda: person.round >= 2)
    assert any(say.startswith("Turn up") for say in person.seen)
