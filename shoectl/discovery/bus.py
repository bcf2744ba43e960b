"""USB devices by /sys, and how each would be spoken to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from protocols.family import Family, families
from protocols.usb import UsbPlug
from shoectl.discovery.system import System
from shoectl.transports.usb_descriptors import INTERFACE, parts
from shoectl.transports.usb_serial import ACM, CDC_CONTROL, FTDI_CLASS, FTDI_VENDOR


class Speech(StrEnum):
    """How a port is spoken to."""

    LINE = "line"
    """Bytes of a serial line."""
    BULK = "bulk"
    """Endpoints of a device's own."""
    REPORTS = "reports"
    """HID reports."""


Triple = tuple[int, int, int]
"""Class, subclass and protocol of a USB interface."""


@dataclass(frozen=True)
class UsbDevice:
    """A device on the bus. `folder` is its place in /sys, `node` in /dev; `drivers` by interface, as far as bound."""

    vendor: int
    product: int
    serial: str = ""
    plug: str = ""
    folder: str = ""
    node: str = ""
    interfaces: tuple[Triple, ...] = ()
    drivers: tuple[str, ...] = ()

    @property
    def ids(self) -> str:
        """As people write them."""
        return f"{self.vendor:04x}:{self.product:04x}"

    @property
    def same(self) -> tuple[int, int, str]:
        """What two devices must differ in to have different names."""
        return self.vendor, self.product, self.serial


def usb_devices(system: System) -> list[UsbDevice]:
    """All devices on the buses of this machine, hubs left out."""
    folder = "/sys/bus/usb/devices"
    found = [
        _usb(system, system.resolved(f"{folder}/{name}"), name) for name in system.listed(folder) if ":" not in name
    ]
    return [device for device in found if device is not None and not is_hub(device)]


def is_hub(device: UsbDevice) -> bool:
    """Whether it is a hub."""
    return bool(device.interfaces) and all(triple[0] == 9 for triple in device.interfaces)


def _usb(system: System, folder: str, plug: str) -> UsbDevice | None:
    ids = system.text(f"{folder}/idVendor"), system.text(f"{folder}/idProduct")
    try:
        vendor, product = int(ids[0], 16), int(ids[1], 16)
    except ValueError:
        return None
    interfaces = [f"{folder}/{name}" for name in system.listed(folder) if name.startswith(f"{plug}:")]
    bus, number = system.text(f"{folder}/busnum"), system.text(f"{folder}/devnum")
    return UsbDevice(
        vendor,
        product,
        system.text(f"{folder}/serial"),
        plug,
        folder,
        f"/dev/bus/usb/{int(bus):03d}/{int(number):03d}" if bus.isdecimal() and number.isdecimal() else "",
        tuple(_triple(system, each) for each in interfaces),
        tuple(
            system.resolved(f"{each}/driver").rpartition("/")[2]
            for each in interfaces
            if system.there(f"{each}/driver")
        ),
    )


def _triple(system: System, folder: str) -> Triple:
    numbers = (system.text(f"{folder}/bInterface{part}") or "0" for part in ("Class", "SubClass", "Protocol"))
    first, second, third = (int(number, 16) for number in numbers)
    return first, second, third


def speech_of(device: UsbDevice) -> Speech | None:
    """How a device on the bus would be spoken to; None where it can be none of ours."""
    if is_acm(device) or is_ftdi(device):
        return Speech.LINE
    for family, plug in plugs():
        bulk = not plug.report and any(triple in device.interfaces for triple in interfaces_of(plug))
        if bulk or (device.vendor, device.product) == (plug.vendor, plug.product):
            return speech_for(family)
    return None


def is_acm(device: UsbDevice) -> bool:
    """Whether it is a serial port by itself."""
    return any(triple[:2] == (CDC_CONTROL, ACM) for triple in device.interfaces)


def is_ftdi(device: UsbDevice) -> bool:
    """Whether it is an adapter of that kind."""
    return device.vendor == FTDI_VENDOR and any(triple[0] == FTDI_CLASS for triple in device.interfaces)


def plugs() -> Iterator[tuple[Family, UsbPlug]]:
    """The families that have a USB plug of their own, and the plug."""
    for family in families().values():
        plug = family.line.get("usb")
        if isinstance(plug, UsbPlug):
            yield family, plug


def interfaces_of(plug: UsbPlug) -> list[Triple]:
    """What the interfaces of a plug say that they are."""
    told = next(iter(plug.configurations.values()))
    return [(part[5], part[6], part[7]) for part in parts(told) if part[1] == INTERFACE]


def speech_for(family: Family) -> Speech:
    """How a family is spoken to."""
    plug = family.line.get("usb")
    if "baud" in family.line or plug is None:
        return Speech.LINE
    return Speech.REPORTS if plug.report else Speech.BULK
