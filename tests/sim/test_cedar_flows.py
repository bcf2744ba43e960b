"""Cedar as its document works through it: load, packets, shoe, discards, plug."""

from __future__ import annotations

import pytest

from protocols.cedar.wire import CATALOGUE
from protocols.message import Request
from protocols.vocabulary import Result, Verdict, card_byte
from tests.sim.desk import SET_ID
from tests.sim.plugged import cedar, ready


def test_cedar_3_a_load_is_fed_mixed_and_counted() -> None:
    desk = cedar(seed=7)
    start = desk.mark()
    cycle = desk.tell("LOAD_BEGIN", profile=0, decks=1, expected=52, set_id=SET_ID).body["cycle"]
    assert desk.tell("LOAD_END").body == {"counted": 52}
    desk.wait("CMD_DONE")
    assert desk.told(start) == ["STATE UNLOADED LOADING", "STATE LOADING MIXING", "STATE MIXING READY", "CMD_DONE 2 OK"]
    start = desk.mark()
    count = desk.counted()
    assert count == {"cycle": cycle + 1, "expected": 52, "counted": 52, "unread": 0, "verdict": 1, "flags": 1}
    assert desk.told(start) == ["SHOE_COUNT", "CMD_DONE 3 OK"]
    order = [card.face for card in desk.bench.table.world.cards("cedar.buffer")]
    assert order != sorted(order)


def test_cedar_5_cards_go_in_at_a_constant_pace_and_come_out_at_another() -> None:
    desk = cedar()
    desk.loaded()
    desk.plan((3, 5))
    desk.wait("PACKET_READY")
    times = {text: event.t_ms for text, event in zip(desk.told(), desk.events(), strict=True)}
    assert times["STATE LOADING MIXING"] - times["STATE UNLOADED LOADING"] == pytest.approx(52 * 600, abs=100)
    assert times["PACKET_READY"] - times["STATE READY DELIVERING"] == 2000


def test_cedar_8_1_packets_to_three_seats_and_the_dealer() -> None:
    desk = ready()
    start = desk.mark()
    id = desk.plan((1, 2), (3, 2), (6, 2), (0, 2), round=1207)
    for k, (seat, place) in enumerate(((1, "seat 1"), (3, "seat 3"), (6, "seat 6"), (0, "dealer")), start=1):
        assert desk.bench.until(lambda: desk.state() == "WAIT_TAKE" and len(desk.cards("cedar.output")) == 2)
        status = desk.tell("STATUS").body
        assert (status["round"], status["seat"], status["k"], status["output"]) == (1207, seat, k, 2)
        assert desk.hands("take", to=place, **{"for": place}) == 2
        assert len(desk.cards(place)) == 2
        desk.run(0.1)
        assert desk.last("PACKET_TAKEN") == {"round": 1207, "seat": seat, "n": 2}
    one = ["PACKET_READY", "STATE DELIVERING WAIT_TAKE", "PACKET_TAKEN"]
    between = [*one, "STATE WAIT_TAKE DELIVERING"]
    last = [*one, "STATE WAIT_TAKE READY", f"CMD_DONE {id} OK"]
    assert desk.told(start) == ["STATE READY DELIVERING", *between * 3, *last]
    assert not [name for name in desk.told(start) if name == "CARD_DRAWN"]


def test_cedar_3_a_packet_is_refused_while_one_lies_in_the_tray_or_cards_are_wanting() -> None:
    desk = ready()
    assert desk.result_of("DELIVER", round=1, seat=16, n=2, flags=0) is Result.E_PARAM
    assert desk.result_of("DELIVER", round=1, seat=1, n=14, flags=0) is Result.E_PARAM
    desk.send("cedar", "DELIVER_PLAN", round=1, packets=tuple({"seat": 1, "n": 13} for _ in range(5)))
    desk.run(0.2)
    assert desk.state() == "READY"
    desk.cut()
    desk.plan((1, 2))
    desk.wait("PACKET_READY")
    desk.cut()
    assert desk.told()[-4:] == ["POWER_UP", "CMD_DONE 6 E_ABORTED", "STATE BOOT HOMING", "STATE HOMING READY"]
    assert desk.result_of("DELIVER", round=2, seat=2, n=2, flags=0) is Result.E_INTERLOCK
    assert desk.hands("take", to="seat 1") == 2
    desk.run(0.1)
    assert desk.last("PACKET_TAKEN") == {"round": 7, "seat": 1, "n": 2}
    assert desk.result_of("DELIVER", round=2, seat=2, n=2, flags=0) is Result.ACCEPTED


def test_cedar_3_stop_ends_a_plan_when_the_tray_is_empty() -> None:
    desk = ready(speed=5.0)
    start = desk.mark()
    id = desk.plan((1, 5), (2, 5))
    desk.bench.until(lambda: len(desk.cards("cedar.output")) == 2)
    stop = desk.send("cedar", "STOP")
    desk.wait("PACKET_READY", "STATE")
    assert desk.last("PACKET_READY")["n"] == 3
    assert desk.result_of("STOP") is Result.E_BUSY
    desk.hands("take", to="rack")
    desk.run(0.5)
    assert desk.told(start)[-4:] == [
        "PACKET_TAKEN", "STATE WAIT_TAKE READY", f"CMD_DONE {id} E_ABORTED", f"CMD_DONE {stop} OK",
    ]  # fmt: skip
    assert desk.counted()["verdict"] == Verdict.OK


