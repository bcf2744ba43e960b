"""An opened USB device: a thread for each endpoint that is read, one that writes, and an end to all of them.

Each read has its own thread, so that a silent endpoint delays nobody; a thread belongs to one device and to no pool.
All waits are bounded, and nothing of the device is given back while a thread is still in a call for it.
"""

from __future__ import annotations

import contextlib
import time

import usb.core
import usb.util

from protocols.piece import Tail
from shoectl.transports.base import WRITE_DEADLINE_S, TransportError
from shoectl.transports.descriptor import errno_text
from shoectl.transports.threaded import Ended, Heard, Threads
from shoectl.transports.usb_carriers import INTERRUPT, REQUEST_MS, Carrier, Input, Output
from shoectl.transports.usb_trouble import Trouble, trouble_of

READ_MS = 100
"""How long one read waits; the longest that a thread takes to notice that it is to end."""

TRIES = 3
"""Failed reads in a row that are tried again; the next one ends the connection."""

PAUSE_S = 0.15
"""Before another try, twice that before the one after, and so on: never more than ten failures a second."""

EMPTY_AT_ONCE = 16
"""Empty packets in a row that are read without a pause."""


class UsbThreads(Threads):
    """`carrier` has the device and knows how it is spoken to; `detached` are the interfaces a driver is to get back."""

    def __init__(self, carrier: Carrier, heard: Heard, ended: Ended) -> None:
        super().__init__(heard, ended)
        self.carrier = carrier
        self.device = carrier.device
        self.detached: list[int] = []

    def start(self) -> None:
        """One thread for each endpoint that is read, and one that writes."""
        for source in self.carrier.inputs:
            self._spawn(lambda source=source: self._read(source))  # type: ignore[misc]
        self._spawn(self._write)

    def give_back(self) -> None:
        """Whatever does not work any more is passed over, for each handle that stays open counts."""
        with contextlib.suppress(Exception):
            self.carrier.end()
        for number in self.carrier.interfaces:
            with contextlib.suppress(Exception):
                usb.util.release_interface(self.device, number)
        for number in self.detached:
            with contextlib.suppress(Exception):
                self.device.attach_kernel_driver(number)
        with contextlib.suppress(Exception):
            usb.util.dispose_resources(self.device)

    # reading

    def _read(self, source: Input) -> None:
        failures = empties = 0
        while not self._stopping.is_set():
            began = time.monotonic()
            try:
                data = self.device.read(source.address, source.room, READ_MS).tobytes()
            except Exception as error:
                trouble = trouble_of(error)
                if trouble is Trouble.SILENCE:
                    failures = 0  # nothing came, but the endpoint works
                    continue
                failures += 1
                if not self._bear(source, trouble, failures):
                    self._end(self._why(error, trouble))
                    return
                continue
            failures = 0
            empties = 0 if data else empties + 1
            if empties > EMPTY_AT_ONCE:
                self._stopping.wait(0.01)
            self._take(source, data, in_time=time.monotonic() - began < READ_MS / 1000)

    def _take(self, source: Input, data: bytes, *, in_time: bool) -> None:
        """Hand on what a read brought.

        It is the end of a transfer if there was room for more. Whole packets that a time-out brought are not, though.
        """
        over = len(data) < source.room and (in_time or len(data) % source.packet != 0)
        self._hear(self.carrier.came(source, data, over=over))

    def _bear(self, source: Input, trouble: Trouble, failures: int) -> bool:
        """After a read that failed: whether to try again."""
        if trouble not in (Trouble.STALL, Trouble.BABBLE) or failures > TRIES:
            return False
        if trouble is Trouble.STALL:
            with contextlib.suppress(usb.core.USBError):
                self.device.clear_halt(source.address)
        self._hear(self.carrier.failed(source, Tail.STALL if trouble is Trouble.STALL else Tail.BABBLE))
        self._stopping.wait(PAUSE_S * failures)
        return True

    # writing

    def _write(self) -> None:
        while (data := self._next()) is not None:
            for output in self.carrier.outputs(data):
                try:
                    self._request(output) if output.setup else self._send_bearing_stalls(output)
                except Exception as error:
                    self._end(self._why(error, trouble_of(error), writing=True))
                    return
            self.taken += len(data)

    def _send_bearing_stalls(self, output: Output) -> None:
        """An endpoint that stalls took nothing: its halt is cleared, and the transfer sent again."""
        for failures in range(1, TRIES + 2):
            try:
                self._send(output)
            except Exception as error:
                if trouble_of(error) is not Trouble.STALL or failures > TRIES or self._stopping.is_set():
                    raise
                self.device.clear_halt(output.address)
                self._stopping.wait(PAUSE_S * failures)
            else:
                return

    def _send(self, output: Output) -> None:
        left = output.data
        while left and not self._stopping.is_set():
            taken = self.device.write(output.address, left, int(WRITE_DEADLINE_S * 1000))
            if taken <= 0:  # no error, and nothing taken: it would go on for ever
                raise self._full()
            left = left[taken:]
        packet = self.carrier.packets[output.address]
        full = len(output.data) % packet == 0
        if output.end and full and self.carrier.want.zlp and not self._is_interrupt(output.address):
            self.device.write(output.address, b"", int(WRITE_DEADLINE_S * 1000))

    def _is_interrupt(self, address: int) -> bool:
        return bool(self.carrier.ways[address] == INTERRUPT)

    def _request(self, output: Output) -> None:
        """A request of the link; that it was refused, or not answered in time, is an answer too."""
        value, index, length = (int.from_bytes(output.setup[at : at + 2], "little") for at in (2, 4, 6))
        type, request = output.setup[:2]
        try:
            came = self.device.ctrl_transfer(
                type, request, value, index, length if type & 0x80 else output.data, REQUEST_MS
            )
        except Exception as error:
            if trouble_of(error) not in (Trouble.STALL, Trouble.SILENCE):
                raise
            self._hear(self.carrier.answered(None))
        else:
            self._hear(self.carrier.answered(came.tobytes() if type & 0x80 else b""))

    def _why(self, error: Exception, trouble: Trouble, *, writing: bool = False) -> Exception:
        name = self.carrier.want.name
        match trouble:
            case Trouble.SILENCE if writing:
                return self._full()
            case Trouble.GONE:
                return TransportError(f"{name} was lost", "check the plug")
            case Trouble.STALL:
                return TransportError(f"{name} stalls again and again", "pull the plug and put it in again")
            case Trouble.BABBLE:
                return TransportError(f"{name} sends more than it may", "pull the plug and put it in again")
        if isinstance(error, OSError):
            return TransportError(f"{name} was lost ({errno_text(error)})", "check the plug and the cable")
        return error

    def _full(self) -> TransportError:
        name = self.carrier.want.name
        return TransportError(f"{name} takes no more bytes", "check that the device is on, pull the plug")
