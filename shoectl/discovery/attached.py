"""What is attached that a device of ours may be behind: read from /sys and /dev, without opening anything.

pyserial's list of ports tells no more than /sys does, and always tells of this machine; a test needs another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import unquote

from protocols.family import families
from protocols.usb import UsbPlug
from shoectl.discovery.bus import Speech, UsbDevice, is_acm, plugs, speech_for, speech_of, usb_devices
from shoectl.discovery.system import System
from shoectl.transports import split_url
from shoectl.transports.usb_find import wanted
from shoectl.transports.usb_serial import FTDI_VENDOR
from shoectl.transports.usbip_client import listed

NAMES = ("/dev/shoectl", "/dev/serial/by-id", "/dev/serial/by-path")
"""Folders with stable names, the best first; those in the last one are never shared."""


@dataclass(frozen=True)
class Port:
    """A way to a device. `names` are the stable ones, best first; `url` is how to open it."""

    url: str
    speech: Speech
    node: str = ""
    names: tuple[str, ...] = ()
    usb: UsbDevice | None = None
    rates: bool = True
    """Whether the line behind it has a rate that is set here."""

    @property
    def path(self) -> str:
        """The best name of its node."""
        return self.names[0] if self.names else self.node


def attached(system: System) -> list[Port]:
    """All ports of this machine: serial ports, HID nodes, USB devices that no driver has."""
    devices = usb_devices(system)
    found = [*_ttys(system, devices), *_hidraws(system, devices)]
    driven = {port.usb.folder for port in found if port.usb}
    found += [port for device in devices if device.folder not in driven for port in _on_the_bus(device)]
    return _apart(found)


def served(host: str, port: int) -> list[Port]:
    """What a USB/IP server offers. Raises OSError."""
    found = []
    for told in listed(host, port):
        device = UsbDevice(told.vendor, told.product, "", told.place, interfaces=told.interfaces)
        plug = f"plug={told.place}&" if told.place else ""
        found += [replace(each, url=f"usb://{device.ids}?{plug}usbip={host}:{port}") for each in _on_the_bus(device)]
    return found


def given(text: str, system: System, known: Iterable[Port] = ()) -> Port:
    """A port that somebody named by a URL; one of the `known` where it is that. Raises BadInput."""
    url = split_url(text)
    path = unquote(url.path)
    match url.scheme:
        case "serial" | "hid":
            node = system.resolved(path)
            for port in known:
                if port.node == node:
                    return replace(port, url=text)
            speech = Speech.LINE if url.scheme == "serial" else Speech.REPORTS
            return Port(text, speech, node, (path,) if path != node else ())
        case "usb":
            want = wanted(url)
            own = {(plug.vendor, plug.product): family for family, plug in plugs()}.get((want.vendor, want.product))
            rates = own is None and want.vendor == FTDI_VENDOR
            return Port(text, Speech.LINE if rates else speech_for(own) if own else Speech.BULK, rates=rates)
        case "sim" if path in families():
            return Port(text, speech_for(families()[path]), rates=False)
    return Port(text, Speech.LINE, rates=url.scheme != "tcp")


def _on_the_bus(device: UsbDevice) -> Iterator[Port]:
    speech = speech_of(device)
    if speech is not None:
        url = f"usb://{device.ids}" + (f"/{device.serial}" if device.serial else f"?plug={device.plug}")
        yield Port(url, speech, device.node, usb=device, rates=not is_acm(device))


# nodes


def _ttys(system: System, devices: list[UsbDevice]) -> Iterator[Port]:
    nodes = {f"/dev/{name}" for name in system.listed("/sys/class/tty") if _is_port(system, name)}
    nodes |= {f"/dev/{name}" for name in system.listed("/dev") if name.startswith(("ttyUSB", "ttyACM"))}
    for node in sorted(nodes):
        names = _names(system, node)
        device = _parent(system, f"/sys/class/tty/{node.rpartition('/')[2]}/device", devices)
        yield Port(f"serial://{(*names, node)[0]}", Speech.LINE, node, names, device, not (device and is_acm(device)))


def _is_port(system: System, name: str) -> bool:
    """Whether a terminal of the system is a port with something behind it."""
    folder = f"/sys/class/tty/{name}"
    if not system.there(f"{folder}/device") or name in system.text("/sys/class/tty/console/active").split():
        return False
    return not name.startswith("ttyS") or system.text(f"{folder}/type") not in ("", "0")  # 0: no chip was found


def _hidraws(system: System, devices: list[UsbDevice]) -> Iterator[Port]:
    for name in system.listed("/sys/class/hidraw"):
        device = _parent(system, f"/sys/class/hidraw/{name}/device", devices)
        told = descriptor(system, f"/dev/{name}")
        ours = [plug for _, plug in plugs() if plug.report]
        if any(told == plug.report or _same_ids(device, plug) for plug in ours):
            node = f"/dev/{name}"
            names = _names(system, node)
            yield Port(f"hid://{(*names, node)[0]}", Speech.REPORTS, node, names, device, rates=False)


def descriptor(system: System, node: str) -> bytes:
    """The report descriptor of a HID node; empty where the system does not tell."""
    try:
        return system.path(f"/sys/class/hidraw/{node.rpartition('/')[2]}/device/report_descriptor").read_bytes()
    except OSError:
        return b""


def _same_ids(device: UsbDevice | None, plug: UsbPlug) -> bool:
    return device is not None and (device.vendor, device.product) == (plug.vendor, plug.product)


def _names(system: System, node: str) -> tuple[str, ...]:
    names = [f"{folder}/{name}" for folder in NAMES for name in system.listed(folder)]
    return tuple(name for name in names if system.resolved(name) == node)


def _parent(system: System, folder: str, devices: list[UsbDevice]) -> UsbDevice | None:
    """The USB device that something in /sys is a part of."""
    where = system.resolved(folder)
    return next((device for device in devices if where == device.folder or where.startswith(f"{device.folder}/")), None)


def twins(port: Port, ports: Iterable[Port]) -> list[Port]:
    """The others with the same ids and the same serial number, or none: nothing but the plug tells them apart."""
    return [
        other
        for other in ports
        if port.usb and other.usb and other.usb.folder != port.usb.folder and other.usb.same == port.usb.same
    ]


def _apart(ports: list[Port]) -> list[Port]:
    """Twins by their plugs, for the names that follow a serial number belong to whichever came last."""
    return [_by_plug(port) if twins(port, ports) else port for port in ports]


def _by_plug(port: Port) -> Port:
    assert port.usb is not None
    if port.url.startswith("usb:"):
        return replace(port, url=f"usb://{port.usb.ids}?plug={port.usb.plug}")
    names = tuple(name for name in port.names if name.startswith(NAMES[-1]))
    scheme = port.url.partition(":")[0]
    return replace(port, url=f"{scheme}://{(*names, port.node)[0]}", names=names)
