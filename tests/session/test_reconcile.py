"""A device's own account against the journal: no lost or doubled event, no unexplained card can be missed."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from protocols.message import Event
from protocols.vocabulary import UNREADABLE_CARD, EventCode
from shoectl.devices.command import DeviceLost
from shoectl.devices.totals import Meters, Totals
from shoectl.table.entries import Evidence
from shoectl.table.openstep import OpenStep
from shoectl.table.reconcile import lost_events, shoe_account, shuffler_account
from tests.timeloop import virtual

from .scenes import table
from .table import Scene

SHOE = Totals("LOADED", {"shoe": 45, "mouth": 0, "drawn": 7}, 1, 1, 99, (), 0, 0, Meters(0, 0, 0, 0, 0, 0, 0))
SHUFFLER = replace(SHOE, state="READY", zones={"infeed": 0, "path": 0, "rack": 0, "output": 52}, lease=None)


def told(*draws: tuple[EventCode, int]) -> list[Evidence]:
    return [
        Evidence("shoe", "42-BI1", 1, Event(n, 1, 0, code, {"idx": idx, "card": 1}), n)
        for n, (code, idx) in enumerate(draws, 1)
    ]


SEVEN = [(EventCode.CARD_DRAWN, idx) for idx in range(1, 8)]
DONE = Evidence("shuffler", "41-AL1", 1, Event(1, 1, 0, EventCode.SHUFFLE_DONE, {"out": 52}), 1)


def test_an_account_that_adds_up_says_nothing() -> None:
    assert shoe_account(SHOE, told(*SEVEN), 52) == []
    pushed_back = [*SEVEN, (EventCode.CARD_DRAWN, 8), (EventCode.CARD_RETURNED, 8)]
    assert shoe_account(SHOE, told(*pushed_back), 52) == []
    half_out = [*SEVEN[:-1], (EventCode.UNREADABLE, 7)]
    assert shoe_account(SHOE, told(*half_out), 52) == []
    assert shuffler_account(SHUFFLER, DONE, counts=True) == []
    assert lost_events(SHOE, 99, "BI1") == []


@pytest.mark.parametrize(
    ("draws", "zones", "words"),
    [
        (SEVEN[:-1], {}, "1 card was drawn without a record"),
        (SEVEN[:-2], {}, "2 cards were drawn without a record"),
        ([*SEVEN, (EventCode.CARD_DRAWN, 8)], {}, "7 cards were drawn, 8 are told of"),
        ([*SEVEN, (EventCode.CARD_DRAWN, 7)], {}, "draw 7 was told twice"),
        (SEVEN, {"shoe": 44}, "52 cards went in, 7 were drawn and 44 are left: that makes 51"),
        (SEVEN, {"shoe": 46}, "that makes 53"),
    ],
)
def test_what_a_shoe_says_and_the_journal_does_not_is_named(draws: Any, zones: dict[str, int], words: str) -> None:
    said = shoe_account(replace(SHOE, zones={**SHOE.zones, **zones}), told(*draws), 52)
    assert len(said) == 1
    assert words in said[0]


@pytest.mark.parametrize(
    ("state", "zones", "words"),
    [
        ("READY", {"output": 51}, "counted 52 cards out, 51 lie there"),
        ("PRESENTED", {"infeed": 3}, "beside the deck"),
        ("READY", {"rack": 1}, "beside the deck"),
        ("EMPTY", {"output": 0, "path": 1}, "it is empty, and that 1 cards"),
    ],
)
def test_a_shuffler_that_holds_something_else_is_named(state: str, zones: dict[str, int], words: str) -> None:
    said = shuffler_account(replace(SHUFFLER, state=state, zones={**SHUFFLER.zones, **zones}), DONE, counts=True)
    assert len(said) == 1
    assert words in said[0]


def test_events_that_a_device_has_numbered_and_nobody_can_read_are_named() -> None:
    assert lost_events(SHOE, 98, "BI1") == ["event 99 was lost in BI1: its deck has to be counted"]
    assert lost_events(SHOE, 90, "BI1") == ["events 91 to 99 were lost in BI1: its deck has to be counted"]


# at a table


def alarms(scene: Scene) -> list[str]:
    return [entry.body["text"] for entry in scene.entries if entry.kind == "alarm"]


class At:
    """Does something once in a step of that kind, at a request of a device (`prepare`) or beside people (`idle`)."""

    def __init__(self, do: str, what: Any, *, part: int = 0) -> None:
        self.do, self.what, self.part, self.done = do, what, part, False

    def prepare(self, scene: Scene) -> None:
        scene.shoe.after = scene.shuffler.after = lambda station: self.look(scene)

    def idle(self, scene: Scene) -> None:
        with suppress(DeviceLost):
            self.look(scene)

    def look(self, scene: Scene) -> None:
        step = scene.runner.open
        if not self.done and step is not None and step.step.do == self.do and step.ref.part >= self.part:
            self.done = True
            self.what(scene)


def inventory(scene: Scene) -> bool:
    """Whether the shoe's count at the end was believed."""
    (closed,) = [entry.body["answer"] for entry in scene.entries if entry.body.get("takes") == "ShoeClosed"]
    return bool(closed["right"])


