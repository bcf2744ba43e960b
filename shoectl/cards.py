"""Cards as values: rank, suit, card, and the deck as a multiset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from shoectl.errors import BadInput

RANKS = "23456789TJQKA"


class Rank(IntEnum):
    """Ranks by their order: 2 is 2, ace is 14."""

    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13
    ACE = 14

    @property
    def letter(self) -> str:
        """One character: 2-9 T J Q K A."""
        return RANKS[self - 2]


class Suit(StrEnum):
    """Suits are equal in rank; the value is the letter."""

    SPADES = "s"
    HEARTS = "h"
    DIAMONDS = "d"
    CLUBS = "c"

    @property
    def red(self) -> bool:
        """Hearts and diamonds."""
        return self in (Suit.HEARTS, Suit.DIAMONDS)


@dataclass(frozen=True, slots=True)
class Card:
    """One card of a 52-card deck. `str(card)` is `As`."""

    rank: Rank
    suit: Suit

    def __str__(self) -> str:
        return self.rank.letter + self.suit.value

    @classmethod
    def parse(cls, text: str) -> Card:
        """A card from text such as `As` or `10h`. Raises BadInput, naming what is allowed."""
        cards = parse_cards(text)
        if len(cards) != 1:
            raise BadInput(f"one card expected, got {text!r}")
        return cards[0]


STANDARD = tuple(Card(rank, suit) for suit in Suit for rank in Rank)
_BY_TEXT = {str(card): card for card in STANDARD}


def parse_cards(text: str) -> tuple[Card, ...]:
    """Cards from text: `As Kd`, `AsKd`, `As,Kd`; `10` is taken for `T`, case does not matter.

    Raises BadInput for anything that is no card.
    """
    cards: list[Card] = []
    for word in text.replace("10", "T").replace(",", " ").split():
        for at in range(0, len(word), 2):
            card = _BY_TEXT.get(word[at].upper() + word[at + 1 : at + 2].lower())
            if card is None:
                raise BadInput(
                    f"{word[at : at + 2]!r} is no card: rank 2-9 T J Q K A, then suit s h d c, as in 'As Kd'"
                )
            cards.append(card)
    return tuple(cards)


def show_cards(cards: Iterable[Card]) -> str:
    """Cards as text, in the order given: `As Kd`."""
    return " ".join(map(str, cards))


class Deck:
    """A multiset of cards: what a deck should hold, and how another one differs."""

    def __init__(self, cards: Iterable[Card] = STANDARD) -> None:
        self._cards = Counter(cards)

    def __len__(self) -> int:
        return self._cards.total()

    def __contains__(self, card: Card) -> bool:
        return self._cards[card] > 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Deck) and self._cards == other._cards

    __hash__ = None  # type: ignore[assignment]

    def missing(self, cards: Iterable[Card]) -> tuple[Card, ...]:
        """Cards of this deck that are not among `cards`."""
        return tuple((self._cards - Counter(cards)).elements())

    def extra(self, cards: Iterable[Card]) -> tuple[Card, ...]:
        """Cards among `cards` that this deck does not have, or not so often."""
        return tuple((Counter(cards) - self._cards).elements())
