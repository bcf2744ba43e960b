"""A shoe hands out packets: one plan for all cards that a deal owes, each packet confirmed by its taking.

No packet is ever ordered while one of an older plan may lie in the tray (cedar.md §7): entering a deal, hands learn
what became of the plan that was given, have one of another step ended, settle what was taken, and order the rest.
"""

from __future__ import annotations

from protocols.message import Body
from shoectl.devices.carousel import Carousel
from shoectl.games.procedure import Irregularity, Trouble
from shoectl.table.carousel_state import counted_again, halt, in_the_way, inside, refused, set_right
from shoectl.table.draws import too_many
from shoectl.table.grip import Grip
from shoectl.table.packets import PLAN, number_of, owed, plan_of, take_packets, taken_packets


async def deal_packets(grip: Grip, carousel: Carousel) -> None:
    """The next small thing towards all packets of an open deal."""
    if await too_many(grip, always=True) or not await take_packets(grip) or grip.stuck:
        return
    state, status = await grip.status()
    await grip.station.catch_up()
    if await too_many(grip, always=True) or not await take_packets(grip) or _under_way(grip, state):
        return
    if await in_the_way(grip, state, status) or await halt(grip, carousel, state):
        return
    if state == "READY" and not status["output"]:
        if not await _untold(grip, status):
            await _order(grip, carousel)
    elif state != "READY":  # else cards lie in the tray: their taking is told, and then the rest is ordered
        await stands_still(grip, carousel, state)


async def stands_still(grip: Grip, carousel: Carousel, state: str) -> None:
    """It is in no state to deal."""
    if state == "FAULT":
        await set_right(grip, carousel)
    elif state == "LOCKED":
        if await counted_again(grip, carousel) is False:
            await grip.fail("nobody knows what lies in it (locked)")
    elif state in ("UNLOADED", "LOADING"):  # its memory is blank, or it is another one
        text = f"it knows of no deck any more ({state.lower()}), what it gave out since its last word has no record"
        await grip.fail(text, Trouble.RECORD_LOST)
    else:
        await grip.fail(f"it does not deal ({state.lower().replace('_', ' ')})")


def _under_way(grip: Grip, state: str) -> bool:
    """Whether the plan of this very step is at it, or waits for a packet to be taken."""
    plan = plan_of(grip)
    if plan is None or plan.step != grip.step.number or state not in ("DELIVERING", "WAIT_TAKE"):
        return False
    stopped = any(one.type != PLAN and one.entry > plan.entry for one in grip.step.intents())
    return not stopped and grip.done(plan.id, after=plan.entry) is None


async def _untold(grip: Grip, status: Body) -> bool:
    """Where events were lost, a packet may have been among them: the machine's own count tells. Asked only then."""
    if not grip.step.facts.alarms(grip.place):
        return False
    waiting = sum(int(one.event.body["n"]) for one in taken_packets(grip) if not grip.step.facts.used(one.ref))
    told = grip.step.layout.dealt() + waiting
    missing = grip.state.deck.cards - inside(status) - int(status["infeed"]) - told
    if missing:
        text = f"{grip.place}: {abs(missing)} cards came out of it, or went in, and nothing tells of them"
        await grip.step.irregularity(Irregularity(Trouble.RECORD_LOST, text=text))
    return bool(missing)


async def _order(grip: Grip, carousel: Carousel) -> None:
    step = grip.step
    packets = [(number_of(one.place), one.cards) for one in owed(grip)]
    _, reply = await grip.order(carousel.deliver(step.ref.round, packets))
    if not reply.ok:
        await refused(grip, carousel, reply)
