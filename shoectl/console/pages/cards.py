"""Hands as the pages show them: one spot for each card, and nothing of a card that does not lie face up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

RANKS: Final = dict(
    zip(
        "23456789TJQKA",
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"),
        strict=True,
    )
)
SUITS: Final = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}
NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
CARD, BACK, NONE, UNREAD, TURNED = "card", "back", "none", "unread", "turned"


@dataclass(frozen=True)
class Spot:
    """One card of a hand. `kind`: `card`, `back`, `none` (not dealt, or in the rack), `unread`, or `turned` (it lies
    face up, and nobody has said yet what it is). The rest is said of a `card` alone.
    """

    kind: str
    rank: str = ""
    suit: str = ""
    words: str = ""
    marks: str = ""


@dataclass(frozen=True)
class Hand:
    """What lies at a place, in the order dealt. `label`: the same in words, where no card is shown."""

    spots: tuple[Spot, ...] = ()
    label: str = ""
    open: bool = False
    marked: bool = False

    @property
    def six(self) -> bool:
        """Whether it takes narrower cards."""
        return len(self.spots) > 5


def face_words(face: str) -> str:
    """A face in words: `seven of diamonds`."""
    return f"{RANKS[face[0]]} of {SUITS[face[1]]}"


def spot_of(card: Mapping[str, Any], marks: str = "") -> Spot:
    """A card of a view. Its face is shown only where it lies face up."""
    if not card["up"]:
        return Spot(BACK)
    face = card.get("card")
    if not face:
        return Spot(TURNED)
    return Spot(CARD, "10" if face[0] == "T" else face[0], face[1], face_words(face), marks)


def hand_of(
    cards: Sequence[Mapping[str, Any]], *, due: int = 0, unread: bool = False, marks: Mapping[str, str] | None = None
) -> Hand:
    """The cards of a place. `due`: how many there will be; `unread`: the next one is there and nobody could read it."""
    marks = marks or {}
    spots = [spot_of(card, marks.get(str(card.get("card")), "")) for card in cards]
    missing = max(0, due - len(spots))
    spots += [Spot(UNREAD)] * min(missing, int(unread)) + [Spot(NONE)] * max(0, missing - int(unread))
    shown = any(spot.kind in (CARD, TURNED) for spot in spots)
    lying = f"{number(len(cards))} {'card' if len(cards) == 1 else 'cards'} face down"
    return Hand(tuple(spots), lying + (", the next one not read" if unread else ""), shown, bool(marks) and shown)


def racked(cards: int) -> Hand:
    """The empty places of cards that lie in the rack."""
    return Hand((Spot(NONE),) * cards, "Cards in the discard rack")


def number(value: int) -> str:
    """A small number in words, the first letter large."""
    word = NUMBERS[value] if value < len(NUMBERS) else str(value)
    return word[:1].upper() + word[1:]