@virtual
async def test_links_that_come_and_go_leave_nothing_to_explain(tmp_path: Path) -> None:
    for n, do in enumerate(("deal", "feed_shuffler", "start_shuffle", "present_deck", "take_deck", "close_shoe")):
        (tmp_path / f"{n}").mkdir()
        scene = Scene(tmp_path / f"{n}")
        lose = At(do, lambda scene: (scene.shoe if scene.shoe.online else scene.shuffler).lose())
        await scene.play(prepare=lose.prepare)
        scene.check()
        assert lose.done
        assert alarms(scene) == []


@virtual
async def test_a_card_that_is_missing_when_the_link_is_back_makes_the_count_due(tmp_path: Path) -> None:
    def lose(scene: Scene) -> None:
        scene.birch.says = {"shoe": len(scene.birch.cards) - 1}
        scene.shoe.lose()

    scene = Scene(tmp_path, idle=At("deal", lose, part=4).idle)
    await scene.play()
    scene.check()
    assert len([text for text in alarms(scene) if "52 cards went in" in text]) >= 1
    assert not inventory(scene)


@virtual
async def test_a_round_whose_last_event_was_lost_ends_with_a_count(tmp_path: Path) -> None:
    def lose(scene: Scene) -> None:
        scene.birch.seq += 1  # numbered, written nowhere, and nothing came after it that would tell

    scene = Scene(tmp_path)
    await scene.play(prepare=At("close_shoe", lose).prepare)
    scene.check()
    assert any("was lost in BI1" in text for text in alarms(scene))
    assert not inventory(scene)


@virtual
async def test_a_draw_that_is_told_twice_is_one_card_and_an_alarm(tmp_path: Path) -> None:
    def twice(scene: Scene) -> None:
        draw = next(one for one in reversed(scene.birch.ring) if one.code == EventCode.CARD_DRAWN)
        scene.birch.record(EventCode.CARD_DRAWN, **draw.body)

    scene = Scene(tmp_path, idle=At("deal", twice, part=3).idle)
    await scene.play()
    scene.check()
    assert scene.dealt() == scene.birch.drawn
    assert scene.irregularities() == []
    assert any("was told twice" in text for text in alarms(scene))
    assert not inventory(scene)


@pytest.mark.parametrize("do", ["present_deck", "take_deck"])
@virtual
async def test_a_proven_deck_of_which_cards_are_gone_is_not_handed_on(tmp_path: Path, do: str) -> None:
    def steal(scene: Scene) -> None:
        scene.alder.says = {"output": 51}

    def honest(scene: Scene) -> None:
        if scene.runner.open is not None and scene.runner.open.step.do == "take_out":
            scene.alder.says = {}

    scene = Scene(tmp_path, idle=honest)
    before = {"present_deck": "start_shuffle", "take_deck": "present_deck"}[do]
    runner = await scene.play(prepare=At(before, steal).prepare)
    scene.check()
    assert any("counted 52 cards out, 51 lie there" in text for text in alarms(scene))
    asked = scene.asked(runner)
    assert asked[: asked.index("wagers")].count("await_shuffle") == 2


