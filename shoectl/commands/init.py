"""`shoectl init`: a first configuration from the devices that are attached."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import tempfile
import tomllib
from pathlib import Path

import click

from shoectl.commands.attaching import other_ports, ports_of
from shoectl.commands.completing import complete_games
from shoectl.commands.devices import bar
from shoectl.config import parse
from shoectl.discovery.survey import survey
from shoectl.discovery.system import System
from shoectl.errors import BadInput
from shoectl.first_config import Seating, in_short, seat, text_of
from shoectl.games.registry import game as game_named


@click.command()
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=Path("table.toml"), show_default=True, help="The file."
)
@click.option("--game", shell_complete=complete_games, default="lunar-poker", show_default=True, help="What is played.")
@other_ports
@click.option(
    "--patience", type=click.FloatRange(0.1, 20), default=1.0, show_default=True, help="Wait so many times longer."
)
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@click.option("--json", "as_json", is_flag=True, help="What was found, as one JSON value.")
def init(
    output: Path,
    game: str,
    urls: tuple[str, ...],
    usbip: tuple[str, ...],
    patience: float,
    force: bool,
    as_json: bool,
) -> None:
    """Write a first configuration from the devices that are attached.

    Every port is opened and asked who is there, and nothing else; a port that another program has is left alone. The
    file is for its owner alone (0600) and never written over another one, unless --force. What was found is printed,
    and what is missing.
    """
    game_named(game)
    if output.exists() and not force:
        raise BadInput(f"{output}: it is there already; another -o FILE, or --force to replace it")
    system = System()
    ports = ports_of(system, urls, usbip)
    with bar("asking") as progress:
        seating = seat(asyncio.run(survey(system, ports, patience=patience, progress=progress)))
    text = text_of(seating, game)
    parse(tomllib.loads(text), str(output))  # what is written is good
    _write(output, text, force)
    _tell(output, seating, as_json)


def _write(path: Path, text: str, force: bool) -> None:
    """All of it or nothing. Raises BadInput."""
    try:
        number, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.absolute().parent)  # 0600
        try:
            with os.fdopen(number, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            if force:
                os.replace(name, path)
            else:
                os.link(name, path)  # fails where somebody else has written it meanwhile
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)
    except FileExistsError:
        raise BadInput(f"{path}: it is there already; another -o FILE, or --force to replace it") from None
    except OSError as error:
        raise BadInput(f"{path}: {(error.strerror or str(error)).lower()}") from None


def _tell(path: Path, seating: Seating, as_json: bool) -> None:
    if as_json:
        places = {
            place: {"url": one.url, "family": one.family, "serial": one.identity.serial}
            for place, one in seating.places.items()
        }
        click.echo(json.dumps({"file": str(path), "places": places, "remarks": list(seating.remarks)}))
        return
    for place, answer in seating.places.items():
        click.echo(f"{place}: {in_short(answer)}")
    for remark in seating.remarks:
        click.echo(remark, err=True)
    click.echo(f"written: {path}; look at it, then: shoectl check --config {path}")
