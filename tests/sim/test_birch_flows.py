"""Birch as its document works through it: load, arm, draw, hold, lid, restart, close, each with its events in order."""

from __future__ import annotations

import pytest

from protocols.message import Request
from protocols.vocabulary import Result, Verdict, card_text
from tests.sim.desk import Desk


def loaded(*faults: str, **setup: object) -> Desk:
    desk = Desk("birch", faults=tuple(f"birch:{fault}" for fault in faults), **setup)
    desk.load(cards=len(desk.bench.table.deck.faces))
    return desk


def test_birch_9_1_load_and_deal_two_cards() -> None:
    desk = Desk("birch", seed=7)
    start = desk.mark("birch")
    desk.load()
    desk.run(0.2)
    assert desk.told("birch", start) == ["STATE UNLOADED LOADING", "LID open", "LID shut", "STATE LOADING LOADED"]
    start = desk.mark("birch")
    assert desk.arm(2) is Result.OK
    assert desk.draw(["seat 1", "dealer"]) == 2
    assert desk.told("birch", start) == ["STATE LOADED ARMED", "CARD_DRAWN", "CARD_DRAWN", "STATE ARMED LOADED"]
    assert [card_text(face) for face in desk.faces()] == desk.cards("seat 1") + desk.cards("dealer")
    status = desk.ask("birch", "STATUS").body
    assert (status["shoe"], status["mouth"], status["drawn"], status["lease"]) == (50, 0, 2, 0)


def test_birch_4_a_shut_gate_holds_the_hand_back() -> None:
    desk = loaded()
    reply = desk.bench.do({"do": "draw", "device": "birch", "to": ["seat 1"]}, 1.0)
    assert reply == {"ok": False, "error": "not finished"}
    assert desk.cards("seat 1") == []


def test_birch_4_a_new_lease_replaces_the_old_one() -> None:
    desk = loaded()
    desk.arm(5)
    desk.arm(1)
    assert desk.ask("birch", "STATUS").body["lease"] == 1
    desk.draw(["seat 1"])
    assert desk.state("birch") == "LOADED"


def test_birch_4_disarm_and_arm_0_and_sync_shut_the_gate() -> None:
    desk = loaded()
    for shut in (lambda: desk.result("birch", "DISARM"), lambda: desk.arm(0)):
        desk.arm(3)
        assert shut() is Result.OK
        assert desk.state("birch") == "LOADED"
        assert not desk.bench.machine("birch").body.gate_open
    desk.arm(3)
    desk.bench.detach(desk.hosts["birch"])
    desk.hosts["birch"] = desk.bench.attach("birch")
    assert desk.bench.until(lambda: desk.hosts["birch"].link.up)
    assert desk.state("birch") == "LOADED"


def test_birch_3_silence_shuts_the_gate_and_the_next_command_clears_it() -> None:
    desk = loaded()
    desk.arm(0xFF)
    host = desk.hosts["birch"]
    desk.bench.hosts.remove(host)
    desk.run(1.2)
    assert desk.state("birch") == "LOADED"
    assert desk.bench.machine("birch").device.fault_mask == 1 << 0x15
    desk.bench.hosts.append(host)
    desk.run(0.5)
    assert desk.told("birch")[-3:] == ["STATE ARMED LOADED", "COMMS_LOST", "CLEARED"]


