"""Stations over scripted wires, for tests."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from protocols.message import Request
from shoectl.devices.command import Command
from shoectl.devices.places import Place, occupy
from shoectl.devices.station import Station
from tests.devices.notes import Notes
from tests.devices.scripted import ACCEPTED, OK, Device
from tests.devices.wires import Wire

SHUFFLE = Command("SHUFFLE_START", {"mode": 1, "deck": 0, "expected": 52})
ARM = Command("ARM", {"round": 7, "lease": 2})


@contextlib.asynccontextmanager
async def table(
    wire: Wire, notes: Notes, *, serial: str | None = None, firmware: str | None = None
) -> AsyncIterator[Station]:
    family = wire.devices[0].family.name
    place = Place("device", f"serial:///dev/{family}", family, serial, firmware)
    station = occupy([place], notes, make=wire.make)["device"]
    async with asyncio.TaskGroup() as group:
        task = group.create_task(station.run())
        try:
            yield station
        finally:
            task.cancel()


def any_command(device: Device) -> Command:
    return SHUFFLE if device.family.name == "alder" else ARM


def accept(request: Request) -> tuple[int, dict[str, int]]:
    return (ACCEPTED, {"cycle": 17}) if request.type == "SHUFFLE_START" else (OK, {})
