"""Which USB device a URL names, and why it cannot be had."""

from __future__ import annotations

import errno
import re
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, unquote

import usb.core
import usb.util
from usb.backend import libusb1

from shoectl.errors import BadInput
from shoectl.transports.base import InUse, TransportError, number_of, options_of
from shoectl.transports.descriptor import errno_text
from shoectl.transports.holders import opened_by, process_text
from shoectl.transports.threaded import OPEN_DEADLINE_S
from shoectl.transports.usb_trouble import Trouble, trouble_of
from shoectl.transports.usbip_backend import UsbipBackend

SEARCH_S = OPEN_DEADLINE_S - 1.0
"""For all devices of a USB/IP server together, so that whoever waits for one of them hears why there is none."""

_NAMED = 4  # devices of one kind, in a line that people read

_IDS = re.compile(r"([0-9a-fA-F]{4}):([0-9a-fA-F]{4})")
_SERVER = re.compile(r"(?:\[([0-9a-fA-F:.]+)\]|([^:\[\]]+)):(\d{1,5})")
_PLUG = re.compile(r"\d+-\d+(\.\d+)*")
_FLAGS = {"true": True, "false": False}


@dataclass(frozen=True)
class Wanted:
    """What a URL asks for. `serial` and `plug` (bus and ports, as `1-1.2`) tell devices with equal ids apart.

    `server` is a USB/IP server; without one it is this machine's bus. `baud` is for serial lines behind USB. `zlp`
    tells whether the device wants an empty packet after a transfer that fills its last one.
    """

    vendor: int
    product: int
    serial: str = ""
    plug: str = ""
    server: tuple[str, int] | None = None
    baud: int = 0
    zlp: bool = True

    @property
    def name(self) -> str:
        """As people read it."""
        return f"USB device {self.vendor:04x}:{self.product:04x}" + (f" {self.serial}" if self.serial else "")


def wanted(url: SplitResult) -> Wanted:
    """From `usb://VID:PID/SERIAL?plug=1-1.2`. Raises BadInput."""
    ids = _IDS.fullmatch(url.netloc)
    serial = unquote(url.path.removeprefix("/"))
    if ids is None or "/" in serial or url.fragment:
        raise BadInput(f"{url.geturl()!r}: a USB device is written usb://VID:PID/SERIAL, as usb://1209:5c01/CE000042")
    options = options_of(url, {"plug": "", "usbip": "", "baud": "", "address": "", "zlp": "true"})
    if options["plug"] and not _PLUG.fullmatch(options["plug"]):
        raise BadInput(f"{url.geturl()!r}: plug is a place on a bus, as 1-1.2 (see lsusb -t)")
    if options["zlp"] not in _FLAGS:
        raise BadInput(f"{url.geturl()!r}: zlp is true or false")
    server = _SERVER.fullmatch(options["usbip"])
    if options["usbip"] and (server is None or not 0 < int(server[3]) <= 0xFFFF):
        raise BadInput(f"{url.geturl()!r}: usbip is a server, as 127.0.0.1:3240")
    return Wanted(
        vendor=int(ids[1], 16),
        product=int(ids[2], 16),
        serial=serial,
        plug=options["plug"],
        server=(server[1] or server[2], int(server[3])) if server else None,
        baud=number_of(url, "baud", options["baud"], 300, 4_000_000) if options["baud"] else 0,
        zlp=_FLAGS[options["zlp"]],
    )


def find(want: Wanted) -> usb.core.Device:
    """The one device that fits. Raises TransportError."""
    try:
        found = list(usb.core.find(find_all=True, backend=_backend(want), idVendor=want.vendor, idProduct=want.product))
        fitting = [(device, serial_of(device)) for device in found if want.plug in ("", plug_of(device))]
    except OSError as error:
        raise refusal(want, None, error) from None
    held = [device for device, told in fitting if told is None]
    if want.serial:
        fitting = [(device, told) for device, told in fitting if (told or "").casefold() == want.serial.casefold()]
    if not fitting and held:
        raise InUse(f"{want.name} is not there, or in use by another program", "stop that program")
    if not fitting:
        raise TransportError(f"{want.name} is not there", _hint(want, found))
    if len(fitting) > 1:
        told = _some([f"{serial or 'no serial number'} at {plug_of(device)}" for device, serial in fitting])
        raise TransportError(f"{len(fitting)} devices are a {want.name} ({told})", "name one: /SERIAL or ?plug=")
    return fitting[0][0]


