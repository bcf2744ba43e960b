"""What a form is made of."""

from __future__ import annotations

from dataclasses import dataclass

from shoectl.console.pages.offers import SeatOffers


@dataclass(frozen=True)
class Option:
    """One choice: the field's value, its label, a note under it, its key, what the last button says then. `opens`: an
    amount is entered with it.
    """

    value: str
    label: str
    note: str = ""
    key: str = ""
    says: str = ""
    opens: bool = False


@dataclass(frozen=True)
class Entry:
    """A field that is typed, or touched on a pad of cards. `most`: how many cards, or the highest number."""

    name: str
    label: str
    kind: str  # "number", "cards", "text"
    least: int = 0
    most: int = 0
    needed: bool = False
    hint: str = ""


@dataclass(frozen=True)
class Form:
    """One form. `name` and `options`: what is chosen; `entries`: what is entered; `seats`: the wagers of a round.

    `value`: a field that the last button sends, `also` another button of that name. `signs`: a floorperson has to sign
    with number and PIN. `folded`: the entries are there on demand only.
    """

    takes: str
    go: str
    name: str = "choice"
    legend: str = ""
    options: tuple[Option, ...] = ()
    ticks: bool = False
    entries: tuple[Entry, ...] = ()
    folded: str = ""
    seats: tuple[SeatOffers, ...] = ()
    value: tuple[str, str] = ("", "")
    hidden: tuple[tuple[str, str], ...] = ()
    also: Option | None = None
    signs: bool = False

    @property
    def fields(self) -> bool:
        """Whether there is anything to choose or to enter."""
        return bool(self.options or self.entries or self.seats or self.signs)
