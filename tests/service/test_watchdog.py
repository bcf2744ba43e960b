"""The watchdog is fed by tasks that go on, and by nothing else."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from protocols.vocabulary import EventCode
from shoectl.games.procedure import Role
from shoectl.journal import Journal, Reader, verify
from shoectl.service.notify import Notify
from shoectl.service.watchdog import Question, questions, watch
from shoectl.table.openstep import OpenStep
from shoectl.transports import TransportError
from tests.devices.notes import Notes
from tests.devices.scripted import Device, alder, birch
from tests.devices.stations import table as station_table
from tests.devices.wires import Wire
from tests.endtoend.runs import environment
from tests.table import bench
from tests.timeloop import virtual

from .manager import Manager

WANTED_S = 20.0


@asynccontextmanager
async def watched(
    folder: Path, asked: list[Question], wanted: float = WANTED_S
) -> AsyncIterator[tuple[Manager, list[str]]]:
    """A watchdog at a manager that counts; what it says of those that hang."""
    said: list[str] = []
    with Manager(folder) as manager:
        notify = Notify.of(manager.environment(wanted))
        tasks = [asyncio.create_task(watch(notify, asked, said.append)), asyncio.create_task(_hearing(manager, wanted))]
        yield manager, said
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _hearing(manager: Manager, wanted: float) -> None:
    while True:
        manager.hear()
        await asyncio.sleep(wanted / 8)


async def signs(manager: Manager, seconds: float) -> int:
    """How many are given in the time from now on."""
    manager.hear()
    before = manager.heard.count("WATCHDOG=1")
    await asyncio.sleep(seconds)
    manager.hear()
    return manager.heard.count("WATCHDOG=1") - before


@pytest.mark.parametrize("make", [alder, birch])
@virtual
async def test_a_station_gives_signs_with_its_device_and_without_and_none_once_its_task_hangs(
    tmp_path: Path, make: Any
) -> None:
    device: Device = make()
    notes, wire = Notes(), Wire(device)
    async with station_table(wire, notes) as station:
        await station.ready()
        async with watched(tmp_path, [("device", station.pulse.turns)]) as (manager, said):
            assert await signs(manager, 100) >= 15
            wire.refusal = TransportError("no such port")
            wire.pull()
            assert await signs(manager, 600) >= 60
            assert not station.online
            wire.refusal = None
            await station.ready()
            assert not said
            notes.slow = 1e9  # whoever takes the event never comes back
            device.event(EventCode.DOOR)
            await asyncio.sleep(30)
            assert await signs(manager, 100) == 0
            assert said[-1] == "no sign of life: device did not go on within 10 s"


@virtual
async def test_a_table_gives_signs_while_people_think_and_none_once_hands_do_not_let_go(tmp_path: Path) -> None:
    stuck = asyncio.Event()

    async def people(step: OpenStep) -> None:
        try:
            await asyncio.sleep(1e6)
        except asyncio.CancelledError:
            await stuck.wait()  # never: they do not even go when they are told to

    async with bench.table(tmp_path / "journal", people=people) as (runner, _):
        await asyncio.sleep(60)
        assert runner.open is not None
        assert runner.open.step.by is Role.PEOPLE
        async with watched(tmp_path, questions(runner, {})) as (manager, said):
            assert await signs(manager, 3600) >= 700
            runner.open.close()
            runner.open = OpenStep(runner, runner.open.step, runner.round_no, runner.open.number)
            runner._wake()
            await asyncio.sleep(30)
            assert await signs(manager, 600) == 0
            assert said[-1] == "no sign of life: the table did not go on within 10 s"
        stuck.set()


async def test_a_disk_that_never_answers_gives_no_sign(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal") as journal:
        async with watched(tmp_path, [("the journal's thread", journal.answers)], 0.4) as (manager, said):
            assert await signs(manager, 0.5) >= 3
            free = threading.Event()
            assert journal._thread is not None
            journal._thread.submit(free.wait)
            await asyncio.sleep(0.3)
            assert await signs(manager, 0.5) == 0
            assert "the journal's thread" in said[-1]
            free.set()
            assert await signs(manager, 0.5) > 0, "it goes on as soon as the disk does"


def run(folder: Path, manager: Manager, *program: str, rounds: int, watchdog: float) -> subprocess.Popen[str]:
    words = ["run", "--sim", "--speed", "max", "--no-console", "--seed", "3", "--json", "--rounds", str(rounds)]
    told = {**environment(folder), **manager.environment(watchdog)}
    command = [sys.executable, "-m", *program, *words, "--journal", str(folder / "journal")]
    return subprocess.Popen(command, cwd=folder, env=told, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_daemon_whose_disk_hangs_is_ended_by_its_manager_and_the_next_one_plays_on(tmp_path: Path) -> None:
    (tmp_path / "tests").symlink_to(Path(__file__).parents[1])
    with Manager(tmp_path) as manager:
        with run(tmp_path, manager, "tests.service.hanging", "90", rounds=9, watchdog=1.0) as daemon:
            manager.until("READY=1")
            manager.watch(daemon, 1.0)
            _, said = daemon.communicate(timeout=20)
        assert daemon.returncode == -signal.SIGABRT
        assert "did not go on within" in said
        assert "STOPPING=1" not in manager.heard
        with run(tmp_path, manager, "shoectl", rounds=2, watchdog=20.0) as daemon:
            daemon.communicate(timeout=60)
        assert daemon.returncode == 0
        manager.hear()
        assert manager.heard[-1] == "STOPPING=1"
    with Reader(tmp_path / "journal") as reader:
        verify(reader)
        assert len(reader.rounds()) == 2
