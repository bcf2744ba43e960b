"""Real ports that misbehave, adapters, and a simulator that is killed or whose parent is gone."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from protocols.message import Request
from tests.sim.process import PATIENCE, Control, Port, run, shoesim, terminal


def test_a_renamed_port_is_another_node_behind_the_same_name(tmp_path: Path) -> None:
    path = tmp_path / "port"
    with shoesim("alder", "--pty", str(path), "--fault", "alder:renamed@frame=3,ms=200", "--speed", "max"):
        before = os.readlink(path)
        file = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        port, end = Port("alder", file), time.monotonic() + PATIENCE
        while os.path.lexists(path) and os.readlink(path) == before:
            assert time.monotonic() < end
            try:
                port.turn()
            except OSError:
                time.sleep(0.01)
        port.close()
        while not path.exists():
            assert time.monotonic() < end
            time.sleep(0.01)
        assert os.readlink(path) != before
        with terminal("alder", str(path)) as again:
            assert again.ask("STATUS", 1).ok


def test_a_line_that_nobody_reads_fills_up_and_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "port"
    words = ["birch", "--pty", str(path), "--fault", "birch:stuck_flow@frame=4,ms=1500", "--speed", "max"]
    with shoesim(*words), terminal("birch", str(path)) as port:
        port.until(lambda: {"COMMS_LOST", "CLEARED"} <= set(port.names()))
        settled = time.monotonic() + 1.5  # what had waited in the line is answered late, and resets the link
        port.until(lambda: time.monotonic() > settled and port.link.up)
        assert port.ask("STATUS", 0).ok


def test_an_adapter_with_echo_and_latency_on_a_real_line(tmp_path: Path) -> None:
    path = tmp_path / "port"
    with (
        shoesim("birch?echo=true&latency=16", "birch@4", "--pty", str(path), "--speed", "max") as (_, ready),
        terminal("birch", str(path), address=4) as port,
    ):
        assert [device["serial"] for device in ready["devices"]] == ["BI000003", "BI000004"]
        began = time.monotonic()
        assert port.ask("IDENT", 0).body["serial"] == "BI000004"
        assert time.monotonic() - began >= 0.016
        assert port.link.counters.bytes_in > port.link.counters.bytes_out


def test_a_parent_that_is_dead_already_is_noticed(tmp_path: Path) -> None:
    words = ["alder", "--dir", str(tmp_path), "--parent"]
    with shoesim(*words, str(os.getpid())) as (process, _):
        assert process.poll() is None
    done = run(*words, "1" if os.getpid() != 1 else "2")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("after", [0.0, 0.05, 0.15, 0.4])
def test_killed_at_any_moment_it_comes_back_with_every_card(tmp_path: Path, after: float) -> None:
    control, truth = str(tmp_path / "control"), tmp_path / "truth"
    words = ["alder", "birch", "--dir", str(tmp_path), "--state", str(tmp_path / "state"), "--control", control]
    words += ["--truth", str(truth), "--speed", "30"]
    for _ in range(2):
        with shoesim(*words) as (process, _ready), terminal("alder", str(tmp_path / "alder")) as alder:
            alder.until(lambda: alder.names().count("STATE") >= 2)
            alder.link.send(Request("SHUFFLE_START", 7, {"mode": 1, "deck": 0, "expected": 52}), time.monotonic())
            end = time.monotonic() + 0.02 + after
            while time.monotonic() < end:
                alder.turn()
            process.kill()
            process.wait(PATIENCE)
    with shoesim(*words):
        client = Control(control)
        places = client(state=True)["places"]
        client.close()
    assert sum(places.values()) == 52
    numbers = [json.loads(line)["n"] for line in truth.read_text().splitlines()]
    assert numbers == list(range(1, len(numbers) + 1))
