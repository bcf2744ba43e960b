"""`shoectl run`: the daemon, at a real table or at one that it simulates itself."""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import secrets
import shutil
import sys
import tempfile
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from protocols.family import Verb, families
from shoectl import config as configuration
from shoectl.commands.completing import complete_family_list, complete_faults, complete_games
from shoectl.commands.run_wish import Dealer, Files, Wish, files_of
from shoectl.config_sections import Config, Device
from shoectl.daemon import Job, Stations, Table, Task, serve
from shoectl.errors import BadInput
from shoectl.games.registry import game
from shoectl.journal import Journal
from shoectl.local_socket import listening
from shoectl.mqtt import OnBus, bus
from shoectl.service.beside import Service, service
from shoectl.service.log import log_to
from shoectl.simulator import Simulator, simulator
from shoectl.socket_client import alive
from shoectl.table.openstep import Stop
from shoectl.table.summary import summary_of
from shoectl.table_files import check_journal
from shoectl.table_setup import first_state
from shoectl.watch import watch

if TYPE_CHECKING:
    from shoectl.console import Console

log = logging.getLogger("shoectl.run")

STOPPED = 3


def _speed(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    try:
        good = value is None or value == "max" or 0 < float(value) <= 1000
    except ValueError:
        good = False
    if not good:
        raise click.BadParameter(f"{value!r} is no speed; it is a number above 0, as 4, or max")
    return value


@click.command()
@click.option("--config", type=click.Path(path_type=Path), help="The table's configuration.")
@click.option("--sim", is_flag=True, help="A simulated table of its own: devices, cards, dealer and players.")
@click.option("--game", shell_complete=complete_games, help="What is played; lunar-poker.")
@click.option("--rounds", type=click.IntRange(min=1), help="End when the journal holds so many rounds.")
@click.option("--seed", type=click.IntRange(min=0), help="Of the simulated table: one seed is one game.")
@click.option("--speed", callback=_speed, help="Of mechanics and hands: 1 is real time (left out), or max.")
@click.option(
    "--devices",
    shell_complete=complete_family_list,
    default="alder,birch",
    show_default=True,
    metavar="FAMILY,...",
    help="Simulated devices.",
)
@click.option("--dealing", type=click.Choice(["shoe", "manual", "hand"]), help="How cards are dealt.")
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="SPEC",
    shell_complete=complete_faults,
    help="As alder:jam@card=31; see shoesim.",
)
@click.option("--truth", type=click.Path(path_type=Path), help="Where the simulator writes what happened to each card.")
@click.option("--journal", type=click.Path(path_type=Path), help="The journal; an open round in it is resumed first.")
@click.option("--socket", type=click.Path(path_type=Path), help="Where `shoectl answer` reaches this table.")
@click.option("--dealer", type=click.Choice(["simulated", "console"]), help="Who answers for the dealer.")
@click.option("--no-console", is_flag=True, help="No web pages; else a simulated table has them.")
@click.option("--json", "as_json", is_flag=True, help="Nothing on stdout but a summary at the end, as one JSON value.")
def run(**wished: Any) -> int:
    """Run a table.

    \b
    shoectl run --sim --rounds 20 --seed 7 --speed max --json
    shoectl run --config table.toml

    What is written to the journal first is true: a table that was killed goes on where it was. Ctrl-C or SIGTERM ends
    it within five seconds. Exit code 3: the table had to stop before its rounds were played; `stopped` says why.
    """
    wish = Wish(**wished)
    if not wish.sim and wish.config is None:
        raise click.UsageError("a table is named by --config FILE, or simulated with --sim")
    config = _configured(wish)
    files = files_of(wish, config, say)
    log_to(files.log)
    stop = asyncio.run(_table(wish, config, files))
    _conclude(files.journal, stop, wish.as_json)
    return STOPPED if stop else 0


def say(text: str) -> None:
    """A message for people, on stderr."""
    print(text, file=sys.stderr, flush=True)


def _configured(wish: Wish) -> Config:
    """The configuration file with what the command line says instead. Raises BadInput."""
    config = configuration.load(wish.config) if wish.config else Config()
    changes = {"game": wish.game, "dealing": wish.dealing}
    table = config.table.model_copy(update={name: value for name, value in changes.items() if value is not None})
    config = config.model_copy(update={"table": table})
    configuration.check(config)
    return config


@dataclass(frozen=True)
class Around:
    """What a table stands in: its configuration, the hands of its people where they are simulated, and their seed."""

    config: Config
    control: Path | None
    seed: int
    beside: tuple[Task, ...] = ()


async def _table(wish: Wish, config: Config, files: Files) -> Stop | None:
    path = files.journal
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="shoectl-")))
        # a journal that is there is locked before anything else; a new one is not made before all else is good
        old = _if_there(stack, path)
        listener = stack.enter_context(listening(_free_socket(wish, files.socket, folder)))
        on_bus = bus(config, path)
        beside = service(config, path, log.warning)
        pages = _console(stack, wish, config, on_bus, beside)
        around = await _simulated(stack, folder, wish, config, path) if wish.sim else _as_configured(config)
        places = configuration.places_of(around.config, str(wish.config or ""))  # reads the devices' keys
        journal = old or stack.enter_context(Journal.open(path))
        job = Job(
            first_state(around.config),
            places,
            rounds=wish.rounds,
            listener=listener,
            beside=[*around.beside, *on_bus.tasks, *_faces(wish, around, pages), *beside.tasks],
            reloading=beside.reloading,
            reread=(lambda: first_state(_configured(wish))) if wish.config and not wish.sim else None,
            tell=log.warning,
            title=_title(config),
            begun=lambda: say(f"journal: {path}" + (f"\nseed: {around.seed}" if wish.sim else "")),
        )
        return await serve(journal, job)


