"""Whose hands carry out what, at a table with these devices: the one place where games and devices meet."""

from __future__ import annotations

from collections.abc import Mapping

from protocols.family import Verb
from shoectl.devices.carousel import Carousel
from shoectl.devices.light_shoe import LightShoe
from shoectl.devices.shoe import Shoe
from shoectl.devices.shuffler import Shuffler
from shoectl.games.procedure import Role
from shoectl.table.hands_carousel import CarouselHands
from shoectl.table.hands_light_shoe import LightShoeHands
from shoectl.table.hands_shoe import ShoeHands
from shoectl.table.hands_shuffler import ShufflerHands
from shoectl.table.openstep import Executor
from shoectl.table.people import wait


def executors(shoe: Shoe | None = None, shuffler: Shuffler | None = None) -> Mapping[Role, Executor]:
    """The executors of a table. Without a shoe the dealer deals from his hand and tells.

    Where there is a shoe, it is watched while people are waited for: cards that nobody asked for, a restart.
    """
    hands = _shoe_hands(shoe) if shoe is not None else None
    return {
        Role.PEOPLE: hands.watch if hands is not None else wait,
        Role.SHOE: hands if hands is not None else wait,
        Role.SHUFFLER: ShufflerHands(shuffler) if shuffler is not None else _mixing(hands),
    }


def _mixing(hands: ShoeHands | CarouselHands | None) -> Executor:
    """The hands of a shoe that mixes are those of its shuffler too."""
    return hands if isinstance(hands, CarouselHands) else wait


def _shoe_hands(shoe: Shoe) -> ShoeHands | CarouselHands:
    """What such a shoe needs, by what its family can be told."""
    if Verb.DELIVER_PLAN in shoe.station.family.verbs:
        return CarouselHands(Carousel(shoe.station))
    if Verb.CLOSE_SHOE in shoe.station.family.verbs:
        return ShoeHands(shoe)
    return LightShoeHands(LightShoe(shoe.station))
