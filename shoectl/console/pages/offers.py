"""The wagers that may be placed, seat by seat, each with the chips that make it up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from shoectl.console.pages.words import chip_label, keys

Json = Mapping[str, Any]
CHIPS: Final = (1, 5, 25, 100, 500, 1_000, 5_000, 25_000, 100_000)
CHIPS_SHOWN: Final = 3


@dataclass(frozen=True)
class Offer:
    """One wager of one seat: its field, label, key, limits and chips."""

    name: str
    label: str
    key: str
    least: int
    most: int
    chips: tuple[int, ...]
    needed: bool


@dataclass(frozen=True)
class SeatOffers:
    """What one seat may wager."""

    seat: int
    offers: tuple[Offer, ...]


def offers_of(step: Json) -> tuple[SeatOffers, ...]:
    """The wagers of every seat, from the dealer's left; a seat's own hand before the others'."""
    return tuple(SeatOffers(seat, _at(seat, step["offers"])) for seat in step["seats"])


def chips_of(least: int, most: int) -> tuple[int, ...]:
    """The chips that a wager is made of: the least amount, and the next larger ones that fit."""
    larger = [chip for chip in CHIPS if least < chip <= most]
    return (least, *larger[: CHIPS_SHOWN - 1])


def _at(seat: int, offers: list[Json]) -> tuple[Offer, ...]:
    own = sorted(offers, key=lambda offer: (not offer["required"], offer["on_seat"] not in (None, seat)))
    labels = [chip_label(offer["wager"], seat) for offer in own]
    letters = keys(labels)
    return tuple(
        Offer(
            f"wager-{seat}-{offer['wager']}",
            label,
            key,
            offer["least"],
            offer["most"],
            chips_of(offer["least"], offer["most"]),
            bool(offer["required"]),
        )
        for offer, label, key in zip(own, labels, letters, strict=True)
    )
