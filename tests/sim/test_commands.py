"""Command ids, the memory of commands, and the event ring (common.md §6, §7), the same on every family."""

from __future__ import annotations

import itertools

import pytest

from firmware_sim.nvram import MemoryMedium, Nvram
from firmware_sim.ring import EventRing
from protocols.vocabulary import EventCode, Result
from tests.sim.desk import Desk


def test_common_6_same_id_same_bytes_gives_the_stored_answer_and_moves_nothing() -> None:
    desk = Desk("alder")
    id = desk.shuffle()
    before = desk.mark("alder")
    again = desk.ask("alder", "SHUFFLE_START", id=id, mode=1, deck=0, expected=52)
    assert (again.result, again.body) == (Result.ACCEPTED, {"cycle": 1})
    assert desk.mark("alder") == before


def test_common_6_same_id_other_bytes_is_refused_and_not_stored() -> None:
    desk = Desk("alder")
    id = desk.shuffle()
    assert desk.result("alder", "SHUFFLE_START", id=id, mode=1, deck=0, expected=51) is Result.E_ID_REUSE
    assert desk.result("alder", "ABORT", id=id) is Result.E_ID_REUSE
    assert desk.ask("alder", "RESULT", of=id).body["of_type"] == 0x10


def test_common_6_refusals_are_stored_but_those_of_malformed_requests_are_not() -> None:
    desk = Desk("alder")
    assert desk.result("alder", "ABORT", id=100) is Result.E_STATE
    assert desk.ask("alder", "RESULT", of=100).body == {"of_type": 0x13, "of_result": Result.E_STATE}
    assert desk.result("alder", "SHUFFLE_START", id=101, mode=9, deck=0, expected=52) is Result.E_PARAM
    assert desk.ask("alder", "RESULT", of=101).body["of_result"] == Result.E_PARAM
    assert desk.result("alder", "ABORT", id=0) is Result.E_PARAM
    assert desk.result("alder", "RESULT", of=0) is Result.E_UNKNOWN_ID


def test_common_6_the_last_sixteen_commands_are_remembered() -> None:
    desk = Desk("alder")
    for id in range(1, 18):
        assert desk.result("alder", "ABORT", id=id) is Result.E_STATE
    assert desk.result("alder", "RESULT", of=1) is Result.E_UNKNOWN_ID
    assert desk.result("alder", "RESULT", of=2) is Result.OK
    assert desk.result("alder", "CONFIG_SET", id=1, key=4, value=0, who=1) is Result.OK


def test_common_6_memory_and_effect_outlive_a_power_cut() -> None:
    desk = Desk("birch")
    desk.load()
    desk.power_cut("birch")
    assert desk.ask("birch", "RESULT", of=1).body["of_type"] == 0x14
    assert desk.result("birch", "LOAD_END", id=2) is Result.OK
    assert desk.told("birch").count("STATE LOADING LOADED") == 1


def test_common_7_1_acknowledging_beyond_the_newest_is_refused_and_before_the_oldest_is_fine() -> None:
    desk = Desk("alder")
    newest = desk.events("alder")[-1].seq
    assert desk.result("alder", "EVENT_ACK", upto=newest + 1) is Result.E_PARAM
    assert desk.result("alder", "EVENT_ACK", upto=newest) is Result.OK
    assert desk.result("alder", "EVENT_ACK", upto=0) is Result.OK
    status = desk.ask("alder", "STATUS").body
    assert (status["oldest"], status["newest"]) == (newest + 1, newest)


def test_common_7_reading_the_ring_gives_whole_events_ascending() -> None:
    desk = Desk("alder")
    for value in itertools.islice(itertools.cycle((0, 1)), 20):
        desk.result("alder", "CONFIG_SET", key=4, value=value, who=1)
    newest = desk.ask("alder", "STATUS").body["newest"]
    events = desk.ask("alder", "EVENT_READ", **{"from": 1, "max": 255}).body["events"]
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert 5 < len(events) < newest
    assert len(desk.ask("alder", "EVENT_READ", **{"from": 3, "max": 2}).body["events"]) == 2
    assert desk.ask("alder", "EVENT_READ", **{"from": 1, "max": 0}).body["events"] == ()
    assert desk.ask("alder", "EVENT_READ", **{"from": newest + 1, "max": 9}).body["events"] == ()
    assert desk.result("alder", "EVENT_READ", **{"from": newest + 2, "max": 9}) is Result.E_PARAM


