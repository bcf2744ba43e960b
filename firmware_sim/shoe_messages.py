"""What all shoes are told alike: the card that two persons name for a draw that could not be read."""

from __future__ import annotations

from firmware_sim.device import Answer
from firmware_sim.shoe_firmware import ShoeFirmware
from firmware_sim.shoe_states import At
from firmware_sim.treatment import Treatment
from protocols.message import Body, Request
from protocols.vocabulary import EventCode, Result, is_face

OF_ONE_SHOE = (
    *("idx", "returned", "unread", "seen", "last", "back", "armed", "manual", "weak", "cut_seen", "lease"),
    "second_thoughts",
)
"""NVRAM cells that a new loading empties."""


def _fits(device: ShoeFirmware, body: Body) -> bool:
    first, second = body["op1"], body["op2"]
    return is_face(body["card"]) and first != second and first != 0 and second != 0


def _here(device: ShoeFirmware, body: Body) -> Result | None:
    return None if device.unread[:1] == [body["idx"]] else Result.E_PARAM


def _reread(device: ShoeFirmware, request: Request) -> Answer:
    body = request.body
    device.record(EventCode.CARD_RESOLVED, **body)
    device.mouth.settle(body["idx"], how=2, who=body["op1"])
    return Answer()


REREAD = Treatment(_reread, values=_fits, states=frozenset((At.HOLD,)), here=_here)
