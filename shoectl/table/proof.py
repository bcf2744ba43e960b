"""Whether a shuffle proves a deck: the evidence of one motion, judged (common.md §9, § 671a.11(h)).

"Shuffled and verified" is never taken from a device's word alone. The whole cycle must have been seen, from its start
on our own command to its end, without a gap; what was seen must say shuffle, 52 in, 52 out, and nobody's hands in it.
Where something is missing the judgement says in plain words what, and no round starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from protocols.message import Body
from protocols.vocabulary import FIRST_FAULT, Capability, EventCode, Mode, Result, Verdict, VerdictFlag
from shoectl.devices.command import fault_text, result_text
from shoectl.games.answers import Shuffled
from shoectl.table.entries import Alarm, Attached, Evidence, EvidenceRef

MODE_SHIFT = 4  # VerdictFlag bits 4-5 hold mode - 1
STRANGE = {EventCode.DUPLICATE, EventCode.FOREIGN, EventCode.WRONG_BACK}  # no second shuffle makes such a card right


@dataclass(frozen=True)
class Asked:
    """The shuffle that was asked for: the command id of the motion, the deck's number, and how many cards it has."""

    motion: int
    deck: int
    cards: int


@dataclass(frozen=True)
class Judgement:
    """What a motion proved, and the events that it rests on."""

    shuffled: Shuffled
    evidence: tuple[EvidenceRef, ...]


def judge(
    asked: Asked, events: Sequence[Evidence], device: Attached | None, alarms: Iterable[Alarm] = ()
) -> Judgement | None:
    """The judgement on a motion, from all events of the shuffler; None while it has not ended."""
    ended = _last(events, EventCode.CMD_DONE, lambda body: body["cmd_id"] == asked.motion)
    if ended is None:
        return None
    before = [one for one in events if (one.unit, one.epoch) == (ended.unit, ended.epoch) and _seq(one) <= _seq(ended)]
    done = _last(before, EventCode.SHUFFLE_DONE)
    if done is None:
        said = result_text(ended.event.body["result"])
        return Judgement(Shuffled(False, reason=f"the shuffle ended without a count: {said}"), (ended.ref,))
    started = _last(before, EventCode.SHUFFLE_STARTED, lambda body: body["cycle"] == done.event.body["cycle"])
    refs = tuple(one.ref for one in (started, done, ended) if one is not None)
    return Judgement(_weigh(asked, before, (started, done, ended), device, alarms), refs)


def lost(asked: Asked) -> Shuffled:
    """The judgement on a motion of which the device knows nothing any more and whose end nobody saw."""
    return Shuffled(False, reason=f"nobody saw the end of the shuffle (command {asked.motion}): the deck is unknown")


def _weigh(
    asked: Asked,
    before: Sequence[Evidence],
    marks: tuple[Evidence | None, Evidence, Evidence],
    device: Attached | None,
    alarms: Iterable[Alarm],
) -> Shuffled:
    started, done, ended = marks
    body = done.event.body
    verdict, counted, cycle = body["verdict"], body["out"], body["cycle"]
    reason = _wrong(asked, done) or _strange(before, started, done)
    if reason:
        return Shuffled(False, True, verdict, counted, cycle, reason)
    reason = (
        _not_ok(before, started, done)
        or _unseen(asked, before, started, done, ended)
        or _not_trusted(device, started, alarms)
        or (result_text(ended.event.body["result"]) if ended.event.body["result"] != Result.OK else "")
    )
    if reason:
        return Shuffled(False, False, verdict, counted, cycle, reason)
    compared = bool(body["flags"] & VerdictFlag.COMPOSITION_COMPARED)
    if device is not None and not device.caps & Capability.COUNT_OUT_AFTER_SHUFFLE:
        said = "shuffled; the device cannot count, so the dealer does"
        return Shuffled(True, False, verdict, 0, cycle, said, device=device.serial, counts=False)
    said = f"{counted} of {asked.cards} counted, " + ("each card once" if compared else "identity not compared")
    return Shuffled(True, False, verdict, counted, cycle, said, compared, device.serial if device else "")


