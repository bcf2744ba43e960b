"""Cedar's messages (cedar.md §1, §3): what is checked of each and what it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from firmware_sim.device import Answer
from firmware_sim.firmware.cedar_states import S, Zone
from firmware_sim.treatment import ACKNOWLEDGE, COMMON, Treatment, identity, reading
from protocols.cedar.datasheet import CREDITS, PACKET_CARDS_MAX
from protocols.message import Body, Request
from protocols.vocabulary import EventCode, Result, Resume

if TYPE_CHECKING:
    from firmware_sim.firmware.cedar import CedarFirmware as Cedar

_BEFORE_EVENTS = 2
"""Result and count."""
"""What EVENT_READ can hold beside result and the number of events."""
DECKS_MAX = 8
SEATS_MAX = 15


def doorbell(device: Cedar) -> dict[str, int]:
    """The fields of the doorbell that are the firmware's; the link adds the credit."""
    return {
        "state": device.state,
        "flags": _flags(device),
        "head_seq": device.ring.newest,
        "tail_seq": device.ring.oldest,
        "fault": next((code for code, _ in device.faults), 0),
        "boot": device.boot,
    }


def _flags(device: Cedar) -> int:
    bits = (
        device.ring.high,
        device.body.door_open,
        bool(device.faults),
        device.state == S.SERVICE,
        device.delivery.packet is not None,
        device.ring.free < device.ring.size,
    )
    return sum(bit << place for place, bit in enumerate(bits))


def _last_command(device: Cedar) -> int:
    commands = device.nvram.get("commands", ())
    return int(commands[-1]["id"]) if commands else 0


def _get_resume(device: Cedar) -> dict[str, Any]:
    resume: Resume = device.resume()
    return {**resume.body, "last_cmd_id": _last_command(device)}


CONTROL: dict[str, Callable[[Any], dict[str, Any]]] = {"GET_RESUME": _get_resume, "GET_IDENT": identity}


def _status(device: Cedar, request: Request) -> Answer:
    infeed, path, carousel, buffer, output, reject = device.body.zones()
    round, seat, k = device.delivery.shown
    return Answer(
        body={
            "state": device.state,
            "lamp": device.lamp,
            "flags": _flags(device),
            "credit": CREDITS - 1,
            "cycle": device.nvram.get("cycles", 0),
            "infeed": infeed,
            "path": path,
            "carousel": carousel,
            "buffer": buffer,
            "output": output,
            "reject": reject,
            "round": round,
            "seat": seat,
            "k": k,
            "fault_mask": device.fault_mask,
            "oldest": device.ring.oldest,
            "newest": device.ring.newest,
            "last_cmd_id": _last_command(device),
        }
    )


def _load_fits(device: Cedar, body: Body) -> bool:
    size = 54 if body["profile"] else 52
    return body["profile"] in (0, 1) and 1 <= body["decks"] <= DECKS_MAX and 1 <= body["expected"] <= DECKS_MAX * size


def _load_begin(device: Cedar, request: Request) -> Answer:
    return Answer(body={"cycle": device.feeding.load(request.body)})


def _load_end(device: Cedar, request: Request) -> Answer:
    device.opened(request.id)
    counted = device.feeding.counted
    device.feeding.mix(request.id)
    return Answer(Result.ACCEPTED, {"counted": counted})


def _feed_discards(device: Cedar, request: Request) -> Answer:
    device.opened(request.id)
    device.feeding.recycle(request.id, request.body["expected"])
    return Answer(Result.ACCEPTED)


def _packets(body: Body) -> list[tuple[int, int]]:
    listed = body.get("packets", (body,))
    return [(each["seat"], each["n"]) for each in listed]


def _packets_fit(device: Cedar, body: Body) -> bool:
    return all(seat <= SEATS_MAX and 1 <= n <= PACKET_CARDS_MAX for seat, n in _packets(body))


