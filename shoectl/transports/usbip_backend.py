"""A backend for pyusb that reaches devices over TCP (USB/IP): what libusb is for the devices of this machine.

Errors are those of libusb 1.0, code and errno alike, so that nothing above can tell the two apart.
"""

from __future__ import annotations

import math
import time
from array import array
from collections.abc import Iterator
from types import SimpleNamespace

import usb.backend
from usb.backend import libusb1

from protocols.usbip import Exported
from shoectl.transports.base import TransportError
from shoectl.transports.usb_descriptors import (
    CONFIGURATION,
    CONFIGURATION_FIELDS,
    DEVICE,
    DEVICE_FIELDS,
    ENDPOINT,
    ENDPOINT_FIELDS,
    INTERFACE,
    INTERFACE_FIELDS,
    described,
    fields,
    parts,
    size_of,
    until,
)
from shoectl.transports.usbip_client import PATIENCE_S, Imported, listed
from shoectl.transports.usbip_errors import as_libusb, libusb_error

GET_DESCRIPTOR, GET_CONFIGURATION, SET_CONFIGURATION, SET_INTERFACE, CLEAR_FEATURE = 6, 8, 9, 11, 1
PORT_RESET = (0x23, 3, 4)
"""The request to a hub by which the kernel's USB/IP asks for a reset of the device."""

UNKNOWN = 0xFF
"""The number of a string that there may be."""

CONFIGURATIONS = 8
"""Of a device, as Linux reads them; each that a device claims costs two requests, answered or not."""

REQUEST_S = 1.0


class Device:
    """A device as the server lists it, and its descriptors once they were read."""

    def __init__(self, exported: Exported) -> None:
        self.exported = exported
        self.device = b""
        self.configurations: list[bytes] = []


class Handle:
    """A device that is ours."""

    def __init__(self, imported: Imported) -> None:
        self.imported = imported
        self.claimed: set[int] = set()

    def request(self, type: int, request: int, value: int, index: int, *, data: bytes = b"", room: int = 0) -> bytes:
        """A control request of ours, with the usual patience. Raises USBError."""
        setup = _setup(type, request, value, index, room or len(data))
        return as_libusb(lambda: self.imported.transfer(type & 0x80, REQUEST_S, data=data, room=room, setup=setup))[1]

    def described(self, kind: int, index: int, least: int, room: int = 0) -> bytes:
        """A descriptor of the device; one that is too short, or of another kind, is an error of the bus (USBError)."""
        told = self.request(0x80, GET_DESCRIPTOR, kind << 8 | index, 0, room=room or least)
        if len(told) < least or told[0] < least or told[1] != kind:
            raise libusb_error(libusb1.LIBUSB_ERROR_IO)
        return told


