"""The machine around the cards of a shoe: a well under a lockable lid, a gate, a mouth with edge sensor and reader.

Firmware opens and shuts the gate and is told what passes; people pull cards, push one back, open the lid, fill the
well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from firmware_sim.body import AT_ANY_MOMENT, POWER_FAILS, Body
from firmware_sim.faults import Fault, FaultPlan
from firmware_sim.mechanics import Card, Sensor, World
from firmware_sim.mixers import stream
from firmware_sim.swaps import IN_THE_DECK, another, change, turned
from firmware_sim.timeline import Timeline, Timers
from protocols.vocabulary import CUT_CARD, FACE_UP_CARD

GATE_TIME = 0.025
READ_TIME = 0.045
"""From the trailing edge to the reader's result: 30 to 60 ms."""


@dataclass(frozen=True)
class Seen:
    """What the mouth saw of one card: its face and back (None where the reader read nothing), how well, how long.

    `later`: so many draws later the reader thinks better of it, and takes it for that face.
    """

    face: int | None
    back: str
    quality: int
    dwell_ms: int
    later: tuple[int, int] | None = None


@dataclass
class Flight:
    """One card being pulled. `over` when nobody waits for it any more, `arrived` when it lies where it was to go."""

    target: str
    by: str
    dwell: float
    facts: dict[str, Any]
    over: bool = False
    arrived: bool = False


