"""Every irregularity in every game: what is done to a table, and what becomes of money, deck and table then."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from shoectl.games.answers import Setting
from shoectl.games.procedure import Trouble
from shoectl.games.registry import game
from shoectl.games.steps import BONUS, COMMUNITY, ReadSetting, at_seat
from shoectl.table.holds import GIVE_UP
from shoectl.table.openstep import OpenStep
from shoectl.table.reports import report
from tests.session.test_simulated import table
from tests.timeloop import run

from . import invariants
from .limits import within
from .world import World

GAMES = ("lunar-poker", "four-card-poker", "five-card-hi-lo", "cajun-stud")
TWICE = tuple(f"birch:duplicate@draw={draw}" for draw in range(1, 12))
Act = Callable[[World, OpenStep], Awaitable[Any]]
UNTOLD = Path("no truth")


@dataclass(frozen=True)
class Case:
    """One irregularity. `faults` are the devices', `act` what a person does at the first step named `at`.

    `trouble`: what is thrown (None: nothing is). `money`: the round is "void" or its wagers "stand". `deck`: it "stays"
    or "leaves". `games`: where it can come about.
    """

    name: str
    trouble: Trouble | None
    money: str
    deck: str = "stays"
    faults: tuple[str, ...] = ()
    at: str = ""
    act: Act | None = None
    house: Mapping[str, Any] = field(default_factory=dict)
    games: tuple[str, ...] = GAMES
    seed: int = 3
    known: invariants.Known = invariants.EVERYTHING
    truth: bool = True
    needs: str = ""  # a place where cards have to lie
    rounds: int = 2


def exposed(place: str) -> Act:
    """The dealer reports that a card of a place was seen; of more than one the first."""

    async def act(world: World, step: OpenStep) -> None:
        slot = step.layout.places[place][0]
        await report(world.runner, step.ref, "exposed", place, by="dealer", card=slot.face)

    return act


def taken(source: str, to: str) -> Act:
    """A card is moved behind everybody's back."""

    async def act(world: World, step: OpenStep) -> None:
        assert world.table is not None
        cards = world.table.world
        cards.move(cards.cards(source)[-1], to, by="somebody")

    return act


async def given_up(world: World, step: OpenStep) -> None:
    """The shoe's plug is pulled in the middle of the deal, and the floor gives the step up."""
    await until(world, lambda: step.ref.part >= 4)
    world.unplug("birch")
    await until(world, lambda: world.runner.view("dealer")["hold"] is not None)
    reason = world.runner.view("dealer")["hold"]["reason"]
    await world.runner.give_held(step.ref, GIVE_UP, by=("floor",), reason=reason)
    world.unplugged.clear()


async def foul(world: World, step: OpenStep) -> None:
    """A player has set two hands that are not allowed, and the dealer reads them so."""
    assert isinstance(step.step, ReadSetting)
    played, cards = game(step.state.game), step.layout.hand(at_seat(step.step.seat))
    assert cards is not None
    house = played.house(step.state.house)
    low = next(low for low in combinations(cards, step.step.low) if played.foul(cards, low, house))
    await world.runner.answer(step.ref, Setting(low), by="dealer")


async def until(world: World, holds: Callable[[], bool]) -> None:
    """Wait until the table has changed so that something holds."""
    changed = asyncio.Event()
    world.runner.listen(changed.set)
    while not holds():
        changed.clear()
        await changed.wait()


