"""What outlives a round: the decks and their proof, rounds since the count, the table's rules and equipment.

One frozen value. A cycle receives it and returns the next one; the entry that opens a round carries it whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, Self

from shoectl.errors import BadInput
from shoectl.games import registry
from shoectl.games.dealing import Dealing
from shoectl.games.house import Value
from shoectl.games.table_options import TABLE_OPTIONS

Json = dict[str, Any]
_DEFAULTS: Mapping[str, Value] = {option.name: option.default for option in TABLE_OPTIONS}


class Where(StrEnum):
    """Where a deck is."""

    RACK = "rack"  # gathered in the discard rack, or new on the table
    HELD = "in the dealer's hands, to be shuffled again"  # gathered while the other deck lies in the rack
    BOX = "in its box"  # new, inspected, beside the table, and never used
    INFEED = "infeed"  # in the shuffler, ready to be shuffled
    SHUFFLING = "shuffling"  # a motion was started and not yet awaited
    READY = "ready"  # in the shuffler, proven
    TRAY = "tray"  # presented
    HAND = "hand"  # in the dealer's hands, to be dealt or laid into the shoe
    SHOE = "shoe"
    STUCK_SHUFFLER = "stuck in the shuffler"  # its cards have to be taken out before anything else
    CLOSING = "in the shoe, which is to be closed"
    CLOSED = "in the closed shoe"  # counted; what is left in it has to be taken out
    APART = "in the shoe, and what was dealt in the rack"  # of a shoe that mixes: what was dealt goes back into it
    OFF = "off the table"


@dataclass(frozen=True)
class Proof:
    """Why a deck may be dealt. `by`: "shuffler" or "hand". Which shuffle proved it: `device` is the shuffler's serial
    number, `cycle` its own number for it, `motion` our command.

    `counted` tells whether a device counted it; `identity` whether its faces were compared with a standard deck too.
    """

    by: str
    cycle: int = 0
    motion: int = 0
    counted: bool = False
    identity: bool = False
    text: str = ""
    device: str = ""


@dataclass(frozen=True)
class Deck:
    """One deck. `out`: how many of its cards have been dealt. `trouble`: why it is not proven, in words for people.

    `retired`: why it must leave the table ("" while it need not); `told`: the shuffler knows that. `fresh`: brought to
    the table and not yet confirmed at the shuffler. `generation` counts the decks that have been deck `number`.
    `rounds` are those played with it since it was last counted, by a person or a device, and `count_due` says that the
    dealer has to count it at once. `cut`: it was cut since it was shuffled.
    """

    number: int
    back: str = "red"
    cards: int = 52
    where: Where = Where.RACK
    proof: Proof | None = None
    motion: int = 0
    out: int = 0
    retired: str = ""
    told: bool = False
    fresh: bool = False
    generation: int = 1
    trouble: str = ""
    rounds: tuple[int, ...] = ()
    count_due: bool = False
    cut: bool = False

    @property
    def name(self) -> str:
        """The deck as one thing: its number, and how many there were of that number."""
        return f"{self.number}.{self.generation}"

    @property
    def dealable(self) -> bool:
        """Whether cards of this deck may be dealt."""
        return self.proof is not None and not self.retired


@dataclass(frozen=True)
class ShufflerKind:
    """The shuffler of the table: whether it counts after each shuffle, and compares the faces too."""

    counts: bool = True
    composition: bool = False
    family: str = "alder"


@dataclass(frozen=True)
class ShoeKind:
    """The shoe of the table: whether it reads each card, and opens only for what is due.

    `mixes`: it takes back what was dealt, shuffles all the time and counts, so that no shuffler stands beside it.
    `packets`: it hands out whole stacks, whose cards nobody has read.
    """

    reads: bool = True
    gated: bool = True
    family: str = "birch"
    mixes: bool = False
    packets: bool = False


@dataclass(frozen=True)
class Equipment:
    """What stands on the table; None where there is no such device. A shoe that mixes is the shuffler as well."""

    shuffler: ShufflerKind | None = None
    shoe: ShoeKind | None = None

    @property
    def mixes(self) -> bool:
        """Whether shoe and shuffler are one machine, which the deck does not leave between two rounds."""
        return self.shoe is not None and self.shoe.mixes


@dataclass(frozen=True)
class TableState:
    """The whole state of a table between two rounds.

    `house` and `limits` are what games/registry.py asks for; what `house` leaves out has its default.
    `turn` is the number of the deck that is in play, or comes into play next. `last_count` is how many rounds had been
    played when a deck was last counted, by the dealer or a device. `operators` gives names of persons their
    operator numbers. `arrived` tells when decks came to the table (their `name`, UNIX seconds), `worn` names those that
    have been on it long enough; both are written by whoever has a clock (wear.py).
    """

    game: str
    seats: tuple[int, ...] = (1, 2, 3, 4)
    house: Mapping[str, Value] = field(default_factory=dict)
    limits: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    dealing: Dealing = Dealing.MANUAL
    equipment: Equipment = field(default_factory=Equipment)
    decks: tuple[Deck, ...] = (Deck(0),)
    turn: int = 0
    rounds_played: int = 0
    last_count: int = 0
    operators: Mapping[str, int] = field(default_factory=lambda: {"dealer": 4711, "floor": 815})
    arrived: Mapping[str, int] = field(default_factory=dict)
    worn: tuple[str, ...] = ()

    @property
    def deck(self) -> Deck:
        """The deck whose turn it is."""
        return self.deck_of(self.turn)

    @property
    def other(self) -> Deck | None:
        """The other deck of the table; None where there is one only."""
        return next((deck for deck in self.decks if deck.number != self.turn), None)

    @property
    def by_packets(self) -> bool:
        """Whether cards are dealt as whole packets that a shoe hands out, and nobody has read them."""
        shoe = self.equipment.shoe
        return shoe is not None and shoe.packets and self.dealing is Dealing.AUTOMATED

    def deck_of(self, number: int) -> Deck:
        """The deck of that number. Raises LookupError where there is none."""
        return next(deck for deck in self.decks if deck.number == number)

    @property
    def rounds_since_count(self) -> int:
        """How many rounds were played since a deck of this table was last counted."""
        return self.rounds_played - self.last_count

    def option(self, name: str) -> Value:
        """The house's choice for an option of the table (games/table_options.py)."""
        return self.house.get(name, _DEFAULTS[name])

    def with_deck(self, **changes: Any) -> Self:
        """The same state, with changes to the deck whose turn it is."""
        decks = (replace(deck, **changes) if deck.number == self.turn else deck for deck in self.decks)
        return replace(self, decks=tuple(decks))

    def check(self) -> None:
        """Whether rounds can be played with this state: nothing in it makes a cycle fail. Raises BadInput."""
        game = registry.game(self.game)
        house = game.house(self.house)
        game.offers(house, self.limits)
        if list(self.seats) != sorted(set(self.seats)) or not self.seats or self.seats[0] < 1:
            raise BadInput(f"seats: {list(self.seats)} are no seats of a table: they ascend from 1 on")
        if self.seats[-1] > house.number("seats"):
            raise BadInput(f"seats: there is no seat {self.seats[-1]}, this table has {house.number('seats')}")
        if not self.decks:
            raise BadInput("decks: a table has at least one")

    def to_json(self) -> Json:
        """Plain JSON; `from_json` gives the same value back."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The state from its JSON. Raises BadInput naming a field that is unknown or does not fit."""
        known = _checked(cls, data)
        equipment = _checked(Equipment, known.get("equipment", {}))
        shuffler, shoe = equipment.get("shuffler"), equipment.get("shoe")
        known["equipment"] = Equipment(
            ShufflerKind(**_checked(ShufflerKind, shuffler)) if shuffler else None,
            ShoeKind(**_checked(ShoeKind, shoe)) if shoe else None,
        )
        known["decks"] = tuple(_deck(deck) for deck in known.get("decks", [{"number": 0}]))
        known["worn"] = tuple(known.get("worn", ()))
        if known.get("turn", 0) not in [deck.number for deck in known["decks"]]:
            raise BadInput(f"tablestate: turn is {known.get('turn', 0)!r}, no deck has that number")
        known["seats"] = tuple(known.get("seats", (1, 2, 3, 4)))
        known["limits"] = {wager: (least, most) for wager, (least, most) in known.get("limits", {}).items()}
        known["dealing"] = Dealing(known.get("dealing", Dealing.MANUAL))
        return cls(**known)


def _deck(data: Mapping[str, Any]) -> Deck:
    known = _checked(Deck, data)
    proof = known.get("proof")
    try:
        where = Where(known.get("where", Where.RACK))
    except ValueError:
        raise BadInput(f"deck: where cannot be {known['where']!r}, allowed are {', '.join(Where)}") from None
    known["rounds"] = tuple(known.get("rounds", ()))
    return Deck(**{**known, "where": where, "proof": Proof(**_checked(Proof, proof)) if proof else None})


def _checked(kind: type[Any], data: object) -> Json:
    if not isinstance(data, Mapping):
        raise BadInput(f"{kind.__name__.lower()}: an object is expected, not {data!r}")
    names = [f.name for f in fields(kind)]
    for name in data:
        if name not in names:
            raise BadInput(f"{kind.__name__.lower()}: unknown field {name!r}, allowed are {', '.join(names)}")
    return dict(data)
