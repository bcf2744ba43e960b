"""A shoe that mixes deals through its mouth: one lease for all cards that a deal owes, each draw told with its face."""

from __future__ import annotations

from protocols.vocabulary import EventCode
from shoectl.devices.carousel import Carousel
from shoectl.table.carousel_state import halt, in_the_way, inside, new_state, refused
from shoectl.table.draws import take, take_unrecorded
from shoectl.table.grip import Grip
from shoectl.table.hands_packets import stands_still

MOST_LEASE = 0xFE


async def deal_through_mouth(grip: Grip, carousel: Carousel) -> None:
    """The next small thing towards all cards of an open deal: shut, read, settle, count what is due, arm for it."""
    if not await take(grip) or _lease_stands(grip) or grip.stuck:
        return
    state, status = await grip.status()
    if await in_the_way(grip, state, status) or await halt(grip, carousel, state):
        return
    if state != "READY":
        await stands_still(grip, carousel, state)
        return
    await grip.station.catch_up()
    if not await take(grip):
        return
    if grip.step.facts.alarms(grip.place):
        gone = grip.state.deck.cards - inside(status) - int(status["infeed"])
        if await take_unrecorded(grip, gone):
            return
    due = grip.step.step.parts - grip.step.ref.part
    grip.lease, reply = await grip.order(carousel.arm(grip.step.ref.round, min(due, MOST_LEASE)))
    if not reply.ok:
        grip.lease = None
        await refused(grip, carousel, reply)


def _lease_stands(grip: Grip) -> bool:
    """Whether the lease that these hands gave is still there, as far as the shoe has told."""
    if grip.lease is None:
        return False
    since = grip.step.facts.events(grip.place, EventCode.STATE, EventCode.POWER_UP, after=grip.lease.entry)
    return all(one.event.code == EventCode.STATE and new_state(one, grip) == "ARMED" for one in since)
