"""Alder's messages (alder.md §4): what is checked of each and what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware_sim.device import Answer
from firmware_sim.firmware.alder_states import S
from firmware_sim.treatment import ACKNOWLEDGE, ALLOW_OVERRIDE, COMMON, Treatment, config, reading
from protocols.alder.datasheet import DECK_MAX, NO_TRAY
from protocols.message import Body, Request
from protocols.vocabulary import Capability, EventCode, Mode, Result

if TYPE_CHECKING:
    from firmware_sim.firmware.alder import AlderFirmware as Alder

PRESENTING_TIME = 1.5
_BEFORE_EVENTS = 5
"""Type, id, result and count."""
"""What EVENT_READ can hold beside type, id, result and the number of events."""

_DECKS = (0, 1)
_AT_REST = frozenset(S) - {S.BOOT, S.HOMING, S.FEEDING, S.MIXING, S.VERIFYING}


def _status(device: Alder, request: Request) -> Answer:
    infeed, path, rack, output = device.body.zones()
    ring = device.ring
    return Answer(
        body={
            "state": device.state,
            "lamp": device.lamp,
            "flags": _flags(device),
            "tray": device.tray,
            "cycle": device.nvram.get("cycles", 0),
            "infeed": infeed,
            "path": path,
            "rack": rack,
            "output": output,
            "fault_mask": device.fault_mask,
            "oldest": ring.oldest,
            "newest": ring.newest,
            "text": f"{S(device.state).name} {infeed + path + rack + output}"[:16],
        }
    )


def _flags(device: Alder) -> int:
    verified = [device.nvram.get("verdict") == [deck, 1] for deck in _DECKS]
    bits = (
        device.ring.high,
        *verified,
        device.body.door_open,
        device.state == S.SERVICE,
        bool(device.faults),
    )
    return sum(bit << place for place, bit in enumerate(bits))


def _shuffle_fits(device: Alder, body: Body) -> bool:
    mode, expected = body["mode"], body["expected"]
    least = 0 if mode == Mode.COUNT else 1
    return mode in tuple(Mode) and body["deck"] in _DECKS and least <= expected <= DECK_MAX


def _shuffle_here(device: Alder, body: Body) -> Result | None:
    if body["mode"] == Mode.SORT and not device.unit.caps & Capability.SORT:
        return Result.E_UNSUPPORTED
    check_for_nothing = body["mode"] == Mode.COUNT and body["expected"] == 0
    return None if device.state == S.LOADED or check_for_nothing else Result.E_STATE


def _shuffle(device: Alder, request: Request) -> Answer:
    body = request.body
    device.opened(request.id)
    cycle = device.cycle.start(body["mode"], body["deck"], body["expected"], origin=0, command=request.id)
    return Answer(Result.ACCEPTED, {"cycle": cycle})


def _present_here(device: Alder, body: Body) -> Result | None:
    if device.tray != NO_TRAY:
        return Result.E_STATE
    return None if body["deck"] == device.nvram.get("deck") else Result.E_PARAM


def _verified(device: Alder, body: Body) -> bool:
    if device.nvram.get("verdict") == [body["deck"], 1]:
        return True
    return body["override_by"] != 0 and config(device, ALLOW_OVERRIDE) == 1


def _present(device: Alder, request: Request) -> Answer:
    device.opened(request.id)
    device.lifting = request.id

    def shown() -> None:
        device.lifting = 0
        device.nvram.put("tray", request.body["deck"])
        device.nvram.put("presented", device.nvram.get("counted", 0))
        device.enter(S.PRESENTED)
        device.done(request.id, Result.OK)

    device.body.offer(PRESENTING_TIME, device.guarded(shown))
    return Answer(Result.ACCEPTED)


def _retract_here(device: Alder, body: Body) -> Result | None:
    return None if body["deck"] == device.tray else Result.E_PARAM


def _retract(device: Alder, request: Request) -> Answer:
    device.opened(request.id)
    device.lifting = request.id
    device.nvram.put("verdict", None)

    def back() -> None:
        device.lifting = 0
        device.nvram.put("tray", None)
        device.enter(S.READY)
        device.done(request.id, Result.OK)

    device.body.withdraw(PRESENTING_TIME, device.guarded(back))
    return Answer(Result.ACCEPTED)


def _abort(device: Alder, request: Request) -> Answer:
    device.opened(request.id)
    device.cycle.abort(request.id)
    return Answer(Result.ACCEPTED)


def _confirm(device: Alder, request: Request) -> Answer:
    deck, back = request.body["deck"], request.body["back"]
    device.nvram.put("confirmed", deck)
    device.nvram.put("retired", [other for other in device.nvram.get("retired", ()) if other != deck])
    device.note_back(deck, back)
    sensed = device.back_sensed()
    if sensed and back and sensed != back:
        device.fault(EventCode.WRONG_BACK, card=0x5F, idx=0)
        device.enter(S.FAULT)
    return Answer()


def _retire(device: Alder, request: Request) -> Answer:
    deck = request.body["deck"]
    device.nvram.put("retired", sorted({*device.nvram.get("retired", ()), deck}))
    if device.nvram.get("verdict", [None])[0] == deck:
        device.nvram.put("verdict", None)
    return Answer()


def _not_open(device: Alder, body: Body) -> bool:
    return not device.body.door_open and not device.body.service


def _may_shuffle(device: Alder, body: Body) -> bool:
    return _not_open(device, body) and body["deck"] not in device.nvram.get("retired", ())


TABLE: dict[str, Treatment] = {
    **COMMON,
    "STATUS": Treatment(_status),
    "EVENT_ACK": ACKNOWLEDGE,
    "EVENT_READ": reading(_BEFORE_EVENTS),
    "SHUFFLE_START": Treatment(
        _shuffle,
        values=_shuffle_fits,
        states=frozenset((S.LOADED, S.EMPTY)),
        here=_shuffle_here,
        free=_may_shuffle,
        alone=True,
    ),
    "PRESENT": Treatment(
        _present,
        values=lambda device, body: body["deck"] in _DECKS,
        states=frozenset((S.READY,)),
        here=_present_here,
        free=_not_open,
        alone=True,
        verified=_verified,
    ),
    "RETRACT": Treatment(
        _retract,
        values=lambda device, body: body["deck"] in _DECKS,
        states=frozenset((S.PRESENTED,)),
        here=_retract_here,
        free=_not_open,
        alone=True,
    ),
    "ABORT": Treatment(
        _abort,
        states=frozenset((S.FEEDING, S.MIXING, S.VERIFYING)),
        here=lambda device, body: Result.E_BUSY if device.cycle.ending else None,
    ),
    "CONFIRM_DECK": Treatment(
        _confirm,
        values=lambda device, body: body["deck"] in _DECKS and body["back"] <= 5 and body["count"] <= DECK_MAX,
        states=frozenset((S.LOADED,)),
    ),
    "RETIRE_DECK": Treatment(
        _retire,
        values=lambda device, body: body["deck"] in _DECKS and 1 <= body["reason"] <= 4,
        states=_AT_REST,
        alone=True,
    ),
}
