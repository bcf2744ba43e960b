"""What the pages have to know of where they stand, and how the rest of the table is, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from shoectl.console.history import Past
from shoectl.status import BusStatus, UpkeepStatus


@dataclass(frozen=True)
class Settings:
    """Where the pages are: the `hosts` that a browser may name (`127.0.0.1:8080`), whether behind TLS (`secure`), and
    whether on loopback only (`local`). `cookie` is the name of the session's.
    """

    hosts: tuple[str, ...] = ("127.0.0.1:8080",)
    secure: bool = False
    local: bool = True
    cookie: str = "shoectl-8080"
    simulated: bool = False


@dataclass
class Counts:
    """Since the start: requests that the guard refused, and those in which something broke."""

    refused: int = 0
    faults: int = 0


@dataclass(frozen=True)
class Call:
    """Somebody wants a floorperson: who, and at which step."""

    number: int
    name: str
    ref: str


@dataclass(frozen=True)
class Standing:
    """How the table stands beside its round: what the pit sees.

    `devices` as of `/api/v1/devices`; `pace`, rounds ended in the last hour; `journal`, why nothing can be written.
    """

    title: str
    devices: Sequence[dict[str, Any]] = ()
    pace: int = 0
    journal: str = ""
    bus: BusStatus | None = None
    upkeep: UpkeepStatus | None = None
    called: Call | None = None
    past: Past = field(default_factory=Past)
