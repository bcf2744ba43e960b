"""The journal as a file: append only, chained, one writer, readable meanwhile; what is not ours is left alone."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shoectl.journal import (
    GENESIS,
    Clock,
    Damaged,
    Journal,
    JournalUnavailable,
    Reader,
    inner_digest,
    link_of,
    salt_of,
    verify,
)

from .files import KEY, write

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


def test_a_journal_that_was_made_read_only_is_its_owners_again_with_all_files_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "j"
    Journal.open(path).close()
    path.chmod(0o444)
    with Journal.open(path, threaded=False) as journal:
        journal.append("note", {})
        journal.flush_now()
        assert {oct((tmp_path / name).stat().st_mode & 0o777) for name in ("j", "j-wal", "j-shm")} == {"0o600"}


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


def test_a_reader_in_the_process_of_the_writer_leaves_its_locks_alone(tmp_path: Path) -> None:
    """Without them the next program that looks into the file and goes takes the log beside it along."""
    path = tmp_path / "journal"
    look = "import sqlite3, sys; base = sqlite3.connect(sys.argv[1]); base.execute('SELECT n FROM entry'); base.close()"
    with Journal.open(path) as journal:
        journal.append("note", {"text": "first"})
        journal.flush_now()
        with Reader(path) as reader:
            assert reader.count() == 1
        subprocess.run([sys.executable, "-c", look, str(path)], check=True)
        journal.append("note", {"text": "second"})
        journal.flush_now()
    with Reader(path) as reader:
        assert reader.count() == 2
