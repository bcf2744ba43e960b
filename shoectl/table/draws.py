"""Cards that came out of the shoe, judged: due, twice on the table, foreign, face up, unread, or one too many.

A draw is evidence until an answer or an irregularity makes use of it. It belongs to the step that is open when it is
judged, whatever the time it was made.
"""

from __future__ import annotations

import itertools

from protocols.vocabulary import FACE_UP_CARD, FOREIGN_CARD, EventCode
from shoectl.devices.shoe import Shoe
from shoectl.games.answers import Drawn
from shoectl.games.procedure import Irregularity, Trouble
from shoectl.games.steps import RACK
from shoectl.table.came_out import UNREAD, Draw, index, lying, next_index, reads, waiting
from shoectl.table.entries import Evidence, Held
from shoectl.table.grip import Grip
from shoectl.table.holds import CARD, GIVE_UP

HOLD_UNREADABLE = "unreadable "  # how the reason of a hold begins that waits for a card's name
STRANGE = (EventCode.FOREIGN, EventCode.WRONG_BACK, EventCode.FACE_UP)


async def take(grip: Grip, before: int | None = None) -> bool:
    """Answer the parts of an open deal with what was drawn (`before`: told of by an earlier entry than that). True when
    all that came is settled; False while people are waited for, or the deal was interrupted or is done.
    """
    step = grip.step
    while not step.closed:
        if await _found_strange(grip):
            return False
        draws = [draw for draw in lying(grip) if before is None or draw.event.entry < before]
        if not draws:
            return True
        draw = draws[0]
        if draw.instead is not None:
            await put_back(grip, draw.instead)
            return False
        if draw.idx > next_index(grip):  # a jump: a card without a record lies where it was due, its face open
            await grip.alarm(f"draw {next_index(grip)} has no record, draw {draw.idx} has")
            await step.answer(Drawn(None, next_index(grip)), by=grip.place)
            continue
        if (trouble := _trouble(grip, draw)) is not None:
            await step.irregularity(trouble, draw.rests_on)
            return False
        if draw.card is None and reads(grip):
            return False  # unread: `read_again` is next
        await step.answer(Drawn(draw.card, draw.idx), by=grip.place, evidence=draw.rests_on)
    return False


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
    """Judge draws that no open deal can take, and cards that were dealt and lie in the shoe again. True when the step
    was interrupted.

    With the house's `next_card` they are left lying and the next deal takes them, unless no deal follows (`always`).
    """
    if grip.step.closed:
        return False
    if await _found_strange(grip):
        return True
    if came := waiting(grip).open:
        await put_back(grip, came[0])
        return True
    if not always and grip.state.option("card_drawn_in_error") == "next_card":
        return False
    draws = lying(grip)
    if not draws:
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


async def _found_strange(grip: Grip) -> bool:
    """A card that lies where it was dealt, and of which the shoe has said since that it does not belong to the deck: it
    tells the draw first. True when the step was interrupted.
    """
    for one in grip.unused(*STRANGE):
        if index(one) and (lies := grip.step.layout.drawn_as(index(one))) is not None:
            text = f"draw {index(one)} has another back or another make, it lies at {lies[0]}"
            await grip.step.irregularity(Irregularity(Trouble.FOREIGN_CARD, text=text), (one.ref,))
            return True
    return False


async def put_back(grip: Grip, back: Evidence) -> None:
    """A card that was dealt is in the shoe again and did not come out of it: the place where it lay is open."""
    place, at = grip.step.layout.drawn_as(index(back)) or (RACK, 0)
    face = grip.step.layout.places[place][at].face
    text = f"draw {index(back)} was pushed back into the shoe, it is dealt again"
    trouble = Irregularity(Trouble.RETURNED_CARD, text=text, place=place, card=None if face is None else str(face))
    await grip.step.irregularity(trouble, (back.ref,))


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
