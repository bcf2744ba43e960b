"""Rounds over real terminals, in short form: the journal equals the truth, and one seed is one game."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.endtoend.rounds import GAMES, WAYS, play


def test_one_seed_is_one_game_and_the_journal_is_what_happened(tmp_path: Path) -> None:
    runs = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        runs.append(play(folder, 4, 7))
        runs[-1].pop("seconds")
    assert runs[0]["dealt"]
    assert runs[0] == runs[1]


@pytest.mark.parametrize("dealing", WAYS)
@pytest.mark.parametrize("game", GAMES)
def test_ten_rounds_of_every_game_in_every_way_of_dealing(tmp_path: Path, game: str, dealing: str) -> None:
    played = play(tmp_path, 10, 11, WAYS[dealing], game, dealing)
    assert len(played["dealt"]) > 10 * 5


@pytest.mark.parametrize("dealing", ["shoe", "manual"])
def test_a_shoe_that_mixes_deals_packets_and_through_its_mouth_over_the_bus(tmp_path: Path, dealing: str) -> None:
    played = play(tmp_path, 3, 7, "cedar", dealing=dealing)
    assert len(played["dealt"]) > 3 * 5