CASES = (
    Case(
        "a card is drawn too early",
        Trouble.EARLY_DRAW,
        "stand",
        faults=("birch:early_draw",),
        house={"card_drawn_in_error": "rack"},
    ),
    Case(
        "and the house voids that",
        Trouble.EARLY_DRAW,
        "void",
        faults=("birch:early_draw",),
        house={"card_drawn_in_error": "void"},
    ),
    Case("a card came too much as the gate shut", Trouble.EXTRA_CARD, "stand", faults=("birch:overdraw",)),
    Case("a card came face up out of the shoe", Trouble.EXPOSED_CARD, "stand", faults=("birch:face_up",)),
    Case(
        "and the house voids that",
        Trouble.EXPOSED_CARD,
        "void",
        faults=("birch:face_up",),
        house={"one_exposed_card": "void"},
    ),
    Case("the dealer's card is seen", Trouble.EXPOSED_CARD, "void", at="ask", act=exposed("dealer"), games=GAMES[:3]),
    Case(
        "and the house goes on",
        Trouble.EXPOSED_CARD,
        "stand",
        at="ask",
        act=exposed("dealer"),
        house={"dealer_card_exposed": "continue"},
        games=GAMES[:3],
    ),
    Case(
        "a community card is seen early",
        Trouble.EXPOSED_CARD,
        "floor",
        at="ask",
        act=exposed(COMMUNITY),
        games=("cajun-stud",),
    ),
    Case(
        "and the house voids that",
        Trouble.EXPOSED_CARD,
        "void",
        at="ask",
        act=exposed(COMMUNITY),
        house={"community_card_exposed": "void"},
        games=("cajun-stud",),
    ),
    Case(
        "a bonus card is seen early",
        Trouble.EXPOSED_CARD,
        "bonus",
        at="ask",
        act=exposed(BONUS),
        games=("four-card-poker", "cajun-stud"),
        needs=BONUS,
        rounds=5,
    ),
    Case(
        "and the house voids that",
        Trouble.EXPOSED_CARD,
        "void",
        at="ask",
        act=exposed(BONUS),
        house={"bonus_card_exposed": "void"},
        games=("four-card-poker", "cajun-stud"),
        needs=BONUS,
        rounds=5,
    ),
    Case(
        "a hand has a card too few",
        Trouble.WRONG_COUNT,
        "void",
        "leaves",
        at="ask",
        act=taken("seat 2", "off"),
        truth=False,
        games=("lunar-poker", "five-card-hi-lo", "cajun-stud"),
    ),
    Case(
        "a hand has a card too few, found in the showdown",
        Trouble.WRONG_COUNT,
        "floor",
        "leaves",
        at="ask",
        act=taken("seat 2", "off"),
        truth=False,
        games=("four-card-poker",),
    ),
    Case("a player sets a foul hand", None, "floor", at="set", act=foul, games=("five-card-hi-lo",)),
    Case(
        "and the house has it forfeit",
        None,
        "floor",
        at="set",
        act=foul,
        house={"foul_hand": "forfeit"},
        games=("five-card-hi-lo",),
    ),
    Case("the shoe does not finish the deal", Trouble.DEVICE_FAILED, "void", at="deal", act=given_up),
    Case("the shoe restarts in the deal", None, "stand", faults=("birch:watchdog@card=5",)),
    Case(
        "a card fell to the floor on its way into the shoe",
        None,
        "stand",
        "leaves",
        faults=("birch:missing",),
        games=("lunar-poker",),
    ),
    Case(
        "the same, where the shoe counts while the round is open",
        None,
        "void",
        "leaves",
        faults=("birch:missing",),
        games=GAMES[1:],
    ),
    Case("a card cannot be read", None, "stand", faults=("birch:unreadable",)),
    Case("a card comes twice", Trouble.DUPLICATE_CARD, "void", "leaves", faults=TWICE),
    Case("a card is of another game", Trouble.FOREIGN_CARD, "void", "leaves", faults=("birch:foreign",)),
    Case("the shuffler counts wrong", None, "stand", "leaves", faults=("alder:lying_count@out=-1",)),
)


@dataclass(frozen=True)
class Came:
    """What came of a case."""

    case: Case
    bodies: Callable[[str], list[Mapping[str, Any]]]
    stopped: object


def at_step(world: World, case: Case) -> bool:
    """Whether it is time to act."""
    now = world.runner.open
    if now is None or now.closed or now.step.do != case.at:
        return False
    return not case.needs or now.layout.count(case.needs) > 0


def played(case: Case, name: str) -> Came:
    """Rounds of a game with the case in them, all invariants held. Raises AssertionError."""

    async def play(folder: Path) -> Came:
        async def beside(world: World) -> None:
            if case.act is not None:
                await until(world, lambda: at_step(world, case))
                assert world.runner.open is not None
                await case.act(world, world.runner.open)
            await asyncio.Event().wait()

        limits = dict.fromkeys(game(name).families, (10, 100))
        state = table(game=name, limits=limits, house=dict(case.house))
        world = World(folder, state, case.faults, seed=case.seed, pause=1.0 if case.act else 0.0)
        world.disturb = beside if case.act else None
        await world.play(case.rounds)
        truth = world.truth if case.truth else UNTOLD
        entries = invariants.hold(world.journal, truth, case.known, finished=world.stopped is None)
        return Came(case, lambda kind: [one.body for one in entries if one.kind == kind], world.stopped)

    with tempfile.TemporaryDirectory() as folder, within(120):
        return run(play(Path(folder)))
