"""A line of the simulated table as a device on the bus: the same contract as a pseudo-terminal (hosts/serve.py)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from firmware_sim.usb.bus import Bus
from firmware_sim.usb.descriptors import Plate
from firmware_sim.usb.device import UsbDevice
from firmware_sim.usb.trouble import LineFunction, Trouble

BACK_AFTER = 0.5


class UsbPort:
    """`line` is the device's function. `plate` is asked anew at each plugging in. `bus_id` is empty while unplugged.

    `neighbours` are the ports of one table, this one among them.
    """

    def __init__(
        self,
        bus: Bus,
        device: UsbDevice,
        line: LineFunction,
        plate: Callable[[], Plate],
        trouble: Trouble | None = None,
    ) -> None:
        self.bus = bus
        self.device = device
        self.bus_id = bus.plug(device)
        self._line = line
        self._plate = plate
        self._trouble = trouble
        self._back: asyncio.TimerHandle | None = None
        self.neighbours: Sequence[UsbPort] = ()

    def write(self, data: bytes) -> None:
        """To the host, if one has the device."""
        if not self.bus_id:
            return
        if self._trouble is not None:
            self._trouble.write(data, self)
        else:
            self._line.write(data)

    def drop(self, back_after: float = BACK_AFTER, *, renamed: bool = False) -> None:
        """Unplug, and plug in again under another number; `renamed`: at another place of the bus too."""
        if not self.bus_id:
            return
        place = self._pull()
        self._come_back(back_after, "" if renamed else place)

    def swap(self, back_after: float = BACK_AFTER) -> None:
        """Change places with the next device that is plugged in; alone on the bus, come back at another place."""
        other = next((each for each in self.neighbours if each is not self and each.bus_id), None)
        if other is None:
            self.drop(back_after, renamed=True)
        elif self.bus_id:
            mine, theirs = self._pull(), other._pull()
            self._come_back(back_after, theirs)
            other._come_back(back_after, mine)

    def flow(self, taking: bool) -> None:
        """Take what the host sends, or leave it in the line."""
        self._line.flow(taking)

    def close(self) -> None:
        """Unplug for good."""
        if self._trouble is not None:
            self._trouble.close()
        if self._back is not None:
            self._back.cancel()
        if self.bus_id:
            self.bus.unplug(self.bus_id)
            self.bus_id = ""

    def _pull(self) -> str:
        place, self.bus_id = self.bus_id, ""
        self.bus.unplug(place)
        return place

    def _come_back(self, after: float, place: str) -> None:
        self._back = asyncio.get_running_loop().call_later(after, self._plug, place)

    def _plug(self, place: str) -> None:
        self._back = None
        self.device.plate = self._plate()
        self.bus_id = self.bus.plug(self.device, place)