def fill_ring(desk: Desk, device: str, leave: int) -> None:
    """Have the ring take events of no meaning until so few slots are left."""
    ring = desk.bench.machine(device).device.ring
    while ring.free > leave:
        ring.append(1, 0, EventCode.CONFIG_CHANGED, {"key": 4, "old": 0, "new": 1, "who": 0})


def test_common_7_a_full_ring_refuses_motion_until_the_host_acknowledges() -> None:
    desk = Desk("alder")
    fill_ring(desk, "alder", leave=31)
    assert desk.ask("alder", "STATUS").body["flags"] & 1
    assert desk.result("alder", "SHUFFLE_START", mode=1, deck=0, expected=52) is Result.E_RING
    newest = desk.ask("alder", "STATUS").body["newest"]
    assert desk.result("alder", "EVENT_ACK", upto=newest) is Result.OK
    assert desk.result("alder", "SHUFFLE_START", mode=1, deck=0, expected=52) is Result.ACCEPTED


def test_common_7_motion_pauses_for_room_and_goes_on_after_the_acknowledgement() -> None:
    desk = Desk("alder", speed=20.0)
    desk.send("alder", "SHUFFLE_START", mode=1, deck=0, expected=52)
    desk.run(0.3)
    fill_ring(desk, "alder", leave=20)
    desk.run(5)
    assert desk.state("alder") == "FEEDING"
    assert desk.result("alder", "EVENT_ACK", upto=desk.ask("alder", "STATUS").body["newest"]) is Result.OK
    desk.settle("alder", "CMD_DONE")
    assert desk.state("alder") == "READY"


def test_common_7_a_pause_of_a_minute_ends_the_motion() -> None:
    desk = Desk("alder", speed=20.0)
    id = desk.send("alder", "SHUFFLE_START", mode=1, deck=0, expected=52)
    desk.run(0.3)
    fill_ring(desk, "alder", leave=20)
    desk.run(62)
    assert desk.state("alder") == "LOCKED"
    assert desk.result("alder", "EVENT_ACK", upto=desk.events("alder")[-1].seq - 5) is Result.OK
    desk.run(1)
    assert desk.told("alder")[-1] == f"CMD_DONE {id} E_RING"


def test_birch_the_gate_pauses_for_room_and_the_lease_is_kept() -> None:
    desk = Desk("birch")
    desk.load()
    desk.arm(10)
    desk.draw(["table"])
    fill_ring(desk, "birch", leave=32)
    desk.draw(["table"])
    assert not desk.bench.machine("birch").body.gate_open
    status = desk.ask("birch", "STATUS").body
    assert (status["lease"], status["state"]) == (8, 3)
    assert desk.result("birch", "ACK_EVENTS", upto=status["newest"]) is Result.OK
    assert desk.draw(["table"]) == 1


def test_common_7_the_last_sixteen_slots_are_for_faults_power_and_ends_of_commands() -> None:
    ring = EventRing(Nvram(MemoryMedium()), 40)
    body = {"old": 0, "new": 1}
    kept = [ring.append(1, 0, EventCode.STATE, body) is not None for _ in range(30)]
    assert kept == [True] * 24 + [False] * 6
    assert ring.append(1, 0, EventCode.CMD_DONE, {"cmd_id": 1, "result": 0}) is not None
    assert ring.newest == 31
    assert [event.seq for event in ring.retained()] == [*range(1, 25), 31]
    for _ in range(20):
        ring.append(1, 0, EventCode.JAM, {"zone": 1, "cards_in_path": 1, "attempt": 0})
    assert (ring.free, ring.newest) == (0, 51)


def test_a_gap_leaves_a_hole_in_the_numbers() -> None:
    desk = Desk("alder", faults=("alder:gap@event=5",))
    desk.shuffle()
    seqs = [event.seq for event in desk.events("alder")]
    assert seqs == [n for n in range(1, seqs[-1] + 1) if n != 5]


