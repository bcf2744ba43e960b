"""A table that dies under one version of the rules, is voided, and goes on under another: `python -m
tests.survival.voids [--devices alder,birch] [--decks 2] [--every 7]`.

The two versions ask the same steps until the round in which the table dies. There the newer one asks fewer, so that it
cannot take the round over; a floorperson voids it, and all invariants hold of the whole journal.
"""

from __future__ import annotations

import itertools
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from shoectl.games import registry
from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure
from shoectl.games.steps import Announce
from shoectl.journal import Entry, Journal
from shoectl.table.course import Cycle, Diverged
from shoectl.table.decks_turn import second_deck
from shoectl.table.runner import Runner
from shoectl.table.session import cycle
from shoectl.table.state import Deck, TableState
from shoectl.table.versions import versions
from shoectl.table.voided import Voided
from shoectl.table.voiding import void
from tests.session.test_simulated import table
from tests.timeloop import run

from . import invariants
from .knives import AFTER, Knife
from .limits import Spins, within
from .world import KEY, World

BETWEEN = {"shoectl": "0.1.0", "rules": "between"}
CLEARING = 4  # writes after which a version dies that has begun to clear a voided round
OLDER = {"shoectl": "0.0.9", "rules": "older"}
LIMITS = {name: dict.fromkeys(registry.game(name).families, (10, 100)) for name in registry.game_names()}
MORE = 2  # rounds that are played after the void


def other_rules(played: int) -> Cycle[TableState]:
    """The rules of the version before, which differ in the round that begins after so many were played."""

    def older(layout: Layout, state: TableState) -> Procedure[TableState]:
        if state.rounds_played == played:
            yield from Announce("Welcome", rule="671a.11(a)")
        return (yield from cycle(layout, state))

    return older


@dataclass(frozen=True)
class At:
    """When the table dies: once the `nth` step of this name is written, and this part of it open; at a `write`; or when
    so many `rounds` were played to their end.
    """

    do: str = ""
    part: int = 0
    nth: int = 1
    write: int = 0
    rounds: int = 0


class Never(Exception):
    """The table was not at that point at any time."""


@dataclass
class Came:
    """What came of it: the journal, its voids, what the round was asked last before them, how often a daemon of the
    newer version was started.
    """

    entries: list[Entry]
    voids: list[Entry]
    stretch: str
    lives: int

    @property
    def void(self) -> Entry:
        """The void after which the table went on."""
        return self.voids[-1]

    @property
    def after(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.n > self.void.n]

    def asked(self) -> list[str]:
        """The steps since the void."""
        return [entry.body["step"]["do"] for entry in self.after if entry.kind == "step"]


def of(devices: tuple[str, ...], decks: int = 1, **changes: Any) -> TableState:
    """A table with these devices and so many decks."""
    state = table(devices, **changes)
    return replace(state, decks=(Deck(0), second_deck(Deck(0), there=True))) if decks == 2 else state


async def dead(
    folder: Path, state: TableState, devices: tuple[str, ...], at: At, *, played: int = 1, seed: int = 3
) -> World:
    """A table that has died under the older rules. Raises Never where the moment did not come."""
    world = World(folder, state, devices=devices, seed=seed, rules=other_rules(played), version=OLDER)
    if at.write:
        world.knife = Knife("journal", at.write, AFTER)
    elif at.do:
        world.disturb = lambda world: _die(world, at, played + 1)
    world.power_on()
    if await world.life(at.rounds or played + 2) and not at.rounds:
        raise Never(at)
    world.disturb = None
    return world


async def voided(
    folder: Path,
    state: TableState,
    devices: tuple[str, ...],
    at: At,
    *,
    played: int = 1,
    seed: int = 3,
    again: int = 0,
    between: Cycle[TableState] | None = None,
) -> Came | None:
    """Die at that moment in the round after `played` ones, void it, play on. None where the newer one could play on.

    `again`: the newer version dies too, at that write of its own. `between`: rules that begin to clear the voided
    round, until the table dies once more. Raises Never where the moment did not come.
    """
    world = await dead(folder, state, devices, at, played=played, seed=seed)
    if between is not None:
        assert _refused_and_voided(world, between, BETWEEN)
        world.knife, world.rules, world.version = Knife("journal", CLEARING, AFTER), between, BETWEEN
        assert not await world.life(played + 2)
    stretch = _refused_and_voided(world, cycle, versions())
    if not stretch:
        world.power_off()
        return None
    world.knife, world.rules, world.version = Knife("journal" if again else "", again, AFTER), cycle, None
    await world.play(played + 1 + MORE)
    assert world.stopped is None, world.stopped
    in_hand = state.equipment.shoe is None and stretch.startswith("deal")  # a card that nobody has told of yet
    entries = invariants.hold(world.journal, folder / "none" if in_hand else world.truth)
    return Came(entries, [entry for entry in entries if entry.kind == "void"], stretch, world.lives)


