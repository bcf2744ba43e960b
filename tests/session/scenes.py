"""States and hands for sessions driven without a runner: people and devices that answer at once."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from shoectl.cards import STANDARD, Card
from shoectl.games.answers import (
    Brought,
    Counted,
    Decision,
    Declared,
    Drawn,
    Faces,
    Fed,
    FloorWord,
    Given,
    Settled,
    ShoeClosed,
    Shuffled,
    Started,
    Taken,
    Wagers,
)
from shoectl.games.dealing import Dealing
from shoectl.games.layout import Layout
from shoectl.games.procedure import Answer, Done, Irregularity, Role, Round, Step
from shoectl.games.steps import (
    Ask,
    AwaitShuffle,
    BringDeck,
    CallFloor,
    CloseShoe,
    CountDeck,
    CountTable,
    Deal,
    Declare,
    FeedShuffler,
    GiveBack,
    PlaceWagers,
    Reveal,
    SettleByHand,
    StartShuffle,
    TakeDeck,
    at_seat,
)
from shoectl.table.decks_turn import second_deck
from shoectl.table.session import cycle
from shoectl.table.state import Deck, Equipment, ShoeKind, ShufflerKind, TableState

LIMITS = {"ante": (10, 100), "super": (5, 50)}
BY_DEVICES = Equipment(ShufflerKind(), ShoeKind())
BY_HAND = Equipment(None, None)


def table(equipment: Equipment = BY_DEVICES, **changes: Any) -> TableState:
    """A Lunar Poker table of three seats."""
    state = TableState("lunar-poker", (1, 2, 3), {}, LIMITS, Dealing.MANUAL, equipment)
    if (since := changes.pop("rounds_since_count", None)) is not None:
        played = changes.get("rounds_played", 0)
        state = replace(state, last_count=played - since).with_deck(rounds=tuple(range(played - since + 1, played + 1)))
    return replace(state, **changes)


def two_decks(equipment: Equipment = BY_DEVICES, *, there: bool = False, **changes: Any) -> TableState:
    """The same with a red and a blue deck; the blue one is in its box (`there`), or has still to be brought."""
    return table(equipment, decks=(Deck(0), second_deck(Deck(0), there=there)), **changes)


@dataclass
class Hands:
    """Answers every step. `said` gives other answers to steps by their name, once each, in order."""

    seed: int = 1
    said: dict[str, list[Answer]] = field(default_factory=dict)
    plays: bool = True
    count: int = 52
    counting: bool = True  # the shuffler's sensors
    floor: str = ""  # what the floor decides; "": the first that is offered
    stub: list[Card] = field(default_factory=list)

    def __call__(self, play: Round[Any]) -> Answer:
        step = play.step
        assert step is not None
        if self.said.get(step.do):
            return self.said[step.do].pop(0)
        return self.answer(step, play)

    def answer(self, step: Step[Any], play: Round[Any]) -> Answer:
        layout, luck = play.layout, random.Random(f"{self.seed} {play.number} {step.do}")
        match step:
            case FeedShuffler():
                return Fed(True)
            case StartShuffle():
                self.stub = list(STANDARD)
                luck.shuffle(self.stub)
                return Started(7, 17)
            case AwaitShuffle():
                return Shuffled(True, verdict=1, counted=52 * self.counting, cycle=17, counts=self.counting)
            case TakeDeck():
                return Taken(52)
            case CountTable(known):
                return Counted(known)
            case CountDeck():
                return Counted(self.count)
            case BringDeck():
                self.count = 52
                return Brought()
            case SettleByHand():
                return Settled("return")
            case CloseShoe():
                return ShoeClosed(52, 52, True)
            case PlaceWagers(seats):
                placed = [
                    (seat, name, amount) for seat in seats for name, amount in (("ante", 10), (f"super:{seat}", 5))
                ]
                return Wagers(tuple(placed) if self.plays else ())
            case Deal():
                return Drawn(self._next(layout))
            case Ask(choices=choices):
                return Decision(luck.choice(choices).name)
            case GiveBack(seat, least):
                hand = layout.hand(at_seat(seat)) or ()
                return Given(least, hand[:least])
            case Declare():
                return Declared(False)
            case Reveal():
                return Faces()
            case CallFloor(choices=choices):
                return FloorWord(self.floor if self.floor in choices else choices[0])
        return Done()

    def _next(self, layout: Layout) -> Card:
        if not self.stub:
            self.stub = list(STANDARD)
            random.Random(self.seed).shuffle(self.stub)
        return next(card for card in self.stub if not layout.seen(card))


Throw = Callable[[Round[Any]], Irregularity | None]


def play(
    state: TableState, hands: Hands, throw: Throw = lambda play: None
) -> tuple[TableState, Round[TableState], list[Step[Any]]]:
    """One cycle to its end: the state after it, the round, the steps asked. `throw` is tried before each answer."""
    game = Round(lambda layout: cycle(layout, state), Layout())
    steps: list[Step[Any]] = []
    number = 0
    while (step := game.step) is not None:
        assert len(steps) < 2_000, "the session goes in circles"
        if game.number != number:
            number = game.number
            steps.append(step)
        if (trouble := throw(game)) is not None:
            game.throw(trouble)
        elif step.by is Role.NOBODY:
            game.give()
        else:
            answer = hands(game)
            game.layout.check(step, game.part, answer)
            game.give(answer)
    assert game.result is not None
    return game.result, game, steps


def names(steps: list[Step[Any]]) -> list[str]:
    """The steps by name."""
    return [step.do for step in steps]


def nothing_is_left(game: Round[Any]) -> None:
    """At the end of a round no wager and no card lies on the table."""
    assert list(game.layout.standing()) == []
    assert game.layout.occupied() == ()
