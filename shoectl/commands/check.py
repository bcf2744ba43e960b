"""`shoectl check`: is this configuration good, and what table would it be?"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path

import click

from shoectl import table_files
from shoectl.config import house_of, load
from shoectl.config_checks import check_files
from shoectl.config_sections import Config
from shoectl.errors import BadInput
from shoectl.folders import state_folder
from shoectl.games.registry import game
from shoectl.odds.own import remarks
from shoectl.people.register import read as people_in
from shoectl.people.register import register_path
from shoectl.service.upkeep import Upkeep
from shoectl.table_setup import DEALINGS, first_state

LEVELS = ("plain", "authenticated", "encrypted")


@click.command()
@click.option("--config", "path", required=True, type=click.Path(path_type=Path), help="The table's configuration.")
@click.option("--json", "as_json", is_flag=True, help="The configuration with all defaults, as one JSON value.")
def check(path: Path, as_json: bool) -> None:
    """Validate a configuration, and print what table it would be. Touches no device.

    Says in one line what is wrong: the file, the key, what is allowed; exit code 2. Whether this user can read the
    files and secrets that are named is part of it, and whether a table could start with its journal and its socket.
    What the house's own paytables are worth is said on stderr, with a warning where one gives the player an edge.
    """
    config = load(path)
    try:
        check_files(config)
        missing = _check_start(config)
        dealing = next(word for word, way in DEALINGS.items() if way is first_state(config).dealing)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    played = game(config.table.game)
    for remark in remarks(played, played.house(house_of(config)), slow=True):
        click.echo(f"{path}: {'warning: ' if remark.warning else ''}{remark.text}", err=True)
    for line in missing:
        click.echo(f"{path}: {line}", err=True)
    if config.people.file and not Path(config.people.file).exists():
        click.echo(f"{path}: people.file: {config.people.file} is not there yet: nobody can sign in", err=True)
    if as_json:
        click.echo(json.dumps(config.model_dump(mode="json")))
        return
    click.echo(f"{path}: good: {config.table.name}")
    for name, text in (("game", f"{played.title}, {_seats(config)}, dealing: {dealing}"), *_lines(config)):
        click.echo(f"  {name:<8} {text}")


def _check_start(config: Config) -> list[str]:
    """What `shoectl run` would refuse of the files that are there, and of those that it would make; what has to be made
    before it. Raises BadInput.
    """
    if config.people.file or config.console or config.bus:
        register = register_path(config, make=False)
        if register.exists():
            people_in(register)
    if config.console:
        from shoectl.console.listening import certified

        certified(config.console)
    if config.bus:
        from shoectl.mqtt.settings import address_of

        address_of(config.bus, config.table.site, config.table.name)
    missing = table_files.check(config)
    journal = table_files.journal_of(config, functools.partial(state_folder, make=False))
    if journal.absolute().parent.is_dir():
        Upkeep(journal, config.upkeep, lambda _: None)  # refuses where a new journal has no room
    return missing


def _seats(config: Config) -> str:
    number = int(house_of(config)["seats"])
    return f"{number} seat{'s' if number > 1 else ''}"


def _lines(config: Config) -> Iterator[tuple[str, str]]:
    """What stands around the game, a line each."""
    for place, device in config.devices.items():
        serial = f" {device.serial}" if device.serial else ""
        yield place, f"{device.family}{serial} at {device.url}, {LEVELS[device.level]}"
    if not config.devices:
        yield "devices", "none"
    yield "journal", config.table.journal or "in the state folder"
    console, bus, people = config.console, config.bus, config.people
    yield "console", f"http{'s' if console.cert else ''}://{console.listen}" if console else "none"
    if bus is None:
        yield "bus", "none"
    else:
        topics = f"shoectl/v1/{config.table.site}/{bus.table or config.table.name}"
        yield "bus", f"mqtt{'s' if bus.tls else ''}://{bus.host}:{bus.port}, {topics}"
    register = people.file or "no register"
    yield "people", f"dealer {people.dealer}, floor {people.floor}, {register}"
    if config.simulated:
        yield "people", f"simulated, at {config.simulated.control}"
