"""Rounds at the page, without an end in sight: `python -m tests.browser [--rounds N] [--game G] [--devices …]`.

Every game at every kind of table, by mouse, with luck in every choice; and tables whose devices have faults. What the
suite plays once is played here until nothing new is to be expected.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

import click

from .persons import Person
from .pictures import chromium
from .tables import simulated

GAMES = ("lunar-poker", "four-card-poker", "five-card-hi-lo", "cajun-stud")
DEVICES = ("alder,birch", "cedar", "dogwood", "alder,dogwood")
FAULTS = (
    "birch:unreadable@draw=9",
    "birch:lid@card=6",
    "alder:jam@card=31",
    "alder:missing@card=20",
    "birch:duplicate@draw=12",
)


@click.command()
@click.option("--rounds", default=5, show_default=True, help="Of each table.")
@click.option("--game", "games", multiple=True, default=GAMES)
@click.option("--devices", multiple=True, default=DEVICES)
@click.option("--fault", "faults", multiple=True, default=FAULTS)
@click.option("--seed", default=7, show_default=True)
def main(rounds: int, games: tuple[str, ...], devices: tuple[str, ...], faults: tuple[str, ...], seed: int) -> None:
    """Play them; exit code 1 at the first dead end of any."""
    wishes = [(game, ("--devices", one)) for game in games for one in devices]
    wishes += [(games[0], ("--fault", fault)) for fault in faults]
    failed = [wish for wish in wishes if not _plays(*wish, rounds=rounds, seed=seed)]
    sys.exit(1 if failed else 0)


def _plays(game: str, arguments: tuple[str, ...], *, rounds: int, seed: int) -> bool:
    luck, began = random.Random(f"{seed}/{game}/{arguments}"), time.monotonic()
    told = f"{game} {' '.join(arguments)}"
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        page = browser.new_page()
        try:
            with simulated(Path(folder), game, *arguments, seed=seed) as table:
                table.enter(page)
                person = Person(page, choose=lambda texts: luck.randrange(len(texts)), luck=luck)
                for number in range(2, rounds + 2):
                    person.play(lambda: person.round >= number)  # noqa: B023
                    print(f"\r{told}: round {number - 1} of {rounds}", end="", flush=True)
        except AssertionError as error:
            print(f"\r{told}: {error}")
            page.screenshot(path=f"dead-end-{game}.png")
            return False
    print(f"\r{told}: {rounds} rounds in {time.monotonic() - began:.0f} s")
    return True


if __name__ == "__main__":
    main()