def test_cedar_3_a_shoe_gives_what_the_lease_allows() -> None:
    desk = ready()
    start = desk.mark()
    assert desk.result_of("SHOE_ARM", round=7, lease=2) is Result.OK
    assert desk.hands("draw", to=["seat 1", "dealer"]) == 2
    desk.run(0.2)
    assert desk.told(start) == ["STATE READY ARMED", "CARD_DRAWN", "CARD_DRAWN", "STATE ARMED READY"]
    faces = [event.body["card"] for event in desk.events() if event.name == "CARD_DRAWN"]
    assert faces == [card_byte(card) for card in desk.cards("seat 1") + desk.cards("dealer")]
    for shut in (lambda: desk.result_of("STOP"), lambda: desk.result_of("SHOE_ARM", round=7, lease=0)):
        desk.result_of("SHOE_ARM", round=7, lease=255)
        assert shut().value < 2
        assert desk.state() == "READY"
        reply = desk.bench.do({"do": "draw", "device": "cedar", "to": ["seat 1"]}, 1.0)
        assert reply["error"] == "not finished"
        desk.bench.table.hands.end_draw()
        desk.run(0.1)
    count = desk.counted()
    assert (count["expected"], count["counted"], count["verdict"], count["flags"]) == (50, 50, 1, 0)


def test_cedar_3_discards_come_back_and_faces_are_compared_again() -> None:
    desk = ready()
    desk.plan((1, 5))
    desk.hands("take")
    assert len(desk.cards("seat 1")) == 5
    assert desk.counted()["flags"] == 0
    desk.hands("feed", **{"from": "seat 1"})
    start = desk.mark()
    assert desk.result_of("FEED_DISCARDS", expected=5) is Result.ACCEPTED
    desk.wait("CMD_DONE")
    assert desk.told(start)[:2] == ["STATE READY RECYCLING", "STATE RECYCLING READY"]
    count = desk.counted()
    assert (count["counted"], count["verdict"], count["flags"]) == (52, 1, 1)


def test_cedar_8_4_a_lease_is_not_given_twice_and_flush_shuts_nothing() -> None:
    desk = ready()
    assert desk.result_of("SHOE_ARM", id=70, round=1302, lease=2) is Result.OK
    desk.hands("draw", to=["seat 1"])
    desk.replug()
    desk.rest()
    assert desk.state() == "ARMED"
    assert desk.result_of("SHOE_ARM", id=70, round=1302, lease=2) is Result.OK
    assert desk.result_of("SHOE_ARM", id=70, round=1302, lease=3) is Result.E_ID_REUSE
    assert desk.hands("draw", to=["seat 1"]) == 1
    desk.run(0.2)
    assert desk.state() == "READY"


def test_cedar_8_2_a_plan_waits_for_the_cable_before_its_next_packet() -> None:
    desk = ready()
    id = desk.plan((3, 2), (5, 2))
    desk.wait("PACKET_READY")
    desk.bench.detach(desk.hosts["cedar"])
    desk.hands("take")
    desk.run(5)
    assert (desk.state(), desk.cards("cedar.output")) == ("WAIT_TAKE", [])
    desk.replug()
    desk.rest()
    desk.run(0.5)
    assert desk.hands("take") == 2
    desk.run(0.3)
    assert desk.told()[-2:] == ["STATE WAIT_TAKE READY", f"CMD_DONE {id} OK"]
    assert (len(desk.cards("seat 3")), len(desk.cards("seat 5"))) == (2, 2)
    assert desk.tell("RESULT", of=id).body == {"of_type": 0x15, "of_result": 1}


def test_eight_decks_and_the_ring_of_a_slow_host() -> None:
    desk = cedar(decks=8)
    desk.loaded(decks=8, expected=416)
    count = desk.counted()
    assert (count["counted"], count["verdict"]) == (416, 1)


def test_every_message_is_answered_in_every_state() -> None:
    desk = cedar("jam@card=3,cycle=5")
    bodies = {
        "LOAD_BEGIN": {"profile": 0, "decks": 1, "expected": 52, "set_id": SET_ID},
        "FEED_DISCARDS": {"expected": 0},
        "DELIVER": {"round": 1, "seat": 1, "n": 1, "flags": 0},
        "DELIVER_PLAN": {"round": 1, "packets": ({"seat": 1, "n": 1},)},
        "SHOE_ARM": {"round": 1, "lease": 1},
        "PURGE_REJECT": {"expected": 0, "who": 1},
        "CLEAR_FAULT": {"fault_seq": 9999, "operator": 1},
        "EVENT_READ": {"from": 1, "max": 9},
        "EVENT_ACK": {"upto": 0},
        "RESULT": {"of": 1},
        "HASH_START": {"nonce": "00" * 16, "region": 0},
        "CONFIG_GET": {"key": 1},
        "CONFIG_SET": {"key": 4, "value": 1, "who": 1},
    }
    numbers = iter(range(1000, 9000))
    seen = set()
    for first in [kind.name for kind in CATALOGUE.types if kind.command]:
        for kind in (first, *(kind.name for kind in CATALOGUE.types if not kind.name.startswith("AUTH"))):
            firmware = desk.bench.machine("cedar").device
            assert firmware is not None
            with firmware.step():
                answer = firmware.answer(Request(kind, next(numbers), bodies.get(kind, {})))
            assert answer.result in tuple(Result)
            seen.add(desk.state())
            desk.run(0.6)
            desk.bench.do({"do": "take", "device": "cedar", "to": "rack"}, 1.0)
    assert {"UNLOADED", "READY", "LOCKED"} & seen
    desk.bench.table.world.check()
