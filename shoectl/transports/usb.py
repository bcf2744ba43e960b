"""USB devices through pyusb: Cedar in pieces, and serial lines and HID devices without the system's drivers.

The system's own driver is taken off while we have the device, and put back afterwards.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from functools import partial
from urllib.parse import SplitResult

import usb.core
import usb.util

from shoectl.transports.base import CLOSE_DEADLINE_S, Lost, Received, Transport, TransportError
from shoectl.transports.descriptor import WAITING_LIMIT
from shoectl.transports.threads import in_thread
from shoectl.transports.usb_carriers import Carrier, Pieces
from shoectl.transports.usb_device import OpenDevice, give_back
from shoectl.transports.usb_find import Wanted, find, node_of, refusal, wanted
from shoectl.transports.usb_serial import CDC_DATA, FTDI_CLASS, FTDI_VENDOR, CdcAcm, Ft232r, is_acm

OPEN_DEADLINE_S = 5.0


class UsbTransport(Transport):
    """`usb://VID:PID/SERIAL`; `?usbip=HOST:PORT` has the device come from a USB/IP server."""

    def __init__(self, url: SplitResult) -> None:
        self.want = wanted(url)
        self._opened: OpenDevice | None = None
        self._used = self._over = False

    async def open(self, received: Received, lost: Lost) -> None:
        """Find it, claim it, begin to read; all in a thread, for a bus that is half gone lets its callers wait."""
        if self._used:
            raise RuntimeError("a transport is used once")
        self._used = True
        self._received, self._lost = received, lost
        self._loop = asyncio.get_running_loop()
        opening = in_thread(
            partial(_open, self.want, self._heard, self._ended), unwanted=lambda opened: opened[0].close()
        )
        try:
            async with asyncio.timeout(OPEN_DEADLINE_S):
                self._opened, self.node = await opening
        except TimeoutError:
            raise TransportError(f"{self.want.name} does not open", "pull the plug and put it in again") from None
        self._opened.start()

    def write(self, data: bytes) -> None:
        """Give it to the thread that writes."""
        if self._opened is None or not data:
            return
        if self._opened.waiting > WAITING_LIMIT:
            self._stop(TransportError(f"{self.want.name} takes no more bytes", "check that the device is on"))
        else:
            self._opened.write(data)

    async def close(self) -> None:
        """Have the threads end, then give the device back: in a thread, which goes on where that takes too long."""
        self._over = True
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.stop()
            await asyncio.wait([in_thread(opened.close)], timeout=CLOSE_DEADLINE_S)

    def _heard(self, data: bytes) -> None:
        self._call(lambda: None if self._over else self._received(data))

    def _ended(self, reason: Exception | None) -> None:
        self._call(lambda: self._stop(reason))

    def _call(self, call: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is gone, and whoever listened with it
            self._loop.call_soon_threadsafe(call)

    def _stop(self, reason: Exception | None) -> None:
        if not self._over:
            self._over = True
            if self._opened is not None:
                self._opened.stop()
            self._lost(reason)


def _open(
    want: Wanted, heard: Callable[[bytes], None], lost: Callable[[Exception | None], None]
) -> tuple[OpenDevice, str]:
    """Raises TransportError."""
    device = find(want)
    opened: OpenDevice | None = None
    try:
        opened = OpenDevice(_carrier(want, device), heard, lost)
        for number in opened.carrier.interfaces:
            _take_from_driver(opened, number)
            usb.util.claim_interface(device, number)
        opened.carrier.begin()
    except BaseException as error:
        if opened is not None:
            give_back(opened)
        else:
            usb.util.dispose_resources(device)
        if isinstance(error, TransportError) or not isinstance(error, (OSError, ValueError, NotImplementedError)):
            raise
        raise refusal(want, device, error) from None
    return opened, node_of(want, device)


def _take_from_driver(opened: OpenDevice, number: int) -> None:
    with contextlib.suppress(NotImplementedError):  # a system where drivers stay
        if opened.device.is_kernel_driver_active(number):
            opened.device.detach_kernel_driver(number)
            opened.detached.append(number)


def _carrier(want: Wanted, device: usb.core.Device) -> Carrier:
    """How it is spoken to, by what its interfaces say."""
    try:
        configuration = device.get_active_configuration()
    except usb.core.USBError:
        device.set_configuration()  # only where none is set: it makes a device that has one begin anew
        configuration = device.get_active_configuration()
    interfaces = list(configuration)
    acm = [each for each in interfaces if is_acm(each)]
    if acm:
        data = [each for each in interfaces if each.bInterfaceClass == CDC_DATA]
        return CdcAcm(want, device, acm[:1] + data[:1])
    if want.vendor == FTDI_VENDOR and interfaces[0].bInterfaceClass == FTDI_CLASS:
        return Ft232r(want, device, interfaces[:1])
    return Pieces(want, device, interfaces[:1])
