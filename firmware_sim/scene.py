"""What the hands work on, and how one movement keeps count of what it has moved."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from firmware_sim.body import Body
from firmware_sim.mechanics import SUPPLY, Card, World
from firmware_sim.mixers import canonical, given_order, stream
from firmware_sim.shoe_body import ShoeBody
from firmware_sim.shuffler_body import ShufflerBody
from firmware_sim.swaps import turned
from firmware_sim.timeline import Timeline

Movement = Generator[float | None, None, int]
Order = Mapping[str, Any]
AnyBody = TypeVar("AnyBody", bound=Body)

BACKS = ("red", "blue")
FACE_DOWN_PLACES = ("rack", "hand", "off", "floor", SUPPLY)
DEALER = "dealer"
UNSEEN = ("take", "feed", "fill")
"""A deck is carried whole: nobody sees that a card in it lies face up."""


class Refused(Exception):
    """A movement that cannot be done: one line. Nothing was moved."""


class Ended(Exception):
    """A draw that another movement ended."""


@dataclass
class Task:
    """One movement under way: its order, how many cards it has moved, whether it has been told to end."""

    order: Order
    id: str
    moved: int = 0
    ended: bool = False

    def progress(self) -> dict[str, Any]:
        """The fact that goes with the next card."""
        return {f"movement.{self.id}": {"moved": self.moved + 1}}


@dataclass
class Scene:
    """What the hands work on. By the names of the devices: `own` are the movements that a machine wants done in its own
    way, `wishes` what it asks of people who need nobody's word.
    """

    world: World
    clock: Timeline
    machines: Mapping[str, Body]
    own: Mapping[str, Mapping[str, Callable[[Scene, Task], Movement]]]
    wishes: Mapping[str, Callable[[Scene, str], Order | None]]
    seed: int
    rigged: Sequence[int]
    """Card bytes in the order in which a deck is to be dealt; empty where luck decides."""
    hurried: bool
    """At `--speed max`: hands act on what they see and never on a timer."""

    @property
    def shufflers(self) -> Mapping[str, ShufflerBody]:
        """Those that are fed a deck and give back a deck."""
        return {name: body for name, body in self.machines.items() if isinstance(body, ShufflerBody)}

    @property
    def shoes(self) -> Mapping[str, ShoeBody]:
        """Those that are filled by their lid."""
        return {name: body for name, body in self._mouths().items() if name not in self.wishes}

    def machine(self, order: Order) -> Body:
        """Any machine that the order names. Raises Refused."""
        return named(order, self.machines, "device")

    def mouth(self, order: Order) -> ShoeBody:
        """The machine with a mouth that the order names. Raises Refused."""
        return named(order, self._mouths(), "shoe")

    def _mouths(self) -> Mapping[str, ShoeBody]:
        return {name: body for name, body in self.machines.items() if isinstance(body, ShoeBody)}

    def shuffler(self, order: Order) -> ShufflerBody:
        """The shuffler that the order names. Raises Refused."""
        return named(order, self.shufflers, "shuffler")

    def shoe(self, order: Order) -> ShoeBody:
        """The shoe that the order names. Raises Refused."""
        return named(order, self.shoes, "shoe")

    def mixed(self, task: Task, cards: Sequence[Card]) -> list[Card]:
        """Cards as hands mix them: each has its own luck, so that a mixing that was interrupted goes on as it began."""
        if self.rigged:
            return given_order(self.rigged)(cards, stream(self.seed))
        luck = {card: stream(self.seed, "hand shuffle", task.id, card.face, card.copy, card.deck) for card in cards}
        return sorted(canonical(cards), key=lambda card: luck[card].random())

    def carry(self, task: Task, card: Card, target: str, **facts: Any) -> None:
        """One card with the hands; laid on a pile or into a machine it lies face down."""
        if target in FACE_DOWN_PLACES or "." in target:
            facts[f"up.{card.number}"] = None
        if task.order["do"] not in UNSEEN and turned(card) in self.world.facts:
            facts[turned(card)] = None
        self.world.move(card, target, by=DEALER, facts=task.progress() | facts)
        task.moved += 1

    def carry_all(self, task: Task, cards: Iterable[Card], target: str) -> int:
        """Some cards one after another; how many the movement has moved now."""
        for card in cards:
            self.carry(task, card, target)
        return task.moved


def named(order: Order, bodies: Mapping[str, AnyBody], what: str) -> AnyBody:
    """The machine that an order names. Raises Refused."""
    name = order.get("device")
    if not isinstance(name, str) or name not in bodies:
        raise Refused(f"no {what} {name!r}; there are {', '.join(bodies) or 'none'}")
    return bodies[name]


def place_in(order: Order, key: str) -> str:
    """The place (or another text) that an order names under a key. Raises Refused."""
    place = order.get(key)
    if not isinstance(place, str) or not place:
        raise Refused(f"{order.get('do')}: {key!r} is a text")
    return place
