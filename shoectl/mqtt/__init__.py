"""The bus face: the table on an MQTT 5 broker (docs/mqtt.md).

It never makes the table wait: what it sends lies in the journal, what comes in is bounded, disk and TLS are in threads.
Nothing of an MQTT library is imported before `bus` is called for a configuration that names a broker.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoectl.config_sections import Config
from shoectl.status import BusStatus

if TYPE_CHECKING:
    from shoectl.devices.station import Station
    from shoectl.table.runner import Runner


@dataclass(frozen=True)
class OnBus:
    """What the daemon and other faces need of the bus: the tasks beside the table (one, or none), and how it is."""

    tasks: tuple[Callable[[Runner[Any], Mapping[str, Station]], Coroutine[Any, Any, None]], ...] = ()
    status: Callable[[], BusStatus | None] = lambda: None


def bus(config: Config, journal: Path) -> OnBus:
    """The bus of a configuration, if it names a broker; connects to nothing yet.

    Raises BadInput: the password or a certificate cannot be read, the register of people says something else.
    """
    if config.bus is None:
        return OnBus()
    from shoectl import __version__
    from shoectl.mqtt.face import BusFace
    from shoectl.mqtt.settings import address_of
    from shoectl.people.persons import register_of

    address = address_of(config.bus, config.table.site, config.table.name)
    face = BusFace(address, journal, __version__, persons=register_of(config))
    return OnBus((face,), face.status)
