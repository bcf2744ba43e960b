"""Cards that came out of the shoe, judged: due, twice on the table, foreign, face up, unread, or one too many.

A draw is evidence until an answer or an irregularity makes use of it. It belongs to the step that is open when it is
judged, whatever the time it was made.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from protocols.vocabulary import FACE_UP_CARD, FOREIGN_CARD, NO_READER, UNREADABLE_CARD, EventCode
from shoectl.cards import Card
from shoectl.devices.faces import card_of
from shoectl.devices.shoe import Shoe
from shoectl.games.answers import Drawn
from shoectl.games.procedure import Irregularity, Trouble
from shoectl.games.steps import RACK
from shoectl.table.entries import Evidence, EvidenceRef, Held
from shoectl.table.grip import Grip
from shoectl.table.holds import CARD, GIVE_UP

HOLD_UNREADABLE = "unreadable "  # how the reason of a hold begins that waits for a card's name
UNREAD = (UNREADABLE_CARD, NO_READER)
LOADED = (("LOADING", "LOADED"), ("MIXING", "READY"))  # the steps of a shoe from which on draws count from 1
STRANGE = (EventCode.FOREIGN, EventCode.WRONG_BACK, EventCode.FACE_UP)


@dataclass(frozen=True)
class Draw:
    """One card that was drawn and of which nothing has made use. `rests_on`: what an answer with it names."""

    idx: int
    byte: int
    rests_on: tuple[EvidenceRef, ...]
    event: Evidence

    @property
    def card(self) -> Card | None:
        """Its face, where it was read, or named by two persons."""
        return card_of(self.byte)


def lying(grip: Grip) -> list[Draw]:
    """Draws that wait to be judged, in the order drawn. A card pushed back was never drawn; what two persons named is
    read.
    """
    returned = {index(one): one for one in grip.unused(EventCode.CARD_RETURNED)}
    resolved = {index(one): one for one in grip.unused(EventCode.CARD_RESOLVED)}
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
        refs = (*behind, one.ref) if named is None else (*behind, one.ref, named.ref)
        draws.append(Draw(idx, (named or one).event.body["card"], refs, one))
        behind = ()
    return draws


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


async def take(grip: Grip, before: int | None = None) -> bool:
    """Answer the parts of an open deal with what was drawn (`before`: told of by an earlier entry than that). True when
    all that came is settled; False while people are waited for, or the deal was interrupted or is done.
    """
    step = grip.step
    while not step.closed:
        draws = [draw for draw in lying(grip) if before is None or draw.event.entry < before]
        if not draws:
            return True
        draw = draws[0]
        if draw.idx > next_index(grip):  # a jump: a card without a record lies where it was due, its face open
            await grip.alarm(f"draw {next_index(grip)} has no record, draw {draw.idx} has")
            await step.answer(Drawn(None, next_index(grip)), by=grip.place)
            continue
        if (trouble := _trouble(grip, draw)) is not None:
            await step.irregularity(trouble, draw.rests_on)
            return False
        if draw.card is None and _reads(grip):
            return False  # unread: `read_again` is next
        await step.answer(Drawn(draw.card, draw.idx), by=grip.place, evidence=draw.rests_on)
    return False


def next_index(grip: Grip) -> int:
    """The shoe's index of the next card, as far as the table knows: one after all that were dealt, or pushed back.

    One that mixes counts on from round to round: there the first draw of the round says where it stands.
    """
    loaded = loaded_at(grip)
    told = [one for one in drawn(grip) if one.entry > loaded] if grip.state.equipment.mixes else []
    before = index(told[0]) - 1 if told else 0
    return before + grip.step.layout.dealt() + len(grip.events(EventCode.CARD_RETURNED)) + 1


async def take_unrecorded(grip: Grip, drawn_count: int) -> bool:
    """Cards that the shoe says were drawn (those pushed back not counted) and of which there is no record at all: they
    lie where they were due, their faces are open until they are turned. True when there were any.
    """
    step = grip.step
    missing = drawn_count - step.layout.dealt() - len(lying(grip))
    for _ in range(missing):
        if not step.closed:
            await step.answer(Drawn(None, next_index(grip)), by=grip.place)
    return missing > 0


def unread(grip: Grip) -> Draw | None:
    """The oldest draw that nobody could read, where the shoe should have."""
    return next((draw for draw in lying(grip) if draw.byte in UNREAD), None) if _reads(grip) else None


def _reads(grip: Grip) -> bool:
    shoe = grip.state.equipment.shoe
    return shoe is not None and shoe.reads


def _trouble(grip: Grip, draw: Draw) -> Irregularity | None:
    if grip.state.option("card_drawn_in_error") != "next_card" and _uninvited(grip, draw):
        return _not_asked_for(grip, draw)
    faults = {one.event.code for one in grip.events(*STRANGE) if index(one) == draw.idx}
    if draw.byte == FACE_UP_CARD or EventCode.FACE_UP in faults:
        return Irregularity(Trouble.EXPOSED_CARD, text=f"draw {draw.idx} came face up", place=RACK)
    if draw.card is not None and grip.step.layout.seen(draw.card):
        return Irregularity(
            Trouble.DUPLICATE_CARD,
            text=f"draw {draw.idx} is a card that lies on the table already",
            place=RACK,
            card=str(draw.card),
        )
    if faults or (draw.card is None and draw.byte not in UNREAD):
        said = "another back or another make" if faults or draw.byte == FOREIGN_CARD else "no face of this game"
        return Irregularity(Trouble.FOREIGN_CARD, text=f"draw {draw.idx} has {said}", place=RACK)
    return None


async def too_many(grip: Grip, *, always: bool) -> bool:
    """Judge draws that no open deal can take. True when the step was interrupted.

    With the house's `next_card` they are left lying and the next deal takes them, unless no deal follows (`always`).
    """
    if not always and grip.state.option("card_drawn_in_error") == "next_card":
        return False
    draws = lying(grip)
    if not draws or grip.step.closed:
        return False
    await grip.step.irregularity(_not_asked_for(grip, draws[0]), draws[0].rests_on)
    return True


def _uninvited(grip: Grip, draw: Draw) -> list[int]:
    """What the shoe says of a draw for which it had no lease."""
    faults = grip.events(EventCode.EARLY_DRAW, EventCode.OVERDRAW)
    return [one.event.code for one in faults if index(one) == draw.idx]


def _not_asked_for(grip: Grip, draw: Draw) -> Irregularity:
    early = EventCode.EARLY_DRAW in _uninvited(grip, draw)
    kind = Trouble.EARLY_DRAW if early else Trouble.EXTRA_CARD
    card = draw.card if draw.card is None or not grip.step.layout.seen(draw.card) else None
    text = f"draw {draw.idx} was not asked for, it goes to the rack"
    return Irregularity(kind, text=text, place=RACK, card=None if card is None else str(card))


async def read_again(grip: Grip, shoe: Shoe, idx: int) -> bool:
    """Two persons look at a card that nobody could read and name it; what they say is an entry before the shoe is told.

    True when they have given it up; otherwise the shoe was told, or they are waited for. A card pushed back into the
    shoe needs no name any more.
    """
    why = ""
    for attempt in itertools.count(1):
        text = f"draw {idx} could not be read: two persons look at it and enter the card, or push it back"
        reason = f"{HOLD_UNREADABLE}{idx}, {attempt}"
        await grip.step.hold(reason, f"{why}; {text}" if why else text)
        word = grip.step.held_for(reason)
        if word is None:
            return False
        if word.how == GIVE_UP:
            return True
        numbers = [grip.operator(name) for name in word.by]
        why = _no_word(grip, word, numbers)
        if word.card is not None and not why:
            _, reply = await grip.once(shoe.resolve(idx, word.card, numbers[0], numbers[1]))
            if reply.ok:
                await grip.station.catch_up()
            return False
    return False


def unknown(draw: Draw) -> Irregularity:
    """A card that nobody can name."""
    return Irregularity(Trouble.UNKNOWN_CARD, text=f"nobody can read draw {draw.idx}", place=RACK)


async def pushed_back(grip: Grip) -> None:
    """End a hold whose card lies in the shoe again."""
    hold = grip.step.holding
    if hold is None or hold.word is not None or not hold.reason.startswith(HOLD_UNREADABLE):
        return
    waits = {f"{HOLD_UNREADABLE}{draw.idx}," for draw in lying(grip)}
    if not any(hold.reason.startswith(one) for one in waits):
        await grip.step.lift("pushed back")


def _no_word(grip: Grip, word: Held, numbers: list[int]) -> str:
    """Why the word of two persons cannot be taken, without a face; "" if it can."""
    if word.how != CARD or word.card is None:
        return "no card was entered"
    if len(numbers) != 2 or 0 in numbers or numbers[0] == numbers[1]:
        return "two different persons with operator numbers have to enter it"
    return "that card lies on the table already" if grip.step.layout.seen(word.card) else ""
