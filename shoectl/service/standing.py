"""What the service manager hears of a running table: that it is up, how it stands, that it goes on, that it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from shoectl.devices.station import Station
from shoectl.service.notify import Notify
from shoectl.service.watchdog import questions, watch
from shoectl.table.runner import Runner
from shoectl.wording import sentence, waiting_for

PAUSE_S: Final = 1.0  # between two lines of status


async def stand(table: Runner[Any], stations: Mapping[str, Station], notify: Notify) -> None:
    """Tell it until cancelled. For the daemon's task group; the table is up once it has answered for the first time."""
    try:
        await table.journal.answers()
        await table.turns()
        notify.status(standing(table, stations))
        notify.ready()
        async with asyncio.TaskGroup() as group:
            group.create_task(watch(notify, questions(table, stations)), name="watchdog")
            group.create_task(_status(table, stations, notify), name="status")
    finally:
        notify.stopping()


async def _status(table: Runner[Any], stations: Mapping[str, Station], notify: Notify) -> None:
    changed, said = asyncio.Event(), ""
    table.listen(changed.set)
    while True:
        changed.clear()
        now = standing(table, stations)
        if now != said:
            said = now
            notify.status(now)
        await asyncio.sleep(PAUSE_S)
        await changed.wait()


def standing(table: Runner[Any], stations: Mapping[str, Station]) -> str:
    """How a table stands, in one line without a face: what keeps it, or what it waits for."""
    view = table.view("public")
    step, hold = view["step"], view["hold"]
    if view["journal"]:
        told = view["journal"]
    elif hold:
        told = f"held: {hold['text']}"
    elif step is None:
        told = table.stopped.reason if table.stopped else "no step is open"
    else:
        told = f"{sentence(step, step['ref']['part'])}, waiting for {waiting_for(step, step['by'])}"
    away = [f"{name}: {station.condition}" for name, station in stations.items() if not station.online]
    return "; ".join([f"round {view['round']}: {told}", *away])
