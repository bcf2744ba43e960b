"""Checks of what is on a USB bus: drivers, power, timers, and programs that take what is not theirs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shoectl.discovery.bus import UsbDevice, is_acm, is_ftdi, plugs
from shoectl.discovery.finding import Finding, Subject
from shoectl.discovery.rules import INSTALL, Rules
from shoectl.discovery.system import System
from shoectl.transports import split_url
from shoectl.transports.serial import latency_ms
from shoectl.transports.usb_find import library, wanted

LATENCY_MS = 1  # what the rules set


def on_the_bus(system: System, subject: Subject, devices: Iterable[UsbDevice]) -> Iterator[Finding]:
    """Whether the USB device that a URL names is there, and one only."""
    if subject.scheme != "usb" or not subject.here or not subject.place:
        return
    want = wanted(split_url(subject.port.url))
    kind = [device for device in devices if (device.vendor, device.product) == (want.vendor, want.product)]
    fitting = [device for device in kind if fits(device, want.serial, want.plug)]
    if len(fitting) > 1:
        plugs_of = ", ".join(device.plug for device in fitting)
        do = "name one: ?plug=" + fitting[0].plug
        yield subject.finding("twins", f"{len(fitting)} devices fit {want.name} (at {plugs_of})", do)
    elif not fitting and kind:
        others = ", ".join(f"{device.serial or 'no serial number'} at {device.plug}" for device in kind)
        do = "swap the units, or correct the URL"
        yield subject.finding("no-node", f"{want.name} is not there, others of its kind are ({others})", do)
    elif not fitting:
        yield subject.finding("no-node", f"{want.name} is not there", "plug it in, switch it on, or correct the URL")


def fits(device: UsbDevice, serial: str, plug: str) -> bool:
    """Whether a device has a serial number, and is at a plug; empty ones fit all."""
    return serial.casefold() in ("", device.serial.casefold()) and plug in ("", device.plug)


def the_library(system: System, subject: Subject) -> Iterator[Finding]:
    """Whether libusb is there for a device that needs it."""
    if subject.scheme == "usb" and subject.here and library() is None:
        yield subject.finding("no-library", "the library libusb-1.0 is not installed", "apt-get install libusb-1.0-0")


def drivers(system: System, device: UsbDevice) -> Iterator[Finding]:
    """Whether a device that should have a node has the driver that makes it."""
    module = module_of(device)
    where = f"{device.ids} {device.serial} at {device.plug}".replace("  ", " ")
    if module is None:
        return
    if "usbfs" in device.drivers:
        pid = system.holder(device.node)
        holder = "a program" if pid is None else system.process(pid)
        yield Finding("busy", where, f"it was taken from the system's driver by {holder}", "stop that program")
    elif not device.drivers and system.there(f"/sys/module/{module}"):
        do = "unplug it and plug it in; or name it by usb://, which needs no driver"
        yield Finding("not-bound", where, f"the module {module} is loaded and does not have it", do)
    elif not device.drivers:
        yield Finding(
            "no-module", where, f"the kernel module {module} is not loaded: it has no node", _load(system, module)
        )
    elif module == "usbhid" and not _has_hidraw(system, device):
        do = "use a kernel with CONFIG_HIDRAW, or name it by usb://"
        yield Finding("no-module", where, "this kernel makes no hidraw nodes", do)


def module_of(device: UsbDevice) -> str | None:
    """The kernel module that makes a node of a device of ours; None where it has none."""
    if is_acm(device):
        return "cdc_acm"
    if is_ftdi(device):
        return "ftdi_sio"
    ours = [
        plug for _, plug in plugs() if plug.report and (plug.vendor, plug.product) == (device.vendor, device.product)
    ]
    return "usbhid" if ours else None


def _load(system: System, module: str) -> str:
    release = system.text("/proc/sys/kernel/osrelease")
    lists = [system.text(f"/lib/modules/{release}/modules.{kind}") for kind in ("dep", "builtin")]
    if any(lists) and not any(f"/{module}.ko" in told for told in lists):
        return (
            f"this kernel has no {module}: install its further modules (linux-modules-extra-{release}), or use usb://"
        )
    return f"modprobe {module}"


def _has_hidraw(system: System, device: UsbDevice) -> bool:
    nodes = [system.resolved(f"/sys/class/hidraw/{name}/device") for name in system.listed("/sys/class/hidraw")]
    return any(node.startswith(f"{device.folder}/") for node in nodes)


def latency(system: System, subject: Subject) -> Iterator[Finding]:
    """Whether the adapter hands short packets on at once."""
    name = subject.port.node.rpartition("/")[2]
    found = latency_ms(name, system.path("/sys/class/tty")) if subject.scheme == "serial" else None
    if found is not None and found > LATENCY_MS:
        what = f"the adapter of {subject.port.node} holds bytes back for {found} ms"
        yield subject.finding(
            "latency", what, f"{INSTALL} {system.user.name}; now: echo 1 > /sys/class/tty/{name}/device/latency_timer"
        )


def awake(system: System, subject: Subject) -> Iterator[Finding]:
    """Whether the system keeps off its power."""
    device = subject.port.usb
    if device and device.folder and system.text(f"{device.folder}/power/control") == "auto":
        what = f"{device.ids} at {device.plug} may be put to sleep when idle, and what it says then is lost"
        do = f"{INSTALL} {system.user.name}; now: echo on > {device.folder}/power/control"
        yield subject.finding("asleep", what, do)


def modem_service(system: System, subject: Subject) -> Iterator[Finding]:
    """Whether ModemManager would write into the port."""
    device = subject.port.usb
    if subject.scheme != "serial" or device is None:
        return
    pid = system.running("ModemManager")
    name = subject.port.node.rpartition("/")[2]
    numbers = system.text(f"/sys/class/tty/{name}/dev"), system.text(f"{device.folder}/dev")
    noted = [system.udev(f"c{number}") for number in numbers if number]
    off = any(one.get(key) == "1" for one in noted for key in ("ID_MM_DEVICE_IGNORE", "ID_MM_PORT_IGNORE"))
    if pid is not None and not off:
        lacking = "" if Rules.of(system).about(device) else ", and no rule keeps it off"
        what = f"ModemManager (pid {pid}) writes into each new port{lacking}"
        do = f"{INSTALL} {system.user.name}, plug it in again; or systemctl disable --now ModemManager"
        yield subject.finding("modem-probe", what, do)


def braille(system: System, device: UsbDevice) -> Iterator[Finding]:
    """Whether brltty is to take a device of ours."""
    number = system.text(f"{device.folder}/dev")
    if module_of(device) is None or not number:
        return
    if system.udev(f"c{number}").get("BRLTTY_BRAILLE_DRIVER"):
        pid = system.running("brltty")
        what = "brltty's rules take it for a braille display" + (f", and brltty runs (pid {pid})" if pid else "")
        do = f"{INSTALL} {system.user.name}, plug it in again; or remove the package brltty"
        yield Finding("braille", f"{device.ids} {device.serial} at {device.plug}".replace("  ", " "), what, do)
