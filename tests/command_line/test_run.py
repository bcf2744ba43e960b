"""`shoectl run` as a user starts it: a process, a simulator behind real terminals, a journal."""

from __future__ import annotations

import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

RUN = [sys.executable, "-m", "shoectl", "run", "--sim", "--no-console", "--speed", "max"]


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*RUN, "--socket", str(folder / "socket"), *arguments]
    env = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=env)


@contextmanager
def running(folder: Path, *arguments: str, limit: int = 0) -> Iterator[subprocess.Popen[str]]:
    """A table for the time of the block; `limit`: no file of it may be longer, in bytes."""
    command = [*RUN, "--socket", str(folder / "socket"), "--journal", str(folder / "journal"), *arguments]
    daemon = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if limit:
        resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (limit, limit))
    try:
        yield daemon
    finally:
        daemon.kill()
        daemon.communicate()


def answer(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "shoectl", "answer", "--socket", str(folder / "socket"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)


def wait_for_dealer(folder: Path) -> dict[str, Any]:
    """The open step once it is one of the dealer's, which nobody answers for him."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        listed = answer(folder, "--json")
        steps = json.loads(listed.stdout)["steps"] if listed.returncode == 0 else []
        if steps and steps[0]["step"]["do"] in ("reveal", "acknowledge"):
            return dict(steps[0])
        time.sleep(0.1)
    raise AssertionError(f"no step of the dealer: {listed.stderr}")


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_rounds_are_played_and_summed_up_as_one_json_value(tmp_path: Path) -> None:
    done = run(tmp_path, "--rounds", "2", "--seed", "7", "--json", "--journal", str(tmp_path / "journal"))
    assert done.returncode == 0, done.stderr
    total = json.loads(done.stdout)
    assert (total["rounds"], total["shuffles"], total["journal"]) == (2, 2, str(tmp_path / "journal"))
    assert total["cards_dealt"] >= 20
    assert set(total["net"]) <= {"1", "2", "3", "4"}
    assert f"journal: {tmp_path / 'journal'}" in done.stderr
    again = run(tmp_path, "--rounds", "3", "--seed", "7", "--json", "--journal", str(tmp_path / "journal"))
    assert json.loads(again.stdout)["rounds"] == 3, "the journal goes on where it was"


def test_one_seed_is_one_game(tmp_path: Path) -> None:
    totals = []
    for name in ("one", "other"):
        done = run(tmp_path, "--rounds", "2", "--seed", "11", "--json", "--journal", str(tmp_path / name))
        totals.append({**json.loads(done.stdout), "journal": ""})
    assert totals[0] == totals[1]


def test_without_a_terminal_each_step_is_a_line_with_its_paragraph(tmp_path: Path) -> None:
    done = run(tmp_path, "--rounds", "1", "--seed", "7", "--journal", str(tmp_path / "journal"))
    lines = done.stdout.splitlines()
    assert "  lay the red deck into the shuffler  [671a.5]" in lines
    assert "  turn up the cards of the dealer  [671a.11(e)]" in lines
    steps = [line for line in lines if line.startswith("  ") and line.endswith("]")]
    assert all("[671a." in line for line in steps)
    assert lines[-1] == f"journal: {tmp_path / 'journal'}"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_field_case_83_a_signal_ends_daemon_and_simulator_within_five_seconds(
    tmp_path: Path, number: signal.Signals
) -> None:
    with running(tmp_path, "--seed", "7", "--json", "--dealer", "console") as daemon:
        wait_for_dealer(tmp_path)
        simulator = children_of(daemon.pid)
        began = time.monotonic()
        daemon.send_signal(number)
        out, err = daemon.communicate(timeout=10)
        assert time.monotonic() - began < 5
        assert daemon.returncode == 0, err
        assert json.loads(out)["rounds"] >= 1
        assert "Traceback" not in err
        assert simulator
        assert all(gone(pid) for pid in simulator)
        assert not (tmp_path / "socket").exists()


def test_a_round_counts_once_its_wagers_are_taken(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text('[table]\ndealing = "hand"\n')
    command = [sys.executable, "-m", "shoectl", "run", "--config", "table.toml", "--journal", "journal", "--json"]
    words = {"cwd": tmp_path, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    daemon = subprocess.Popen([*command, "--socket", "socket"], **words)  # type: ignore[call-overload]
    until = time.monotonic() + 30
    while answer(tmp_path).returncode:
        assert time.monotonic() < until
    daemon.send_signal(signal.SIGINT)
    out, err = daemon.communicate(timeout=10)
    total = json.loads(out)
    assert (daemon.returncode, total["rounds"], total["cards_dealt"]) == (0, 0, 0), err


def test_a_killed_daemon_takes_its_simulator_with_it(tmp_path: Path) -> None:
    with running(tmp_path, "--seed", "7", "--json", "--dealer", "console") as daemon:
        wait_for_dealer(tmp_path)
        simulator = children_of(daemon.pid)
        daemon.kill()
        daemon.wait()
        until = time.monotonic() + 5
        while not all(gone(pid) for pid in simulator):
            assert time.monotonic() < until
            time.sleep(0.05)


def test_a_table_is_worked_through_the_local_socket(tmp_path: Path) -> None:
    with running(tmp_path, "--seed", "7", "--json", "--dealer", "console"):
        step = wait_for_dealer(tmp_path)
        assert (tmp_path / "socket").stat().st_mode & 0o777 == 0o600
        listed = answer(tmp_path).stdout
        assert f"{step['ref']}  {step['text']}  [{step['rule']}]" in listed
        assert "    announce: all decisions are locked in  [671a.11(c)]" in listed, "what is to be done before it"
        assert f"shoectl answer {step['ref']} '{{}}'" in listed
        wrong = answer(tmp_path, step["ref"], '{"foo": 1}')
        assert (wrong.returncode, len(wrong.stderr.splitlines())) == (2, 1)
        assert answer(tmp_path, "1.1", "{}").returncode == 2, "a step that is settled"
        assert answer(tmp_path, step["ref"], '{"held": "go on"}').returncode == 2, "no hold is open"
        taken = answer(tmp_path, step["ref"], "{}")
        assert (taken.returncode, taken.stdout) == (0, f"taken: {step['ref']}\n"), taken.stderr


def test_a_held_step_is_listed_with_the_words_that_end_it(tmp_path: Path) -> None:
    fault = ("--fault", "birch:unreadable@draw=1")
    with running(tmp_path, "--seed", "7", "--json", "--dealer", "console", *fault):
        until = time.monotonic() + 30
        while "held: " not in (listed := answer(tmp_path).stdout):
            assert time.monotonic() < until, listed
            time.sleep(0.1)
        lines = listed.splitlines()
        ref = next(line for line in lines if not line.startswith(" ")).split()[0]
        word, give_up = """{"held": "card", "card": "9c", "by": ["dealer", "floor"]}""", """{"held": "give up"}"""
        assert lines[-2:] == [
            "    held: draw 1 could not be read: two persons look at it and enter the card, or push it back",
            f"    when that is done: shoectl answer {ref} '{word}', or '{give_up}'",
        ]
        taken = answer(tmp_path, ref, word)
        assert taken.returncode == 0, taken.stderr


def test_a_second_daemon_does_not_take_journal_or_socket_of_the_first(tmp_path: Path) -> None:
    with running(tmp_path, "--seed", "7", "--json", "--dealer", "console"):
        wait_for_dealer(tmp_path)
        elsewhere = ["--socket", str(tmp_path / "elsewhere")]
        for journal, more in (("journal", elsewhere), ("another", [])):
            second = run(tmp_path, "--seed", "7", "--json", "--journal", str(tmp_path / journal), *more)
            assert second.returncode == 2
            assert not (tmp_path / "another").exists()
            assert second.stderr.startswith("shoectl: ")
            assert len(second.stderr.splitlines()) == 1
        assert wait_for_dealer(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--game", "whist"], "game 'whist' is not known"),
        (["--devices", "ash"], "ash"),
        (["--devices", "birch,birch"], "two devices"),
        (["--devices", "birch@3,birch@4"], "no place is left"),
        (["--fault", "alder:nonsense"], "nonsense"),
        (["--speed", "fast"], "'fast' is no speed"),
        (["--rounds", "0"], "rounds"),
    ],
)
def test_what_cannot_be_run_is_one_line_and_exit_2(tmp_path: Path, arguments: list[str], said: str) -> None:
    done = run(tmp_path, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.rglob("*.journal")), "nothing was written"


def test_a_journal_that_was_changed_is_refused_before_a_simulator_starts(tmp_path: Path) -> None:
    path, truth = tmp_path / "table.journal", tmp_path / "truth"
    assert run(tmp_path, "--rounds", "1", "--json", "--journal", str(path)).returncode == 0
    content = path.read_bytes()
    at = content.index(b'"amount"') + 2
    broken = content[:at] + b"b" + content[at + 1 :]
    other = tmp_path / "other"
    other.mkdir()
    (other / "table.journal").write_bytes(broken)
    done = run(tmp_path, "--rounds", "2", "--journal", str(other / "table.journal"), "--truth", str(truth))
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
    assert "was changed" in done.stderr
    assert (other / "table.journal").read_bytes() == broken
    assert not truth.exists()
    assert not (other / "table.journal-table").exists()


def test_a_journal_in_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    done = run(tmp_path, "--rounds", "1", "--journal", str(tmp_path / "none" / "table.journal"))
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert not list(tmp_path.iterdir())


def test_a_table_goes_on_when_nobody_reads_its_lines_any_more(tmp_path: Path) -> None:
    with running(tmp_path, "--seed", "7", "--rounds", "2") as daemon:
        assert daemon.stdout is not None
        assert daemon.stderr is not None
        daemon.stdout.readline()
        daemon.stdout.close()
        said = daemon.stderr.read()
        assert daemon.wait(60) == 141
        assert "the table goes on without it" in said
        assert "internal" not in said
    assert rounds_in(tmp_path / "journal") == 2


def test_field_case_91_a_disk_that_is_full_is_told_and_the_table_waits(tmp_path: Path) -> None:
    with running(tmp_path, "--seed", "7", "--json", limit=200_000) as daemon:
        assert daemon.stderr is not None
        for line in daemon.stderr:
            if line.endswith("the table waits\n"):
                break
        else:
            raise AssertionError("nothing was told")
        said = f"the table waits: journal {tmp_path / 'journal'} cannot be written: disk I/O error"
        assert answer(tmp_path).stdout.splitlines()[-1] == said
        daemon.terminate()
        assert daemon.wait(5) == 0


def rounds_in(journal: Path) -> int:
    with closing(sqlite3.connect(journal)) as base:
        return int(base.execute("SELECT count(*) FROM entry WHERE kind = 'round'").fetchone()[0])


def test_a_file_that_is_no_journal_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a journal")
    done = run(tmp_path, "--rounds", "1", "--journal", str(path))
    assert (done.returncode, path.read_text()) == (2, "not a journal")
    assert [one.name for one in tmp_path.iterdir()] == ["notes.txt"]
    assert len(done.stderr.splitlines()) == 1


@contextmanager
def waiting(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A daemon by a configuration whose device is not there."""
    config = folder / "table.toml"
    config.write_text(f'[devices.shoe]\nurl = "serial://{folder}/nothing"\nfamily = "birch"\n')
    command = [sys.executable, "-m", "shoectl", "run", "--config", str(config), "--journal", str(folder / "journal")]
    daemon = subprocess.Popen(
        [*command, "--socket", str(folder / "socket")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert daemon.stdout is not None
        line = next(line for line in daemon.stdout if "is not there" in line)
        assert line.startswith("shoe: waiting for the port")
        yield daemon
        daemon.terminate()
        daemon.communicate(timeout=10)
        assert daemon.returncode == 0
    finally:
        daemon.kill()
        daemon.communicate()


def test_a_device_that_is_not_there_is_waited_for_and_told(tmp_path: Path) -> None:
    with waiting(tmp_path):
        assert answer(tmp_path).returncode == 0


def test_a_hangup_rereads_what_may_change_in_play(tmp_path: Path) -> None:
    with waiting(tmp_path) as daemon:
        assert daemon.stderr is not None
        config = tmp_path / "table.toml"
        plain = config.read_text()
        config.write_text(plain + "[limits]\nante = [20, 200]\n")
        daemon.send_signal(signal.SIGHUP)
        assert next(line for line in daemon.stderr if "next round" in line) == "from the next round on: limits\n"
        config.write_text(plain + "[limits]\nanti = [20, 200]\n")
        daemon.send_signal(signal.SIGHUP)
        said = daemon.stderr.readline()
        assert said.startswith(f"the configuration was not taken over: {config}: ")
    base = sqlite3.connect(tmp_path / "journal")
    changes = [json.loads(body) for (body,) in base.execute("SELECT body FROM entry WHERE kind = 'amend'")]
    base.close()
    assert changes == [{"state": {"limits": {"ante": [20, 200], "super": [5, 100]}}}]
