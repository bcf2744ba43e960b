"""Devices and stations at the two ends of real pseudo-terminals."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

from shoectl.devices.places import Place, occupy
from shoectl.devices.record import Record
from shoectl.devices.station import Station
from shoectl.transports import Transport, open_transport
from tests.devices.ports import Adapter
from tests.devices.scripted import Device


@contextlib.contextmanager
def behind(adapter: Adapter, device: Device) -> Iterator[None]:
    """A device at the far end of an adapter."""
    loop = asyncio.get_running_loop()

    def readable() -> None:
        with contextlib.suppress(OSError):
            device.received(adapter.read_now())

    def say(data: bytes) -> None:
        with contextlib.suppress(OSError):
            adapter.write_now(data)

    loop.add_reader(adapter.master, readable)
    device.power_on(say)
    try:
        yield
    finally:
        loop.remove_reader(adapter.master)
        device.power_off()


@contextlib.asynccontextmanager
async def occupied(
    notes: Record, *, make: Callable[[str], Transport] = open_transport, **paths: Path
) -> AsyncIterator[dict[str, Station]]:
    """Stations at `alder`, `birch`, by the names of the families; `alder_2` is another one."""
    places = [Place(name, f"serial://{path}", name.partition("_")[0]) for name, path in paths.items()]
    stations = occupy(places, notes, make=make)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(station.run()) for station in stations.values()]
        try:
            yield stations
        finally:
            for task in tasks:
                task.cancel()


async def ready(station: Station, within: float = 8.0) -> None:
    async with asyncio.timeout(within):
        await station.ready()
