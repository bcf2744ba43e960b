"""The watchdog: the service manager gets a sign of life only when every task has answered a question.

What is asked, each within a time: the writing thread of the journal, the table (whoever holds its turn lets it go, and
the step that is open is in somebody's hands), the task of each station. A loop that is blocked asks nobody. What waits
on purpose is no reason: a device that is away (its station tries again and again), a person, a full disk.

A task that hangs for good is thus a service that gives no sign: the manager ends it and starts it anew, and the journal
brings the round back.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final

from shoectl.devices.station import Station
from shoectl.service.notify import Notify
from shoectl.table.runner import Runner

log = logging.getLogger("shoectl.service")

FEEDS: Final = 4  # signs of life in the time that the manager allows for one
SHARE: Final = 0.5  # of that time in which all have to answer

Question = tuple[str, Callable[[], Awaitable[None]]]


def questions(table: Runner[Any], stations: Mapping[str, Station]) -> list[Question]:
    """Who is asked. Stations wait with the table for a journal that cannot be written, and are not asked then."""
    asked: list[Question] = [("the journal's thread", table.journal.answers), ("the table", table.turns)]

    def of(station: Station) -> Callable[[], Awaitable[None]]:
        async def turns() -> None:
            if not table.condition:
                await station.pulse.turns()

        return turns

    return [*asked, *((name, of(station)) for name, station in stations.items())]


async def watch(notify: Notify, asked: Iterable[Question], tell: Callable[[str], None] = log.error) -> None:
    """Ask all, give a sign of life when all have answered, and begin again; for ever. Returns where none is wanted."""
    if notify.watchdog is None:
        return
    asked = list(asked)
    while True:
        hanging = await _hanging(asked, notify.watchdog * SHARE)
        if hanging:
            tell(f"no sign of life: {', '.join(hanging)} did not go on within {notify.watchdog * SHARE:g} s")
        else:
            notify.alive()
        await asyncio.sleep(notify.watchdog / FEEDS)


async def _hanging(asked: Iterable[Question], within: float) -> list[str]:
    """The names of those that do not answer in time."""

    async def late(question: Callable[[], Awaitable[None]]) -> bool:
        try:
            async with asyncio.timeout(within):
                await question()
        except TimeoutError:
            return True
        return False

    asked = list(asked)
    answers = await asyncio.gather(*(late(question) for _, question in asked))
    return [name for (name, _), is_late in zip(asked, answers, strict=True) if is_late]
