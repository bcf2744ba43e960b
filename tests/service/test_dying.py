"""No daemon lives on half dead: a task that ends unexpectedly ends the process, with a status that says so."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shoectl.journal import Reader, verify
from tests.command_line.test_run import children_of, gone
from tests.endtoend.runs import environment
from tests.mqtt.broker import ROOT, Broker
from tests.mqtt.test_daemon import configured

from .dying import PLACES
from .manager import Manager

UNIT = ROOT / "shoectl" / "service" / "data" / "shoectl.service"


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    one = Broker(tmp_path_factory.mktemp("broker"))
    one.start()
    yield one
    one.stop()


@contextmanager
def started(folder: Path, broker: Broker, manager: Manager, task: str) -> Iterator[subprocess.Popen[str]]:
    """A daemon with its bus and its pages, in which a task will die."""
    words = [word for word in configured(folder, broker) if word != "--no-console"]
    with process(folder, manager, "tests.service.dying", task, *words) as daemon:
        yield daemon


@contextmanager
def process(folder: Path, manager: Manager, program: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A program that is ended at the latest with the block."""
    told = {**environment(folder), **manager.environment(20.0), "PYTHONPATH": str(ROOT)}
    command, pipe = [sys.executable, "-m", program, *words], subprocess.PIPE
    daemon = subprocess.Popen(command, cwd=folder, env=told, stdout=pipe, stderr=pipe, text=True)
    try:
        yield daemon
    finally:
        daemon.kill()
        daemon.communicate()


@pytest.mark.parametrize("task", PLACES)
def test_field_case_79_a_task_that_dies_ends_the_daemon_with_a_status_that_has_it_started_again(
    tmp_path: Path, broker: Broker, task: str
) -> None:
    journal = tmp_path / "journal"
    with Manager(tmp_path) as manager, started(tmp_path, broker, manager, task) as daemon:
        manager.until("READY=1")
        manager.until(lambda: entries_in(journal) > 40)
        simulator = children_of(daemon.pid)
        began = time.monotonic()
        daemon.send_signal(signal.SIGUSR1)
        _, said = daemon.communicate(timeout=20)
        assert time.monotonic() - began < 10, "at once, not with the next signal"
        assert simulator
        assert all(gone(pid) for pid in simulator)
        manager.until("STOPPING=1")
    assert daemon.returncode == 70, said
    assert 70 not in prevented(), "systemd starts it again"
    assert [line for line in said.splitlines() if "internal error" in line] == said.splitlines()[-1:]
    assert "Traceback" not in said
    assert "(ZeroDivisionError)" in said
    story = Path(said.split()[-1]).read_text()
    assert f"ZeroDivisionError: {task}" in story
    with Reader(journal) as reader:
        verify(reader)


@pytest.mark.parametrize("twice", [False, True])
def test_field_case_83_a_daemon_whose_disk_hangs_ends_in_time_and_at_once_if_it_is_told_twice(
    tmp_path: Path, twice: bool
) -> None:
    journal = tmp_path / "journal"
    words = ("60", "run", "--sim", "--speed", "max", "--no-console", "--seed", "3", "--json", "--journal", str(journal))
    with Manager(tmp_path) as manager, process(tmp_path, manager, "tests.service.hanging", *words) as daemon:
        manager.until(lambda: entries_in(journal) > 40)
        time.sleep(0.5)  # it hangs at the sixtieth
        began = time.monotonic()
        daemon.terminate()
        time.sleep(0.5)
        assert daemon.poll() is None, "it waits for the disk"
        if twice:
            daemon.terminate()
        daemon.communicate(timeout=10)
        assert time.monotonic() - began < (2 if twice else 5)
    assert daemon.returncode == 0
    with Reader(journal) as reader:
        verify(reader)


def entries_in(path: Path) -> int:
    if not path.exists():
        return 0
    with Reader(path) as reader:
        return reader.count()


def prevented() -> list[int]:
    """The exit codes after which the shipped unit is not started again."""
    unit = UNIT.read_text(encoding="utf-8")
    assert re.search(r"^Restart=on-failure$", unit, re.MULTILINE)
    (codes,) = re.findall(r"^RestartPreventExitStatus=(.+)$", unit, re.MULTILINE)
    return [int(code) for code in codes.split()]
