"""`shoectl games`: which games there are, what the house may choose, and what they pay, each with its source."""

from __future__ import annotations

import json

import click

from shoectl.games.house import Option, show_value
from shoectl.games.registry import Game, game, game_names
from shoectl.games.wagers import Paytable


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
@click.argument("name", metavar="GAME")
@click.option("--json", "as_json", is_flag=True, help="One JSON value instead of a page.")
def show(name: str, as_json: bool) -> None:
    """Show a game: kinds of hands, house options with default, alternatives and source, paytables."""
    one = game(name)
    click.echo(json.dumps(described(one)) if as_json else _page(one))


def described(one: Game) -> dict[str, object]:
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
            for wager, letters in one.paytables.items()
        },
    }


def _page(one: Game) -> str:
    lines = [f"{one.title} ({one.name}), 58 Pa. Code ch. {one.chapter}", ""]
    lines += [f"wagers before the deal: {', '.join(one.families)}", f"kinds of hands: {', '.join(one.kinds)}"]
    lines += ["", "House options of the game", *map(_option, one.own_options)]
    lines += ["", "House options of every table", *map(_option, one.options[len(one.own_options) :])]
    lines += ["", "Paytables", *(_table(table) for letters in one.paytables.values() for table in letters.values())]
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
