"""`shoectl check`: is this configuration good?"""

from __future__ import annotations

import json
from pathlib import Path

import click

from shoectl.config import house_of, load
from shoectl.games.registry import game
from shoectl.odds.own import remarks


@click.command()
@click.option("--config", "path", required=True, type=click.Path(path_type=Path), help="The table's configuration.")
@click.option("--json", "as_json", is_flag=True, help="The configuration with all defaults, as one JSON value.")
def check(path: Path, as_json: bool) -> None:
    """Validate a configuration. Touches no device.

    Says in one line what is wrong: the file, the key, what is allowed; exit code 2. What the house's own paytables are
    worth is said on stderr, with a warning where one gives the player an edge.
    """
    config = load(path)
    played = game(config.table.game)
    for remark in remarks(played, played.house(house_of(config)), slow=True):
        click.echo(f"{path}: {'warning: ' if remark.warning else ''}{remark.text}", err=True)
    if as_json:
        click.echo(json.dumps(config.model_dump(mode="json")))
        return
    table = config.table
    seats = f"{table.seats} seat{'s' if table.seats > 1 else ''}"
    places = ", ".join(f"{place} {device.family}" for place, device in config.devices.items()) or "no devices"
    click.echo(f"{path}: good: {table.name}, {table.game}, {seats}, {places}")
