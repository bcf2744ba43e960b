"""Faces in a text, however they are written; and a table whose hidden cards are others for a moment."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from protocols.vocabulary import card_byte, card_text, is_face
from shoectl.cards import STANDARD, Card
from shoectl.commands.answer import ENDS_HOLD
from shoectl.games.layout import Layout
from shoectl.table.course import Course
from shoectl.table.desk import KINDS
from shoectl.table.entries import Evidence

NAMES = ("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king")
SUITS = {"s": ("spades", "♠"), "h": ("hearts", "♥"), "d": ("diamonds", "♦"), "c": ("clubs", "♣")}
RANK_OF = dict(zip(NAMES, "A23456789TJQK", strict=True))
SUIT_OF = {sign: suit for suit, signs in SUITS.items() for sign in (*signs, suit)}
SHORT = re.compile(r"(?<![\w-])(10|[2-9TJQKA])([shdc♠♥♦♣])(?![\w-])")
WORDS = re.compile(rf"\b({'|'.join(NAMES)}) of (spades|hearts|diamonds|clubs)\b", re.IGNORECASE)
BYTE = re.compile(r"""\bcard\\?["']?\s*[:=]\s*(\d{1,2})\b""")  # a card byte of the wire, as a device's event has it
# How an answer is written, in words that are the same at every step. They name the cards of examples.
EXAMPLES = (*KINDS.values(), *ENDS_HOLD.values(), "as As or 10h", "as As Kd 10h")
WRITTEN = tuple(dict.fromkeys(one for words in EXAMPLES for one in (words, json.dumps(words)[1:-1])))


def faces_in(text: str) -> frozenset[str]:
    """Every face that a text names: `As`, `A♠`, `10h`, `ace of spades`, or the wire's byte behind the word card."""
    for example in WRITTEN:
        text = text.replace(example, "")
    short = {("T" if rank == "10" else rank) + SUIT_OF[suit] for rank, suit in SHORT.findall(text)}
    said = {RANK_OF[rank.lower()] + SUIT_OF[suit.lower()] for rank, suit in WORDS.findall(text)}
    read = {card_text(int(byte)) for byte in BYTE.findall(text) if is_face(int(byte)) and int(byte) < 0x40}
    return frozenset(short | said | read)


def shown(layout: Layout) -> set[Card]:
    """Every card that lies face up, or did until it was racked."""
    up = {slot.face for slots in layout.places.values() for slot in slots if slot.up}
    racked = {card for pile in layout.rack for card, was in zip(pile.cards, pile.up, strict=False) if was}
    return {face for face in up | racked if face is not None}


def hidden(layout: Layout) -> list[Card]:
    """The cards that lie face down and of which the table knows the face."""
    return [slot.face for slots in layout.places.values() for slot in slots if slot.face is not None and not slot.up]


@contextmanager
def exchanged(course: Course[Any]) -> Iterator[int]:
    """Every face that is hidden is another one for the time of the block: on the layout, in the rack, and in what the
    devices have told of this round. Yields how many cards there are. Nothing may be awaited inside.
    """
    layout, evidence = course.layout, course.facts._evidence
    places, rack, unseen = {at: list(slots) for at, slots in layout.places.items()}, list(layout.rack), layout.unseen
    pools, told, changed = dict(unseen), list(evidence), _Changed(layout)
    try:
        for at, slots in places.items():
            layout.places[at] = [slot if slot.up else replace(slot, face=changed.face(slot.face)) for slot in slots]
        for n, pile in enumerate(rack):
            ups = pile.up or (False,) * len(pile.cards)
            cards = tuple(card if up else changed.face(card) for card, up in zip(pile.cards, ups, strict=True))
            layout.rack[n] = replace(pile, cards=cards, among=tuple(map(changed.face, pile.among)))
        for at, pool in pools.items():
            unseen[at] = tuple(map(changed.face, pool))
        evidence[:] = map(changed.event, told)
        yield changed.count
    finally:
        layout.places.clear()
        layout.places.update(places)
        layout.rack[:] = rack
        unseen.clear()
        unseen.update(pools)
        evidence[:] = told


class _Changed:
    """Which card takes the place of which: the next one of those that nobody has seen."""

    def __init__(self, layout: Layout) -> None:
        seen = shown(layout)
        free = [card for card in STANDARD if card not in seen]
        self._to = dict(zip(free, [*free[1:], *free[:1]], strict=True))
        self.count = 0

    def face(self, card: Card | None) -> Card | None:
        if card is None or card not in self._to:
            return card
        self.count += 1
        return self._to[card]

    def event(self, one: Evidence) -> Evidence:
        byte = one.event.body.get("card")
        if not isinstance(byte, int) or not is_face(byte) or byte >= 0x40:
            return one
        other = self._to.get(Card.parse(card_text(byte)))
        if other is None:
            return one
        return replace(one, event=replace(one.event, body={**one.event.body, "card": card_byte(str(other))}))
