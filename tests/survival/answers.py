"""Every answer to every step: each class of answer, late, doubled, too early, by the wrong person, at each kind of it.

What is refused is refused by name, and nothing moves: not one entry is written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoectl.cards import Card
from shoectl.games import answers as kinds
from shoectl.games.layout import Refused
from shoectl.games.procedure import Answer, Done, Role
from shoectl.journal import Journal
from shoectl.table.entries import EvidenceRef, StepRef
from shoectl.table.openstep import OpenStep, StepClosed
from shoectl.table.people import check_person
from shoectl.table.runner import Runner
from shoectl.table.session import cycle
from shoectl.table.state import TableState
from tests.session.scenes import Hands

ACE, SEVEN = Card.parse("As"), Card.parse("7d")
SAMPLES: tuple[Answer, ...] = (
    Done(),
    kinds.Wagers(((99, "ante", 10),)),
    kinds.Wagers(((1, "no such wager", 10),)),
    kinds.Decision("no such choice"),
    kinds.Given(60),
    kinds.Faces((ACE, ACE)),
    kinds.FloorWord("no such word"),
    kinds.Counted(-1),
    kinds.Declared(True),
    kinds.Drawn(SEVEN, 1),
    kinds.ShoeClosed(52, 52, True),
    kinds.Fed(True),
    kinds.Started(1),
    kinds.Shuffled(True),
    kinds.Taken(52),
)
PERSONS = ("", "nobody", "seat 7", "dealer", "floor", "0", "-1", "9" * 40)


class Stands(AssertionError):
    """Something moved that should not have, or was refused without a word."""


async def try_all(runner: Runner[TableState], step: OpenStep) -> int:
    """Every answer that this step cannot take; how many were tried. Raises Stands."""
    tried = 0
    ref, last = step.ref, runner.journal.last
    elsewhere = [replace(ref, step=ref.step - 1), replace(ref, step=ref.step + 1), replace(ref, part=ref.part + 1)]
    elsewhere += [replace(ref, round=ref.round - 1), replace(ref, round=ref.round + 1), StepRef(0, 0, 0)]
    for answer in SAMPLES:
        if not isinstance(answer, step.step.takes):
            await refused(runner, ref, answer)
            tried += 1
        for other in elsewhere:
            await refused(runner, other, answer, StepClosed)
            tried += 1
    await refused(runner, ref, Done(), Exception, evidence=(EvidenceRef("no unit", 1, 1),))
    for how in ("card", "go on", "give up", ""):
        try:
            await runner.give_held(ref, how, by=("dealer", "floor"))
        except Refused as no:
            tried += said(no)
        else:
            raise Stands(f"{step.step.do}: a hold that is not open was ended")
    tried += persons(step)
    if runner.journal.last != last or step.closed or step.ref != ref:
        raise Stands(f"{step.step.do}: something moved")
    return tried + 1


def persons(step: OpenStep) -> int:
    """Nobody speaks for a device, for another seat, or under a name that the house does not know."""
    device = {Role.SHOE: step.state.equipment.shoe, Role.SHUFFLER: step.state.equipment.shuffler}.get(step.step.by)
    for by in PERSONS:
        try:
            check_person(step.step, step.state, by)
        except Refused as no:
            said(no)
        else:
            if device is not None or by not in ("dealer", "floor"):
                raise Stands(f"{step.step.do}: {by!r} may answer it")
    return len(PERSONS)


async def refused(
    runner: Runner[TableState],
    ref: StepRef,
    answer: Answer,
    kind: type[Exception] = Refused,
    evidence: tuple[EvidenceRef, ...] = (),
) -> None:
    """One answer. Raises Stands where it is taken."""
    try:
        await runner.answer(ref, answer, by="dealer", evidence=evidence)
    except kind as no:
        said(no)
    else:
        raise Stands(f"{ref}: {answer} was taken")


def said(no: Exception) -> int:
    """One, for a refusal with a reason in one line. Raises Stands."""
    text = str(no)
    if len(text) < 10 or "\n" in text:
        raise Stands(f"refused without a word: {no!r}")
    return 1


async def play(
    folder: Path, state: TableState, hands: Hands, rounds: int = 2, throw: Mapping[str, Any] | None = None
) -> tuple[set[str], int]:
    """Rounds in which every wrong answer is tried at every step, and each right one is given twice.

    `throw`: trouble for the first step of a kind. Returns the kinds of steps seen, and how many answers were tried.
    """
    seen: set[str] = set()
    tried, owed = 0, dict(throw or {})
    with Journal.open(folder / "journal", threaded=False, durable=False) as journal:
        runner: Runner[TableState] = Runner(journal, cycle, state)

        async def answer(step: OpenStep) -> None:
            nonlocal tried
            tried += await try_all(runner, step)
            seen.add(step.step.do)
            assert runner.round is not None
            if (trouble := owed.pop(step.step.do, None)) is not None:
                await step.irregularity(trouble)
                return
            ref, right = step.ref, hands(runner.round)
            await runner.answer(ref, right, by="dealer")
            await refused(runner, ref, right, StepClosed)

        async with asyncio.timeout(600):
            await runner.run(dict.fromkeys(Role, answer), rounds=rounds)
    return seen, tried
