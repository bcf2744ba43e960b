"""Hands of shoe and shuffler at a whole table in memory: the order of operations, and every kind of trouble."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from protocols.vocabulary import EventCode, Result
from shoectl.devices.command import Command, Reply
from shoectl.games.answers import Wagers
from shoectl.table.openstep import OpenStep
from shoectl.table.state import Where
from tests.timeloop import virtual

from .devices import Station
from .scenes import table
from .table import Scene, at_draw


def orders(scene: Scene, place: str) -> list[str]:
    return [one.body["type"] for one in scene.entries if one.kind == "intent" and one.body["place"] == place]


@virtual
async def test_a_round_from_the_rack_to_the_rack(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    runner = await scene.play()
    scene.check()
    assert scene.dealt() == scene.birch.drawn
    assert runner.state.deck.where is Where.RACK
    assert orders(scene, "shuffler") == ["SHUFFLE_START", "PRESENT"]
    assert orders(scene, "shoe")[:4] == ["LOAD_BEGIN", "LOAD_END", "DISARM", "ARM"]
    assert orders(scene, "shoe")[-1] == "SHOE_CLOSE"
    assert scene.irregularities() == []
    assert scene.holds_opened() == []


@virtual
async def test_a_deal_has_one_lease_for_all_the_cards_that_it_owes(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    await scene.play()
    leases = [one.body["body"]["lease"] for one in scene.entries if one.kind == "intent" and one.body["type"] == "ARM"]
    deals = [
        len(one.body["step"]["to"]) for one in scene.entries if one.kind == "step" and one.body["step"]["do"] == "deal"
    ]
    assert leases == deals


BAD = [
    ({"verdict": 2, "out": 51}, "counted 51"),
    ({"verdict": 3, "out": 53, "in": 53}, "counted 53"),
    ({"verdict": 6, "flags": 0x20}, "sorted, not shuffled"),
    ({"gap": True}, "missing"),
    ({"unseen": True}, "began before the table was connected"),
    ({"origin": 1}, "device's panel"),
    ({"verdict": 5, "flags": 2}, "a door or lid was open"),
    ({"restart": True}, "restarted in the cycle"),
    ({"verdict": 4, "flags": 1}, "not the cards of one deck"),
    ({"verdict": 0}, "cannot tell"),
]


@pytest.mark.parametrize(("end", "words"), BAD, ids=[words for _, words in BAD])
@virtual
async def test_no_round_starts_on_a_bad_report_the_reason_is_said_and_a_good_shuffle_goes_on(
    tmp_path: Path, end: dict[str, Any], words: str
) -> None:
    scene = Scene(tmp_path)
    scene.alder.ends = [dict(end)]
    runner = await scene.play()
    asked = scene.asked(runner)
    assert asked.index("take_out") < asked.index("wagers")
    assert asked[: asked.index("wagers")].count("await_shuffle") == 2
    assert any(words in text for text in scene.announced()), scene.announced()
    scene.check()
    assert runner.state.rounds_played == 1
    gone = end.get("verdict") in (2, 3, 4)
    assert runner.state.deck.generation == (2 if gone else 1)
    assert ("RETIRE_DECK" in orders(scene, "shuffler")) is gone
    assert ("CONFIRM_DECK" in orders(scene, "shuffler")) is gone


@virtual
async def test_671a_11_h_a_shuffler_found_unable_to_count_leaves_the_count_to_the_dealer(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.alder.caps = 0
    runner = await scene.play(6)
    kind = runner.state.equipment.shuffler
    assert kind is not None
    assert not kind.counts
    assert (runner.state.rounds_played, runner.state.rounds_since_count) == (6, 1)


@virtual
async def test_a_wrong_inventory_takes_the_deck_away_after_the_round(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.birch.counts = -1
    runner = await scene.play()
    scene.check()
    assert (runner.state.deck.where, runner.state.deck.retired) == (Where.OFF, "count")
    assert "RETIRE_DECK" in orders(scene, "shuffler")


# cards that were not due


def early(scene: Scene) -> bool:
    """Somebody draws a card while wagers are awaited; nobody goes on before the table has seen it."""
    step = scene.runner.open
    if step is not None and step.step.do == "wagers" and scene.birch.idx == 0 and scene.birch.state == "LOADED":
        scene.birch.pull(force=True)
        return True
    return unsettled(scene)


def unsettled(scene: Scene) -> bool:
    return scene.shoe.durable < scene.birch.seq


@virtual
async def test_a_card_drawn_before_the_deal_is_the_next_card_where_the_house_says_so(tmp_path: Path) -> None:
    scene = Scene(tmp_path, idle=early)
    await scene.play()
    scene.check()
    assert scene.irregularities() == []
    assert scene.dealt() == scene.birch.drawn
    assert "CLEAR_FAULT" in orders(scene, "shoe")


@pytest.mark.parametrize(("house", "goes"), [("rack", True), ("void", False)])
@virtual
async def test_a_card_drawn_before_the_deal_goes_to_the_rack_or_voids(tmp_path: Path, house: str, goes: bool) -> None:
    scene = Scene(tmp_path, table(house={"card_drawn_in_error": house}), idle=early)
    await scene.play()
    scene.check()
    assert scene.irregularities() == ["early draw"]
    assert scene.dealt() == scene.birch.drawn
    assert ("ask" in scene.asked(scene.runner)) is goes


@virtual
async def test_a_card_that_slips_out_behind_the_deal_is_an_extra_card(tmp_path: Path) -> None:
    scene = Scene(tmp_path, table(house={"card_drawn_in_error": "rack"}))
    scene.birch.slips = {20}
    await scene.play()
    scene.check()
    assert scene.irregularities() == ["extra card"]
    assert scene.dealt() == scene.birch.drawn


@virtual
async def test_a_card_that_no_deal_takes_any_more_is_racked_before_the_shoe_is_counted(tmp_path: Path) -> None:
    scene = Scene(tmp_path)

    def late(scene: Scene) -> bool:
        step = scene.runner.open
        if step is not None and step.step.do == "reveal" and scene.birch.state == "LOADED" and not scene.birch.open:
            scene.birch.pull(force=True)
        return unsettled(scene)

    scene.idle = late
    await scene.play()
    scene.check()
    assert set(scene.irregularities()) == {"extra card"}
    assert scene.dealt() == scene.birch.drawn


@virtual
async def test_a_card_twice_voids_the_round_and_takes_the_deck_away(tmp_path: Path) -> None:
    scene = Scene(tmp_path)

    def double(scene: Scene) -> None:
        if scene.birch.idx == 0 and len(scene.birch.cards) == 52:
            scene.birch.cards[7] = scene.birch.cards[2]

    scene.idle = double
    runner = await scene.play()
    scene.check()
    assert scene.irregularities() == ["duplicate card"]
    assert {how for how, *_ in scene.money()} == {"return"}
    assert (runner.state.deck.where, runner.state.deck.retired) == (Where.OFF, "composition")


# unread cards


async def two_persons(scene: Scene, step: OpenStep) -> None:
    card = scene.birch.drawn[-1]
    await scene.runner.give_held(step.ref, "card", by=("dealer", "floor"), card=card)


@virtual
async def test_two_persons_name_a_card_that_could_not_be_read(tmp_path: Path) -> None:
    scene = Scene(tmp_path, holds=two_persons)
    scene.birch.unreadable = {3}
    await scene.play()
    scene.check()
    assert scene.holds_opened() == ["unreadable 3, 1"]
    assert scene.dealt() == scene.birch.drawn


@virtual
async def test_one_person_alone_or_a_card_that_lies_on_the_table_is_not_taken(tmp_path: Path) -> None:
    alone: list[tuple[str, ...]] = [("dealer",), ("dealer", "dealer"), ("dealer", "0815"), ("dealer", "٨١٥")]
    words = iter([*((by, -1) for by in alone), (("dealer", "floor"), 0), (("dealer", "815"), -1)])

    async def say(scene: Scene, step: OpenStep) -> None:
        by, which = next(words)
        await scene.runner.give_held(step.ref, "card", by=by, card=scene.birch.drawn[which])

    scene = Scene(tmp_path, holds=say)
    scene.birch.unreadable = {3}
    await scene.play()
    scene.check()
    assert scene.holds_opened() == [f"unreadable 3, {attempt}" for attempt in (1, 2, 3, 4, 5, 6)]
    assert scene.dealt() == scene.birch.drawn


@virtual
async def test_a_card_pushed_back_needs_no_name_and_is_drawn_again(tmp_path: Path) -> None:
    async def push(scene: Scene, step: OpenStep) -> None:
        if scene.birch.hold:
            scene.birch.push_back()

    scene = Scene(tmp_path, holds=push)
    scene.birch.unreadable = {3}
    await scene.play()
    scene.check()
    assert scene.dealt() == scene.birch.drawn
    assert [one.body["how"] for one in scene.entries if one.kind == "held"] == ["pushed back"]


@virtual
async def test_a_card_that_nobody_can_name_voids_the_round_and_is_named_before_the_shoe_closes(tmp_path: Path) -> None:
    async def say(scene: Scene, step: OpenStep) -> None:
        if step.step.do == "deal":
            await scene.runner.give_held(step.ref, "give up", by=("floor",))
        else:
            await two_persons(scene, step)

    scene = Scene(tmp_path, holds=say)
    scene.birch.unreadable = {3}
    runner = await scene.play()
    scene.check()
    assert scene.irregularities() == ["unknown card"]
    assert {how for how, *_ in scene.money()} == {"return"}
    assert runner.state.deck.where is Where.RACK


# links, and draws that were lost


@virtual
async def test_a_draw_without_a_record_leaves_an_open_face_where_it_was_due(tmp_path: Path) -> None:
    def lose(scene: Scene) -> None:
        if scene.birch.pull():
            scene.birch.ring.pop()

    scene = Scene(tmp_path, idle=at_draw(4, lose))
    scene.people.said = {}
    await scene.play()
    dealt, drawn = scene.dealt(), scene.birch.drawn
    assert dealt[4] is None
    assert [card for at, card in enumerate(dealt) if at != 4] == [card for at, card in enumerate(drawn) if at != 4]


def goes_away(seconds: float) -> Any:
    """The shoe's link goes for a while, once, at the first ARM."""

    def prepare(scene: Scene) -> None:
        def before(station: Station) -> None:
            if scene.runner.open is not None and scene.runner.open.step.do == "deal" and not gone:
                gone.append(seconds)
                station.away = seconds
                station.lose()

        gone: list[float] = []
        scene.shoe.before = before

    return prepare


