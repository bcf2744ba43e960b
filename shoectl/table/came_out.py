"""What came out of a shoe and waits to be judged: draws, less what was pushed back, and what came again after that.

A draw is evidence until an answer or an irregularity makes use of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from protocols.vocabulary import NO_READER, UNREADABLE_CARD, EventCode
from shoectl.cards import Card
from shoectl.devices.faces import card_of
from shoectl.table.entries import Evidence, EvidenceRef
from shoectl.table.grip import Grip

UNREAD = (UNREADABLE_CARD, NO_READER)
LOADED = (("LOADING", "LOADED"), ("MIXING", "READY"))  # the steps of a shoe from which on draws count from 1


@dataclass(frozen=True)
class Draw:
    """One card that was drawn and of which nothing has made use. `rests_on`: what an answer with it names. `instead`:
    the return of a card that was dealt, after which this one came, and it is not the same.
    """

    idx: int
    byte: int
    rests_on: tuple[EvidenceRef, ...]
    event: Evidence
    instead: Evidence | None = None

    @property
    def card(self) -> Card | None:
        """Its face, where it was read, or named by two persons."""
        return card_of(self.byte)


def lying(grip: Grip) -> list[Draw]:
    """Draws that wait to be judged, in the order drawn. A card pushed back was never drawn; what two persons named is
    read. One that was dealt already, pushed back and drawn again is the same card: it lies where it was dealt.
    """
    return waiting(grip).draws


def explained(grip: Grip) -> tuple[EvidenceRef, ...]:
    """Draws that wait for no judgement: what was pushed back, what came again after that. A step that is over names
    them, or a later round would take them for its own.
    """
    return waiting(grip).explained


@dataclass(frozen=True)
class Waiting:
    """Draws to be judged; evidence of those that need not be; `open`: cards dealt, pushed back, and not come again."""

    draws: list[Draw]
    explained: tuple[EvidenceRef, ...]
    open: list[Evidence]


def waiting(grip: Grip) -> Waiting:
    """All draws of which nothing has made use, sorted into those to be judged and those that explain themselves."""
    returned = {index(one): one for one in grip.unused(EventCode.CARD_RETURNED)}
    resolved = {index(one): one for one in grip.unused(EventCode.CARD_RESOLVED)}
    again = _dealt_and_returned(grip)
    draws: list[Draw] = []
    behind: tuple[EvidenceRef, ...] = ()  # what was pushed back is settled together with the next draw
    for one in drawn(grip):
        if grip.step.facts.used(one.ref):
            continue
        idx, back = index(one), returned.get(index(one))
        if back is not None and back.entry > one.entry:
            behind += (one.ref, back.ref)
            continue
        named = resolved.get(idx)
        refs = (one.ref,) if named is None else (one.ref, named.ref)
        draw = Draw(idx, (named or one).event.body["card"], (*behind, *refs), one)
        before = again.pop(0) if again and again[0].entry < one.entry else None
        if before is not None and _same(grip, before, draw):
            behind += (before.ref, *refs)
            continue
        draws.append(draw if before is None else replace(draw, instead=before))
        behind = ()
    return Waiting(draws, behind, [*(draw.instead for draw in draws if draw.instead), *again])


def _dealt_and_returned(grip: Grip) -> list[Evidence]:
    """Cards that lie on the table, by the journal, and were pushed back into the shoe since: their places are open."""
    facts = grip.step.facts
    dealt = {index(one): one for one in drawn(grip) if facts.used(one.ref) and one.entry > loaded_at(grip)}
    back = [one for one in grip.unused(EventCode.CARD_RETURNED) if index(one) in dealt]
    return [one for one in back if grip.step.layout.drawn_as(index(one)) is not None]


def _same(grip: Grip, back: Evidence, draw: Draw) -> bool:
    """Whether a draw after a return has the face of the card that was returned; where nobody reads, it is the same."""
    lies = grip.step.layout.drawn_as(index(back))
    face = None if lies is None else grip.step.layout.places[lies[0]][lies[1]].face
    return draw.card == face and (face is not None or not reads(grip))


def drawn(grip: Grip) -> list[Evidence]:
    """The event of every draw: CARD_DRAWN, or UNREADABLE for a card that was half out when power went."""
    events = grip.events(EventCode.CARD_DRAWN, EventCode.UNREADABLE)
    read = {index(one) for one in events if one.event.code == EventCode.CARD_DRAWN}
    told = [one for one in events if one.event.code == EventCode.CARD_DRAWN or index(one) not in {0, *read}]
    loaded, first = loaded_at(grip), dict[int, Evidence]()
    for one in told:
        if one.entry > loaded:
            first.setdefault(index(one), one)
    return [one for one in told if one.entry <= loaded or first[index(one)] is one]  # told twice is one card


def loaded_at(grip: Grip) -> int:
    """The entry that tells that the shoe was loaded last; 0 where it was before this round."""
    states = grip.station.family.states
    since = 0
    for one in grip.events(EventCode.STATE):
        if (states.get(one.event.body["old"]), states.get(one.event.body["new"])) in LOADED:
            since = one.entry
    return since


def index(evidence: Evidence) -> int:
    """The shoe's index of a draw, from 1."""
    return int(evidence.event.body["idx"])


def next_index(grip: Grip) -> int:
    """The shoe's index of the next card, as far as the table knows: one after all that were dealt, or pushed back.

    One that mixes counts on from round to round: there the first draw of the round says where it stands.
    """
    loaded = loaded_at(grip)
    told = [one for one in drawn(grip) if one.entry > loaded] if grip.state.equipment.mixes else []
    before = index(told[0]) - 1 if told else 0
    returned = sum(one.entry > loaded for one in grip.events(EventCode.CARD_RETURNED))
    return before + grip.step.layout.dealt() + returned + 1


def unread(grip: Grip) -> Draw | None:
    """The oldest draw that nobody could read, where the shoe should have."""
    return next((draw for draw in lying(grip) if draw.byte in UNREAD), None) if reads(grip) else None


def reads(grip: Grip) -> bool:
    """Whether the shoe reads the cards that pass it."""
    shoe = grip.state.equipment.shoe
    return shoe is not None and shoe.reads
