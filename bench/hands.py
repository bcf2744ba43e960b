"""Hands at which nothing ever goes wrong, fast: what is measured is the table, not the people."""

from __future__ import annotations

import random
from typing import Any

from shoectl.cards import STANDARD, Card
from shoectl.games.answers import (
    Counted,
    Decision,
    Declared,
    Drawn,
    Faces,
    Fed,
    FloorWord,
    Given,
    ShoeClosed,
    Shuffled,
    Started,
    Taken,
    Wagers,
)
from shoectl.games.layout import Layout
from shoectl.games.procedure import Answer, Done, Round, Step
from shoectl.games.steps import Ask, CloseShoe, Deal, GiveBack, PlaceWagers, Reveal
from shoectl.table.openstep import OpenStep


class PerfectHands:
    """Answers every step of a session, by one random stream."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.deck: list[Card] = []

    async def __call__(self, step: OpenStep) -> None:
        while not step.closed:
            await step.answer(self.answer(step.step, step.layout), by="bench")

    def due(self, play: Round[Any]) -> Answer:
        assert play.step is not None
        return self.answer(play.step, play.layout)

    def answer(self, step: Step[Any], layout: Layout) -> Answer:
        match step:
            case PlaceWagers(seats):
                self.deck = list(STANDARD)
                self.random.shuffle(self.deck)
                return Wagers(tuple((seat, "ante", 10) for seat in seats))
            case Deal():
                return Drawn(self.deck.pop())
            case Ask(choices=choices):
                chosen = self.random.choice(choices)
                return Decision(chosen.name, chosen.least)
            case GiveBack(seat, least):
                hand = layout.hand(f"seat {seat}") or ()
                return Given(least, hand[:least])
            case Reveal():
                return Faces()
            case CloseShoe(residual=residual):
                return ShoeClosed(52, 52, right=residual >= 0)
        return _PLAIN[step.takes]


_PLAIN: dict[type[Answer], Answer] = {
    Done: Done(),
    Fed: Fed(True),
    Started: Started(1, 1),
    Shuffled: Shuffled(proven=True, counted=52, cycle=1, identity=True),
    Taken: Taken(52),
    Declared: Declared(False),
    Counted: Counted(52),
    FloorWord: FloorWord("go on"),
}
