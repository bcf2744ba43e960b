"""Birch's commands (birch.md §4): what is checked of each and what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware_sim.device import Answer
from firmware_sim.firmware.birch_states import S
from firmware_sim.shoe_messages import OF_ONE_SHOE, REREAD
from firmware_sim.treatment import ACKNOWLEDGE, COMMON, Treatment, meter, reading
from firmware_sim.verdicts import verdict
from protocols.birch.datasheet import FLAG_RETAINED, RECENT_MAX
from protocols.events import ENVELOPE_SIZE, encode_event
from protocols.message import Body, Event, Request
from protocols.vocabulary import EventCode, Result, Verdict, VerdictFlag

if TYPE_CHECKING:
    from firmware_sim.firmware.birch import BirchFirmware as Birch

CLOSING_TIME = 1.0
DECKS_MAX, CARDS_MAX = 8, 8 * 60
_BEFORE_EVENTS = 2
"""Result and count."""
"""What READ_EVENTS can hold beside result and the number of events."""


def _flags(device: Birch) -> int:
    bits = (
        not device.body.lid_open,
        device.body.gate_open,
        bool(device.faults),
        device.ring.high,
        bool(device.nvram.get("cut_seen")),
        device.ring.free < device.ring.size,
    )
    return sum(bit << place for place, bit in enumerate(bits))


def _poll(device: Birch, request: Request) -> Answer:
    flags, state = _flags(device), device.state
    if device.link.guard is not None and device.link.guard.missing:
        flags &= FLAG_RETAINED  # the link says why
    newest = device.ring.retained()[-RECENT_MAX:][::-1]
    recent = tuple({"code": event.code, "arg": _arg(event)} for event in newest)
    return Answer(body={"ctr": device.ctr, "state": state, "flags": flags, "recent": recent})


def _arg(event: Event) -> int:
    """What POLL shows of an event: its card where it has one, else its first byte."""
    return int(event.body.get("card", encode_event(event)[ENVELOPE_SIZE]))


def _status(device: Birch, request: Request) -> Answer:
    unread = device.unread
    return Answer(
        body={
            "state": device.state,
            "lamp": device.lamp,
            "flags": _flags(device),
            "lease": device.lease,
            "cycle": device.nvram.get("cycles", 0),
            "shoe": device.body.rest(),
            "mouth": device.body.at_mouth(),
            "drawn": device.drawn,
            "hold_idx": unread[0] if unread else 0,
            "fault_mask": device.fault_mask,
            "oldest": device.ring.oldest,
            "newest": device.ring.newest,
        }
    )


def _load_fits(device: Birch, body: Body) -> bool:
    decks, expected = body["decks"], body["expected"]
    return bool(1 <= decks <= DECKS_MAX and 1 <= expected <= CARDS_MAX and body["cut"] <= expected)


def _load_begin(device: Birch, request: Request) -> Answer:
    cycle = device.nvram.get("cycles", 0) + 1 & 0xFFFFFFFF
    device.nvram.put("cycles", cycle)
    device.nvram.put("load", dict(request.body))
    device.nvram.put("loaded", None)
    device.enter(S.LOADING)
    return Answer(body={"cycle": cycle})


def _load_end(device: Birch, request: Request) -> Answer:
    for cell in OF_ONE_SHOE:
        device.nvram.put(cell, None)
    device.nvram.put("loaded", True)
    if device.fault_seq(EventCode.SENSOR_WEAK):
        device.nvram.put("weak", True)
    device.body.loaded()
    device.enter(S.LOADED)
    return Answer(body={"est": device.body.rest()})


def _arm(device: Birch, request: Request) -> Answer:
    device.arm(request.body["lease"])
    return Answer()


def _disarm(device: Birch, request: Request) -> Answer:
    device.shut()
    return Answer()


def _shoe_close(device: Birch, request: Request) -> Answer:
    device.opened(request.id)
    device.closing = True
    device.shut()
    device.after(CLOSING_TIME, lambda: _closed(device, request))
    return Answer(Result.ACCEPTED)


def _closed(device: Birch, request: Request) -> None:
    """Count, look for what is left if nothing should be, unlock."""
    device.closing = False
    if device.state not in (S.LOADED, S.ENDING, S.EMPTY):
        device.done(request.id, Result.E_ABORTED)
        return
    says = _count(device)
    meter(device, "cycles_ok" if says is Verdict.OK else "cycles_bad")
    zones = ((0, device.body.rest()), (1, device.body.at_mouth()))
    left = [zone for zone in zones if zone[1]] if request.body["residual"] == 0 else []
    for zone, cards in left:
        device.fault(EventCode.RESIDUAL, zone=zone, n=cards)
    device.nvram.put("loaded", None)
    device.enter(S.UNLOADED)
    device.done(request.id, Result.OK)
    if left:
        device.go_to_fault()


def _count(device: Birch) -> Verdict:
    """SHOE_COUNT: drawn and what the sensors find."""
    load, unread = device.load, len(device.unread)
    counted = device.drawn + device.body.rest()
    device.mouth.think_again(to_the_end=True)
    flags = VerdictFlag.MANUAL if device.nvram.get("manual") else VerdictFlag(0)
    flags |= VerdictFlag.SENSOR_WEAK if device.nvram.get("weak") else VerdictFlag(0)
    says = verdict(flags, counted, load["expected"], doubt=unread > 0)
    body = {
        "expected": load["expected"],
        "counted": counted,
        "unread": unread,
        "verdict": int(says),
        "flags": int(flags),
    }
    device.record(EventCode.SHOE_COUNT, cycle=device.nvram.get("cycles", 0), **body)
    return says


TABLE: dict[str, Treatment] = {
    **COMMON,
    "POLL": Treatment(_poll),
    "STATUS": Treatment(_status),
    "ACK_EVENTS": ACKNOWLEDGE,
    "READ_EVENTS": reading(_BEFORE_EVENTS),
    "LOAD_BEGIN": Treatment(
        _load_begin,
        values=_load_fits,
        states=frozenset((S.UNLOADED, S.EMPTY)),
        free=lambda device, body: not device.body.service,
        alone=True,
    ),
    "LOAD_END": Treatment(
        _load_end,
        states=frozenset((S.LOADING,)),
        free=lambda device, body: not device.body.lid_open,
    ),
    "ARM": Treatment(
        _arm,
        states=frozenset((S.LOADED, S.ARMED, S.ENDING)),
        free=lambda device, body: not device.body.lid_open and not device.body.service,
        alone=True,
    ),
    "DISARM": Treatment(_disarm),
    "REREAD_OK": REREAD,
    "SHOE_CLOSE": Treatment(_shoe_close, states=frozenset((S.LOADED, S.ENDING, S.EMPTY)), alone=True),
}
