"""A daemon whose disk takes nothing any more says so on every side, and takes it back when the disk does."""

from __future__ import annotations

import asyncio
import contextlib
import re
import resource
import socket
import subprocess
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx

from shoectl.journal import Reader, verify
from tests.endtoend.runs import SHOECTL, environment
from tests.mqtt.broker import ROOT, Broker
from tests.mqtt.conftest import broker as broker
from tests.mqtt.listener import Listener, listening
from tests.mqtt.tables import until
from tests.mqtt.test_daemon import configured

NOTHING = 512  # bytes that a file may be long: less than any write to the journal reaches
TOLD_WITHIN_S = 2.0


@dataclass
class Signs:
    """What each face says of the journal, True where it says that it is written."""

    daemon: subprocess.Popen[str]
    pages: httpx.AsyncClient
    there: Listener

    async def look(self) -> dict[str, bool]:
        """All of them, now."""
        health, metrics, pit = [await self.pages.get(path) for path in ("/healthz", "/metrics", "/parts/pit")]
        assert pit.status_code == 200
        (writable,) = re.findall(r"^shoectl_journal_writable (\S+)$", metrics.text, re.MULTILINE)
        return {
            "health": health.status_code == 200,
            "health in words": "cannot be written" not in str(health.json()["journal"]),
            "metrics": float(writable) == 1.0,
            "pit": "Nothing can be written" not in pit.text,
            "bus": not self.there.at("round")[-1].json["view"]["journal"],
        }

    async def all_say(self, written: bool) -> dict[str, float]:
        """After how many seconds each said so; at most three times those that it may take."""
        began, told = time.monotonic(), dict[str, float]()
        while time.monotonic() - began < 3 * TOLD_WITHIN_S:
            for name, says in (await self.look()).items():
                if says is written:
                    told.setdefault(name, time.monotonic() - began)
            if len(told) == 5:
                break
            await asyncio.sleep(0.02)
        return told

    def disk_takes(self, most: int) -> None:
        """No file of the daemon may grow beyond so many bytes: writes fail as on a disk that has no room."""
        resource.prlimit(self.daemon.pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

    @property
    def entries(self) -> int:
        """That the broker was told of."""
        return int(self.there.at("events")[-1].json["seq"]) if self.there.at("events") else 0


@contextlib.asynccontextmanager
async def running(folder: Path, broker: Broker) -> AsyncIterator[Signs]:
    """A table at play, a floorperson at its pit page and a listener on the bus."""
    words = [word for word in configured(folder, broker) if word != "--no-console"]
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    with (folder / "table.toml").open("a") as config:
        config.write(f'[console]\nlisten = "{address}"\n')
    env = {**environment(folder), "PYTHONPATH": str(ROOT)}
    daemon = started([*SHOECTL, *words], folder, env)
    try:
        url = f"http://{address}"
        async with listening(broker) as there, httpx.AsyncClient(base_url=url, headers={"Origin": url}) as pages:
            assert daemon.stderr is not None
            pins = await asyncio.to_thread(next, (line for line in daemon.stderr if "number and PIN" in line))
            (pin,) = re.findall(r"floor 815 (\d+)", pins)
            assert (await pages.post("/signin", data={"operator": "815", "pin": pin})).status_code == 303
            signs = Signs(daemon, pages, there)
            await until(lambda: signs.entries > 60)
            yield signs
    finally:
        daemon.kill()
        daemon.communicate()


def started(words: list[str], folder: Path, env: dict[str, str]) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(words, cwd=folder, env=env, stdout=pipe, stderr=pipe, text=True)


async def test_field_case_98_a_journal_that_cannot_be_written_is_told_on_every_side_within_two_seconds(
    tmp_path: Path, broker: Broker
) -> None:
    async with running(tmp_path, broker) as signs:
        assert all((await signs.look()).values())
        signs.disk_takes(NOTHING)
        told = await signs.all_say(False)
        assert len(told) == 5, f"nobody hears of it otherwise: {told}"
        assert max(told.values()) < TOLD_WITHIN_S, told
        stands = count(tmp_path / "journal")
        await asyncio.sleep(1.0)
        assert count(tmp_path / "journal") == stands, "nothing is taken, no round begins"
        assert signs.there.at("status")[-1].json["state"] == "online"
        signs.disk_takes(resource.RLIM_INFINITY)
        back = await signs.all_say(True)
        assert len(back) == 5, back
        assert max(back.values()) < TOLD_WITHIN_S, back
        await until(lambda: signs.entries > stands + 20)
        signs.daemon.terminate()
        _, said = await asyncio.to_thread(signs.daemon.communicate, timeout=10)
        assert signs.daemon.returncode == 0, said
        assert [line for line in said.splitlines() if "the table waits" in line or "goes on" in line][1:] == [
            "the journal is written again, the table goes on"
        ]
    with Reader(tmp_path / "journal") as reader:
        verify(reader)
        assert [entry.n for entry in reader.entries()] == list(range(1, reader.count() + 1)), "no number is missing"


def count(path: Path) -> int:
    with Reader(path) as reader:
        return reader.count()
