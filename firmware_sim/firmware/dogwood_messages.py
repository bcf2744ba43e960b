"""Dogwood's operations (dogwood.md §2, §4): what is checked of each and what it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from firmware_sim.device import Answer
from firmware_sim.firmware.dogwood_states import S
from firmware_sim.shoe_messages import OF_ONE_SHOE, REREAD
from firmware_sim.treatment import ACKNOWLEDGE, COMMON, Treatment, identity, meters
from firmware_sim.verdicts import verdict
from protocols.dogwood.datasheet import FAULTS_MAX, REMAIN_UNKNOWN
from protocols.message import Body, Request
from protocols.vocabulary import EventCode, Result, VerdictFlag

if TYPE_CHECKING:
    from firmware_sim.firmware.dogwood import DogwoodFirmware as Dogwood

DECKS_MAX, CARDS_MAX = 8, 8 * 60
LAMPS_MAX, BUZZER_MAX, REASONS = 6, 2, range(1, 5)


def status(device: Dogwood) -> dict[str, int]:
    """The fields of STATUS that are the firmware's; the link adds the outstanding report."""
    remain = max(device.load.get("expected", 0) - device.drawn, 0) if device.loaded else REMAIN_UNKNOWN
    return {
        "state": device.state,
        "lamp": device.lamp,
        "flags": _flags(device),
        "drawn": device.drawn,
        "remain": remain,
        "boot": device.boot,
        "epoch": device.epoch,
        "fault": next((code for code, _ in device.faults), 0),
        "depth": device.ring.size - device.ring.free,
    }


def _flags(device: Dogwood) -> int:
    bits = (
        not device.body.lid_open,
        device.body.brake and not device.body.gate_open,
        bool(device.faults),
        device.ring.high,
        bool(device.nvram.get("cut_seen")),
        False,
        device.full,
    )
    return sum(bit << place for place, bit in enumerate(bits))


FEATURES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "IDENT": identity,
    "METERS": meters,
    "WINDOW": lambda device: device.resume().body,
}


def _load(device: Dogwood, request: Request) -> Answer:
    for cell in (*OF_ONE_SHOE, "retired", "ended"):
        device.nvram.put(cell, None)
    device.nvram.put("load", dict(request.body))
    device.nvram.put("loaded", True)
    if device.fault_seq(EventCode.SENSOR_WEAK):
        device.nvram.put("weak", True)
    device.body.retire(False)
    device.body.loaded()
    device.enter(S.LOADED)
    return Answer(body={"cycle": _next_cycle(device)})


def _next_cycle(device: Dogwood) -> int:
    cycle = int(device.nvram.get("cycles", 0)) + 1 & 0xFFFFFFFF
    device.nvram.put("cycles", cycle)
    return cycle


def _arm(device: Dogwood, request: Request) -> Answer:
    device.arm(request.body["lease"])
    return Answer()


def _disarm(device: Dogwood, request: Request) -> Answer:
    device.shut()
    return Answer()


def _lamp(device: Dogwood, request: Request) -> Answer:
    device.nvram.put("lamp", request.body["lamp"])
    return Answer()


def _count_now(device: Dogwood, request: Request) -> Answer:
    device.opened(request.id)
    cycle = _next_cycle(device)
    device.after(0, lambda: _counted(device, request.id, cycle))
    return Answer(Result.ACCEPTED, {"cycle": cycle})


def _counted(device: Dogwood, command: int, cycle: int) -> None:
    """SHOE_COUNT: what was drawn; what is still in the shoe nobody can count."""
    device.mouth.think_again(to_the_end=device.ended)
    expected, counted, unread = device.load.get("expected", 0), device.drawn, len(device.unread)
    flags = VerdictFlag.MANUAL if device.nvram.get("manual") else VerdictFlag(0)
    flags |= VerdictFlag.SENSOR_WEAK if device.nvram.get("weak") else VerdictFlag(0)
    flags |= VerdictFlag(0) if device.ended else VerdictFlag.UNCERTAIN
    says = verdict(int(flags), counted, expected, doubt=unread > 0)
    body = {"expected": expected, "counted": counted, "unread": unread, "verdict": int(says), "flags": int(flags)}
    device.record(EventCode.SHOE_COUNT, cycle=cycle, **body)
    device.done(command, Result.OK)


def _retire(device: Dogwood, request: Request) -> Answer:
    device.retire()
    return Answer()


def _faults(device: Dogwood, request: Request) -> Answer:
    asked = [(seq, code) for code, seq in device.faults if seq >= request.body["from"]]
    listed = sorted(asked)[:FAULTS_MAX]
    return Answer(body={"faults": tuple({"seq": seq, "code": code} for seq, code in listed)})


def _shut(device: Dogwood, body: Body) -> bool:
    """Nothing stands open."""
    return not device.body.lid_open and not device.body.service


TABLE: dict[str, Treatment] = {
    **COMMON,
    "ACK": ACKNOWLEDGE,
    "FAULTS": Treatment(_faults),
    "LOAD": Treatment(
        _load,
        values=lambda device, body: 1 <= body["decks"] <= DECKS_MAX and 1 <= body["expected"] <= CARDS_MAX,
        states=frozenset((S.UNLOADED, S.EMPTY, S.RETIRED)),
        free=_shut,
    ),
    "ARM": Treatment(_arm, states=frozenset((S.LOADED, S.ARMED, S.ENDING)), free=_shut),
    "DISARM": Treatment(_disarm),
    "LAMP": Treatment(_lamp, values=lambda device, body: body["lamp"] <= LAMPS_MAX and body["buzzer"] <= BUZZER_MAX),
    "REREAD": REREAD,
    "COUNT_NOW": Treatment(_count_now),
    "RETIRE": Treatment(_retire, values=lambda device, body: body["reason"] in REASONS),
}
