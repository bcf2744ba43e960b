"""The vocabulary of steps that a round is made of. Those about whole decks are in deck_steps.py, named here as well.

Some need nobody: announce, collect, pay, return, discard. Some are for people: wagers, decisions, reveals, dealing by
hand. A deal is answered by what the shoe reports, though a person draws the cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoectl.games.answers import Decision, Declared, Drawn, Faces, FloorWord, Given, Setting, Wagers
from shoectl.games.deck_steps import (
    AwaitShuffle,
    BringDeck,
    CloseShoe,
    ConfirmDeck,
    CountDeck,
    CountTable,
    CutDeck,
    EmptyShoe,
    FeedDiscards,
    FeedShuffler,
    FillShoe,
    OpenShoe,
    PresentDeck,
    RemoveDeck,
    RetireDeck,
    ShuffleByHand,
    StartShuffle,
    TakeDeck,
    TakeOut,
)
from shoectl.games.money_steps import (
    Acknowledge,
    Collect,
    Credit,
    HoldCards,
    Papers,
    Pay,
    ReadSystem,
    Return,
    SettleByHand,
    Verify,
)
from shoectl.games.procedure import Answer, Done, Role, Step

# fmt: off
__all__ = [  # with the steps of deck_steps.py and money_steps.py, so that a table has one place to import from
    "BONUS", "COMMUNITY", "DEALER", "RACK", "Acknowledge", "Announce", "Arrange", "Ask", "AwaitShuffle",
    "BringDeck", "CallFloor", "Choice", "CloseShoe", "Collect", "ConfirmDeck", "CountDeck", "CountTable", "Credit",
    "CutDeck", "Deal", "DealByHand", "Declare", "Discard", "EmptyShoe", "FeedDiscards", "FeedShuffler", "FillShoe",
    "GiveBack", "HoldCards", "OpenShoe", "Papers", "Pay", "Place", "PlaceWagers", "PresentDeck", "RackStub",
    "ReadSetting", "ReadSystem", "RemoveDeck", "RenewStub", "RetireDeck", "Return", "Reveal", "SetAside",
    "SetHands", "SettleByHand", "ShuffleByHand", "StartShuffle", "TakeBack", "TakeDeck", "TakeOut", "Verify",
    "WagerOffer", "at_seat", "seat_of",
]
# fmt: on

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
class Arrange(Step[Done]):
    """The dealer lays the cards of a place, which are face up, as two hands: those at `low` (their numbers in the order
    dealt, from 0) are the low one.
    """

    place: Place
    low: tuple[int, ...]
    do: ClassVar[str] = "arrange"


@dataclass(frozen=True)
class Discard(Step[Done]):
    """All cards of a place to the discard rack, in the order in which they lie."""

    place: Place
    do: ClassVar[str] = "discard"


@dataclass(frozen=True)
class RackStub(Step[Done]):
    """What is left of the deck goes to the discard rack unexposed: no more cards are dealt in this round. How (out of
    the shoe, or from the dealer's hands) is the session's to ask.
    """

    do: ClassVar[str] = "rack_stub"


@dataclass(frozen=True)
class SetAside(Step[Done]):
    """One card of a place to the discard rack: the `at`-th in the order dealt, from 0. It was seen before its time."""

    place: Place
    at: int
    do: ClassVar[str] = "set_aside"


@dataclass(frozen=True)
class TakeBack(Step[Done]):
    """One card of a place, the `at`-th in the order dealt, from 0, is in the shoe again: it was never dealt there."""

    place: Place
    at: int
    do: ClassVar[str] = "take_back"


# --- steps for people --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WagerOffer:
    """One wager that may be placed: name, least and most amount. `required`: every seat that plays places it.
    `needs`: at least one of these lies at the same seat ("{seat}" stands for its number). `on_seat`: it is a wager on
    the hand of that seat, which has to play. `like`: where that one lies there too, the amounts are the same.
    """

    wager: str
    least: int
    most: int
    required: bool = False
    needs: tuple[str, ...] = ()
    on_seat: int | None = None
    like: str = ""


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
    """One way to decide: its name, the wager that it places (None: none) with the least and most amount.

    `cards`: how many cards it gives up, least and most, where it does; `rule`: its own paragraph, if it has one.
    `every`: the amount is a multiple of this.
    """

    name: str
    wager: str | None = None
    least: int = 0
    most: int = 0
    cards: tuple[int, int] | None = None
    rule: str = ""
    every: int = 1


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
    """Ask whether the player declares a winning hand. `own_word`: the house leaves it to him, who may forget it; else
    he is asked because nobody has seen the faces, and an honest player says what they are.
    """

    seat: int
    what: str
    own_word: bool = False
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
    """Turn cards of a place face up: the `at`-th in the order dealt, from 0; all of them where none is named."""

    place: Place
    at: tuple[int, ...] = ()
    do: ClassVar[str] = "reveal"
    by: ClassVar[Role] = Role.PEOPLE
    takes: ClassVar[type[Answer]] = Faces


@dataclass(frozen=True)
class SetHands(Step[Done]):
    """A player sets his cards as two hands, face down; from then on he may not touch them."""

    seat: int
    do: ClassVar[str] = "set_hands"
    by: ClassVar[Role] = Role.PEOPLE


@dataclass(frozen=True)
class ReadSetting(Step[Setting]):
    """The dealer says how a player, whose cards lie face up now, has set his two hands. `low`: cards of the low one."""

    seat: int
    low: int
    do: ClassVar[str] = "set"
    by: ClassVar[Role] = Role.PEOPLE
    takes: ClassVar[type[Answer]] = Setting


@dataclass(frozen=True)
class RenewStub(Step[Done]):
    """The stub is used up: the dealer takes so many cards out of the rack, those that came from these places, shuffles
    and cuts them; they are the new stub.
    """

    origins: tuple[Place, ...]
    cards: int
    do: ClassVar[str] = "renew_stub"
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
        return type(self)(self.to[part:], tuple(up - part for up in self.up if up >= part), rule=self.rule)


@dataclass(frozen=True)
class DealByHand(Deal):
    """Deal cards that are in the dealer's hands, whatever the table deals with otherwise (a stub made anew)."""

    do: ClassVar[str] = "deal_by_hand"
    by: ClassVar[Role] = Role.PEOPLE
