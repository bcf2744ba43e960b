"""The daemon, the simulated table, or both killed in a deal, in a showdown and anywhere, in short form."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.endtoend.kills import BOTH, DAEMON, POWER, play


@pytest.mark.parametrize("who", [DAEMON, POWER, BOTH])
def test_field_case_150_after_kills_the_journal_equals_the_truth_and_nothing_is_drawn_twice(
    tmp_path: Path, who: str
) -> None:
    at = play(tmp_path, kills=3, seed=7, who=who)
    assert sum(at.values()) == 3
    assert "nothing" not in at, "each was killed before its rounds were played"
