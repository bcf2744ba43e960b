"""Field cases of journals and of daemons that keep one."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import pytest

from shoectl.journal import Broken, Journal, Reader, verify
from shoectl.journal.clock import Clock
from tests.endtoend.runs import SHOECTL
from tests.endtoend.truth import dealt_by_journal
from tests.session.test_simulated import table
from tests.timeloop import run

from . import invariants
from .knives import Knife
from .limits import within
from .world import World


def whole(path: Path) -> list[int]:
    """The numbers of a journal's entries, its chain proven."""
    with Reader(path) as reader:
        verify(reader)
        return [entry.n for entry in reader.entries()]


def test_field_case_85_a_file_cut_at_any_byte_of_its_last_commit_keeps_all_that_was_before(tmp_path: Path) -> None:
    source = tmp_path / "whole"
    journal = Journal.open(source, threaded=False)
    journal.append("note", {"text": "first, ä"})
    journal.flush_now()
    wal = source.with_name("whole-wal")
    before = wal.stat().st_size
    journal.append("note", {"text": "second, ü"})
    journal.flush_now()
    data, log = source.read_bytes(), wal.read_bytes()
    for at in range(before, len(log) + 1, 97):
        path = tmp_path / f"cut{at}"
        path.write_bytes(data)
        path.with_name(f"cut{at}-wal").write_bytes(log[:at])
        with Journal.open(path, threaded=False) as again:
            for text in ("third", "fourth"):
                again.append("note", {"text": text})
                again.flush_now()
        assert whole(path) == list(range(1, 4 + (at == len(log))))
    journal.close()


@pytest.mark.parametrize("every", [2, 5])
def test_field_case_86_a_disk_that_fails_now_and_then_costs_no_number_and_no_card(every: int) -> None:
    games = []
    for failing in (0, every):

        async def play(folder: Path, failing: int = failing) -> object:
            world = World(folder, table(), seed=3, knife=Knife(failing=failing))
            await world.play(1)
            entries = invariants.hold(world.journal, world.truth)
            assert [entry.n for entry in entries] == list(range(1, len(entries) + 1))
            return dealt_by_journal(world.journal)

        with tempfile.TemporaryDirectory() as folder, within(60):
            games.append(run(play(Path(folder))))
    assert games[0] == games[1]


def test_field_case_89_a_history_cut_at_the_end_of_an_entry_is_noticed_by_whoever_kept_its_length(
    tmp_path: Path,
) -> None:
    pins = []
    for name, entries in (("journal", 9), ("short", 5)):
        clock = Clock(wall=lambda: 1, mono=lambda: 1)
        with Journal.open(tmp_path / name, key=b"k" * 32, threaded=False, clock=clock) as journal:
            for n in range(entries):
                journal.append("note", {"n": n})
            journal.flush_now()
            pins.append(journal.head)
    with Reader(tmp_path / "short") as reader:
        verify(reader, pin=pins[1])
        with pytest.raises(Broken):
            verify(reader, pin=pins[0])


def test_field_case_90_readers_that_hold_the_file_open_lose_no_entry(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    with Journal.open(path, threaded=False, durable=False) as journal:
        journal.append("note", {"n": 0})
        journal.flush_now()
        with Reader(path) as one, Reader(path) as other:
            entries, others = one.entries(), other.entries()
            next(entries), next(others)
            for n in range(300):
                journal.append("note", {"n": n})
                journal.flush_now()
    assert whole(path) == list(range(1, 302))


def test_field_case_90_other_processes_that_copy_and_read_hold_no_entry_up(tmp_path: Path) -> None:
    path, slowest, written = tmp_path / "journal", 0.0, 0
    held = f"file:{path}?mode=ro"
    reading = (
        "import sqlite3, sys; b = sqlite3.connect(sys.argv[1], uri=True, isolation_level=None); b.execute('BEGIN')"
    )
    reading += "; print(b.execute('SELECT count(*) FROM entry').fetchone()[0], flush=True); sys.stdin.read()"
    pipe = subprocess.PIPE
    with Journal.open(path, threaded=False) as journal:
        journal.append("note", {"n": 0})
        journal.flush_now()
        reader = subprocess.Popen([sys.executable, "-c", reading, held], stdin=pipe, stdout=pipe)
        assert reader.stdout is not None
        assert int(reader.stdout.readline()) == 1, "its transaction is open from here to the end"
        copying = [
            subprocess.Popen([*SHOECTL, "journal", "backup", str(path), str(tmp_path / str(n))]) for n in range(2)
        ]
        while written < 500 or any(copy.poll() is None for copy in copying):
            began = time.monotonic()
            journal.append("note", {"n": written})
            journal.flush_now()
            slowest, written = max(slowest, time.monotonic() - began), written + 1
        reader.communicate()
    assert slowest < 1.0, "a busy machine's second, and no time-out of a lock"
    assert [copy.returncode for copy in copying] == [0, 0]
    assert whole(path) == list(range(1, written + 2))
    assert all(len(whole(tmp_path / str(n))) > 0 for n in range(2))


@pytest.mark.parametrize("jump_s", [30 * 86_400, -14 * 86_400, 3600])
def test_field_case_92_a_wall_clock_that_jumps_is_written_down(tmp_path: Path, jump_s: int) -> None:
    wall, mono = [1_700_000_000_000_000], [1_000_000]
    clock = Clock(wall=lambda: wall[0], mono=lambda: mono[0])
    with Journal.open(tmp_path / "journal", threaded=False, clock=clock) as journal:
        journal.append("note", {"n": 1})
        journal.flush_now()
        wall[0] += (jump_s + 5) * 1_000_000
        mono[0] += 5_000_000
        journal.append("note", {"n": 2})
    with Reader(tmp_path / "journal") as reader:
        first, told, second = reader.entries()
    assert f"{jump_s:+.1f} s" in told.body["text"]
    assert second.mono - first.mono == 5_000_000, "how long it was is to be seen all the same"


def test_field_case_93_entries_are_in_their_order_though_time_ran_backwards(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    for start in (1_700_000_000_000_000, 1_700_000_000_000_000 - 14 * 86_400 * 1_000_000):
        clock = Clock(partial(int, start), lambda: 1, str(start))
        with Journal.open(path, threaded=False, clock=clock) as journal:
            for _ in range(10):
                journal.append("note", {"n": journal.last + 1})
    with Reader(path) as reader:
        entries = list(reader.entries())
    told = entries.pop(10)
    assert "1209600.0 s behind the entry before" in told.body["text"]
    said = [entry.body["n"] for entry in entries]
    assert (len(said), said) == (20, sorted(said))
