"""The daemon: one task group with a station per device, the runner, the people and the faces.

Order of the end: the tasks are cancelled together, each station closes its line within its deadline, and the journal
is closed last, so that whatever came in until then is in it. A second signal, or an end that takes longer than
`END_WITHIN`, ends the process at once; that too loses nothing, for nothing is believed before it is durable.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from shoectl.devices.places import Place, occupy
from shoectl.devices.shoe import Shoe
from shoectl.devices.shuffler import Shuffler
from shoectl.devices.station import Station
from shoectl.games.procedure import Role
from shoectl.journal import Journal
from shoectl.local_socket import LocalSocket
from shoectl.table.hands import executors
from shoectl.table.openstep import Executor, Stop
from shoectl.table.runner import Runner
from shoectl.table.session import cycle
from shoectl.table.state import TableState
from shoectl.table_setup import AT_START, IN_PLAY, differences

END_WITHIN: Final = 4.5  # s from the signal to the end of the process, whatever hangs

Table = Runner[TableState]
Stations = Mapping[str, Station]
Task = Callable[[Table, Stations], Coroutine[Any, Any, None]]


@dataclass(frozen=True)
class Job:
    """What to run. `beside` are further tasks of the group (faces, simulated people, the watch over a simulator).

    `rounds`: end when the journal holds so many; None: run until a signal. `reread` gives the state that the
    configuration asks for now (SIGHUP); it raises ShoectlError, which is told and changes nothing.
    """

    journal: Path
    first: TableState
    places: Sequence[Place]
    rounds: int | None = None
    socket: Path | None = None
    beside: Sequence[Task] = ()
    reread: Callable[[], TableState] | None = None
    tell: Callable[[str], None] = field(default=lambda text: None)


async def serve(job: Job) -> Stop | None:
    """Run a table until its rounds are played, it has to stop (returned), or a signal comes.

    Raises BadInput for a journal or an address that is none; whatever ends a task unexpectedly, in a group.
    """
    with Journal.open(job.journal) as journal:
        runner: Table = Runner(journal, cycle, job.first)
        runner.limit = job.rounds
        await take_over(runner, job.first, AT_START)
        stations = occupy(job.places, runner)
        async with asyncio.TaskGroup() as group:
            beside = [group.create_task(station.run(), name=name) for name, station in stations.items()]
            beside += [group.create_task(task(runner, stations)) for task in job.beside]
            if job.socket is not None:
                beside.append(group.create_task(LocalSocket(runner, job.socket).run(), name="socket"))
            if job.reread is not None:
                beside.append(group.create_task(_on_hangup(runner, job.reread, job.tell), name="reread"))
            hands = _hands(stations, job.first)
            table = group.create_task(runner.run(hands, rounds=job.rounds), name="table")
            ending = group.create_task(_signalled(), name="signals")
            await asyncio.wait([table, ending], return_when=asyncio.FIRST_COMPLETED)
            for task in (table, ending, *beside):
                task.cancel()
        return runner.stopped


def _hands(stations: Stations, state: TableState) -> Mapping[Role, Executor]:
    """Who carries out what: the devices that stand on the table and are used."""
    shoe = stations.get("shoe") if state.equipment.shoe else None
    shuffler = stations.get("shuffler") if state.equipment.shuffler else None
    return executors(Shoe(shoe) if shoe else None, Shuffler(shuffler) if shuffler else None)


async def take_over(runner: Table, wanted: TableState, names: Sequence[str]) -> list[str]:
    """Write down what of a configuration is new to the table; it holds from the next round on. Returns its names."""
    if runner.round is None:
        return []  # nothing played yet: the first round begins with it anyway
    new = differences(wanted, runner.course.coming, tuple(names))
    if new:
        await runner.amend(new)
    return list(new)


async def _on_hangup(runner: Table, reread: Callable[[], TableState], tell: Callable[[str], None]) -> None:
    """At each SIGHUP: read the configuration again, take over what may change in play."""
    from shoectl.errors import ShoectlError

    asked = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, asked.set)
    while True:
        await asked.wait()
        asked.clear()
        try:
            wanted = reread()
        except ShoectlError as error:
            tell(f"the configuration was not taken over: {error}")
            continue
        taken = await take_over(runner, wanted, IN_PLAY)
        later = differences(wanted, runner.course.coming, tuple(name for name in AT_START if name not in IN_PLAY))
        tell(f"from the next round on: {', '.join(taken) or 'nothing new'}")
        if later:
            tell(f"these take a restart: {', '.join(later)}")


async def _signalled() -> None:
    """Return at the first SIGTERM or SIGINT, and see to it that the process then ends in time."""
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()

    def ask() -> None:
        if asked.is_set():
            os._exit(0)
        asked.set()
        last_resort = threading.Timer(END_WITHIN, os._exit, [0])
        last_resort.daemon = True
        last_resort.start()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ask)
    await asked.wait()


