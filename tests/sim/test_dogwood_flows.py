"""Dogwood as its document works through it: fill, load, arm, draw, hold, retire, restart."""

from __future__ import annotations

import pytest

from protocols.dogwood.datasheet import FLAGS
from protocols.dogwood.wire import CATALOGUE
from protocols.message import Hint, Request
from protocols.vocabulary import Result, Verdict, card_byte
from tests.sim.plugged import OPERATOR, Plugged


def loaded(*faults: str, cards: int = 52, cut: int | None = None, **setup: object) -> Plugged:
    desk = Plugged("dogwood", *faults, **setup)
    desk.shoe(cards=cards, cut=cut)
    return desk


def flags(desk: Plugged) -> set[str]:
    """The flags of the last STATUS, by name."""
    desk.run(0.2)
    hint = [each for each in desk.hosts["dogwood"].messages if isinstance(each, Hint)][-1]
    return {name for place, name in enumerate(FLAGS) if hint.body["flags"] >> place & 1}


def test_dogwood_9_1_draw_by_draw() -> None:
    desk = Plugged("dogwood", seed=7)
    assert desk.state() == "UNLOADED"
    start = desk.mark()
    desk.shoe()
    assert desk.told(start) == ["LID open", "LID shut", "STATE UNLOADED LOADED"]
    start = desk.mark()
    assert desk.result_of("ARM", round=12, lease=2) is Result.OK
    assert desk.drawn(["seat 1", "dealer"]) == 2
    assert desk.told(start) == ["STATE LOADED ARMED", "CARD_DRAWN", "CARD_DRAWN", "STATE ARMED LOADED"]
    assert desk.faces("dogwood") == [card_byte(card) for card in desk.cards("seat 1") + desk.cards("dealer")]
    assert flags(desk) == {"lid closed"}
    status = [each for each in desk.hosts["dogwood"].messages if isinstance(each, Hint)][-1].body
    assert (status["drawn"], status["remain"], status["depth"], status["lamp"]) == (2, 50, 0, 5)


def test_dogwood_4_load_waits_for_the_lid() -> None:
    desk = Plugged("dogwood")
    desk.hands("open_lid")
    assert desk.state() == "UNLOADED"
    assert desk.result_of("LOAD", decks=1, expected=52) is Result.E_INTERLOCK
    desk.hands("close_lid")
    assert desk.result_of("LOAD", decks=0, expected=52) is Result.E_PARAM
    assert desk.result_of("LOAD", decks=1, expected=52) is Result.OK
    assert desk.result_of("LOAD", decks=1, expected=52) is Result.E_STATE


def test_dogwood_9_3_an_overdraw_forbids_arming_until_it_is_cleared() -> None:
    desk = loaded()
    desk.tell("ARM", round=1, lease=1)
    desk.drawn(["seat 1"])
    start = desk.mark()
    assert desk.drawn(["seat 2"], anyway=True) == 1
    assert desk.told(start) == ["CARD_DRAWN", "OVERDRAW"]
    assert desk.last("OVERDRAW") == {"idx": 2, "gate": 1}
    assert desk.state() == "LOADED"
    assert desk.tell("ARM", round=1, lease=2).fault_code == 0x89
    fault = next(event.seq for event in desk.events() if event.name == "OVERDRAW")
    assert desk.tell("FAULTS", **{"from": 0}).body["faults"] == ({"seq": fault, "code": 0x89},)
    assert desk.result_of("CLEAR_FAULT", fault_seq=fault, operator=OPERATOR) is Result.OK
    assert desk.last("CLEARED") == {"fault_seq": fault, "how": 2, "who": OPERATOR}
    assert desk.result_of("ARM", round=1, lease=2) is Result.OK


def test_dogwood_5_a_draw_before_the_first_arm_is_early() -> None:
    desk = loaded()
    desk.drawn(["seat 1"], anyway=True)
    assert desk.told()[-2:] == ["CARD_DRAWN", "EARLY_DRAW"]
    assert desk.state() == "LOADED"


def test_a_dogwood_with_a_brake_holds_the_hand_back() -> None:
    desk = loaded(brake=True)
    assert desk.tell("IDENT").body["caps"] == 0x1E18
    reply = desk.bench.do({"do": "draw", "device": "dogwood", "to": ["seat 1"], "anyway": True}, 1.0)
    assert reply["error"] == "not finished"
    assert "brake on" in flags(desk)


def test_dogwood_5_hold_and_reread() -> None:
    desk = loaded("unreadable@draw=2")
    desk.tell("ARM", round=1, lease=3)
    desk.bench.table.hands.do({"do": "draw", "device": "dogwood", "to": ["seat 1"] * 3, "id": "deal"})
    desk.wait("UNREADABLE", "STATE")
    assert desk.told()[-3:] == ["CARD_DRAWN", "UNREADABLE", "STATE ARMED HOLD"]
    named = {"idx": 2, "card": 0x2D, "op1": 4711, "op2": 815}
    assert desk.result_of("REREAD", **{**named, "op2": 4711}) is Result.E_PARAM
    assert desk.result_of("REREAD", **{**named, "idx": 1}) is Result.E_PARAM
    start = desk.mark()
    assert desk.result_of("REREAD", **named) is Result.OK
    desk.run(0.5)
    assert desk.told(start)[:3] == ["CARD_RESOLVED", "CLEARED", "STATE HOLD LOADED"]
    assert len(desk.cards("seat 1")) == 2


