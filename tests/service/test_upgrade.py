"""A journal of an older format: copied, then brought to the newer one, its chain untouched, or left as it was."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from shoectl.errors import BadInput, DeviceFailed
from shoectl.journal import Journal, Reader, file, verify
from shoectl.journal import upgrade as upgrading

from .test_upkeep import written

INDEX = "CREATE INDEX kinds ON entry (kind)"


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A journal of format 1, for a program whose format is 2: with an index more."""
    path = written(tmp_path / "t.journal")
    monkeypatch.setattr(file, "FORMAT", 2)
    monkeypatch.setattr(file, "SCHEMA", (*file.SCHEMA, INDEX))
    monkeypatch.setattr(file, "_NAMES", {*file._NAMES, "kinds"})
    monkeypatch.setitem(upgrading.CHANGES, 1, lambda base: base.execute(INDEX))
    return path


def test_it_is_copied_and_upgraded_when_it_is_opened_for_writing(old: Path) -> None:
    with pytest.raises(BadInput, match="it has format 1, this shoectl reads format 2"):
        Reader(old)
    with Journal.open(old, threaded=False) as journal:
        assert journal.append("note", {}).n == 21
    with Reader(old) as reader:
        assert verify(reader)[0] == 21
    kept = old.with_name("t.journal-format1")
    assert kept.stat().st_mode & 0o777 == 0o600
    base = sqlite3.connect(kept)
    assert base.execute("PRAGMA user_version").fetchone() == (1,)
    assert base.execute("SELECT count(*) FROM entry").fetchone() == (20,)
    base.close()
    Journal.open(old, threaded=False).close()


def test_an_upgrade_that_fails_leaves_it_as_it_was(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = old.read_bytes()

    def fails(base: sqlite3.Connection) -> None:
        base.execute("DROP INDEX rounds")
        base.execute("SELECT no_such_thing")

    monkeypatch.setitem(upgrading.CHANGES, 1, fails)
    with pytest.raises(DeviceFailed, match="cannot be brought to format 2"):
        Journal.open(old, threaded=False)
    assert file.format_of(old) == 1
    base = sqlite3.connect(old)
    assert base.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'rounds'").fetchone() == (1,)
    base.close()
    assert len(before) == old.stat().st_size
    monkeypatch.setitem(upgrading.CHANGES, 1, lambda base: base.execute(INDEX))
    Journal.open(old, threaded=False).close()


def test_a_format_that_nobody_knows_the_way_from_is_refused_and_left_alone(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = old.read_bytes()
    monkeypatch.delitem(upgrading.CHANGES, 1)
    with pytest.raises(BadInput, match="it has format 1"):
        Journal.open(old)
    monkeypatch.setattr(file, "FORMAT", 0)
    with pytest.raises(BadInput, match="use a newer one"):
        Journal.open(old)
    assert old.read_bytes() == before
    assert not old.with_name("t.journal-format1").exists()
