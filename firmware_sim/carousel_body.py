"""The machine around the cards of a continuous shuffler: an infeed with a reader behind it, a carousel of shelves, a
buffer, an output that is a packet tray or the mouth of a shoe, and a pocket for what does not belong.

    infeed ─► path ─► carousel ─► buffer ─► path ─► output (packets), or by a hand through the mouth
                └───► reject

The order in which the carousel gives cards back is luck at the moment of giving: of the cards that lie there, whatever
the order in which they came. The buffer is what has been given back already, so a card just fed in never comes next.
As a mouth it is a shoe: well, gate and mouth are the buffer, the shutter and the output.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firmware_sim.body import AT_ANY_MOMENT
from firmware_sim.faults import Fault
from firmware_sim.mechanics import Card, Sensor
from firmware_sim.mixers import stream
from firmware_sim.models import Making
from firmware_sim.shoe_body import ShoeBody
from firmware_sim.swaps import IN_THE_DECK, change, turned
from firmware_sim.timeline import Timers
from protocols.vocabulary import FACE_UP_CARD, UNREADABLE_CARD

BUFFER_SIZE = 12
STUCK_AFTER = 0.5
"""Seconds after which the path sensor, still covered, means a jam."""
TOO_THICK = 150
"""Percent of one card from which the machine stops: there are two."""
ZONES = ("infeed", "path", "carousel", "buffer", "output", "reject")


@dataclass(frozen=True)
class Passed:
    """What the sensors saw of one card on its way: the zone where it is stuck, if it is, how thick it was, whether it
    was whole, and whether it went to the pocket.
    """

    stuck: int | None = None
    thickness: int = 100
    damaged: bool = False
    rejected: bool = False


Done = Callable[[Passed], None]


class CarouselBody(ShoeBody):
    """One machine. Durations are seconds and belong to the firmware, which knows its times.

    A *motion* is one load, feed, delivery, count or unloading: `motions` counts them, and the cards in one from 1.
    """

    well_zone, mouth_zone = "buffer", "output"
    reads_at_mouth = False
    """A card is read as it comes in: what cannot be read never comes to the mouth."""

    def __init__(self, of: Making) -> None:
        super().__init__(of.name, of.world, of.clock, of.plan, of.seed)
        self.mixer = of.mixer
        self.infeed, self.path, self.carousel, self.buffer, self.output, self.reject = (
            f"{of.name}.{zone}" for zone in ZONES
        )
        self.in_sensor, self.out_sensor, self.rest_sensor = Sensor("path"), Sensor("output"), Sensor("inventory")
        self.feeding = False
        """It takes what is laid into its infeed."""
        self.packet = ""
        """Whose packet lies in the tray, as the display says."""
        self.delivering = False
        """The output turns: hands off."""
        self.asking_out = False
        """It asks to take out what lies in its output."""
        self.portal = False
        """The pocket is unlocked."""
        self.alarming = False
        """It asks to be set right."""
        self._motors = Timers(of.clock)
        self._nth = 0
        self._tries = 0
        self._frees_at = 0
        self._stuck_zone = 1
        self._freed: Callable[[Done], None] = lambda done: None

    # what is there

    @property
    def flap(self) -> str:
        """See Body."""
        return "door"

    @property
    def door_open(self) -> bool:
        """Whether the door stands open."""
        return self.flap_open

    @property
    def motions(self) -> int:
        """How many motions this machine has begun."""
        return int(self._fact("motions") or 0)

    def zones(self) -> tuple[int, ...]:
        """What lies in each zone, as the presence sensors say."""
        return tuple(self.world.count(f"{self.name}.{zone}") for zone in ZONES)

    def inside(self) -> int:
        """What can be given out: carousel and buffer."""
        return self.world.count(self.carousel) + self.world.count(self.buffer)

    def tray(self) -> int:
        """Cards in the tray, as the output sensor counts them."""
        cards = self.world.count(self.output)
        return self.out_sensor.read(cards) if cards else 0

    def empty(self) -> bool:
        """See ShoeBody: nothing can be given out."""
        return not self.inside()

    def readings(self) -> list[tuple[int, str]]:
        """Face as it was read, and back, of each card that the machine can see: all but those in the tray."""
        zones = (self.infeed, self.path, self.carousel, self.buffer, self.output, self.reject)
        return [(self._face_read(card), card.back) for zone in zones for card in self.world.cards(zone)]

    def pocket_readings(self) -> list[tuple[int, str]]:
        """The same of what lies in the pocket."""
        return [(self._face_read(card), card.back) for card in self.world.cards(self.reject)]

    def usual_back(self) -> str:
        """The back of this set of cards: that of the first one read."""
        return str(self._fact("back") or "")

    def left_lying(self) -> bool:
        """Whether hands that were to take a packet leave it."""
        taken = int(self._fact("takes") or 0) + 1
        self.world.set_facts({f"{self.name}.takes": taken})
        return self.plan.take("packet_left", self.name, packet=taken) is not None

    # motors

    def power_off(self) -> None:
        """See ShoeBody; motors stop where they are."""
        super().power_off()
        self._motors.cancel()
        self.feeding = self.asking_out = self.portal = self.alarming = self.delivering = False
        self.packet = ""

    def stop(self) -> None:
        """Motors stop where they are."""
        self._motors.cancel()

    def wait(self, seconds: float, done: Callable[[], None]) -> None:
        """Homing, mixing, counting: time in which no card leaves its zone."""
        self._motors.after(seconds, done)

    def begin(self) -> None:
        """A motion begins: the counters of its faults start anew."""
        self.world.set_facts({f"{self.name}.motions": self.motions + 1})
        self._nth = 0
        lie = self.plan.take("lying_count", self.name, cycle=self.motions)
        self.in_sensor.lie = lie.number("in") if lie else 0
        self.out_sensor.lie = lie.number("out") if lie else 0
        self.rest_sensor.lie = lie.number("rest") if lie else 0

    def feed(self, seconds: float, reject: float, done: Done) -> None:
        """One card from the infeed over the path into the carousel, or in `reject` seconds into the pocket."""
        self._nth += 1
        at = {"card": self._nth, "cycle": self.motions}
        for kind in IN_THE_DECK[1:]:
            for fault in self.plan.strikes((kind,), self.name, at):
                change(self.world, self.infeed, 0, fault, self.seed)
        double = self.plan.take("double_feed", self.name, **at)
        for card in self.world.cards(self.infeed)[: 2 if double else 1]:
            self.world.move(card, self.path, by=self.name)
            if self.plan.take("unreadable", self.name, **at):
                self.world.set_facts({f"{self.name}.as.{card.number}": UNREADABLE_CARD})
        rejected = any(self._strange(card) for card in self.world.cards(self.path))
        seconds = reject if rejected else seconds
        thickness = double.number("thickness") if double else 100
        self._pass(seconds, done, lambda done: self._fed(rejected, done), thickness)

    def eject(self, seconds: float, done: Done) -> None:
        """One card from the buffer to the tray."""
        self._nth += 1
        self._fill_buffer()
        size = self.plan.take("packet_size", self.name, card=self._nth, cycle=self.motions)
        number = max(1 + size.number("by"), 0) if size else 1
        for card in self.world.cards(self.buffer)[:number]:
            self.world.move(card, self.path, by=self.name)
        self._pass(seconds, done, self._ejected)

    def spill(self, seconds: float, done: Done) -> None:
        """One card of what lies inside to the output, to unload the machine."""
        self._nth += 1
        stays = self.plan.take("residual", self.name, cycle=self.motions) if self.inside() else None
        if stays:
            held = self.world.cards(self.carousel) or self.world.cards(self.buffer)
            self.world.set_facts({f"{self.name}.held": held[-1].number})
        card = next(iter(self._to_spill()), None)
        if card is not None:
            self.world.move(card, self.path, by=self.name)
        self._pass(seconds, done, self._ejected)

    def left_to_spill(self) -> int:
        """Cards that the machine can still bring to its output."""
        return len(self._to_spill())

    def tidy(self) -> None:
        """What is left in the path goes on into the carousel, before a count."""
        self.world.move_all(self.path, self.carousel, by=self.name)

    def scan(self, seconds: float, done: Done) -> None:
        """The carousel goes on by one card before the reader."""
        self._nth += 1
        self._pass(seconds, done, lambda done: done(Passed()))

    def settle(self) -> None:
        """A motion has put cards into the carousel, or has taken some out: the buffer fills from it."""
        self._fill_buffer()
        if not self.draws and not self.empty() and self.plan.take("early_draw", self.name, load=self.loadings):
            self._hand.after(0.2, self._slip)

    def free(self, seconds: float, done: Done) -> None:
        """One try to free what is stuck: back and forth."""
        self._tries += 1
        if self._tries == self._frees_at:
            self._motors.after(seconds, lambda: self._freed(done))
        else:
            self._motors.after(seconds, lambda: done(Passed(stuck=self._stuck_zone)))

    def _pass(self, seconds: float, done: Done, arrived: Callable[[Done], None], thickness: int = 100) -> None:
        """A card is on its way: it arrives, or something is in the way."""
        at = {"card": self._nth, "cycle": self.motions}
        for fault in self.strikes(AT_ANY_MOMENT, self._nth, self.motions):
            self._motors.after(seconds / 2, lambda fault=fault: self.suffer(fault))  # type: ignore[misc]
        if jam := self.plan.take("jam", self.name, **at):
            self._jammed(jam, done, arrived)
        elif thickness >= TOO_THICK:
            self._motors.after(seconds, lambda: done(Passed(stuck=1, thickness=thickness)))
        elif self.plan.take("card_damaged", self.name, **at):
            self._motors.after(seconds, lambda: done(Passed(stuck=1, damaged=True)))
        else:
            self._motors.after(seconds, lambda: arrived(done))

    def _jammed(self, jam: Fault, done: Done, arrived: Callable[[Done], None]) -> None:
        self._frees_at, self._tries = jam.number("tries"), 0
        self._stuck_zone = ZONES.index(jam.text("zone") or "path")
        self._freed = arrived
        self._motors.after(STUCK_AFTER, lambda: done(Passed(stuck=self._stuck_zone)))

    def _fed(self, rejected: bool, done: Done) -> None:
        for card in self.world.cards(self.path):
            lost = self.plan.take("missing", self.name, card=self._nth, cycle=self.motions)
            self.world.move(card, "floor" if lost else self.reject if rejected else self.carousel, by=self.name)
        self.wear()
        done(Passed(rejected=rejected))

    def _ejected(self, done: Done) -> None:
        for card in self.world.cards(self.path):
            forgotten = {f"{self.name}.as.{card.number}": None}
            self.world.move(card, self.output, by=self.name, facts=forgotten)
        self.wear()
        done(Passed())

    def _fill_buffer(self) -> None:
        """So many cards out of the carousel that the buffer is full, each by luck of its own."""
        while self.world.count(self.buffer) < BUFFER_SIZE and self.world.count(self.carousel):
            given = int(self._fact("given") or 0)
            luck = stream(self.seed, "carousel", self.name, given)
            cards = self.world.cards(self.carousel)
            card = self.mixer(cards, luck)[0]
            self.world.move(card, self.buffer, by=self.name, facts={f"{self.name}.given": given + 1})

    def _to_spill(self) -> list[Card]:
        zones = (self.path, self.buffer, self.carousel, self.infeed)
        return [card for zone in zones for card in self.world.cards(zone) if card.number != self._fact("held")]

    # the reader

    def _face_read(self, card: Card) -> int:
        if self.world.facts.get(turned(card)):
            return FACE_UP_CARD
        return int(self._fact(f"as.{card.number}") or card.face)

    def _strange(self, card: Card) -> bool:
        """Whether the reader turns a card away: no face to be read, or a back unlike the first one's."""
        face = self._face_read(card)
        back = self._fact("back")
        if back is None:
            self.world.set_facts({f"{self.name}.back": card.back})
        return face > 0x44 or (back is not None and card.back != back)

    def new_set(self) -> None:
        """Another set of cards: its backs are those of its first card, and draws count from 1."""
        kept = [name for name in self.world.facts if name.startswith(f"{self.name}.as.")]
        gone = {f"{self.name}.{name}": None for name in ("back", "held")} | dict.fromkeys(kept)
        counts = {f"{self.name}.draws": 0, f"{self.name}.loads": self.loadings + 1}
        self.world.set_facts({**gone, **counts})