def test_dogwood_5_a_card_pushed_back_ends_the_hold() -> None:
    desk = loaded("unreadable@draw=1")
    desk.tell("ARM", round=1, lease=3)
    desk.bench.do({"do": "draw", "device": "dogwood", "to": ["seat 1"]}, 1.0)
    desk.bench.table.hands.end_draw()
    desk.run(0.1)
    start = desk.mark()
    desk.hands("push_back")
    assert desk.told(start) == ["CARD_RETURNED", "CLEARED", "STATE HOLD LOADED"]


def test_dogwood_5_every_further_draw_in_hold_is_an_overdraw() -> None:
    desk = loaded("unreadable@draw=1")
    desk.tell("ARM", round=1, lease=3)
    desk.bench.do({"do": "draw", "device": "dogwood", "to": ["seat 1"]}, 1.0)
    body = desk.bench.machine("dogwood").body
    body.pull("seat 1", "dealer")
    desk.run(1)
    assert desk.told()[-2:] == ["CARD_DRAWN", "OVERDRAW"]
    assert desk.state() == "HOLD"


def test_dogwood_5_cut_card_last_card_and_the_count() -> None:
    desk = loaded(cards=6, cut=3, deck="As Ks Qs Js Ts 9s")
    desk.tell("ARM", round=1, lease=255)
    start = desk.mark()
    desk.drawn(["table"] * 6)
    assert desk.told(start) == [
        "CARD_DRAWN", "CARD_DRAWN", "CARD_DRAWN", "CUT_CARD", "STATE ARMED ENDING",
        "CARD_DRAWN", "CARD_DRAWN", "CARD_DRAWN", "SHOE_EMPTY", "STATE ENDING EMPTY",
    ]  # fmt: skip
    start = desk.mark()
    id = desk.send("dogwood", "COUNT_NOW")
    desk.wait("CMD_DONE")
    assert desk.told(start) == ["SHOE_COUNT", f"CMD_DONE {id} OK"]
    count = desk.last("SHOE_COUNT")
    assert (count["expected"], count["counted"], count["verdict"], count["flags"]) == (6, 6, Verdict.OK, 0)


def test_dogwood_4_a_count_with_cards_in_the_shoe_is_uncertain() -> None:
    desk = loaded()
    desk.tell("ARM", round=1, lease=2)
    desk.drawn(["table"] * 2)
    desk.tell("COUNT_NOW")
    desk.run(0.5)
    count = desk.last("SHOE_COUNT")
    assert (count["counted"], count["verdict"], count["flags"]) == (2, Verdict.UNKNOWN, 8)


def test_dogwood_5_an_empty_shoe_stays_empty_while_it_is_filled_again() -> None:
    desk = loaded(cards=3, deck="As Ks Qs")
    desk.tell("ARM", round=1, lease=3)
    desk.drawn(["table"] * 3)
    assert desk.state() == "EMPTY"
    desk.hands("fill", **{"from": "table"})
    assert desk.state() == "EMPTY"
    desk.cut()
    assert desk.state() == "EMPTY"
    assert desk.tell("LOAD", decks=1, expected=3).body == {"cycle": 2}
    desk.tell("ARM", round=2, lease=1)
    desk.drawn(["table"])
    assert desk.last("CARD_DRAWN")["idx"] == 1


def test_dogwood_4_a_retired_shoe_waits_for_a_load() -> None:
    desk = loaded()
    desk.tell("ARM", round=1, lease=9)
    desk.drawn(["table"])
    assert desk.result_of("RETIRE", reason=0) is Result.E_PARAM
    start = desk.mark()
    assert desk.result_of("RETIRE", reason=2) is Result.OK
    desk.run(0.2)
    assert desk.told(start)[-1] == "STATE LOADED RETIRED"
    assert desk.result_of("ARM", round=1, lease=1) is Result.E_STATE
    desk.cut()
    assert desk.state() == "RETIRED"
    assert desk.hands("unload", to="rack") == 51
    desk.shoe()
    assert desk.state() == "LOADED"


def test_dogwood_5_a_lid_opened_under_way_voids_the_count() -> None:
    desk = loaded(cards=2, deck="As Ks")
    desk.tell("ARM", round=1, lease=3)
    start = desk.mark()
    desk.hands("open_lid")
    assert desk.tell("ARM", round=1, lease=1).result == Result.E_STATE
    desk.hands("close_lid")
    assert desk.told(start) == ["LID open", "STATE ARMED LID_OPEN", "LID shut", "STATE LID_OPEN LOADED"]
    desk.tell("ARM", round=1, lease=2)
    desk.drawn(["table"] * 2)
    desk.tell("COUNT_NOW")
    desk.run(0.5)
    assert (desk.last("SHOE_COUNT")["verdict"], desk.last("SHOE_COUNT")["flags"]) == (0, 2)


