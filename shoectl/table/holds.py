"""Holds that a device ends by what it reports: an open lid or door, a plug in the service port.

Nobody can talk such a hold away: while the device says that the lid is open, a person who says that it is closed is
refused, and the hold ends by itself when the device says so too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from protocols.vocabulary import EventCode
from shoectl.table.entries import Hold
from shoectl.table.facts import Facts

LID, DOOR, SERVICE = "lid", "door", "service"
GIVE_UP, GO_ON, CARD = "give up", "go on", "card"  # the words that end a hold

# states of a device in which people have something to close, and what they are told
INTERLOCKS: Mapping[str, tuple[str, str]] = {
    "LID_OPEN": (LID, "the lid of the {place} is open: close it; no card may be put in or taken out"),
    "DOOR_OPEN": (DOOR, "the door of the {place} is open: close it"),
    "SERVICE": (SERVICE, "a plug is in the service port of the {place}: pull it out, then the {place} starts again"),
}
LOST = "lost"
AWAY = (LOST, "refused", "stopped")  # ways in which a device is away; the last two as a station's condition begins
CALL_SERVICE = "call service"
# what people do about a fault that stays, in plain words; what is not named here is for service
REMEDIES: Mapping[int, str] = {
    EventCode.JAM: "open it, take the stuck card out of the path, close it",
    EventCode.DOUBLE_FEED: "open it, part the two cards in the path, close it",
    EventCode.CARD_DAMAGED: "open it, take the bent card out, close it",
    EventCode.COUNT_MISMATCH: "take all cards out and count them",
    EventCode.RESIDUAL: "take out what is left in it",
    EventCode.MOTOR_STALL: "see that nothing is in the way of its rollers and gate",
    EventCode.SENSOR_BLOCKED: "wipe its sensors, take away what covers them",
}


def what_to_do(faults: Iterable[tuple[int, int]]) -> str:
    """What people do about open faults (seq, code)."""
    known = [REMEDIES.get(code, CALL_SERVICE) for _, code in faults]
    return "; ".join(dict.fromkeys(known))


def away(place: str, condition: str) -> tuple[str, str]:
    """In what way a device is away (one of AWAY), and what people are told: its condition, and what they can do."""
    how = condition.partition(":")[0]
    if how in AWAY:
        return how, f"the {place} is {condition}: see to that, or give the step up"
    why = "" if condition.startswith("online") else f" ({condition})"
    return LOST, f"the {place} does not answer{why}: wait until it does, or give the step up"


def is_away(reason: str) -> bool:
    """Whether a hold of that reason waits for a device that is away."""
    _, _, rest = reason.partition(" ")
    return rest.split(" ")[0] in AWAY


_CODES: Mapping[str, EventCode] = {LID: EventCode.LID, DOOR: EventCode.DOOR, SERVICE: EventCode.SERVICE_PORT}
_OPEN: Mapping[str, str] = {LID: "its lid is open", DOOR: "its door is open", SERVICE: "a plug is in its service port"}


def interlock(place: str, what: str) -> str:
    """How the reason of such a hold begins."""
    return f"{place} {what}"


def still_open(hold: Hold, facts: Facts) -> bool | None:
    """Whether the device says that it is still so; None for a hold that is no such one, or where it has not said."""
    place, _, rest = hold.reason.partition(" ")
    code = _CODES.get(rest.partition(",")[0])
    said = facts.events(place, code) if code is not None else []
    return bool(said[-1].event.body["open"]) if said else None


def contradicted(hold: Hold, facts: Facts, how: str) -> str:
    """Why a word on a hold cannot be taken, because the device says something else; "" if it can."""
    if how != GO_ON or not still_open(hold, facts):
        return ""
    place, _, rest = hold.reason.partition(" ")
    return f"the {place} says that {_OPEN[rest.partition(',')[0]]}: it goes on by itself when that is over"
