"""Who may see which card when: the only way out for cards.

A view is whole, never a change to an earlier one, and names the entry that it stands for. Everybody sees cards that lie
face up; a seat sees its own cards too, where their faces are known; the dealer sees what everybody sees.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from protocols.vocabulary import EventCode
from shoectl.errors import BadInput
from shoectl.games.layout import Layout, Racked, Refused, Slot
from shoectl.games.procedure import Step
from shoectl.games.steps import seat_of
from shoectl.games.text import step_json

if TYPE_CHECKING:
    from shoectl.table.course import Course
    from shoectl.table.entries import Json
    from shoectl.table.record import Passed

_FACE = re.compile(r"\b(?:[2-9TJQKA]|10)[shdc]\b")
_VIEWER = re.compile(r"public|dealer|seat [1-9][0-9]?")


def view(course: Course[Any], viewer: str, *, entry: int, condition: str = "") -> Json:
    """What a viewer (`public`, `dealer`, `seat N`) may see of the round. Raises BadInput for another name.

    `entry` is the last entry it stands for, `step` the open step with its `ref`, `record` the steps asked before it in
    this round, `past` the steps and gains of the round before it, `places` the cards, `shown` those that lay face up
    at a place until they were racked, `rack` how many lie in the rack, `journal` why nothing can be written.
    """
    if not _VIEWER.fullmatch(viewer):
        raise BadInput(f"no viewer {viewer!r}, allowed are public, dealer and seat 1, seat 2, …")
    layout = course.layout
    own = viewer if seat_of(viewer) else None  # the dealer does not look at his cards before he turns them up
    return {
        "viewer": viewer,
        "entry": entry,
        "round": course.round_no,
        "step": _open(course),
        "record": _record(course.record),
        "past": _past(course),
        "places": {place: [_card(slot, own == place) for slot in slots] for place, slots in layout.places.items()},
        "shown": {racked.origin: _seen(racked) for racked in layout.rack if any(racked.up)},
        "rack": sum(len(racked.cards) for racked in layout.rack),
        "wagers": {str(seat): dict(wagers) for seat, wagers in sorted(layout.wagers.items()) if wagers},
        "decided": {str(seat): [one.choice for one in made] for seat, made in sorted(layout.decided.items())},
        "net": {str(seat): layout.net(seat) for seat in sorted({booking.seat for booking in layout.booked})},
        "hold": _hold(course),
        "journal": condition,
    }


def _open(course: Course[Any]) -> Json | None:
    step, play = course.waiting, course.round
    if step is None or play is None:
        return None
    ref = {"round": course.round_no, "step": play.number, "part": play.part}
    return {"ref": ref, "by": str(step.by), "parts": step.parts, "takes": step.takes.__name__, **step_json(step)}


def _record(record: Sequence[Passed]) -> list[Json]:
    return [{"number": one.number, "outcome": one.outcome, "step": one.step} for one in record if one.outcome != "open"]


def _past(course: Course[Any]) -> Json | None:
    past = course.past
    if past is None:
        return None
    net = {str(seat): past.net[seat] for seat in sorted(past.net)}
    return {"round": past.round, "record": _record(past.record), "net": net}


def _hold(course: Course[Any]) -> Json | None:
    hold = next((hold for hold in reversed(course.facts.holds) if hold.word is None), None)
    return None if hold is None else {"reason": hold.reason, "text": hold.text, "part": hold.part}


def _seen(racked: Racked) -> list[Json]:
    return [
        {"up": up, "card": str(face)} if up and face is not None else {"up": up}
        for face, up in zip(racked.cards, racked.up, strict=True)
    ]


def _card(slot: Slot, own: bool) -> Json:
    if slot.face is not None and (slot.up or own):
        return {"up": slot.up, "card": str(slot.face)}
    return {"up": slot.up}


_FACES_IN = frozenset(
    {
        EventCode.CARD_DRAWN,
        EventCode.CARD_RESOLVED,
        EventCode.COMPOSITION,
        EventCode.UNREADABLE,
        EventCode.DUPLICATE,
        EventCode.FOREIGN,
        EventCode.FACE_UP,
        EventCode.WRONG_BACK,
    }
)


def may_leave(kind: str, body: Json) -> bool:
    """Whether an entry may be shown outside of the table: it holds no face, or only faces that it turns up itself."""
    match kind:
        case "event":
            return body["name"] is not None and body["code"] not in _FACES_IN
        case "answer":
            return body["takes"] == "Faces" or not _FACE.search(json.dumps(body["answer"]))
        case "irregularity" | "held":
            return body["card"] is None
        case "intent":
            return "card" not in body["body"]
        case "round":
            return all(may_leave("event", event) for event in body["evidence"])
        case "void":
            return not names_a_card(str(body["why"]))
        case "step" | "device" | "alarm" | "hold" | "amend" | "note":
            return True
    return False


def names_a_card(text: str) -> bool:
    """Whether a text that people wrote names a card: then it may not go where everybody reads."""
    return _FACE.search(text) is not None


@contextmanager
def faceless(step: Step[Any], layout: Layout) -> Iterator[None]:
    """Turn a refusal that names a hidden face into one that does not: it goes to whoever answered, at the table. What
    lies face up, or did until it was racked, may be named.
    """
    try:
        yield
    except Refused as refused:
        if set(_FACE.findall(refused.reason)) <= _shown(layout):
            raise
        text = f"{step.do}: the cards named do not fit what was dealt"
        raise Refused(text, rule=refused.rule, seat=refused.seat) from None


def _shown(layout: Layout) -> set[str]:
    """Every face that everybody at the table has seen in this round."""
    up = {slot.face for slots in layout.places.values() for slot in slots if slot.up}
    racked = {
        face for pile in layout.rack for face, was_up in zip(pile.cards, pile.up, strict=len(pile.up) > 0) if was_up
    }
    return {str(face) for face in up | racked if face is not None}
