"""The session itself, dealt from the hand: no device is needed, and people do everything."""

from __future__ import annotations

import random
from pathlib import Path

from shoectl.cards import STANDARD
from shoectl.games.answers import Counted, Decision, Declared, Drawn, Faces, FloorWord, Given, Wagers
from shoectl.games.procedure import Answer, Done, Role
from shoectl.games.steps import Ask, CallFloor, CountDeck, CountTable, Deal, Declare, GiveBack, PlaceWagers, Reveal
from shoectl.journal import Journal
from shoectl.table.openstep import OpenStep
from shoectl.table.runner import Runner
from shoectl.table.session import cycle
from shoectl.table.state import TableState


async def play_by_hand(path: Path, rounds: int) -> None:
    """Seat 1 exchanges two cards and bets in every round; faces are entered when they are turned up."""
    luck = random.Random(7)

    async def people(step: OpenStep) -> None:
        while not step.closed:
            await step.answer(_answer(step, luck), by="dealer")

    with Journal.open(path, threaded=False, durable=False) as journal:
        first = TableState("lunar-poker", seats=(1, 2), dealing="hand", limits={"ante": [10, 100]})
        await Runner(journal, cycle, first).run(dict.fromkeys(Role, people), rounds=rounds)


def _answer(step: OpenStep, luck: random.Random) -> Answer:
    match step.step:
        case PlaceWagers():
            return Wagers(((1, "ante", 10),))
        case Deal():
            return Drawn(None)
        case Declare():
            return Declared(False)
        case Ask(choices=choices):
            return Decision(choices[-1].name, choices[-1].least)
        case GiveBack(least=least):
            return Given(least)
        case Reveal(place=place):
            known = set(step.layout.known())
            rest = [card for card in STANDARD if card not in known]
            return Faces(tuple(luck.sample(rest, step.layout.count(place))))
        case CountDeck():
            return Counted(52)
        case CountTable(known):
            return Counted(known)
        case CallFloor(choices=words):
            return FloorWord(words[0])
    return Done()
