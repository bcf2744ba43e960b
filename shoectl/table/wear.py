"""How long a deck may be on the table (`deck_max_age`): the one thing in the state that needs a clock.

A cycle knows no time. So whoever has a clock writes down when each deck came, and which has been there long enough, as
a change of the state for the next round; the cycle takes the worn deck off the table then.

A deck ages by the steady clock. What is written down is wall time, for a restart has no other; so a wall clock that is
set while the daemon runs has the times that were written by it set with it, and nothing is older or younger for that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from shoectl.games.dealing import Dealing
from shoectl.journal.clock import STEP_US, Clock
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


def changes(state: TableState, now: int, seen: Mapping[str, int], stepped: int = 0) -> dict[str, Any]:
    """What is to be written at `now` (UNIX seconds): decks that came, decks that are worn; empty if nothing is new.

    `seen`: when each deck on the table was first seen by this daemon, in the time of `now`. One that came less than a
    minute ago is left for the next look. `stepped`: by how many seconds the clock was set since the last look. A time
    that lay ahead of the clock then is of another clock, which may have been right.
    """
    noted = {name: at + stepped if at <= now - stepped else at for name, at in state.arrived.items()}
    times = {**seen, **noted}
    arrived = {name: times[name] for name in names(state) if now - times[name] >= LOOK_S or name in noted}
    most = most_hours(state) * HOUR
    worn = [name for name in arrived if now - min(arrived[name], seen.get(name, now)) >= most]
    new: dict[str, Any] = {}
    if arrived != dict(state.arrived):
        new["arrived"] = arrived
    if worn != list(state.worn):
        new["worn"] = worn
    return new


def names(state: TableState) -> list[str]:
    """The decks that are on the table."""
    return sorted(deck.name for deck in state.decks if deck.where is not Where.OFF)


async def keep_ages(runner: Runner[TableState], clock: Clock | None = None) -> None:
    """Write down what the clock says of the decks, until cancelled."""
    clock = clock or Clock()
    changed, seen = asyncio.Event(), dict[str, int]()
    runner.listen(changed.set)
    apart = clock.wall() - clock.mono()
    while True:
        changed.clear()
        stepped, apart = _stepped(clock, apart)
        state, now = runner.course.coming, clock.wall() // 10**6
        seen = {name: seen[name] + stepped if name in seen else now for name in names(state)}
        if runner.round is not None and (new := changes(state, now, seen, stepped)):
            await runner.patiently(lambda new=new: runner.amend(new))  # type: ignore[misc]
        try:
            async with asyncio.timeout(LOOK_S):
                await changed.wait()
        except TimeoutError:
            continue


def _stepped(clock: Clock, before: int) -> tuple[int, int]:
    """By how many seconds the wall clock was set since it and the steady one were so far apart, and how far they are
    now (µs).
    """
    apart = clock.wall() - clock.mono()
    step = apart - before
    return (round(step / 10**6), apart) if abs(step) > STEP_US else (0, apart)
