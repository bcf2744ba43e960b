"""What the doctor finds of security levels and keys, at simulated devices on a bus."""

from __future__ import annotations

import pytest

from protocols.handshake import Pin
from shoectl.devices.places import Place
from shoectl.discovery.doctor import diagnose, places_of
from shoectl.discovery.finding import Demand
from shoectl.discovery.system import System
from tests.devices.keys import KEY, OTHER, SEALED, installed
from tests.transports.simulated import SimulatedBus, on_a_bus


async def found(bus: SimulatedBus, family: str, demand: Demand) -> list[tuple[str, str]]:
    place = Place("shoe", bus.url(family), family)
    subjects = places_of(System(), [place], demands={"shoe": demand})
    return [(one.reason, one.what) for one in (await diagnose(System(), subjects)).findings]


@pytest.mark.parametrize(("family", "level"), SEALED)
async def test_a_device_that_proves_its_key_at_the_level_of_the_table_is_well(family: str, level: int) -> None:
    async with on_a_bus(family, **installed(KEY, level=level)) as bus:
        assert await found(bus, family, Demand(level, Pin(level, KEY, 1))) == []


@pytest.mark.parametrize(
    ("key", "level", "demand", "told"),
    [
        (KEY, 2, Demand(), ("wrong-level", "Cedar-sim CE000117 asks for security level 2, configured is 0")),
        (KEY, 2, Demand(1, Pin(1, KEY, 1)), ("wrong-level", "CE000117 asks for level 2, and 1 is configured")),
        (None, 0, Demand(1, Pin(1, KEY, 1)), ("no-key", "CE000117 has none, and key 1 is configured")),
        (KEY, 0, Demand(1, Pin(1, KEY, 7)), ("wrong-key", "CE000117 has key 1 and not key 7, which is configured")),
        (KEY, 0, Demand(2, Pin(2, OTHER, 1)), ("wrong-key", "CE000117 does not prove that it has key 1")),
        (KEY, 0, Demand(1, unread="devices.shoe.key: x: it is empty"), ("no-key", "devices.shoe.key: x: it is empty")),
    ],
)
async def test_levels_and_keys_that_do_not_fit_are_told_apart(
    key: bytes | None, level: int, demand: Demand, told: tuple[str, str]
) -> None:
    async with on_a_bus("cedar", **installed(key, level=level)) as bus:
        assert await found(bus, "cedar", demand) == [told]
