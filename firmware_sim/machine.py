"""A device with its plug: the machine around the cards, its NVRAM, and whatever firmware is running on it just now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from firmware_sim.body import Body
from firmware_sim.core import Unit
from firmware_sim.device import Device
from firmware_sim.models import model_of
from firmware_sim.nvram import Cut, Medium, Nvram
from firmware_sim.treatment import identity
from protocols.handshake import Guard
from protocols.link import AuthFailed, Down, Heard, LinkEvent, Received, Secured, Side, Silent, Up
from protocols.message import Request
from protocols.vocabulary import EventCode, Identity

BOOT_TIME = 0.8
"""Seconds from power to the first word."""


@dataclass
class Machine:
    """One device. While it is off nobody listens on its side of the line."""

    unit: Unit
    body: Body
    medium: Medium
    device: Device | None = None
    replaced: Callable[[Machine, bool], None] = lambda machine, other_unit: None
    """Told when the memory is to be blank, or another unit is to be in this place, before power comes back."""
    went_off: Callable[[Machine], None] = lambda machine: None
    """Told when power has gone and will come back."""

    @property
    def name(self) -> str:
        """Its name: the family, with the address where it has one of its own (`birch@4`)."""
        return self.unit.name

    def power_on(self, cause: int = 0) -> None:
        """Start the firmware: NVRAM is read anew, the link begins anew."""
        self.unit = replace(self.unit, nvram=Nvram(self.medium, self._cut_at_write))
        options = {"address": self.unit.address} if self.unit.address else {}
        link = self.unit.family.make_link(Side.DEVICE, **options)
        self.device = model_of(self.name).firmware(self.unit, link, self.body)
        self.device.power_failed = self.body.power_failed = self.power_cut
        self.device.replaced = self._replace
        link.guard = Guard(lambda device=self.device: Identity.of(identity(device)), self.unit.key)  # type: ignore[misc]
        self.device.start(cause)

    def power_off(self) -> None:
        """Pull the plug."""
        if self.device is not None:
            self.device.power_off()
            self.device = None

    def power_cut(self, cause: int = 1) -> None:
        """Power goes and comes back; POWER_UP will say `cause`."""
        if self.device is not None:
            self.power_off()
            self.went_off(self)
            self.unit.clock.after(BOOT_TIME, lambda: self.power_on(cause))

    def _replace(self, other_unit: bool) -> None:
        """Power goes; what comes back knows nothing of what was."""
        epoch = self.unit.nvram.get("epoch", 1)
        self.power_cut()
        self.replaced(self, other_unit)
        if not other_unit:
            self.medium.replace(b"")
            Nvram(self.medium).put("epoch", epoch + 1)

    def _cut_at_write(self) -> Cut | None:
        number = self.unit.plan.count("write", self.name)
        fault = self.unit.plan.take("write_cut", self.name, write=number)
        return Cut(fault.text("how") or Cut.TORN) if fault else None

    # the line's side

    def receive(self, data: bytes, now: float) -> None:
        """Bytes from the host."""
        if self.device is not None:
            self._act(self.device, self.device.link.receive(data, now))

    def tick(self, now: float) -> None:
        """Let the link look at the clock."""
        if self.device is not None:
            self._act(self.device, self.device.link.tick(now))

    def unplugged(self, now: float) -> None:
        """The plug was pulled, or the bus was reset, on a medium that tells."""
        if self.device is not None:
            self._act(self.device, self.device.link.unplugged(now))

    def output(self, now: float) -> bytes:
        """Bytes for the host, maybe none."""
        return b"" if self.device is None else self.device.link.output(now)

    def deadline(self) -> float | None:
        """When `tick` and `output` have to be called."""
        return None if self.device is None else self.device.link.deadline()

    @staticmethod
    def _act(device: Device, events: list[LinkEvent]) -> None:
        for event in events:
            if device.lost_power:
                return
            with device.step():
                match event:
                    case Received(message) if isinstance(message, Request):
                        device.receive(message)
                    case Up():
                        device.link_came_up()
                    case Silent(ms):
                        device.silent(ms)
                    case Heard():
                        device.heard()
                    case Down():
                        device.link_went_down()
                    case Secured(0):
                        device.session_over()
                    case AuthFailed(reason, count):
                        device.record(EventCode.AUTH_FAIL, reason=reason, count=count)
                    case _:
                        pass
