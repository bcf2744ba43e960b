"""Both clocks in short form; `python -m tests.survival.clocks` plays each fault with three seeds."""

from __future__ import annotations

import pytest

from .clocks import FAULTS, differ


@pytest.mark.parametrize("faults", [FAULTS[0], FAULTS[2], FAULTS[9]], ids=str)
def test_field_case_147_real_time_and_full_speed_are_one_game(faults: tuple[str, ...]) -> None:
    assert differ(faults, seed=2, rounds=2) == ""
