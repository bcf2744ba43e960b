"""How a daemon ends, and what the next one finds: each end is a defined one."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shoectl.journal import Entry, Journal, Reader, verify
from tests.endtoend.runs import SHOECTL, environment

from .manager import Manager

RULE = "671a.11(a)"
RUN = ("run", "--sim", "--speed", "max", "--no-console", "--seed", "3", "--json")


@contextmanager
def daemon(folder: Path, manager: Manager, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A simulated table, once its manager has heard that it is up."""
    command = [*SHOECTL, *RUN, "--journal", str(folder / "journal"), *words]
    pipe, told = subprocess.PIPE, {**environment(folder), **manager.environment(20.0)}
    manager.heard.clear()
    with subprocess.Popen(command, cwd=folder, env=told, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            manager.until("READY=1")
            yield process
        finally:
            process.kill()


def entries_of(path: Path) -> list[Entry]:
    with Reader(path) as reader:
        verify(reader)
        return list(reader.entries())


def count(path: Path) -> int:
    with Reader(path) as reader:
        return reader.count()


def rounds(entries: list[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.kind == "round"]


def played(folder: Path, number: int) -> dict[str, object]:
    """The same table played on to so many rounds by another daemon."""
    command = [*SHOECTL, *RUN, "--journal", str(folder / "journal"), "--rounds", str(number)]
    done = subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_whatever_ends_a_daemon_the_next_one_plays_the_open_round_to_its_end(tmp_path: Path, number: int) -> None:
    with Manager(tmp_path) as manager, daemon(tmp_path, manager) as process:
        manager.until(lambda: count(tmp_path / "journal") > 60)
        process.send_signal(number)
        process.communicate(timeout=5)
        manager.hear(0.2)
    killed = number == signal.SIGKILL
    assert process.returncode == (-signal.SIGKILL if killed else 0)
    assert ("STOPPING=1" in manager.heard) is not killed
    before = entries_of(tmp_path / "journal")
    under_way = rounds(before)[-1].body["number"]
    assert played(tmp_path, under_way + 1)["rounds"] == under_way + 1
    after = entries_of(tmp_path / "journal")
    assert [entry.link for entry in after[: len(before)]] == [entry.link for entry in before]
    assert [entry.body["number"] for entry in rounds(after)] == [*range(1, under_way + 2)]


def test_a_hangup_is_told_to_the_manager_from_its_begin_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(f'[devices.shoe]\nurl = "serial://{tmp_path}/nothing"\nfamily = "birch"\n')
    command = [*SHOECTL, "run", "--config", "table.toml", "--json", "--journal", "journal"]
    with Manager(tmp_path) as manager:
        told = {**environment(tmp_path), **manager.environment(20.0)}
        with subprocess.Popen(command, cwd=tmp_path, env=told, stderr=subprocess.PIPE, text=True) as process:
            manager.until("READY=1")
            manager.heard.clear()
            process.send_signal(signal.SIGHUP)
            manager.until("RELOADING=1")
            manager.until("READY=1")
            process.terminate()
            process.communicate(timeout=10)
        manager.until("STOPPING=1")
    assert process.returncode == 0


def test_a_journal_that_another_process_writes_is_one_line_and_no_table(tmp_path: Path) -> None:
    with Manager(tmp_path) as manager, Journal.open(tmp_path / "journal"):
        told = {**environment(tmp_path), **manager.environment(20.0)}
        command = [*SHOECTL, *RUN, "--journal", str(tmp_path / "journal")]
        done = subprocess.run(command, cwd=tmp_path, env=told, capture_output=True, text=True, timeout=30)
        assert manager.hear() == [], "a service that cannot be is never ready"
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "writes it, and only one may" in done.stderr


# another version of the program


@pytest.fixture
def other_rules(tmp_path: Path) -> Path:
    """shoectl with other rules: a comment in one of them is enough for another digest."""
    home = tmp_path / "other"
    for package in ("shoectl", "protocols", "firmware_sim"):
        shutil.copytree(
            Path(__file__).parents[2] / package, home / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    rules = home / "shoectl/games/lunar_poker/procedure.py"
    rules.write_text(rules.read_text() + "\n# as approved\n")
    return home


def under(home: Path, folder: Path, number: int) -> subprocess.CompletedProcess[str]:
    command = [*SHOECTL, *RUN, "--journal", str(folder / "journal"), "--rounds", str(number)]
    env = {**environment(folder), "PYTHONPATH": str(home)}
    return subprocess.run(command, cwd=home, env=env, capture_output=True, text=True, timeout=90)


def cut_off(folder: Path) -> int:
    """A table whose daemon was killed. Returns the number of the round that is open."""
    with Manager(folder) as manager, daemon(folder, manager):
        manager.until(lambda: count(folder / "journal") > 60)
    return int(rounds(entries_of(folder / "journal"))[-1].body["number"])


def test_an_open_round_is_finished_before_another_version_of_the_rules_takes_over(
    tmp_path: Path, other_rules: Path
) -> None:
    under_way = cut_off(tmp_path)
    done = under(other_rules, tmp_path, under_way + 1)
    assert done.returncode == 0, done.stderr
    entries = entries_of(tmp_path / "journal")
    first, second = rounds(entries)[-2:]
    assert first.body["versions"]["rules"] != second.body["versions"]["rules"]
    told = [entry for entry in entries if entry.kind == "note" and "another version of the rules" in entry.body["text"]]
    assert [first.n < entry.n < second.n for entry in told] == [True]


@pytest.fixture
def other_steps(other_rules: Path) -> Path:
    """shoectl with rules that ask for one step more in each round."""
    session = other_rules / "shoectl/table/session.py"
    text = session.read_text()
    line = "    state, withdrawn = yield from _prove("
    assert text.count(line) == 1
    changed = text.replace(line, f'    yield from Announce("Welcome", rule="{RULE}")\n{line}')
    changed = changed.replace(
        "from shoectl.games import", "from shoectl.games.steps import Announce\nfrom shoectl.games import", 1
    )
    session.write_text(changed)
    return other_rules


def test_a_round_that_another_version_would_play_otherwise_is_left_to_the_version_that_began_it(
    tmp_path: Path, other_steps: Path
) -> None:
    under_way = cut_off(tmp_path)
    before = entries_of(tmp_path / "journal")
    done = under(other_steps, tmp_path, under_way + 1)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done.stderr
    assert "another version of the rules" in done.stderr
    assert "shoectl journal void" in done.stderr
    assert [entry.link for entry in entries_of(tmp_path / "journal")] == [entry.link for entry in before]
    assert played(tmp_path, under_way)["rounds"] == under_way, "under the version that began it, it is finished"


def journal_of(home: Path, folder: Path, verb: str, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**environment(folder), "PYTHONPATH": str(home)}
    command = [*SHOECTL, "journal", verb, str(folder / "journal"), *words]
    return subprocess.run(command, cwd=home, env=env, capture_output=True, text=True, timeout=30)


def test_a_round_that_another_version_would_play_otherwise_is_voided_and_that_version_goes_on(
    tmp_path: Path, other_steps: Path
) -> None:
    void = ("void", "--by", "floor", "--yes")
    with Manager(tmp_path) as manager, daemon(tmp_path, manager):
        manager.until(lambda: count(tmp_path / "journal") > 60)
        refused = journal_of(other_steps, tmp_path, *void)
        assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1), refused.stderr
        assert "writes it, and only one may" in refused.stderr
    under_way = int(rounds(entries_of(tmp_path / "journal"))[-1].body["number"])
    assert under(other_steps, tmp_path, under_way + 2).returncode == 1
    done = journal_of(other_steps, tmp_path, *void)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert f"round {under_way} is voided by floor" in done.stdout
    went_on = under(other_steps, tmp_path, under_way + 2)
    assert went_on.returncode == 0, went_on.stderr
    assert json.loads(went_on.stdout)["rounds"] == under_way + 2
    entries_of(tmp_path / "journal")  # its chain holds
    replayed = json.loads(journal_of(other_steps, tmp_path, "replay", "--json").stdout)
    assert replayed["voided"] == {str(under_way): "voided by floor"}
    assert not {number for number in replayed["diverged"] if int(number) >= under_way}
