"""How long a deck may be on the table (`deck_max_age`): the one thing in the state that needs a clock.

A cycle knows no time. So whoever has a clock writes down when each deck came, and which has been there long enough, as
a change of the state for the next round; the cycle takes the worn deck off the table then.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from shoectl.games.dealing import Dealing
from shoectl.table.runner import Runner
from shoectl.table.state import TableState, Where

HOUR: Final = 3600
FROM_THE_HAND_H, FROM_A_SHOE_H = 4, 8  # `by_dealing`
LOOK_S: Final = 60  # between two looks at the clock where nothing happens


def most_hours(state: TableState) -> int:
    """After how many hours on the table a deck is replaced."""
    hours = state.option("deck_max_age")
    if isinstance(hours, int):
        return hours
    return FROM_THE_HAND_H if state.dealing is Dealing.HAND else FROM_A_SHOE_H


def changes(state: TableState, now: int, seen: Mapping[str, int]) -> dict[str, Any]:
    """What is to be written at `now` (UNIX seconds): decks that came, decks that are worn; empty if nothing is new.
    `seen`: when each deck on the table was first seen. One that came less than a minute ago is left for the next look.
    """
    times = {**seen, **state.arrived}
    arrived = {name: times[name] for name in names(state) if now - times[name] >= LOOK_S or name in state.arrived}
    worn = [name for name in arrived if now - arrived[name] >= most_hours(state) * HOUR]
    new: dict[str, Any] = {}
    if arrived != dict(state.arrived):
        new["arrived"] = arrived
    if worn != list(state.worn):
        new["worn"] = worn
    return new


def names(state: TableState) -> list[str]:
    """The decks that are on the table."""
    return sorted(deck.name for deck in state.decks if deck.where is not Where.OFF)


async def keep_ages(runner: Runner[TableState], clock: Callable[[], float] = time.time) -> None:
    """Write down what the clock says of the decks, until cancelled."""
    changed, seen = asyncio.Event(), dict[str, int]()
    runner.listen(changed.set)
    while True:
        changed.clear()
        state, now = runner.course.coming, int(clock())
        seen = {name: seen.get(name, now) for name in names(state)}
        if runner.round is not None and (new := changes(state, now, seen)):
            await runner.patiently(lambda new=new: runner.amend(new))  # type: ignore[misc]
        try:
            async with asyncio.timeout(LOOK_S):
                await changed.wait()
        except TimeoutError:
            continue
