"""How a request is treated: the order of checks of common.md §6, and the messages that all families have.

A family lists its messages as `Treatment`s; what is not asked there is not checked. The first failure answers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from firmware_sim.core import HASH_DONE, HASH_RUNNING
from firmware_sim.device import Answer, Device
from firmware_sim.ring import result_of
from protocols.events import encode_event, events_that_fit
from protocols.family import Family
from protocols.message import Body, Request, Response
from protocols.vocabulary import PROTO, Capability, EventCode, FaultClass, Result, fault_class

IDENTITY_FLAG_KEY = 1 << 1
IDENTITY_FLAG_SIMULATOR = 1 << 3
MAKER = "Example Works"
VERSION = "1.4.2"
HASH_TIME = 0.8

PROFILE, ALLOW_OVERRIDE, MIN_LEVEL, BUZZER = 1, 2, 3, 4
CONFIG_FACTORY = {PROFILE: 1, ALLOW_OVERRIDE: 1, MIN_LEVEL: 0, BUZZER: 1}
_CONFIG_VALUES = {PROFILE: (1, 2), ALLOW_OVERRIDE: (0, 1), MIN_LEVEL: (0, 1, 2), BUZZER: (0, 1)}

METERS = ("cycles_ok", "cycles_bad", "cards", "jams", "crc_errors", "resends", "link_resets")


NOTHING = Capability(0)


def _fine(device: Any, body: Body) -> bool:
    return True


def _no_refusal(device: Any, body: Body) -> Result | None:
    return None


@dataclass(frozen=True)
class Treatment:
    """What is checked of one message, and what is done.

    `values` right in themselves; `needs` a capability; `in_fault` an M command that open faults do not forbid;
    `states` in which it works;
    `here` values and states that only fit together; `free` of interlocks; `alone` while nothing else moves; `verified`.
    """

    do: Callable[[Any, Request], Answer]
    values: Callable[[Any, Body], bool] = _fine
    needs: Capability = NOTHING
    in_fault: bool = False
    states: frozenset[int] | None = None
    here: Callable[[Any, Body], Result | None] = _no_refusal
    free: Callable[[Any, Body], bool] = _fine
    alone: bool = False
    verified: Callable[[Any, Body], bool] = _fine


def treat(device: Device, request: Request, table: Mapping[str, Treatment]) -> Answer:
    """The answer to a request, which has been carried out when it is told."""
    treatment, family = table[request.type], device.unit.family
    if not family.carries_id(request.type):
        return treatment.do(device, request) if treatment.values(device, request.body) else Answer(Result.E_PARAM)
    if request.id == 0:
        return Answer(Result.E_PARAM)
    if device.busy_after_restart():
        return Answer(Result.E_BUSY)
    data = family.request_bytes(request)
    stored = device.commands.find(request.id)
    if stored is not None:
        return _again(stored.response) if stored.bytes == data.hex() else Answer(Result.E_ID_REUSE)
    answer = _refusal(device, request, treatment) or treatment.do(device, request)
    if answer.result not in (Result.E_AUTH, Result.E_BUSY):
        body = answer.body or {}
        device.commands.keep(
            request, data, Response(request.type, request.id, int(answer.result), body, answer.fault_code)
        )
    return answer


def _again(response: Response) -> Answer:
    return Answer(Result(response.result), response.body, response.fault_code)


def _refusal(device: Device, request: Request, treatment: Treatment) -> Answer | None:
    body, motion = request.body, request.type in device.unit.family.motions
    if not treatment.values(device, body):
        return Answer(Result.E_PARAM)
    if treatment.needs & ~device.unit.caps:
        return Answer(Result.E_UNSUPPORTED)
    fault = device.blocking() if motion and not treatment.in_fault else None
    if fault is not None:
        return Answer(Result.E_FAULT, fault_code=fault)
    if treatment.states is not None and device.state not in treatment.states:
        return Answer(Result.E_STATE)
    here = treatment.here(device, body)
    if here is not None:
        return Answer(here)
    if not treatment.free(device, body):
        return Answer(Result.E_INTERLOCK)
    if treatment.alone and device.moving():
        return Answer(Result.E_BUSY)
    if motion and device.cramped:
        return Answer(Result.E_RING)
    return None if treatment.verified(device, body) else Answer(Result.E_NOT_VERIFIED)


def config(device: Device, key: int) -> int:
    """A configuration key's value."""
    factory = device.unit.level if key == MIN_LEVEL else CONFIG_FACTORY[key]
    return int(device.nvram.get(f"config/{key}", factory))


def meter(device: Device, name: str, by: int = 1) -> None:
    """Count on a meter."""
    device.nvram.put(f"meter/{name}", device.nvram.get(f"meter/{name}", 0) + by & 0xFFFFFFFF)


def image(family: Family) -> bytes:
    """The firmware image: what a simulated device hashes when it is asked for one."""
    return f"{MAKER} simulated {family.name} {VERSION}".encode() * 64


def identity(device: Device) -> dict[str, Any]:
    """The identity block (common.md §3)."""
    unit = device.unit
    provisioned = IDENTITY_FLAG_KEY if unit.key is not None else 0
    flags = IDENTITY_FLAG_SIMULATOR | provisioned | config(device, MIN_LEVEL) << 4
    return {
        "proto": PROTO,
        "family": unit.family.code,
        "hw_rev": 2,
        "flags": flags,
        "caps": int(unit.caps),
        "boot": device.boot,
        "epoch": device.epoch,
        "key_id": unit.key_id,
        "fw_sha256": hashlib.sha256(image(unit.family)).hexdigest(),
        "maker": MAKER,
        "model": model_of(unit.family),
        "serial": unit.serial,
        "fw_version": VERSION,
    }