def _wrong(asked: Asked, done: Evidence) -> str:
    """Why the deck must leave the table, "" if it need not."""
    body = done.event.body
    match body["verdict"]:
        case Verdict.SHORT | Verdict.OVER:
            return f"the shuffler counted {body['out']} cards, {body['expected']} are right"
        case Verdict.COMPOSITION:
            return "the right number of cards, but not the cards of one deck"
        case Verdict.OK if not body["in"] == body["out"] == body["expected"] == asked.cards:
            counts = f"{body['in']} in, {body['out']} out, {body['expected']} expected"
            return f"the shuffler's counts do not fit a deck of {asked.cards}: {counts}"
    return ""


def _strange(before: Sequence[Evidence], started: Evidence | None, done: Evidence) -> str:
    """What the shuffler saw that makes the deck wrong, "" if nothing; it tells so before the cycle's verdict."""
    codes = _codes(before, started, done) if started is not None else []
    found = [fault_text(code) for code in codes if code in STRANGE]
    return f"not the cards of one deck: {', '.join(found)}" if found else ""


def _not_ok(before: Sequence[Evidence], started: Evidence | None, done: Evidence) -> str:
    """Why the device itself does not call it a good shuffle."""
    body = done.event.body
    flags, verdict = body["flags"], body["verdict"]
    mode = (flags >> MODE_SHIFT & 3) + 1
    if verdict == Verdict.NOT_A_SHUFFLE or mode != Mode.SHUFFLE:
        what = {Mode.COUNT.value: "counted", Mode.SORT.value: "sorted"}.get(mode, "counted or sorted")
        return f"the cards were {what}, not shuffled"
    if flags & VerdictFlag.MANUAL:
        return "a door or lid was open in the cycle"
    if flags & VerdictFlag.UNCERTAIN:
        return "power was lost in the cycle"
    if verdict == Verdict.ABORTED:
        faults = _faults(before, started, done)
        return "the shuffle was broken off" + (f": {faults}" if faults else "")
    if verdict != Verdict.OK:
        faults = _faults(before, started, done)
        return "the device cannot tell whether the deck is whole" + (f": {faults}" if faults else "")
    return ""


def _faults(before: Sequence[Evidence], started: Evidence | None, done: Evidence) -> str:
    return ", ".join(fault_text(code) for code in _codes(before, started, done))


def _codes(before: Sequence[Evidence], started: Evidence | None, done: Evidence) -> list[int]:
    since = _seq(started) if started is not None else 0
    codes = [one.event.code for one in before if since < _seq(one) <= _seq(done) and one.event.code >= FIRST_FAULT]
    return list(dict.fromkeys(codes))


def _unseen(asked: Asked, before: Sequence[Evidence], started: Evidence | None, done: Evidence, ended: Evidence) -> str:
    """What of the cycle was not seen, or was not ours."""
    if started is None:
        return "its start was not seen: the cycle began before the table was connected"
    body = started.event.body
    if started.event.boot != done.event.boot:
        return "the device restarted in the cycle"
    if body["origin"] != 0:
        return "it was started at the device's panel, not by the table"
    if body["mode"] != Mode.SHUFFLE:
        return "the cards were counted or sorted, not shuffled"
    if body["deck"] != asked.deck:
        return f"it was deck {body['deck']}, not deck {asked.deck}"
    seen = {_seq(one) for one in before}
    if any(seq not in seen for seq in range(_seq(started), _seq(ended) + 1)):
        return "events of the cycle are missing"
    return ""


def _not_trusted(device: Attached | None, started: Evidence | None, alarms: Iterable[Alarm]) -> str:
    """Why this device's word does not count."""
    if device is None:
        return "no shuffler is known at its place"
    if started is not None and (device.unit, device.epoch) != (started.unit, started.epoch):
        return "another device stands there now, or its memory was wiped"
    since = started.entry if started is not None else 0
    return next((alarm.text for alarm in alarms if alarm.entry > since), "")


def _seq(evidence: Evidence) -> int:
    return evidence.event.seq


def _last(
    events: Sequence[Evidence], code: EventCode, fits: Callable[[Body], bool] = lambda body: True
) -> Evidence | None:
    return next((one for one in reversed(events) if one.event.code == code and fits(one.event.body)), None)
