"""When a device looks at its switches and sensors: a little after something changed, once it has come to rest."""

from __future__ import annotations

from collections.abc import Callable

from firmware_sim.body import FLAPS
from firmware_sim.core import Core

_ROUNDING = 1e-6


class Senses:
    """`look` is called `delay` seconds after a change of anything, and after the last bounce of a switch."""

    def __init__(self, device: Core, delay: float, look: Callable[[], None]) -> None:
        self._device = device
        self._delay = delay
        self._look = look
        self._looking = False
        self._bounced = float("-inf")

    def changed(self, name: str) -> None:
        """Something about the machine is other than before."""
        if name.rpartition(".")[2] in FLAPS:
            self._bounced = self._device.unit.clock.now
        if not self._looking and not self._device.lost_power:
            self._looking = True
            self._device.after(self._delay, self._due)

    def _due(self) -> None:
        rest = self._bounced + self._delay - self._device.unit.clock.now
        if rest > _ROUNDING:
            self._device.after(rest, self._due)
            return
        self._looking = False
        self._look()
