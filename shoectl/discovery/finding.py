"""What the doctor may find, and about what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final

from protocols.family import Family
from protocols.handshake import Pin
from shoectl.discovery.attached import Port
from shoectl.discovery.history import Known

REASONS: Final[Mapping[str, str]] = {
    "nothing-attached": "no port is there that may have a device of ours behind it",
    "no-node": "the device node, or the USB device, is not there",
    "dangling-name": "the stable name is left, what it pointed to is gone",
    "no-permission": "this user may not open the node",
    "wrong-rights": "group or mode of the node are not those of the udev rules",
    "no-rules": "the udev rules are not installed",
    "rules-lack": "the udev rules do not know this adapter",
    "busy": "another program has the port",
    "stale-lock": "a lock file of a program that is gone",
    "modem-probe": "ModemManager runs and may write into the port",
    "braille": "brltty takes the adapter for a braille display",
    "latency": "the adapter holds short packets back",
    "asleep": "the system may put the device to sleep when it is idle",
    "no-module": "the kernel module that makes a node of the device is missing",
    "not-bound": "the module is loaded, but does not have the device",
    "no-library": "libusb-1.0 is missing",
    "keyboard-mode": "a reader that types what it reads",
    "wrong-reports": "the ids are those of a family, the HID reports are not",
    "twins": "two devices that only their plugs tell apart",
    "does-not-open": "the port does not open, for another reason",
    "no-answer": "the port opens, and nobody answers",
    "wrong-rate": "it answers at another line rate",
    "wrong-address": "it answers at another address",
    "wrong-family": "a device of another family answers",
    "wrong-serial": "another unit than the configured one answers",
    "other-unit": "another unit than at the last time, or one whose memory was wiped",
    "wrong-firmware": "its firmware is not the configured one, changed, or speaks what is not spoken here",
    "wrong-level": "it has another security level than the table uses for it",
    "no-key": "the key of a sealed link is missing, in the device or here",
    "wrong-key": "it has another key than the table has for it",
    "service-mode": "it is in service mode",
    "refused": "the table would refuse it, for another reason",
}
"""Each reason and what it means. docs/doctor.md has the same list."""

HOPELESS: Final = frozenset(
    ("no-node", "dangling-name", "no-permission", "busy", "twins", "no-library", "keyboard-mode", "wrong-reports")
)
"""With one of these there is no use in asking the device."""


@dataclass(frozen=True)
class Finding:
    """One reason: where, what, and what to do about it."""

    reason: str
    where: str
    what: str
    do: str

    def __post_init__(self) -> None:
        if self.reason not in REASONS:
            raise ValueError(f"no reason {self.reason!r}")

    @property
    def json(self) -> dict[str, str]:
        """For machines."""
        return asdict(self)


@dataclass(frozen=True)
class Demand:
    """The security level that a table demands of a device, and its key; `unread` says why that cannot be had."""

    level: int = 0
    pin: Pin | None = None
    unread: str = ""


@dataclass(frozen=True, eq=False)
class Subject:
    """What is looked at: a place of a table, or a port that is just there (then `place` is empty).

    `path` is the node as it was named. `family`, `serial`, `firmware`: what has to be there, and how safe the link to
    it (`demand`); `known`: who was there last.
    """

    place: str
    port: Port
    path: str = ""
    family: Family | None = None
    serial: str | None = None
    firmware: str | None = None
    known: Known | None = None
    demand: Demand = Demand()

    @property
    def where(self) -> str:
        """For people."""
        return f"{self.place} ({self.port.url})" if self.place else self.port.url

    @property
    def scheme(self) -> str:
        """`serial`, `usb`, ..."""
        return self.port.url.partition(":")[0]

    @property
    def here(self) -> bool:
        """Whether it is a thing of this machine that has a node."""
        return self.scheme in ("serial", "hid") or (self.scheme == "usb" and "usbip=" not in self.port.url)

    def finding(self, reason: str, what: str, do: str) -> Finding:
        """A finding about this."""
        return Finding(reason, self.where, what, do)
