"""`shoectl games`: which games there are, what the house may choose, and what they pay, each with its source."""

from __future__ import annotations

import json

import click

from shoectl.commands.completing import complete_games
from shoectl.commands.rank import house_option
from shoectl.games.house import House, Option, show_value
from shoectl.games.own_paytables import PaytableOption, own_paytable
from shoectl.games.registry import Game, game, game_names
from shoectl.games.wagers import Paytable, Paytables
from shoectl.odds.own import remarks


@click.group()
def games() -> None:
    """The games, their house options and paytables."""


@games.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON value instead of a table.")
def list_games(as_json: bool) -> None:
    """List the games."""
    found = [game(name) for name in game_names()]
    if as_json:
        click.echo(json.dumps([{"name": one.name, "title": one.title, "chapter": one.chapter} for one in found]))
    else:
        for one in found:
            click.echo(f"{one.name:<18} {one.title} (58 Pa. Code ch. {one.chapter})")


@games.command("show")
@click.argument("name", metavar="GAME", shell_complete=complete_games)
@click.option("--house", multiple=True, metavar="KEY=VALUE", help="An own paytable to show with the others.")
@click.option("--json", "as_json", is_flag=True, help="One JSON value instead of a page.")
def show(name: str, house: tuple[str, ...], as_json: bool) -> None:
    """Show a game: kinds of hands, house options with default, alternatives and source, paytables.

    A paytable that the house states itself, as in --house "lo_ball=7-high=100:1, 8-high=25:1, ...", is shown with
    what it is worth.
    """
    one = game(name)
    chosen = one.house(dict(map(house_option, house)))
    tables = with_own(one, chosen)
    said = list(remarks(one, chosen))
    if as_json:
        click.echo(json.dumps(described(one, tables) | {"remarks": [remark.text for remark in said]}))
        return
    click.echo(_page(one, tables))
    for remark in said:
        click.echo(f"{'warning: ' if remark.warning else ''}{remark.text}", err=remark.warning)


def with_own(one: Game, house: House) -> Paytables:
    """A game's paytables, and those that a house has stated itself."""
    tables = {wager: dict(letters) for wager, letters in one.paytables.items()}
    for option in one.own_options:
        if isinstance(option, PaytableOption) and (own := own_paytable(option.name, house.text(option.name))):
            tables[option.name][own.letter] = own
    return tables


def described(one: Game, tables: Paytables) -> dict[str, object]:
    """A game as plain values."""
    return {
        "name": one.name,
        "title": one.title,
        "chapter": one.chapter,
        "kinds": list(one.kinds),
        "wagers": list(one.families),
        "options": [
            {
                "name": option.name,
                "default": option.default,
                "alternatives": list(option.alternatives),
                "allowed": option.span,
                "source": option.source,
                "standing": option.standing,
                "meaning": option.meaning,
            }
            for option in one.options
        ],
        "paytables": {
            wager: {
                letter: {
                    "lines": {line: str(odds) for line, odds in table.lines.items()},
                    "source": table.source,
                    "standing": table.standing,
                }
                for letter, table in letters.items()
            }
            for wager, letters in tables.items()
        },
    }


def _page(one: Game, tables: Paytables) -> str:
    lines = [f"{one.title} ({one.name}), 58 Pa. Code ch. {one.chapter}", ""]
    lines += [f"wagers before the deal: {', '.join(one.families)}", f"kinds of hands: {', '.join(one.kinds)}"]
    lines += ["", "House options of the game", *map(_option, one.own_options)]
    lines += ["", "House options of every table", *map(_option, one.options[len(one.own_options) :])]
    lines += ["", "Paytables", *(_table(table) for letters in tables.values() for table in letters.values())]
    return "\n".join(lines)


def _option(option: Option) -> str:
    return (
        f"  {option.name} = {show_value(option.default)}   allowed: {option.span}\n"
        f"      {option.meaning}\n"
        f"      {option.standing}: {option.source}"
    )


def _table(table: Paytable) -> str:
    pays = ", ".join(f"{line} {odds}" for line, odds in table.lines.items())
    return f"  {table.wager} {table.letter}: {pays}\n      {table.standing}: {table.source}"
