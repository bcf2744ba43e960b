"""Decks that are not what they should be: a card too many, a card of another kind, one that lies face up.

Each is a change of what really lies there, before any sensor sees it, and stands in the truth file like all others.
"""

from __future__ import annotations

from firmware_sim.faults import Fault
from firmware_sim.mechanics import STANDARD, Card, World
from firmware_sim.mixers import stream
from protocols.vocabulary import CUT_CARD, FOREIGN_CARD, card_byte

IN_THE_DECK = ("missing", "extra", "duplicate", "foreign", "wrong_back", "face_up", "cut_card")
"""In this order, where several strike at once."""

OFF, FLOOR, BY = "off", "floor", "fault"


def change(world: World, place: str, position: int, fault: Fault, seed: int) -> None:
    """What the fault makes of the card that is the n-th (from 0) to leave a place, or of the last one."""
    cards = world.cards(place)
    if not cards:
        return
    position = min(position, len(cards) - 1)
    card, luck = cards[position], stream(seed, "fault", fault.kind.name, place, position)
    match fault.kind.name:
        case "missing":
            world.move(card, FLOOR, by=BY)
        case "extra":
            face = fault.text("face") or luck.choice([card.text for card in cards if card.text in STANDARD] or STANDARD)
            _put(world, place, position, face, fault.text("back") or card.back, card.deck)
        case "cut_card":
            _put(world, place, position + 1, CUT_CARD, "other", card.deck)
        case "face_up":
            world.set_facts({turned(card): True})
        case "duplicate":
            others = [other.text for other in cards if other.face != card.face and other.text in STANDARD]
            _exchange(world, place, position, fault.text("face") or luck.choice(others or STANDARD), card.back)
        case "foreign":
            _exchange(world, place, position, FOREIGN_CARD, "other")
        case "wrong_back":
            _exchange(world, place, position, card.face, fault.text("back") or "green")


def turned(card: Card) -> str:
    """The fact that a card lies face up within a deck, which nobody sees who carries the deck."""
    return f"turned.{card.number}"


def another(face: int, wanted: str | None, seed: int, *purpose: object) -> int:
    """A face other than this one: the one that was wanted, or one of the seed's choice. Card bytes."""
    return card_byte(wanted or stream(seed, *purpose).choice([text for text in STANDARD if card_byte(text) != face]))


def _put(world: World, place: str, position: int, face: str | int, back: str, deck: int) -> None:
    world.move(world.create([face], back=back, deck=deck)[0], place, by=BY, at=position)


def _exchange(world: World, place: str, position: int, face: str | int, back: str) -> None:
    old = world.cards(place)[position]
    world.move(old, OFF, by=BY)
    _put(world, place, position, face, back, old.deck)
