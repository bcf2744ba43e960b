"""Steps about a whole deck: counted, shuffled, proven, loaded, taken away. The session asks them; games do not.

Steps for the shuffler and for the shoe are answered by what the device reports, even where a person moves the cards (a
deck laid into the tray, a lid closed): the evidence is the device's, so `by` names the device.

`place` is where the cards lie, or are to be laid: the discard rack, which holds one deck only, the dealer's hands, or
the box that a new deck came in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoectl.games.answers import Brought, Counted, Fed, ShoeClosed, Shuffled, Started, Taken
from shoectl.games.procedure import Answer, Done, Role, Step

IN_RACK, IN_HAND, IN_BOX = "rack", "hand", "box"

# --- steps for people ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CountDeck(Step[Counted]):
    """The dealer counts the whole deck face down on the layout."""

    deck: int
    place: str = IN_RACK
    do: ClassVar[str] = "count"
    by: ClassVar[Role] = Role.PEOPLE
    takes: ClassVar[type[Answer]] = Counted


@dataclass(frozen=True)
class CountTable(Step[Counted]):
    """The dealer counts the cards that lie on the table before they are gathered, because a record of draws was lost:
    what is above the `known` ones was dealt without a record.
    """

    known: int
    do: ClassVar[str] = "count_table"
    by: ClassVar[Role] = Role.PEOPLE
    takes: ClassVar[type[Answer]] = Counted


@dataclass(frozen=True)
class ShuffleByHand(Step[Done]):
    """The dealer gathers the deck, shuffles it by hand, and cuts it if the house wants that (`least` cards or more in
    either part, 0: he does not).
    """

    deck: int
    least: int = 0
    do: ClassVar[str] = "shuffle_by_hand"
    by: ClassVar[Role] = Role.PEOPLE


@dataclass(frozen=True)
class CutDeck(Step[Done]):
    """The dealer cuts the deck in his hands, so that at least `least` cards lie in either part."""

    deck: int
    least: int
    do: ClassVar[str] = "cut_deck"
    by: ClassVar[Role] = Role.PEOPLE


@dataclass(frozen=True)
class RemoveDeck(Step[Done]):
    """The whole deck leaves the table."""

    deck: int
    reason: str
    place: str = IN_RACK
    do: ClassVar[str] = "remove_deck"
    by: ClassVar[Role] = Role.PEOPLE


@dataclass(frozen=True)
class BringDeck(Step[Brought]):
    """A new deck with this back, inspected, comes to the table in its place."""

    deck: int
    back: str
    place: str = IN_RACK
    do: ClassVar[str] = "bring_deck"
    by: ClassVar[Role] = Role.PEOPLE
    takes: ClassVar[type[Answer]] = Brought


# --- steps that the shoe answers -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OpenShoe(Step[Done]):
    """Begin loading: the lid unlocks."""

    deck: int
    cards: int
    do: ClassVar[str] = "open_shoe"
    by: ClassVar[Role] = Role.SHOE


@dataclass(frozen=True)
class FillShoe(Step[Done]):
    """The dealer lays the deck in and closes the lid; the shoe ends loading."""

    deck: int
    cards: int
    do: ClassVar[str] = "fill_shoe"
    by: ClassVar[Role] = Role.SHOE


@dataclass(frozen=True)
class CloseShoe(Step[ShoeClosed]):
    """Close the shoe: it counts what was drawn and what is left, `residual` being what should be left."""

    deck: int
    residual: int
    do: ClassVar[str] = "close_shoe"
    by: ClassVar[Role] = Role.SHOE
    takes: ClassVar[type[Answer]] = ShoeClosed


@dataclass(frozen=True)
class EmptyShoe(Step[Done]):
    """The dealer takes the stub out of the shoe, unexposed, and closes the lid."""

    deck: int
    place: str = IN_RACK
    do: ClassVar[str] = "empty_shoe"
    by: ClassVar[Role] = Role.SHOE


@dataclass(frozen=True)
class FeedDiscards(Step[Done]):
    """The dealer lays what came out of a shoe that mixes into it again, from `place`: the `cards` that were dealt, and
    what lies there of a packet that was void.
    """

    deck: int
    cards: int
    place: str = IN_RACK
    do: ClassVar[str] = "feed_discards"
    by: ClassVar[Role] = Role.SHOE


# --- steps that the shuffler answers ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class FeedShuffler(Step[Fed]):
    """The dealer lays the deck, which has this back, into the shuffler's infeed."""

    deck: int
    back: str = ""
    place: str = IN_RACK
    do: ClassVar[str] = "feed_shuffler"
    by: ClassVar[Role] = Role.SHUFFLER
    takes: ClassVar[type[Answer]] = Fed


@dataclass(frozen=True)
class StartShuffle(Step[Started]):
    """Start a shuffle of a deck that should have so many cards; a later step awaits it."""

    deck: int
    cards: int
    do: ClassVar[str] = "start_shuffle"
    by: ClassVar[Role] = Role.SHUFFLER
    takes: ClassVar[type[Answer]] = Started


@dataclass(frozen=True)
class AwaitShuffle(Step[Shuffled]):
    """Wait for the end of the motion and for what it proves."""

    deck: int
    motion: int
    cards: int
    do: ClassVar[str] = "await_shuffle"
    by: ClassVar[Role] = Role.SHUFFLER
    takes: ClassVar[type[Answer]] = Shuffled


@dataclass(frozen=True)
class PresentDeck(Step[Done]):
    """The shuffler presents the proven deck."""

    deck: int
    do: ClassVar[str] = "present_deck"
    by: ClassVar[Role] = Role.SHUFFLER


@dataclass(frozen=True)
class TakeDeck(Step[Taken]):
    """The dealer takes the deck from the tray."""

    deck: int
    do: ClassVar[str] = "take_deck"
    by: ClassVar[Role] = Role.SHUFFLER
    takes: ClassVar[type[Answer]] = Taken


@dataclass(frozen=True)
class TakeOut(Step[Done]):
    """The dealer opens the shuffler, takes all cards out of it and closes it; faults are cleared."""

    deck: int
    why: str
    place: str = IN_RACK
    do: ClassVar[str] = "take_out"
    by: ClassVar[Role] = Role.SHUFFLER


@dataclass(frozen=True)
class RetireDeck(Step[Done]):
    """Tell the shuffler that it must not shuffle this deck again. `reason`: count, composition, wear or policy."""

    deck: int
    reason: str
    do: ClassVar[str] = "retire_deck"
    by: ClassVar[Role] = Role.SHUFFLER


@dataclass(frozen=True)
class ConfirmDeck(Step[Done]):
    """Tell the shuffler that the deck in its infeed is the new one (lifts the retirement)."""

    deck: int
    back: str
    cards: int
    do: ClassVar[str] = "confirm_deck"
    by: ClassVar[Role] = Role.SHUFFLER
