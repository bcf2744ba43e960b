"""`shoesim` as a process on real pseudo-terminals: how it begins, what it answers, how it ends."""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from protocols.family import families
from protocols.link import Link, Received, Side
from protocols.message import Event, Message, Request, Response

COMMAND = [sys.executable, "-m", "firmware_sim"]
PATIENCE = 20.0


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=PATIENCE, check=False)


@contextmanager
def shoesim(*words: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """A running simulator and its ready line."""
    process = subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stderr
    try:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        yield process, json.loads(line)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(PATIENCE)
        process.stdout.close()
        process.stderr.close()


class Port:
    """A host's link on a real descriptor."""

    def __init__(self, family: str, file: int | socket.socket, **options: Any) -> None:
        self.link: Link = families()[family].make_link(Side.HOST, **options)
        self.messages: list[Message] = []
        self.file = file
        self.selector = selectors.DefaultSelector()
        self.selector.register(file, selectors.EVENT_READ)
        self.link.open(time.monotonic())
        self.link.read_events_after(0)

    def until(self, reached: Any, seconds: float = PATIENCE) -> None:
        end = time.monotonic() + seconds
        while not reached():
            assert time.monotonic() < end, [type(each).__name__ for each in self.messages]
            self.turn()

    def turn(self) -> None:
        number = self.file if isinstance(self.file, int) else self.file.fileno()
        now = time.monotonic()
        events = self.link.tick(now)
        data = self.link.output(now)
        if data:
            os.write(number, data)
        if self.selector.select(0.002):
            events += self.link.receive(os.read(number, 4096), time.monotonic())
        self.messages += [event.message for event in events if isinstance(event, Received)]

    def ask(self, type: str, id: int, **body: Any) -> Response:
        self.link.send(Request(type, id, body), time.monotonic())

        def answers() -> list[Response]:
            return [each for each in self.messages if isinstance(each, Response) and (each.type, each.id) == (type, id)]

        self.until(answers)
        return answers()[0]

    def names(self) -> list[str | None]:
        return [each.name for each in self.messages if isinstance(each, Event)]

    def close(self) -> None:
        self.selector.close()
        if isinstance(self.file, int):
            os.close(self.file)
        else:
            self.file.close()


@contextmanager
def terminal(family: str, path: str, **options: Any) -> Iterator[Port]:
    port = Port(family, os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK), **options)
    try:
        port.until(lambda: port.link.up)
        yield port
    finally:
        port.close()


class Control:
    """A client of the control socket."""

    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)
        self.file = self.socket.makefile("rw")

    def __call__(self, **order: Any) -> dict[str, Any]:
        self.file.write(json.dumps(order) + "\n")
        self.file.flush()
        answer: dict[str, Any] = json.loads(self.file.readline())
        return answer

    def close(self) -> None:
        self.file.close()
        self.socket.close()


def test_a_table_on_real_terminals(tmp_path: Path) -> None:
    words = ["--dir", str(tmp_path), "--speed", "max", "--person", "none", "--control", str(tmp_path / "control")]
    with shoesim("alder", "birch", *words, "--truth", str(tmp_path / "truth"), "--seed", "7") as (process, ready):
        assert ready == {
            "ready": True,
            "devices": [
                {"family": "alder", "name": "alder", "url": f"serial://{tmp_path}/alder?baud=57600",
                 "serial": "AL000117"},
                {"family": "birch", "name": "birch", "url": f"serial://{tmp_path}/birch?baud=38400&address=3",
                 "serial": "BI000003"},
            ],
            "control": str(tmp_path / "control"),
        }  # fmt: skip
        control = Control(ready["control"])
        with terminal("alder", str(tmp_path / "alder")) as alder:
            alder.until(lambda: alder.names().count("STATE") >= 2)
            assert alder.ask("SHUFFLE_START", 1, mode=1, deck=0, expected=52).ok
            alder.until(lambda: "CMD_DONE" in alder.names())
            assert alder.ask("PRESENT", 2, deck=0, override_by=0).ok
            assert control(do="take", id="a", device="alder") == {"ok": True, "moved": 52, "id": "a"}
        with terminal("birch", str(tmp_path / "birch")) as birch:
            assert birch.ask("LOAD_BEGIN", 1, decks=1, expected=52, set_id="00" * 8, cut=0).ok
            assert control(do="fill", id="b", device="birch", **{"from": "hand"})["moved"] == 52
            assert birch.ask("LOAD_END", 2).ok
            assert birch.ask("ARM", 3, round=1, lease=2).ok
            assert control(do="draw", id="c", device="birch", to=["seat 1", "seat 2"])["moved"] == 2
            birch.until(lambda: birch.names().count("CARD_DRAWN") == 2)
        assert control(look="seat 1", lift=True)["count"] == 1
        assert [device["state"] for device in control(state=True)["devices"]] == ["EMPTY", "LOADED"]
        assert control(fault="alder:jam@card=2") == {"ok": True}
        assert control(fault="flood")["ok"] is False
        assert control(stop="draw") == {"ok": True, "ended": False}
        assert control(nonsense=1)["ok"] is False
        process.send_signal(signal.SIGTERM)  # with a client still there
        assert process.wait(PATIENCE) == 0
        assert process.stderr
        assert process.stderr.read() == ""
        control.close()
    assert not (tmp_path / "alder").is_symlink()
    assert not (tmp_path / "control").exists()
    assert len((tmp_path / "truth").read_text().splitlines()) >= 52 * 4


