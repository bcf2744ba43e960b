"""A shoe that restarted while a deck was in it: whether draw indices and counts explain every card, and what follows.

What was drawn and told before a restart is taken first, while it is due; only then the restart is judged. A round that
it voids has its good draws on the table then, and the journal does not call them cards that nobody asked for.
"""

from __future__ import annotations

from protocols.vocabulary import EventCode
from shoectl.games.dealing import Dealing
from shoectl.games.procedure import Irregularity, Trouble
from shoectl.table.came_out import UNREAD, drawn, index
from shoectl.table.entries import Evidence
from shoectl.table.grip import Grip

EMPTY_STATES = ("BOOT", "UNLOADED", "LOADING", "SERVICE")  # no deck is in play in a shoe that was in one of these


def restart(grip: Grip) -> Evidence | None:
    """The oldest restart of the shoe that the house does not ride out and nobody has judged.

    Nothing is said of one that explains every card, where the house goes on then.
    """
    for one in grip.unused(EventCode.POWER_UP):
        was = grip.station.family.states.get(one.event.body["prev_state"], "")
        if was not in EMPTY_STATES and not _goes_on(grip, one):
            return one
    return None


async def judge(grip: Grip, restarted: Evidence) -> None:
    """Have the round's guard decide about a restart."""
    text = f"{grip.place}: it restarted while cards were dealt from it"
    await grip.step.irregularity(Irregularity(Trouble.DEVICE_RESTARTED, text=text), (restarted.ref,))


def _goes_on(grip: Grip, power_up: Evidence) -> bool:
    state = grip.state
    explained = state.option("restart_in_round") == "explained" and state.dealing is not Dealing.AUTOMATED
    return explained and explains(grip, power_up)


def explains(grip: Grip, power_up: Evidence) -> bool:
    """Whether draw indices and counts explain every card at a restart: what is left and what was drawn make up the
    deck, and each draw has its event. A card that was half out has the unread event of its own draw, which comes after.
    """
    zones = dict(zip(grip.station.family.zones, power_up.event.body["zones"], strict=False))
    if not {"shoe", "mouth", "drawn"} <= set(zones):
        return False
    draws = [one for one in drawn(grip) if one.unit == power_up.unit]
    if [index(one) for one in draws] != list(range(1, len(draws) + 1)):
        return False
    before = [one for one in draws if one.entry < power_up.entry]
    back = [one for one in grip.events(EventCode.CARD_RETURNED) if one.entry < power_up.entry]
    half_out = int(bool(zones["mouth"]["err"]))
    if half_out and draws[len(before) : len(before) + 1] and draws[len(before)].event.body["card"] not in UNREAD:
        return False
    counted = int(zones["drawn"]["count"])
    whole = int(zones["shoe"]["count"]) + counted + half_out
    return whole == grip.state.deck.cards and counted == len(before) - len(back)