async def _die(world: World, at: At, round_no: int) -> None:
    """Look at each thing that is settled; the step that is waited for is written with what comes next."""
    runner, seen, asked = world.runner, {0}, 0

    def look() -> None:
        nonlocal asked
        step = runner.open
        if step is not None and step.step.do == at.do and step.ref.round == round_no and step.ref.part >= at.part:
            seen.add(step.ref.step)
        if len(seen) > at.nth:
            asked = asked or runner.journal.last
            if runner.journal.head[0] >= asked:
                world.kill_daemon()

    runner.listen(look)


def _refused_and_voided(world: World, rules: Cycle[TableState], version: Mapping[str, str]) -> str:
    """A newer version refuses the journal, and a floorperson voids its open round. Returns what it was doing, "" for
    a round that the newer version can play on.
    """
    with Journal.open(world.journal, key=KEY, threaded=False, durable=False) as journal:
        entries = journal.tail()
        asked = [str(entry.body["step"]["do"]) for entry in entries if entry.kind == "step"]
        refused = _refused(journal, world.state, rules, version)
        if not asked or not refused:
            return ""
        assert "another version of the rules" in refused
        assert "journal void" in refused
        told = void(entries, by="floor", why="other rules", current=version)
        journal.append(told.kind, told.to_json())
        journal.flush_now()
        assert not _refused(journal, world.state, rules, version)
        return asked[-1]


def _refused(journal: Journal, state: TableState, rules: Cycle[TableState], version: Mapping[str, str]) -> str:
    try:
        Runner(journal, rules, state, current=version)
    except Diverged as diverged:
        return str(diverged)
    return ""


def going_home(came: Came) -> None:
    """Every wager that the void names goes back, and nothing else is booked in its round."""
    told = Voided.from_json(came.void.body)
    rest = came.after[: next(n for n, entry in enumerate(came.after) if entry.kind == "round")]
    steps = [entry.body["step"] for entry in rest if entry.kind == "step"]
    back = [(step["seat"], step["wager"], step["amount"]) for step in steps if step["do"] == "return"]
    assert sorted(back) == sorted(told.wagers)
    assert not [step for step in steps if step["do"] in ("collect", "pay", "wagers", "deal", "ask")]


@click.command()
@click.option("--devices", default="alder,birch", show_default=True)
@click.option("--decks", default=1, show_default=True)
@click.option("--every", default=7, show_default=True, help="Of the journal's writes, how many from death to death.")
@click.option("--game", default="lunar-poker", show_default=True)
@click.option("--first", default=1, show_default=True)
@click.option("--again", default=0, show_default=True, help="The write at which the newer version dies, too; 0: never.")
def main(devices: str, decks: int, every: int, game: str, first: int, again: int) -> None:
    """Die at every so many writes of two rounds, the versions differing in one of them."""
    families = tuple(devices.split(","))
    state = of(families, decks, game=game, limits=LIMITS[game])
    came: Counter[str] = Counter()
    wrong = 0
    for played in range(2):
        for write in itertools.count(first, every):
            try:
                came[_one(state, families, At(write=write), played, again)] += 1
            except Never:
                break
            except (Exception, Spins) as error:
                wrong += 1
                click.echo(f"played {played}, write {write}: {invariants.told(error)}")
    click.echo(f"{sum(came.values())} deaths, {wrong} wrong: {dict(came.most_common())}")


def _one(state: TableState, devices: tuple[str, ...], at: At, played: int, again: int) -> str:
    with tempfile.TemporaryDirectory() as folder, within(120):
        came = run(voided(Path(folder), state, devices, at, played=played, again=again))
        if came is None:
            return "played on"
        going_home(came)
        return came.stretch


if __name__ == "__main__":
    main()
