"""What lies on a table: a card of a place, cards in the discard rack, and how chips have moved."""

from __future__ import annotations

from dataclasses import dataclass, field

from shoectl.cards import Card


@dataclass
class Slot:
    """One card of a place: its face where it is known, and whether it lies face up. `kept`: one of those that a player
    kept when nobody saw which cards he gave up. `draw`: the shoe's number of the draw that brought it, 0 for none.
    """

    face: Card | None
    up: bool = False
    kept: bool = False
    draw: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Racked:
    """Cards in the discard rack, where they came from, in the order laid down (None: a face that nobody has seen).

    `among`: the faces that those unseen ones are among, where so much is known. `up`: which of them lay face up
    before, so that everybody has seen them (empty: none).
    """

    origin: str
    cards: tuple[Card | None, ...]
    among: tuple[Card | None, ...] = ()
    up: tuple[bool, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class Booking:
    """One movement of chips: what a seat gained (negative: lost) on a wager, and how. A stake going home is no gain."""

    seat: int
    wager: str
    gain: int
    how: str  # win, lose, forfeit, push, void
    stake: int
