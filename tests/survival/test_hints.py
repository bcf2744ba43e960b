"""Hints that are lost or late, in short form; `python -m tests.survival.hints` does it at every place."""

from __future__ import annotations

import math

import pytest

from .hints import ALL, Trouble, play

FULL, REAL = math.inf, 1.0


@pytest.mark.parametrize(
    ("trouble", "at"),
    [
        (Trouble(2), 7),  # the shoe is filled
        (Trouble(3), 6),
        (Trouble(2), 35),  # the shoe counts
        (Trouble(12), 34),
        (Trouble(2, speed=REAL), 33),
        (Trouble(3, speed=REAL), 103),  # the rest is taken out
    ],
    ids=str,
)
def test_a_light_shoe_whose_status_is_lost_for_a_while_holds_nobody_up_for_longer(trouble: Trouble, at: int) -> None:
    assert play("dogwood", trouble, at)


@pytest.mark.parametrize(
    "trouble", [Trouble(ALL, 0.003), Trouble(ALL, 0.1, REAL), Trouble(ALL, 1.2), Trouble(ALL, 3.1, REAL)], ids=str
)
def test_a_status_that_is_of_before_is_put_right_by_the_next_one(trouble: Trouble) -> None:
    assert play("dogwood", trouble)


def test_a_single_report_of_before_is_no_account_of_the_cards() -> None:
    assert play("dogwood", Trouble(1, 0.1), 8)


@pytest.mark.parametrize("trouble", [Trouble(ALL), Trouble(ALL, 0.1, REAL)], ids=str)
def test_a_continuous_shuffler_does_without_its_doorbell(trouble: Trouble) -> None:
    assert play("cedar", trouble)
