"""A light shoe (Dogwood) at a table: it tells its events by itself, nothing in it stops a hand (dogwood.md §3, §5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoectl.games.procedure import Trouble
from shoectl.games.registry import game
from tests.session.test_simulated import table
from tests.timeloop import virtual

from . import invariants
from .knives import Knife
from .scenes import played
from .world import World

DEVICES = ("alder", "dogwood")
LOST = invariants.Known(whole=False)  # an event is lost in it


@pytest.mark.parametrize("name", ["lunar-poker", "four-card-poker", "five-card-hi-lo", "cajun-stud"])
def test_rounds_of_every_game_are_what_happened(name: str) -> None:
    came = played(rounds=3, devices=DEVICES, game=name, limits=dict.fromkeys(game(name).families, (10, 100)))
    assert came.stopped is None
    assert len(came.dealt) == len(came.true) > 30
    assert not came.troubles
    assert not came.bodies("alarm")


def test_a_deck_shuffled_by_hand_is_dealt_from_it() -> None:
    came = played(rounds=2, devices=("dogwood",))
    assert came.stopped is None
    assert "shuffle_by_hand" in came.asked


@pytest.mark.parametrize(
    ("fault", "troubles", "known"),
    [
        ("overdraw", [Trouble.EXTRA_CARD], invariants.EVERYTHING),
        ("early_draw", [], invariants.EVERYTHING),
        ("unreadable", [], invariants.EVERYTHING),
        ("power_cut@card=5", [], invariants.EVERYTHING),
        ("watchdog", [], invariants.EVERYTHING),
        ("event_twice", [], invariants.EVERYTHING),
        ("foreign@draw=4", [Trouble.FOREIGN_CARD], invariants.EVERYTHING),
        ("wrong_back@draw=4", [Trouble.FOREIGN_CARD], invariants.EVERYTHING),  # told after the draw was answered
        ("lid", [], invariants.EVERYTHING),
        ("service", [], invariants.EVERYTHING),
        ("motor_stall", [], invariants.EVERYTHING),
        ("fw_integrity", [], invariants.EVERYTHING),
        ("hang_up", [], invariants.EVERYTHING),
        ("mute@frame=60,ms=7000", [], invariants.EVERYTHING),
        ("gap@event=30", [], LOST),
        ("ring_full", [], LOST),
        ("missing@draw=3", [], invariants.EVERYTHING),
    ],
)
def test_each_fault_is_ridden_out(fault: str, troubles: list[Trouble], known: invariants.Known) -> None:
    came = played(f"dogwood:{fault}", rounds=3, devices=DEVICES, known=known)
    assert came.stopped is None
    assert came.troubles == troubles


def test_a_lost_event_is_named_and_the_dealer_counts() -> None:
    came = played("dogwood:gap@event=30", rounds=2, devices=DEVICES, known=LOST)
    assert any("event 30 was lost" in body["text"] for body in came.bodies("alarm"))


def test_an_event_that_is_told_again_with_other_content_is_not_acknowledged() -> None:
    came = played("dogwood:event_twice@event=12,bytes=other", devices=DEVICES)
    assert came.stopped is not None
    assert any("came again with other content" in body["text"] for body in came.bodies("alarm"))


def test_an_event_that_was_spoilt_on_its_way_is_read_when_it_is_told_again() -> None:
    came = played("dogwood:corrupt@frame=60", rounds=2, seed=7, devices=DEVICES)
    assert came.stopped is None
    assert not came.bodies("alarm")


def test_cards_drawn_into_a_full_ring_at_the_end_of_a_deal_are_found_and_lie_with_open_faces() -> None:
    came = played("dogwood:ring_small", rounds=4, devices=DEVICES, known=LOST)
    assert came.stopped is None
    assert not came.troubles
    assert sum("were lost" in body["text"] for body in came.bodies("alarm")) == 2
    assert sum(answer["card"] is None for answer in came.answers("Drawn")) == 4
    assert len(came.dealt) == len(came.true)


@pytest.mark.parametrize("event", [28, 30, 32])
def test_a_shoe_that_forgot_that_its_lid_was_open_has_people_say_so(event: int) -> None:
    came = played(f"dogwood:wiped@event={event}", devices=DEVICES, known=LOST)
    assert came.stopped is None
    assert [body["reason"] for body in came.bodies("hold")] == ["lid forgotten, 1"]


@pytest.mark.parametrize("what", ["journal", "nvram", "table"])
@virtual
async def test_the_table_goes_on_wherever_the_daemon_or_power_dies(tmp_path: Path, what: str) -> None:
    for nth in range(20, 200, 45):
        folder = tmp_path / str(nth)
        folder.mkdir()
        world = World(folder, table(DEVICES), devices=DEVICES, seed=nth, knife=Knife(what, nth))
        await world.play(2)
        assert world.stopped is None
        invariants.hold(world.journal, world.truth)