def test_birch_9_3_an_unreadable_card_holds_until_two_persons_name_it() -> None:
    desk = loaded("unreadable@draw=9")
    desk.arm(20)
    start = desk.mark("birch")
    replies: list[dict[str, object]] = []
    order = {"do": "draw", "device": "birch", "to": [f"seat {n}" for n in range(1, 11)], "id": "deal"}
    desk.bench.table.hands.do(order, replies.append)
    desk.settle("birch", "UNREADABLE", "STATE")
    assert desk.told("birch", start)[-3:] == ["CARD_DRAWN", "UNREADABLE", "STATE ARMED HOLD"]
    assert desk.last("birch", "UNREADABLE") == {"card": 0x7E, "idx": 9}
    assert desk.bench.table.hands.look("birch.mouth")["cards"] == [{"up": False}]
    seen = desk.bench.table.hands.look("birch.mouth", lift=True)["cards"][0]["card"]
    status = desk.ask("birch", "STATUS").body
    assert (status["hold_idx"], status["mouth"], status["drawn"]) == (9, 1, 9)
    refused = desk.ask("birch", "ARM", round=1, lease=1)
    assert (refused.result, refused.fault_code) == (Result.E_FAULT, 0x84)
    unread = next(event.seq for event in desk.events("birch") if event.name == "UNREADABLE")
    assert desk.result("birch", "CLEAR_FAULT", fault_seq=unread, operator=4711) is Result.E_INTERLOCK
    named = {"idx": 9, "card": 0x2D, "op1": 4711, "op2": 815}
    assert desk.result("birch", "REREAD_OK", **{**named, "op2": 4711}) is Result.E_PARAM
    assert desk.result("birch", "REREAD_OK", **{**named, "idx": 8}) is Result.E_PARAM
    assert desk.result("birch", "REREAD_OK", **{**named, "card": 0x5F}) is Result.E_PARAM
    start = desk.mark("birch")
    assert desk.result("birch", "REREAD_OK", **named) is Result.OK
    desk.run(0.2)
    assert desk.told("birch", start) == ["CARD_RESOLVED", "CLEARED", "STATE HOLD LOADED"]
    assert desk.last("birch", "CLEARED") == {"fault_seq": unread, "how": 2, "who": 4711}
    assert desk.cards("seat 9") == [seen]
    assert desk.result("birch", "REREAD_OK", **named) is Result.E_STATE
    assert desk.arm(1) is Result.OK
    desk.run(0.5)
    assert replies == [{"ok": True, "moved": 10}]


def test_birch_5_a_card_pushed_back_ends_the_hold_and_is_drawn_again_under_the_next_idx() -> None:
    desk = loaded("unreadable@draw=1")
    face = desk.cards("birch.shoe")[0]
    desk.arm(2)
    desk.bench.table.hands.do({"do": "draw", "device": "birch", "to": ["seat 1"], "id": "deal"})
    desk.settle("birch", "UNREADABLE", "STATE")
    start = desk.mark("birch")
    desk.do("push_back", device="birch")
    assert desk.told("birch", start) == ["CARD_RETURNED", "CLEARED", "STATE HOLD LOADED"]
    assert desk.last("birch", "CLEARED")["how"] == 0
    desk.arm(1)
    desk.draw(["seat 1"])
    assert desk.last("birch", "CARD_DRAWN")["idx"] == 2
    assert desk.cards("seat 1") == [face]


def test_birch_5_an_overdraw_leaves_the_state_but_forbids_arming() -> None:
    desk = loaded("overdraw@draw=2")
    desk.arm(2)
    start = desk.mark("birch")
    desk.draw(["seat 1", "seat 2"])
    desk.run(0.5)
    assert desk.told("birch", start) == ["CARD_DRAWN", "CARD_DRAWN", "STATE ARMED LOADED", "CARD_DRAWN", "OVERDRAW"]
    assert desk.last("birch", "OVERDRAW") == {"idx": 3, "gate": 0}
    assert len(desk.cards("birch.mouth")) == 1
    assert desk.arm(1) is Result.E_FAULT
    fault = next(event.seq for event in desk.events("birch") if event.name == "OVERDRAW")
    assert desk.result("birch", "CLEAR_FAULT", fault_seq=fault, operator=815) is Result.OK
    assert desk.arm(1) is Result.OK
    assert desk.draw(["seat 3"]) == 1
    assert desk.state("birch") == "ARMED"


def test_birch_5_a_draw_before_the_first_arm_is_early() -> None:
    desk = loaded("early_draw")
    desk.run(1)
    assert desk.told("birch")[-2:] == ["CARD_DRAWN", "EARLY_DRAW"]
    assert desk.state("birch") == "LOADED"


