"""What goes wrong with a Cedar, as its document has it: pocket, counts, jam, door, power, packets of a wrong size."""

from __future__ import annotations

import pytest

from protocols.vocabulary import Result, Verdict
from tests.sim.desk import SET_ID
from tests.sim.plugged import OPERATOR, cedar, ready


def test_cedar_3_discards_that_are_not_as_many_as_expected_lock_the_machine() -> None:
    desk = ready()
    desk.plan((1, 5))
    desk.hands("take")
    desk.hands("feed", **{"from": "seat 1"}, count=4)
    desk.result_of("FEED_DISCARDS", expected=5)
    desk.wait("COUNT_MISMATCH", "STATE", "CMD_DONE")
    assert desk.last("COUNT_MISMATCH") == {"in": 4, "out": 0, "expected": 5}
    assert desk.state() == "LOCKED"
    assert desk.counted()["verdict"] == Verdict.OK
    assert desk.state() == "READY"


@pytest.mark.parametrize(
    ("fault", "code", "card"),
    [
        ("unreadable@card=9", "UNREADABLE", 0x7E),
        ("foreign@card=9", "FOREIGN", 0x5F),
        ("face_up@card=9", "FACE_UP", 0x60),
        ("wrong_back@card=9", "WRONG_BACK", 0x5F),
    ],
)
def test_cedar_4_what_does_not_belong_goes_to_the_pocket_and_is_purged(fault: str, code: str, card: int) -> None:
    desk = cedar(fault)
    desk.loaded()
    assert desk.told()[-3:] == [code, "STATE MIXING REJECT_PENDING", "CMD_DONE 2 OK"]
    assert desk.last(code) == {"card": card, "idx": 0}
    fault_seq = next(event.seq for event in desk.events() if event.name == code)
    assert desk.result_of("CLEAR_FAULT", fault_seq=fault_seq, operator=OPERATOR) is Result.E_INTERLOCK
    assert desk.result_of("PURGE_REJECT", expected=2, who=OPERATOR) is Result.E_PARAM
    assert desk.result_of("PURGE_REJECT", expected=1, who=0) is Result.E_PARAM
    start = desk.mark()
    assert desk.result_of("PURGE_REJECT", expected=1, who=OPERATOR) is Result.ACCEPTED
    assert desk.hands("take_purged") == 1
    desk.run(0.2)
    assert desk.told(start)[0] == "STATE REJECT_PENDING READY"
    assert desk.result_of("CLEAR_FAULT", fault_seq=fault_seq, operator=OPERATOR) is Result.OK
    count = desk.counted()
    assert (count["expected"], count["counted"], count["verdict"], count["flags"]) == (51, 51, 1, 0)


def test_cedar_4_a_load_of_another_number_locks_and_is_unloaded() -> None:
    desk = cedar("extra@card=9")
    desk.loaded()
    assert desk.told()[-3:] == ["COUNT_MISMATCH", "STATE MIXING LOCKED", "CMD_DONE 2 OK"]
    assert desk.result_of("DELIVER", round=1, seat=1, n=2, flags=0) is Result.E_FAULT
    count = desk.counted()
    assert (count["counted"], count["verdict"]) == (53, Verdict.OVER)
    start = desk.mark()
    id = desk.send("cedar", "UNLOAD_ALL")
    desk.wait("CMD_DONE")
    assert desk.told(start) == [
        "STATE LOCKED PURGING", "COMPOSITION", "SHOE_COUNT", "COUNT_MISMATCH", "STATE PURGING UNLOADED",
        f"CMD_DONE {id} OK",
    ]  # fmt: skip
    assert desk.result_of("LOAD_BEGIN", profile=0, decks=1, expected=52, set_id=SET_ID) is Result.E_FAULT
    assert desk.hands("take_out") == 53
    desk.clear_all()
    assert desk.state() == "UNLOADED"


