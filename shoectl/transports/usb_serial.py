"""Serial lines behind USB, without the system's driver: CDC-ACM ports, and adapters of the kind FT232R."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

import usb.core

from shoectl.transports.base import TransportError
from shoectl.transports.usb_carriers import Carrier, Input, Output
from shoectl.transports.usb_find import Wanted

DEFAULT_BAUD = 57_600
CDC_CONTROL, CDC_DATA, ACM = 0x02, 0x0A, 0x02
SET_LINE_CODING, SET_CONTROL_LINE_STATE = 0x20, 0x22
DTR_RTS = 0x0003

FTDI_VENDOR, FTDI_CLASS = 0x0403, 0xFF
FTDI_STATUS = 2  # bytes at the head of each packet
FTDI_RESET, FTDI_MODEM, FTDI_FLOW, FTDI_RATE, FTDI_DATA, FTDI_LATENCY, FTDI_GET_LATENCY = 0, 1, 2, 3, 4, 9, 10
FTDI_PURGE_IN, FTDI_PURGE_OUT = 1, 2
FTDI_DTR_RTS_ON, FTDI_DTR_RTS_OFF = 0x0303, 0x0300
FTDI_8N1 = 0x0008
FTDI_LATENCY_MS = 4  # how soon a card is seen; with less an idle chip wakes us a thousand times a second
FTDI_CLOCK = 3_000_000
FTDI_FASTEST = {0x0001: 0, 0x4001: 1}  # 3 and 2 Mbit/s have codes of their own
FTDI_EIGHTHS = (0, 3, 2, 4, 1, 5, 6, 7)  # how a divisor's fraction is coded, by eighths


class SerialCarrier(Carrier):
    """8 data bits, no parity, one stop bit, no flow control; DTR and RTS are on while the port is open."""

    def __init__(self, want: Wanted, device: usb.core.Device, interfaces: Iterable[usb.core.Interface]) -> None:
        super().__init__(want, device, interfaces)
        self.inputs = tuple(each for each in self.inputs if not each.interrupt)
        self.baud = want.baud or DEFAULT_BAUD
        ways_out = [address for address in self.packets if not address & 0x80]
        if not ways_out or not self.inputs:
            raise TransportError(f"{want.name} has no endpoints of a serial line", "it is not the device meant")
        self._out = ways_out[0]

    def came(self, source: Input, data: bytes, *, over: bool) -> bytes:
        """Bytes are bytes, wherever a transfer ends."""
        return data

    def outputs(self, data: bytes) -> Iterator[Output]:
        """One transfer."""
        yield Output(self._out, data)


class CdcAcm(SerialCarrier):
    """A port that is a USB device itself."""

    def begin(self) -> None:
        """Rate and format, and that somebody listens."""
        self.request(0x21, SET_LINE_CODING, 0, self.interfaces[0], struct.pack("<IBBB", self.baud, 0, 0, 8))
        self.request(0x21, SET_CONTROL_LINE_STATE, DTR_RTS, self.interfaces[0])

    def end(self) -> None:
        """Nobody listens any more."""
        self.request(0x21, SET_CONTROL_LINE_STATE, 0, self.interfaces[0])


class Ft232r(SerialCarrier):
    """An adapter, set up as the kernel's driver does it, but with a short latency time."""

    _found_ms = 0

    def begin(self) -> None:
        """Rate and format, latency, modem lines; what waited from before is thrown away."""
        (self._found_ms,) = self.request(0xC0, FTDI_GET_LATENCY, 0, 0, 1)
        for what in (0, FTDI_PURGE_IN, FTDI_PURGE_OUT):
            self.request(0x40, FTDI_RESET, what, 0)
        self.request(0x40, FTDI_RATE, *divisor_of(self.baud))
        for request, value in (
            (FTDI_DATA, FTDI_8N1),
            (FTDI_FLOW, 0),
            (FTDI_LATENCY, FTDI_LATENCY_MS),
            (FTDI_MODEM, FTDI_DTR_RTS_ON),
        ):
            self.request(0x40, request, value, 0)

    def end(self) -> None:
        """Both modem lines fall; the latency time is the one it had, for the chip keeps it."""
        self.request(0x40, FTDI_MODEM, FTDI_DTR_RTS_OFF, 0)
        if self._found_ms:
            self.request(0x40, FTDI_LATENCY, self._found_ms, 0)

    def came(self, source: Input, data: bytes, *, over: bool) -> bytes:
        """Without the status of each packet."""
        return b"".join(data[at + FTDI_STATUS : at + source.packet] for at in range(0, len(data), source.packet))


def divisor_of(baud: int) -> tuple[int, int]:
    """Value and index by which an FT232R sets a rate: eighths of its clock, in the nearest step."""
    eighths = max(round(FTDI_CLOCK * 8 / baud), 8)
    whole, part = divmod(eighths, 8)
    coded = FTDI_EIGHTHS[part]
    value = whole & 0x3FFF | (coded & 3) << 14
    return FTDI_FASTEST.get(value, value), coded >> 2


def is_acm(each: usb.core.Interface) -> bool:
    """The interface by which a CDC-ACM port is set."""
    return (each.bInterfaceClass, each.bInterfaceSubClass) == (CDC_CONTROL, ACM)
