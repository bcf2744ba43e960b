"""What is asked of a game's odds, and where its answers are found."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Final, Protocol, TypeVar

from shoectl.errors import BadInput
from shoectl.games.house import House
from shoectl.games.registry import Game
from shoectl.odds.figures import Figures

T = TypeVar("T")
MAIN: Final = "main"  # the whole game, apart from its side wagers


class Luck(Protocol):
    """A source of random choices; `random.Random` is one."""

    def sample(self, population: Sequence[T], k: int) -> list[T]:
        """So many different members, in random order."""
        ...


Progress = Callable[[int, int], None]  # done, of how many


def silent(done: int, total: int) -> None:
    """Progress that nobody wants to see."""


class NotComputed(BadInput):
    """These odds need something that was not given: a meter, a library."""


@dataclass(frozen=True)
class Question:
    """A table's options, and how its odds are to be found.

    `stake` is the progressive or bonus wager in the smallest unit of money, as meters are. `luck`, `deals` and
    `strategy` are for values that are estimated from random deals.
    """

    house: House
    progress: Progress = silent
    stake: int = 100
    strategy: str = ""
    deals: int = 100_000
    luck: Luck | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Calculation:
    """How the odds of one wager are found. `quick`: within a second, without numpy; `options`: the house options that
    they depend on; `strategies`: those that may be asked for, the first by default; `part`: what is counted is no
    wager but what a bonus adds to the whole game.
    """

    wager: str
    find: Callable[[Question], Figures]
    options: tuple[str, ...] = ()
    quick: bool = True
    strategies: Mapping[str, str] = field(default_factory=dict, compare=False)
    part: bool = False


def calculations(game: Game) -> Mapping[str, Calculation]:
    """The calculations of a game by wager, from the `odds.py` of its folder; none where it has no such file."""
    name = f"shoectl.games.{game.name.replace('-', '_')}.odds"
    if find_spec(name) is None:
        return {}
    found: tuple[Calculation, ...] = importlib.import_module(name).ODDS
    return {one.wager: one for one in found}


def numpy() -> Any:
    """The numpy module. Raises NotComputed, with what to do, where it is not installed."""
    try:
        return importlib.import_module("numpy")
    except ImportError:
        raise NotComputed("these odds need numpy, which is not installed: pip install 'shoectl[odds]'") from None
