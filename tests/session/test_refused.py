"""Answers that are late, doubled, for another step, of another kind or by the wrong person: refused, nothing moves."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from shoectl.games.answers import Counted, Decision
from shoectl.games.layout import Refused
from shoectl.games.procedure import Answer, Done, Role
from shoectl.table.entries import StepRef
from shoectl.table.openstep import OpenStep
from shoectl.table.people import check_person, check_word
from tests.timeloop import virtual

from .table import Scene

NOBODY_OF_THIS_TABLE = ("seat 7", "a stranger", "")


class Pesters:
    """At every step that is open: everything that must be refused, and the journal as long as before."""

    def __init__(self) -> None:
        self.tried: Counter[str] = Counter()
        self.last: StepRef | None = None

    async def __call__(self, scene: Scene, step: OpenStep) -> None:
        ref = step.ref
        if ref == self.last:
            return
        if self.last is not None:  # late, or a second time
            await self._try(scene, "late", self.last, Done())
        await self._try(scene, "not yet", StepRef(ref.round, ref.step + 1, 0), Done())
        await self._try(scene, "another part", StepRef(ref.round, ref.step, ref.part + 1), Done())
        await self._try(scene, "another round", StepRef(ref.round + 1, ref.step, ref.part), Done())
        if not step.closed and step.ref == ref:
            other = Decision("bet") if step.step.takes is not Decision else Counted(52)
            await self._try(scene, "another kind", ref, other)
            self._persons(scene, step)
        self.last = ref

    async def _try(self, scene: Scene, what: str, ref: StepRef, answer: Answer) -> None:
        steps, part = scene.runner.course.record[:], scene.runner.round and scene.runner.round.part
        answers = _answers(scene)
        with pytest.raises(Refused) as refused:
            await scene.runner.answer(ref, answer, by="dealer")
        assert refused.value.reason
        if _answers(scene) == answers:  # devices may have gone on meanwhile, by what they report
            assert (scene.runner.course.record, scene.runner.round and scene.runner.round.part) == (steps, part)
        self.tried[what] += 1

    def _persons(self, scene: Scene, step: OpenStep) -> None:
        device = step.step.by in (Role.SHOE, Role.SHUFFLER)
        for by in ("dealer", "floor", *NOBODY_OF_THIS_TABLE) if device else NOBODY_OF_THIS_TABLE:
            with pytest.raises(Refused):
                check_person(step.step, scene.runner.state, by)
            self.tried["another person" if not device else "for a device"] += 1


def _answers(scene: Scene) -> int:
    return sum(entry.kind in ("answer", "irregularity") for entry in scene.runner.journal.tail())


@virtual
async def test_at_every_step_of_a_round_nothing_but_its_own_answer_is_taken(tmp_path: Path) -> None:
    pesters = Pesters()
    scene = Scene(tmp_path)
    act = scene._move

    async def move(step: OpenStep) -> None:
        if not step.closed:
            await pesters(scene, step)
        await act(step)

    scene._move = move  # type: ignore[method-assign]
    await scene.play()
    scene.check()
    assert scene.dealt() == scene.birch.drawn
    assert {
        "late",
        "not yet",
        "another part",
        "another round",
        "another kind",
        "another person",
        "for a device",
    } == set(pesters.tried)
    assert pesters.tried["late"] > 20


@pytest.mark.parametrize(
    ("how", "by", "words"),
    [
        ("go on", ("dealer",), "allowed are card, give up"),
        ("card", ("dealer", "floor"), "two different persons"),
        ("give up", ("a stranger",), "may not answer here"),
        ("give up", (), "names who says so"),
        ("give up", ("dealer",), "by a floorperson, not by the dealer"),
    ],
)
@virtual
async def test_a_word_that_does_not_fit_its_hold_is_refused(tmp_path: Path, how: str, by: Any, words: str) -> None:
    said: list[str] = []

    async def held(scene: Scene, step: OpenStep) -> None:
        assert step.holding is not None
        if not said:
            with pytest.raises(Refused) as refused:
                check_word(step.holding, scene.runner.state, scene.runner.course.layout, how, by)
            said.append(str(refused.value))
        await scene.runner.give_held(step.ref, "card", by=("dealer", "floor"), card=scene.birch.drawn[-1])
        with pytest.raises(Refused):  # twice
            await scene.runner.give_held(step.ref, "card", by=("dealer", "floor"), card=scene.birch.drawn[-1])

    scene = Scene(tmp_path, holds=held)
    scene.birch.unreadable = {3}
    await scene.play()
    scene.check()
    assert words in said[0]
    assert scene.dealt() == scene.birch.drawn