def test_birch_5_cut_card_and_last_card() -> None:
    desk = Desk("birch", deck="As Ks Qs Js Ts 9s")
    desk.load(cards=6, cut=3)
    start = desk.mark("birch")
    desk.arm(0xFF)
    desk.draw(["table"] * 6)
    assert desk.told("birch", start) == [
        "STATE LOADED ARMED", "CARD_DRAWN", "CARD_DRAWN", "CARD_DRAWN", "CUT_CARD", "STATE ARMED ENDING",
        "CARD_DRAWN", "CARD_DRAWN", "CARD_DRAWN", "SHOE_EMPTY", "STATE ENDING EMPTY",
    ]  # fmt: skip
    assert desk.last("birch", "CUT_CARD") == {"idx": 3}
    assert desk.faces() == [0x01, 0x0D, 0x0C, 0x0B, 0x0A, 0x09]
    assert desk.arm(1) is Result.E_STATE


@pytest.mark.parametrize(
    ("fault", "verdict", "counted"),
    [((), Verdict.OK, 52), (("lying_count@rest=-1",), Verdict.SHORT, 51), (("lying_count@rest=1",), Verdict.OVER, 53)],
)
def test_birch_4_closing_counts_drawn_and_rest(fault: tuple[str, ...], verdict: Verdict, counted: int) -> None:
    desk = loaded(*fault)
    desk.arm(5)
    desk.draw([f"seat {n}" for n in range(1, 6)])
    start = desk.mark("birch")
    id = desk.send("birch", "SHOE_CLOSE", residual=47)
    desk.settle("birch", "CMD_DONE")
    assert desk.told("birch", start) == ["SHOE_COUNT", "STATE LOADED UNLOADED", f"CMD_DONE {id} OK"]
    count = desk.last("birch", "SHOE_COUNT")
    assert (count["expected"], count["counted"], count["verdict"], count["flags"]) == (52, counted, verdict, 0)
    assert desk.do("unload", device="birch", to="rack") == 47


def test_birch_4_cards_left_where_none_should_be_are_residual() -> None:
    desk = loaded()
    desk.send("birch", "SHOE_CLOSE", residual=0)
    desk.settle("birch", "CMD_DONE")
    assert desk.told("birch")[-5:-1] == ["SHOE_COUNT", "RESIDUAL", "STATE LOADED UNLOADED", "CMD_DONE 3 OK"]
    assert desk.state("birch") == "FAULT"
    fault = next(event.seq for event in desk.events("birch") if event.name == "RESIDUAL")
    assert desk.result("birch", "CLEAR_FAULT", fault_seq=fault, operator=815) is Result.E_INTERLOCK
    desk.do("unload", device="birch", to="rack")
    assert desk.result("birch", "CLEAR_FAULT", fault_seq=fault, operator=815) is Result.OK
    assert desk.state("birch") == "UNLOADED"


def test_birch_5_a_lid_opened_under_way_voids_the_count() -> None:
    desk = loaded()
    desk.arm(3)
    start = desk.mark("birch")
    desk.do("open_lid", device="birch")
    desk.do("close_lid", device="birch")
    assert desk.told("birch", start) == [
        "LID open", "STATE ARMED LID_OPEN", "LID shut", "STATE LID_OPEN LOADED",
    ]  # fmt: skip
    assert desk.ask("birch", "STATUS").body["lease"] == 0
    desk.send("birch", "SHOE_CLOSE", residual=52)
    desk.settle("birch", "CMD_DONE")
    assert desk.last("birch", "SHOE_COUNT")["verdict"] == Verdict.UNKNOWN
    assert desk.last("birch", "SHOE_COUNT")["flags"] == 2


