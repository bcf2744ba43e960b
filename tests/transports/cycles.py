"""Ports opened and closed, plugs pulled and put back, many times: each reconnect in time, and nothing left behind.

In the suite a few; in full: python -m tests.transports.cycles [--count 200] [--device alder] [--port cedar]
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from shoectl.devices import condition as condition_module
from tests.devices.notes import Notes
from tests.transports.ends import KINDS, End, end_of, standing
from tests.transports.hosts import open_things, reopened, until
from tests.transports.simulated import on_a_bus, stations

WITHIN_S = 3.0
ADDRESSED = "birch"
DEVICES = ("alder", "alder?plug=ftdi", "birch", "cedar", "dogwood")

Told = Callable[[int, float], None]


def silent(number: int, took: float) -> None:
    return None


async def openings(end: End, count: int, told: Told = silent) -> None:
    """Open, say something, close. Raises AssertionError where a thread or a descriptor stays behind."""
    loop = asyncio.get_running_loop()
    await (await reopened(end)).transport.close()
    await asyncio.sleep(0.05)
    before = open_things()
    for number in range(1, count + 1):
        began = loop.time()
        host = await reopened(end)
        host.transport.write(end.wrapped(b"x"))
        await host.transport.close()
        told(number, loop.time() - began)
    await until(lambda: open_things() <= before)


async def cycles(count: int, device: str, told: Told = silent) -> float:
    """The longest time that a reconnect took, in seconds. Raises AssertionError where something stays behind."""
    notes = Notes()
    steady, condition_module.STEADY_S = condition_module.STEADY_S, 0.0  # each loss counts as the first one in a while
    try:
        longest = await _cycles(count, device, told, notes)
    finally:
        condition_module.STEADY_S = steady
    assert notes.alarms == []
    return longest


async def _cycles(count: int, device: str, told: Told, notes: Notes) -> float:
    family, _, plug = device.partition("?plug=")
    loop, longest = asyncio.get_running_loop(), 0.0
    async with on_a_bus(family, plug=plug or "own") as bus:
        url = bus.url(family) + ("&address=3" if family == ADDRESSED else "")
        async with stations(notes, {family: url}) as made:
            station = made[family]
            await asyncio.wait_for(station.ready(), 10)
            node = station.node
            await asyncio.sleep(0.1)
            before = open_things()
            for number in range(1, count + 1):
                pulled = loop.time()
                bus.ports[family].drop(0.0)
                await until(lambda: not station.online)
                assert loop.time() - pulled < 0.5, "the loss was not noticed at once"
                await asyncio.wait_for(station.ready(), WITHIN_S)
                took = loop.time() - pulled
                longest = max(longest, took)
                assert station.node != node, "it should be there under another number"
                node = station.node
                told(number, took)
            await until(lambda: open_things() <= before)
            assert station.reconnects == count
        assert all(socket.host is None for socket in bus.bus.sockets.values())
    return longest


async def _openings(kind: str, count: int, told: Told) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        async with standing(end_of(kind, Path(folder), patch)) as end:
            await openings(end, count, told)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument(
        "--device", choices=DEVICES, action="append", help="unplugged and plugged in; all when not said"
    )
    parser.add_argument("--port", choices=KINDS, action="append", help="opened and closed; all when not said")
    chosen = parser.parse_args()
    everything = not chosen.device and not chosen.port

    def told(number: int, took: float) -> None:
        if number % 50 == 0:
            print(f"  {number} of {chosen.count}, the last one took {took:.2f} s", flush=True)

    for kind in chosen.port or (KINDS if everything else ()):
        print(f"{kind}: opened and closed", flush=True)
        asyncio.run(_openings(kind, chosen.count, told))
    for device in chosen.device or (DEVICES if everything else ()):
        print(f"{device}: unplugged and plugged in", flush=True)
        print(f"  longest reconnect: {asyncio.run(cycles(chosen.count, device, told)):.2f} s", flush=True)


if __name__ == "__main__":
    main()
