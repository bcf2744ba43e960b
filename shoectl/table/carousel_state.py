"""What stands in the way at a shoe that mixes, and how it is set right: a door, a plug, a fault, a motion that runs."""

from __future__ import annotations

from protocols.message import Body
from protocols.vocabulary import EventCode, Result, Verdict
from shoectl.devices.carousel import Carousel
from shoectl.devices.command import Reply
from shoectl.table.entries import Evidence
from shoectl.table.grip import Grip, faults_text, flag
from shoectl.table.holds import what_to_do

DOOR_OPEN = 1  # a bit of STATUS flags (cedar.md §1.2)
STARTING = ("BOOT", "HOMING")
MOVING = ("MIXING", "RECYCLING", "PURGING")  # motions that end by themselves
GIVING_OUT = ("DELIVERING", "WAIT_TAKE", "ARMED")  # motions that a STOP ends
JUDGED = (  # faults that say no more than an answer or an irregularity has settled, or the next count will
    EventCode.OVERDRAW,
    EventCode.EARLY_DRAW,
    EventCode.COUNT_MISMATCH,
    EventCode.DUPLICATE,
    EventCode.RESIDUAL,
)


def inside(status: Body) -> int:
    """Cards in the machine that it can deal or has dealt no further than its tray; the infeed is not among them."""
    return sum(int(status[zone]) for zone in ("path", "carousel", "buffer", "output", "reject"))


def new_state(one: Evidence, grip: Grip) -> str:
    """The state that a STATE event tells of, by name."""
    return grip.station.family.states.get(one.event.body["new"], "unknown")


async def in_the_way(grip: Grip, state: str, status: Body) -> bool:
    """Whether it starts, moves, or stands open or in service: it goes on by itself, or people are told what to do."""
    if state == "SERVICE":
        return await grip.interlocked(state)
    if flag(status, DOOR_OPEN):
        return await grip.interlocked("DOOR_OPEN")
    return state in (*STARTING, *MOVING)


async def halt(grip: Grip, carousel: Carousel, state: str) -> bool:
    """End what is given out without anybody's asking for it: the mouth shuts, a plan ends once its tray is empty."""
    if state not in GIVING_OUT:
        return False
    begun = [one.entry for one in grip.events(EventCode.STATE) if _begins(one, grip)]
    told = [one for one in grip.step.intents() if one.type == carousel.shut().type]
    if not grip.stuck and not (told and told[-1].entry > max(begun, default=0)):
        _, reply = await grip.order(carousel.shut())
        if reply.result == Result.E_STATE:  # it has ended by itself since it was looked at
            grip.came_too_late()
    return True


def _begins(one: Evidence, grip: Grip) -> bool:
    old = grip.station.family.states.get(one.event.body["old"])
    return new_state(one, grip) in GIVING_OUT and old not in GIVING_OUT


async def set_right(grip: Grip, carousel: Carousel, *, refused: bool = False) -> None:
    """Clear what is judged; what is not, people set right at the machine, and then it is cleared too. `refused`: a
    command has just been, because of it.
    """
    if not refused and grip.stuck:
        return
    stays = await grip.clear(carousel.clear_fault, *JUDGED)
    if not stays:
        return
    text = f"the shoe reports {faults_text(stays)}: {what_to_do(stays)}; then say so, or give the step up"
    if await grip.ask_people(f"fault {stays[0][0]}", text, "CLEAR_FAULT"):
        await grip.clear(carousel.clear_fault)


async def refused(grip: Grip, carousel: Carousel, reply: Reply) -> None:
    """A command that it would not take, in a state in which it should."""
    if reply.result == Result.E_FAULT:
        await set_right(grip, carousel, refused=True)
    elif reply.result not in (Result.E_BUSY, Result.E_RING):
        await grip.ask_people("refused", f"the shoe does not obey: {reply.text}")


async def counted_again(grip: Grip, carousel: Carousel) -> bool | None:
    """After a fault in the middle of a round nobody knows what lies where until all is counted: have it counted, once.
    Whether that is right, None while it is at it.
    """
    intent, reply = await grip.once(carousel.count())
    if not reply.ok:
        await refused(grip, carousel, reply)
        return None
    if grip.done(intent.id, after=intent.entry) is None:
        return None
    counts = grip.step.facts.events(grip.place, EventCode.SHOE_COUNT, after=intent.entry)
    return bool(counts) and counts[-1].event.body["verdict"] == Verdict.OK
