"""The machine around the cards of a batch shuffler: infeed, feed roller, rack, elevator and output tray, one door.

Firmware drives it by its motors and learns of it by its sensors; people put cards in, take the presented deck, open
the door.
What lies presented are the first `tray` cards of the output; the elevator's come behind them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from firmware_sim.body import AT_ANY_MOMENT, Body
from firmware_sim.faults import FaultPlan
from firmware_sim.mechanics import Card, Sensor, World
from firmware_sim.mixers import MIXERS, Mixer, in_order, stream
from firmware_sim.swaps import IN_THE_DECK, another, change, turned
from firmware_sim.timeline import Timeline, Timers
from protocols.vocabulary import FACE_UP_CARD, UNREADABLE_CARD

STUCK_AFTER = 0.5
"""Seconds after which the path sensor, still covered, means a jam."""


@dataclass(frozen=True)
class Fed:
    """What the path sensors saw of one feed: whether the card is still there, how thick, and whether it was whole."""

    stuck: bool
    thickness: int = 100
    damaged: bool = False


TOO_THICK = 150
"""Percent of one card from which the machine stops: there are two."""


class ShufflerBody(Body):
    """One machine. Durations are seconds and belong to the firmware, which knows its profile."""

    def __init__(self, name: str, world: World, timeline: Timeline, plan: FaultPlan, seed: int, mixer: Mixer) -> None:
        super().__init__(name, world, plan, seed)
        self.mixer = mixer
        self.infeed, self.path, self.rack, self.output = (f"{name}.{z}" for z in ("infeed", "path", "rack", "output"))
        self.path_sensor, self.output_sensor = Sensor("path"), Sensor("output")
        self.inviting = False
        """The panel asks for a deck."""
        self.alarming = False
        """The panel asks to open the door and take everything out."""
        self._timers = Timers(timeline)
        self._nth = 0
        self._tries = 0
        self._frees_at = 0
        self._read_as: dict[int, int] = {}

    @property
    def door_open(self) -> bool:
        """Whether the door stands open."""
        return bool(self.world.facts.get(f"{self.name}.door"))

    @property
    def tray(self) -> int:
        """How many cards of the output lie presented."""
        return int(self.world.facts.get(f"{self.name}.tray", 0))

    @property
    def cycle(self) -> int:
        """How many cycles this machine has begun."""
        return int(self.world.facts.get(f"{self.name}.cycles", 0))

    def zones(self) -> tuple[int, int, int, int]:
        """What lies in infeed, path, rack and output, as the presence sensors say."""
        count = self.world.count
        return count(self.infeed), count(self.path), count(self.rack), count(self.output)

    def presented(self) -> tuple[Card, ...]:
        """The deck that lies ready to be taken."""
        return self.world.cards(self.output)[: self.tray]

    def stop(self) -> None:
        """Rollers stop where they are."""
        self._timers.cancel()

    def begin(self) -> None:
        """A cycle begins: the counters of its faults start anew."""
        self.world.set_facts({f"{self.name}.cycles": self.cycle + 1})
        self._nth = 0
        self._read_as = {}
        lie = self.plan.take("lying_count", self.name, cycle=self.cycle)
        self.path_sensor.lie = lie.number("in") if lie else 0
        self.output_sensor.lie = lie.number("out") if lie else 0
        left = self.plan.take("residual", self.name, cycle=self.cycle) if self.world.count(self.infeed) else None
        if left:
            self.world.move(self.world.cards(self.infeed)[-1], f"{self.name}.{left.text('zone')}", by="fault")

    def feed(self, seconds: float, done: Callable[[Fed], None]) -> None:
        """One card from the infeed over the path into the rack."""
        self._nth += 1
        at = {"card": self._nth, "cycle": self.cycle}
        for kind in IN_THE_DECK[1:]:
            for fault in self.plan.strikes((kind,), self.name, at):
                change(self.world, self.infeed, 0, fault, self.seed)
        double = self.plan.take("double_feed", self.name, **at)
        for card in self.world.cards(self.infeed)[: 2 if double else 1]:
            self.world.move(card, self.path, by=self.name)
            self._read(card)
        for fault in self.strikes(AT_ANY_MOMENT, self._nth, self.cycle):
            self._timers.after(seconds / 2, lambda fault=fault: self.suffer(fault))  # type: ignore[misc]
        thickness = double.number("thickness") if double else 100
        if jam := self.plan.take("jam", self.name, **at):
            self._frees_at, self._tries = jam.number("tries"), 0
            self._timers.after(STUCK_AFTER, lambda: done(Fed(stuck=True)))
        elif thickness >= TOO_THICK:
            self._timers.after(seconds, lambda: done(Fed(stuck=True, thickness=thickness)))
        elif self.plan.take("card_damaged", self.name, **at):
            self._timers.after(seconds, lambda: done(Fed(stuck=True, damaged=True)))
        else:
            self._timers.after(seconds, lambda: self._fed(done))

    def _read(self, card: Card) -> None:
        """What the reader makes of a card, where the machine has one and something is wrong with it."""
        at = {"card": self._nth, "cycle": self.cycle}
        if self.plan.take("unreadable", self.name, **at):
            self._read_as[card.number] = UNREADABLE_CARD
        elif wrong := self.plan.take("misread", self.name, **at):
            luck = (self.seed, "fault", "misread", self.name, self.cycle, self._nth)
            self._read_as[card.number] = another(card.face, wrong.text("face"), *luck)

    def readings(self) -> list[tuple[int, str]]:
        """Face as it was read, and back, of each card that lies in the elevator."""
        cards = self.world.cards(self.output)[self.tray :]
        return [(self._seen(card), card.back) for card in cards]

    def _seen(self, card: Card) -> int:
        if self.world.facts.get(turned(card)):
            return FACE_UP_CARD
        return self._read_as.get(card.number, card.face)

    def free(self, seconds: float, done: Callable[[Fed], None]) -> None:
        """One try to free a stuck card: back and forth."""
        self._tries += 1
        if self._tries == self._frees_at:
            self._timers.after(seconds, lambda: self._fed(done))
        else:
            self._timers.after(seconds, lambda: done(Fed(stuck=True)))

    def _fed(self, done: Callable[[Fed], None]) -> None:
        for card in self.world.cards(self.path):
            lost = self.plan.take("missing", self.name, card=self._nth, cycle=self.cycle)
            self.world.move(card, "floor" if lost else self.rack, by=self.name)
        self.wear()
        done(Fed(stuck=False))

    def lift(self, seconds: float, mode: int, done: Callable[[int], None]) -> None:
        """All cards from the rack to the output, mixed as the mode says; `done` gets what the output sensor counted."""

        def go() -> None:
            cards = self._mixed(mode)
            for card in cards:
                self.world.move(card, self.output, by=self.name)
            done(self.output_sensor.read(len(cards)) if cards else 0)

        self._timers.after(seconds, go)

    def flush(self, seconds: float, done: Callable[[int], None]) -> None:
        """Everything to the output as it lies, for a cycle that is given up."""

        def go() -> None:
            moved = sum(
                self.world.move_all(zone, self.output, by=self.name) for zone in (self.rack, self.path, self.infeed)
            )
            done(moved)

        self._timers.after(seconds, go)

    def offer(self, seconds: float, done: Callable[[], None]) -> None:
        """The elevator's cards into reach."""

        def go() -> None:
            self._show(self.world.count(self.output))
            done()

        self._timers.after(seconds, go)

    def withdraw(self, seconds: float, done: Callable[[], None]) -> None:
        """Out of reach again; from the first moment on nobody can take them."""
        self._show(0)
        self._timers.after(seconds, done)

    def wait(self, seconds: float, done: Callable[[], None]) -> None:
        """Homing, settling, measuring: time in which nothing moves."""
        self._timers.after(seconds, done)

    def _show(self, cards: int) -> None:
        self.world.set_facts({f"{self.name}.tray": cards})

    def _mixed(self, mode: int) -> list[Card]:
        cards = self.world.cards(self.rack)
        if not cards:
            return []
        deck = Counter(card.deck for card in cards).most_common(1)[0][0]
        luck = stream(self.seed, "shuffle", f"deck {deck}", self.world.facts.get(f"passes.{deck}", 0))
        if mode == 3 or self.plan.take("unmixed", self.name, cycle=self.cycle):
            return in_order(cards, luck)
        if mode == 2:
            return list(cards)
        if self.plan.take("stuck_shelf", self.name, cycle=self.cycle):
            return MIXERS["stuck_shelf"](cards, luck)
        return self.mixer(cards, luck)
