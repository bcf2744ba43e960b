"""Plugs pulled and put back, many times: each reconnect within three seconds, and nothing left behind.

In the suite a few; in full: python -m tests.transports.cycles [--count 200] [--device alder]
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable

from shoectl.devices import condition as condition_module
from tests.devices.notes import Notes
from tests.transports.hosts import open_things, until
from tests.transports.simulated import on_a_bus, stations

WITHIN_S = 3.0
ADDRESSED = "birch"


async def cycles(count: int, device: str, told: Callable[[int, float], None] = lambda number, took: None) -> float:
    """The longest time that a reconnect took, in seconds. Raises AssertionError where something stays behind."""
    loop, notes = asyncio.get_running_loop(), Notes()
    steady, condition_module.STEADY_S = condition_module.STEADY_S, 0.0  # each loss counts as the first one in a while
    try:
        longest = await _cycles(count, device, told, notes, loop)
    finally:
        condition_module.STEADY_S = steady
    assert notes.alarms == []
    return longest


async def _cycles(
    count: int, device: str, told: Callable[[int, float], None], notes: Notes, loop: asyncio.AbstractEventLoop
) -> float:
    family, _, plug = device.partition("?plug=")
    longest = 0.0
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


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--device", default="alder", help="alder, alder?plug=ftdi, birch, cedar")
    chosen = parser.parse_args()

    def told(number: int, took: float) -> None:
        if number % 20 == 0:
            print(f"{number} of {chosen.count}, the last one took {took:.2f} s", flush=True)

    print(f"longest reconnect: {asyncio.run(cycles(chosen.count, chosen.device, told)):.2f} s")


if __name__ == "__main__":
    main()
