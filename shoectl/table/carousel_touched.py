"""Whether a deck that was proven in a shoe that mixes is one no more: hands were in it, or it restarted.

Cards that are moved then are invisible. What was dealt and told before is taken first, while it is due.
"""

from __future__ import annotations

from protocols.vocabulary import EventCode
from shoectl.games.procedure import Irregularity, Trouble
from shoectl.games.steps import Deal
from shoectl.table.draws import take
from shoectl.table.entries import Evidence
from shoectl.table.grip import Grip
from shoectl.table.packets import take_packets

NO_DECK = ("BOOT", "HOMING", "UNLOADED", "LOADING", "SERVICE")  # states in which no deck is in play in it
OPENED = {EventCode.DOOR: "its door was opened", EventCode.SERVICE_PORT: "its service port was used"}


async def touched(grip: Grip) -> bool:
    """Have the round's guard decide about what befell the deck since it was proven, if anything did."""
    counts = [one.entry for one in grip.events(EventCode.SHOE_COUNT) if grip.step.facts.used(one.ref)]
    since = max(counts, default=0)
    for one in grip.unused(EventCode.POWER_UP, *OPENED):
        if one.entry <= since or (said := _befell(grip, one)) is None:
            continue
        if isinstance(grip.step.step, Deal):
            await (take_packets if grip.state.by_packets else take)(grip, before=one.entry)
        if not grip.step.closed:
            await grip.step.irregularity(said, (one.ref,))
        return True
    return False


def _befell(grip: Grip, one: Evidence) -> Irregularity | None:
    """What an event means for a deck in play; None where there was none, or a door was shut again."""
    kind = Trouble.DEVICE_FAILED
    if one.event.code != EventCode.POWER_UP:
        if not one.event.body["open"]:
            return None
        text = OPENED[EventCode(one.event.code)]
    elif grip.station.family.states.get(one.event.body["prev_state"]) in NO_DECK:
        return None
    else:
        text, kind = "it restarted", Trouble.DEVICE_RESTARTED
    return Irregularity(kind, text=f"{grip.place}: {text} with the proven deck in it")
