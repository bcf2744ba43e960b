"""What the plan breaks at a plug: it stands between a line and its function, and counts what goes to the host."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable
from typing import Protocol

from firmware_sim.faults import Fault
from firmware_sim.line import Line
from firmware_sim.usb.descriptors import Way
from firmware_sim.usb.device import UsbDevice

BEFORE, AFTER = ("stall", "overflow", "short_read"), ("suspend", "renumber", "swap")


class LineFunction(Protocol):
    """What a function is for its line."""

    def write(self, data: bytes) -> None:
        """To the host."""

    def write_short(self, data: bytes, at: int) -> None:
        """A frame to the host; a short packet ends a transfer behind so many bytes of it."""

    def way_of(self, data: bytes) -> int:
        """The endpoint at which a frame goes to the host."""

    def flow(self, taking: bool) -> None:
        """Take what the host sends, or leave it in the line."""


class Plugged(Protocol):
    """A port, as far as trouble has to do with it."""

    device: UsbDevice

    def drop(self, back_after: float) -> None:
        """Unplug, and plug in again."""

    def swap(self, back_after: float) -> None:
        """Change places with another one."""


class Trouble:
    """`line` tells what a frame is, and has the plan."""

    def __init__(self, line: Line, function: LineFunction) -> None:
        self._line = line
        self._function = function
        self._frames = self._reports = 0
        self._losing = self._doubling = 0
        self._timers: list[asyncio.TimerHandle] = []

    def write(self, data: bytes, port: Plugged) -> None:
        """To the host, one way or another. Rubbish, which nobody can count, passes as it is."""
        frames = self._line.frames(data) if any(fault.kind.plugged for fault in self._line.plan.faults) else []
        if b"".join(frames) != data:
            self._function.write(data)
            return
        for frame in frames:
            self._frames += 1
            self._pass(frame, port)
            for fault in self._struck(AFTER, frame=self._frames):
                self._leave(fault, port)

    def close(self) -> None:
        """Nothing happens any more."""
        for timer in self._timers:
            timer.cancel()

    def _pass(self, frame: bytes, port: Plugged) -> None:
        before = {fault.kind.name: fault for fault in self._struck(BEFORE, frame=self._frames)}
        pipes, address = port.device.pipes, self._function.way_of(frame)
        if stall := before.get("stall"):
            out = next(each for each in pipes if not each & 0x80)
            pipes[address if stall.text("way") == "in" else out].halt(stall.number("clears"))
        if overflow := before.get("overflow"):
            pipes[address].fail(errno.EOVERFLOW, overflow.number("transfers"))
        elif short := before.get("short_read"):
            self._function.write_short(frame, short.number("bytes"))
        else:
            for _ in range(self._times(pipes[address].endpoint.way is Way.INTERRUPT)):
                self._function.write(frame)

    def _times(self, report: bool) -> int:
        """How often it arrives."""
        if not report:
            return 1
        self._reports += 1
        for fault in self._struck(("report_lost",), report=self._reports):
            self._losing = fault.number("reports")
        for fault in self._struck(("report_twice",), report=self._reports):
            self._doubling = fault.number("reports")
        if self._losing:
            self._losing -= 1
            return 0
        doubled, self._doubling = self._doubling > 0, max(self._doubling - 1, 0)
        return 2 if doubled else 1

    def _leave(self, fault: Fault, port: Plugged) -> None:
        seconds = fault.number("ms") / 1000
        match fault.kind.name:
            case "suspend":
                port.device.suspend()
                self._later(seconds, port.device.resume)
            case "renumber":
                port.drop(seconds)
            case "swap":
                port.swap(seconds)
                if back := fault.number("back"):
                    self._later(seconds + back / 1000, lambda: port.swap(seconds))

    def _later(self, seconds: float, act: Callable[[], object]) -> None:
        self._timers.append(asyncio.get_running_loop().call_later(seconds, act))

    def _struck(self, names: tuple[str, ...], **at: int) -> list[Fault]:
        return self._line.plan.strikes(names, self._line.machines[0].name, at)