def test_birch_9_4_restart_in_mid_shoe() -> None:
    desk = loaded()
    desk.arm(10)
    desk.draw(["table"] * 5)
    start = desk.mark("birch")
    desk.power_cut("birch", 2)
    assert desk.told("birch", start) == ["POWER_UP", "STATE BOOT LOADED"]
    zones = ({"count": 47, "err": 0}, {"count": 0, "err": 0}, {"count": 5, "err": 0})
    assert desk.last("birch", "POWER_UP") == {"cause": 2, "prev_state": 3, "zones": zones}
    assert desk.ask("birch", "RESULT", of=3).body == {"of_type": 0x16, "of_result": 0}
    assert desk.ask("birch", "STATUS").body["lease"] == 0
    desk.arm(1)
    desk.draw(["table"])
    assert desk.last("birch", "CARD_DRAWN")["idx"] == 6


def test_common_10_power_lost_with_a_card_half_out_holds_its_draw() -> None:
    desk = loaded("power_cut@card=3")
    desk.arm(5)
    replies: list[dict[str, object]] = []
    order = {"do": "draw", "device": "birch", "to": ["seat 1", "seat 2", "seat 3"], "id": "deal"}
    desk.bench.table.hands.do(order, replies.append)
    desk.settle("birch", "POWER_UP", "UNREADABLE", "STATE")
    assert desk.told("birch")[-3:] == ["POWER_UP", "UNREADABLE", "STATE BOOT HOLD"]
    assert desk.last("birch", "POWER_UP")["zones"][1] == {"count": 1, "err": 1}
    assert desk.last("birch", "UNREADABLE") == {"card": 0x7F, "idx": 3}
    seen = desk.bench.table.hands.look("birch.mouth", lift=True)["cards"]
    assert len(seen) == 1
    assert desk.result("birch", "REREAD_OK", idx=3, card=0x01, op1=1, op2=2) is Result.OK
    desk.run(0.5)
    assert replies == [{"ok": True, "moved": 3}]
    assert len(desk.cards("seat 3")) == 1


def test_a_card_too_many_of_a_face_is_a_duplicate() -> None:
    desk = loaded(deck="As Ks As Qs Js Ts")
    desk.arm(0xFF)
    desk.bench.table.hands.do({"do": "draw", "device": "birch", "to": ["table"] * 6, "id": "all"})
    desk.settle("birch", "DUPLICATE", "STATE")
    assert desk.told("birch")[-3:] == ["CARD_DRAWN", "DUPLICATE", "STATE ARMED FAULT"]
    assert desk.last("birch", "DUPLICATE") == {"card": 0x01, "idx": 3}
    fault = next(event.seq for event in desk.events("birch") if event.name == "DUPLICATE")
    assert desk.result("birch", "CLEAR_FAULT", fault_seq=fault, operator=815) is Result.OK
    assert desk.state("birch") == "LOADED"


def test_birch_4_load_end_waits_for_the_lid() -> None:
    desk = Desk("birch")
    assert desk.result("birch", "LOAD_BEGIN", decks=1, expected=52, set_id="00" * 8, cut=0) is Result.OK
    desk.do("open_lid", device="birch")
    assert desk.result("birch", "LOAD_END") is Result.E_INTERLOCK
    desk.do("close_lid", device="birch")
    assert desk.result("birch", "LOAD_END") is Result.OK


def test_birch_poll_shows_the_newest_retained_events_first() -> None:
    desk = loaded()
    desk.arm(1)
    desk.draw(["table"])
    poll = desk.bench.machine("birch").device.answer(Request("POLL")).body
    assert poll["ctr"] == desk.events("birch")[-1].seq
    assert poll["recent"][:2] == ({"code": 0x02, "arg": 3}, {"code": 0x10, "arg": desk.faces()[0]})
    desk.acknowledge("birch")
    assert desk.ask("birch", "STATUS").body["oldest"] == poll["ctr"] + 1


def test_two_shoes_share_one_line() -> None:
    desk = Desk("birch", "birch@4")
    assert len(desk.bench.table.lines) == 1
    serials = {desk.ask(name, "IDENT").body["serial"] for name in ("birch", "birch@4")}
    assert serials == {"BI000003", "BI000004"}