class UsbipBackend(usb.backend.IBackend):  # type: ignore[misc]
    """Devices of the server at `host:port`; only those with these ids where `ids` says which.

    `until` is a point of time.monotonic, when nobody waits any more for a device to be found and opened.
    """

    def __init__(self, host: str, port: int, ids: tuple[int, int] | None = None, until: float = math.inf) -> None:
        self.host, self.port = host, port
        self._ids, self._until = ids, until

    # what there is

    def enumerate_devices(self) -> Iterator[Device]:
        """Raises OSError where the server does not answer."""
        for exported in listed(self.host, self.port):
            if self._ids in (None, (exported.vendor, exported.product)):
                yield Device(exported)

    def get_parent(self, dev: Device) -> None:
        """None: hubs are not told."""
        return None

    def get_device_descriptor(self, dev: Device) -> SimpleNamespace:
        """Where somebody else has the device, what the list says of it; to read a string of it then fails as busy."""
        if not dev.device:
            try:
                self._read(dev)
            except OSError:
                dev.device = _from_the_list(dev.exported)
        told = fields(dev.device, DEVICE_FIELDS)
        told.bus, told.address, told.speed = dev.exported.bus, dev.exported.number, dev.exported.speed
        place = dev.exported.place
        told.port_numbers = tuple(map(int, place.partition("-")[2].split("."))) if place else ()
        told.port_number = told.port_numbers[-1] if told.port_numbers else None
        return told

    def get_configuration_descriptor(self, dev: Device, config: int) -> SimpleNamespace:
        """Raises USBError where there is none."""
        if not dev.configurations:
            self._read(dev)
        if config >= len(dev.configurations):
            raise libusb_error(libusb1.LIBUSB_ERROR_IO)
        data = dev.configurations[config]
        own, rest = data[: data[0]], parts(data[data[0] :])
        extra = [part for part in until(rest, INTERFACE) if part[1] != INTERFACE]
        return described(own, CONFIGURATION_FIELDS, extra)

    def get_interface_descriptor(self, dev: Device, intf: int, alt: int, config: int) -> SimpleNamespace:
        """Raises IndexError where there is none."""
        own, rest = self._interface(dev, intf, alt, config)
        return described(own, INTERFACE_FIELDS, until(rest, ENDPOINT, INTERFACE))

    def get_endpoint_descriptor(self, dev: Device, ep: int, intf: int, alt: int, config: int) -> SimpleNamespace:
        """Raises USBError where the interface claims more of them than there are."""
        _, rest = self._interface(dev, intf, alt, config)
        mine = until(rest, INTERFACE)
        starts = [at for at, part in enumerate(mine) if part[1] == ENDPOINT]
        if ep >= len(starts):
            raise libusb_error(libusb1.LIBUSB_ERROR_IO)
        told = described(mine[starts[ep]], ENDPOINT_FIELDS, until(mine[starts[ep] + 1 :], ENDPOINT))
        told.bRefresh = told.bSynchAddress = 0
        return told

    def _interface(self, dev: Device, intf: int, alt: int, config: int) -> tuple[bytes, list[bytes]]:
        self.get_configuration_descriptor(dev, config)
        all_parts = parts(dev.configurations[config])
        numbers = sorted({part[2] for part in all_parts if part[1] == INTERFACE})
        settings = [at for at, part in enumerate(all_parts) if part[1] == INTERFACE and part[2] == numbers[intf]]
        return all_parts[settings[alt]], all_parts[settings[alt] + 1 :]

    def _read(self, dev: Device) -> None:
        """Fetch all descriptors; a handle is needed for that here. Raises USBError, OSError."""
        handle = self.open_device(dev)
        try:
            told = handle.described(DEVICE, 0, size_of(DEVICE_FIELDS))
            found = []
            for index in range(min(told[17], CONFIGURATIONS) or 1):  # none is an error, as with a refused request
                self._left()
                head = handle.described(CONFIGURATION, index, size_of(CONFIGURATION_FIELDS))
                size = int.from_bytes(head[2:4], "little")
                found.append(handle.described(CONFIGURATION, index, size_of(CONFIGURATION_FIELDS), size))
            dev.device, dev.configurations = told, found
        finally:
            self.close_device(handle)

    # having one

    def open_device(self, dev: Device) -> Handle:
        """Raises USBError: busy, gone; TransportError where the time for that is over."""
        within = min(PATIENCE_S, self._left())
        return Handle(as_libusb(lambda: Imported(self.host, self.port, dev.exported.bus_id, within)))

    def _left(self) -> float:
        """The seconds until nobody waits any more. Raises TransportError where that is so."""
        left = self._until - time.monotonic()
        if left <= 0:
            why = f"{self.host}:{self.port} takes too long to give the devices that it lists"
            raise TransportError(why, "check the USB/IP server")
        return left

    def close_device(self, dev_handle: Handle) -> None:
        """Give it back."""
        dev_handle.imported.close()

    def set_configuration(self, dev_handle: Handle, config_value: int) -> None:
        """Raises USBError."""
        dev_handle.request(0x00, SET_CONFIGURATION, config_value, 0)

    def get_configuration(self, dev_handle: Handle) -> int:
        """0 where none is set. Raises USBError."""
        told = dev_handle.request(0x80, GET_CONFIGURATION, 0, 0, room=1)
        if not told:
            raise libusb_error(libusb1.LIBUSB_ERROR_IO)
        return told[0]

    def set_interface_altsetting(self, dev_handle: Handle, intf: int, altsetting: int) -> None:
        """Raises USBError."""
        dev_handle.request(0x01, SET_INTERFACE, altsetting, intf)

    def claim_interface(self, dev_handle: Handle, intf: int) -> None:
        """Nobody else can have it: who imports a device has all of it."""
        dev_handle.claimed.add(intf)

    def release_interface(self, dev_handle: Handle, intf: int) -> None:
        """Raises USBError where it was not claimed."""
        if intf not in dev_handle.claimed:
            raise libusb_error(libusb1.LIBUSB_ERROR_NOT_FOUND)
        dev_handle.claimed.remove(intf)

    def clear_halt(self, dev_handle: Handle, ep: int) -> None:
        """Raises USBError."""
        dev_handle.request(0x02, CLEAR_FEATURE, 0, ep)

    def reset_device(self, dev_handle: Handle) -> None:
        """As a hub would do it; the configuration stays. Raises USBError."""
        was = self.get_configuration(dev_handle)
        type, request, value = PORT_RESET
        dev_handle.request(type, request, value, 0)
        self.set_configuration(dev_handle, was)

    def is_kernel_driver_active(self, dev_handle: Handle, intf: int) -> bool:
        """No kernel is involved."""
        return False

    # transfers: timeout in milliseconds, 0 for ever

    def bulk_write(self, dev_handle: Handle, ep: int, intf: int, data: array[int], timeout: int) -> int:
        """How many bytes went out. Raises USBError."""
        return _transferred(dev_handle, ep, timeout, data=data.tobytes())[0]

    def bulk_read(self, dev_handle: Handle, ep: int, intf: int, buff: array[int], timeout: int) -> int:
        """How many bytes came in, into `buff`. Raises USBError."""
        _, came = _transferred(dev_handle, ep, timeout, room=len(buff) * buff.itemsize)
        memoryview(buff).cast("B")[: len(came)] = came
        return len(came)

    intr_write = bulk_write
    intr_read = bulk_read

    def ctrl_transfer(
        self,
        dev_handle: Handle,
        bmRequestType: int,
        bRequest: int,
        wValue: int,
        wIndex: int,
        data: array[int],
        timeout: int,
    ) -> int:
        """How many bytes passed; those that came in are in `data`. Raises USBError."""
        size = len(data) * data.itemsize
        setup = _setup(bmRequestType, bRequest, wValue, wIndex, size)
        if not bmRequestType & 0x80:
            return _transferred(dev_handle, 0, timeout, data=data.tobytes(), setup=setup)[0]
        _, came = _transferred(dev_handle, 0x80, timeout, room=size, setup=setup)
        memoryview(data).cast("B")[: len(came)] = came
        return len(came)


def _transferred(
    handle: Handle, ep: int, timeout: int, *, data: bytes = b"", room: int = 0, setup: bytes = bytes(8)
) -> tuple[int, bytes]:
    seconds = timeout / 1000 if timeout else None
    return as_libusb(lambda: handle.imported.transfer(ep, seconds, data=data, room=room, setup=setup))


def _setup(type: int, request: int, value: int, index: int, length: int) -> bytes:
    return bytes((type, request)) + b"".join(number.to_bytes(2, "little") for number in (value, index, length))


def _from_the_list(exported: Exported) -> bytes:
    numbers = (exported.vendor, exported.product, exported.release)
    ids = b"".join(number.to_bytes(2, "little") for number in numbers)
    return bytes((18, DEVICE, 0, 2, *exported.device_class, 64)) + ids + bytes((0, 0, UNKNOWN, exported.configurations))
