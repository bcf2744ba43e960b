"""A shoe that mixes, over devices and people, with all invariants held: packets, its mouth, its counts, its faults."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from shoectl.games.dealing import Dealing
from shoectl.games.registry import game
from shoectl.journal import Entry
from shoectl.table.packets import Packet, number_of, packets_of
from shoectl.table.reports import report
from tests.session.test_simulated import table
from tests.timeloop import run

from . import invariants
from .cuts import KINDS, knives, points_of, wrong
from .cuts import Played as Cut
from .invariants import Known
from .irregular import until
from .limits import within
from .scenes import Played, played
from .world import World

CEDAR = ("cedar",)
GAMES = ("lunar-poker", "four-card-poker", "five-card-hi-lo", "cajun-stud")
LOST = Known(whole=False)


def at_cedar(*faults: str, name: str = "four-card-poker", **changes: Any) -> Played:
    """Two rounds of a game; `four-card-poker` has one plan a round: load, count, plan, discards, count."""
    limits = dict.fromkeys(game(name).families, (10, 100)) if name != "lunar-poker" else None
    changes |= {"game": name} | ({"limits": limits} if limits else {})
    return played(*(f"cedar:{fault}" for fault in faults), devices=CEDAR, **changes)


def plans(came: Played) -> list[dict[int, int]]:
    """What was ordered, seat by seat, plan by plan."""
    sent = [body for body in came.bodies("intent") if body["type"] == "DELIVER_PLAN"]
    return [{packet["seat"]: packet["n"] for packet in body["body"]["packets"]} for body in sent]


@pytest.mark.parametrize("name", GAMES)
def test_packets_of_every_game_are_what_was_dealt(name: str) -> None:
    came = at_cedar(name=name)
    assert came.stopped is None
    assert not came.troubles
    assert {said["proven"] for said in came.answers("Shuffled")} == {True}
    assert all(answer["card"] is None for answer in came.answers("Drawn"))
    first = plans(came)[0]
    assert sum(first.values()) == len(next(step for step in steps(came, "deal"))["to"])


@pytest.mark.parametrize("name", GAMES)
def test_the_mouth_deals_every_game_with_faces(name: str) -> None:
    came = at_cedar(name=name, dealing=Dealing.MANUAL)
    assert came.stopped is None
    assert came.troubles == [] == plans(came)
    assert all(answer["card"] for answer in came.answers("Drawn"))


def steps(came: Played, do: str) -> list[dict[str, Any]]:
    """All steps of a name."""
    return [body["step"] for body in came.bodies("step") if body["step"]["do"] == do]


def test_the_deck_is_counted_before_every_round_and_fed_back_after_it() -> None:
    came = at_cedar(rounds=3)
    way = [do for do in came.asked if do in ("open_shoe", "feed_discards", "await_shuffle", "wagers", "take_out")]
    assert way == ["open_shoe", *["await_shuffle", "wagers", "feed_discards"] * 3]
    assert all(said["identity"] for said in came.answers("Shuffled"))


def test_an_up_card_of_a_packet_is_turned_up_and_entered_before_anybody_decides() -> None:
    came = at_cedar(house={"dealer_upcard": "sixth"})
    at = came.asked.index("deal")
    assert came.asked[at + 1] == "reveal"
    assert steps(came, "reveal")[0]["at"] == [5]


def test_cards_for_the_community_and_the_bonus_are_packets_of_their_own() -> None:
    came = at_cedar(name="cajun-stud")
    assert plans(came)[0][14] == 3
    assert plans(came)[0].get(15, 4) == 4


def test_cards_in_a_row_for_one_place_are_one_packet_of_thirteen_at_most() -> None:
    to = ("seat 1",) * 5 + ("seat 2",) * 14 + ("dealer",) * 6 + ("seat 1",)
    wanted = (("seat 1", 5), ("seat 2", 13), ("seat 2", 1), ("dealer", 6), ("seat 1", 1))
    assert packets_of(to) == tuple(Packet(*one) for one in wanted)
    assert len(packets_of(tuple(f"seat {n % 7}" for n in range(40)))) == 16
    assert [number_of(place) for place in ("dealer", "seat 6", "community", "bonus")] == [0, 6, 14, 15]


@dataclass(frozen=True)
class Case:
    """A fault at a Cedar. `thrown`: the first trouble. `void`: the wagers go back. `leaves`: the deck does."""

    fault: str
    thrown: str = ""
    void: bool = False
    leaves: bool = False
    dealing: Dealing = Dealing.AUTOMATED
    known: Known = field(default_factory=Known)


M = Dealing.MANUAL
CASES = (
    Case("packet_size", "wrong count", void=True),
    Case("packet_size@by=-1,card=7", "wrong count", void=True),
    Case("packet_left"),
    Case("jam@cycle=3,card=8"),
    Case("jam@cycle=3,card=8,tries=2"),
    Case("jam@cycle=1", "device failed"),
    Case("jam@cycle=2,card=5"),
    Case("jam@cycle=4,card=5", "device failed"),
    Case("double_feed@cycle=4,card=3", "device failed"),
    Case("card_damaged@cycle=3,card=3"),
    Case("motor_stall@cycle=3"),
    Case("missing@cycle=1", "wrong count", leaves=True),
    Case("missing@cycle=4,card=5", "wrong count", leaves=True),
    Case("extra@cycle=1", "wrong count", leaves=True),
    Case("extra@cycle=4,card=3", "wrong count", leaves=True),
    Case("duplicate@cycle=1", leaves=True),
    Case("foreign@cycle=1", "foreign card", leaves=True),
    Case("wrong_back@cycle=4,card=3", "foreign card", leaves=True),
    Case("unreadable@cycle=4,card=3", "foreign card", leaves=True),
    Case("lying_count@cycle=2,rest=-1", leaves=True),
    Case("door@cycle=3", "device failed", void=True),
    Case("door@cycle=2"),
    Case("service@card=8,cycle=3", "device failed", void=True),
    Case("power_cut@card=8,cycle=3", "device restarted", void=True),
    Case("gap@event=9", known=LOST),
    Case("gap@event=14", known=LOST),
    Case("wiped@event=14", "record lost", void=True, known=LOST),
    Case("ring_full@event=12,records=5000", "record lost", void=True, known=LOST),
    Case("early_draw"),
    Case("early_draw", dealing=M),
    Case("overdraw", "extra card", dealing=M),
    Case("pushed_back", dealing=M),
    Case("power_cut@event=20", "device restarted", void=True, dealing=M),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.fault} {case.dealing}")
def test_whatever_befalls_it_no_card_is_lost_and_the_table_goes_on(case: Case) -> None:
    came = at_cedar(case.fault, dealing=case.dealing, known=case.known)
    assert came.stopped is None, f"the table stands still: {came.stopped}"
    assert came.troubles[:1] == ([case.thrown] if case.thrown else [])
    assert any(step["outcome"] == "void" for step in steps(came, "return")) is case.void
    assert ("remove_deck" in came.asked) is case.leaves


def test_a_card_drawn_before_the_deck_was_loaded_anew_came_with_no_packet_of_the_round() -> None:
    came = at_cedar("early_draw", name="lunar-poker", rounds=3)
    assert came.stopped is None
    assert not came.troubles
    assert sum(body["n"] for body in came.events("PACKET_TAKEN")) == len(came.answers("Drawn"))


def test_a_card_that_came_behind_the_one_that_ended_a_deal_is_named_as_the_deck_is_taken_out() -> None:
    came = at_cedar("pushed_back@draw=7", "misread@draw=8", name="lunar-poker", dealing=M, rounds=1)
    assert came.troubles == ["duplicate card"]
    assert len(came.dealt) == len(came.true)


@pytest.mark.parametrize("policy", ["device_waives", "no_waiver"])
@pytest.mark.parametrize("fault", ["packet_size", "power_cut@card=8,cycle=3"])
def test_packets_of_a_deal_that_was_void_by_then_are_named_as_the_cards_are_gathered(fault: str, policy: str) -> None:
    came = at_cedar(fault, name="lunar-poker", rounds=2, house={"count_policy": policy})
    assert came.stopped is None
    taken = {_ref(body) for body in came.bodies("event") if body["name"] == "PACKET_TAKEN"}
    dealt, gathered = _named(came, "Drawn"), _named(came, "Done")
    assert dealt | gathered == taken
    assert gathered - dealt, "some were taken after the trouble"


def _named(came: Played, takes: str) -> set[tuple[str, int, int]]:
    """The events that answers of one class rest on."""
    return {_ref(ref) for body in came.bodies("answer") if body["takes"] == takes for ref in body["evidence"]}


def _ref(body: Mapping[str, Any]) -> tuple[str, int, int]:
    return body["unit"], body["epoch"], body["seq"]


def test_after_a_jam_in_a_plan_only_the_rest_is_ordered_once_all_is_counted() -> None:
    came = at_cedar("jam@cycle=3,card=8", rounds=1)
    first, second = plans(came)
    assert list(second) == list(first)[1:]  # the second packet was cut, its rest comes first
    assert second[list(first)[1]] < first[list(first)[1]]
    assert sum(body["n"] for body in came.events("PACKET_TAKEN")) == sum(first.values())


@pytest.mark.parametrize("what", KINDS)
def test_a_cut_at_any_write_of_a_round_of_packets_loses_no_card(what: str) -> None:
    at = Cut(CEDAR)
    game, points = points_of(at)
    every = {"journal": 19, "nvram": 149, "table": 907, "both": 907}[what]
    for knife in knives(what, points[KINDS[what].what], every, first=7):
        assert wrong(knife, game, at) == "", knife


SLOW = 16.0  # a speed at which packets take their time


async def seen_in_the_plan(world: World) -> None:
    """A card of the first packet was seen, while the plan goes on."""
    await until(world, lambda: in_a_deal(world, 10))
    await report(world.runner, world.runner.open.ref, "exposed", "seat 1", by="dealer")  # type: ignore[union-attr]


async def unplugged_in_the_plan(world: World) -> None:
    """Its plug is out for a while, in the middle of a plan."""
    await until(world, lambda: in_a_deal(world, 10))
    world.unplug("cedar")
    await asyncio.sleep(20)
    world.unplugged.clear()


def in_a_deal(world: World, part: int) -> bool:
    """Whether so many cards of the deal are there."""
    step = world.runner.open
    return step is not None and step.step.do == "deal" and step.ref.part >= part


def disturbed(disturb: Callable[[World], Any] | None, *faults: str) -> list[Entry]:
    """A round with a disturbance, all invariants held."""

    async def play(folder: Path) -> list[Entry]:
        world = World(folder, table(CEDAR), faults, devices=CEDAR, seed=3, speed=SLOW, disturb=disturb)
        await world.play(1)
        assert world.stopped is None
        return invariants.hold(world.journal, world.truth)

    with tempfile.TemporaryDirectory() as folder, within(60):
        return run(play(Path(folder)))


def test_cards_taken_out_at_leisure_are_seen_to_be_gone_though_nobody_tells() -> None:
    steps_asked = [one.body["step"]["do"] for one in disturbed(None, "cedar:duplicate@cycle=1") if one.kind == "step"]
    assert "remove_deck" in steps_asked


def test_a_plan_is_stopped_where_a_card_is_set_aside_and_what_came_of_it_counts() -> None:
    entries = disturbed(seen_in_the_plan)
    sent = [entry.body for entry in entries if entry.kind == "intent"]
    kinds = [body["type"] for body in sent if body["type"] in ("DELIVER_PLAN", "STOP")]
    assert kinds[:3] == ["DELIVER_PLAN", "STOP", "DELIVER_PLAN"]
    assert [body["body"]["packets"] for body in sent if body["type"] == "DELIVER_PLAN"][1] == [{"seat": 1, "n": 1}]


def test_a_plan_that_goes_on_without_the_cable_is_not_ordered_again() -> None:
    entries = disturbed(unplugged_in_the_plan)
    first = next(entry.body for entry in entries if entry.kind == "step" and entry.body["step"]["do"] == "deal")
    ordered = [entry.body for entry in entries if entry.kind == "intent" and entry.body["type"] == "DELIVER_PLAN"]
    assert [body["step"] for body in ordered].count(first["number"]) == 1
