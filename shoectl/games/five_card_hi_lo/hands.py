"""The hands of Five Card Hi-Lo: points, § 663a.6(a), the settings that § 663a.11(d) and (e) allow, and the poker hand
of the Poker Bonus, § 663a.6(b).

The text of § 663a.6 is not at hand. § 663a.11(d) counts a jack as 10, and an ace in the low hand as 1; that an ace in
the high hand is 11 follows from the dealer's having to put it there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shoectl.cards import Card, Rank, show_cards
from shoectl.games.ranking import POKER, Hand

CARDS, LOW_CARDS = 5, 2
MOST_ACES_LOW: Final = 1
ALL_ACES: Final = 4


def points(card: Card, *, low: bool = False) -> int:
    """What a card counts in the high hand, or in the low one."""
    if card.rank is Rank.ACE:
        return 1 if low else 11
    return min(card.rank, 10)


@dataclass(frozen=True)
class TwoHands:
    """Five cards, set: three in the high hand, two in the low one."""

    high_cards: tuple[Card, ...]
    low_cards: tuple[Card, ...]

    @property
    def high(self) -> int:
        """Points of the high hand."""
        return sum(map(points, self.high_cards))

    @property
    def low(self) -> int:
        """Points of the low hand."""
        return sum(points(card, low=True) for card in self.low_cards)

    @property
    def totals(self) -> tuple[int, int]:
        """Points of both, the high hand's first."""
        return self.high, self.low

    @property
    def text(self) -> str:
        """In words: `31 high, 11 low`."""
        return f"{self.high} high, {self.low} low"


def with_low(cards: Sequence[Card], low: Sequence[Card]) -> TwoHands:
    """Five cards, set with this low hand; the cards of each hand in the order dealt."""
    return TwoHands(tuple(card for card in cards if card not in low), tuple(card for card in cards if card in low))


def settings_of(cards: Sequence[Card]) -> tuple[TwoHands, ...]:
    """Every legal setting, told apart by points. The first is the dealer's own way, (e): aces in the high hand, but
    for the fourth; the second, where there is one, has an ace in the low hand.
    """
    by_points = sorted(cards, key=lambda card: (points(card), card.rank))
    house = with_low(cards, by_points[:LOW_CARDS])
    aces = [card for card in cards if card.rank is Rank.ACE]
    if not aces or len(aces) == ALL_ACES:
        return (house,)
    return house, with_low(cards, (aces[0], by_points[0]))


def foul(cards: Sequence[Card], low: Sequence[Card]) -> str | None:
    """Why five cards may not be set with this low hand, § 663a.11(d); None where they may."""
    if strange := [card for card in low if card not in cards]:
        return f"{show_cards(strange)} is not in the hand"
    if len(low) != LOW_CARDS or len(set(low)) != LOW_CARDS:
        return f"the low hand has {LOW_CARDS} cards, not {show_cards(low) or 'none'}"
    if sum(card.rank is Rank.ACE for card in low) > MOST_ACES_LOW:
        return f"no more than one ace may lie in the low hand, not {show_cards(low)}"
    if with_low(cards, low).totals not in [two.totals for two in settings_of(cards)]:
        return f"{show_cards(low)} in the low hand: the two cards of least points belong there"
    return None


def as_set(cards: Sequence[Card], low: Sequence[Card]) -> TwoHands:
    """The two hands of a player who has set this low hand; the house's way where that is none, or foul."""
    return with_low(cards, low) if foul(cards, low) is None else settings_of(cards)[0]


def aces(cards: Sequence[Card]) -> int:
    """How many aces there are."""
    return sum(card.rank is Rank.ACE for card in cards)


def poker_hand(cards: Sequence[Card]) -> Hand:
    """The poker hand that five cards form, § 663a.6(b)."""
    return Hand.best(POKER, cards)
