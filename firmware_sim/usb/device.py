"""A USB device: endpoint 0 as chapter 9 of the USB specification has it, and the pipes of its function."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from errno import EPIPE

from firmware_sim.usb.descriptors import IN, Endpoint, Plate, Way
from firmware_sim.usb.transfers import InPipe, OutPipe, Pipe, Stall, Transfer

SELF_POWERED, REMOTE_WAKE_UP = 1, 2
ENDPOINT_HALT, WAKE_UP_FEATURE = 0, 1
TO_DEVICE, TO_INTERFACE, TO_ENDPOINT = 0, 1, 2
PORT_RESET = b"\x23\x03\x04\x00"
"""What a host controller says to its hub when a driver wants the device reset; USB/IP passes it on."""


class Ask(IntEnum):
    """Standard requests."""

    GET_STATUS = 0
    CLEAR_FEATURE = 1
    SET_FEATURE = 3
    SET_ADDRESS = 5
    GET_DESCRIPTOR = 6
    GET_CONFIGURATION = 8
    SET_CONFIGURATION = 9
    GET_INTERFACE = 10
    SET_INTERFACE = 11


@dataclass(frozen=True)
class Setup:
    """The eight bytes that begin a control transfer. `type`: bit 7 direction, 5-6 kind, 0-4 recipient."""

    type: int
    request: int
    value: int
    index: int
    length: int
    raw: bytes

    @classmethod
    def decode(cls, data: bytes) -> Setup:
        """From the wire."""
        value, index, length = (int.from_bytes(data[at : at + 2], "little") for at in (2, 4, 6))
        return cls(data[0], data[1], value, index, length, data)

    @property
    def standard(self) -> bool:
        """Whether the USB specification itself says what it means."""
        return self.type & 0x60 == 0

    @property
    def recipient(self) -> int:
        """Device, interface or endpoint."""
        return self.type & 0x1F


Answer = Callable[[bytes | None], None]
"""Told once: the bytes for the host, or None for a stall."""


class Function(ABC):
    """What a device does behind its endpoints. One function, one device."""

    device: UsbDevice

    @abstractmethod
    def control(self, setup: Setup, data: bytes, answer: Answer) -> None:
        """A class or vendor request. It is answered now or later; the next one comes after that."""

    @abstractmethod
    def received(self, address: int, data: bytes, ended: bool) -> None:
        """A transfer from the host; `ended` tells that a short packet closed it, so that the next begins anew."""

    def attached(self) -> None:
        """A host has configured the device."""
        return None

    def detached(self) -> None:
        """The host is gone, or reset the bus."""
        return None


class ControlPipe(Pipe):
    """Endpoint 0: requests, one after the other. One that the host takes back makes room for the next."""

    def __init__(self, treat: Callable[[Setup, bytes, Answer], None]) -> None:
        super().__init__(Endpoint(0, Way.CONTROL, 64))
        self._treat = treat
        self._setups: dict[Transfer, bytes] = {}
        self._now: Transfer | None = None
        self._serving = False

    def request(self, setup: bytes, transfer: Transfer) -> None:
        """The host wants a control transfer."""
        self._setups[transfer] = setup
        self.ask(transfer)

    def serve(self) -> None:
        """As for any endpoint; what is answered at once goes on here, or each request would lie on the one before."""
        if self._serving:
            return
        self._serving = True
        try:
            super().serve()
        finally:
            self._serving = False

    def take_back(self, transfer: Transfer) -> bool:
        """As for any endpoint; the answer to a request under way will be nobody's."""
        self._setups.pop(transfer, None)
        taken = super().take_back(transfer)
        if transfer is self._now:
            self._now = None
            self.serve()
        return taken

    def reset(self) -> None:
        """As for any endpoint."""
        self._now = None
        self._setups.clear()
        super().reset()

    def _step(self) -> bool:
        if self._now is not None:
            return False
        transfer = self._now = self.waiting[0]
        setup = Setup.decode(self._setups.pop(transfer))
        self._treat(setup, transfer.data, lambda came: self._answered(transfer, setup, came))
        return self._now is not transfer

    def _answered(self, transfer: Transfer, setup: Setup, came: bytes | None) -> None:
        if transfer is not self._now:
            return
        self._now = None
        self.waiting.remove(transfer)
        if came is not None and setup.type & IN:
            transfer.got.append(came[: min(setup.length, transfer.room)])
        transfer.end(0 if came is not None else -EPIPE)
        self.serve()


