"""Field cases of whole programs: a daemon with its ports, and whoever else wants them. Real processes."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from shoectl.transports import open_transport
from tests.endtoend.runs import SHOECTL, SHOESIM, environment, shoectl

PLACES = {"alder": "shuffler", "birch": "shoe"}


@contextmanager
def simulator(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Two simulated devices behind terminals, whose world outlives the process."""
    words = ["alder", "birch", "--dir", str(folder), "--state", str(folder / "state"), "--person", "none"]
    sim = subprocess.Popen([*SHOESIM, *words], env=environment(folder), stdout=subprocess.PIPE, text=True)
    try:
        assert sim.stdout is not None
        devices = json.loads(sim.stdout.readline())["devices"]
        sections = [
            f'[devices.{PLACES[one["family"]]}]\nurl = "{one["url"]}"\nfamily = "{one["family"]}"\n' for one in devices
        ]
        journal, reach = folder / "table.journal", folder / "table.sock"
        (folder / "table.toml").write_text(f'[table]\njournal = "{journal}"\nsocket = "{reach}"\n' + "".join(sections))
        yield sim
    finally:
        sim.send_signal(signal.SIGCONT)
        sim.kill()
        sim.communicate()


@contextmanager
def daemon(folder: Path) -> Iterator[subprocess.Popen[str]]:
    command = [*SHOECTL, "run", "--config", str(folder / "table.toml"), "--json"]
    running = subprocess.Popen(
        command, env=environment(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


def attachments(folder: Path) -> dict[str, int]:
    """How often a device took each place, by the journal."""
    counts = dict.fromkeys(PLACES.values(), 0)
    url = f"file:{folder / 'table.journal'}?mode=ro"
    with suppress(sqlite3.Error), closing(sqlite3.connect(url, uri=True, timeout=1)) as base:  # not there yet, maybe
        for (body,) in base.execute("SELECT body FROM entry WHERE CAST(kind AS TEXT) = 'device'"):
            counts[json.loads(body)["place"]] += 1
    return counts


def within(seconds: float, reached: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def urls(folder: Path) -> list[str]:
    return re.findall(r'url = "([^"]+)"', (folder / "table.toml").read_text())


async def opens(url: str) -> None:
    transport = open_transport(url.partition("&")[0].partition("?address")[0])
    await transport.open(lambda data: None, lambda reason: None)
    await transport.close()


def test_field_case_12_a_second_daemon_and_a_look_at_a_port_in_use_fail_at_once(tmp_path: Path) -> None:
    with simulator(tmp_path), daemon(tmp_path) as first:
        within(20, lambda: all(attachments(tmp_path).values()))
        second = shoectl(tmp_path, "run", "--config", str(tmp_path / "table.toml"), timeout=20)
        assert second.code == 2, second.said
        assert second.seconds < 10
        assert f"process {first.pid} writes it, and only one may" in second.said
        look = shoectl(tmp_path, "devices", "show", urls(tmp_path)[0], "--family", "alder", timeout=20)
        assert look.code == 3
        assert f"in use by pid {first.pid}" in look.said
        assert first.poll() is None


def test_field_case_26_the_end_comes_in_time_while_a_port_takes_nothing(tmp_path: Path) -> None:
    with simulator(tmp_path) as sim, daemon(tmp_path) as running:
        within(20, lambda: all(attachments(tmp_path).values()))
        sim.send_signal(signal.SIGSTOP)
        time.sleep(1.5)
        running.send_signal(signal.SIGTERM)
        started = time.monotonic()
        _, said = running.communicate(timeout=10)
        assert time.monotonic() - started < 5
        assert "Traceback" not in said
        assert "never retrieved" not in said
        for url in urls(tmp_path):
            asyncio.run(opens(url))


def test_field_case_27_devices_that_went_and_came_back_take_their_places_by_themselves(tmp_path: Path) -> None:
    with simulator(tmp_path) as sim, daemon(tmp_path) as running:
        within(20, lambda: attachments(tmp_path) == {"shuffler": 1, "shoe": 1})
        for family in PLACES:
            (tmp_path / family).unlink()  # a dead simulator's link may soon name the terminal of somebody else
        os.kill(sim.pid, signal.SIGKILL)
        sim.wait()
        time.sleep(2)
        assert running.poll() is None
        with simulator(tmp_path):
            within(20, lambda: all(count >= 2 for count in attachments(tmp_path).values()))
            assert running.poll() is None


def test_a_simulated_device_behind_tcp_is_found_like_one_behind_a_terminal(tmp_path: Path) -> None:
    words = ["birch@4", "--tcp", "127.0.0.1:0", "--person", "none"]
    sim = subprocess.Popen([*SHOESIM, *words], env=environment(tmp_path), stdout=subprocess.PIPE, text=True)
    try:
        assert sim.stdout is not None
        (device,) = json.loads(sim.stdout.readline())["devices"]
        seen = shoectl(tmp_path, "devices", "show", device["url"], "--family", "birch", "--json", timeout=20)
        assert seen.code == 0, seen.said
        assert seen.summary["identity"]["serial"] == device["serial"]
    finally:
        sim.kill()
        sim.communicate()