class ShoeBody(Body):
    """One machine. `draws` counts cards that passed the mouth since the shoe was loaded."""

    well_zone, mouth_zone = "shoe", "mouth"
    brake = True
    """Something can hold a card back."""
    reads_at_mouth = True
    """The reader sits there: it is there that a card cannot be read."""

    def __init__(self, name: str, world: World, timeline: Timeline, plan: FaultPlan, seed: int) -> None:
        super().__init__(name, world, plan, seed)
        self.shoe, self.mouth = f"{name}.{self.well_zone}", f"{name}.{self.mouth_zone}"
        self.pocket = f"{name}.pocket"
        """Where the cut card goes."""
        self.height_sensor = Sensor("height")
        self.gate_open = False
        self.wanted = 0
        """What the display asks for while the shoe is being loaded: so many cards."""
        self.cut_wanted = 0
        self.between_shoes = True
        """The lid is unlocked and no shoe is under way."""
        self.powered = False
        """Lamps are lit: whoever stands there knows what the shoe wants."""
        self.holding = False
        """The red lamp: the card in the mouth waits for two persons."""
        self.passed: Callable[[], None] = lambda: None
        self.read: Callable[[Seen], None] = lambda seen: None
        self.pulling: Callable[[], None] = lambda: None
        self.pushed_back: Callable[[], None] = lambda: None
        self.flight: Flight | None = None
        self._timers = Timers(timeline)
        self._hand = Timers(timeline)
        self._stick()

    @property
    def flap(self) -> str:
        """See Body."""
        return "lid"

    @property
    def lid_open(self) -> bool:
        """Whether the lid stands open."""
        return bool(self.world.facts.get(f"{self.name}.lid"))

    @property
    def draws(self) -> int:
        """Cards that passed the mouth since loading."""
        return int(self.world.facts.get(f"{self.name}.draws", 0))

    @property
    def loadings(self) -> int:
        """How often it was loaded."""
        return int(self.world.facts.get(f"{self.name}.loads", 0))

    def rest(self) -> int:
        """What the height sensor says lies in the well; the cut card is not counted."""
        return self.height_sensor.read(sum(card.face != CUT_CARD for card in self.world.cards(self.shoe)))

    def empty(self) -> bool:
        """Whether the presence sensor under the last card is free."""
        return not any(card.face != CUT_CARD for card in self.world.cards(self.shoe))

    def at_mouth(self) -> int:
        """Cards that stick out of the mouth."""
        return self.world.count(self.mouth)

    def cut_card_next(self) -> bool:
        """Whether the cut card has come up behind the last card drawn; it slides into its pocket then."""
        cards = self.world.cards(self.shoe)
        if not cards or cards[0].face != CUT_CARD:
            return False
        self.world.move(cards[0], self.pocket, by=self.name)
        return True

    def power_off(self) -> None:
        """The gate falls shut; a card that is half out stays there."""
        self._timers.cancel()
        self._hand.cancel()
        self.gate_open = False
        self.wanted, self.holding, self.powered = 0, False, False
        self._stick()

    def loaded(self) -> None:
        """The shoe has been loaded: draws count from 1 again, and so do the triggers of faults."""
        self.world.set_facts({f"{self.name}.draws": 0, f"{self.name}.loads": self.loadings + 1})
        lie = self.plan.take("lying_count", self.name, cycle=self.loadings)
        self.height_sensor.lie = lie.number("rest") if lie else 0
        for kind in IN_THE_DECK:
            for fault in self.plan.strikes((kind,), self.name, {"load": self.loadings}):
                change(self.world, self.shoe, fault.number("draw") - 1, fault, self.seed)
        if self.plan.take("early_draw", self.name, load=self.loadings):
            self._hand.after(0.2, self._slip)

    @property
    def unlocked(self) -> bool:
        """Whether what is left may be taken out."""
        return self.between_shoes

    @property
    def passable(self) -> bool:
        """Whether nothing holds the next card back."""
        return self.gate_open or not self.brake

    def gate(self, opened: bool) -> None:
        """Open or shut the gate; it takes 25 ms to open and holds back from the first moment of shutting."""
        self._timers.cancel()
        if opened and not self.gate_open:
            self._timers.after(GATE_TIME, self._opened)
        elif not opened and self.gate_open:
            self.gate_open = False
            self.changed()

    def _opened(self) -> None:
        self.gate_open = True
        self.changed()

    def pull(self, target: str, by: str, facts: Mapping[str, Any] | None = None) -> Flight:
        """A hand pulls one card to `target`; `facts` change as it arrives.

        A card that is not read stays in the mouth.
        """
        nth = self.draws + 1
        dwell = 0.3 + stream(self.seed, "draw", self.name, self.loadings, nth).random() * 0.1
        self.flight = flight = Flight(target, by, dwell, dict(facts or {}))
        self.world.set_facts({f"{self.name}.pull": by})
        self.pulling()
        if flight.over:  # power went as it began to move: it sticks in the mouth
            return flight
        for fault in self.strikes(POWER_FAILS, nth, self.loadings):
            self._hand.after(dwell / 2, lambda fault=fault: self.suffer(fault))  # type: ignore[misc]
        self._hand.after(dwell, self.passed)
        self._hand.after(dwell + READ_TIME, lambda: self._arrive(flight))
        return flight

    def _arrive(self, flight: Flight) -> None:
        """The card is out; the edge sensor has said so, now the reader says which it was."""
        nth, at = self.draws + 1, {"draw": self.draws + 1, "load": self.loadings}
        card = self.world.cards(self.shoe)[0]
        unread = self.reads_at_mouth and self.plan.take("unreadable", self.name, **at) is not None
        returned = not unread and self.plan.take("pushed_back", self.name, **at) is not None
        stays = unread or returned
        carried = {} if stays else flight.facts
        facts = {f"{self.name}.draws": nth, f"{self.name}.pull": None, f"{self.name}.last": [card.number, *carried]}
        seen = self._seen(card, nth, unread, flight.dwell)
        read_as = seen.face if seen.face not in (None, FACE_UP_CARD, card.face) else None
        target = self.mouth if stays else flight.target
        self.world.move(card, target, by=flight.by, facts=facts | carried, read_as=read_as)
        self.wear()
        self.flight = None
        self.read(seen)
        for fault in self.strikes(AT_ANY_MOMENT - POWER_FAILS, nth, self.loadings):
            self.suffer(fault)
        if returned and self.powered:
            self.push_back(card, flight.by)
        if not self.gate_open and self.plan.take("overdraw", self.name, **at):
            self._slip()
        flight.over, flight.arrived = True, not stays
        self.changed()

    def _seen(self, card: Card, nth: int, unread: bool, dwell: float) -> Seen:
        dwell_ms = round(dwell * 1000)
        if unread:
            return Seen(None, card.back, 0, dwell_ms)
        quality = 240 + stream(self.seed, "quality", self.name, self.loadings, nth).randrange(16)
        if self.world.facts.get(turned(card)):
            return Seen(FACE_UP_CARD, card.back, quality, dwell_ms)
        wrong = self.plan.take("misread", self.name, draw=nth, load=self.loadings)
        if wrong is None:
            return Seen(card.face, card.back, quality, dwell_ms)
        taken_for, later = self._mistaken(card, nth, wrong)
        return Seen(taken_for, card.back, quality, dwell_ms, later)

    def _mistaken(self, card: Card, nth: int, wrong: Fault) -> tuple[int, tuple[int, int] | None]:
        """What a card is taken for, and what the shoe takes it for later, if it thinks better of it."""
        luck = (self.seed, "fault", "misread", self.name, self.loadings, nth)
        first = another(card.face, wrong.text("face"), *luck)
        match wrong.text("later"):
            case "right":
                return first, (wrong.number("after"), card.face)
            case "wrong":
                second = next(face for n in range(99) if (face := another(card.face, None, *luck, n)) != first)
                return first, (wrong.number("after"), second)
            case _:
                return first, None

    def _stick(self) -> None:
        """Power went while a card was half out: it sticks in the mouth."""
        by = self.world.facts.get(f"{self.name}.pull")
        if by is not None:
            facts = {f"{self.name}.draws": self.draws + 1, f"{self.name}.pull": None}
            self.world.move(self.world.cards(self.shoe)[0], self.mouth, by=by, facts=facts)
        if self.flight is not None:
            self.flight.over, self.flight = True, None

    def back_to_mouth(self, idx: int) -> None:
        """The shoe lost power before it had read the last card: whoever pulled it still holds it in the mouth."""
        last = self.world.facts.get(f"{self.name}.last")
        if self.at_mouth() or self.draws != idx or last is None:
            return
        facts = {name: _one_less(self.world.facts.get(name)) for name in last[1:]}
        self.world.move(self.world.card(last[0]), self.mouth, by=self.name, facts=facts)

    def _slip(self) -> None:
        """One card slips through the shut gate and lies in the mouth."""
        if not self.empty() and self.flight is None:
            self.pull(self.mouth, "fault")

    def left_behind(self) -> Card | None:
        """The card that stays in a corner of the well as people take out what is left, if one does."""
        cards = [card for card in self.world.cards(self.shoe) if card.face != CUT_CARD]
        stays = self.plan.take("residual", self.name, load=self.loadings) if cards else None
        return cards[-1] if stays else None

    def push_back(self, card: Card, by: str) -> None:
        """A card back through the mouth into the well, where it is the next one again."""
        self.world.move(card, self.shoe, by=by, at=0)
        self.pushed_back()


def _one_less(progress: Any) -> Any:
    """A movement that has one card less to show."""
    return {"moved": progress["moved"] - 1} if isinstance(progress, dict) and "ok" not in progress else progress