def test_a_killed_simulator_comes_back_at_the_same_path_as_devices_after_a_power_cut(tmp_path: Path) -> None:
    words = ["alder", "--pty", str(tmp_path / "port"), "--state", str(tmp_path / "state"), "--speed", "10"]
    with shoesim(*words) as (process, _):
        with terminal("alder", str(tmp_path / "port")) as port:
            port.until(lambda: port.names().count("STATE") >= 2)
            assert port.ask("SHUFFLE_START", 1, mode=1, deck=0, expected=52).ok
            port.until(lambda: port.names().count("STATE") >= 3)
        process.kill()
        process.wait(PATIENCE)
    assert (tmp_path / "port").is_symlink()
    with shoesim(*words), terminal("alder", str(tmp_path / "port")) as port:
        port.until(lambda: "CMD_DONE" in port.names())
        assert port.names()[-4:] == ["POWER_UP", "SHUFFLE_DONE", "CMD_DONE", "STATE"] or port.names()[-1] == "CMD_DONE"
        assert port.ask("RESULT", 9, of=1).body == {"of_type": 0x10, "of_result": 1}


def test_a_line_that_hangs_up_is_there_again_under_another_number(tmp_path: Path) -> None:
    path = tmp_path / "port"
    with shoesim("alder", "--pty", str(path), "--fault", "alder:hang_up@frame=3", "--speed", "max"):
        file, before = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK), os.readlink(path)
        port = Port("alder", file)
        with pytest.raises(OSError, match=r"."):  # noqa: PT012
            for _ in range(2000):
                port.turn()
                if not os.path.lexists(path):
                    os.write(file, b"x")
        port.close()
        end = time.monotonic() + PATIENCE
        while not path.exists():
            assert time.monotonic() < end
            time.sleep(0.02)
        with terminal("alder", str(path)) as again:
            assert again.ask("STATUS", 1).ok
        assert before


def test_a_line_over_tcp_and_two_shoes_on_it() -> None:
    with shoesim("birch", "birch@4", "--tcp", "127.0.0.1:0", "--speed", "max") as (_, ready):
        urls = [device["url"] for device in ready["devices"]]
        host, _, port = urls[0].removeprefix("tcp://").partition("?")[0].rpartition(":")
        assert [url.partition("?")[2] for url in urls] == ["address=3", "address=4"]
        wire = socket.create_connection((host, int(port)), PATIENCE)
        link = Port("birch", wire, address=4)
        link.until(lambda: link.link.up)
        assert link.ask("IDENT", 0).body["serial"] == "BI000004"
        link.close()


def test_an_idle_simulator_costs_next_to_nothing(tmp_path: Path) -> None:
    with shoesim("alder", "birch", "--dir", str(tmp_path), "--speed", "max") as (process, _):

        def used() -> float:
            fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(") ")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        time.sleep(0.5)
        before = used()
        time.sleep(1.5)
        assert used() - before <= 0.03


def test_it_ends_with_its_parent(tmp_path: Path) -> None:
    script = (
        "import subprocess, sys\n"
        f"words = ['-m', 'firmware_sim', 'alder', '--with-parent', '--dir', {str(tmp_path)!r}]\n"
        "child = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE)\n"
        "child.stdout.readline()\n"
        "print(child.pid, flush=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=True)
    end = time.monotonic() + PATIENCE
    while Path(f"/proc/{done.stdout.strip()}").exists() and (tmp_path / "alder").is_symlink():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_fault_list_prints_them_all() -> None:
    done = run("--fault", "list")
    assert done.returncode == 0
    assert "jam  (alder)" in done.stdout
    assert run("--version").stdout.startswith("shoesim")


@pytest.mark.parametrize(
    "words",
    [
        ["alder", "--fault", "flood"],
        ["alder", "--fault", "birch:unreadable@draw=0"],
        ["cedar"],
        [],
        ["alder", "alder"],
        ["birch@17"],
        ["alder@3"],
        ["alder", "--speed", "0"],
        ["alder", "--speed", "fast"],
        ["alder", "--deck", "standard-Qs-Qs"],
        ["alder", "--deck", "As Kx"],
        ["alder", "--usbip", "127.0.0.1:1"],
        ["alder", "--tcp", "here"],
        ["alder", "--person", "ghost"],
        ["alder?counts=maybe"],
        ["alder", "birch", "--pty", "x"],
        ["alder", "--pty", "x", "--dir", "y"],
        ["alder", "--warp"],
    ],
)
def test_bad_input_is_exit_2_and_one_line(words: list[str]) -> None:
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("shoesim: ")
    assert done.stderr.count("\n") == 1


def test_a_port_that_cannot_be_made_is_exit_3() -> None:
    done = run("alder", "--pty", "/nowhere/port")
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
