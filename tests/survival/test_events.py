"""Every event at every step in short form; `python -m tests.survival.events` tells all 1,700."""

from __future__ import annotations

import pytest

from .events import Case, cases, play

EVERY = 83


@pytest.mark.parametrize("case", cases()[7::EVERY], ids=str)
def test_field_case_110_an_event_that_nobody_expects_is_handled_or_held_or_refused_by_name(case: Case) -> None:
    play(case, seed=3)
