"""A daemon killed in a deal, in a showdown and anywhere, in short form: it goes on as if nothing had happened."""

from __future__ import annotations

from pathlib import Path

from tests.endtoend.kills import play


def test_a_killed_daemon_resumes_the_round_and_draws_nothing_twice(tmp_path: Path) -> None:
    at = play(tmp_path, kills=3, rounds=8, seed=7)
    assert sum(at.values()) == 3
    assert "nothing" not in at, "each was killed before its rounds were played"
