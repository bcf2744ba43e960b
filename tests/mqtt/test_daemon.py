"""The daemon as it is installed: a configuration with a bus, the whole of it over simulated devices."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from shoectl.journal import Reader

from .broker import PASSWORDS, ROOT, TABLE, Broker
from .listener import listening


def configured(folder: Path, broker: Broker) -> list[str]:
    """The command line of a table on this broker."""
    (folder / "word").write_text(PASSWORDS[TABLE])
    (folder / "word").chmod(0o600)
    text = f"""
[table]
site = "main"
[bus]
host = "127.0.0.1"
port = {broker.port}
ca = "{broker.authority.ca}"
username = "{TABLE}"
password = {{ file = "{folder}/word" }}
table = "{TABLE}"
"""
    (folder / "table.toml").write_text(text)
    words = ["run", "--sim", "--config", str(folder / "table.toml"), "--speed", "max", "--seed", "7", "--json"]
    return [*words, "--no-console", "--journal", str(folder / "journal"), "--socket", str(folder / "socket")]


async def start(folder: Path, words: list[str]) -> asyncio.subprocess.Process:
    """The daemon."""
    env = {**os.environ, "XDG_STATE_HOME": str(folder), "HOME": str(folder), "PYTHONPATH": str(ROOT)}
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "shoectl", *words, cwd=folder, env=env, stdout=pipe, stderr=pipe
    )


async def test_a_daemon_tells_what_it_plays_and_ends_in_time_beside_a_frozen_broker(
    tmp_path: Path, broker: Broker
) -> None:
    words = configured(tmp_path, broker)
    async with listening(broker) as there:
        daemon = await start(tmp_path, [*words, "--rounds", "2"])
        out, err = await asyncio.wait_for(daemon.communicate(), 60)
        assert daemon.returncode == 0, err
        assert json.loads(out)["rounds"] == 2
        await there.until(lambda: len(there.at("status")) >= 2)
        assert [one.json["state"] for one in there.at("status")] == ["online", "offline"]
        assert {one.topic.rsplit("/", 1)[1] for one in there.heard} >= {"round", "count", "events", "shoe", "shuffler"}
        daemon = await start(tmp_path, words)
        with Reader(tmp_path / "journal") as reader:
            ended = reader.count()
        await there.until(lambda: max(there.events(), default=0) > ended, within=30)
        assert list(there.events()) == list(range(1, len(there.events()) + 1))
        loop = asyncio.get_running_loop()
        with broker.frozen():
            began = loop.time()
            daemon.send_signal(signal.SIGTERM)
            _, err = await daemon.communicate()
            assert loop.time() - began < 5
        assert daemon.returncode == 0, err
        assert b"Traceback" not in err
        assert b"never retrieved" not in err


async def test_a_bus_that_cannot_come_about_is_one_line_before_anything_begins(tmp_path: Path, broker: Broker) -> None:
    words = configured(tmp_path, broker)
    (tmp_path / "word").unlink()
    daemon = await start(tmp_path, words)
    _, err = await asyncio.wait_for(daemon.communicate(), 30)
    assert daemon.returncode == 2
    assert err.count(b"\n") == 1
    assert not (tmp_path / "journal").exists()