def _free_socket(wish: Wish, usual: Path, folder: Path) -> Path:
    """Where to listen: a simulated table that was not told where gives way to one that listens there."""
    return folder / "table.sock" if wish.sim and not wish.socket and alive(usual) else usual


def _if_there(stack: AsyncExitStack, path: Path) -> Journal | None:
    check_journal(path)
    if not path.exists():
        return None
    journal = stack.enter_context(Journal.open(path))
    journal.tail()  # one that was changed is refused before a simulator takes its cards up
    return journal


def _as_configured(config: Config) -> Around:
    simulated = config.simulated
    return Around(config, Path(simulated.control), simulated.seed) if simulated else Around(config, None, 0)


async def _simulated(stack: AsyncExitStack, folder: Path, wish: Wish, config: Config, journal: Path) -> Around:
    seed = secrets.randbelow(10**6) if wish.seed is None else wish.seed
    sim = await stack.enter_async_context(_simulator(folder, wish, seed, journal))
    return Around(_seated(config, sim), sim.control, seed, (lambda *_: sim.watch(),))


def _faces(wish: Wish, around: Around, pages: Console | None) -> list[Task]:
    """The web pages; the people, where they are simulated, and the watch over them; the picture in the terminal."""
    faces: list[Task] = [pages.task] if pages else []
    simulated = around.config.simulated
    speed = wish.speed or (simulated.speed if simulated else "1")
    dealer = wish.dealer or (simulated.dealer if simulated else "simulated")
    if around.control is not None:
        faces.append(_people(around.control, around.seed, dealer, speed))
        if wish.sim and dealer == "simulated":
            faces.append(functools.partial(watch, patience=_patience(speed)))
    if not wish.as_json:
        title = f"{around.config.table.name} · {pages.where}" if pages else _title(around.config)
        faces.append(functools.partial(_terminal, title=title))
    return faces


def _console(stack: AsyncExitStack, wish: Wish, config: Config, on_bus: OnBus, beside: Service) -> Console | None:
    """The web pages, where there are to be any; their address is bound now, and told once they are there."""
    if wish.no_console or not (wish.sim or config.console):
        return None
    from shoectl.console import console

    simulated = wish.sim or config.simulated is not None
    made = console(config, simulated=simulated, title=_title(config), tell=say, bus=on_bus.status, upkeep=beside.upkeep)
    return stack.enter_context(made)


def _simulator(folder: Path, wish: Wish, seed: int, journal: Path) -> Any:
    """The simulated table that belongs to a journal: its cards and devices are kept beside it."""
    named = [family.strip() for family in wish.devices.split(",") if family.strip()]
    state = journal.absolute().with_name(journal.name + "-table")
    if not journal.exists() and (state / "cards.jsonl").exists():
        shutil.rmtree(state)  # of a journal that is gone: a new one begins with a new deck
    truth = wish.truth.absolute() if wish.truth else None
    return simulator(folder, named, seed=seed, speed=wish.speed or "1", state=state, faults=wish.faults, truth=truth)


def _seated(config: Config, sim: Simulator) -> Config:
    """The configuration with the simulated devices on the places of the table, by what their families can do."""
    devices: dict[str, Device] = {}
    for one in sim.devices:
        family = families()[one.family]
        roles = {"shuffler": Verb.SHUFFLE in family.verbs, "shoe": Verb.ARM in family.verbs}
        place = next((role for role, can in roles.items() if can and role not in devices), None)
        if place is None:
            raise BadInput(f"--devices: a table has one shuffler and one shoe, no place is left for {one.family}")
        devices[place] = Device(url=one.url, family=one.family, serial=one.serial)
    return config.model_copy(update={"devices": devices})


def _patience(speed: str) -> float:
    """Seconds without an entry after which a simulated table will not get on: a shuffle takes its real time at 1."""
    return 30.0 if speed == "max" else 30.0 + 150.0 / float(speed)


def _people(control: Path, seed: int, dealer: Dealer, speed: str) -> Task:
    from shoectl.table.simulated import people

    return functools.partial(people, control=control, seed=seed, dealer=dealer, speed=speed)


async def _terminal(runner: Table, stations: Stations, *, title: str) -> None:
    from shoectl.terminal import Terminal

    await Terminal(runner, stations, title).run()


def _title(config: Config) -> str:
    return f"{config.table.name} · {game(config.table.game).title}"


def _conclude(journal: Path, stop: Stop | None, as_json: bool) -> None:
    totals: dict[str, Any] = summary_of(journal)
    if stop is not None:
        totals["stopped"] = {"state": stop.state, "reason": stop.reason, "do": stop.do}
    if as_json:
        print(json.dumps(totals))
        return
    print(_in_words(totals))
    if stop is not None:
        say(f"stopped: {stop.state}: {stop.reason}; {stop.do}")


def _counted(totals: Mapping[str, Any], *names: str) -> str:
    one = {"rounds": "round", "cards_dealt": "card dealt", "shuffles": "shuffle", "counts": "count"}
    return ", ".join(f"{totals[n]} {one[n] if totals[n] == 1 else n.replace('_', ' ')}" for n in names)


def _in_words(totals: Mapping[str, Any]) -> str:
    net = ", ".join(f"seat {seat} {gain:+d}" for seat, gain in totals["net"].items())
    counted = _counted(totals, "rounds", "cards_dealt", "shuffles", "counts")
    return f"{counted}{f'; {net}' if net else ''}\njournal: {totals['journal']}"
