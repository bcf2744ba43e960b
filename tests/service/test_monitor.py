"""`shoectl monitor`: the table through its daemon's socket, for as long as the daemon lives."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from shoectl.errors import BadInput
from shoectl.local_socket import CLIENTS_MOST, alive
from shoectl.socket_client import ask, follow
from tests.endtoend.runs import SHOECTL, environment

RUN = ("run", "--sim", "--no-console", "--seed", "3", "--json")


@contextmanager
def daemon(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A simulated table at folder/socket, up when the block begins."""
    command = [*SHOECTL, *RUN, "--socket", str(folder / "socket"), "--journal", str(folder / "journal"), *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment(folder), stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stderr is not None
            next(line for line in process.stderr if line.startswith("seed:"))
            until(lambda: alive(folder / "socket"))
            yield process
        finally:
            process.kill()


def interruptible() -> None:
    """SIGINT as a terminal's own programs have it: what a shell starts in the background ignores it, heirs included."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def monitor(folder: Path, *words: str, **more: Any) -> Iterator[subprocess.Popen[str]]:
    """A monitor for the time of the block; it is ended even where the daemon lives on."""
    command = [*SHOECTL, "monitor", "--socket", str(folder / "socket"), *words]
    out = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    env = {**environment(folder), "COLUMNS": "120", "LINES": "40"}
    with subprocess.Popen(command, env=env, text=True, preexec_fn=interruptible, **out) as process:
        try:
            yield process
        finally:
            process.kill()


def drained(terminal: int) -> list[str]:
    """What appears on a terminal, read by a thread as long as somebody writes: who is not read cannot end."""
    shown: list[str] = []

    def read() -> None:
        with contextlib.suppress(OSError):
            while text := os.read(terminal, 4096):
                shown.append(text.decode(errors="replace"))

    threading.Thread(target=read, daemon=True).start()
    return shown


def until(holds: Any, within: float = 30.0) -> None:
    end = time.monotonic() + within
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_views_come_at_each_change_until_the_daemon_ends(tmp_path: Path) -> None:
    with daemon(tmp_path, "--speed", "20") as table, monitor(tmp_path, "--json") as machine, monitor(tmp_path) as lines:
        assert machine.stdout is not None
        views = [json.loads(machine.stdout.readline()) for _ in range(8)]
        entries = [view["entry"] for view in views]
        assert entries == sorted(entries)
        assert len(set(entries)) > 3
        assert {view["viewer"] for view in views} == {"public"}
        table.send_signal(signal.SIGTERM)
        table.communicate(timeout=10)
        _, said = machine.communicate(timeout=10)
        told, _ = lines.communicate(timeout=10)
    assert (machine.returncode, said) == (3, f"shoectl: the daemon at {tmp_path / 'socket'} ended\n")
    assert lines.returncode == 3
    assert "round 1" in told
    assert re.search(r"\[[0-9a-z.()]+\]", told), "each step with its paragraph"


def test_a_terminal_shows_the_picture_and_interrupting_it_leaves_the_table_alone(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with daemon(tmp_path, "--speed", "20") as table, monitor(tmp_path, stdout=theirs, stdin=theirs) as picture:
        os.close(theirs)
        shown = drained(ours)
        until(lambda: "seat 4" in "".join(shown))
        picture.send_signal(signal.SIGINT)
        picture.communicate(timeout=10)
        assert picture.returncode == 130
        assert table.poll() is None
        assert ask(tmp_path / "socket", {"list": True})["ok"]
    os.close(ours)


def test_whoever_waits_sees_the_table_that_comes_back(tmp_path: Path) -> None:
    with monitor(tmp_path, "--json", "--wait") as machine:
        assert machine.stdout is not None
        assert machine.stderr is not None
        assert machine.stderr.readline().endswith("waiting for it\n")
        with daemon(tmp_path, "--speed", "20") as table:
            first = json.loads(machine.stdout.readline())
            table.kill()
            assert machine.stderr.readline() == f"the daemon at {tmp_path / 'socket'} ended; waiting for it\n"
        with daemon(tmp_path, "--speed", "20"):
            until(lambda: json.loads(machine.stdout.readline())["entry"] > first["entry"])
        machine.kill()


def test_without_a_daemon_it_is_one_line_and_exit_3(tmp_path: Path) -> None:
    with monitor(tmp_path) as none:
        _, said = none.communicate(timeout=10)
    assert (none.returncode, len(said.splitlines())) == (3, 1)
    assert "no daemon answers" in said


def test_those_who_follow_are_bounded_and_those_who_go_make_room(tmp_path: Path) -> None:
    with daemon(tmp_path, "--speed", "20"):
        followers = [follow(tmp_path / "socket") for _ in range(CLIENTS_MOST)]
        for one in followers:
            next(one)
        with pytest.raises(BadInput, match="too many clients"):
            next(follow(tmp_path / "socket"))
        for one in followers:
            one.close()  # type: ignore[attr-defined]

        def room() -> bool:
            try:
                return bool(next(follow(tmp_path / "socket"))["ok"])
            except BadInput:
                return False

        until(room)


def test_a_socket_that_somebody_removed_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with daemon(tmp_path, "--speed", "20"):
        path.unlink()
        until(path.exists)
        assert path.stat().st_mode & 0o777 == 0o600
        assert ask(path, {"list": True})["ok"]
