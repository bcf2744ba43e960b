"""A wall clock that was set, that is behind, that was never set: order stays, and times say that they are unsure."""

from __future__ import annotations

import asyncio
import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from shoectl.journal import Clock, Journal, Reader, verify
from shoectl.journal.clock import EARLIEST_US, Times
from tests.endtoend.runs import SHOECTL
from tests.table import bench
from tests.timeloop import virtual

DAY = 86_400 * 1_000_000
NOW = EARLIEST_US + 1000 * DAY


@dataclass
class Machine:
    """A computer whose wall clock can be set, and which can be started again."""

    wall: int = NOW
    boot: str = "one"
    ticks: list[int] = field(default_factory=lambda: [0])

    def clock(self) -> Clock:
        return Clock(wall=lambda: self.wall + self.ticks[0], mono=self._tick, boot=self.boot)

    def _tick(self) -> int:
        self.ticks[0] += 1_000
        return self.ticks[0]


def show(path: Path, *words: str) -> list[str]:
    done = subprocess.run([*SHOECTL, "journal", "show", str(path), *words], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("jump", [-DAY, 30 * DAY])
@virtual
async def test_field_case_92_a_clock_that_is_set_in_a_round_ends_nothing_and_is_written_down(
    tmp_path: Path, jump: int
) -> None:
    path, machine = tmp_path / "journal", Machine()
    async with bench.table(path, rounds=3, clock=machine.clock()) as (runner, running):
        while runner.round_no < 2:
            await runner.next_change()
        machine.wall += jump
        await asyncio.sleep(600)
        assert running.done()
        assert runner.course.finished == 3
    with Reader(path) as reader:
        verify(reader)
        entries = list(reader.entries())
    said = [entry.body["text"] for entry in entries if entry.kind == "note"]
    assert said == [f"the wall clock was set by {jump / 1e6:+.1f} s"]
    assert [entry.mono for entry in entries] == sorted(entry.mono for entry in entries)
    marked = ["Z? " in line for line in show(path)]
    assert any(marked) is (jump < 0)
    if jump < 0:
        assert marked == [False] * marked.index(True) + [True] * (len(marked) - marked.index(True))
        last = [json.loads(line) for line in show(path, "--round", "3", "--json")]
        assert all(one["unsure"] for one in last), "of a later round alone it is known as well"


def test_a_machine_without_a_clock_is_unsure_from_its_first_entry_on_until_it_is_set(tmp_path: Path) -> None:
    path, machine = tmp_path / "journal", Machine(wall=0)
    with Journal.open(path, threaded=False, clock=machine.clock()) as journal:
        journal.append("note", {"n": 1})
        journal.append("note", {"n": 2})
        machine.wall = NOW
        journal.append("note", {"n": 3})
    lines = show(path)
    assert ["Z? " in line for line in lines] == [True, True, True, False, False]
    assert "the wall clock is not set" in lines[0]
    assert "the wall clock was set by" in lines[3]


def test_field_case_93_a_machine_that_comes_back_in_the_past_says_so_and_keeps_the_order(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    for machine in (Machine(), Machine(wall=NOW - 14 * DAY, boot="two"), Machine(wall=NOW + DAY, boot="three")):
        with Journal.open(path, threaded=False, clock=machine.clock()) as journal:
            journal.append("note", {"boot": machine.boot})
    with Reader(path) as reader:
        entries = list(reader.entries())
    assert [entry.body.get("boot") for entry in entries] == ["one", None, "two", "three"]
    assert "1209600.0 s behind the entry before" in entries[1].body["text"]
    assert ["Z? " in line for line in show(path)] == [False, True, True, False]


def test_two_seconds_are_no_doubt() -> None:
    times = Times()
    assert [times.unsure(NOW + one) for one in (0, -1_900_000, -2_100_000, 1)] == [False, False, True, False]
