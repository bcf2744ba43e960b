"""A machine in a folder: /sys, /proc, /dev and /run as a kernel and its udev would show them."""

from __future__ import annotations

import os
from pathlib import Path

from shoectl.discovery.system import System, User

DEALER = User("dealer", 4242, frozenset((4242,)))
ACM = ((2, 2, 1), (10, 0, 0))
FTDI = ((255, 255, 255),)
CEDAR = ((255, 0x5C, 1),)
HID = ((3, 0, 0),)


class Tree:
    """Everything is written below `root`; `system` reads it, as a user who owns nothing of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.devices = 0
        self.write("/etc/group", f"root:x:0:\nshoectl:x:{os.getegid()}:\ndealer:x:4242:\n".replace("root:x:0:\n", ""))
        self.write("/proc/locks", "")
        self.write("/proc/sys/kernel/osrelease", "6.1.0-test\n")
        (root / "run/udev").mkdir(parents=True)

    @property
    def system(self) -> System:
        return System(self.root, DEALER)

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def link(self, name: str, target: str) -> None:
        """A link, relative as udev and the kernel make them."""
        path = self.root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(os.path.relpath(self.root / target.lstrip("/"), path.parent))

    def usb(
        self,
        plug: str,
        ids: str,
        serial: str = "",
        interfaces: tuple[tuple[int, int, int], ...] = FTDI,
        driver: str = "",
        power: str = "on",
    ) -> str:
        """A device on the bus, at a plug. Its folder."""
        self.devices += 1
        folder = f"/sys/devices/pci0/usb1/{plug}"
        vendor, product = ids.split(":")
        told = {"idVendor": vendor, "idProduct": product, "busnum": "1", "devnum": str(self.devices)}
        told |= {"power/control": power, "dev": f"189:{self.devices}"} | ({"serial": serial} if serial else {})
        for name, text in told.items():
            self.write(f"{folder}/{name}", text + "\n")
        for n, triple in enumerate(interfaces):
            for name, number in zip(("Class", "SubClass", "Protocol"), triple, strict=True):
                self.write(f"{folder}/{plug}:1.{n}/bInterface{name}", f"{number:02x}\n")
            if driver:
                (self.root / f"sys/bus/usb/drivers/{driver}").mkdir(parents=True, exist_ok=True)
                self.link(f"{folder}/{plug}:1.{n}/driver", f"/sys/bus/usb/drivers/{driver}")
        self.link(f"/sys/bus/usb/devices/{plug}", folder)
        self.write(f"/dev/bus/usb/001/{self.devices:03d}", "").chmod(0o660)
        return folder

    def tty(self, name: str, folder: str, plug: str, latency: int | None = None) -> None:
        """A serial port of a device on the bus."""
        interface = f"{folder}/{plug}:1.0"
        home = f"{interface}/{name}/tty/{name}" if latency is not None else f"{interface}/tty/{name}"
        self.write(f"{home}/dev", f"188:{name[-1]}\n")
        if latency is not None:
            self.write(f"{interface}/{name}/latency_timer", f"{latency}\n")
        self.link(f"{home}/device", f"{interface}/{name}" if latency is not None else interface)
        self.link(f"/sys/class/tty/{name}", home)
        self.node(f"/dev/{name}")

    def adapter(
        self, name: str, plug: str, serial: str = "FT1", latency: int = 1, power: str = "on", driver: str = "ftdi_sio"
    ) -> None:
        """An FT232R as it should be, with all the names that udev gives it."""
        folder = self.usb(plug, "0403:6001", serial, FTDI, driver, power)
        self.tty(name, folder, plug, latency)
        self.link(f"/dev/serial/by-id/usb-FTDI_{serial or 'FT232R'}-if00-port0", f"/dev/{name}")
        self.link(f"/dev/serial/by-path/pci-0-usb-{plug}-port0", f"/dev/{name}")

    def hidraw(self, name: str, plug: str, ids: str, serial: str, report: bytes) -> None:
        """A HID device with a node."""
        folder = self.usb(plug, ids, serial, HID, "usbhid")
        device = f"{folder}/{plug}:1.0/0003:1209:5C02.0001"
        self.write(f"{device}/report_descriptor", report)
        self.write(f"{device}/hidraw/{name}/dev", "240:0\n")
        self.link(f"{device}/hidraw/{name}/device", device)
        self.link(f"/sys/class/hidraw/{name}", f"{device}/hidraw/{name}")
        self.node(f"/dev/{name}")

    def node(self, name: str, mode: int = 0o660) -> None:
        self.write(name, "").chmod(mode)

    def process(self, pid: int, name: str, *opened: str) -> None:
        """A program and what it has open."""
        self.write(f"/proc/{pid}/comm", f"{name}\n")
        (self.root / f"proc/{pid}/fd").mkdir()
        for n, node in enumerate(opened):
            (self.root / f"proc/{pid}/fd/{n}").symlink_to(os.path.realpath(self.root / node.lstrip("/")))

    def udev(self, number: str, **properties: str) -> None:
        """What udev noted of a device."""
        lines = [f"E:{key}={value}" for key, value in properties.items()]
        self.write(f"/run/udev/data/c{number}", "\n".join(["S:serial/by-id/x", *lines]) + "\n")

    def rules(self) -> None:
        """The project's own, installed."""
        folder = Path(__file__).parents[2] / "udev"
        for path in folder.glob("*.rules"):
            self.write(f"/etc/udev/rules.d/{path.name}", path.read_bytes())
