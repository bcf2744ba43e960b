"""Ask a device who it is and how it stands, and nothing else: its events stay where they are."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from protocols.family import Family, Verb, families
from protocols.link import Side
from protocols.message import Event
from protocols.vocabulary import Capability, Identity, Resume
from shoectl.devices.command import DeviceLost, Reply, fault_text
from shoectl.devices.driver import Bell, Driver, EventUnreadable
from shoectl.devices.line import Line
from shoectl.devices.places import port_and_options
from shoectl.errors import BadInput, DeviceFailed
from shoectl.transports import TransportError

WITHIN_S: Final = 8.0
AT_ONCE: Final = 255  # events asked for in one request; the device sends as many as fit


@dataclass(frozen=True)
class Look:
    """What a device said. `resume` tells where its event ring stands; faults are open ones, oldest first.

    `events` are those that it still holds, as far as they can be read; None for a family that tells its events only by
    itself, and only to a host that takes them.
    """

    family: str
    identity: Identity
    resume: Resume
    status: Mapping[str, Any]
    faults: tuple[str, ...]
    events: tuple[Event, ...] | None = None

    @property
    def capabilities(self) -> list[str]:
        """What it can do, by the names of common.md §2."""
        return [one.name.lower() for one in Capability if one.name and self.identity.can(one)]


async def look(url: str, family_name: str) -> Look:
    """Open the line, ask, close it. Raises BadInput for a wrong URL or family, DeviceFailed where nobody answers."""
    if family_name not in families():
        raise BadInput(f"unknown family {family_name!r}; known: {', '.join(families())}")
    family = families()[family_name]
    port, options = port_and_options(url, family)
    line, bell = Line(port), Bell()
    driver = Driver(family, family.make_link(Side.HOST, **options), bell)
    try:
        async with asyncio.timeout(WITHIN_S):
            await line.join(driver)
            while driver.resume is None and driver.failure is None:
                await bell.heard()
            return await _ask(family, driver)
    except (TransportError, DeviceLost) as error:
        raise DeviceFailed(f"{port}: {error}") from None
    except TimeoutError:
        raise DeviceFailed(f"{port}: no {family_name} answers: check power, wiring, line rate and address") from None
    finally:
        await line.leave(driver)


async def _ask(family: Family, driver: Driver) -> Look:
    identity = Identity.of((await driver.ask(family.verbs[Verb.IDENT])).body)
    if driver.resume is None:
        raise DeviceLost(driver.reason)
    if identity.family != family.code:
        raise DeviceLost(f"{identity.model} {identity.serial} answers, and is no {family.name}")
    status = Reply.of(await driver.ask(family.verbs[Verb.STATUS]))
    faults = Reply.of(await driver.ask(family.verbs[Verb.FAULTS]))
    codes = tuple(fault_text(fault["code"]) for fault in faults.body.get("faults", ()))
    events = await _events(family, driver, driver.resume)
    return Look(family.name, identity, driver.resume, status.body, codes, events)


async def _events(family: Family, driver: Driver, resume: Resume) -> tuple[Event, ...] | None:
    """What is in its ring. Reading takes nothing out of it."""
    if Verb.READ_EVENTS not in family.verbs:
        return None
    found: list[Event] = []
    while True:
        first = found[-1].seq + 1 if found else resume.oldest
        try:
            answer = await driver.ask(family.verbs[Verb.READ_EVENTS], {"from": first, "max": AT_ONCE})
        except EventUnreadable:
            return tuple(found)
        read = answer.body.get("events", ()) if answer.ok else ()
        found += read
        if not read or found[-1].seq >= resume.newest:
            return tuple(found)
