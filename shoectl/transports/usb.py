"""USB devices through pyusb: Cedar in pieces, and serial lines and HID devices without the system's drivers.

The system's own driver is taken off while we have the device, and put back afterwards.
"""

from __future__ import annotations

import contextlib
from urllib.parse import SplitResult

import usb.core
import usb.util

from shoectl.transports.base import TransportError
from shoectl.transports.network import is_here
from shoectl.transports.threaded import Ended, Heard, ThreadedTransport, Threads
from shoectl.transports.usb_carriers import Carrier, Pieces
from shoectl.transports.usb_device import UsbThreads
from shoectl.transports.usb_find import Wanted, find, node_of, refusal, wanted
from shoectl.transports.usb_serial import CDC_DATA, FTDI_CLASS, FTDI_VENDOR, CdcAcm, Ft232r, is_acm


class UsbTransport(ThreadedTransport):
    """`usb://VID:PID/SERIAL`; `?usbip=HOST:PORT` has the device come from a USB/IP server."""

    def __init__(self, url: SplitResult) -> None:
        self.want = wanted(url)
        super().__init__(self.want.name)
        if self.want.server is not None and not is_here(self.want.server[0]):
            self.notices = (
                f"cards pass the network to {self.want.server[0]} in plain text: give it a line of its own",
            )

    def _make(self, heard: Heard, ended: Ended) -> tuple[Threads, str]:
        """Find it, claim it, set it up."""
        return _open(self.want, heard, ended)


def _open(want: Wanted, heard: Heard, ended: Ended) -> tuple[UsbThreads, str]:
    """Raises TransportError."""
    device = find(want)
    opened: UsbThreads | None = None
    try:
        opened = UsbThreads(_carrier(want, device), heard, ended)
        for number in opened.carrier.interfaces:
            _take_from_driver(opened, number)
            usb.util.claim_interface(device, number)
        opened.carrier.begin()
    except BaseException as error:
        if opened is not None:
            opened.give_back()
        else:
            usb.util.dispose_resources(device)
        if isinstance(error, TransportError) or not isinstance(error, (OSError, ValueError, NotImplementedError)):
            raise
        raise refusal(want, device, error) from None
    return opened, node_of(want, device)


def _take_from_driver(opened: UsbThreads, number: int) -> None:
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
    if not interfaces:
        raise TransportError(f"{want.name} has no interface", "it is not the device meant")
    acm = [each for each in interfaces if is_acm(each)]
    if acm:
        data = [each for each in interfaces if each.bInterfaceClass == CDC_DATA]
        return CdcAcm(want, device, acm[:1] + data[:1])
    if want.vendor == FTDI_VENDOR and interfaces[0].bInterfaceClass == FTDI_CLASS:
        return Ft232r(want, device, interfaces[:1])
    return Pieces(want, device, interfaces[:1])
