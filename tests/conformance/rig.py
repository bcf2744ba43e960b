"""What a conformance check needs of a simulated device, whatever lies between it and the station."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from protocols.family import Family
from shoectl.transports import Transport, open_transport


class Rig(ABC):
    """A simulated device of one family at the far end of a medium, and its plug.

    `url` and `make` are for `occupy`; `serial` is the unit's number. Whoever pulls the plug cuts no power: the device
    goes on, and records what happens.
    """

    family: Family
    url = ""
    serial = ""
    patience = 1.0  # factor for what a check waits for
    look_every = 0.002  # seconds between two looks at what is waited for
    make: Callable[[str], Transport] = staticmethod(open_transport)

    @abstractmethod
    async def begin(self) -> None:
        """Be there, plugged in."""

    @abstractmethod
    async def finish(self) -> None:
        """Be gone, without a trace."""

    @abstractmethod
    async def pull(self) -> None:
        """Pull the plug."""

    @abstractmethod
    async def put_back(self) -> None:
        """Put the plug in again; what the system calls it may be new."""

    @abstractmethod
    async def order(self, **order: Any) -> dict[str, Any]:
        """One line to the simulator's control socket (docs/simulator.md), and the answer."""
