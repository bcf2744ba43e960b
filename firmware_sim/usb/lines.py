"""Which device a line becomes on the bus: the family's own plug if it has one, else an adapter of the kind FT232R."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_sim.line import Line
from firmware_sim.treatment import MAKER, model_of
from firmware_sim.usb.bus import Bus
from firmware_sim.usb.descriptors import Plate
from firmware_sim.usb.device import UsbDevice
from firmware_sim.usb.pieces import PieceFunction
from firmware_sim.usb.port import UsbPort
from firmware_sim.usb.serial import FT232R, FT232R_STRINGS, CdcAcm, Ft232r
from firmware_sim.usb.trouble import Trouble
from protocols.usb import UsbPlug

CDC = 0x02


def plug_in(bus: Bus, line: Line, received: Callable[[bytes], None], gone: Callable[[], None]) -> UsbPort:
    """Put a line on the bus. `received` gets what the host says: bytes of a serial line, or pieces.

    `gone` is told when a host left a device that notices. Both are called from the loop, never inside a call of ours.
    """
    loop = asyncio.get_running_loop()
    machine = line.machines[0]
    own: UsbPlug | None = machine.unit.family.line.get("usb")
    function: CdcAcm | Ft232r | PieceFunction

    def plate() -> Plate:
        """As of now: another unit may be in this place."""
        unit = machine.unit
        if own is None or line.adapter.plug == "ftdi":
            return Plate(FT232R, (*FT232R_STRINGS, unit.serial))
        return Plate(own, (MAKER, model_of(unit.family), unit.serial))

    kinds = {kind[0] for kind in plate().interfaces()}

    def heard(data: bytes) -> None:
        loop.call_soon(received, data)

    if plate().plug is FT232R:
        function = Ft232r(heard)
    else:
        function = CdcAcm(heard) if CDC in kinds else PieceFunction(heard, lambda: loop.call_soon(gone))
    return UsbPort(bus, UsbDevice(plate(), function), function, plate, Trouble(line, function))


def url_of(port: UsbPort, server: str) -> str:
    """How a host without kernel help reaches it; `server` is HOST:PORT."""
    plate = port.device.plate
    return f"usb://{plate.plug.vendor:04x}:{plate.plug.product:04x}/{plate.strings[-1]}?usbip={server}"
