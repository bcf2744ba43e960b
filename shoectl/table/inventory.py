"""Whether a count by a shoe that mixes proves its deck (§ 671a.11(h)): the evidence of one inventory, judged.

That it is all there, and each card once, the machine says; that it was shuffled follows from its way: every card was
fed by this table, and comes out of the carousel by luck. The count must have been seen from our command to its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from protocols.message import Body
from protocols.vocabulary import EventCode, Result, Verdict, VerdictFlag
from shoectl.devices.command import fault_text, result_text
from shoectl.games.answers import Shuffled
from shoectl.table.entries import Alarm, Attached, Evidence, Intent
from shoectl.table.proof import STRANGE, Judgement


def judge_inventory(
    asked: Intent, cards: int, events: Sequence[Evidence], device: Attached | None, alarms: Iterable[Alarm] = ()
) -> Judgement | None:
    """The judgement on the inventory that a command began, of a deck of so many cards; None while it has not ended."""
    since = [one for one in events if one.entry > asked.entry]
    ended = next((n for n, one in enumerate(since) if _ends(one, asked)), None)
    if ended is None:
        return None
    seen = since[: ended + 1]
    counts = [one for one in seen if one.event.code == EventCode.SHOE_COUNT]
    if not counts:
        said = result_text(seen[-1].event.body["result"])
        return Judgement(Shuffled(False, reason=f"the count ended without a number: {said}"), (seen[-1].ref,))
    refs = tuple(one.ref for one in (counts[-1], seen[-1]))
    return Judgement(_weigh(asked, cards, seen, counts[-1], device, alarms), refs)


def _ends(one: Evidence, asked: Intent) -> bool:
    return one.event.code == EventCode.CMD_DONE and one.event.body["cmd_id"] == asked.id and one.unit == asked.unit


def _weigh(
    asked: Intent,
    cards: int,
    seen: Sequence[Evidence],
    count: Evidence,
    device: Attached | None,
    alarms: Iterable[Alarm],
) -> Shuffled:
    body, ended = count.event.body, seen[-1].event
    verdict, counted, cycle = body["verdict"], body["counted"], body["cycle"]
    strange = [fault_text(one.event.code) for one in seen if one.event.code in STRANGE]
    if (reason := _wrong(body, cards)) or strange:
        reason = reason or f"not the cards of one deck: {', '.join(dict.fromkeys(strange))}"
        return Shuffled(False, True, verdict, counted, cycle, reason)
    reason = (
        _not_ok(body)
        or _unseen(asked, seen)
        or next((alarm.text for alarm in alarms if alarm.entry > asked.entry), "")
        or ("no shoe is known at its place" if device is None else "")
        or (result_text(ended.body["result"]) if ended.body["result"] != Result.OK else "")
    )
    if reason or device is None:
        return Shuffled(False, False, verdict, counted, cycle, reason)
    compared = bool(body["flags"] & VerdictFlag.COMPOSITION_COMPARED)
    said = f"{counted} of {cards} counted, " + ("each card once" if compared else "identity not compared")
    return Shuffled(True, False, verdict, counted, cycle, said, compared, device.serial)


def _wrong(body: Body, cards: int) -> str:
    """Why the deck must leave the table, "" if it need not."""
    verdict, counted, expected = body["verdict"], body["counted"], body["expected"]
    if verdict == Verdict.OK and counted == cards != expected:
        return f"the shoe counted {counted} cards, and says that {expected} are right"
    if verdict in (Verdict.SHORT, Verdict.OVER) or (verdict == Verdict.OK and counted != cards):
        return f"the shoe counted {counted} cards, {cards} are right"
    if verdict == Verdict.COMPOSITION:
        return "the right number of cards, but not the cards of one deck"
    return ""


def _not_ok(body: Body) -> str:
    """Why the device itself does not call it a good count."""
    if body["flags"] & VerdictFlag.MANUAL:
        return "its door was open since it was loaded"
    if body["flags"] & VerdictFlag.UNCERTAIN:
        return "power was lost in the count"
    if body["unread"]:
        return f"{body['unread']} of its cards could not be read"
    return "" if body["verdict"] == Verdict.OK else "the shoe cannot tell whether the deck is whole"


def _unseen(asked: Intent, seen: Sequence[Evidence]) -> str:
    """What of the count was not seen."""
    if any(one.event.code == EventCode.POWER_UP for one in seen):
        return "the device restarted in the count"
    if any((one.unit, one.epoch) != (seen[0].unit, seen[0].epoch) for one in seen) or seen[0].unit != asked.unit:
        return "another device stands there now, or its memory was wiped"
    first = seen[0].event.seq
    if [one.event.seq for one in seen] != list(range(first, first + len(seen))):
        return "events of the count are missing"
    return ""
