"""A device that tells its events by itself, one at a time, and cannot be asked for them: what it has told so far is
held against what it says that its ring holds (dogwood.md §3).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from protocols.family import Verb
from protocols.vocabulary import Resume
from shoectl.devices.command import DeviceLost
from shoectl.devices.driver import Bell, Driver

ASKED_EVERY_S = 1.0  # events lost at the end of its ring: nothing later would tell of them
SILENT_S = 5.0  # it tells an event each quarter of a second until that is acknowledged


class Telling:
    """For one session; `over` tells whether it has gone. `wanted`: up to here its events have to come in."""

    def __init__(self, driver: Driver, wanted: int, over: Callable[[], bool]) -> None:
        self.wanted = wanted
        self._driver, self._over = driver, over
        self._asked = -ASKED_EVERY_S  # when it was asked last

    async def window(self) -> Resume:
        """Where the ring stands now; the newest word on it is the one that counts. Raises DeviceLost."""
        if self._over():
            raise DeviceLost(self._driver.reason)
        response = await self._driver.ask(self._driver.family.verbs[Verb.RESUME])
        if not response.ok:
            raise DeviceLost("the device does not tell where its events stand")
        window = Resume.of(response.body)
        self._asked, self.wanted = asyncio.get_running_loop().time(), window.newest
        return window

    async def heard(self, bell: Bell) -> None:
        """Wait for the next ring of the bell, and ask now and then where the ring stands: what found no slot there is
        not told, and a card that was drawn then is waited for in vain.
        """
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout_at(max(self._asked + ASKED_EVERY_S, loop.time())):
                await bell.heard()
        except TimeoutError:
            with suppress(DeviceLost):  # then it is over, which is seen next
                await self.window()

    async def reached(self, last: Callable[[], int], bell: Bell, stopped: Callable[[], str]) -> None:
        """Return when everything that it has now is durable, up to `last`. Raises DeviceLost, also where `stopped` says
        why that will never be.
        """
        loop, target = asyncio.get_running_loop(), (await self.window()).newest
        asked = loop.time()
        bell.ring()
        while last() < target:
            if why := stopped():
                raise DeviceLost(why)
            if loop.time() < asked + ASKED_EVERY_S:
                await bell.heard()
            else:  # it may have said more than there is
                target, asked = min(target, (await self.window()).newest), loop.time()

    async def has(self, seq: int) -> None:
        """An event was told, and those before it were not: whether there is one of that number. Raises DeviceLost."""
        newest = (await self.window()).newest
        if seq > newest:
            self._contradicted(f"it told event {seq}, and says that its newest is {newest}")

    def still_silent(self, since: float, missing: int) -> None:
        """Nothing came since then, though there is something. Raises DeviceLost after a while."""
        if asyncio.get_running_loop().time() >= since + SILENT_S:
            said = f"though it says that it has those up to {self.wanted}"
            self._contradicted(f"it does not tell event {missing}, {said}")

    def _contradicted(self, how: str) -> NoReturn:
        """It does not tell what it says that it has, or the other way round. Raises DeviceLost; the connection is used
        up, for it is to begin anew.
        """
        lost = DeviceLost(how)
        self._driver.fail(lost)
        raise lost
