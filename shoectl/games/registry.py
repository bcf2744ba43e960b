"""The games there are, and what the session asks of one.

How a session plays a round (everything between the two stretches lies on the layout, nothing is carried along):

    played = game("lunar-poker")                        # BadInput naming the games there are
    house = played.house({"instant_payout": "B"})      # all options, the table's too; dict(house.values) is its JSON
    yield from PlaceWagers(seats, played.offers(house, limits), rule=...)           # the session's own step
    yield from guarded(played.until_showdown(layout, house, dealing), policy)       # "no more bets", deal, decisions
    ...                                              # no card leaves the shoe any more: it may be closed here
    yield from guarded(played.showdown(layout, house), later_policy)                # reveals, money, cards to the rack

Either stretch may raise Irregularity (thrown into it, or STUB_EXHAUSTED by itself); `void` of games/turns.py
then gives back what lies there. `played.play` is both stretches without a guard.

A game is a folder here with a `procedure.py`; its package exports `GAME`. Adding one edits nothing else.
"""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import ClassVar

import shoectl.games
from shoectl.cards import Card
from shoectl.errors import BadInput
from shoectl.games.dealing import Dealing
from shoectl.games.house import House, Option, make_house
from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure
from shoectl.games.steps import Declare, WagerOffer
from shoectl.games.table_options import TABLE_OPTIONS
from shoectl.games.wagers import Paytables

Limits = Mapping[str, tuple[int, int]]  # wager name, or its part before ":", to least and most


@dataclass(frozen=True)
class Ranked:
    """One hand of one kind, ranked. A higher `order` beats a lower one of the same game and kind, equal is a tie.

    `cards` are the cards that make the hand what it is (the two of a pair), `more` what a kind adds of its own.
    """

    kind: str
    name: str
    text: str
    cards: tuple[Card, ...]
    order: int
    more: Mapping[str, object] = field(default_factory=dict)


Kind = Callable[[tuple[Card, ...], House], Ranked]


@dataclass(frozen=True)
class Reading:
    """What cards that lie face up are, for whoever shows them: in words, and, where a hand may be paid twice, the cards
    of each combination, the first payment's first.
    """

    text: str
    combinations: tuple[tuple[Card, ...], ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What the hands of a finished round were, in words, for whoever prints it."""

    seats: Mapping[int, Mapping[str, object]]
    dealer: Mapping[str, object]


class Game(ABC):
    """One game, as a session and the commands see it."""

    name: ClassVar[str]  # "lunar-poker"
    title: ClassVar[str]
    chapter: ClassVar[str]  # "671a"
    own_options: ClassVar[tuple[Option, ...]]
    paytables: ClassVar[Paytables]
    bonus_wagers: ClassVar[tuple[str, ...]] = ()  # those that the cards of the place `bonus` settle
    declares: ClassVar[bool] = False  # a record's decisions may begin with the word `declare`
    families: ClassVar[tuple[str, ...]]  # wagers before the deal, by their name or the part before ":"
    paragraphs: ClassVar[tuple[str, ...]] = ()  # of its section of play, from (a) on: what each is about, in a word

    @property
    def options(self) -> tuple[Option, ...]:
        """The game's own options, then those of every table."""
        return (*self.own_options, *TABLE_OPTIONS)

    def house(self, options: Mapping[str, object]) -> House:
        """All options with the values given. Raises BadInput for an unknown name or value."""
        return make_house(self.options, options)

    @abstractmethod
    def offers(self, house: House, limits: Limits) -> tuple[WagerOffer, ...]:
        """The wagers that may be placed before the deal: those that the table has limits for, by name or by the part
        before ":" (`super` for all of `super:1`). Raises BadInput where a required one is missing or one is unknown.
        """

    @abstractmethod
    def cards_needed(self, seats: int) -> int:
        """The most cards that a round of so many seats can ask for; more than 52 where the stub may run out."""

    @abstractmethod
    def until_showdown(self, layout: Layout, house: House, dealing: Dealing) -> Procedure[None]:
        """The round from "no more bets" until no card is dealt any more and every decision is made."""

    @abstractmethod
    def showdown(self, layout: Layout, house: House) -> Procedure[None]:
        """The rest of the round, until no wager and no card lies on the table."""

    @property
    @abstractmethod
    def kinds(self) -> Mapping[str, Kind]:
        """The kinds of hands that `shoectl rank` can rank, by name."""

    def should_declare(self, step: Declare, cards: tuple[Card, ...], house: House) -> bool:
        """Whether a player who sees these cards has what the step asks him to declare."""
        return False

    def settings(self, cards: tuple[Card, ...], house: House) -> tuple[tuple[Card, ...], ...]:
        """The low hands that may be set from these cards, where he sets two hands; the first: the house's way."""
        return ()

    def foul(self, cards: tuple[Card, ...], low: tuple[Card, ...], house: House) -> tuple[str, str] | None:
        """Why these cards may not be set with this low hand, in words, and the paragraph; None where they may."""
        return None

    def reading(self, place: str, faces: Mapping[str, tuple[Card, ...]], house: House) -> Reading | None:
        """What the cards of a place are. `faces`: the places where every card lies face up; None where there is nothing
        to say of this one yet.
        """
        return None

    def beats(self, one: Ranked, other: Ranked) -> bool:
        """Whether one hand beats another one of the same kind."""
        return one.order > other.order

    @abstractmethod
    def too_late(self, layout: Layout, seat: int) -> tuple[str, str]:
        """Why a seat has no decision to make any more, in words, and the paragraph that says so."""

    @abstractmethod
    def outcome(self, layout: Layout, house: House) -> Outcome:
        """The hands of a finished round, read off the layout."""

    def play(self, layout: Layout, house: House, dealing: Dealing) -> Procedure[None]:
        """A whole round, both stretches, unguarded."""
        yield from self.until_showdown(layout, house, dealing)
        yield from self.showdown(layout, house)


@cache
def game_names() -> tuple[str, ...]:
    """The names of all games there are, as users write them."""
    return tuple(
        module.name.replace("_", "-")
        for module in pkgutil.iter_modules(shoectl.games.__path__)
        if module.ispkg and files(f"shoectl.games.{module.name}").joinpath("procedure.py").is_file()
    )


def game(name: str) -> Game:
    """The game of that name. Raises BadInput naming the games there are."""
    if name not in game_names():
        raise BadInput(f"game {name[:40]!r} is not known, known are {', '.join(game_names())}")
    found = importlib.import_module(f"shoectl.games.{name.replace('-', '_')}").GAME
    assert isinstance(found, Game)
    return found


def find_limit(limits: Limits, wager: str) -> tuple[int, int] | None:
    """Least and most of a wager: by its name, or by the part before ":"; None where the table does not take it."""
    span = limits.get(wager, limits.get(wager.partition(":")[0]))
    return (span[0], span[1]) if span is not None else None


def known_limits(limits: Limits, families: Collection[str]) -> None:
    """Raises BadInput naming a limit of a wager that the game does not have, or a least above its most."""
    for name, (least, most) in limits.items():
        if name.partition(":")[0] not in families:
            raise BadInput(f"limits: no wager {name[:40]!r}, there are {', '.join(families)}")
        if not 0 < least <= most:
            raise BadInput(
                f"limits: {name} from {least} to {most}: the least must be 1 or more, and not above the most"
            )
