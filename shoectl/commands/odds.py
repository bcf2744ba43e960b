"""`shoectl odds`: what the wagers of a game are worth, by counting every deal."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from shoectl.commands.completing import complete_games
from shoectl.commands.rank import house_option
from shoectl.errors import BadInput
from shoectl.games.registry import Game, game
from shoectl.odds import question as asked
from shoectl.odds.figures import Figures
from shoectl.odds.question import MAIN, Calculation, NotComputed, Question, calculations

OF_MAIN = ("ante", "bet", "play", "raise", "options")  # wagers that are the whole game's


@click.command()
@click.argument("name", metavar="GAME", shell_complete=complete_games)
@click.option("--wager", metavar="WAGER", help="One wager only; `main` is the game itself. Left out: all.")
@click.option("--house", multiple=True, metavar="KEY=VALUE", help="A house option or meter; may be given again.")
@click.option("--stake", type=click.IntRange(1, 10**9), default=100, show_default=True, metavar="AMOUNT")
@click.option("--strategy", metavar="NAME", default="", help="How the player plays, where there is a choice.")
@click.option("--deals", type=click.IntRange(2, 10**9), default=100_000, show_default=True, metavar="N")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N")
@click.option("--json", "as_json", is_flag=True, help="One JSON value instead of tables.")
def odds(
    name: str,
    wager: str | None,
    house: tuple[str, ...],
    stake: int,
    strategy: str,
    deals: int,
    seed: int,
    as_json: bool,
) -> None:
    """The odds of a game's wagers, exact by enumeration of all deals.

    For each wager: how many deals end how, what they gain, the house edge. Games with decisions are played with the
    best strategy, or with a stated one (--strategy).

    --stake is a progressive or bonus wager in the smallest unit of money, in which meters are given too; --deals and
    --seed are for values that are estimated from random deals, with their standard error.
    """
    played = game(name)
    options = played.house(dict(map(house_option, house)))
    chosen = _chosen(played, wager)
    _check_strategy(chosen, strategy)
    found: list[Figures] = []
    missing: dict[str, str] = {}
    for one in chosen.values():
        with _bar(one.wager) as progress:
            question = Question(options, progress, stake, strategy, deals, random.Random(seed))
            try:
                found.append(one.find(question))
            except NotComputed as reason:
                if wager is not None:
                    raise
                missing[one.wager] = str(reason)
    if as_json:
        wagers = [one.json() for one in found]
        rest = [{"wager": one, "not_computed": reason} for one, reason in missing.items()]
        used = {key: options[key] for one in chosen.values() for key in one.options}
        click.echo(json.dumps({"game": played.name, "house": used, "wagers": wagers + rest}))
    else:
        click.echo("\n\n".join([*map(in_words, found), *(f"{one}: {reason}" for one, reason in missing.items())]))


def _chosen(played: Game, wager: str | None) -> Mapping[str, Calculation]:
    """The calculations that were asked for. Raises BadInput naming those there are."""
    known = calculations(played)
    if wager is None:
        return known
    family = wager.partition(":")[0]
    name = family if family in known else MAIN if family.partition("_")[0] in OF_MAIN else family
    if name not in known:
        raise BadInput(f"{played.name} has no odds for {wager[:40]!r}, there are {', '.join(known)}")
    return {name: known[name]}


def _check_strategy(chosen: Mapping[str, Calculation], strategy: str) -> None:
    known = {name for one in chosen.values() for name in one.strategies}
    if strategy and strategy not in known:
        there = f"there are {', '.join(sorted(known))}" if known else "there is no choice here"
        raise BadInput(f"strategy {strategy[:40]!r} is not known, {there}")


@contextmanager
def _bar(wager: str) -> Iterator[asked.Progress]:
    """A progress bar on stderr, where that is a terminal; it goes away when it is done."""
    if not sys.stderr.isatty():
        yield asked.silent
        return
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(wager, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def in_words(figures: Figures) -> str:
    """The odds of one wager as a table for people."""
    width = max(len("outcome"), *(len(line.name) for line in figures.lines))
    digits = max(len("deals"), len(f"{figures.total:,}"))
    rows = [f"{figures.wager}" + (f"  ({figures.source})" if figures.source else "")]
    rows += [f"  {figures.strategy}"] if figures.strategy else []
    rows.append(f"  {'outcome':<{width}}  {'deals':>{digits}}  probability     pays          gain")
    for line in figures.lines:
        share, gain = line.count / figures.total, float(line.gain) / figures.total
        rows.append(f"  {line.name:<{width}}  {line.count:>{digits},}  {share:11.9f}  {line.pays:>7}  {gain:+12.9f}")
    rows.append(f"  {'all':<{width}}  {figures.total:>{digits},}")
    error = f", standard error {figures.error:.4%}" if figures.error is not None else ""
    rows += [f"  house edge {float(figures.edge):.4%} of {figures.per}{error}"] if figures.per else []
    rows += [f"  {name}: {_number(value)}" for name, value in figures.more.items()]
    rows += [f"  {note}" for note in figures.notes]
    return "\n".join(rows)


def _number(value: int | float | str) -> str:
    return f"{value:.6f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