def model_of(family: Family) -> str:
    """What the nameplate says."""
    return f"{family.name.title()}-sim"


def meters(device: Device) -> dict[str, int]:
    """What the meters show."""
    body = {name: int(device.nvram.get(f"meter/{name}", 0)) for name in METERS}
    line = device.link.counters
    for name, count in (("crc_errors", line.dropped), ("resends", line.resends), ("link_resets", line.resets)):
        body[name] = body[name] + count & 0xFFFFFFFF
    return body


def _result(device: Device, request: Request) -> Answer:
    return Answer(*result_of(device.commands.find(request.body["of"])))


def _faults(device: Device, request: Request) -> Answer:
    return Answer(body={"faults": tuple({"seq": seq, "code": code} for code, seq in device.faults)})


def reading(head: int) -> Treatment:
    """EVENT_READ; `head` is how many bytes an answer has before its events. A seal takes some of the room."""

    def do(device: Device, request: Request) -> Answer:
        room = device.link.room - head
        if request.body["from"] > device.ring.newest + 1:
            return Answer(Result.E_PARAM)
        events = device.ring.retained(request.body["from"])
        fitting = events_that_fit([encode_event(event) for event in events], request.body["max"], room)
        told = device.told(events[:fitting])
        fitting = events_that_fit([encode_event(event) for event in told], len(told), room)
        return Answer(body={"events": tuple(told[:fitting])})

    return Treatment(do)


def _acknowledge(device: Device, request: Request) -> Answer:
    if not device.ring.acknowledge(request.body["upto"]):
        return Answer(Result.E_PARAM)
    device.after(0, device.acknowledged)
    return Answer()


def _fault_of(device: Device, body: Body) -> int | None:
    return next((code for code, seq in device.faults if seq == body["fault_seq"]), None)


def _clear_here(device: Device, body: Body) -> Result | None:
    code = _fault_of(device, body)
    return Result.E_STATE if code is not None and fault_class(code) is FaultClass.PERMANENT else None


def _cause_is_gone(device: Device, body: Body) -> bool:
    code = _fault_of(device, body)
    return code is None or not (device.cause_sensed(code) or device.still_caused(code))


def _clear(device: Device, request: Request) -> Answer:
    code = _fault_of(device, request.body)
    if code is not None:
        device.clear(code, how=2, who=request.body["operator"])
    return Answer()


def _config_fits(device: Device, body: Body) -> bool:
    key, value = body["key"], body["value"]
    raised = key != MIN_LEVEL or value >= config(device, MIN_LEVEL)
    return value in _CONFIG_VALUES.get(key, ()) and raised


def _config_set(device: Device, request: Request) -> Answer:
    key, value = request.body["key"], request.body["value"]
    old = config(device, key)
    device.nvram.put(f"config/{key}", value)
    device.record(EventCode.CONFIG_CHANGED, key=key, old=old, new=value, who=request.body["who"])
    return Answer()


def _hash_start(device: Device, request: Request) -> Answer:
    if device.nvram.get("hash", {}).get("status") == HASH_RUNNING:
        return Answer(Result.E_BUSY)
    region, nonce = request.body["region"], bytes.fromhex(request.body["nonce"])
    device.opened(request.id)
    device.nvram.put("hash", {"status": HASH_RUNNING, "region": region, "digest": "00" * 32})

    def finish() -> None:
        digest = hashlib.sha256(nonce + _region(device, region)).hexdigest()
        device.nvram.put("hash", {"status": HASH_DONE, "region": region, "digest": digest})
        device.done(request.id, Result.OK)

    device.after(HASH_TIME, finish)
    return Answer(Result.ACCEPTED)


def _region(device: Device, region: int) -> bytes:
    if region == 0:
        return image(device.unit.family)
    values = ((key, config(device, key)) for key in sorted(CONFIG_FACTORY))
    return b"".join(bytes([key]) + value.to_bytes(4, "little") for key, value in values)


def _hash_read(device: Device, request: Request) -> Answer:
    return Answer(body=device.nvram.get("hash", {"status": 0, "region": 0, "digest": "00" * 32}))


COMMON: dict[str, Treatment] = {
    "IDENT": Treatment(lambda device, request: Answer(body=identity(device))),
    "METERS": Treatment(lambda device, request: Answer(body=meters(device))),
    "RESULT": Treatment(_result),
    "FAULTS": Treatment(_faults),
    "CLEAR_FAULT": Treatment(
        _clear,
        values=lambda device, body: body["operator"] != 0 and _fault_of(device, body) is not None,
        here=_clear_here,
        free=_cause_is_gone,
    ),
    "HASH_START": Treatment(_hash_start, values=lambda device, body: body["region"] in (0, 1)),
    "HASH_READ": Treatment(_hash_read),
    "CONFIG_GET": Treatment(
        lambda device, request: Answer(body={"value": config(device, request.body["key"])}),
        values=lambda device, body: body["key"] in CONFIG_FACTORY,
    ),
    "CONFIG_SET": Treatment(_config_set, values=_config_fits),
}
ACKNOWLEDGE = Treatment(_acknowledge)
