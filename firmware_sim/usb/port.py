"""A line of the simulated table as a device on the bus: the same contract as a pseudo-terminal (hosts/serve.py)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from firmware_sim.usb.bus import Bus
from firmware_sim.usb.descriptors import Plate
from firmware_sim.usb.device import UsbDevice

BACK_AFTER = 0.5


class LineFunction(Protocol):
    """What a function is for its line."""

    def write(self, data: bytes) -> None:
        """To the host."""

    def flow(self, taking: bool) -> None:
        """Take what the host sends, or leave it in the line."""


class UsbPort:
    """`line` is the device's function. `plate` is asked anew at each plugging in. `bus_id` is empty while unplugged."""

    def __init__(self, bus: Bus, device: UsbDevice, line: LineFunction, plate: Callable[[], Plate]) -> None:
        self.bus = bus
        self.device = device
        self.bus_id = bus.plug(device)
        self._line = line
        self._plate = plate
        self._back: asyncio.TimerHandle | None = None

    def write(self, data: bytes) -> None:
        """To the host, if one has the device."""
        if self.bus_id:
            self._line.write(data)

    def drop(self, back_after: float = BACK_AFTER, *, renamed: bool = False) -> None:
        """Unplug, and plug in again under another number; `renamed`: at another place of the bus too."""
        if not self.bus_id:
            return
        place, self.bus_id = self.bus_id, ""
        self.bus.unplug(place)
        self._back = asyncio.get_running_loop().call_later(back_after, self._plug, "" if renamed else place)

    def flow(self, taking: bool) -> None:
        """Take what the host sends, or leave it in the line."""
        self._line.flow(taking)

    def close(self) -> None:
        """Unplug for good."""
        if self._back is not None:
            self._back.cancel()
        if self.bus_id:
            self.bus.unplug(self.bus_id)
            self.bus_id = ""

    def _plug(self, place: str) -> None:
        self._back = None
        self.device.plate = self._plate()
        self.bus_id = self.bus.plug(self.device, place)