class UsbDevice:
    """Descriptors, pipes, and a function behind them. It knows nothing of the way to the host."""

    def __init__(self, plate: Plate, function: Function) -> None:
        self.plate = plate
        self.function = function
        function.device = self
        self.configuration = 0
        self._wakes = False
        self.requests = ControlPipe(self._request)
        self.pipes: dict[int, Pipe] = {
            each.address: InPipe(each) if each.address & IN else OutPipe(each, function.received)
            for each in plate.endpoints()
        }

    # for the function

    def into_host(self, address: int) -> InPipe:
        """The pipe of an IN endpoint."""
        pipe = self.pipes[address]
        assert isinstance(pipe, InPipe)
        return pipe

    # what may go wrong, beside what each pipe can do

    def suspend(self) -> None:
        """The bus sleeps: nothing passes until `resume`. What the device has to say waits."""
        self.requests.hold(True)
        self.hold(self.pipes, True)

    def resume(self) -> None:
        """The bus is awake again."""
        self.requests.hold(False)
        self.hold(self.pipes, False)

    def hold(self, addresses: Iterable[int], held: bool) -> None:
        """Have endpoints answer nothing, or answer again."""
        for address in list(addresses):
            self.pipes[address].hold(held)

    # for the bus

    def reset(self) -> None:
        """Reset of the bus, or the host is gone: not configured, nothing under way."""
        self.requests.reset()
        self._configure(0)
        self._wakes = False

    def ask(self, endpoint: int, setup: bytes, transfer: Transfer) -> Pipe | None:
        """A transfer to begin; the pipe at which it waits. None where there is no such endpoint: it has ended."""
        if endpoint == 0:
            self.requests.request(setup, transfer)
            return self.requests
        pipe = self.pipes.get(endpoint | (IN if transfer.into_host else 0))
        if pipe is None or not self.configuration:
            transfer.end(-EPIPE)
            return None
        pipe.ask(transfer)
        return pipe

    def _request(self, setup: Setup, data: bytes, answer: Answer) -> None:
        if setup.raw[:4] == PORT_RESET:
            self._configure(0)
            answer(b"")
            return
        if not setup.standard:
            self.function.control(setup, data, answer)
            return
        try:
            came = self._interface(setup) if setup.recipient == TO_INTERFACE else self._standard(setup)
        except Stall:
            answer(None)
        else:
            answer(came)

    def _standard(self, setup: Setup) -> bytes:
        """Requests for the device or an endpoint."""
        pipe = self.pipes.get(setup.index & 0xFF) if setup.recipient == TO_ENDPOINT else None
        match setup.request:
            case Ask.GET_DESCRIPTOR:
                return _or_stall(self.plate.find(setup.value >> 8, setup.value & 0xFF))
            case Ask.GET_CONFIGURATION:
                return bytes((self.configuration,))
            case Ask.SET_CONFIGURATION if setup.value in (0, self.plate.configuration[5]):
                self._configure(setup.value)
            case Ask.SET_ADDRESS:
                pass  # the number is the server's
            case Ask.GET_STATUS if pipe is not None:
                return bytes((pipe.halted, 0))
            case Ask.GET_STATUS:
                powered = SELF_POWERED if self.plate.configuration[7] & 0x40 else 0
                return bytes((powered | (REMOTE_WAKE_UP if self._wakes else 0), 0))
            case Ask.CLEAR_FEATURE if pipe is not None and setup.value == ENDPOINT_HALT:
                pipe.clear_halt()
            case Ask.SET_FEATURE if pipe is not None and setup.value == ENDPOINT_HALT:
                pipe.halt()
            case Ask.SET_FEATURE | Ask.CLEAR_FEATURE if setup.value == WAKE_UP_FEATURE:
                self._wakes = setup.request == Ask.SET_FEATURE
            case _:
                raise Stall
        return b""

    def _interface(self, setup: Setup) -> bytes:
        """Requests for an interface; alternate setting 0 is the only one."""
        if setup.index >= len(self.plate.interfaces()):
            raise Stall
        match setup.request:
            case Ask.GET_DESCRIPTOR:  # the report descriptor of a HID device
                return _or_stall(self.plate.find(setup.value >> 8, setup.value & 0xFF))
            case Ask.GET_INTERFACE:
                return b"\0"
            case Ask.GET_STATUS:
                return b"\0\0"
            case Ask.SET_INTERFACE if setup.value == 0:
                return b""
        raise Stall

    def _configure(self, value: int) -> None:
        was, self.configuration = self.configuration, value
        for pipe in self.pipes.values():
            pipe.reset()
        if was:
            self.function.detached()
        if value:
            self.function.attached()


def _or_stall(found: bytes | None) -> bytes:
    if found is None:
        raise Stall
    return found
