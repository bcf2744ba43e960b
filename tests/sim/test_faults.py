"""Faults by their spelling, their triggers, and the page that lists them."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_sim.catalogue import CATALOGUE
from firmware_sim.faults import BadFault, FaultPlan, listing, parse, table
from protocols.vocabulary import Result
from tests.sim.desk import Desk

PAGE = Path(__file__).parents[2] / "docs" / "simulator.md"


def test_a_fault_is_read_with_all_its_keys() -> None:
    fault = parse("alder:jam@card=31,tries=2")
    assert (fault.family, fault.kind.name) == ("alder", "jam")
    assert dict(fault.values) == {"card": 31, "cycle": None, "tries": 2, "times": 1}
    assert parse("unreadable").family is None
    assert parse("birch@4:unreadable@draw=9").family == "birch@4"
    assert parse("birch@4:unreadable").number("draw") == 1
    assert parse("alder:extra@face=As,back=blue").text("face") == "As"


def test_a_question_mark_is_drawn_by_the_seed() -> None:
    cards = {parse("alder:jam@card=?", seed).number("card") for seed in range(30)}
    assert len(cards) > 10
    assert cards <= set(range(1, 53))
    assert parse("alder:jam@card=?", 7) == parse("alder:jam@card=?", 7)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("", "write"),
        ("alder:", "no fault"),
        ("flood", "no fault 'flood'"),
        ("birch:jam", "jam is for alder and cedar"),
        ("alder:jam@speed=3", "jam takes card=, cycle=, tries=, times="),
        ("alder:jam@card", "jam takes"),
        ("alder:jam@card=0", "from 1 on"),
        ("alder:jam@card=x", "whole number"),
        ("alder:extra@face=1x", "face is one of"),
        ("card=3:jam", "write"),
    ],
)
def test_a_bad_fault_is_one_line_that_says_what_is_allowed(spec: str, says: str) -> None:
    with pytest.raises(BadFault) as caught:
        parse(spec)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_fault_strikes_once_unless_it_is_told_otherwise() -> None:
    plan = FaultPlan()
    for spec in ("jam@card=3", "alder:missing@times=2", "extra@times=0,card=1"):
        plan.add(spec)
    assert [plan.take("jam", "alder", card=card, cycle=1) is not None for card in (2, 3, 3)] == [False, True, False]
    assert [plan.take("missing", "alder", card=31, cycle=n) is not None for n in range(4)] == [True, True, False, False]
    assert all(plan.take("extra", "alder", card=1, cycle=n) for n in range(9))
    assert plan.take("jam", "birch", card=3) is None


def test_two_equal_faults_strike_twice() -> None:
    plan = FaultPlan()
    plan.add("jam@card=3")
    plan.add("jam@card=3")
    assert [plan.take("jam", "alder", card=3, cycle=n) is not None for n in range(3)] == [True, True, False]


def test_a_fault_for_one_cycle_waits_for_it() -> None:
    desk = Desk("alder", faults=("alder:jam@card=2,cycle=2",))
    desk.shuffle()
    assert desk.state("alder") == "READY"
    desk.do("take_out", device="alder")
    desk.do("feed", device="alder", **{"from": "rack"})
    desk.shuffle()
    assert desk.state("alder") == "FAULT"


def test_what_has_struck_does_not_strike_again_after_a_restart(tmp_path: Path) -> None:
    faults = ("alder:missing@card=3",)
    desk = Desk("alder", faults=faults, state=tmp_path)
    desk.shuffle()
    desk.do("take_out", device="alder")
    desk.bench.table.close()
    desk = Desk("alder", faults=faults, state=tmp_path, first_id=500)
    mismatch = desk.ask("alder", "FAULTS").body["faults"][0]["seq"]
    assert desk.result("alder", "CLEAR_FAULT", fault_seq=mismatch, operator=1) is Result.OK
    desk.do("feed", device="alder", **{"from": "rack"})
    desk.shuffle()
    assert desk.last("alder", "SHUFFLE_DONE")["verdict"] == 1
    desk.bench.table.close()


@pytest.mark.parametrize("name", ["reply_lost", "corrupt", "noise"])
@pytest.mark.parametrize("device", ["alder", "birch"])
def test_a_link_survives_a_bad_frame(device: str, name: str) -> None:
    desk = Desk(device, faults=tuple(f"{device}:{name}@frame={n}" for n in range(2, 12, 3)))
    for value in (0, 1, 0):
        assert desk.result(device, "CONFIG_SET", key=4, value=value, who=1) is Result.OK
    desk.run(2)
    assert desk.told(device).count("CONFIG_CHANGED") == 3
    assert sum(desk.bench.table.plan.fired.values()) >= 3


def test_unmixed_claims_a_shuffle_and_is_none() -> None:
    desk = Desk("alder", faults=("alder:unmixed",))
    desk.shuffle()
    assert desk.last("alder", "SHUFFLE_DONE")["verdict"] == 1
    assert desk.cards("alder.output")[:3] == ["As", "2s", "3s"]


def test_an_extra_card_is_another_piece_of_the_same_face() -> None:
    desk = Desk("alder", faults=("alder:extra@card=3,face=Kd,back=blue",))
    desk.shuffle()
    kings = [card for card in desk.bench.table.world.cards("alder.output") if card.text == "Kd"]
    assert sorted((card.copy, card.back) for card in kings) == [(0, "red"), (1, "blue")]


def test_faults_armed_later_strike_as_well() -> None:
    desk = Desk("alder")
    desk.bench.table.plan.add("alder:jam@card=5")
    desk.shuffle()
    assert desk.state("alder") == "FAULT"


def test_the_listing_names_every_fault_with_its_keys() -> None:
    text = listing()
    for kind in CATALOGUE.values():
        assert f"\n{kind.name}  (" in f"\n{text}"
        for key in kind.keys:
            assert f"    {key}=" in text


def test_the_page_has_the_tables_of_the_catalogue() -> None:
    _, _, told = PAGE.read_text().partition("<!-- shoesim --fault table -->\n\n")
    assert told.rstrip() == table().rstrip()


def test_every_kind_has_a_meaning_and_keys_that_are_counts() -> None:
    for kind in CATALOGUE.values():
        assert kind.meaning
        assert kind.families
        assert set(kind.tells) <= set(kind.families), kind.name
        assert all(set(key.only) <= set(kind.families) for key in kind.own.values()), kind.name


def test_a_key_of_the_other_family_is_refused_where_the_family_is_named() -> None:
    assert parse("missing@draw=3").number("draw") == 3
    assert parse("birch:missing@draw=3").number("draw") == 3
    with pytest.raises(BadFault, match="missing takes card=, cycle=, times="):
        parse("alder:missing@draw=3")


def test_a_fault_that_names_an_event_strikes_there_and_nowhere_else() -> None:
    plan = FaultPlan()
    plan.add("alder:door@event=5")
    assert plan.take("door", "alder", card=7, cycle=1) is None
    assert plan.take("door", "alder", event=4) is None
    assert plan.take("door", "alder", event=5) is not None
    plan.add("alder:door@card=7")
    assert plan.take("door", "alder", event=7) is None
    assert plan.take("door", "alder", card=7, cycle=1) is not None
