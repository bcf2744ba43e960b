"""How a line is plugged in: what the adapter between wire and host does to the bytes, all the time and by design."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

BITS_PER_BYTE = 10

OPTIONS = ("echo", "latency", "byte_time", "plug")
PLUGS = ("own", "ftdi")
LONGEST_LATENCY = 1000


@dataclass(frozen=True)
class Adapter:
    """`echo`: the host hears what it says itself, as on many RS-485 adapters. `latency`: seconds for which bytes to the
    host are held back. `baud`: bits per second, where bytes are to take their time on the wire; None where not.
    `plug`: what it is on a USB, the device's own plug if it has one, or an adapter.
    """

    echo: bool = False
    latency: float = 0.0
    baud: int | None = None
    plug: str = "own"

    def seconds(self, size: int) -> float:
        """How long so many bytes take on the wire."""
        return size * BITS_PER_BYTE / self.baud if self.baud else 0.0


def adapter_of(options: Mapping[str, str], baud: int | None) -> Adapter | None:
    """From the options of a device (`birch?echo=true&latency=16`). None where one of them cannot be."""
    echo, latency, times, plug = (
        options.get(name, fallback) for name, fallback in zip(OPTIONS, ("false", "0", "false", "own"), strict=True)
    )
    if not {echo, times} <= {"true", "false"} or plug not in PLUGS:
        return None
    if not latency.isdecimal() or int(latency) > LONGEST_LATENCY:
        return None
    return Adapter(echo == "true", int(latency) / 1000, baud if times == "true" else None, plug)
