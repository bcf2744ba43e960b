"""The vocabulary of steps.

Steps that need nobody: announce, collect, pay, return, discard. Steps for people: wagers, decisions, reveals, counts.
Steps for the shuffler and for the shoe are answered by what the device reports, even where a person moves the cards (a
deck laid into the tray, a lid closed): the evidence is the device's, so `by` names the device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoectl.games.answers import (
    Counted,
    Decision,
    Declared,
    Drawn,
    Faces,
    Fed,
    FloorWord,
    Given,
    ShoeClosed,
    Shuffled,
    Started,
    Taken,
    Wagers,
)
from shoectl.games.procedure import Answer, Done, Role, Step

Place = str
DEALER: Place = "dealer"
COMMUNITY: Place = "community"
BONUS: Place = "bonus"
RACK: Place = "rack"


def at_seat(seat: int) -> Place:
    """The place of a seat's cards; seat 1 is first to the dealer's left."""
    return f"seat {seat}"


def seat_of(place: Place) -> int | None:
    """The seat whose place it is, None for the dealer's and the community's."""
    return int(place[5:]) if place.startswith("seat ") else None


# --- steps that need nobody --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Announce(Step[Done]):
    """Say it aloud."""

    text: str
    do: ClassVar[str] = "announce"


@dataclass(frozen=True)
class Collect(Step[Done]):
    """Take a losing or forfeited wager. `outcome` is lose or forfeit."""

    seat: int
    wager: str
    amount: int
    outcome: str = "lose"
    do: ClassVar[str] = "collect"


@dataclass(frozen=True)
class Pay(Step[Done]):
    """Pay a winning wager: `amount` on top of the stake, which goes home too (once, however often it is paid).

    `keeps_stake`: odds "for 1", where the house keeps the stake and `amount` includes it.
    """

    seat: int
    wager: str
    amount: int
    stake: int
    odds: str
    won_for: str
    keeps_stake: bool = False
    do: ClassVar[str] = "pay"


@dataclass(frozen=True)
class Return(Step[Done]):
    """Give a wager back. `outcome` is push or void."""

    seat: int
    wager: str
    amount: int
    outcome: str = "push"
    do: ClassVar[str] = "return"


@dataclass(frozen=True)
class Discard(Step[Done]):
    """All cards of a place to the discard rack, in the order in which they lie."""

    place: Place
    do: ClassVar[str] = "discard"


# --- steps for people --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WagerOffer:
    """One wager that may be placed: name, least and most, and what it needs (another wager's name) at the same seat."""

    wager: str
    least: int
    most: int
    required: bool = False
    needs: str | None = None


@dataclass(frozen=True)
class PlaceWagers(Step[Wagers]):
    """Wait for the wagers of the round."""

    seats: tuple[int, ...]
    offers: tuple[WagerOffer, ...]
    do: ClassVar[str] = "wagers"
    by: ClassVar[Role] = Role.PEOPLE
    takes: ClassVar[type[Answer]] = Wagers


@dataclass(frozen=True)
class Choice:
    """One way to decide: its name, the wager that it places (None: none) with the least and most amount."""

    name: str
    wager: str | None = None
    least: int = 0
    most: int = 0


@dataclass(frozen=True)
class Ask(Step[Decision]):
    """Ask a player to decide."""

    seat: int
    choices: tuple[Choice, ...]
    do: ClassVar[str] = "ask"
    by: ClassVar[Role] = Role.PEOPLE
    takes: ClassVar[type[Answer]] = Decision


@dataclass(frozen=True)
class Declare(Step[Declared]):
    """Ask whether the player declares a winning hand (only where the house requires it)."""

    seat: int
    what: str
    do: ClassVar[str] = "declare"
    by: ClassVar[Role] = Role.PEOPLE
    takes: ClassVar[type[Answer]] = Declared


@dataclass(frozen=True)
class GiveBack(Step[Given]):
    """A player gives up cards, which go to the rack face down."""

    seat: int
    least: int
    most: int
    do: ClassVar[str] = "give"
    by: ClassVar[Role] = Role.PEOPLE
    takes: ClassVar[type[Answer]] = Given


@dataclass(frozen=True)
class Reveal(Step[Faces]):
    """Turn all cards of a place face up."""

    place: Place
    do: ClassVar[str] = "reveal"
    by: ClassVar[Role] = Role.PEOPLE
    takes: ClassVar[type[Answer]] = Faces


@dataclass(frozen=True)
class Acknowledge(Step[Done]):
    """The dealer says that a seat's wagers are settled as shown."""

    seat: int
    do: ClassVar[str] = "acknowledge"
    by: ClassVar[Role] = Role.PEOPLE


@dataclass(frozen=True)
class Verify(Step[Done]):
    """A floorperson verifies a hand before it is paid."""

    seat: int
    wager: str
    what: str
    do: ClassVar[str] = "verify"
    by: ClassVar[Role] = Role.PEOPLE


@dataclass(frozen=True)
class CallFloor(Step[FloorWord]):
    """A floorperson decides."""

    why: str
    choices: tuple[str, ...]
    do: ClassVar[str] = "floor"
    by: ClassVar[Role] = Role.PEOPLE
    takes: ClassVar[type[Answer]] = FloorWord


@dataclass(frozen=True)
class CountDeck(Step[Counted]):
    """The dealer counts the whole deck face down on the layout."""

    deck: int
    do: ClassVar[str] = "count"
    by: ClassVar[Role] = Role.PEOPLE
    takes: ClassVar[type[Answer]] = Counted


@dataclass(frozen=True)
class ShuffleByHand(Step[Done]):
    """The dealer gathers the deck, shuffles and cuts it by hand."""

    deck: int
    do: ClassVar[str] = "shuffle_by_hand"
    by: ClassVar[Role] = Role.PEOPLE


@dataclass(frozen=True)
class RemoveDeck(Step[Done]):
    """The whole deck leaves the table."""

    deck: int
    reason: str
    do: ClassVar[str] = "remove_deck"
    by: ClassVar[Role] = Role.PEOPLE


@dataclass(frozen=True)
class BringDeck(Step[Done]):
    """A new deck, inspected, comes to the table in its place."""

    deck: int
    do: ClassVar[str] = "bring_deck"
    by: ClassVar[Role] = Role.PEOPLE


# --- steps that the shoe answers ---------------------------------------------------------------------------------


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
class Deal(Step[Drawn]):
    """Deal one card after another: `to` names the place of each, `up` the parts that are laid face up."""

    to: tuple[Place, ...]
    up: tuple[int, ...] = ()
    do: ClassVar[str] = "deal"
    by: ClassVar[Role] = Role.SHOE
    takes: ClassVar[type[Answer]] = Drawn

    @property
    def parts(self) -> int:
        """One for each card."""
        return len(self.to)

    def rest(self, part: int) -> Deal:
        """The cards that are still due."""
        return Deal(self.to[part:], tuple(up - part for up in self.up if up >= part), rule=self.rule)


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
    """The dealer takes the stub out of the shoe into the rack, unexposed, and closes the lid."""

    deck: int
    do: ClassVar[str] = "empty_shoe"
    by: ClassVar[Role] = Role.SHOE


# --- steps that the shuffler answers -----------------------------------------------------------------------------


@dataclass(frozen=True)
class FeedShuffler(Step[Fed]):
    """The dealer lays the deck into the shuffler's infeed."""

    deck: int
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
