"""What a house's own paytables are worth, for whoever states or uses one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from shoectl.games.house import House, show_value
from shoectl.games.own_paytables import PaytableOption, own_paytable
from shoectl.games.registry import Game
from shoectl.odds.figures import Figures
from shoectl.odds.question import Calculation, NotComputed, Question, calculations


@dataclass(frozen=True)
class Remark:
    """One sentence about an own paytable or an option; `warning` where it gives the player an edge."""

    text: str
    warning: bool = False


def remarks(game: Game, house: House, *, slow: bool = False) -> Iterator[Remark]:
    """What there is to say about each paytable that the house has stated itself, and a warning of any other option
    that gives the player an edge. `slow`: what takes longer than a second is counted too, of own paytables.
    """
    for option in game.own_options:
        if isinstance(option, PaytableOption) and own_paytable(option.name, house.text(option.name)):
            using = [one for one in calculations(game).values() if option.name in one.options]
            start = f"house option {option.name}: the house's own paytable"
            if not using:
                yield Remark(f"{start}; what it is worth is not computed")
            for one in using:
                yield _about(game, house, one, start, slow)
        elif option.name in words(game) and house[option.name] != option.default:
            using = [one for one in calculations(game).values() if option.name in one.options and one.quick]
            start = f"house option {option.name}: {show_value(house[option.name])}"
            yield from (said for one in using if (said := _about(game, house, one, start, False)).warning)


def words(game: Game) -> set[str]:
    """The options of a game that are a choice of words: no paytables, no amounts such as a meter's reading."""
    return {one.name for one in game.own_options if one.least is None and not isinstance(one, PaytableOption)}


def _about(game: Game, house: House, one: Calculation, start: str, slow: bool) -> Remark:
    if not (one.quick or slow):
        return Remark(f"{start}; shoectl odds {game.name} --wager {one.wager} counts what it is worth")
    try:
        figures = _found(one, house)
    except NotComputed as reason:
        return Remark(f"{start}; {one.wager}: {reason}")
    if one.part:
        return Remark(f"{start} adds {float(figures.value):.4%} of {figures.per} to what the player is worth")
    if figures.edge < 0:
        edge = f"{float(-figures.edge):.4%} of {figures.per}"
        return Remark(f"{start} gives the player an edge: {one.wager}, {edge}", warning=True)
    return Remark(f"{start}: {one.wager}, house edge {float(figures.edge):.4%} of {figures.per}")


@lru_cache(maxsize=64)
def _found(one: Calculation, house: House) -> Figures:
    return one.find(Question(house))
