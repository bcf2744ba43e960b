"""How what a link says rides on the endpoints of a USB device: in pieces, or as the bytes of a serial line."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import usb.core

from protocols.piece import CONTROL_IN, CONTROL_OUT, SETUP_SIZE, Piece, PieceFramer, Tail
from shoectl.transports.base import TransportError
from shoectl.transports.hid_reports import check_reports
from shoectl.transports.usb_find import Wanted

REQUEST_MS = 1000
AT_ONCE = 4096  # what one read of a bulk endpoint takes, rounded up to whole packets
BULK, INTERRUPT = 2, 3
_IN = 0x80
_GET_DESCRIPTOR, _REPORT_DESCRIPTOR, LONGEST_REPORT_DESCRIPTOR = 6, 0x22, 4096
HID_CLASS = 0x03


@dataclass(frozen=True)
class Input:
    """An endpoint to read: its address, the size of its packets, and the bytes to ask for at once."""

    address: int
    packet: int
    room: int
    interrupt: bool


@dataclass(frozen=True)
class Output:
    """What to send: a transfer, or at endpoint 0 a request (`setup`). `end`: with an empty packet if need be."""

    address: int
    data: bytes
    setup: bytes = b""
    end: bool = False


class Carrier(ABC):
    """For one open device. `interfaces` are to be claimed, `inputs` to be read."""

    def __init__(self, want: Wanted, device: usb.core.Device, interfaces: Iterable[usb.core.Interface]) -> None:
        self.want = want
        self.device = device
        mine = list(interfaces)
        self.interfaces = tuple(each.bInterfaceNumber for each in mine)
        self.packets = {end.bEndpointAddress: end.wMaxPacketSize & 0x7FF for each in mine for end in each}
        self.ways = {end.bEndpointAddress: end.bmAttributes & 3 for each in mine for end in each}
        self.inputs = tuple(_input(want, end) for each in mine for end in each if end.bEndpointAddress & _IN)

    def begin(self) -> None:
        """Set the device up, once its interfaces are ours. Raises what pyusb raises, and TransportError."""
        return None

    def end(self) -> None:
        """Leave it as it was found, if it is there."""
        return None

    @abstractmethod
    def came(self, source: Input, data: bytes, *, over: bool) -> bytes:
        """For the link, from what a read brought; `over` tells that the transfer has ended."""

    def failed(self, source: Input, tail: Tail) -> bytes:
        """For the link, where a read stalled or babbled."""
        return b""

    @abstractmethod
    def outputs(self, data: bytes) -> Iterator[Output]:
        """What to send for bytes of the link, in order."""

    def answered(self, data: bytes | None) -> bytes:
        """For the link, from the answer to a request; None where it was refused."""
        return b""

    def request(self, type: int, request: int, value: int, index: int, data: bytes | int = b"") -> bytes:
        """A request of our own."""
        came = self.device.ctrl_transfer(type, request, value, index, data, REQUEST_MS)
        return came.tobytes() if type & _IN else b""


class Pieces(Carrier):
    """Cedar, and Dogwood without the system's HID driver: the link itself knows endpoints (protocols/piece.py)."""

    def __init__(self, want: Wanted, device: usb.core.Device, interfaces: Iterable[usb.core.Interface]) -> None:
        mine = list(interfaces)
        super().__init__(want, device, mine)
        self._hid = [each.bInterfaceNumber for each in mine if each.bInterfaceClass == HID_CLASS]
        self._framer = PieceFramer()

    def begin(self) -> None:
        """A HID device has to say that it is none that types."""
        for number in self._hid:
            kind = _REPORT_DESCRIPTOR << 8
            told = self.request(0x81, _GET_DESCRIPTOR, kind, number, LONGEST_REPORT_DESCRIPTOR)
            check_reports(self.want.name, told, self.want.vendor, self.want.product)

    def came(self, source: Input, data: bytes, *, over: bool) -> bytes:
        """One piece for each read; interrupt transfers are whole, and empty ones say nothing."""
        if source.interrupt:
            return Piece(source.address, data).encode() if data else b""
        return Piece(source.address, data, Tail.END if over else Tail.MORE).encode()

    def failed(self, source: Input, tail: Tail) -> bytes:
        """The link is told."""
        return Piece(source.address, b"", tail).encode()

    def outputs(self, data: bytes) -> Iterator[Output]:
        """One for each piece."""
        for piece in self._framer.feed(data, 0.0):
            if not isinstance(piece, Piece):
                continue
            if piece.ep == CONTROL_OUT:
                yield Output(0, piece.data[SETUP_SIZE:], setup=piece.data[:SETUP_SIZE])
            else:
                yield Output(piece.ep, piece.data, end=piece.tail is Tail.END)

    def answered(self, data: bytes | None) -> bytes:
        """One piece for each request."""
        return Piece(CONTROL_IN, data or b"", Tail.STALL if data is None else Tail.END).encode()


def _input(want: Wanted, end: usb.core.Endpoint) -> Input:
    packet = end.wMaxPacketSize & 0x7FF
    if packet == 0 or end.bmAttributes & 3 not in (BULK, INTERRUPT):
        what = "packet size" if packet == 0 else "transfers of a kind that is read here"
        raise TransportError(f"{want.name} has no {what} at {end.bEndpointAddress:02x}", "it is not the device meant")
    interrupt = end.bmAttributes & 3 == INTERRUPT
    room = packet if interrupt else -(-AT_ONCE // packet) * packet
    return Input(end.bEndpointAddress, packet, room, interrupt)
