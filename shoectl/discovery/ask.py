"""Who answers at a port: the families that it can carry are tried, and asked nothing but who they are.

A device is told that a host is there (the link reset of its family) and asked for its identity. Its events stay in it
and nothing moves; a gate that stood open without a table would be shut. An alder and a birch note afterwards that the
host is gone, as after every host.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from protocols.family import Family, Verb, families
from protocols.handshake import Pin
from protocols.link import Side
from protocols.vocabulary import Identity
from shoectl.devices.command import DeviceLost
from shoectl.devices.driver import Bell, Driver
from shoectl.devices.line import Line
from shoectl.devices.places import HALF_DUPLEX_GAP_S, port_and_options
from shoectl.discovery.attached import Port
from shoectl.discovery.bus import Speech, speech_for
from shoectl.transports import Transport, TransportError, open_transport

WITHIN_S: Final = 1.6  # a lost reset is sent again after 1 s
ADDRESS_S: Final = 0.32  # three tries of an address where nobody is


@dataclass(frozen=True)
class Try:
    """One family at one rate. `urls` are as a configuration would name them, one for each address."""

    family: Family
    urls: tuple[str, ...]

    @property
    def within(self) -> float:
        """How long to wait, in seconds."""
        return WITHIN_S + ADDRESS_S * (len(self.urls) - 1)


@dataclass(frozen=True)
class Answer:
    """Who is at a URL, by what it says itself."""

    url: str
    family: str
    identity: Identity


def tries(port: Port) -> list[Try]:
    """What to try at a port: each family at its own rate first, then at the others that it can be set to."""
    able = [family for family in families().values() if speech_for(family) is port.speech]
    if port.speech is not Speech.LINE:
        return [Try(family, (port.url,)) for family in able]
    rounds = [(0, family) for family in able]
    if port.rates:
        rounds += [(n, family) for family in able for n in range(1, len(rates(family)))]
    return [Try(family, _urls(port, family, rates(family)[n])) for n, family in rounds]


def rates(family: Family) -> tuple[int, ...]:
    """The rates of its line in bit/s, its own first."""
    own: int = family.line["baud"]
    return (own, *(rate for rate in family.line.get("bauds", ()) if rate != own))


def addresses(family: Family) -> tuple[int | None, ...]:
    """The addresses that it may have, the usual one first; None alone where it has none."""
    usual = family.line.get("address")
    return (usual, *(one for one in family.line.get("addresses", ()) if one != usual))


def with_options(url: str, **options: int | None) -> str:
    """A URL with options set; None takes one away."""
    base, _, query = url.partition("?")
    told = {**dict(parse_qsl(query, keep_blank_values=True)), **{name: str(value) for name, value in options.items()}}
    kept = {name: value for name, value in told.items() if options.get(name, "") is not None}
    return base + (f"?{urlencode(kept, safe=':')}" if kept else "")


def _urls(port: Port, family: Family, rate: int) -> tuple[str, ...]:
    line = {"baud": rate} if port.rates else {}
    return tuple(with_options(port.url, **line, address=address) for address in addresses(family))


async def prove(one: Try, pin: Pin, *, patience: float = 1.0) -> str:
    """Open the port and have a session with the device at the first URL. Returns why there is none, or nothing.

    Raises as `ask` does.
    """
    port, options = port_and_options(one.urls[0], one.family)
    line = Line(port, HALF_DUPLEX_GAP_S if one.family.line.get("half_duplex") else 0.0)
    driver, _ = _driver(one.family, {**options, "pin": pin})
    try:
        await line.join(driver)
        async with asyncio.timeout(one.within * patience):
            await driver.stands()
    except TimeoutError:
        return "no session came about in time"
    finally:
        await line.leave(driver)
    if isinstance(driver.failure, TransportError):
        raise driver.failure
    return driver.link.stopped


async def ask(one: Try, *, patience: float = 1.0, make: Callable[[str], Transport] = open_transport) -> list[Answer]:
    """Open the port, ask, close it. Raises TransportError where it does not open or is lost, BadInput for a wrong URL.

    `patience` is a factor for slow lines and busy machines.
    """
    placed = [port_and_options(url, one.family) for url in one.urls]
    line = Line(placed[0][0], HALF_DUPLEX_GAP_S if one.family.line.get("half_duplex") else 0.0, make)
    asked = [_driver(one.family, options) for _, options in placed]
    try:
        for driver, _ in asked:
            await line.join(driver)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_identity(driver, bell, one.within * patience)) for driver, bell in asked]
    finally:
        for driver, _ in asked:
            await line.leave(driver)
    said = zip(one.urls, (task.result() for task in tasks), strict=True)
    answers = [Answer(url, one.family.name, identity) for url, identity in said if identity is not None]
    failure = asked[0][0].failure
    if not answers and isinstance(failure, TransportError):
        raise failure
    return answers


def _driver(family: Family, options: Mapping[str, Any]) -> tuple[Driver, Bell]:
    bell = Bell()
    return Driver(family, family.make_link(Side.HOST, **options), bell), bell


async def _identity(driver: Driver, bell: Bell, within: float) -> Identity | None:
    """Who is there, None where nobody answers in time."""
    try:
        async with asyncio.timeout(within):
            while driver.resume is None:
                if driver.failure is not None:
                    return None
                await bell.heard()
            response = await driver.ask(driver.family.verbs[Verb.IDENT])
    except (TimeoutError, DeviceLost):
        return None
    return Identity.of(response.body) if response.ok else None
