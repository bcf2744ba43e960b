"""Endpoints, and the transfers that wait at them. What can go wrong between a host controller and an endpoint is here.

An IN transfer takes packets until one is short (an empty one too) or until it is full. A packet that is larger than the
room that is left is babble: the transfer fails and the packet is gone.
"""

from __future__ import annotations

import errno
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from firmware_sim.usb.descriptors import Endpoint

KEPT = 64 * 1024
"""Bytes that wait for a host which does not read; what comes after is lost."""

FOR_EVER = 1 << 30


class Stall(Exception):
    """The device refuses a request."""


@dataclass(eq=False)
class Transfer:
    """One that the host has asked for: `room` bytes for IN, `data` for OUT, `zero`: with an empty packet if need be.

    `done` is told once: 0 or a negative errno, how many bytes went over the bus, and what came in.
    """

    done: Callable[[int, int, bytes], None]
    into_host: bool
    room: int = 0
    data: bytes = b""
    zero: bool = False
    got: list[bytes] = field(default_factory=list)

    @property
    def left(self) -> int:
        """The room that is left."""
        return self.room - sum(map(len, self.got))

    def end(self, status: int = 0) -> None:
        """Tell the host. A transfer that fails brings what it has so far."""
        came = b"".join(self.got)
        self.done(status, len(came) if self.into_host else len(self.data) * (status == 0), came)


class Pipe(ABC):
    """One endpoint and the transfers that wait at it, in order."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.waiting: deque[Transfer] = deque()
        self._held = False
        self._halts = 0
        self._failures: deque[int] = deque()

    @property
    def halted(self) -> bool:
        """Whether it stalls."""
        return self._halts > 0

    def ask(self, transfer: Transfer) -> None:
        """The host wants a transfer."""
        self.waiting.append(transfer)
        self.serve()

    def take_back(self, transfer: Transfer) -> bool:
        """The host wants it no more; False where it has ended already."""
        if transfer not in self.waiting:
            return False
        self.waiting.remove(transfer)
        return True

    def hold(self, held: bool) -> None:
        """Answer nothing (NAK, as a device that is busy or asleep), or answer again."""
        self._held = held
        self.serve()

    def halt(self, times: int = 1) -> None:
        """Stall until the host has cleared it so many times."""
        self._halts = times
        self.serve()

    def clear_halt(self) -> None:
        """The host clears the halt."""
        self._halts = max(self._halts - 1, 0)
        self.serve()

    def fail(self, number: int, times: int = 1) -> None:
        """The next transfers end with this errno (EOVERFLOW: babble, EPROTO: noise on the cable)."""
        self._failures.extend([-number] * times)
        self.serve()

    def reset(self) -> None:
        """The bus is reset, or the host is gone: nothing is under way any more."""
        waiting, self.waiting = self.waiting, deque()
        for transfer in waiting:
            transfer.end(-errno.ESHUTDOWN)

    def serve(self) -> None:
        """Let what waits go on as far as it can."""
        while self.waiting and not self._held:
            if self._halts:
                self.waiting.popleft().end(-errno.EPIPE)
            elif self._failures:
                self.waiting.popleft().end(self._failures.popleft())
            elif not self._step():
                return

    @abstractmethod
    def _step(self) -> bool:
        """Bring the first transfer on; False where it has to wait."""


class InPipe(Pipe):
    """To the host: packets wait here until it asks."""

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint)
        self.packets: deque[bytes] = deque()
        self.cuts: deque[int] = deque()

    def send(self, data: bytes, *, end: bool = True) -> None:
        """One message, in packets; with `end` the last is a short one, an empty one if need be."""
        if sum(map(len, self.packets)) > KEPT:
            return
        size = self.endpoint.size
        if self.cuts and len(data) > 1:
            cut = min(self.cuts.popleft(), len(data) - 1)
            self._pack(data[:cut], size, end=True)
            data = data[cut:]
        self._pack(data, size, end=end)
        self.serve()

    def send_latest(self, data: bytes) -> None:
        """One message that makes those before it void, if they were not fetched yet."""
        self.packets.clear()
        self.send(data)

    def cut(self, at: int) -> None:
        """The next message comes in two: a short packet ends it after `at` bytes."""
        self.cuts.append(at)

    def empty(self, times: int = 1) -> None:
        """Empty packets that nobody expects."""
        self.packets.extend([b""] * times)
        self.serve()

    def take_back(self, transfer: Transfer) -> bool:
        """As for any endpoint; packets that the transfer had come to hold stay with the device."""
        taken = super().take_back(transfer)
        if taken:
            self.packets.extendleft(reversed(transfer.got))
        return taken

    def reset(self) -> None:
        """As for any endpoint; what waited for the host is gone."""
        super().reset()
        self.packets.clear()

    def _pack(self, data: bytes, size: int, *, end: bool) -> None:
        self.packets.extend(data[at : at + size] for at in range(0, len(data), size))
        if end and len(data) % size == 0:
            self.packets.append(b"")

    def _step(self) -> bool:
        if not self.packets:
            return False
        transfer, packet = self.waiting[0], self.packets.popleft()
        if len(packet) > transfer.left:
            self.waiting.popleft().end(-errno.EOVERFLOW)
            return True
        transfer.got.append(packet)
        if len(packet) < self.endpoint.size or not transfer.left:
            self.waiting.popleft().end()
        return True


class OutPipe(Pipe):
    """From the host: `received(address, data, ended)` gets each transfer; `ended`: a short packet closed it."""

    def __init__(self, endpoint: Endpoint, received: Callable[[int, bytes, bool], None]) -> None:
        super().__init__(endpoint)
        self._received = received

    def _step(self) -> bool:
        transfer = self.waiting.popleft()
        ended = transfer.zero or len(transfer.data) % self.endpoint.size != 0 or not transfer.data
        transfer.end()
        self._received(self.endpoint.address, transfer.data, ended)
        return True
