"""The bus face: the table on an MQTT 5 broker (docs/mqtt.md).

    faces.append(bus(config.bus, site=…, table=…, journal=path))

It never makes the table wait: what it sends lies in the journal, what comes in is bounded, disk and TLS are in threads.
"""

from __future__ import annotations

from pathlib import Path

from shoectl import __version__
from shoectl.config_sections import Bus
from shoectl.mqtt.authority import Persons
from shoectl.mqtt.face import BusFace
from shoectl.mqtt.settings import Pace, address_of

__all__ = ["BusFace", "Pace", "Persons", "bus"]


def bus(
    config: Bus, *, site: str, table: str, journal: Path, persons: Persons | None = None, pace: Pace | None = None
) -> BusFace:
    """The bus of a table, a task for the daemon; `status()` says how it is. Connects to nothing yet.

    Raises BadInput for files that are missing or values that do not fit each other.
    """
    return BusFace(address_of(config, site, table), journal, __version__, persons=persons, pace=pace)
