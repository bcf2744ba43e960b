"""What simulated people notice at a place and the table does not know: it is reported as people report (reports.py)."""

from __future__ import annotations

from collections.abc import Collection

from shoectl.cards import Card, parse_cards
from shoectl.games.layout import Layout
from shoectl.games.steps import Place, Reveal
from shoectl.table.reports import FOREIGN, MISREAD, WRONG_NUMBER

ANOTHER_GAME = "foreign"  # what simulated eyes call a card that has no face of this game


class Noticed(Exception):
    """Somebody sees at a place what the table does not know. `what` is a kind of report; the text holds no face."""

    def __init__(self, what: str, place: Place, text: str) -> None:
        super().__init__(f"{place}: {text}")
        self.what, self.place = what, place


def known_faces(place: Place, seen: Collection[str]) -> tuple[Card, ...]:
    """What eyes see at a place, as cards. Raises Noticed."""
    if ANOTHER_GAME in seen:
        raise Noticed(FOREIGN, place, "a card of another game lies there")
    return parse_cards(" ".join(seen))


def check_number(layout: Layout, place: Place, cards: int) -> None:
    """Nobody plays on with more or fewer cards than were dealt. Raises Noticed."""
    dealt = layout.count(place)
    if cards != dealt:
        raise Noticed(WRONG_NUMBER, place, f"{cards} cards lie there, {dealt} were dealt")


def check_faces(layout: Layout, step: Reveal, seen: Collection[Card]) -> None:
    """The dealer compares what lies face up now with what was read for the place. Raises Noticed.

    Where cards were given up and nobody saw which, what lies there is among those that were read.
    """
    slots = layout.places.get(step.place, [])
    turned = [slots[at] for at in step.at] if step.at else slots
    read = [slot.face for slot in turned if slot.face is not None]
    among = layout.unseen.get(step.place, ())
    strangers = [card for card in seen if card not in read and card not in among]
    open_faces = sum(slot.face is None and not slot.kept for slot in slots) + among.count(None)
    if any(face not in seen for face in read) or (among and len(strangers) > open_faces):
        raise Noticed(MISREAD, step.place, "other cards lie there than those that were read")
