"""Every message in every state of both devices is answered with a defined result, and as the documents say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from protocols.alder.wire import CATALOGUE as ALDER
from protocols.birch.wire import CATALOGUE as BIRCH
from protocols.message import Request
from protocols.vocabulary import Result
from tests.sim.desk import SET_ID, Desk

OK, GO, STATE, PARAM, FAULT, LOCK = (
    Result.OK,
    Result.ACCEPTED,
    Result.E_STATE,
    Result.E_PARAM,
    Result.E_FAULT,
    Result.E_INTERLOCK,
)
BUSY, UNVERIFIED = Result.E_BUSY, Result.E_NOT_VERIFIED

BODIES: dict[str, dict[str, Any]] = {
    "SHUFFLE_START": {"mode": 1, "deck": 0, "expected": 52},
    "PRESENT": {"deck": 0, "override_by": 0},
    "RETRACT": {"deck": 0},
    "CONFIRM_DECK": {"deck": 0, "back": 1, "count": 52},
    "RETIRE_DECK": {"deck": 1, "reason": 1},
    "EVENT_ACK": {"upto": 0},
    "ACK_EVENTS": {"upto": 0},
    "EVENT_READ": {"from": 1, "max": 9},
    "READ_EVENTS": {"from": 1, "max": 9},
    "RESULT": {"of": 1},
    "CLEAR_FAULT": {"fault_seq": 9999, "operator": 4711},
    "HASH_START": {"nonce": "00" * 16, "region": 0},
    "CONFIG_GET": {"key": 1},
    "CONFIG_SET": {"key": 4, "value": 1, "who": 1},
    "LOAD_BEGIN": {"decks": 1, "expected": 52, "set_id": SET_ID, "cut": 0},
    "ARM": {"round": 1, "lease": 1},
    "REREAD_OK": {"idx": 1, "card": 1, "op1": 1, "op2": 2},
    "SHOE_CLOSE": {"residual": 52},
}


def alder_in(state: str) -> Desk:
    """A shuffler in a state, reached as one gets there."""
    faults = {"FAULT": ("jam@card=3",), "LOCKED": ("missing@card=3",)}.get(state, ())
    desk = Desk("alder", faults=faults, speed=10.0)
    match state:
        case "EMPTY":
            desk.do("move", **{"from": "alder.infeed", "to": "rack"})
        case "FEEDING" | "MIXING" | "VERIFYING":
            desk.send("alder", "SHUFFLE_START", mode=1, deck=0, expected=52)
            assert desk.bench.until(lambda: desk.state("alder") == state)
        case "READY" | "FAULT" | "LOCKED":
            desk.shuffle()
        case "PRESENTED":
            desk.shuffle()
            desk.present()
        case "DOOR_OPEN":
            desk.do("open_door", device="alder")
        case "SERVICE":
            desk.do("plug_service", device="alder")
    assert desk.state("alder") == state
    return desk


def birch_in(state: str) -> Desk:
    """A shoe in a state, reached as one gets there."""
    faults = {"HOLD": ("unreadable",), "FAULT": ("birch:lying_count",)}.get(state, ())
    deck = "As Ks As Qs" if state == "FAULT" else "As Ks" if state == "EMPTY" else "standard"
    desk = Desk("birch", faults=faults, deck=deck)
    if state not in ("UNLOADED", "LOADING", "SERVICE"):
        desk.load(cards=52, cut=1 if state == "ENDING" else 0)
    match state:
        case "LOADING":
            desk.result("birch", "LOAD_BEGIN", decks=1, expected=52, set_id=SET_ID, cut=0)
        case "ARMED":
            desk.arm(2)
        case "HOLD" | "ENDING":
            desk.arm(1)
            desk.bench.do({"do": "draw", "device": "birch", "to": ["table"]}, 0.5)
        case "EMPTY" | "FAULT":
            desk.arm(9)
            desk.bench.do({"do": "draw", "device": "birch", "to": ["table"] * 4}, 0.5)
        case "LID_OPEN":
            desk.do("open_lid", device="birch")
        case "SERVICE":
            desk.do("plug_service", device="birch")
    assert desk.state("birch") == state
    return desk


ALDER_STATES = ("EMPTY", "LOADED", "FEEDING", "MIXING", "VERIFYING", "READY", "PRESENTED", "FAULT", "DOOR_OPEN", "LOCKED", "SERVICE")  # fmt: skip  # noqa: E501
BIRCH_STATES = ("UNLOADED", "LOADED", "ARMED", "HOLD", "ENDING", "EMPTY", "LOADING", "FAULT", "LID_OPEN", "SERVICE")

WANTED: dict[str, dict[str, dict[str, Result]]] = {
    "alder": {
        "EMPTY": {"SHUFFLE_START": STATE, "PRESENT": STATE, "RETRACT": STATE, "ABORT": STATE, "CONFIRM_DECK": STATE, "RETIRE_DECK": OK},  # noqa: E501
        "LOADED": {"SHUFFLE_START": GO, "PRESENT": STATE, "RETRACT": STATE, "ABORT": STATE, "CONFIRM_DECK": OK, "RETIRE_DECK": OK},  # noqa: E501
        "FEEDING": {"SHUFFLE_START": STATE, "PRESENT": STATE, "RETRACT": STATE, "ABORT": GO, "CONFIRM_DECK": STATE, "RETIRE_DECK": STATE},  # noqa: E501
        "MIXING": {"SHUFFLE_START": STATE, "PRESENT": STATE, "RETRACT": STATE, "ABORT": GO, "CONFIRM_DECK": STATE, "RETIRE_DECK": STATE},  # noqa: E501
        "VERIFYING": {"SHUFFLE_START": STATE, "PRESENT": STATE, "RETRACT": STATE, "ABORT": GO, "CONFIRM_DECK": STATE, "RETIRE_DECK": STATE},  # noqa: E501
        "READY": {"SHUFFLE_START": STATE, "PRESENT": GO, "RETRACT": STATE, "ABORT": STATE, "CONFIRM_DECK": STATE, "RETIRE_DECK": OK},  # noqa: E501
        "PRESENTED": {"SHUFFLE_START": STATE, "PRESENT": STATE, "RETRACT": GO, "ABORT": STATE, "CONFIRM_DECK": STATE, "RETIRE_DECK": OK},  # noqa: E501
        "FAULT": {"SHUFFLE_START": FAULT, "PRESENT": FAULT, "RETRACT": FAULT, "ABORT": STATE, "CONFIRM_DECK": STATE, "RETIRE_DECK": OK},  # noqa: E501
        "DOOR_OPEN": {"SHUFFLE_START": STATE, "PRESENT": STATE, "RETRACT": STATE, "ABORT": STATE, "CONFIRM_DECK": STATE, "RETIRE_DECK": OK},  # noqa: E501
        "LOCKED": {"SHUFFLE_START": FAULT, "PRESENT": FAULT, "RETRACT": FAULT, "ABORT": STATE, "CONFIRM_DECK": STATE, "RETIRE_DECK": OK},  # noqa: E501
        "SERVICE": {"SHUFFLE_START": STATE, "PRESENT": STATE, "RETRACT": STATE, "ABORT": STATE, "CONFIRM_DECK": STATE, "RETIRE_DECK": OK},  # noqa: E501
    },
    "birch": {
        "UNLOADED": {"LOAD_BEGIN": OK, "LOAD_END": STATE, "ARM": STATE, "DISARM": OK, "REREAD_OK": STATE, "SHOE_CLOSE": STATE},  # noqa: E501
        "LOADED": {"LOAD_BEGIN": STATE, "LOAD_END": STATE, "ARM": OK, "DISARM": OK, "REREAD_OK": STATE, "SHOE_CLOSE": GO},  # noqa: E501
        "ARMED": {"LOAD_BEGIN": STATE, "LOAD_END": STATE, "ARM": OK, "DISARM": OK, "REREAD_OK": STATE, "SHOE_CLOSE": STATE},  # noqa: E501
        "HOLD": {"LOAD_BEGIN": FAULT, "LOAD_END": STATE, "ARM": FAULT, "DISARM": OK, "REREAD_OK": OK, "SHOE_CLOSE": STATE},  # noqa: E501
        "ENDING": {"LOAD_BEGIN": STATE, "LOAD_END": STATE, "ARM": OK, "DISARM": OK, "REREAD_OK": STATE, "SHOE_CLOSE": GO},  # noqa: E501
        "EMPTY": {"LOAD_BEGIN": OK, "LOAD_END": STATE, "ARM": STATE, "DISARM": OK, "REREAD_OK": STATE, "SHOE_CLOSE": GO},  # noqa: E501
        "LOADING": {"LOAD_BEGIN": STATE, "LOAD_END": OK, "ARM": STATE, "DISARM": OK, "REREAD_OK": STATE, "SHOE_CLOSE": STATE},  # noqa: E501
        "FAULT": {"LOAD_BEGIN": FAULT, "LOAD_END": STATE, "ARM": FAULT, "DISARM": OK, "REREAD_OK": STATE, "SHOE_CLOSE": STATE},  # noqa: E501
        "LID_OPEN": {"LOAD_BEGIN": STATE, "LOAD_END": STATE, "ARM": STATE, "DISARM": OK, "REREAD_OK": STATE, "SHOE_CLOSE": STATE},  # noqa: E501
        "SERVICE": {"LOAD_BEGIN": STATE, "LOAD_END": STATE, "ARM": STATE, "DISARM": OK, "REREAD_OK": STATE, "SHOE_CLOSE": STATE},  # noqa: E501
    },
}  # fmt: skip

REACH: dict[str, tuple[Callable[[str], Desk], Any]] = {"alder": (alder_in, ALDER), "birch": (birch_in, BIRCH)}


@pytest.mark.parametrize(("device", "state"), [(d, s) for d, states in WANTED.items() for s in states])
def test_every_message_is_answered_in_every_state(device: str, state: str) -> None:
    reach, catalogue = REACH[device]
    desk = reach(state)
    firmware = desk.bench.machine(device).device
    for number, kind in enumerate(catalogue.types, start=200):
        if kind.name in WANTED[device][state] or kind.name in ("SYNC", "AUTH1", "AUTH2"):  # the link's own
            continue
        with firmware.step():
            answer = firmware.answer(Request(kind.name, number, BODIES.get(kind.name, {})))
        assert answer.result in tuple(Result), kind.name
    desk.run(3)


@pytest.mark.parametrize(
    ("device", "state", "type"),
    [(d, s, t) for d, states in WANTED.items() for s, types in states.items() for t in types],
)
def test_every_command_has_the_result_of_its_state(device: str, state: str, type: str) -> None:
    reach, _ = REACH[device]
    desk = reach(state)
    firmware = desk.bench.machine(device).device
    with firmware.step():
        answer = firmware.answer(Request(type, 300, BODIES.get(type, {})))
    assert answer.result is WANTED[device][state][type]
    desk.run(3)


@pytest.mark.parametrize("device", ["alder", "birch"])
def test_the_table_of_states_lists_all_of_them(device: str) -> None:
    states = ALDER_STATES if device == "alder" else BIRCH_STATES
    assert list(WANTED[device]) == list(states)
