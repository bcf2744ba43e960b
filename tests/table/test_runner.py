"""Journal first, then the procedure, then its hands."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from protocols.message import Event
from protocols.vocabulary import EventCode, Resume
from shoectl.devices.command import Command
from shoectl.games.answers import Decision, Faces, Wagers
from shoectl.games.layout import Layout, Refused
from shoectl.games.procedure import Answer, Done, Procedure, Role
from shoectl.games.steps import Announce
from shoectl.journal import Journal, JournalUnavailable
from shoectl.table.audit import Audit
from shoectl.table.course import Diverged
from shoectl.table.entries import StepRef, unit_of
from shoectl.table.facts import REMEMBERED
from shoectl.table.openstep import OpenStep, StepClosed, Stop
from shoectl.table.runner import ID_MAX, Runner
from tests.timeloop import virtual

from .bench import VERSION, at, entries_of, leave, table, until
from .fakes import Shoe, World
from .game import RULE, STAKE, Purse, cycle

WAGERS = Wagers(((1, "ante", STAKE), (2, "ante", STAKE)))


def kinds(path: Path, *of: str) -> list[Mapping[str, Any]]:
    return [entry.body for entry in entries_of(path) if entry.kind in of]


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
        runner = Runner(journal, _announcing, Purse(), current=VERSION)
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


def _announcing(layout: Layout, state: Purse) -> Procedure[Purse]:
    """A round of people alone."""
    from shoectl.games.steps import Collect, PlaceWagers, WagerOffer

    yield from Announce("Place your wagers", rule=RULE)
    placed = yield from PlaceWagers(state.seats, (WagerOffer("ante", STAKE, STAKE),), rule=RULE)
    for seat, wager, amount in placed.placed:
        yield from Collect(seat, wager, amount, rule=RULE)
    return replace(state, played=state.played + 1)


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


# hands


@virtual
async def test_hands_are_cancelled_when_their_step_closes_and_called_again_while_it_is_open(tmp_path: Path) -> None:
    calls: list[str] = []

    async def restless(step: OpenStep) -> None:
        calls.append(step.step.do)
        if len(calls) < 3:
            return  # no more to do for now: asked again at the next change
        try:
            await asyncio.Event().wait()
        finally:
            calls.append("cancelled")

    async with table(tmp_path / "j", people=restless) as (runner, _):
        step = await at(runner, "wagers")
        for _ in range(4):
            runner.changed("shoe")
            await asyncio.sleep(1)
        assert calls == ["wagers"] * 3
        await runner.answer(step.ref, WAGERS, by="dealer")
        await at(runner, "ask")
        await asyncio.sleep(1)
        assert calls == ["wagers"] * 3 + ["cancelled", "ask"]


@virtual
async def test_hands_that_fail_end_the_run(tmp_path: Path) -> None:
    async def clumsy(step: OpenStep) -> None:
        raise ZeroDivisionError

    async with table(tmp_path / "j", people=clumsy) as (_, running):
        with pytest.raises(ExceptionGroup) as group:
            await running
        assert group.group_contains(ZeroDivisionError)


@virtual
async def test_hands_whose_step_was_settled_meanwhile_are_not_at_fault(tmp_path: Path) -> None:
    async def late(step: OpenStep) -> None:
        if step.step.do == "wagers":
            await step.answer(WAGERS, by="dealer")
            await step.answer(WAGERS, by="dealer")
        await leave(step)

    async with table(tmp_path / "j", people=late) as (runner, running):
        await at(runner, "ask")
        assert not running.done()


@virtual
async def test_nothing_that_changed_between_two_looks_is_missed(tmp_path: Path) -> None:
    async with table(tmp_path / "j", people=leave) as (runner, _):
        await at(runner, "wagers")
        assert runner.open is not None
        step = OpenStep(runner, runner.open.step, runner.round_no, runner.open.number)
        runner.changed("shoe")
        await asyncio.wait_for(step.changed(), 1)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(step.changed(), 1)
        runner.changed("shoe")
        await asyncio.wait_for(step.changed(), 1)


@virtual
async def test_listeners_are_called_once_a_stop_and_find_everything_flushed(tmp_path: Path) -> None:
    stops: list[tuple[int, int]] = []

    def listen(runner: Runner[Purse]) -> None:
        if runner.open is not None and runner.open.step.by is Role.PEOPLE:
            stops.append((runner.round_no, runner.open.number))

    path = tmp_path / "j"
    async with table(path, rounds=2, listener=listen) as (_, running):
        await running
    asked = [entry.body for entry in entries_of(path) if entry.kind in ("round", "step")]
    expected = [one["number"] for one in asked if one.get("step", {}).get("do") in ("wagers", "ask", "reveal")]
    assert [step for _, step in dict.fromkeys(stops)] == expected


# holds


@virtual
async def test_a_hold_is_opened_once_and_ends_with_a_word(tmp_path: Path) -> None:
    path = tmp_path / "j"
    async with table(path, people=leave) as (runner, _):
        step = await at(runner, "wagers")
        with pytest.raises(Refused, match="no hold"):
            await runner.give_held(step.ref, "go on", by=("floor",))
        for _ in range(3):
            await step.hold("jam 17", "A card is jammed: take it out")
        assert runner.view("public")["hold"] == {"reason": "jam 17", "text": "A card is jammed: take it out", "part": 0}
        assert step.held is None
        await runner.give_held(step.ref, "cleared", by=("dealer", "floor"))
        assert step.held is not None
        assert (step.held.how, step.held.by) == ("cleared", ("dealer", "floor"))
        assert runner.view("public")["hold"] is None
        await step.hold("jam 17", "again")  # settled: the same jam is not asked about twice
        await step.hold("jam 21", "Another card is jammed")
        assert step.held is None
        assert step.held_for("jam 17") is not None
        await step.lift("the card came loose")
        await runner.answer(step.ref, WAGERS, by="dealer")
        assert runner.facts.hold is None
    assert [one["reason"] for one in kinds(path, "hold")] == ["jam 17", "jam 21"]
    assert [one["by"] for one in kinds(path, "held")] == [["dealer", "floor"], []]


# devices


@virtual
async def test_command_ids_count_up_for_each_device_and_wrap_past_zero(tmp_path: Path) -> None:
    async with table(tmp_path / "j", people=leave) as (runner, _):
        step = await at(runner, "wagers")
        ids = [await step.intend("shoe", Command("SHUT")) for _ in range(3)]
        assert ids == [ids[0], ids[0] % ID_MAX + 1, ids[0] % ID_MAX + 2]
        unit = runner.facts.attached("shoe")
        assert unit is not None
        runner.facts._units[unit.unit] = replace(runner.facts._units[unit.unit], id=ID_MAX)
        assert await step.intend("shoe", Command("SHUT")) == 1
        first = step.intents()[0]
        assert first.command == Command("SHUT")
        for n in range(REMEMBERED - 3):
            assert runner.facts.remembered(first), n
            await step.intend("shoe", Command("SHUT"))
        assert not runner.facts.remembered(first)


@virtual
async def test_two_journals_begin_with_other_ids_so_that_a_device_mixes_nothing_up(tmp_path: Path) -> None:
    ids = set()
    for name in ("a", "b"):
        async with table(tmp_path / name, World(), people=leave, key=name.encode() * 32) as (runner, _):
            step = await at(runner, "wagers")
            ids.add(await step.intend("shoe", Command("SHUT")))
    assert len(ids) == 2


@virtual
async def test_an_event_told_twice_is_dropped_and_with_other_content_it_alarms(tmp_path: Path) -> None:
    path = tmp_path / "j"
    shoe = Shoe(World())
    lid = [Event(n, 1, 100 * n, EventCode.LID, {"open": n % 2}) for n in range(1, 6)]
    with Journal.open(path, threaded=False) as journal:
        runner = Runner(journal, _announcing, Purse(), current=VERSION)
        assert await runner.attached("shoe", shoe.identity, Resume(1, 1, 1, 0, 1, 3), "fake") == 0
        await runner.evidence("shoe", shoe.identity, lid[:3])
        await runner.answer((await at(runner, "wagers")).ref, WAGERS, by="dealer")
        assert runner.course.over
        running = asyncio.create_task(runner.run({Role.PEOPLE: leave}))
        await until(lambda: runner.round_no == 2, runner)
        before = journal.last
        await runner.evidence("shoe", shoe.identity, lid[:3])  # of the last round, and nothing new
        assert journal.last == before
        await runner.evidence("shoe", shoe.identity, [replace(lid[1], body={"open": 7}), *lid[2:]])
        assert [alarm.text for alarm in runner.facts.alarms("shoe")] == [
            "event 2 was told before, with another content"
        ]
        unit = unit_of(shoe.identity)
        assert (runner.facts.last_seq(unit, 1), runner.facts.last_seq(unit, 2)) == (5, 0)
        assert await runner.attached("shoe", shoe.identity, Resume(1, 2, 1, 0, 6, 5), "fake") == 5
        assert await runner.attached("shoe", shoe.identity, Resume(1, 2, 2, 0, 1, 0), "fake") == 0
        assert [one.boot for one in runner.facts.attachments("shoe")] == [2, 2]
        running.cancel()
    assert [one["seq"] for one in kinds(path, "event")] == [1, 2, 3, 4, 5]


# a disk that is full


class FullJournal(Journal):
    full = False

    def _write(self, batch: Any) -> None:
        if self.full:
            raise JournalUnavailable("journal j cannot be written: database or disk is full")
        super()._write(batch)


@virtual
async def test_while_nothing_can_be_written_nothing_is_taken_and_then_it_goes_on(tmp_path: Path) -> None:
    shoe = Shoe(World())
    event = Event(1, 1, 100, EventCode.LID, {"open": 1})
    with FullJournal.open(tmp_path / "j", threaded=False) as journal:
        assert isinstance(journal, FullJournal)
        runner = Runner(journal, _announcing, Purse(), current=VERSION)
        running = asyncio.create_task(runner.run({Role.PEOPLE: leave}, rounds=1))
        step = await at(runner, "wagers")
        await runner.alarm("shoe", "a first entry")
        before = journal.last
        journal.full = True
        with pytest.raises(JournalUnavailable):
            await runner.answer(step.ref, WAGERS, by="dealer")
        assert "disk is full" in runner.view("public")["journal"]
        assert journal.last == before
        telling = asyncio.create_task(runner.evidence("shoe", shoe.identity, [event]))
        holding = asyncio.create_task(step.hold("jam 1", "A card is jammed"))
        await asyncio.sleep(30)
        assert not telling.done()  # so the device is not told that it may forget
        assert not holding.done()
        journal.full = False
        await asyncio.gather(telling, holding)
        assert runner.view("public")["journal"] == ""
        await runner.answer(step.ref, WAGERS, by="dealer")
        await running
    numbers = [entry.n for entry in entries_of(tmp_path / "j")]
    assert numbers == list(range(1, len(numbers) + 1))
    assert [entry.kind for entry in entries_of(tmp_path / "j")].count("answer") == 1
