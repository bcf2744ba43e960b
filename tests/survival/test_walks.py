"""Random walks in short form; `python -m tests.survival.walks` makes 10,000 of sessions and 100 of tables."""

from __future__ import annotations

import pytest

from .walks import at_table, session


def test_a_session_that_meets_anything_ends_with_a_clear_table() -> None:
    assert sum(session(number) for number in range(20_001, 20_301)) > 20_000


@pytest.mark.parametrize("number", range(1, 5))
def test_a_table_at_which_people_do_anything_plays_on_or_stops_and_says_why(number: int) -> None:
    assert at_table(number).did


@pytest.mark.parametrize("devices", [("cedar",), ("alder", "dogwood")])
def test_a_table_with_a_usb_shoe_plays_on_as_well(devices: tuple[str, ...]) -> None:
    assert at_table(1, devices).did


def test_a_lid_that_stood_open_before_the_shoe_was_to_be_filled_is_no_dead_end() -> None:
    assert at_table(9).stopped is None
