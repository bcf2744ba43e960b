"""What simulated people notice at a place and the table does not know: it is reported as people report (reports.py)."""

from __future__ import annotations

from shoectl.games.layout import Layout
from shoectl.games.steps import Place
from shoectl.table.reports import WRONG_NUMBER


class Noticed(Exception):
    """Somebody sees at a place what the table does not know. `what` is a kind of report; the text holds no face."""

    def __init__(self, what: str, place: Place, text: str) -> None:
        super().__init__(f"{place}: {text}")
        self.what, self.place = what, place


def check_number(layout: Layout, place: Place, cards: int) -> None:
    """Nobody plays on with more or fewer cards than were dealt. Raises Noticed."""
    dealt = layout.count(place)
    if cards != dealt:
        raise Noticed(WRONG_NUMBER, place, f"{cards} cards lie there, {dealt} were dealt")
