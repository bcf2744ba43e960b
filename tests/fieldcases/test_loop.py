"""Nothing that a port does may stop the loop: other devices go on, and so does the watchdog. Real time, real ports."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import time
from pathlib import Path
from typing import Any

import pytest
import serial

from shoectl.devices.places import Place, occupy
from tests.devices.notes import Notes
from tests.devices.plugs import behind, occupied
from tests.devices.ports import Adapter, Host, adapter, locked
from tests.devices.scripted import alder, birch
from tests.fieldcases.probe import BLOCKED_S, Probe

STREAM_S = 2.5
LATE_S = 0.03


async def test_the_probe_sees_a_loop_that_is_stopped() -> None:
    async with Probe().running() as probe:
        await asyncio.sleep(0.05)
        time.sleep(0.3)  # noqa: ASYNC251
        await asyncio.sleep(0.05)
    assert probe.blocked > BLOCKED_S


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> tuple[set[str], set[int]]:
    """Nodes of the first set take 2 s to open, look-ups of hosts too; descriptors of the second take 1 s to close."""
    real_serial, real_close, stuck, closing = serial.Serial, os.close, set[str](), set[int]()

    def opening(node: str, *rest: Any, **options: Any) -> serial.Serial:
        if node in stuck:
            time.sleep(2)
        return real_serial(node, *rest, **options)

    def close(fd: int) -> None:
        if fd in closing:
            closing.discard(fd)
            time.sleep(1)
        real_close(fd)

    def look_up(*_: Any, **__: Any) -> list[Any]:
        time.sleep(2)
        raise socket.gaierror(-2, "unknown")

    monkeypatch.setattr(serial, "Serial", opening)
    monkeypatch.setattr(os, "close", close)
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return stuck, closing


async def trouble(path: Path, plugged: Adapter, closing: set[int]) -> None:
    """A port that takes nothing and whose close blocks, again and again; it comes and goes."""
    while True:
        host = Host(path)
        with contextlib.suppress(Exception):
            await host.open()
            closing.add(host.transport._fd)
            for _ in range(12):
                host.transport.write(bytes(4096))
        await asyncio.sleep(0.05)
        await host.transport.close()
        with contextlib.suppress(BlockingIOError):
            plugged.read_now()


async def test_field_case_17_field_case_18_the_loop_is_never_stopped_by_a_port(
    tmp_path: Path, slow: tuple[set[str], set[int]]
) -> None:
    notes, others = Notes(), Notes()
    stuck, closing = slow
    with contextlib.ExitStack() as stack:
        names = ("alder", "birch", "locked", "stuck", "bad")
        ports = {name: stack.enter_context(adapter(tmp_path / name)) for name in names}
        shuffler, shoe = alder(), birch()
        stack.enter_context(behind(ports["alder"], shuffler))
        stack.enter_context(behind(ports["birch"], shoe))
        stack.enter_context(locked(ports["locked"].node))
        stuck.add(ports["stuck"].node)
        places = [
            Place("locked", f"serial://{ports['locked'].path}", "alder"),
            Place("stuck", f"serial://{ports['stuck'].path}", "alder"),
            Place("server", "tcp://server.invalid:4001", "alder"),
        ]
        async with occupied(notes, alder=ports["alder"].path, birch=ports["birch"].path) as stations:
            for station in stations.values():
                await station.ready()
            async with asyncio.TaskGroup() as group, Probe().running() as probe:
                tasks = [group.create_task(one.run()) for one in occupy(places, others).values()]
                tasks.append(group.create_task(trouble(ports["bad"].path, ports["bad"], closing)))
                end = time.monotonic() + STREAM_S
                while time.monotonic() < end:
                    shuffler.event()
                    shoe.event()
                    await asyncio.sleep(0.05)
                for task in tasks:
                    task.cancel()
            for station in stations.values():
                await station.ready()
                await station.catch_up()
            reconnects = {name: station.reconnects for name, station in stations.items()}
            # a machine that is late itself, by what a Birch's answer may take longer than it does, may lose a link
            assert reconnects == {"alder": 0, "birch": 0} or probe.machine > LATE_S
        assert probe.blocked < BLOCKED_S
        assert len(notes.events) == shuffler.newest + shoe.newest
