"""How a deck gets mixed. A mixer takes the cards in the order in which they were fed and gives the order in which
they come out; its luck is a stream named by purpose, so one seed is one game whatever else happened before."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from firmware_sim.mechanics import Card

Mixer = Callable[[Sequence[Card], random.Random], list[Card]]


def stream(seed: int, *purpose: object) -> random.Random:
    """The luck for one purpose, such as (7, "shuffle", "deck 0", 3)."""
    return random.Random("/".join(map(str, (seed, *purpose))))


def canonical(cards: Sequence[Card]) -> list[Card]:
    """The same cards in an order that tells nothing of how they came together."""
    return sorted(cards, key=lambda card: (card.face, card.deck, card.copy, card.number))


def uniform(cards: Sequence[Card], luck: random.Random) -> list[Card]:
    """Every order alike; the order before has no part in it, so a cycle begun again gives the same deck."""
    mixed = canonical(cards)
    luck.shuffle(mixed)
    return mixed


SHELVES = 10


def shelf(cards: Sequence[Card], luck: random.Random) -> list[Card]:
    """A shelf machine: each card to a shelf by luck, above or below what lies there; then shelf on shelf."""
    return _shelve(cards, luck, list(range(SHELVES)))


def stuck_shelf(cards: Sequence[Card], luck: random.Random) -> list[Card]:
    """The same machine with a carousel that reaches three shelves only."""
    return _shelve(cards, luck, [0, 1, 2])


def _shelve(cards: Sequence[Card], luck: random.Random, reachable: list[int]) -> list[Card]:
    shelves: list[list[Card]] = [[] for _ in range(SHELVES)]
    for card in cards:
        lying = shelves[luck.choice(reachable)]
        lying.insert(0 if luck.random() < 0.5 else len(lying), card)
    return [card for lying in shelves for card in lying]


def riffle(cards: Sequence[Card], luck: random.Random) -> list[Card]:
    """Seven riffles (Gilbert, Shannon, Reeds): a binomial cut, then cards fall by the packets' sizes."""
    mixed = list(cards)
    for _ in range(7):
        cut = sum(luck.random() < 0.5 for _ in mixed)
        left, right, mixed = mixed[:cut], mixed[cut:], []
        while left or right:
            packet = left if luck.random() * (len(left) + len(right)) < len(left) else right
            mixed.append(packet.pop(0))
    return mixed


def in_order(cards: Sequence[Card], luck: random.Random) -> list[Card]:
    """No mixing: by suit and rank, as from the factory."""
    return canonical(cards)


def untouched(cards: Sequence[Card], luck: random.Random) -> list[Card]:
    """No mixing at all: out as they came in."""
    return list(cards)


MIXERS: dict[str, Mixer] = {
    "uniform": uniform,
    "shelf": shelf,
    "riffle": riffle,
    "stuck_shelf": stuck_shelf,
    "none": in_order,
}


def given_order(faces: Sequence[int]) -> Mixer:
    """A rigged machine: the cards come out with these faces in this order; what else there is comes after them."""

    def mix(cards: Sequence[Card], luck: random.Random) -> list[Card]:
        rest = canonical(cards)
        mixed = []
        for face in faces:
            found = next((card for card in rest if card.face == face), None)
            if found is not None:
                rest.remove(found)
                mixed.append(found)
        return mixed + rest

    return mix