@virtual
async def test_a_door_opened_over_the_proven_deck_voids_its_proof(tmp_path: Path) -> None:
    def open_door(scene: Scene) -> None:
        scene.alder.record(EventCode.DOOR, open=1)
        scene.alder.record(EventCode.DOOR, open=0)

    scene = Scene(tmp_path)
    runner = await scene.play(prepare=At("take_deck", open_door).prepare)
    scene.check()
    assert any("its door was opened with the proven deck in it" in text for text in scene.announced())
    assert scene.asked(runner).count("await_shuffle") == 2


# holds that a device ends


@virtual
async def test_a_person_who_says_that_the_lid_is_closed_is_refused_while_the_shoe_says_that_it_is_open(
    tmp_path: Path,
) -> None:
    refused: list[tuple[str, bool]] = []

    async def held(scene: Scene, step: OpenStep) -> None:
        assert step.holding is not None
        before = scene.runner.journal.last
        try:
            await scene.runner.give_held(step.ref, "go on", by=("dealer",))
        except Exception as error:
            refused.append((str(error), scene.runner.journal.last == before))
        if len(refused) == 2:
            scene.birch.close_lid()

    opened = At("deal", lambda scene: scene.birch.open_lid(), part=3)
    scene = Scene(tmp_path, holds=held, idle=opened.idle)
    await scene.play()
    scene.check()
    assert scene.holds_opened() == ["shoe lid, 1"]
    assert len(refused) >= 2
    assert all("the shoe says that its lid is open" in said and nothing for said, nothing in refused[:2])
    words = [entry.body["how"] for entry in scene.entries if entry.kind == "held"]
    assert words == ["the device says so"]
    assert scene.dealt() == scene.birch.drawn


@virtual
async def test_a_hold_says_what_to_do_and_holds_no_face(tmp_path: Path) -> None:
    opened = At("deal", lambda scene: scene.birch.open_lid(), part=1)
    scene = Scene(tmp_path, table(), holds=lambda scene, step: _close(scene), idle=opened.idle)
    await scene.play()
    texts = [entry.body["text"] for entry in scene.entries if entry.kind == "hold"]
    assert texts == ["the lid of the shoe is open: close it; no card may be put in or taken out"]


async def _close(scene: Scene) -> None:
    if scene.birch.state == "LID_OPEN":
        scene.birch.close_lid()


def test_an_unread_card_is_no_second_telling() -> None:
    both = told((EventCode.CARD_DRAWN, 1), (EventCode.UNREADABLE, 1))
    assert shoe_account(replace(SHOE, zones={"shoe": 51, "mouth": 1, "drawn": 1}), both, 52) == []
    assert UNREADABLE_CARD == 0x7E


@virtual
async def test_a_hold_that_ends_by_itself_as_a_person_ends_it_is_over_once(tmp_path: Path) -> None:
    ends: list[object] = []

    async def held(scene: Scene, step: OpenStep) -> None:
        async with scene.runner._turn:  # both are on their way before either is written
            word = asyncio.ensure_future(scene.runner.give_held(step.ref, "give up", by=("floor",)))
            lift = asyncio.ensure_future(step.lift("it is over"))
            await asyncio.sleep(0)
        ends.extend(await asyncio.gather(word, lift, return_exceptions=True))
        scene.birch.close_lid()

    opened = At("deal", lambda scene: scene.birch.open_lid(), part=1)
    scene = Scene(tmp_path, holds=held, idle=opened.idle)
    await scene.play()
    assert isinstance(ends[0], int)
    assert ends[1] is None
    assert [entry.body["how"] for entry in scene.entries if entry.kind == "held"] == ["give up"]
