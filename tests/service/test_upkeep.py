"""The journal's care: copies, how long they are kept, room for a round."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from shoectl.config_sections import Upkeep as Wanted
from shoectl.errors import BadInput, DeviceFailed
from shoectl.journal import Broken, Journal, Reader, verify
from shoectl.journal.copy import copy, name_of
from shoectl.service.upkeep import KEPT_ALWAYS, MB, Upkeep, copies_in, stale
from shoectl.socket_client import ask
from tests.endtoend.runs import SHOECTL, environment
from tests.table import bench
from tests.timeloop import virtual

DAY = 86_400.0
NOW = 1_800_000_000.0


def written(path: Path, entries: int = 20) -> Path:
    with Journal.open(path, threaded=False, durable=False) as journal:
        for n in range(entries):
            journal.append("note", {"n": n})
        journal.flush_now()
    return path


def names(count: int, start: float = NOW, first: int = 100) -> list[Path]:
    """Copies of one day each, the newest last."""
    days = range(count)
    return [Path(name_of(Path("t.journal"), first + day, start - (count - 1 - day) * DAY)) for day in days]


# copies


def test_a_copy_of_a_journal_that_is_written_is_whole_proven_and_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with Journal.open(path, threaded=False) as journal:
        for n in range(30):
            journal.append("note", {"n": n})
        journal.flush_now()
        made = copy(path, tmp_path)
        journal.append("note", {"n": 30})
        journal.flush_now()
        assert made.entries == 30
    assert made.path.name.startswith("t-0000000030-")
    assert made.path.stat().st_mode & 0o777 == 0o600
    assert not list(tmp_path.glob(".*")), "nothing of the making is left"
    with Reader(made.path) as reader:
        assert verify(reader, pin=(30, made.link)) == (30, made.link)
    restored = tmp_path / "restored"
    made.path.rename(restored)
    with Journal.open(restored, threaded=False) as journal:
        assert journal.append("note", {}).n == 31


def test_a_copy_never_takes_the_place_of_a_file(tmp_path: Path) -> None:
    path = written(tmp_path / "t.journal")
    (tmp_path / "there").write_text("mine")
    with pytest.raises(BadInput, match="not replaced"):
        copy(path, tmp_path / "there")
    assert (tmp_path / "there").read_text() == "mine"
    with pytest.raises(BadInput, match="is not there"):
        copy(path, tmp_path / "no" / "folder")


def test_a_journal_whose_chain_does_not_hold_is_not_copied(tmp_path: Path) -> None:
    path = written(tmp_path / "t.journal")
    base = sqlite3.connect(path)
    trigger = base.execute("SELECT sql FROM sqlite_schema WHERE name = 'entry_no_update'").fetchone()[0]
    base.executescript(
        f"""DROP TRIGGER entry_no_update; UPDATE entry SET body = '{{"n":99}}' WHERE n = 7; {trigger};"""
    )
    base.close()
    copies = tmp_path / "copies"
    copies.mkdir()
    with pytest.raises(Broken) as broken:
        copy(path, copies)
    assert broken.value.n == 7
    assert not list(copies.iterdir())


def test_a_disk_that_is_full_leaves_no_half_copy(tmp_path: Path) -> None:
    path, copies = written(tmp_path / "t.journal", 2_000), tmp_path / "copies"
    copies.mkdir()
    limit = path.stat().st_size // 2
    done = subprocess.run(
        [*SHOECTL, "journal", "backup", str(path), str(copies)],
        capture_output=True, text=True, check=False, timeout=30,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )  # fmt: skip
    assert (done.returncode, len(done.stderr.splitlines())) == (3, 1), done.stderr
    assert not list(copies.iterdir())


# how long they are kept


def test_copies_are_kept_for_their_days_and_the_newest_always() -> None:
    copies = names(40)
    assert stale(copies, NOW, 30) == copies[:9]
    assert stale(copies, NOW, 36) == copies[:3]
    assert stale(names(KEPT_ALWAYS), NOW + 1000 * DAY, 1) == []


def test_field_case_93_copies_are_not_deleted_by_the_wall_clock_alone(tmp_path: Path) -> None:
    copies = names(40)
    assert stale(copies, NOW + 3650 * DAY, 30) == copies[:-KEPT_ALWAYS], "ten years ahead: the newest stay"
    assert stale(copies, NOW - 14 * DAY, 30) == [], "set back: none is too old"
    for path in names(40):
        (tmp_path / path.name).touch()
    upkeep = Upkeep(tmp_path / "t.journal", Wanted(least_free_mb=1), print, lambda: 1_000.0)
    upkeep._prune(tmp_path)
    assert len(copies_in(tmp_path, "t")) == 40, "a clock that is not set deletes nothing"


def test_only_copies_of_this_journal_are_looked_at_in_the_order_of_what_they_hold(tmp_path: Path) -> None:
    set_back = name_of(Path("t.journal"), 500, NOW - 100 * DAY)
    others = (name_of(Path("other.journal"), 5, NOW), "t.journal", "t-1-x.journal", "notes.txt")
    for name in (*(one.name for one in names(3)), set_back, *others):
        (tmp_path / name).touch()
    assert [path.name for path in copies_in(tmp_path, "t")] == [*(one.name for one in names(3)), set_back]


# room


@virtual
async def test_without_room_the_open_round_is_finished_and_no_other_begins(tmp_path: Path) -> None:
    async with bench.table(tmp_path / "journal", rounds=6) as (runner, running):
        while runner.round_no < 2:
            await runner.next_change()
        runner.hold_off("no room")
        assert runner.view("public")["journal"] == "", "the round goes on"
        await asyncio.sleep(600)
        assert (runner.round_no, runner.course.over, running.done()) == (2, True, False)
        assert runner.view("public")["journal"] == "no room"
        runner.hold_off("")
        await asyncio.sleep(600)
        assert running.done()
        assert runner.course.finished == 6


def test_a_new_journal_is_not_made_without_room(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"MB are free where the journal lies, a round needs 1000000"):
        Upkeep(tmp_path / "journal", Wanted(least_free_mb=10**6), print)
    Upkeep(written(tmp_path / "journal"), Wanted(least_free_mb=10**6), print)


def test_a_table_copies_its_journal_when_there_is_none_of_today(tmp_path: Path) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    (tmp_path / "t.toml").write_text(f'[upkeep]\nbackup = "{copies}"\nleast_free_mb = 1\n')
    with table_on(tmp_path, tmp_path, "--config", str(tmp_path / "t.toml"), "--rounds", "400"):
        until(lambda: copies_in(copies, "t"))
        time.sleep(1)
        (made,) = copies_in(copies, "t")
    with Reader(made) as reader:
        assert verify(reader)[0] == int(made.name.split("-")[1])
        assert reader.rounds()


def until(holds: object, within: float = 120.0) -> None:
    end = time.monotonic() + within
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.1)


@contextmanager
def table_on(folder: Path, disk: Path, *words: str, size_mb: int = 0) -> Iterator[subprocess.Popen[str]]:
    """A simulated table with its journal on `disk`: of its own, so large, where a size is given."""
    command = [*SHOECTL, "run", "--sim", "--speed", "max", "--no-console", "--seed", "3", "--json", *words]
    command += ["--journal", str(disk / "t.journal"), "--socket", str(folder / "socket")]
    if size_mb:
        mount = f'mount -t tmpfs -o size={size_mb}m tmpfs {disk} && exec "$@"'
        command = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["-r"]), "sh", "-c", mount, "sh", *command]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment(folder), stdout=pipe, stderr=pipe, text=True) as daemon:
        try:
            yield daemon
        finally:
            daemon.kill()


def listed(folder: Path) -> dict[str, Any]:
    """What the table says of itself; nothing where it does not listen yet."""
    try:
        return ask(folder / "socket", {"list": True})
    except DeviceFailed:
        return {}


def test_field_case_91_a_small_disk_that_fills_up_stops_before_the_next_round_and_goes_on_with_room(
    tmp_path: Path,
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    (tmp_path / "t.toml").write_text("[upkeep]\nleast_free_mb = 14\n")
    with table_on(tmp_path, disk, "--config", str(tmp_path / "t.toml"), size_mb=40) as daemon:
        inside = Path(f"/proc/{daemon.pid}/root") / str(disk).lstrip("/")
        until(lambda: (inside / "t.journal").exists() and listed(tmp_path))
        ballast = inside / "ballast"
        with ballast.open("wb", buffering=0) as file:  # all but 12 MB: a table at full speed takes 1 MB a second
            stat = os.statvfs(inside)
            file.write(bytes(max(0, stat.f_bavail * stat.f_frsize - 12 * MB)))
        until(lambda: "a round needs 14" in listed(tmp_path).get("view", {}).get("journal", ""))
        before = listed(tmp_path)
        assert before["steps"] == [], "between two rounds"
        with (inside / "more").open("wb", buffering=0) as file:  # and now to the last byte
            while True:
                try:
                    file.write(bytes(4096))
                except OSError:
                    break
        time.sleep(1)
        assert listed(tmp_path)["view"]["round"] == before["view"]["round"]
        ballast.unlink()
        (inside / "more").unlink()
        until(lambda: listed(tmp_path)["view"]["round"] > before["view"]["round"])
        daemon.terminate()
        said, told = daemon.communicate(timeout=20)
        assert daemon.returncode == 0, told
    assert json.loads(said)["rounds"] >= before["view"]["round"]
    assert "no new round begins" in told
    assert "there is room again" in told