def test_common_8_occurrences_join_an_open_fault() -> None:
    desk = Desk("birch", faults=("unreadable@draw=1", "unreadable@draw=2", "overdraw@draw=1"))
    desk.load()
    desk.arm(1)
    desk.bench.table.hands.do({"do": "draw", "device": "birch", "to": ["seat 1", "seat 2"], "id": "deal"})
    desk.settle("birch", "UNREADABLE", "UNREADABLE")
    faults = desk.ask("birch", "FAULTS").body["faults"]
    assert [fault["code"] for fault in faults] == [0x84, 0x89]
    assert desk.ask("birch", "STATUS").body["hold_idx"] == 1
    desk.result("birch", "REREAD_OK", idx=1, card=1, op1=1, op2=2)
    assert desk.ask("birch", "STATUS").body["hold_idx"] == 2
    assert desk.state("birch") == "HOLD"
    desk.result("birch", "REREAD_OK", idx=2, card=2, op1=1, op2=2)
    desk.run(0.2)
    assert desk.told("birch")[-2:] == ["CLEARED", "STATE HOLD LOADED"]
    assert desk.last("birch", "CLEARED")["fault_seq"] == faults[0]["seq"]


@pytest.mark.parametrize("device", ["alder", "birch"])
def test_common_13_hash_configuration_and_meters(device: str) -> None:
    desk = Desk(device)
    assert desk.ask(device, "HASH_READ").body["status"] == 0
    id = desk.send(device, "HASH_START", nonce="00" * 16, region=1)
    desk.settle(device, "CMD_DONE")
    assert desk.told(device)[-1] == f"CMD_DONE {id} OK"
    first = desk.ask(device, "HASH_READ").body
    assert first["status"] == 2
    assert desk.result(device, "CONFIG_SET", key=4, value=0, who=815) is Result.OK
    assert desk.ask(device, "CONFIG_GET", key=4).body == {"value": 0}
    assert desk.last(device, "CONFIG_CHANGED") == {"key": 4, "old": 1, "new": 0, "who": 815}
    for key, value in ((9, 0), (1, 3), (2, 2)):
        assert desk.result(device, "CONFIG_SET", key=key, value=value, who=815) is Result.E_PARAM
    desk.send(device, "HASH_START", nonce="00" * 16, region=1)
    desk.settle(device, "CMD_DONE")
    assert desk.ask(device, "HASH_READ").body["digest"] != first["digest"]
    assert set(desk.ask(device, "METERS").body) >= {"cycles_ok", "cards", "link_resets"}


@pytest.mark.parametrize(("device", "level2"), [("alder", Result.E_UNSUPPORTED), ("birch", Result.E_AUTH)])
def test_common_14_3_without_a_key_no_level_can_be_had(device: str, level2: Result) -> None:
    desk = Desk(device)
    nonce = "00" * 16
    assert desk.result(device, "AUTH1", level=0, nonce_h=nonce) is Result.E_PARAM
    assert desk.result(device, "AUTH1", level=1, nonce_h=nonce) is Result.E_AUTH
    assert desk.result(device, "AUTH1", level=2, nonce_h=nonce) is level2
    assert desk.result(device, "AUTH2", proof_h=nonce) is Result.E_AUTH
    assert desk.result(device, "AUTH1", level=1, nonce_h=nonce) is Result.E_BUSY
    desk.run(1.1)
    assert desk.result(device, "AUTH1", level=1, nonce_h=nonce) is Result.E_AUTH
    desk.run(0.2)
    assert desk.told(device).count("AUTH_FAIL") == 2


@pytest.mark.parametrize("device", ["alder", "birch"])
def test_common_14_3_a_raised_minimum_level_shuts_everybody_out(device: str) -> None:
    desk = Desk(device)
    assert desk.result(device, "CONFIG_SET", key=3, value=1, who=815) is Result.OK
    assert desk.result(device, "STATUS") is Result.E_AUTH
    assert desk.result(device, "CONFIG_SET", key=3, value=0, who=815) is Result.E_AUTH
    assert desk.ask(device, "IDENT").body["flags"] >> 4 == 1