@virtual
async def test_a_short_loss_of_the_link_is_told_to_nobody(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    await scene.play(prepare=goes_away(2))
    scene.check()
    assert scene.holds_opened() == []
    assert scene.dealt() == scene.birch.drawn


@virtual
async def test_a_long_loss_holds_the_step_until_the_device_is_back(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    await scene.play(prepare=goes_away(60))
    scene.check()
    assert len(scene.holds_opened()) == 1
    assert [one.body["how"] for one in scene.entries if one.kind == "held"] == ["it answers again"]
    assert scene.dealt() == scene.birch.drawn
    assert scene.irregularities() == []


@virtual
async def test_a_device_that_is_given_up_in_the_round_voids_it(tmp_path: Path) -> None:
    async def say(scene: Scene, step: OpenStep) -> None:
        if step.step.do == "deal":
            await scene.runner.give_held(step.ref, "give up", by=("floor",))

    scene = Scene(tmp_path, holds=say)
    await scene.play(prepare=goes_away(60))
    scene.check()
    assert scene.irregularities() == ["device failed"]
    assert {how for how, *_ in scene.money()} == {"return"}


@virtual
async def test_a_card_drawn_in_a_round_that_nobody_played_is_the_first_of_the_next(tmp_path: Path) -> None:
    scene = Scene(tmp_path, idle=early)
    scene.people.said = {"wagers": [Wagers(())]}
    await scene.play(rounds=2)
    scene.check()
    opens = [one.body for one in scene.entries if one.kind == "round"]
    assert [event["name"] for event in opens[-1]["evidence"] if event["place"] == "shoe"] == ["CARD_DRAWN"]
    assert scene.dealt() == scene.birch.drawn
    assert scene.irregularities() == []


@virtual
async def test_a_shuffler_that_restarts_with_the_proven_deck_in_it_has_to_shuffle_again(tmp_path: Path) -> None:
    done: list[int] = []

    def cut(scene: Scene) -> None:
        step = scene.runner.open
        if step is not None and step.step.do == "take_deck" and not done:
            done.append(step.number)
            scene.alder.boot += 1
            scene.alder.record(EventCode.POWER_UP, cause=1, prev_state=8, zones=())

    async def wait(scene: Scene, step: OpenStep) -> None:
        """Nobody is asked."""

    scene = Scene(tmp_path, idle=cut, holds=wait)
    scene.takes = lambda scene: scene.shuffler.durable == scene.alder.seq
    runner = await scene.play()
    scene.check()
    assert scene.asked(runner).count("await_shuffle") == 2
    assert "device restarted" in scene.irregularities()


@virtual
async def test_an_id_that_the_device_knows_from_another_journal_is_passed_over(tmp_path: Path) -> None:
    def known(scene: Scene) -> None:
        first = scene.runner.journal.number_for("42-BI1", 0xFFFF)
        old = (Command("SHOE_CLOSE", {"residual": 3}), Reply(Result.OK))
        scene.birch.memory = {first + offset: old for offset in range(3)}

    scene = Scene(tmp_path)
    await scene.play(prepare=known)
    scene.check()
    assert orders(scene, "shoe")[:5] == ["LOAD_BEGIN"] * 4 + ["LOAD_END"]
