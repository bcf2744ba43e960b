"""Serial lines behind USB: a device that is a CDC-ACM port itself, and one behind an adapter of the kind FT232R.

Both carry bytes as they are. What the host sets (rate, parity, modem lines) is kept for whoever asks, and changes
nothing: a simulated line has no rate.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable
from enum import IntEnum

from firmware_sim.usb.device import Answer, Function, Setup
from firmware_sim.usb.transfers import InPipe, Stall
from protocols.usb import FULL, UsbPlug

DTR, RTS = 1, 2


class SerialFunction(Function):
    """Bytes both ways. `heard` gets what the host sends; `flow(False)` leaves it in the line."""

    data_in = data_out = 0

    def __init__(self, heard: Callable[[bytes], object]) -> None:
        self._heard = heard
        self.lines = 0

    @abstractmethod
    def write(self, data: bytes) -> None:
        """To the host."""

    def write_short(self, data: bytes, at: int) -> None:
        """To the host, in two transfers."""
        self.write(data[:at])
        self.write(data[at:])

    def way_of(self, data: bytes) -> int:
        """There is one way only."""
        return self.data_in

    @abstractmethod
    def asked(self, setup: Setup, data: bytes) -> bytes:
        """A request; the bytes for the host. Raises Stall."""

    def control(self, setup: Setup, data: bytes, answer: Answer) -> None:
        """All requests are answered at once."""
        try:
            came = self.asked(setup, data)
        except Stall:
            answer(None)
        else:
            answer(came)

    def flow(self, taking: bool) -> None:
        """Take what the host sends, or leave it in the line, so that its writes begin to block."""
        self.device.hold((self.data_out,), not taking)

    def received(self, address: int, data: bytes, ended: bool) -> None:
        """Where transfers end means nothing here."""
        if data:
            self._heard(data)

    def detached(self) -> None:
        """Nobody is there: both modem lines fall."""
        self.lines = 0

    @property
    def _line(self) -> InPipe:
        return self.device.into_host(self.data_in)


class Cdc(IntEnum):
    """Class requests of CDC-ACM."""

    SET_LINE_CODING = 0x20
    GET_LINE_CODING = 0x21
    SET_CONTROL_LINE_STATE = 0x22


CDC_TO_DEVICE, CDC_TO_HOST = 0x21, 0xA1
SERIAL_STATE = bytes.fromhex("A1 20 00 00 00 00 02 00")
CARRIER_AND_READY = 0x0003


class CdcAcm(SerialFunction):
    """A port of its own. What the device says while no program has it open (DTR is down) is lost, as on a wire."""

    data_in, data_out, notices = 0x82, 0x02, 0x83

    def __init__(self, heard: Callable[[bytes], object]) -> None:
        super().__init__(heard)
        self.coding = bytes.fromhex("00 E1 00 00 00 00 08")  # 57,600 bit/s, 8N1

    def write(self, data: bytes) -> None:
        """To the host, if a program listens."""
        if self.lines & DTR:
            self._line.send(data)

    def asked(self, setup: Setup, data: bytes) -> bytes:
        """Line coding and modem lines."""
        match setup.type, setup.request:
            case 0x21, Cdc.SET_LINE_CODING if len(data) == 7:
                self.coding = data
            case 0xA1, Cdc.GET_LINE_CODING:
                return self.coding
            case 0x21, Cdc.SET_CONTROL_LINE_STATE:
                self._set_lines(setup.value & (DTR | RTS))
            case _:
                raise Stall
        return b""

    def _set_lines(self, lines: int) -> None:
        if lines & DTR and not self.lines & DTR:
            self._line.packets.clear()
        self.lines = lines
        state = CARRIER_AND_READY if lines & DTR else 0
        self.device.into_host(self.notices).send_latest(SERIAL_STATE + state.to_bytes(2, "little"))


class Ftdi(IntEnum):
    """Vendor requests of the FT232R."""

    RESET = 0
    MODEM_CONTROL = 1
    FLOW = 2
    RATE = 3
    DATA = 4
    MODEM_STATUS = 5
    EVENT_CHARACTER = 6
    ERROR_CHARACTER = 7
    SET_LATENCY = 9
    GET_LATENCY = 10
    BIT_MODE = 11
    READ_MEMORY = 0x90


FTDI_TO_DEVICE, FTDI_TO_HOST = 0x40, 0xC0
FTDI_CLOCK = 3_000_000
FTDI_EIGHTHS = (0, 4, 2, 1, 3, 5, 6, 7)
DEFAULT_LATENCY_MS = 16
IDLE_LATENCY_S = 0.016
STATUS = b"\x31\x60"  # clear to send, data set ready; transmitter empty
STATUS_SIZE = 2


class Ft232r(SerialFunction):
    """An adapter. Each packet to the host begins with two bytes of status.

    Bytes are held back for the latency time unless a packet is full. With nothing to say a real one sends its status
    once in a latency time; this one does so every 16 ms at most, which no driver can tell from a slow one.
    """

    data_in, data_out = 0x81, 0x02

    def __init__(self, heard: Callable[[bytes], object]) -> None:
        super().__init__(heard)
        self.latency_ms = DEFAULT_LATENCY_MS
        self.rate = 0
        self.format = 0x0008
        self._held = bytearray()
        self._timer: asyncio.TimerHandle | None = None

    def write(self, data: bytes) -> None:
        """To the host: full packets at once, the rest when the latency time is over."""
        if not self.device.configuration:
            return
        room = self._line.endpoint.size - STATUS_SIZE
        self._held += data
        while len(self._held) >= room:
            self._send(bytes(self._held[:room]))
            del self._held[:room]
        if self._held:
            self._wake_after(self.latency_ms / 1000)

    def write_short(self, data: bytes, at: int) -> None:
        """To the host, as if the latency time ended in the middle."""
        self.write(data[:at])
        if self._held:
            self._send(bytes(self._held))
            self._held.clear()
        self.write(data[at:])

    def asked(self, setup: Setup, data: bytes) -> bytes:
        """What the kernel's driver asks, and what it sets."""
        match setup.type, setup.request:
            case 0xC0, Ftdi.MODEM_STATUS:
                return STATUS
            case 0xC0, Ftdi.GET_LATENCY:
                return bytes((self.latency_ms,))
            case 0xC0, Ftdi.READ_MEMORY:
                return b"\xff\xff"
            case 0x40, Ftdi.RESET:
                self._purge(setup.value)
            case 0x40, Ftdi.MODEM_CONTROL:
                told = setup.value >> 8
                self.lines = self.lines & ~told | setup.value & told
            case 0x40, Ftdi.RATE:
                self.rate = rate_of(setup.value, setup.index)
            case 0x40, Ftdi.DATA:
                self.format = setup.value
            case 0x40, Ftdi.SET_LATENCY if 1 <= setup.value <= 255:
                self.latency_ms = setup.value
            case 0x40, Ftdi.FLOW | Ftdi.EVENT_CHARACTER | Ftdi.ERROR_CHARACTER | Ftdi.BIT_MODE:
                pass
            case _:
                raise Stall
        return b""

    def attached(self) -> None:
        """It begins to tell its status."""
        self._held.clear()
        self._wake_after(IDLE_LATENCY_S)

    def detached(self) -> None:
        """It falls silent."""
        super().detached()
        self._sleep()

    def _purge(self, what: int) -> None:
        """0 both ways, 1 what goes to the host, 2 what comes from it (which never waits here)."""
        if what in (0, 1):
            self._held.clear()
            self._line.packets.clear()

    def _send(self, data: bytes) -> None:
        self._line.send(STATUS + data, end=False)

    def _wake_after(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        if self._timer is not None and self._timer.when() <= loop.time() + seconds:
            return
        self._sleep()
        self._timer = loop.call_later(seconds, self._woken)

    def _woken(self) -> None:
        self._timer = None
        if self._held or not self._line.packets:  # a status that nobody fetched is enough
            self._send(bytes(self._held))
            self._held.clear()
        self._wake_after(max(self.latency_ms / 1000, IDLE_LATENCY_S))

    def _sleep(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def rate_of(value: int, index: int) -> int:
    """Bits per second of a divisor as the FT232R takes it."""
    divisor, eighths = value & 0x3FFF, FTDI_EIGHTHS[value >> 14 | (index & 1) << 2]
    match divisor, eighths:
        case 0, 0:
            return FTDI_CLOCK
        case 1, 0:
            return 2_000_000
    return round(FTDI_CLOCK * 8 / (divisor * 8 + eighths))


FT232R = UsbPlug(
    device=bytes.fromhex("12 01 00 02 00 00 00 08 03 04 01 60 00 06 01 02 03 01"),
    configurations={
        FULL: bytes.fromhex(
            "09 02 20 00 01 01 00 A0 2D  09 04 00 00 02 FF FF FF 02  07 05 81 02 40 00 00  07 05 02 02 40 00 00"
        )
    },
)
FT232R_STRINGS = ("FTDI", "FT232R USB UART")
