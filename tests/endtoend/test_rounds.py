"""Rounds over real terminals, in short form: the journal equals the truth, and one seed is one game."""

from __future__ import annotations

from pathlib import Path

from tests.endtoend.rounds import play


def test_one_seed_is_one_game_and_the_journal_is_what_happened(tmp_path: Path) -> None:
    runs = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        runs.append(play(folder, 4, 7))
        runs[-1].pop("seconds")
    assert runs[0]["dealt"]
    assert runs[0] == runs[1]
