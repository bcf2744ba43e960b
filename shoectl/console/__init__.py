"""The web face of a table: a page for the dealer, one for the pit, and the same as JSON.

`console` makes it a task beside the table. Nothing of a web server is imported before it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoectl.config_sections import Config
from shoectl.status import BusStatus, UpkeepStatus

if TYPE_CHECKING:
    from shoectl.devices.station import Station
    from shoectl.people.signin import SignIn
    from shoectl.table.runner import Runner


@dataclass(frozen=True)
class Console:
    """A console that is ready to begin. `task` goes beside the table; `where` is its address in few words, with how to
    sign in at a simulated table. `people` is for other faces: who may what.
    """

    task: Callable[[Runner[Any], Mapping[str, Station]], Coroutine[Any, Any, None]]
    where: str
    people: SignIn


@contextmanager
def console(
    config: Config,
    *,
    simulated: bool,
    title: str,
    tell: Callable[[str], None],
    bus: Callable[[], BusStatus | None] = lambda: None,
    upkeep: Callable[[], UpkeepStatus | None] = lambda: None,
) -> Iterator[Console]:
    """The console of a configuration, its socket bound for the time of the block.

    `tell` gets the address once it is there, and how to sign in. `simulated`: the table is, so its people are made up,
    and a link signs its one person in, for dealer and floor.
    Raises BadInput: the address is taken, TLS is missing or wrong, the register cannot be read.
    """
    from shoectl.console.listening import bind
    from shoectl.people.setup import people_of

    people, ways_in = people_of(config, simulated=simulated)
    bound = bind(config.console, simulated=simulated)

    def begun() -> None:
        for line in said:
            tell(line)

    async def run(runner: Runner[Any], stations: Mapping[str, Station]) -> None:
        from shoectl.console.app import create
        from shoectl.console.serving import serve
        from shoectl.table.desk import Desk

        app = create(Desk(runner), stations, people, bound.settings, bus=bus, upkeep=upkeep, title=title)
        await serve(app, bound, begun)

    said = (f"console: {bound.address}", *(line.format(address=bound.address) for line in ways_in.lines))
    where = f"{bound.address} · {ways_in.short}" if ways_in.short else bound.address
    with bound.listener:
        yield Console(run, where, people)
