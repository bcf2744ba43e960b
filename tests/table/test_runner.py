"""Journal first, then the procedure, then its hands."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shoectl.errors import BadInput
from shoectl.games.answers import Decision, Faces, Wagers
from shoectl.games.layout import Layout, Refused
from shoectl.games.procedure import Answer, Done, Procedure, Role
from shoectl.games.steps import Announce
from shoectl.journal import Journal
from shoectl.table.audit import Audit
from shoectl.table.course import Diverged
from shoectl.table.entries import StepRef
from shoectl.table.openstep import OpenStep, StepClosed, Stop
from shoectl.table.runner import Runner
from shoectl.table.session import cycle as session_cycle
from shoectl.table.state import TableState
from tests.timeloop import virtual

from .bench import VERSION, at, entries_of, kinds, leave, table, until
from .fakes import World
from .game import STAKE, WAGERS, Purse, announcing, cycle

# what a table begins with


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"limits": {}}, "those of the ante are missing"),
        ({"limits": {"ante": [500, 10]}}, "the least must be 1 or more"),
        ({"limits": {"anti": [1, 10]}}, "no wager 'anti'"),
        ({"house": {"foo": 1}}, "house option foo is not known"),
        ({"house": {"count_every": 9}}, "house option count_every"),
        ({"game": "whist"}, "game 'whist' is not known"),
        ({"seats": []}, "are no seats"),
        ({"seats": [2, 1]}, "are no seats"),
        ({"seats": [0]}, "are no seats"),
        ({"seats": [7]}, "there is no seat 7"),
        ({"foo": 1}, "unknown field 'foo'"),
    ],
)
@virtual
async def test_a_state_that_no_round_can_be_played_with_is_refused_before_the_first_entry(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    good = {"game": "lunar-poker", "limits": {"ante": [10, 100]}}
    with Journal.open(tmp_path / "j", threaded=False) as journal:
        with pytest.raises(BadInput, match=said):
            Runner(journal, session_cycle, TableState.from_json({**good, **change}))
        assert journal.last == 0
        runner = Runner(journal, session_cycle, TableState.from_json(good))
        running = asyncio.create_task(runner.run(dict.fromkeys(Role, leave)))
        while runner.open is None:
            await runner.next_change()
        before = journal.last
        with pytest.raises(BadInput, match=said):
            await runner.amend(change)
        assert journal.last == before
        running.cancel()


# answers


@virtual
async def test_late_doubled_and_wrong_answers_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    async with table(tmp_path / "j", people=leave) as (runner, _):
        step = await at(runner, "wagers")
        ref, before = step.ref, runner.journal.last
        wrong: list[tuple[StepRef, Answer]] = [
            (replace(ref, round=ref.round + 1), WAGERS),
            (replace(ref, step=ref.step - 1), Done()),
            (replace(ref, step=ref.step + 1), Decision("stand")),
            (replace(ref, part=1), WAGERS),
            (ref, Done()),
            (ref, Decision("stand")),
            (ref, Wagers(((7, "ante", STAKE),))),
            (ref, Wagers(((1, "ante", STAKE + 1),))),
        ]
        for where, answer in wrong:
            with pytest.raises(Refused):
                await runner.answer(where, answer, by="seat 1")
        assert runner.journal.last == before
        n = await runner.answer(ref, WAGERS, by="dealer")
        assert runner.journal.head[0] >= n > before
        await at(runner, "ask")
        after = runner.journal.last
        with pytest.raises(StepClosed, match="is not open"):
            await runner.answer(ref, WAGERS, by="dealer")
        assert runner.journal.last == after


@virtual
async def test_evidence_is_used_once(tmp_path: Path) -> None:
    async with table(tmp_path / "j", people=leave) as (runner, _):
        step = await at(runner, "wagers")
        used = next(one for one in runner.facts.events("shuffler") if runner.facts.used(one.ref))
        with pytest.raises(Refused, match="used already"):
            await runner.answer(step.ref, WAGERS, by="dealer", evidence=[used.ref])
        with pytest.raises(LookupError):
            await runner.answer(step.ref, WAGERS, by="dealer", evidence=[replace(used.ref, seq=999)])


@virtual
async def test_a_refusal_at_the_table_names_no_face_that_is_not_shown(tmp_path: Path) -> None:
    world = World()
    async with table(tmp_path / "j", world, people=leave) as (runner, _):
        await runner.answer((await at(runner, "wagers")).ref, WAGERS, by="dealer")
        for _ in range(2):
            await runner.answer((await at(runner, "ask")).ref, Decision("stand"), by="seat")
        step = await at(runner, "reveal")
        hidden = world.shoe.dealt[0]  # seat 1's, face down
        with pytest.raises(Refused) as refused:
            await runner.answer(step.ref, Faces((hidden, world.shoe.dealt[2])), by="dealer")
        assert not any(str(card) in str(refused.value) for card in world.shoe.dealt)


async def test_an_answer_on_disk_counts_even_if_whoever_gave_it_is_gone(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "j") as journal:  # with the disk in its thread
        runner = Runner(journal, announcing, Purse(), current=VERSION)
        running = asyncio.create_task(runner.run({Role.PEOPLE: leave}))
        step = await at(runner, "wagers")
        answering = asyncio.create_task(runner.answer(step.ref, WAGERS, by="dealer"))
        while runner.journal.last == runner.journal.head[0] or not runner._turn.locked():
            await asyncio.sleep(0)
            if answering.done():
                break
        answering.cancel()
        await until(lambda: step.closed, runner)
        assert runner.round_no == 2
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running


# rounds


@virtual
async def test_a_run_ends_with_its_rounds_and_the_next_one_goes_on_from_there(tmp_path: Path) -> None:
    world, path = World(), tmp_path / "j"
    for rounds, total in ((2, 2), (2, 2), (3, 3)):
        async with table(path, world, rounds=rounds) as (runner, running):
            await running
            assert runner.course.finished == total
            assert runner.state.played == total
            assert runner.journal.head[0] == runner.journal.last
    assert len(kinds(path, "round")) == 3
    assert Audit(cycle, Purse.from_json, current=VERSION).all(entries_of(path)).diverged == {}


@virtual
async def test_the_entry_that_opens_a_round_is_all_that_a_start_needs(tmp_path: Path) -> None:
    world, path = World(), tmp_path / "j"
    async with table(path, world, rounds=3) as (_, running):
        await running
    opens = kinds(path, "round")
    assert [one["number"] for one in opens] == [1, 2, 3]
    assert opens[1]["state"]["played"] == 1
    assert [one["name"] for one in opens[1]["evidence"]] == ["SHUFFLE_DONE"]  # the deck shuffled meanwhile
    assert opens[1]["versions"] == VERSION
    assert {place["place"] for place in opens[1]["places"]} == {"shoe", "shuffler"}
    assert all(unit["id"] > 0 and unit["seqs"]["1"] > 0 for unit in opens[1]["units"].values())


@virtual
async def test_evidence_that_nobody_awaits_does_not_pile_up(tmp_path: Path) -> None:
    path = tmp_path / "j"
    async with table(path, World(extra_draw=2), rounds=6) as (_, running):
        await running
    assert {len(one["evidence"]) for one in kinds(path, "round")[1:]} == {1}


@virtual
async def test_a_table_that_has_to_stop_says_why_and_takes_the_same_step_up_again(tmp_path: Path) -> None:
    stop = Stop("no wagers", "the lights went out", "switch them on")

    async def give_up(step: OpenStep) -> None:
        step.stop(stop)

    world, path = World(), tmp_path / "j"
    async with table(path, world, people=give_up) as (runner, running):
        await running
        assert runner.stopped == stop
        before = runner.journal.last
    async with table(path, world, rounds=1) as (runner, running):
        assert runner.journal.last == before
        await running
        assert runner.course.finished == 1


# another version of the rules


def _other(layout: Layout, state: Purse) -> Procedure[Purse]:
    yield from Announce("Welcome", rule="1.1")
    return (yield from cycle(layout, state))


def _reworded(layout: Layout, state: Purse) -> Procedure[Purse]:
    play = cycle(layout, state)
    answer: Any = None
    try:
        while True:
            step = play.send(answer)
            answer = yield replace(step, text="In other words") if isinstance(step, Announce) else step
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


@virtual
async def test_another_procedure_diverges_at_the_first_step_that_differs(tmp_path: Path) -> None:
    path = tmp_path / "j"
    async with table(path, rounds=1) as (_, running):
        await running
    with Journal.open(path, threaded=False) as journal:
        with pytest.raises(Diverged) as same_version:
            Runner(journal, _other, Purse(), current=VERSION)
        with pytest.raises(Diverged) as other_version:
            Runner(journal, _other, Purse(), current={"rules": "2"})
    for diverged in (same_version, other_version):
        assert "start_shuffle" in str(diverged.value)
        assert "announce (text Welcome) by 1.1" in str(diverged.value)
    assert "another version" not in str(same_version.value)
    assert "another version of the rules: rules 1; this is rules 2" in str(other_version.value)


@virtual
async def test_another_wording_is_the_same_step(tmp_path: Path) -> None:
    path = tmp_path / "j"
    async with table(path, rounds=2) as (_, running):
        await running
    assert Audit(_reworded, Purse.from_json, current=VERSION).all(entries_of(path)).diverged == {}


@virtual
async def test_a_state_that_comes_out_otherwise_diverges_at_the_next_round(tmp_path: Path) -> None:
    def forgetful(layout: Layout, state: Purse) -> Procedure[Purse]:
        return replace((yield from cycle(layout, state)), played=0)

    path = tmp_path / "j"
    async with table(path, rounds=3) as (_, running):
        await running
    diverged = Audit(forgetful, Purse.from_json, current=VERSION).all(entries_of(path)).diverged
    assert list(diverged) == [1, 2]
    assert "other state (played)" in diverged[1]


@virtual
async def test_a_round_that_goes_on_under_another_version_says_so(tmp_path: Path) -> None:
    world, path = World(), tmp_path / "j"
    async with table(path, world, people=leave) as (runner, _):
        await at(runner, "wagers")
    async with table(path, world, rounds=1, current={"rules": "2"}) as (_, running):
        await running
    (note,) = kinds(path, "note")
    assert note["versions"] == {"rules": "2"}


async def test_a_flush_that_nobody_awaits_any_more_is_not_made_twice(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "j")
    for _ in range(3000):
        journal.append("note", {})
    flushing = asyncio.create_task(journal.flush())
    await asyncio.sleep(0)
    journal.append("note", {"text": "later"})
    journal.close()
    with suppress(asyncio.CancelledError):
        flushing.cancel()
        await flushing
    assert len(entries_of(tmp_path / "j")) == 3001
