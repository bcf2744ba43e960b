"""An opened USB device: a thread for each endpoint that is read, one that writes, and an end to all of them.

Each read has its own thread, so that a silent endpoint delays nobody; a thread belongs to one device and to no pool.
All waits are bounded, and nothing of the device is given back while a thread is still in a call for it.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable

import usb.core
import usb.util

from protocols.piece import Tail
from shoectl.transports.base import WRITE_DEADLINE_S, TransportError
from shoectl.transports.descriptor import errno_text
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


class OpenDevice:
    """`heard` gets bytes for the link and `lost` why it ended, once; both are called in the threads."""

    def __init__(
        self, carrier: Carrier, heard: Callable[[bytes], None], lost: Callable[[Exception | None], None]
    ) -> None:
        self.carrier = carrier
        self.device = carrier.device
        self.detached: list[int] = []
        self._heard, self._lost = heard, lost
        self._stopping = threading.Event()
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._given = self._taken = 0  # each is counted by one thread only
        self._threads: list[threading.Thread] = []

    @property
    def waiting(self) -> int:
        """Bytes that were given and not yet taken."""
        return self._given - self._taken

    def start(self) -> None:
        """Begin to read and write."""
        for source in self.carrier.inputs:
            self._spawn(lambda source=source: self._read(source))  # type: ignore[misc]
        self._spawn(self._write)

    def write(self, data: bytes) -> None:
        """After all that was given before. Never waits."""
        self._given += len(data)
        self._outgoing.put(data)

    def stop(self) -> None:
        """Tell the threads to end; does not wait for them."""
        self._stopping.set()
        self._outgoing.put(None)

    def close(self) -> None:
        """Wait for the threads, then give everything back. Takes at most as long as the longest call of theirs."""
        self.stop()
        for thread in self._threads:
            thread.join()
        give_back(self)

    def _spawn(self, body: Callable[[], None]) -> None:
        def guarded() -> None:
            try:
                body()
            except Exception as error:  # whatever a backend raises ends this connection, and only this one
                self._end(error)

        thread = threading.Thread(target=guarded, name="shoectl-usb", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _end(self, reason: Exception | None) -> None:
        if not self._stopping.is_set():
            self.stop()
            self._lost(reason)

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
        came = self.carrier.came(source, data, over=over)
        if came and not self._stopping.is_set():
            self._heard(came)

    def _bear(self, source: Input, trouble: Trouble, failures: int) -> bool:
        """After a read that failed: whether to try again."""
        if trouble not in (Trouble.STALL, Trouble.BABBLE) or failures > TRIES:
            return False
        if trouble is Trouble.STALL:
            with contextlib.suppress(usb.core.USBError):
                self.device.clear_halt(source.address)
        came = self.carrier.failed(source, Tail.STALL if trouble is Trouble.STALL else Tail.BABBLE)
        if came:
            self._heard(came)
        self._stopping.wait(PAUSE_S * failures)
        return True

    # writing

    def _write(self) -> None:
        while (data := self._outgoing.get()) is not None and not self._stopping.is_set():
            for output in self.carrier.outputs(data):
                try:
                    self._request(output) if output.setup else self._send_bearing_stalls(output)
                except Exception as error:
                    self._end(self._why(error, trouble_of(error), writing=True))
                    return
            self._taken += len(data)

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
        while left:
            taken = self.device.write(output.address, left, int(WRITE_DEADLINE_S * 1000))
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
            answer = self.carrier.answered(None)
        else:
            answer = self.carrier.answered(came.tobytes() if type & 0x80 else b"")
        if answer:
            self._heard(answer)

    def _why(self, error: Exception, trouble: Trouble, *, writing: bool = False) -> Exception:
        name = self.carrier.want.name
        match trouble:
            case Trouble.SILENCE if writing:
                return TransportError(f"{name} takes no more bytes", "check that the device is on, pull the plug")
            case Trouble.GONE:
                return TransportError(f"{name} was lost", "check the plug")
            case Trouble.STALL:
                return TransportError(f"{name} stalls again and again", "pull the plug and put it in again")
            case Trouble.BABBLE:
                return TransportError(f"{name} sends more than it may", "pull the plug and put it in again")
        if isinstance(error, OSError):
            return TransportError(f"{name} was lost ({errno_text(error)})", "check the plug and the cable")
        return error


def give_back(opened: OpenDevice) -> None:
    """End everything that belongs to an opened device, even where it is gone and nothing works any more."""
    device = opened.device
    with contextlib.suppress(Exception):
        opened.carrier.end()
    for number in opened.carrier.interfaces:
        with contextlib.suppress(Exception):
            usb.util.release_interface(device, number)
    for number in opened.detached:
        with contextlib.suppress(Exception):
            device.attach_kernel_driver(number)
    with contextlib.suppress(Exception):
        usb.util.dispose_resources(device)
