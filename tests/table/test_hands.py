"""Hands, holds, devices, and a disk that is full."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from protocols.message import Event
from protocols.vocabulary import EventCode, Resume
from shoectl.devices.command import Command
from shoectl.games.layout import Refused
from shoectl.games.procedure import Role
from shoectl.journal import Journal, JournalUnavailable
from shoectl.table import book
from shoectl.table.entries import unit_of
from shoectl.table.facts import REMEMBERED
from shoectl.table.openstep import OpenStep
from shoectl.table.runner import ID_MAX, Runner
from tests.timeloop import virtual

from .bench import VERSION, at, entries_of, kinds, leave, table, until
from .fakes import Shoe, World
from .game import WAGERS, Purse, announcing

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
async def test_field_case_144_listeners_are_called_once_a_stop_and_find_everything_flushed(tmp_path: Path) -> None:
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
async def test_after_an_alarm_ids_begin_elsewhere_for_the_device_may_have_had_the_next_ones_already(
    tmp_path: Path,
) -> None:
    """An old copy of the journal that was put back: its next ids were given before, with the same bodies."""
    async with table(tmp_path / "j", people=leave, key=b"k" * 32) as (runner, _):
        step = await at(runner, "wagers")
        before = await step.intend("shoe", Command("SHUT"))
        await runner.alarm("shoe", "events 5 to 70 were lost in SHOE1")
        first, second = [await step.intend("shoe", Command("SHUT")) for _ in range(2)]
        assert first not in range(before - 1000, before + 1001)
        assert second == first % ID_MAX + 1
        other = await step.intend("shuffler", Command("SHUT"))
        assert other == runner.facts.last_id("41-SHUFFLER1")


@virtual
async def test_an_event_told_twice_is_dropped_and_with_other_content_it_alarms(tmp_path: Path) -> None:
    path = tmp_path / "j"
    shoe = Shoe(World())
    lid = [Event(n, 1, 100 * n, EventCode.LID, {"open": n % 2}) for n in range(1, 6)]
    with Journal.open(path, threaded=False) as journal:
        runner = Runner(journal, announcing, Purse(), current=VERSION)
        assert await runner.attached("shoe", shoe.identity, Resume(1, 1, 1, 0, 1, 3), "fake") == 0
        await runner.evidence("shoe", shoe.identity, lid[:3])
        await runner.answer((await at(runner, "wagers")).ref, WAGERS, by="dealer")
        assert runner.course.over
        running = asyncio.create_task(runner.run({Role.PEOPLE: leave}))
        await until(lambda: runner.round_no == 2, runner)
        before = journal.last
        assert await runner.evidence("shoe", shoe.identity, lid[:3]) == 0  # of the last round, and nothing new
        assert journal.last == before
        changed = replace(lid[1], body={"open": 7})
        assert await runner.evidence("shoe", shoe.identity, [lid[0], changed, *lid[2:]]) == 2
        assert [alarm.text for alarm in runner.facts.alarms("shoe")] == [
            "event 2 was told before, with another content"
        ]
        assert runner.facts.last_seq(unit_of(shoe.identity), 1) == 3  # nothing from it on was taken
        assert await runner.evidence("shoe", shoe.identity, lid[2:]) == 0
        unit = unit_of(shoe.identity)
        assert (runner.facts.last_seq(unit, 1), runner.facts.last_seq(unit, 2)) == (5, 0)
        assert await runner.attached("shoe", shoe.identity, Resume(1, 2, 1, 0, 6, 5), "fake") == 5
        assert await runner.attached("shoe", shoe.identity, Resume(1, 2, 2, 0, 1, 0), "fake") == 0
        assert [one.boot for one in runner.facts.attachments("shoe")] == [2, 2]
        running.cancel()
    assert [one["seq"] for one in kinds(path, "event")] == [1, 2, 3, 4, 5]


@virtual
async def test_an_event_that_was_passed_over_and_is_told_after_later_ones_alarms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(book, "RING_MOST", 2)
    shoe = Shoe(World())
    lid = [Event(n, 1, 100 * n, EventCode.LID, {"open": n % 2}) for n in range(1, 9)]
    with Journal.open(tmp_path / "j", threaded=False) as journal:
        runner = Runner(journal, announcing, Purse(), current=VERSION)
        await runner.attached("shoe", shoe.identity, Resume(1, 1, 1, 0, 1, 3), "fake")
        await runner.evidence("shoe", shoe.identity, [lid[0], lid[1], *lid[4:]])
        assert await runner.evidence("shoe", shoe.identity, [lid[0], lid[1]]) == 0  # long ago, and it was told
        assert await runner.evidence("shoe", shoe.identity, lid[1:4]) == 3
        assert [alarm.text for alarm in runner.facts.alarms("shoe")] == ["event 3 is told after later ones"]


# a disk that is full


class FullJournal(Journal):
    full = False

    def _write(self, batch: Any) -> None:
        if self.full:
            raise JournalUnavailable("journal j cannot be written: database or disk is full")
        super()._write(batch)


@virtual
async def test_field_case_98_while_nothing_can_be_written_nothing_is_taken_and_then_it_goes_on(tmp_path: Path) -> None:
    shoe = Shoe(World())
    event = Event(1, 1, 100, EventCode.LID, {"open": 1})
    with FullJournal.open(tmp_path / "j", threaded=False) as journal:
        assert isinstance(journal, FullJournal)
        runner = Runner(journal, announcing, Purse(), current=VERSION)
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