def serial_of(device: usb.core.Device) -> str | None:
    """Its serial number; empty where it has none, None where another program has it. Raises OSError: no permission.

    A text that is none counts as none; what is no letter in it is not shown to anybody, for terminals obey it.
    """
    if not device.iSerialNumber:
        return ""
    try:
        languages = usb.util.get_langids(device)
        told = str(usb.util.get_string(device, device.iSerialNumber, languages[0])) if languages else ""
        return "".join(letter if letter.isprintable() else "?" for letter in told)
    except UnicodeDecodeError:
        return ""
    except OSError as error:
        match trouble_of(error):
            case Trouble.DENIED:
                raise
            case Trouble.BUSY:
                return None
        return ""
    finally:
        usb.util.dispose_resources(device)


def plug_of(device: usb.core.Device) -> str:
    """Where it is plugged in, as `1-1.2`."""
    return f"{device.bus}-{'.'.join(map(str, device.port_numbers or ()))}"


def node_of(want: Wanted, device: usb.core.Device) -> str:
    """What the system calls it at this moment; another plugging in gives another name."""
    if want.server is not None:
        return f"usbip {want.server[0]}:{want.server[1]} {plug_of(device)} ({device.address})"
    return f"/dev/bus/usb/{device.bus:03d}/{device.address:03d}"


def refusal(want: Wanted, device: usb.core.Device | None, error: Exception) -> TransportError:
    """Why it cannot be had, in words, and what to do."""
    if want.server is not None and device is None and not isinstance(error, usb.core.USBError):
        server = f"{want.server[0]}:{want.server[1]}"
        if getattr(error, "errno", None) == errno.ECONNREFUSED:
            return TransportError(f"nobody listens at {server}", "start the USB/IP server, or correct the URL")
        if isinstance(error, TimeoutError):
            return TransportError(f"no answer from {server}", "check the USB/IP server")
        return TransportError(f"{server} cannot be reached ({errno_text(error)})", "check the USB/IP server")
    match trouble_of(error):
        case Trouble.DENIED:
            do = "install the udev rules and join the group shoectl"
            return TransportError(f"{want.name} may not be opened by this user", do)
        case Trouble.BUSY:
            holder = opened_by(node_of(want, device)) if device is not None and want.server is None else None
            return InUse(f"{want.name} is in use by {process_text(holder)}", "stop that program")
        case Trouble.GONE:
            return TransportError(f"{want.name} is not there any more", "check the plug")
    return TransportError(f"{want.name} does not open ({errno_text(error)})", "pull the plug and put it in again")


def library() -> Any:
    """pyusb's way to the devices of this machine; None where libusb-1.0 is not installed."""
    return libusb1.get_backend()


def _backend(want: Wanted) -> Any:
    if want.server is not None:
        return UsbipBackend(*want.server, ids=(want.vendor, want.product), until=time.monotonic() + SEARCH_S)
    backend = library()
    if backend is None:
        raise TransportError("the library libusb-1.0 is not installed", "apt-get install libusb-1.0-0")
    return backend


def _hint(want: Wanted, found: list[usb.core.Device]) -> str:
    """What to do about a device that was not found."""
    if not found:
        return "plug it in and switch it on, or correct the URL"
    others = _some([serial_of(device) or "one without a serial number" for device in found])
    return f"others of its kind are there ({others}): swap them, or correct the URL"


def _some(names: list[str]) -> str:
    """Names for people, who read a few."""
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + rest
