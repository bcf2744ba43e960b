"""A simulated table whose lines are devices on a bus, on this loop, and stations that have them."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from firmware_sim.hosts.pump import Pump
from firmware_sim.table import Setup, SimulatedTable, options_of
from firmware_sim.usb.bus import Bus
from firmware_sim.usb.lines import plug_in, url_of
from firmware_sim.usb.port import UsbPort
from protocols.handshake import Pin
from shoectl.devices.places import Place, occupy
from shoectl.devices.record import Record
from shoectl.devices.station import Station


class SimulatedBus:
    """`ports` by line; `url(device)` is where a host finds it."""

    def __init__(self, *devices: str, plug: str = "own", **setup: Any) -> None:
        setup |= options_of({"plug": plug}, devices[0])
        self.table = SimulatedTable(Setup(devices, speed=math.inf, person="none", **setup))
        self.bus = Bus()
        self.ports: dict[str, UsbPort] = {}
        self.number = 0
        self.pump = Pump(
            self.table, lambda line, data: self.ports[line].write(data), lambda line: self.ports[line].drop(0.05)
        )

    async def begin(self) -> None:
        for name, line in self.table.lines.items():
            self.ports[name] = plug_in(
                self.bus, line, partial(self.pump.receive, name), partial(self.pump.unplugged, name)
            )
        self.number = await self.bus.listen("127.0.0.1", 0)
        self.pump.start()

    def url(self, line: str) -> str:
        return url_of(self.ports[line], f"127.0.0.1:{self.number}")

    def finish(self) -> None:
        self.pump.stop()
        for port in self.ports.values():
            port.close()
        self.bus.close()
        self.table.close()


@contextlib.asynccontextmanager
async def on_a_bus(*devices: str, plug: str = "own", **setup: Any) -> AsyncIterator[SimulatedBus]:
    made = SimulatedBus(*devices, plug=plug, **setup)
    await made.begin()
    try:
        yield made
    finally:
        made.finish()
        await asyncio.sleep(0.02)


@contextlib.asynccontextmanager
async def stations(record: Record, urls: dict[str, str], pin: Pin | None = None) -> AsyncIterator[dict[str, Station]]:
    """Running stations by name; a name begins with the family's (`alder_2`)."""
    places = [Place(name, url, name.partition("_")[0], pin=pin) for name, url in urls.items()]
    made = occupy(places, record)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(station.run()) for station in made.values()]
        try:
            yield made
        finally:
            for task in tasks:
                task.cancel()
