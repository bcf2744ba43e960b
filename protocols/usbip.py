"""USB/IP on the wire: how USB transfers pass a TCP connection (Linux, Documentation/usb/usbip_protocol.rst).

A client asks for the list of devices, or imports one; from then on the same connection carries its transfers. All
numbers are big endian except the eight setup bytes, which stay as they are on the bus. Isochronous transfers are left
out: no device here has any.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from enum import IntEnum

VERSION = 0x0111
PORT = 3240
"""Where servers listen unless they say otherwise."""


class Op(IntEnum):
    """Before a device is imported."""

    REQUEST_IMPORT = 0x8003
    REPLY_IMPORT = 0x0003
    REQUEST_LIST = 0x8005
    REPLY_LIST = 0x0005


class Command(IntEnum):
    """After that."""

    SUBMIT = 1
    UNLINK = 2
    SUBMITTED = 3
    UNLINKED = 4


class ImportStatus(IntEnum):
    """How an import went. A reader takes all but OK for a refusal."""

    OK = 0
    FAILED = 1
    BUSY = 2
    ERROR = 3
    NOT_THERE = 4


class Speed(IntEnum):
    """As the kernel numbers them."""

    LOW = 1
    FULL = 2
    HIGH = 3
    SUPER = 5


OP = struct.Struct(">HHI")
COUNT = struct.Struct(">I")
BUS_ID = struct.Struct(">32s")
DEVICE = struct.Struct(">256s32sIIIHHHBBBBBB")
INTERFACE = struct.Struct(">BBBx")
HEADER = struct.Struct(">IIIII28s")
_SUBMIT = struct.Struct(">IiiIi8s")
_RESULT = struct.Struct(">iiiii8x")
_UNLINK = struct.Struct(">I24x")

_PLACE = re.compile(r"[0-9]{1,5}-[0-9]{1,3}(\.[0-9]{1,3})*", re.ASCII)

LONGEST = 1 << 20
"""A transfer that claims more than this many bytes is none of ours."""


class BadUsbip(ValueError):
    """What came is not USB/IP, or a part of it that is not spoken here."""


@dataclass(frozen=True)
class Exported:
    """A device that a server offers. `interfaces` are class, subclass, protocol of each; not told on import."""

    path: str
    bus_id: str
    bus: int
    number: int
    speed: int
    vendor: int
    product: int
    release: int
    device_class: tuple[int, int, int]
    configuration: int
    configurations: int
    interface_count: int
    interfaces: tuple[tuple[int, int, int], ...] = ()

    @property
    def device_id(self) -> int:
        """How the transfers of a connection name the device."""
        return self.bus << 16 | self.number

    @property
    def place(self) -> str:
        """Where it is plugged in, as `1-1.2`. Empty where its name is no place: not all servers have a bus."""
        return self.bus_id if _PLACE.fullmatch(self.bus_id) else ""

    def encode(self) -> bytes:
        """Without the interfaces, as in the reply to an import."""
        return DEVICE.pack(
            self.path.encode(), self.bus_id.encode(), self.bus, self.number, self.speed, self.vendor, self.product,
            self.release, *self.device_class, self.configuration, self.configurations, self.interface_count,
        )  # fmt: skip

    def encode_listed(self) -> bytes:
        """With the interfaces, as in the list."""
        return self.encode() + b"".join(INTERFACE.pack(*each) for each in self.interfaces)


def decode_device(data: bytes) -> Exported:
    """From DEVICE.size bytes."""
    path, bus_id, *numbers = DEVICE.unpack(data)
    bus, number, speed, vendor, product, release, kind, sub_kind, protocol, *counts = numbers
    told = (bus, number, speed, vendor, product, release, (kind, sub_kind, protocol), *counts)
    return Exported(_text(path), _text(bus_id), *told)


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("ascii", "replace")


def encode_op(code: Op, status: int = 0) -> bytes:
    """The head of a request or reply."""
    return OP.pack(VERSION, code, status)


def decode_op(data: bytes) -> tuple[int, int]:
    """Code and status. Raises BadUsbip for another protocol or version."""
    version, code, status = OP.unpack(data)
    if version != VERSION:
        raise BadUsbip(f"version {version:#06x} where {VERSION:#06x} is spoken")
    return code, status


@dataclass(frozen=True)
class Submit:
    """A transfer is to be made. `endpoint` is its number without direction; `length` is what IN may bring at most.

    `setup` is set for endpoint 0 only; `data` is what goes out.
    """

    seq: int
    device: int
    into_host: bool
    endpoint: int
    length: int
    setup: bytes = bytes(8)
    data: bytes = b""
    flags: int = 0
    interval: int = 0

    def encode(self) -> bytes:
        """Header and data."""
        body = _SUBMIT.pack(self.flags, self.length, -1, 0, self.interval, self.setup)
        return HEADER.pack(Command.SUBMIT, self.seq, self.device, self.into_host, self.endpoint, body) + self.data


@dataclass(frozen=True)
class Unlink:
    """The transfer `of` is not wanted any more."""

    seq: int
    device: int
    of: int

    def encode(self) -> bytes:
        """The header; there is no data."""
        return HEADER.pack(Command.UNLINK, self.seq, self.device, 0, 0, _UNLINK.pack(self.of))


@dataclass(frozen=True)
class Submitted:
    """A transfer has ended. `status` is 0 or a negative errno; `length` is what went over the bus.

    After an IN transfer so many bytes follow; they are not part of this.
    """

    seq: int
    status: int
    length: int

    def encode(self, data: bytes = b"") -> bytes:
        """Header and the data of an IN transfer."""
        body = _RESULT.pack(self.status, self.length, -1, 0, 0)
        return HEADER.pack(Command.SUBMITTED, self.seq, 0, 0, 0, body) + data


@dataclass(frozen=True)
class Unlinked:
    """The answer to Unlink: -ECONNRESET where the transfer was still waiting, 0 where it had ended already."""

    seq: int
    status: int

    def encode(self) -> bytes:
        """The header; there is no data."""
        return HEADER.pack(Command.UNLINKED, self.seq, 0, 0, 0, _RESULT.pack(self.status, 0, 0, 0, 0))


def decode_header(data: bytes) -> Submit | Unlink | Submitted | Unlinked:
    """From HEADER.size bytes; the data of an OUT Submit, or of an IN Submitted, is still to be read.

    Raises BadUsbip.
    """
    command, seq, device, direction, endpoint, body = HEADER.unpack(data)
    match command:
        case Command.SUBMIT:
            flags, length, _, packets, interval, setup = _SUBMIT.unpack(body)
            if packets not in (0, 0xFFFFFFFF):
                raise BadUsbip("isochronous transfers are not spoken here")
            if not 0 <= length <= LONGEST or endpoint > 15 or direction > 1:
                raise BadUsbip("a transfer that cannot be")
            return Submit(seq, device, bool(direction), endpoint, length, setup, b"", flags, interval)
        case Command.UNLINK:
            return Unlink(seq, device, _UNLINK.unpack(body)[0])
        case Command.SUBMITTED:
            status, length, *_ = _RESULT.unpack(body)
            if not 0 <= length <= LONGEST:
                raise BadUsbip("a result that cannot be")
            return Submitted(seq, status, length)
        case Command.UNLINKED:
            return Unlinked(seq, _RESULT.unpack(body)[0])
    raise BadUsbip(f"no command {command:#x}")
