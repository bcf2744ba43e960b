"""The journal as a file: append only, chained, one writer, readable meanwhile; what is not ours is left alone."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from shoectl.errors import BadInput
from shoectl.journal import (
    GENESIS,
    Broken,
    Clock,
    Damaged,
    Entry,
    Journal,
    JournalUnavailable,
    Reader,
    inner_digest,
    link_of,
    salt_of,
    verify,
)

KEY = b"k" * 32


def write(path: Path, count: int = 40) -> Path:
    with Journal.open(path, key=KEY, threaded=False) as journal:
        for n in range(count):
            journal.append("round" if n % 10 == 0 else "note", {"number": n, "text": "Kreuz König ♣"})
            if n % 3 == 0:
                journal.flush_now()
    return path


def said(path: Path) -> list[Entry]:
    """All entries of a journal that is found whole and right."""
    with Reader(path, whole=False) as reader:
        verify(reader)
    with Reader(path) as reader:
        return list(reader.entries())


# the chain


def test_every_link_follows_from_the_entry_and_the_one_before(tmp_path: Path) -> None:
    with Reader(write(tmp_path / "j")) as reader:
        link = GENESIS
        for n, entry in enumerate(reader.entries(), 1):
            assert entry.n == n
            inner = inner_digest(salt_of(KEY, n), entry.kind, entry.wall, entry.mono, entry.boot, entry.raw)
            link = link_of(link, inner)
            assert entry.link == link
        assert verify(reader) == (40, link)


def test_the_same_entry_has_another_digest_under_another_number() -> None:
    assert inner_digest(salt_of(KEY, 1), "note", 0, 0, "", b"{}") != inner_digest(
        salt_of(KEY, 2), "note", 0, 0, "", b"{}"
    )


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


def test_a_cut_file_is_refused_for_play_and_verified_as_far_as_it_goes(tmp_path: Path) -> None:
    path = write(tmp_path / "j", 200)
    whole = path.read_bytes()
    for size in range(len(whole) - 1, 0, -1777):
        path.write_bytes(whole[:size])
        with pytest.raises(BadInput) as refused:
            Journal.open(path)
        assert "\n" not in str(refused.value)
        assert path.read_bytes() == whole[:size]
        with pytest.raises((Broken, BadInput)), Reader(path, whole=False) as reader:
            verify(reader)


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


# one writer


def test_a_second_writer_is_refused_at_once_with_the_first_ones_pid(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with Journal.open(path, threaded=False):
        code = f"from shoectl.journal import Journal; from pathlib import Path; Journal.open(Path({str(path)!r}))"
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)
        assert f"process {os.getpid()} writes it" in ended.stderr
    Journal.open(path).close()


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "j"
    path_of = [path, tmp_path / "j-wal", tmp_path / "j-shm", tmp_path / "j-lock"]
    with Journal.open(path, threaded=False) as journal:
        journal.append("note", {})
        journal.flush_now()
        assert {oct(file.stat().st_mode & 0o777) for file in path_of} == {"0o600"}
    path.chmod(0o644)
    Journal.open(path).close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_reader_sees_a_whole_chain_while_entries_are_written(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with Journal.open(path, threaded=False, durable=False) as journal:
        with Reader(path) as reader:
            seen = 0
            for n in range(200):
                journal.append("note", {"n": n})
                journal.flush_now()
                if n % 20 == 0:
                    count, _ = verify(reader)
                    assert count >= seen
                    seen = count
        slow = Reader(path)
        rows = slow.entries()
        next(rows)
        for _ in range(50):  # a reader in the middle of its reading holds nobody up
            journal.append("note", {})
            journal.flush_now()
        assert sum(1 for _ in rows) >= 199
        slow.close()


# append and flush


def test_what_was_not_flushed_never_was(tmp_path: Path) -> None:
    path = tmp_path / "j"
    journal = Journal.open(path, threaded=False)
    journal.append("note", {"n": 1})
    journal.flush_now()
    assert journal.append("note", {"n": 2}).n == 2
    assert (journal.last, journal.head[0]) == (2, 1)
    journal.abandon()
    with Journal.open(path, threaded=False) as again:
        assert again.last == 1


def test_the_tail_begins_at_the_last_round(tmp_path: Path) -> None:
    with Journal.open(write(tmp_path / "j"), threaded=False) as journal:
        assert [entry.n for entry in journal.tail()] == list(range(31, 41))


async def test_a_flush_waits_for_the_disk_off_the_loop_and_a_cancellation_waits_for_the_flush(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "j")
    for n in range(2000):
        journal.append("note", {"n": n})
    task = asyncio.create_task(journal.flush())
    await asyncio.sleep(0)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert journal.head[0] == 2000
    journal.close()


def test_a_full_disk_is_a_condition_with_a_name_and_numbers_go_on_right_after(tmp_path: Path) -> None:
    path = tmp_path / "j"
    journal = Journal.open(path, threaded=False)
    journal.append("note", {"n": 1})
    journal.flush_now()
    (pages,) = journal._base.execute("PRAGMA page_count").fetchone()
    journal._base.execute(f"PRAGMA max_page_count = {pages}")
    entry = journal.append("note", {"text": "x" * 100_000})
    with pytest.raises(JournalUnavailable, match="full"):
        journal.flush_now()
    assert journal.head[0] == 1
    journal.forget(entry.n)
    journal._base.execute("PRAGMA max_page_count = 100000")
    assert journal.append("note", {"n": 2}).n == 2
    journal.close()
    with Reader(path) as reader:
        assert verify(reader)[0] == 2


# clocks


def test_a_wall_clock_that_was_set_is_written_down_and_order_stays(tmp_path: Path) -> None:
    wall = [1_700_000_000_000_000]
    mono = [5_000_000]
    clock = Clock(lambda: wall[0], lambda: mono[0], "boot")
    with Journal.open(tmp_path / "j", threaded=False, clock=clock) as journal:
        journal.append("note", {})
        wall[0] -= 14 * 86400 * 10**6
        assert journal.append("note", {}).n == 3
        mono[0] += 10**6
        wall[0] += 10**6
        assert journal.append("note", {}).n == 4
    with Reader(tmp_path / "j") as reader:
        texts = [entry.body.get("text") for entry in reader.entries()]
        assert texts == [None, "the wall clock was set by -1209600.0 s", None, None]
        assert verify(reader)[0] == 4


def test_another_boot_has_another_steady_clock(tmp_path: Path) -> None:
    for boot, mono in (("one", 10**12), ("two", 10)):
        clock = Clock(lambda: 1_700_000_000_000_000, lambda mono=mono: mono, boot)  # type: ignore[misc]
        with Journal.open(tmp_path / "j", threaded=False, clock=clock) as journal:
            journal.append("note", {})
    with Reader(tmp_path / "j") as reader:
        assert [entry.boot for entry in reader.entries()] == ["one", "two"]


def test_a_body_is_stored_as_it_is_hashed(tmp_path: Path) -> None:
    with Reader(write(tmp_path / "j", 1)) as reader:
        (entry,) = reader.entries()
        assert entry.raw == json.dumps(entry.body, ensure_ascii=False, separators=(",", ":")).encode()


def test_a_damaged_schema_is_no_traceback(tmp_path: Path) -> None:
    path = write(tmp_path / "j")
    whole = bytearray(path.read_bytes())
    at = whole.index(b"CREATE TRIGGER")
    whole[at : at + 6] = b"CRATES"
    path.write_bytes(bytes(whole))
    for opens in (Journal.open, Reader):
        with pytest.raises(Damaged):
            opens(path)
