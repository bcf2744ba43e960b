"""The daemon: one task group with a station per device, the runner, the people and the faces.

Order of the end: the tasks are cancelled together, each station closes its line within its deadline, and whoever opened
the journal closes it last, so that whatever came in until then is in it. A second signal, or an end that takes longer
than `END_WITHIN`, ends the process at once; that too loses nothing, for nothing is believed before it is durable.
"""

from __future__ import annotations

import asyncio
import functools
import os
import signal
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Final

from shoectl.devices.places import Place, occupy
from shoectl.devices.shoe import Shoe
from shoectl.devices.shuffler import Shuffler
from shoectl.devices.station import Station
from shoectl.errors import ShoectlError
from shoectl.games.procedure import Role
from shoectl.journal import Journal, JournalUnavailable
from shoectl.local_socket import Listener, LocalSocket
from shoectl.table.hands import executors
from shoectl.table.openstep import Executor, Stop
from shoectl.table.reports import withdraw
from shoectl.table.runner import Runner
from shoectl.table.session import cycle
from shoectl.table.state import TableState
from shoectl.table.wear import keep_ages
from shoectl.table_setup import AT_START, IN_PLAY, differences

CLOSE_WITHIN: Final = 1.0  # s for the last entry of a table that is shut down
END_WITHIN: Final = 4.5  # s from the signal to the end of the process, whatever hangs

Table = Runner[TableState]
Stations = Mapping[str, Station]
Task = Callable[[Table, Stations], Coroutine[Any, Any, None]]


@dataclass(frozen=True)
class Job:
    """What to run. `beside` are further tasks of the group (faces, simulated people, the watch over a simulator).

    `rounds`: end when the journal holds so many; None: run until a signal. `reread` gives the state that the
    configuration asks for now (SIGHUP); it raises ShoectlError, which is told and changes nothing; it happens inside of
    `reloading`. `begun` is called once nothing can be wrong with the job any more. `title` names
    the table to whoever follows it at the socket of `listener`.
    """

    first: TableState
    places: Sequence[Place]
    rounds: int | None = None
    listener: Listener | None = None
    beside: Sequence[Task] = ()
    reread: Callable[[], TableState] | None = None
    tell: Callable[[str], None] = lambda text: None
    begun: Callable[[], None] = lambda: None
    title: str = ""
    reloading: Callable[[], AbstractContextManager[None]] = nullcontext


async def serve(journal: Journal, job: Job) -> Stop | None:
    """Run the table of a journal until its rounds are played, it has to stop (returned), or a signal comes.

    Raises BadInput for an address that is none; whatever ends a task unexpectedly, in a group.
    """
    runner: Table = Runner(journal, cycle, job.first)
    runner.limit = job.rounds
    stations = occupy(job.places, runner)
    beside = list(job.beside)
    if job.listener is not None:
        beside.append(functools.partial(_at_socket, listener=job.listener, title=job.title))
    if job.reread is not None:
        beside.append(functools.partial(_on_hangup, job=job, reread=job.reread))
    runner.listen(_Disk(runner, job.tell).look)
    if new := await take_over(runner, job.first, AT_START):
        beside.append(functools.partial(_withdraw_first, round_no=runner.round_no, why=_is_new(new)))
    beside.append(lambda runner, _: keep_ages(runner))
    job.begun()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(station.run(), name=name) for name, station in stations.items()]
        tasks += [group.create_task(task(runner, stations)) for task in beside]
        hands = _hands(stations, job.first)
        tasks.append(table := group.create_task(runner.run(hands, rounds=job.rounds), name="table"))
        tasks.append(ending := group.create_task(_signalled(), name="signals"))
        await asyncio.wait([table, ending], return_when=asyncio.FIRST_COMPLETED)
        if not table.done() and job.rounds is None:
            await _close(runner)
        for task in tasks:
            task.cancel()
    await _count_links(runner, stations)
    return runner.stopped


class _Disk:
    """Says when the journal cannot be written, and when it can again: nothing moves meanwhile."""

    def __init__(self, runner: Table, tell: Callable[[str], None]) -> None:
        self._runner = runner
        self._tell = tell
        self._said = ""

    def look(self) -> None:
        """At each change of the table."""
        now = self._runner.condition
        if now != self._said:
            self._said = now
            self._tell(f"{now}; the table waits" if now else "the journal is written again, the table goes on")


async def _at_socket(runner: Table, stations: Stations, *, listener: Listener, title: str) -> None:
    await LocalSocket(runner, listener, stations, title).run()


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


def _is_new(names: Sequence[str]) -> str:
    return f"new for the next round: {', '.join(names)}"


async def _withdraw_first(runner: Table, _: Stations, *, round_no: int, why: str) -> None:
    """Wagers that were awaited when the table stopped are awaited anew, under what is new."""
    while runner.round_no == round_no and not await runner.patiently(lambda: withdraw(runner, why)):
        await runner.next_change()


async def _close(runner: Table) -> None:
    """A table that is shut down while it waits for wagers takes none: its round ends unplayed, and no other begins."""
    runner.limit = runner.round_no
    try:
        async with asyncio.timeout(CLOSE_WITHIN):
            await withdraw(runner, "the table is closed")
    except (TimeoutError, JournalUnavailable):
        return  # the next start finds the step open


async def _count_links(runner: Table, stations: Stations) -> None:
    """What the links have counted goes into the journal at the end; until then their devices' entries have told it."""
    try:
        async with asyncio.timeout(CLOSE_WITHIN):
            for name, station in stations.items():
                if any(station.counters.values()):
                    await runner.link_ends(name, station.counters)
    except (TimeoutError, JournalUnavailable):
        return  # nothing rests on it


async def _on_hangup(runner: Table, _: Stations, *, job: Job, reread: Callable[[], TableState]) -> None:
    """At each SIGHUP: read the configuration again, take over what may change in play."""
    asked = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, asked.set)
    while True:
        await asked.wait()
        asked.clear()
        with job.reloading():
            await _reload(runner, reread, job.tell)


async def _reload(runner: Table, reread: Callable[[], TableState], tell: Callable[[str], None]) -> None:
    try:
        wanted = reread()
    except ShoectlError as error:
        tell(f"the configuration was not taken over: {error}")
        return
    taken = await take_over(runner, wanted, IN_PLAY)
    if taken:
        await runner.patiently(functools.partial(withdraw, runner, _is_new(taken)))
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