def test_dogwood_9_4_restart_in_mid_shoe() -> None:
    desk = loaded()
    desk.tell("ARM", round=1, lease=30)
    desk.drawn(["table"] * 16)
    start = desk.mark()
    desk.cut(1)
    assert desk.told(start) == ["POWER_UP", "STATE BOOT LOADED"]
    zones = ({"count": 36, "err": 0}, {"count": 0, "err": 0}, {"count": 16, "err": 0})
    assert desk.last("POWER_UP") == {"cause": 1, "prev_state": 3, "zones": zones}
    assert desk.tell("WINDOW").body["boot"] == 2


def test_common_10_power_lost_with_a_card_half_out_holds_its_draw() -> None:
    desk = loaded("power_cut@card=3")
    desk.tell("ARM", round=1, lease=5)
    desk.bench.table.hands.do({"do": "draw", "device": "dogwood", "to": ["seat 1"] * 3, "id": "deal"})
    desk.bench.until(lambda: desk.state() == "OFF", 5)
    desk.come_back()
    assert desk.told()[-3:] == ["POWER_UP", "UNREADABLE", "STATE BOOT HOLD"]
    assert desk.last("UNREADABLE") == {"card": 0x7F, "idx": 3}


def test_dogwood_3_draws_wait_in_the_ring_while_nobody_reads_and_a_full_one_loses_them_by_number() -> None:
    desk = Plugged("dogwood", decks=4)
    desk.shoe(decks=4, cards=208)
    desk.tell("LAMP", lamp=2, buzzer=0)
    desk.tell("ARM", round=1, lease=255)
    desk.run(0.5)
    desk.bench.detach(desk.hosts["dogwood"])
    desk.bench.do({"do": "draw", "device": "dogwood", "to": ["table"] * 130}, 100)
    assert len(desk.cards("table")) == 130
    device = desk.bench.machine("dogwood").device
    assert device is not None
    assert device.full
    assert device.lamp == 3
    desk.replug()
    desk.rest()
    assert desk.bench.until(lambda: not device.ring.retained(), 60)
    seqs = [event.seq for event in desk.events()]
    desk.drawn(["table"])
    drawn = [event.body["idx"] for event in desk.events() if event.name == "CARD_DRAWN"]
    assert drawn[-1] == 131
    assert drawn[-2] == device.ring.size - 16
    assert desk.events()[-1].seq > seqs[-1] + 1


def test_every_message_is_answered_in_every_state() -> None:
    bodies = {
        "LOAD": {"decks": 1, "expected": 52},
        "ARM": {"round": 1, "lease": 1},
        "LAMP": {"lamp": 1, "buzzer": 0},
        "REREAD": {"idx": 1, "card": 1, "op1": 1, "op2": 2},
        "CLEAR_FAULT": {"fault_seq": 9999, "operator": 1},
        "RETIRE": {"reason": 1},
        "RESULT": {"of": 1},
        "FAULTS": {"from": 0},
        "ACK": {"upto": 0},
        "CONFIG_GET": {"key": 1},
        "CONFIG_SET": {"key": 4, "value": 1, "who": 1},
        "HASH_START": {"nonce": "00" * 16, "region": 0},
    }
    desk = loaded("unreadable@draw=2")
    numbers, seen = iter(range(1000, 9000)), set()
    for first in [kind.name for kind in CATALOGUE.types if kind.command]:
        types = [kind.name for kind in CATALOGUE.types if not kind.name.startswith("AUTH")]  # these are the link's own
        for kind in (first, *types, "IDENT", "METERS", "WINDOW", "ACK"):
            firmware = desk.bench.machine("dogwood").device
            assert firmware is not None
            with firmware.step():
                answer = firmware.answer(Request(kind, next(numbers), bodies.get(kind, {})))
            assert answer.result in tuple(Result)
            seen.add(desk.state())
            desk.bench.do({"do": "draw", "device": "dogwood", "to": ["table"], "anyway": True}, 0.5)
            desk.bench.table.hands.end_draw()
            desk.run(0.1)
    assert {"LOADED", "RETIRED", "HOLD"} & seen
    desk.bench.table.world.check()


@pytest.mark.parametrize("fault", ["duplicate@draw=3,face=As", "foreign@draw=3", "face_up@draw=3", "wrong_back@draw=3"])
def test_dogwood_5_what_does_not_belong_is_a_fault_and_the_shoe_goes_on_when_it_is_cleared(fault: str) -> None:
    desk = loaded(fault)
    desk.tell("ARM", round=1, lease=4)
    desk.bench.do({"do": "draw", "device": "dogwood", "to": ["table"] * 4}, 3)
    desk.bench.table.hands.end_draw()
    desk.run(0.3)
    assert desk.state() == "FAULT"
    assert desk.told()[-1] == "STATE ARMED FAULT"
    desk.clear_all()
    desk.run(0.3)
    assert desk.told()[-2:] == ["CLEARED", "STATE FAULT LOADED"]
