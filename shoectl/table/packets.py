"""Packets that a shoe hands out, judged: due, of another size than it should have, or only a part of one.

A packet is due where the next cards of a deal go to one place. Its taking answers as many parts as it has cards; no
face is known. The event is evidence of the first of them, so after a crash in between the rest is known to be owed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from protocols.vocabulary import EventCode, Result
from shoectl.devices.carousel import PACKET_CARDS_MOST, PACKETS_MOST
from shoectl.games.answers import Drawn
from shoectl.games.procedure import Irregularity, Trouble
from shoectl.games.steps import BONUS, COMMUNITY, DEALER, Deal, Place, seat_of
from shoectl.table.came_out import explained
from shoectl.table.entries import Evidence, EvidenceRef, Intent
from shoectl.table.grip import Grip

NUMBERS = {DEALER: 0, COMMUNITY: 14, BONUS: 15}  # what the display shows for places that are no seat
PLAN, STOP = "DELIVER_PLAN", "STOP"
DRAWN_IN_ERROR = (str(Trouble.EARLY_DRAW), str(Trouble.EXTRA_CARD))  # where cards in the rack come from that were


@dataclass(frozen=True)
class Packet:
    """Cards for one place."""

    place: Place
    cards: int


def number_of(place: Place) -> int:
    """The number by which the machine knows a place."""
    seat = seat_of(place)
    return NUMBERS.get(place, NUMBERS[COMMUNITY]) if seat is None else seat


def packets_of(to: Sequence[Place]) -> tuple[Packet, ...]:
    """The packets of a sequence of places, for one plan: cards in a row that go to the same place are one."""
    return tuple(itertools.islice(_packets(to), PACKETS_MOST))


def _packets(to: Sequence[Place]) -> Iterator[Packet]:
    for place, cards in itertools.groupby(to):
        left = len(list(cards))
        while left:
            yield Packet(place, min(left, PACKET_CARDS_MOST))
            left -= PACKET_CARDS_MOST if left > PACKET_CARDS_MOST else left


def due(grip: Grip) -> Packet:
    """The packet that is due next."""
    return owed(grip)[0]


def owed(grip: Grip) -> tuple[Packet, ...]:
    """All packets that an open deal still owes, as many as one plan holds."""
    deal = grip.step.step
    assert isinstance(deal, Deal)
    return packets_of(deal.to[grip.step.ref.part :])


async def take_packets(grip: Grip, before: int | None = None) -> bool:
    """Answer the parts of an open deal with the packets that were taken (`before`: told of by an earlier entry). True
    when all that came is settled; False where the deal was interrupted, or is done.
    """
    step = grip.step
    while not step.closed:
        packet = due(grip)
        if owed_to(grip, packet.place):
            await step.answer(Drawn(None), by=grip.place)
            continue
        if (wrong := _wrong_size(grip)) is not None:
            text = f"{wrong.event.body['n']} cards came as the packet for {packet.place}"
            trouble = Irregularity(Trouble.WRONG_COUNT, text=text, place=packet.place)
            await step.irregularity(trouble, (wrong.ref,))
            return False
        taken = _taken(grip, packet)
        if taken is None or (before is not None and taken.entry > before):
            return True
        if int(taken.event.body["n"]) > packet.cards:
            text = f"{taken.event.body['n']} cards were taken to {packet.place}, {packet.cards} are due"
            await step.irregularity(Irregularity(Trouble.WRONG_COUNT, text=text, place=packet.place))
            return False
        await step.answer(Drawn(None), by=grip.place, evidence=(taken.ref,))
    return False


def owed_to(grip: Grip, place: Place) -> int:
    """Cards of packets taken to a place of which not every part is answered yet: all that were taken, less all that
    the table knows of. One drawn from the mouth and judged lies in the rack, and came with no packet.
    """
    facts = grip.step.facts
    used = [one for one in taken_packets(grip) if facts.used(one.ref)]
    if not any(one.event.body["seat"] == number_of(place) for one in used):
        return 0
    layout = grip.step.layout
    drawn = sum(len(racked.cards) for racked in layout.rack if racked.origin in DRAWN_IN_ERROR)
    known = layout.dealt() - drawn
    return max(0, sum(int(one.event.body["n"]) for one in used) - known)


def taken_packets(grip: Grip) -> list[Evidence]:
    """Every packet of this round that was taken."""
    number = grip.step.ref.round & 0xFFFF
    return [one for one in grip.events(EventCode.PACKET_TAKEN) if one.event.body["round"] == number]


def gathered(grip: Grip) -> tuple[EvidenceRef, ...]:
    """What came out of it and waits for no judgement once its cards are gathered: draws that explain themselves, and
    packets that were taken and that no deal asks for any more. The step that gathers them names them, so that the
    journal tells of every card that went back.
    """
    unasked = (one.ref for one in taken_packets(grip) if not grip.step.facts.used(one.ref))
    return (*explained(grip), *unasked)


def plan_of(grip: Grip) -> Intent | None:
    """The newest plan of this round, of whichever step."""
    plans = [one for one in grip.step.facts.intents() if one.type == PLAN and one.place == grip.place]
    return plans[-1] if plans else None


def cut(grip: Grip, plan: Intent) -> bool:
    """Whether a plan was broken off, so that a packet may be a part of one: told to stop, a fault, a restart."""
    stopped = any(one.type == STOP and one.entry > plan.entry for one in grip.step.facts.intents())
    ended = grip.done(plan.id, after=plan.entry)
    failed = ended is not None and ended.event.body["result"] != Result.OK
    return stopped or failed or bool(grip.step.facts.events(grip.place, EventCode.POWER_UP, after=plan.entry))


def _taken(grip: Grip, packet: Packet) -> Evidence | None:
    """The oldest packet that was taken to the place that is due, and that nothing has made use of."""
    number = number_of(packet.place)
    unused = [one for one in taken_packets(grip) if not grip.step.facts.used(one.ref)]
    return next((one for one in unused if one.event.body["seat"] == number), None)


def _wrong_size(grip: Grip) -> Evidence | None:
    """A packet that lies ready, or lay there, with another number of cards than the plan says, if nobody judged it."""
    plan = plan_of(grip)
    if plan is None:
        return None
    ready = grip.step.facts.events(grip.place, EventCode.PACKET_READY, after=plan.entry)
    for one, wanted in zip(ready, plan.body["packets"], strict=False):
        cards = int(one.event.body["n"])
        fits = cards == wanted["n"] or (cards < wanted["n"] and cut(grip, plan))
        if not fits and not grip.step.facts.used(one.ref):
            return one
    return None
