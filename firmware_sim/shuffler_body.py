"""The machine around the cards of a batch shuffler: infeed, feed roller, rack, elevator and output tray, one door.

Firmware drives it by its motors and learns of it by its sensors; people put cards in, take the presented deck, open
the door.
What lies presented are the first `tray` cards of the output; the elevator's come behind them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from firmware_sim.faults import FaultPlan
from firmware_sim.mechanics import Card, Sensor, World
from firmware_sim.mixers import MIXERS, Mixer, in_order, stream
from firmware_sim.timeline import Timeline, Timers

STUCK_AFTER = 0.5
"""Seconds after which the path sensor, still covered, means a jam."""


@dataclass(frozen=True)
class Fed:
    """What the path sensor saw of one feed: edges counted, and whether the card is still there."""

    counted: int
    stuck: bool


class ShufflerBody:
    """One machine. Durations are seconds and belong to the firmware, which knows its profile."""

    def __init__(self, name: str, world: World, timeline: Timeline, plan: FaultPlan, seed: int, mixer: Mixer) -> None:
        self.name = name
        self.world = world
        self.plan = plan
        self.seed = seed
        self.mixer = mixer
        self.infeed, self.path, self.rack, self.output = (f"{name}.{z}" for z in ("infeed", "path", "rack", "output"))
        self.path_sensor, self.output_sensor = Sensor("path"), Sensor("output")
        self.power_failed: Callable[[int], None] = lambda cause: None
        self.inviting = False
        """The panel asks for a deck."""
        self.noticed: Callable[[str], None] = lambda name: None
        self.changed: Callable[[], None] = lambda: None
        self._timers = Timers(timeline)
        world.watch(lambda name: self.noticed(name) if name.startswith(f"{self.name}.") else None)
        self._nth = 0
        self._tries = 0
        self._frees_at = 0

    @property
    def door_open(self) -> bool:
        """Whether the door stands open."""
        return bool(self.world.facts.get(f"{self.name}.door"))

    @property
    def service(self) -> bool:
        """Whether something is plugged into the service port."""
        return bool(self.world.facts.get(f"{self.name}.service"))

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
        lie = self.plan.take("lying_count", self.name, cycle=self.cycle)
        self.path_sensor.lie = lie.number("in") if lie else 0
        self.output_sensor.lie = lie.number("out") if lie else 0

    def feed(self, seconds: float, done: Callable[[Fed], None]) -> None:
        """One card from the infeed over the path into the rack."""
        self._nth += 1
        if extra := self.plan.take("extra", self.name, card=self._nth, cycle=self.cycle):
            self._slip_in(extra.text("face"), extra.text("back") or "red")
        self.world.move(self.world.cards(self.infeed)[0], self.path, by=self.name)
        if cut := self.plan.take("power_cut", self.name, card=self._nth, cycle=self.cycle):
            self._timers.after(seconds / 2, lambda: self.power_failed(cut.number("cause")))
        elif jam := self.plan.take("jam", self.name, card=self._nth, cycle=self.cycle):
            self._frees_at, self._tries = jam.number("tries"), 0
            self._timers.after(STUCK_AFTER, lambda: done(Fed(1, stuck=True)))
        else:
            self._timers.after(seconds, lambda: self._fed(done))

    def free(self, seconds: float, done: Callable[[Fed], None]) -> None:
        """One try to free a stuck card: back and forth."""
        self._tries += 1
        if self._tries == self._frees_at:
            self._timers.after(seconds, lambda: self._fed(done))
        else:
            self._timers.after(seconds, lambda: done(Fed(1, stuck=True)))

    def _fed(self, done: Callable[[Fed], None]) -> None:
        lost = self.plan.take("missing", self.name, card=self._nth, cycle=self.cycle)
        self.world.move(self.world.cards(self.path)[0], "floor" if lost else self.rack, by=self.name)
        done(Fed(1, stuck=False))

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

    def _slip_in(self, face: str | None, back: str) -> None:
        like = self.world.cards(self.infeed)
        deck = like[0].deck if like else 0
        luck = stream(self.seed, "fault", "extra", self.cycle)
        card = self.world.create([face or luck.choice([card.text for card in like])], back=back, deck=deck)[0]
        self.world.move(card, self.infeed, by="fault", front=True)
