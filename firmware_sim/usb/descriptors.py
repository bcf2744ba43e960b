"""What a USB device answers when it is asked what it is, from the descriptors of its document (protocols/usb.py)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from protocols.usb import FULL, HIGH, UsbPlug
from protocols.usbip import Speed


class Kind(IntEnum):
    """Descriptor types."""

    DEVICE = 1
    CONFIGURATION = 2
    STRING = 3
    INTERFACE = 4
    ENDPOINT = 5
    QUALIFIER = 6
    OTHER_SPEED = 7
    HID = 0x21
    REPORT = 0x22


class Way(IntEnum):
    """How an endpoint transfers."""

    CONTROL = 0
    BULK = 2
    INTERRUPT = 3


IN = 0x80
LANGUAGE = b"\x04\x03\x09\x04"  # English (United States), as nearly every device has it


@dataclass(frozen=True)
class Endpoint:
    """`address` with its direction bit; `size` is that of a packet, in bytes."""

    address: int
    way: Way
    size: int


@dataclass(frozen=True)
class Plate:
    """One unit: its descriptors, and its strings, numbered from 1. It runs at the highest speed that it has."""

    plug: UsbPlug
    strings: tuple[str, ...] = ()

    @property
    def speed(self) -> Speed:
        """Full or high."""
        return Speed.HIGH if HIGH in self.plug.configurations else Speed.FULL

    @property
    def configuration(self) -> bytes:
        """At the speed at which it runs."""
        return self.plug.configurations[HIGH if self.speed is Speed.HIGH else FULL]

    def interfaces(self) -> list[tuple[int, int, int]]:
        """Class, subclass, protocol of each interface."""
        return [(each[5], each[6], each[7]) for each in parts(self.configuration) if each[1] == Kind.INTERFACE]

    def endpoints(self) -> list[Endpoint]:
        """All endpoints but 0."""
        found = [each for each in parts(self.configuration) if each[1] == Kind.ENDPOINT]
        return [Endpoint(each[2], Way(each[3] & 3), int.from_bytes(each[4:6], "little")) for each in found]

    def find(self, kind: int, index: int) -> bytes | None:
        """What GET_DESCRIPTOR gives; None where the device has no such thing."""
        match kind:
            case Kind.DEVICE:
                return self.plug.device
            case Kind.CONFIGURATION if index == 0:
                return self.configuration
            case Kind.STRING if index == 0:
                return LANGUAGE
            case Kind.STRING if index <= len(self.strings):
                text = self.strings[index - 1].encode("utf-16-le")
                return bytes((len(text) + 2, Kind.STRING)) + text
            case Kind.QUALIFIER if self.plug.qualifier:
                return self.plug.qualifier
            case Kind.OTHER_SPEED if self.speed is Speed.HIGH and FULL in self.plug.configurations:
                other = self.plug.configurations[FULL]
                return other[:1] + bytes((Kind.OTHER_SPEED,)) + other[2:]
            case Kind.REPORT if self.plug.report:
                return self.plug.report
            case Kind.HID if self.plug.report:
                return next(each for each in parts(self.configuration) if each[1] == Kind.HID)
        return None


def parts(configuration: bytes) -> Iterator[bytes]:
    """The descriptors of which a configuration consists."""
    while configuration:
        yield configuration[: configuration[0]]
        configuration = configuration[configuration[0] :]
