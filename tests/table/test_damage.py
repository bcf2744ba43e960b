"""A journal that was changed, cut or exchanged is noticed; what is none of ours is left alone."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest

from shoectl.errors import BadInput
from shoectl.journal import (
    Broken,
    Journal,
    Reader,
    verify,
)

from .files import KEY, said, write


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("kind", "hold"),
        ("wall", 1),
        ("mono", 1),
        ("boot", "other"),
        ("body", '{"number":7}'),
        ("body", b"\xff\xfe"),
        ("link", b"0" * 32),
        ("link", "text"),
    ],
)
def test_a_changed_column_names_the_entry(tmp_path: Path, column: str, value: object) -> None:
    path = write(tmp_path / "j")
    with sqlite3.connect(path, isolation_level=None) as base:
        (sql,) = base.execute("SELECT sql FROM sqlite_schema WHERE name = 'entry_no_update'").fetchone()
        base.execute("DROP TRIGGER entry_no_update")
        base.execute(f"UPDATE entry SET {column} = ? WHERE n = 17", (value,))
        base.execute(sql)
    base.close()
    with Reader(path) as reader, pytest.raises(Broken) as broken:
        verify(reader)
    assert broken.value.n == 17


def test_a_removed_entry_is_named_and_a_shortened_chain_needs_a_pin(tmp_path: Path) -> None:
    path = write(tmp_path / "j")
    with Reader(path) as reader:
        pin = verify(reader)
    for number, due in ((17, 17), (40, None)):
        copy = shutil.copy(path, tmp_path / f"j{number}")
        with sqlite3.connect(copy, isolation_level=None) as base:
            (sql,) = base.execute("SELECT sql FROM sqlite_schema WHERE name = 'entry_no_delete'").fetchone()
            base.execute("DROP TRIGGER entry_no_delete")
            base.execute("DELETE FROM entry WHERE n = ?", (number,))
            base.execute(sql)
        base.close()
        with Reader(copy) as reader:
            if due is None:
                assert verify(reader)[0] == 39
            with pytest.raises(Broken) as broken:
                verify(reader, pin=pin)
        assert broken.value.n == number


def test_a_journal_made_anew_does_not_pass_through_the_pin(tmp_path: Path) -> None:
    with Reader(write(tmp_path / "a")) as reader:
        pin = verify(reader)
    with Reader(write(tmp_path / "b", 50)) as reader, pytest.raises(Broken, match="made anew"):
        verify(reader, pin=pin)


def test_a_byte_changed_anywhere_is_noticed_or_means_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "j", 60)
    whole, entries = path.read_bytes(), said(path)
    victim = tmp_path / "changed"
    for at in range(0, len(whole), 37):
        victim.write_bytes(whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :])
        with suppress(Broken, BadInput):
            assert said(victim) == entries, f"byte {at}"
        for beside in tmp_path.glob("changed-*"):
            beside.unlink()


def verified(path: Path) -> None:
    """What `journal verify` does: the chain as far as it goes, then the file as a whole."""
    with Reader(path, whole=False) as reader:
        verify(reader)
    Reader(path).close()  # all entries may be there, and something else of the file is missing


def test_a_cut_file_is_refused_for_play_and_verified_as_far_as_it_goes(tmp_path: Path) -> None:
    path = write(tmp_path / "j", 200)
    whole = path.read_bytes()
    for size in range(len(whole) - 1, 0, -1777):
        path.write_bytes(whole[:size])
        with pytest.raises(BadInput) as refused:
            Journal.open(path)
        assert "\n" not in str(refused.value)
        assert path.read_bytes() == whole[:size]
        with pytest.raises((Broken, BadInput)):
            verified(path)


@pytest.mark.parametrize("carried", [1, 2, 5, 1000])
def test_field_case_87_a_log_that_was_carried_over_in_part_loses_nothing(tmp_path: Path, carried: int) -> None:
    """A kill, or a disk that fills up, while the log is copied into the file: page after page, the first one first."""
    live, copy = tmp_path / "live", tmp_path / "copy"
    live.mkdir()
    copy.mkdir()
    with Journal.open(live / "j", key=KEY, threaded=False) as journal:
        for n in range(200):
            journal.append("note", {"n": n, "text": "x" * 200})
            journal.flush_now()
        for name in ("j", "j-wal"):
            shutil.copy(live / name, copy / name)
        head = journal.head
    file, log = bytearray((copy / "j").read_bytes()), (copy / "j-wal").read_bytes()
    size = int.from_bytes(file[16:18], "big")
    pages = {
        int.from_bytes(log[at : at + 4], "big"): log[at + 24 : at + 24 + size]
        for at in range(32, len(log) - 24 - size + 1, 24 + size)
    }
    for number in sorted(pages)[:carried]:
        file[(number - 1) * size : number * size] = pages[number]
    (copy / "j").write_bytes(bytes(file))
    with Reader(copy / "j") as reader:
        assert verify(reader) == head
    with Journal.open(copy / "j", threaded=False) as journal:
        assert journal.head == head
    (copy / "j").write_bytes(bytes(file[: 3 * size]))  # and what is in neither of the two is missing
    if carried == 1000:
        with pytest.raises(BadInput, match="cut short"):
            Journal.open(copy / "j")


def test_a_log_that_was_taken_away_from_a_journal_is_missed(tmp_path: Path) -> None:
    live, copy = tmp_path / "live", tmp_path / "copy"
    live.mkdir()
    with Journal.open(live / "j", key=KEY, threaded=False) as journal:
        journal.append("note", {"text": "x"})
        journal.flush_now()
        shutil.copytree(live, copy)  # as a kill would leave it
        (copy / "j-wal").rename(copy / "kept")
    assert not (live / "j-shm").exists()  # an end in order leaves nothing that could be missed
    for opened in (Journal.open, Reader, verified):
        with pytest.raises(BadInput, match="j-wal is gone, and the newest entries with it; restore it"):
            opened(copy / "j")
    (copy / "kept").rename(copy / "j-wal")
    with Reader(copy / "j") as reader:
        assert reader.count() == 1


def test_a_commit_torn_in_the_log_was_never_made(tmp_path: Path) -> None:
    live = tmp_path / "live"
    live.mkdir()
    journal = Journal.open(live / "j", key=KEY, threaded=False)
    for n in range(5):
        journal.append("note", {"n": n})
        journal.flush_now()
    log = (live / "j-wal").read_bytes()
    for k, size in enumerate(range(len(log), 0, -997)):
        copy = tmp_path / f"copy{k}"
        copy.mkdir()
        shutil.copy(live / "j", copy / "j")
        (copy / "j-wal").write_bytes(log[:size])
        with Journal.open(copy / "j", threaded=False) as torn:
            before = torn.last
            assert torn.append("note", {}).n == before + 1
            torn.append("note", {})
        with Reader(copy / "j") as reader:
            assert verify(reader)[0] == before + 2
    journal.abandon()


# what is no journal of ours


def _foreign(path: Path) -> None:
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE entry (n INTEGER)")
    base.close()


def _newer(path: Path) -> None:
    write(path)
    with sqlite3.connect(path) as base:
        base.execute("PRAGMA user_version = 2")
    base.close()


def _without_triggers(path: Path) -> None:
    write(path)
    with sqlite3.connect(path) as base:
        base.execute("DROP TRIGGER entry_no_delete")
    base.close()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: path.write_bytes(b""), "no journal"),
        (lambda path: path.write_text("{}\n" * 100), "no journal"),
        (_foreign, "another program"),
        (_newer, "format 2"),
        (_without_triggers, "tables"),
        (lambda path: path.mkdir(), "directory"),
    ],
)
def test_what_is_no_journal_is_refused_in_one_line_and_left_alone(tmp_path: Path, make, says: str) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "j"
    make(path)
    before = None if path.is_dir() else path.read_bytes()
    for opens in (Journal.open, Reader):
        with pytest.raises(BadInput, match=says) as refused:
            opens(path)
        assert "\n" not in str(refused.value)
    assert path.is_dir() or path.read_bytes() == before
    assert not (tmp_path / "j-new").exists()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        Journal.open(tmp_path / "nowhere" / "j")
    with pytest.raises(BadInput, match="no such file"):
        Reader(tmp_path / "j")


def test_no_entry_can_be_changed_or_removed_through_sql(tmp_path: Path) -> None:
    with sqlite3.connect(write(tmp_path / "j")) as base:
        for statement in ("UPDATE entry SET kind = 'x'", "DELETE FROM entry WHERE n = 3"):
            with pytest.raises(sqlite3.IntegrityError, match="append only"):
                base.execute(statement)
    base.close()