def _packets_here(device: Cedar, body: Body) -> Result | None:
    return None if sum(n for _, n in _packets(body)) <= device.body.inside() else Result.E_PARAM


def _deliver(device: Cedar, request: Request) -> Answer:
    device.opened(request.id)
    device.delivery.start(request.id, request.body["round"], _packets(request.body))
    return Answer(Result.ACCEPTED)


def _shoe_arm(device: Cedar, request: Request) -> Answer:
    device.mouth.arm(request.body["lease"])
    return Answer()


def _stop(device: Cedar, request: Request) -> Answer:
    device.opened(request.id)
    if device.state == S.ARMED:
        device.mouth.shut()
        device.done(request.id, Result.OK)
    else:
        device.delivery.stop(request.id)
    return Answer(Result.ACCEPTED)


def _inventory(device: Cedar, request: Request) -> Answer:
    device.opened(request.id)
    return Answer(Result.ACCEPTED, {"cycle": device.counting.inventory(request.id)})


def _unload_all(device: Cedar, request: Request) -> Answer:
    device.opened(request.id)
    device.counting.unload(request.id)
    return Answer(Result.ACCEPTED)


def _purge_here(device: Cedar, body: Body) -> Result | None:
    return None if body["expected"] == device.body.zones()[Zone.REJECT] else Result.E_PARAM


def _purge_reject(device: Cedar, request: Request) -> Answer:
    device.opened(request.id)
    device.purge(request.id, request.body["expected"])
    return Answer(Result.ACCEPTED)


def _shut(device: Cedar, body: Body) -> bool:
    """Nothing stands open."""
    return not device.body.door_open and not device.body.service


def _output_free(device: Cedar, body: Body) -> bool:
    return _shut(device, body) and not device.body.zones()[Zone.OUTPUT]


def _no_jam(device: Cedar, body: Body) -> Result | None:
    return Result.E_STATE if device.fault_seq(EventCode.JAM) else None


_DELIVERY = Treatment(
    _deliver,
    values=_packets_fit,
    states=frozenset((S.READY,)),
    here=_packets_here,
    free=_output_free,
    alone=True,
)

TABLE: dict[str, Treatment] = {
    **COMMON,
    "STATUS": Treatment(_status),
    "EVENT_ACK": ACKNOWLEDGE,
    "EVENT_READ": reading(_BEFORE_EVENTS),
    "LOAD_BEGIN": Treatment(
        _load_begin, values=_load_fits, states=frozenset((S.UNLOADED,)), free=_output_free, alone=True
    ),
    "LOAD_END": Treatment(_load_end, states=frozenset((S.LOADING,)), free=_shut, alone=True),
    "FEED_DISCARDS": Treatment(_feed_discards, states=frozenset((S.READY,)), free=_shut, alone=True),
    "DELIVER": _DELIVERY,
    "DELIVER_PLAN": _DELIVERY,
    "SHOE_ARM": Treatment(_shoe_arm, states=frozenset((S.READY, S.ARMED)), free=_output_free, alone=True),
    "STOP": Treatment(
        _stop,
        states=frozenset((S.DELIVERING, S.WAIT_TAKE, S.ARMED)),
        here=lambda device, body: Result.E_BUSY if device.delivery.stopping else None,
    ),
    "INVENTORY": Treatment(
        _inventory,
        in_fault=True,
        states=frozenset((S.READY, S.LOCKED)),
        here=_no_jam,
        free=_shut,
        alone=True,
    ),
    "UNLOAD_ALL": Treatment(_unload_all, in_fault=True, states=frozenset((S.READY, S.LOCKED)), free=_shut, alone=True),
    "PURGE_REJECT": Treatment(
        _purge_reject,
        values=lambda device, body: body["who"] != 0,
        in_fault=True,
        states=frozenset((S.REJECT_PENDING,)),
        here=_purge_here,
        free=_shut,
        alone=True,
    ),
}
