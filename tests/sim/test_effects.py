"""What faults do to cards and what devices make of it, one by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from protocols.vocabulary import FACE_UP_CARD, FOREIGN_CARD, EventCode, Result, Verdict, VerdictFlag, card_byte
from tests.sim.desk import Desk


def shuffled(*faults: str, **setup: Any) -> Desk:
    desk = Desk("alder", faults=faults, **setup)
    desk.shuffle()
    return desk


def drawn(*faults: str, cards: int = 4, lease: int = 9, **setup: Any) -> Desk:
    desk = Desk("birch", faults=faults, **setup)
    desk.load()
    desk.arm(lease)
    desk.bench.do({"do": "draw", "device": "birch", "to": ["table"] * cards}, 0.6)
    desk.run(0.5)
    return desk


def bodies(desk: Desk, device: str, name: str) -> list[dict[str, Any]]:
    return [dict(event.body) for event in desk.events(device) if event.name == name]


# shuffler


def test_two_cards_at_once_are_seen_and_stay_in_the_path() -> None:
    desk = shuffled("double_feed@card=9")
    assert desk.last("alder", "DOUBLE_FEED") == {"zone": 1, "thickness": 190}
    assert desk.told("alder")[-4:] == ["DOUBLE_FEED", "SHUFFLE_DONE", "STATE FEEDING FAULT", "CMD_DONE 1 E_FAULT"]
    assert len(desk.cards("alder.path")) == 2
    (fault,) = desk.ask("alder", "FAULTS").body["faults"]
    assert desk.result("alder", "CLEAR_FAULT", fault_seq=fault["seq"], operator=1) is Result.E_INTERLOCK
    desk.do("clear", device="alder")
    assert desk.result("alder", "CLEAR_FAULT", fault_seq=fault["seq"], operator=1) is Result.OK
    assert desk.state("alder") == "LOADED"
    desk.shuffle()
    assert desk.last("alder", "SHUFFLE_DONE")["verdict"] == Verdict.OK


def test_two_thin_cards_pass_as_one_and_the_counts_differ() -> None:
    desk = shuffled("double_feed@card=9,thickness=120")
    done = desk.last("alder", "SHUFFLE_DONE")
    assert (done["in"], done["out"], done["verdict"]) == (51, 52, Verdict.UNKNOWN)
    assert desk.state("alder") == "LOCKED"


def test_a_bent_card_stays_in_the_path() -> None:
    desk = shuffled("card_damaged@card=9")
    assert desk.last("alder", "CARD_DAMAGED") == {"zone": 1}
    assert (desk.state("alder"), len(desk.cards("alder.path"))) == ("FAULT", 1)


@pytest.mark.parametrize(("zone", "number"), [("path", 1), ("rack", 2), ("output", 3)])
def test_a_card_left_behind_ends_the_cycle_at_its_beginning(zone: str, number: int) -> None:
    desk = shuffled(f"residual@zone={zone}")
    assert desk.last("alder", "RESIDUAL") == {"zone": number, "n": 1}
    assert desk.last("alder", "SHUFFLE_DONE")["verdict"] == Verdict.ABORTED
    desk.do("take_out", device="alder")
    assert len(desk.cards("rack")) == 52


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("foreign@card=4", [("FOREIGN", FOREIGN_CARD)]),
        ("face_up@card=4", [("FACE_UP", FACE_UP_CARD)]),
        ("wrong_back@card=4", [("WRONG_BACK", FOREIGN_CARD)]),
        ("unreadable@card=4", [("UNREADABLE", 0x7E)]),
        ("duplicate@card=4,face=Kd", [("DUPLICATE", card_byte("Kd"))]),
        ("misread@card=4,face=Kd", [("DUPLICATE", card_byte("Kd"))]),
    ],
)
def test_a_reading_shuffler_names_the_card_and_no_place(fault: str, told: list[tuple[str, int]]) -> None:
    desk = shuffled(fault, composition=True)
    faults = [(event.name, dict(event.body)) for event in desk.events("alder") if 0x84 <= event.code <= 0x88]
    assert faults == [(name, {"card": card, "idx": 0}) for name, card in told]
    assert desk.state("alder") == "FAULT"
    assert desk.last("alder", "SHUFFLE_DONE")["verdict"] in (Verdict.UNKNOWN, Verdict.COMPOSITION)


@pytest.mark.parametrize("fault", ["foreign", "face_up", "wrong_back", "unreadable", "duplicate", "misread"])
def test_a_counting_shuffler_sees_nothing_of_it(fault: str) -> None:
    desk = shuffled(f"{fault}@card=4")
    assert desk.last("alder", "SHUFFLE_DONE")["verdict"] == Verdict.OK


def test_a_shuffler_that_sees_backs_sees_only_those() -> None:
    assert shuffled("wrong_back@card=4", backs=True).told("alder").count("WRONG_BACK") == 1
    assert shuffled("foreign@card=4", backs=False).told("alder").count("WRONG_BACK") == 0


def test_faults_with_faces_come_in_the_order_of_the_cards() -> None:
    desk = shuffled("face_up@card=3", "duplicate@card=5,face=As", "foreign@card=7", composition=True)
    cards = [event.body["card"] for event in desk.events("alder") if 0x84 <= event.code <= 0x88]
    assert cards == sorted(cards)
    assert len(cards) == 3


def test_a_card_that_lies_face_up_in_the_deck_lies_so_until_somebody_looks() -> None:
    desk = Desk("alder", "birch", faults=("alder:face_up@card=4",))
    desk.shuffle()
    desk.present()
    desk.do("take", device="alder")
    desk.load(source="hand")
    desk.arm(0xFF)
    desk.bench.do({"do": "draw", "device": "birch", "to": ["seat 1"] * 52}, 2)
    assert desk.last("birch", "FACE_UP")["card"] == FACE_UP_CARD
    assert [card["up"] for card in desk.bench.table.hands.look("seat 1")["cards"]][-1]
    desk.do("move", **{"from": "seat 1", "to": "rack"})
    assert not any(card["up"] for card in desk.bench.table.hands.look("rack")["cards"])


# shoe


@pytest.mark.parametrize(
    ("fault", "name", "card"),
    [("foreign@draw=2", "FOREIGN", FOREIGN_CARD), ("face_up@draw=2", "FACE_UP", FACE_UP_CARD)],
)
def test_a_shoe_tells_what_it_sees_of_a_card_that_is_none(fault: str, name: str, card: int) -> None:
    desk = drawn(fault)
    assert desk.last("birch", name) == {"card": card, "idx": 2}
    assert (desk.faces()[1], desk.state("birch"), len(desk.cards("table"))) == (card, "FAULT", 2)
    (open_fault,) = desk.ask("birch", "FAULTS").body["faults"]
    assert desk.result("birch", "CLEAR_FAULT", fault_seq=open_fault["seq"], operator=1) is Result.OK
    assert desk.state("birch") == "LOADED"


def test_a_second_card_of_a_face_and_another_back_are_told_with_their_draw() -> None:
    assert drawn("duplicate@draw=3,face=As").last("birch", "DUPLICATE") == {"card": card_byte("As"), "idx": 3}
    assert drawn("wrong_back@draw=3").last("birch", "WRONG_BACK") == {"card": FOREIGN_CARD, "idx": 3}


@pytest.mark.parametrize(("fault", "counted", "verdict"), [("missing", 51, Verdict.SHORT), ("extra", 53, Verdict.OVER)])
def test_a_shoe_counts_a_card_that_is_missing_or_too_many(fault: str, counted: int, verdict: Verdict) -> None:
    desk = drawn(f"{fault}@draw=9")
    desk.send("birch", "DISARM")
    desk.send("birch", "SHOE_CLOSE", residual=48)
    desk.settle("birch", "CMD_DONE")
    count = desk.last("birch", "SHOE_COUNT")
    assert (count["counted"], count["verdict"]) == (counted, verdict)


@pytest.mark.parametrize("later", ["never", "right", "wrong"])
def test_a_misread_card_stays_wrong_or_is_told_again(later: str) -> None:
    desk = drawn(f"misread@draw=2,face=Kd,later={later},after=2")
    true = card_byte(desk.cards("table")[1])
    assert (desk.faces()[1], len(desk.cards("table"))) == (card_byte("Kd"), 4)
    told = bodies(desk, "birch", "CARD_RESOLVED")
    if later == "never":
        assert told == []
        return
    (resolved,) = told
    assert (resolved["idx"], resolved["op1"], resolved["op2"]) == (2, 0, 0)
    assert (resolved["card"] == true) is (later == "right")
    assert resolved["card"] != card_byte("Kd")
    names = desk.told("birch")
    assert names[: names.index("CARD_RESOLVED")].count("CARD_DRAWN") == 4


def test_the_truth_says_which_card_was_taken_for_another_and_says_so_of_no_other(tmp_path: Path) -> None:
    desk = drawn("misread@draw=2,face=Kd", "unreadable@draw=4", "face_up@draw=3", truth=tmp_path / "truth")
    desk.bench.table.close()
    lines = map(json.loads, (tmp_path / "truth").read_text().splitlines())
    assert [(line["card"], line["read_as"]) for line in lines if "read_as" in line] == [(desk.cards("table")[1], "Kd")]


def test_a_second_thought_that_is_still_owed_comes_as_the_shoe_is_closed() -> None:
    desk = drawn("misread@draw=3,face=Kd,later=right,after=40")
    desk.send("birch", "DISARM")
    desk.send("birch", "SHOE_CLOSE", residual=48)
    desk.run(3)
    assert [text for text in desk.told("birch") if text.startswith(("CARD_R", "SHOE_"))] == [
        "CARD_RESOLVED",
        "SHOE_COUNT",
    ]


def test_a_card_pushed_back_is_the_next_one_again_under_a_new_number() -> None:
    desk = drawn("pushed_back@draw=2", lease=5)
    assert desk.last("birch", "CARD_RETURNED") == {"idx": 2}
    assert desk.cards("table") == ["As", "2s", "3s", "4s"]
    assert [body["idx"] for body in bodies(desk, "birch", "CARD_DRAWN")] == [1, 2, 3, 4, 5]
    assert desk.faces()[1] == desk.faces()[2]
    assert desk.ask("birch", "STATUS").body["drawn"] == 4


def test_a_cut_card_that_nobody_asked_for() -> None:
    desk = drawn("cut_card@draw=2")
    assert desk.last("birch", "CUT_CARD") == {"idx": 2}
    assert desk.state("birch") == "ENDING"
    desk.send("birch", "DISARM")
    desk.send("birch", "SHOE_CLOSE", residual=48)
    desk.settle("birch", "CMD_DONE")
    assert desk.last("birch", "SHOE_COUNT")["verdict"] == Verdict.OK
    desk.do("unload", device="birch", to="rack")
    assert desk.cards("birch.pocket") == []


def test_a_card_stays_in_the_well_until_it_is_looked_for_again() -> None:
    desk = drawn("residual")
    desk.send("birch", "DISARM")
    desk.send("birch", "SHOE_CLOSE", residual=48)
    desk.settle("birch", "CMD_DONE")
    assert desk.do("unload", device="birch", to="rack") == 47
    assert desk.do("unload", device="birch", to="rack") == 1


# flaps, dirt, heat


@pytest.mark.parametrize("device", ["alder", "birch"])
def test_a_switch_that_flutters_says_nothing(device: str) -> None:
    desk = Desk(device, faults=(f"{device}:flutter@event=2,edges=40",))
    desk.run(3)
    assert not {"DOOR open", "LID open"} & set(desk.told(device))
    assert not desk.bench.machine(device).body.flap_open


def test_a_door_in_the_cycle_ends_it_and_shuts_again() -> None:
    desk = shuffled("door@card=4")
    desk.run(3)
    done = desk.last("alder", "SHUFFLE_DONE")
    assert (done["verdict"], bool(done["flags"] & VerdictFlag.MANUAL)) == (Verdict.ABORTED, True)
    assert [text for text in desk.told("alder") if "DOOR " in text] == ["DOOR open", "DOOR shut"]
    assert desk.state("alder") == "LOCKED"


def test_a_door_that_stays_open_waits_for_somebody() -> None:
    desk = shuffled("door@card=4,shut=0")
    desk.run(30)
    assert desk.state("alder") == "DOOR_OPEN"
    desk.do("close_door", device="alder")
    assert desk.state("alder") == "LOCKED"


def test_a_lid_in_the_deal_voids_the_count() -> None:
    desk = drawn("lid@card=2")
    desk.run(3)
    assert [text for text in desk.told("birch") if text.startswith("LID")][-2:] == ["LID open", "LID shut"]
    desk.send("birch", "SHOE_CLOSE", residual=50)
    desk.settle("birch", "CMD_DONE")
    assert desk.last("birch", "SHOE_COUNT")["flags"] == VerdictFlag.MANUAL


@pytest.mark.parametrize("device", ["alder", "birch"])
@pytest.mark.parametrize("kind", ["motor_stall", "sensor_blocked", "nvram_error", "rng_health"])
def test_a_cause_that_stays_forbids_clearing_until_somebody_cleans(device: str, kind: str) -> None:
    fault = f"{device}:{kind}@card=2,stays=1"
    desk = shuffled(fault) if device == "alder" else drawn(fault)
    assert desk.state(device) == "FAULT"
    (fault_open,) = desk.ask(device, "FAULTS").body["faults"]
    assert desk.result(device, "CLEAR_FAULT", fault_seq=fault_open["seq"], operator=1) is Result.E_INTERLOCK
    desk.do("clear", device=device)
    assert desk.result(device, "CLEAR_FAULT", fault_seq=fault_open["seq"], operator=1) is Result.OK
    assert desk.state(device) == "LOADED"


@pytest.mark.parametrize("device", ["alder", "birch"])
def test_dirt_is_told_marks_the_count_and_ends_by_itself(device: str) -> None:
    fault = f"{device}:sensor_weak@card=2,lasts=2"
    desk = shuffled(fault) if device == "alder" else drawn(fault)
    names = desk.told(device)
    assert names[names.index("SENSOR_WEAK") :].count("CLEARED") == 1
    assert desk.last(device, "CLEARED")["how"] == 0
    if device == "birch":
        desk.send("birch", "DISARM")
        desk.send("birch", "SHOE_CLOSE", residual=48)
        desk.settle("birch", "CMD_DONE")
    count = desk.last(device, "SHUFFLE_DONE" if device == "alder" else "SHOE_COUNT")
    assert (count["verdict"], count["flags"]) == (Verdict.OK, VerdictFlag.SENSOR_WEAK)


@pytest.mark.parametrize("device", ["alder", "birch"])
def test_firmware_that_does_not_match_is_a_matter_for_service(device: str) -> None:
    desk = Desk(device, faults=(f"{device}:fw_integrity@event=2",))
    desk.run(0.5)
    (fault,) = desk.ask(device, "FAULTS").body["faults"]
    assert fault["code"] == EventCode.FW_INTEGRITY
    assert desk.result(device, "CLEAR_FAULT", fault_seq=fault["seq"], operator=1) is Result.E_STATE
    desk.do("plug_service", device=device)
    desk.do("unplug_service", device=device)
    assert desk.bench.until(lambda: desk.state(device) in ("LOADED", "EMPTY", "UNLOADED"), 10)
    assert desk.bench.machine(device).device.faults == ()


def test_a_cause_outlives_a_power_cut_and_is_raised_once() -> None:
    desk = shuffled("sensor_weak@card=2,lasts=0")
    desk.power_cut("alder")
    assert desk.told("alder").count("SENSOR_WEAK") == 1
    desk.do("take_out", device="alder")
    assert desk.last("alder", "CLEARED")["how"] == 0