def test_cedar_8_3_a_jam_that_stays_locks_until_an_inventory() -> None:
    desk = ready("jam@card=3,cycle=2")
    start = desk.mark()
    id = desk.send("cedar", "DELIVER", round=1301, seat=2, n=5, flags=0)
    desk.wait("JAM", "STATE", "CMD_DONE")
    assert desk.told(start) == ["STATE READY DELIVERING", "JAM", "STATE DELIVERING FAULT", f"CMD_DONE {id} E_FAULT"]
    assert desk.last("JAM") == {"zone": 1, "cards_in_path": 1, "attempt": 3}
    jam = next(event.seq for event in desk.events() if event.name == "JAM")
    assert desk.result_of("CLEAR_FAULT", fault_seq=jam, operator=OPERATOR) is Result.E_INTERLOCK
    desk.hands("clear")
    desk.hands("take", to="seat 2")
    desk.run(0.1)
    assert desk.last("PACKET_TAKEN") == {"round": 1301, "seat": 2, "n": 2}
    start = desk.mark()
    assert desk.result_of("CLEAR_FAULT", fault_seq=jam, operator=OPERATOR) is Result.OK
    count = desk.counted()
    assert (count["expected"], count["counted"], count["verdict"]) == (50, 50, 1)
    assert desk.told(start)[:4] == ["CLEARED", "STATE FAULT LOCKED", "SHOE_COUNT", "STATE LOCKED READY"]


def test_cedar_4_a_jam_that_the_machine_frees_is_told_and_over() -> None:
    desk = cedar("jam@card=5,tries=2")
    desk.loaded()
    assert desk.told()[-5:] == ["JAM", "CLEARED", "STATE LOADING MIXING", "STATE MIXING READY", "CMD_DONE 2 OK"]
    assert desk.last("JAM")["attempt"] == 2
    assert desk.counted()["verdict"] == Verdict.OK


@pytest.mark.parametrize(("by", "n"), [(1, 3), (-1, 1)])
def test_cedar_7_1_packet_ready_says_what_lies_in_the_tray(by: int, n: int) -> None:
    desk = ready(f"packet_size@card=2,cycle=2,by={by}")
    desk.plan((4, 2))
    desk.wait("PACKET_READY")
    assert desk.last("PACKET_READY") == {"round": 7, "seat": 4, "n": n}
    desk.hands("take")
    desk.run(0.5)
    count = desk.counted()
    assert (count["expected"], count["counted"], count["verdict"]) == (52 - n, 52 - n, 1)


def test_a_packet_that_nobody_takes_waits() -> None:
    desk = ready("packet_left")
    desk.plan((4, 2))
    assert desk.hands("take") == 0
    desk.run(30)
    assert desk.state() == "WAIT_TAKE"
    assert desk.hands("take") == 2
    desk.run(0.2)
    assert desk.state() == "READY"


def test_cedar_4_power_lost_in_motion_locks_until_counted() -> None:
    desk = ready("power_cut@card=2,cycle=2")
    id = desk.plan((3, 5))
    desk.bench.until(lambda: desk.state() == "OFF", 20)
    desk.come_back()
    assert desk.told()[-3:] == ["POWER_UP", f"CMD_DONE {id} E_ABORTED", "STATE BOOT LOCKED"]
    zones = desk.last("POWER_UP")["zones"]
    assert [zone["err"] for zone in zones] == [0, 0, 0, 0, 1, 0]
    assert sum(zone["count"] for zone in zones) == 52
    assert desk.hands("take", to="seat 3") == 1
    desk.run(0.1)
    assert desk.last("PACKET_TAKEN") == {"round": 7, "seat": 3, "n": 1}
    count = desk.counted()
    assert (count["expected"], count["counted"], count["verdict"]) == (51, 51, 1)


