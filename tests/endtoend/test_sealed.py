"""Rounds over sealed links: at every level that a family has the journal equals the truth, also where the link goes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.devices.keys import key_file
from tests.endtoend import truth
from tests.endtoend.runs import Table, shoectl, table
from tests.survival import invariants

ROUNDS = 2


def played(standing: Table, rounds: int = ROUNDS) -> None:
    daemon = standing.daemon(rounds)
    out, said = daemon.communicate(timeout=90)
    assert daemon.returncode == 0, (out, said)
    assert json.loads(out)["rounds"] == rounds
    truth.compare(standing.journal, standing.truth)
    invariants.hold(standing.journal, standing.truth)


@pytest.mark.parametrize(
    "levels",
    [{"alder": 1, "birch": 1}, {"alder": 1, "birch": 2}, {"cedar": 1}, {"cedar": 2}, {"dogwood": 1}, {"dogwood": 2}],
    ids=lambda levels: " ".join(f"{family}-{level}" for family, level in levels.items()),
)
def test_rounds_over_sealed_links_are_what_happened(tmp_path: Path, levels: dict[str, int]) -> None:
    with table(tmp_path, families=tuple(levels), levels=levels) as standing:
        played(standing)


@pytest.mark.parametrize(
    ("levels", "fault"),
    [
        ({"alder": 1, "birch": 2}, "birch:hang_up@frame=70"),
        ({"cedar": 2}, "cedar:unplug@frame=90"),
        ({"dogwood": 2}, "dogwood:unplug@frame=60"),
    ],
)
def test_a_link_that_is_lost_in_a_round_comes_back_sealed(tmp_path: Path, levels: dict[str, int], fault: str) -> None:
    with table(tmp_path, families=tuple(levels), levels=levels, faults=(fault,), state=True) as standing:
        played(standing)
        assert f"fault.{fault}" in (tmp_path / "state" / "cards.jsonl").read_text()
    alarms = [body for _, kind, body in truth.entries(standing.journal) if kind == "alarm"]
    assert alarms == []


def test_a_table_with_the_wrong_key_waits_and_says_so(tmp_path: Path) -> None:
    levels = {"alder": 1, "birch": 2}
    with table(tmp_path, families=tuple(levels), levels=levels) as standing:
        key_file(tmp_path / "birch.key")
        told = shoectl(tmp_path, "doctor", "--config", str(tmp_path / "table.toml"), "--json")
        assert told.code == 1
        assert [(one["reason"], one["what"]) for one in told.summary["findings"]] == [
            ("wrong-key", "BI000003 does not prove that it has key 1")
        ]
        (tmp_path / "birch.key").chmod(0o644)
        ended = shoectl(tmp_path, "run", "--config", str(tmp_path / "table.toml"), "--json")
        assert (ended.code, len(ended.said.splitlines())) == (2, 1)
        assert f"{tmp_path / 'table.toml'}: devices.shoe.key: " in ended.said
        assert "mode 0644, but a secret is for its owner alone" in ended.said
        assert not standing.journal.exists()
