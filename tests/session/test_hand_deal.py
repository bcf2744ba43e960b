"""A deal from the hand after a counting shuffler: blind, faces entered at the reveal, typing errors caught."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from shoectl.cards import Card, parse_cards
from shoectl.games.answers import Decision, Declared, Drawn, Faces, FloorWord, Wagers
from shoectl.games.dealing import Dealing
from shoectl.games.layout import Refused
from shoectl.games.procedure import Done, Role
from shoectl.journal import Journal
from shoectl.table.openstep import OpenStep
from shoectl.table.people import wait
from shoectl.table.reports import report
from shoectl.table.runner import Runner
from shoectl.table.session import cycle
from shoectl.table.state import TableState
from tests.endtoend import truth
from tests.timeloop import virtual

from .bench import Bench
from .scenes import BY_HAND
from .scenes import table as hand_table
from .test_simulated import table

ALDER = ("alder",)


@virtual
async def test_twenty_rounds_of_blind_deals_are_what_was_dealt_and_each_reveal_what_lay_there(tmp_path: Path) -> None:
    bench = Bench(tmp_path, table(ALDER), devices=ALDER, seed=11)
    runner = await bench.play(22)
    assert [place for place, _ in bench.journal_deals()] == [place for place, _ in bench.true_deals()]
    assert runner.state.rounds_played == 22
    truth.compare(tmp_path / "journal", bench.truth)
    assert truth.revealed(tmp_path / "journal", bench.truth) > 22
    faces = [entry.body["answer"]["card"] for entry in bench.entries if entry.body.get("takes") == "Drawn"]
    assert sum(face is None for face in faces) > 0.9 * len(faces)  # only what is laid face up is told as it is dealt
    declared = [entry.body["answer"]["declared"] for entry in bench.entries if entry.body.get("takes") == "Declared"]
    assert {True, False} <= set(declared)
    paid = {step["wager"].partition(":")[0] for step in bench.steps() if step["do"] == "pay"}
    assert "super" in paid


class Blind:
    """A table without devices at which seats 1 and 2 play and nobody tells what was dealt."""

    def __init__(self, runner: Runner[TableState]) -> None:
        self.runner = runner

    async def until(self, do: str, place: str = "") -> OpenStep:
        """Answer what people do until a step of that kind is open."""
        while True:
            step = self.runner.open
            if step is None:
                await self.runner.next_change()
                continue
            if step.step.do == do and place in ("", getattr(step.step, "place", "")):
                return step
            match step.step.do:
                case "wagers":
                    answer: object = Wagers(((1, "ante", 10), (1, "super:1", 5), (2, "ante", 10)))
                case "deal":
                    answer = Drawn(None)
                case "declare":
                    answer = Declared(False)
                case "ask":
                    answer = Decision("bet")
                case "reveal":
                    answer = Faces(HANDS[step.step.place])  # type: ignore[attr-defined]
                case _:
                    answer = Done()
            await self.runner.answer(step.ref, answer, by="dealer")  # type: ignore[arg-type]

    async def refuses(self, step: OpenStep, cards: str) -> str:
        """The reason; nothing was written."""
        before = self.runner.journal.last
        with pytest.raises(Refused) as refused:
            await self.runner.answer(step.ref, Faces(parse_cards(cards)), by="dealer")
        assert self.runner.journal.last == before
        return refused.value.reason


HANDS = {"dealer": parse_cards("As Ks 2d 3d 4c"), "seat 2": parse_cards("Ah 9h 2c 3c 4d")}


@virtual
async def test_typing_errors_at_a_reveal_are_refused_with_the_reason(tmp_path: Path) -> None:
    state = hand_table(BY_HAND, dealing=Dealing.HAND, seats=(1, 2))
    with Journal.open(tmp_path / "journal", durable=False, threaded=False) as journal:
        runner: Runner[TableState] = Runner(journal, cycle, state)
        task = asyncio.ensure_future(runner.run(dict.fromkeys(Role, wait)))
        blind = Blind(runner)
        step = await blind.until("reveal", "dealer")
        with pytest.raises(Refused, match="the faces have to be entered, nobody has read them"):
            await runner.answer(step.ref, Faces(), by="dealer")
        assert "a card is entered twice" in await blind.refuses(step, "As As 2d 3d 4c")
        assert "5 cards lie there, 4 entered" in await blind.refuses(step, "As Ks 2d 3d")
        await runner.answer(step.ref, Faces(HANDS["dealer"]), by="dealer")
        step = await blind.until("reveal", "seat 2")
        said = await blind.refuses(step, "As 9h 2c 3c 4d")  # the dealer's, face up: everybody sees it
        assert "As lies elsewhere" in said
        await runner.answer(step.ref, Faces(HANDS["seat 2"]), by="dealer")
        assert Card.parse("Ah") in (runner.course.layout.last_hand("seat 2") or ())
        step = await blind.until("reveal", "seat 1")
        assert "9h lies elsewhere (rack (seat 2))" in await blind.refuses(step, "9h 5s 6s 7s 8s")
        task.cancel()
        await asyncio.wait([task])


@virtual
@pytest.mark.parametrize("word", ["go on", "settle by hand", "end the round"])
async def test_a_typing_error_that_a_later_hand_brings_to_light_is_reported_and_the_floor_decides(
    tmp_path: Path, word: str
) -> None:
    state = hand_table(BY_HAND, dealing=Dealing.HAND, seats=(1, 2))
    with Journal.open(tmp_path / "journal", durable=False, threaded=False) as journal:
        runner: Runner[TableState] = Runner(journal, cycle, state)
        task = asyncio.ensure_future(runner.run(dict.fromkeys(Role, wait)))
        blind = Blind(runner)
        step = await blind.until("reveal", "seat 1")  # the dealer's hand and that of seat 2 were entered
        assert "As lies elsewhere (dealer)" in await blind.refuses(step, "As 5s 6s 7s 8s")  # and yet it lies here
        await report(runner, step.ref, "misread", "seat 1", by="dealer")
        step = await blind.until("floor")
        assert word in step.step.choices  # type: ignore[attr-defined]
        await runner.answer(step.ref, FloorWord(word), by="floor")
        after = {"go on": "reveal", "settle by hand": "settle_by_hand"}.get(word, "shuffle_by_hand")
        await blind.until(after)
        task.cancel()
        await asyncio.wait([task])