def test_common_10_a_card_half_out_of_the_mouth_is_a_draw_without_record() -> None:
    desk = ready()
    desk.bench.table.plan.add("cedar:power_cut@card=2")
    desk.tell("SHOE_ARM", round=1, lease=9)
    desk.bench.table.hands.do({"do": "draw", "device": "cedar", "to": ["seat 1"] * 3, "id": "deal"})
    desk.bench.until(lambda: desk.state() == "OFF", 5)
    desk.come_back()
    assert desk.state() == "LOCKED"
    desk.run(2)
    count = desk.counted()
    assert (count["expected"], count["counted"], count["verdict"]) == (50, 50, 1)
    assert len(desk.cards("seat 1")) == 2
    desk.tell("SHOE_ARM", round=1, lease=9)
    desk.run(2)
    assert desk.last("CARD_DRAWN")["idx"] == 3


def test_cedar_4_a_door_opened_under_way_makes_every_count_worthless_until_a_new_load() -> None:
    desk = ready()
    desk.hands("open_door")
    assert desk.told()[-2:] == ["DOOR open", "STATE READY LOCKED"]
    assert desk.result_of("INVENTORY") is Result.E_INTERLOCK
    desk.hands("close_door")
    assert (desk.counted()["verdict"], desk.last("SHOE_COUNT")["flags"] & 2) == (Verdict.UNKNOWN, 2)
    assert desk.state() == "LOCKED"
    desk.tell("UNLOAD_ALL")
    desk.wait("CMD_DONE")
    desk.hands("take_out")
    desk.hands("feed", **{"from": "rack"})
    desk.loaded()
    assert desk.counted()["verdict"] == Verdict.OK


@pytest.mark.parametrize(
    ("fault", "verdict"), [("missing@card=9", 2), ("duplicate@card=9", 4), ("lying_count@rest=1,cycle=2", 3)]
)
def test_common_9_an_inventory_finds_what_the_load_did_not(fault: str, verdict: int) -> None:
    desk = ready(fault)
    count = desk.counted()
    assert count["verdict"] == verdict
    assert desk.state() == "LOCKED"
    assert ("COMPOSITION" in desk.told()) is (verdict != 3)
    assert ("COUNT_MISMATCH" in desk.told()) is (verdict in (2, 3))


def test_cedar_3_what_stays_behind_is_residual() -> None:
    desk = ready("residual@cycle=2")
    desk.tell("UNLOAD_ALL")
    desk.wait("CMD_DONE")
    assert desk.told()[-6:-1] == [
        "COMPOSITION", "SHOE_COUNT", "COUNT_MISMATCH", "RESIDUAL", "STATE PURGING UNLOADED",
    ] or desk.told()[-5:-1] == ["SHOE_COUNT", "COUNT_MISMATCH", "RESIDUAL", "STATE PURGING UNLOADED"]  # fmt: skip
    assert desk.last("RESIDUAL") == {"zone": 2, "n": 1}
    residual = next(event.seq for event in desk.events() if event.name == "RESIDUAL")
    assert desk.result_of("CLEAR_FAULT", fault_seq=residual, operator=1) is Result.E_INTERLOCK
    assert desk.hands("take_out") == 52
    assert desk.result_of("CLEAR_FAULT", fault_seq=residual, operator=1) is Result.OK


def test_an_early_draw_and_an_overdraw_are_told_and_forbid_motion() -> None:
    desk = cedar("early_draw", "overdraw@draw=3")
    desk.loaded()
    desk.run(1)
    assert desk.told()[-2:] == ["CARD_DRAWN", "EARLY_DRAW"]
    assert desk.counted()["verdict"] == Verdict.OK
    desk.clear_all()
    desk.hands("take", to="rack")
    desk.run(0.1)
    assert desk.result_of("SHOE_ARM", round=1, lease=2) is Result.OK
    desk.hands("draw", to=["seat 1"] * 2)
    desk.run(1)
    assert desk.last("OVERDRAW") == {"idx": 4, "gate": 0}
    assert desk.tell("DELIVER", round=1, seat=1, n=1, flags=0).fault_code == 0x89
