"""What people report of their own accord: a card that was seen before its time, a hand with a wrong number of cards.

A report interrupts the step that is open, as an irregularity, and the house's policy decides (policies.py). It is
checked first: who says so, where, which card; nothing is written of one that is refused, and no refusal names a face.
"""

from __future__ import annotations

from typing import Final

from shoectl.cards import Card
from shoectl.games.layout import Layout, Refused
from shoectl.games.procedure import Irregularity, Trouble
from shoectl.games.steps import RACK, Deal, Reveal
from shoectl.table.entries import StepRef
from shoectl.table.people import operator_of
from shoectl.table.runner import Runner
from shoectl.table.state import TableState

EXPOSED, WRONG_NUMBER, MISREAD, FOREIGN = "exposed", "wrong number", "misread", "foreign"
KINDS: Final = {
    EXPOSED: Trouble.EXPOSED_CARD,
    WRONG_NUMBER: Trouble.WRONG_COUNT,
    MISREAD: Trouble.MISREAD_CARD,
    FOREIGN: Trouble.FOREIGN_CARD,
}
SAID: Final = {
    EXPOSED: "a card was seen before its time",
    WRONG_NUMBER: "a wrong number of cards lies there",
    MISREAD: "other cards lie there than those that were read",
    FOREIGN: "a card that does not belong to the deck lies there",
}
DECK: Final = "deck"  # the place of a card that came face up out of the dealer's hands and was not dealt


async def report(
    runner: Runner[TableState], ref: StepRef, what: str, place: str, *, by: str, card: Card | None = None
) -> int:
    """Interrupt the open step with what somebody of the house has seen: `what` is "exposed" (the `card` of a place, if
    he knows it), "wrong number" (of cards at a place), "foreign" (a card that is none of the deck's, and no reader
    was there to see it), or "misread" (a card that is turned up is none of those that were read for its place, or one
    that was told of another place; from then on nobody knows its faces, and they have to be entered). Returns the
    number of the entry.

    Raises Refused (which of it cannot be), StepClosed (that step is not open), JournalUnavailable.
    """
    if what not in KINDS:
        raise Refused(f"report: {what[:20]!r} is nothing that can be reported, allowed are {', '.join(KINDS)}")
    operator_of(runner.state, by)
    where = _place(runner, what, place)
    if card is not None:
        _check_card(runner, what, where, card)
    face = None if card is None else str(card)
    said = f"{place}: {_said(runner.course.layout, what, where)}, says {by}"
    trouble = Irregularity(KINDS[what], text=said, place=where, card=face)
    return await runner.interrupt(ref, trouble)


def _place(runner: Runner[TableState], what: str, place: str) -> str:
    """Where the irregularity says that it is. Raises Refused."""
    layout, step = runner.course.layout, runner.open.step if runner.open is not None else None
    if place == DECK and what == EXPOSED:
        if not isinstance(step, Deal) or (runner.state.equipment.shoe and step.do == Deal.do):
            raise Refused(
                "report: a card out of the deck can be seen while it is dealt from the hand; else name its place"
            )
        return RACK
    if what == MISREAD and not (isinstance(step, Reveal) and step.place == place):
        raise Refused("report: a card is found misread where its hand is turned up, at that step")
    if not layout.count(place):
        lying = ", ".join(layout.occupied()) or "none"
        raise Refused(f"report: no cards lie at {place[:20]!r}, places with cards: {lying}")
    return place


def _said(layout: Layout, what: str, place: str) -> str:
    """What was seen, without a face. Where nothing was read for a place, its cards cannot be entered as they lie there:
    an earlier hand was misread, or entered with an error that nobody could notice before this one was turned up.
    """
    read = (*(slot.face for slot in layout.places.get(place, [])), *layout.unseen.get(place, ()))
    return SAID[what] if what != MISREAD or any(read) else "the cards that lie there were told of another place"


def _check_card(runner: Runner[TableState], what: str, where: str, card: Card) -> None:
    if what != EXPOSED:
        raise Refused(f"report: {what} names no card")
    layout = runner.course.layout
    slots = layout.places.get(where, [])
    read = [slot.face for slot in slots]
    if card in read:
        return
    # a face that is known at another place, or none that is still open here: it cannot be this card
    if layout.seen(card) or (where != RACK and None not in read):
        raise Refused("report: the card named does not fit what was dealt")


async def withdraw(runner: Runner[TableState], why: str) -> bool:
    """Withdraw the step that waits for wagers, if that is the one open: the round ends unplayed, and the next one
    begins with what is new. Whether it did. Raises JournalUnavailable.
    """
    now = runner.open
    if now is None or now.closed or now.step.do != "wagers":
        return False
    try:
        await runner.interrupt(now.ref, Irregularity(Trouble.WITHDRAWN, text=why))
    except Refused:
        return False  # somebody was quicker
    return True
