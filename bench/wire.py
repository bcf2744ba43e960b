"""From a card's last byte on the wire to its durable entry: a shoe in a process of its own, behind a pty."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import statistics
import subprocess
import sys
import time
import tty
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from bench.play import first
from protocols.message import Event
from protocols.vocabulary import EventCode, Identity
from shoectl.devices.places import Place, occupy
from shoectl.journal import Journal
from shoectl.table.runner import Runner
from shoectl.table.session import cycle
from shoectl.table.state import TableState

PINGS = 2000
SYNCS = 200


def bare_fdatasync(folder: Path) -> float:
    """Seconds of one write of 512 bytes and its fdatasync (median)."""
    spent = []
    with (folder / "bare").open("wb", buffering=0) as file:
        for _ in range(SYNCS):
            began = time.perf_counter()
            file.write(b"x" * 512)
            os.fdatasync(file.fileno())
            spent.append(time.perf_counter() - began)
    return statistics.median(spent)


def ping_pong() -> float:
    """Seconds for a frame of 32 bytes to an echo in another process and back, both bare descriptors (median)."""
    with ExitStack() as stack:
        near, far = _raw_pty(stack)
        _child(stack, "echo", near)
        spent = []
        for _ in range(PINGS):
            began = time.perf_counter()
            os.write(far, b"x" * 32)
            got = 0
            while got < 32:
                got += len(os.read(far, 64))
            spent.append(time.perf_counter() - began)
        return statistics.median(spent)


def card_to_journal(folder: Path, cards: int) -> tuple[float, float]:
    """Seconds from the last byte of a card's event to its durable entry: median, and the slowest of a hundred."""
    with ExitStack() as stack:
        near, far = _raw_pty(stack)
        shoe = _child(stack, "shoe", near, str(cards))
        arrived = asyncio.run(_record(folder, os.ttyname(far), cards))
        assert shoe.stdout is not None
        left = {int(seq): at for seq, at in json.loads(shoe.stdout.readline())}
    spent = sorted((arrived[seq] - at) / 1e9 for seq, at in left.items())
    return statistics.median(spent), spent[int(len(spent) * 0.99)]


class Stopwatch(Runner[TableState]):
    """A runner that notes when each event was durable."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(journal, cycle, first())
        self.arrived: dict[int, int] = {}

    async def evidence(self, place: str, identity: Identity, events: Sequence[Event]) -> int:
        wrong = await super().evidence(place, identity, events)
        now = time.monotonic_ns()
        self.arrived |= {event.seq: now for event in events if event.code == EventCode.CARD_DRAWN}
        return wrong


async def _record(folder: Path, port: str, cards: int) -> dict[int, int]:
    with Journal.open(folder / "wire.journal") as journal:
        runner = Stopwatch(journal)
        (station,) = occupy([Place("shoe", f"serial://{port}", "birch")], runner).values()
        async with asyncio.timeout(120), asyncio.TaskGroup() as group:
            task = group.create_task(station.run())
            while len(runner.arrived) < cards:
                await runner.next_change()
            task.cancel()
        return runner.arrived


def _raw_pty(stack: ExitStack) -> tuple[int, int]:
    near, far = pty.openpty()
    tty.setraw(far)
    stack.callback(os.close, far)
    stack.callback(os.close, near)
    return near, far


def _child(stack: ExitStack, what: str, fd: int, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "bench.far_end", what, str(fd), *arguments]
    child = subprocess.Popen(command, pass_fds=[fd], stdout=subprocess.PIPE)
    stack.callback(child.wait)
    stack.callback(child.kill)
    return child
