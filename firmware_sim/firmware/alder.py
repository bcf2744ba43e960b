"""Alder's firmware: states, sensors and messages (alder.md §4, §5). The cycle itself is in `alder_cycle.py`."""

from __future__ import annotations

from typing import Any

from firmware_sim.core import RESET_BY_SERVICE, Unit
from firmware_sim.device import CARD_PATH_FAULTS, Answer, Device
from firmware_sim.faults import FaultPlan
from firmware_sim.firmware.alder_cycle import Cycle
from firmware_sim.firmware.alder_messages import TABLE
from firmware_sim.firmware.alder_states import LAMPS, NEXT, S
from firmware_sim.models import Model, Options
from firmware_sim.senses import Senses
from firmware_sim.shuffler_body import ShufflerBody
from firmware_sim.treatment import treat
from protocols.alder.datasheet import NO_TRAY
from protocols.link import Link
from protocols.message import Event, Message, Progress, Request
from protocols.vocabulary import Capability, EventCode, FaultClass, Result, fault_class

DOOR_SENSE = 0.015
UNKNOWN_COUNT = 0xFFFF
HOMING_TIME = 1.8

IN_MOTION = frozenset((S.FEEDING, S.MIXING, S.VERIFYING))
UNLOCKED_BY_HAND = IN_MOTION | {S.READY, S.LOCKED}
"""States in which an open door means that nobody knows any more what lies where."""


class AlderFirmware(Device):
    """One batch shuffler."""

    def __init__(self, unit: Unit, link: Link, body: ShufflerBody) -> None:
        super().__init__(unit, link, body)
        self.body = body
        self.cycle = Cycle(self)
        self.lifting = 0
        """The command by which the elevator brings a deck into reach or out of it; 0 while it stands."""
        self.senses = Senses(self, DOOR_SENSE, self._look)
        body.noticed = self.senses.changed

    # Device

    def answer(self, request: Request) -> Answer:
        """See Device."""
        return treat(self, request, TABLE)

    def zones(self) -> tuple[tuple[int, int], ...]:
        """See Device."""
        uncertain = self.nvram.get("moving")
        return tuple((count, int(zone == uncertain)) for zone, count in enumerate(self.body.zones()))

    def wake(self, prev_state: int) -> None:
        """See Device."""
        uncertain = self.nvram.get("moving") is not None
        cut = self.cycle.cut_by_power()
        self.end_open_commands()
        self.nvram.put("moving", None)
        self.nvram.put("verdict", None)
        if self.tray == NO_TRAY and self.body.tray:
            self.nvram.put("tray", self.nvram.get("deck", 0))
        if self.body.service:
            self.enter(S.SERVICE)
        elif self.body.door_open:
            self.enter(S.DOOR_OPEN)
        elif uncertain or cut or prev_state in IN_MOTION or prev_state == S.LOCKED:
            self.enter(S.LOCKED)
        elif self.blocking() is not None:
            self.enter(S.FAULT)
        else:
            self.enter(S.HOMING)
            self.body.wait(HOMING_TIME, self.guarded(self._home))
        self.senses.changed("")

    def silent(self, ms: int) -> None:
        """The host has not been heard."""
        self.fault(EventCode.COMMS_LOST, ms=ms)

    def power_off(self) -> None:
        """See Device."""
        super().power_off()
        self.body.stop()

    def pushed(self, message: Message) -> bool:
        """See Device: Alder pushes its events as they come."""
        return self.link.up and isinstance(message, Event | Progress)

    def link_came_up(self) -> None:
        """All retained events from the oldest on."""
        with self.step():
            for event in self.ring.retained():
                self.push(event)

    def moving(self) -> bool:
        """See Device."""
        return self.cycle.running or self.lifting != 0

    def enter(self, new: int) -> None:
        """See Device; only along the table."""
        if new != self.state and S(new) not in NEXT[S(self.state)]:
            raise AssertionError(f"Alder does not go from {S(self.state).name} to {S(new).name}")
        super().enter(new)
        self.body.inviting = new in (S.EMPTY, S.PRESENTED)
        self.body.alarming = new in (S.FAULT, S.LOCKED, S.DOOR_OPEN)
        self.body.changed()

    def raised(self, code: int) -> None:
        """See Device."""
        if code in CARD_PATH_FAULTS:
            self.nvram.put("verdict", None)
        if code == EventCode.SENSOR_WEAK:
            self.cycle.weak()
        if code == EventCode.JAM:
            self.nvram.put("meter/jams", self.nvram.get("meter/jams", 0) + 1)

    def left_fault(self, code: int) -> None:
        """See Device."""
        if self.state == S.FAULT and self.blocking() is None:
            infeed, elsewhere = self.body.zones()[0], self.elsewhere()
            self.enter(S.LOCKED if elsewhere else S.LOADED if infeed else S.EMPTY)
        self._unlock()

    def cause_sensed(self, code: int) -> bool:
        """See Device."""
        if code in (EventCode.JAM, EventCode.DOUBLE_FEED, EventCode.CARD_DAMAGED):
            return self.body.zones()[1] > 0
        return code == EventCode.RESIDUAL and self.elsewhere() > 0

    # sensors

    def elsewhere(self) -> int:
        """Cards in path, rack and elevator: all but the infeed and what lies presented."""
        _, path, rack, output = self.body.zones()
        return path + rack + output - self.body.tray

    @property
    def tray(self) -> int:
        """The deck that lies presented, FF none."""
        return int(self.nvram.get("tray", NO_TRAY))

    @property
    def deck_in_infeed(self) -> int:
        """Which deck the machine takes the cards in the infeed for."""
        return int(self.nvram.get("confirmed", 1 - self.tray if self.tray != NO_TRAY else self.nvram.get("deck", 0)))

    def _look(self) -> None:
        """Compare what the sensors say with what was known."""
        if self.body.service != bool(self.nvram.get("service")):
            self._service(self.body.service)
        if self.body.tampered != bool(self.nvram.get("tamper")):
            self.nvram.put("tamper", self.body.tampered)
            self.record(EventCode.TAMPER, open=int(self.body.tampered))
        if self.body.door_open != bool(self.nvram.get("door")):
            self._door(self.body.door_open)
        self.look_for_causes()
        if self.tray != NO_TRAY and self.body.tray == 0 and not self.lifting:
            self._taken()
        if not self.moving():
            self._infeed(self.body.zones()[0])
        self._unlock()
        self.cycle.panel()

    def _infeed(self, cards: int) -> None:
        if cards and self.state in (S.EMPTY, S.PRESENTED):
            count = cards if self.unit.caps & Capability.COUNT_IN else UNKNOWN_COUNT
            self.record(EventCode.DECK_LOADED, deck=self.deck_in_infeed, back=self.back_sensed(), count=count)
            self.enter(S.LOADED)
        elif not cards and self.state == S.LOADED:
            self.nvram.put("confirmed", None)
            self.enter(S.PRESENTED if self.tray != NO_TRAY else S.EMPTY)

    def back_sensed(self) -> int:
        """The back colour of what lies in the infeed; 0 for a machine that does not see it."""
        cards = self.body.world.cards(self.body.infeed)
        return cards[0].back_code if cards and self.unit.caps & Capability.BACK_COLOUR else 0

    def note_back(self, deck: int, back: int) -> None:
        """Keep the back of a deck, as it was confirmed or seen, until DECK_TAKEN names it."""
        self.nvram.put("backs", {**self.nvram.get("backs", {}), str(deck): back})

    def _home(self) -> None:
        if self.state == S.HOMING:
            self.enter(S.LOADED if self.body.zones()[0] else S.EMPTY)
            self.cycle.panel()

    def _taken(self) -> None:
        deck, count = self.tray, self.nvram.get("presented", 0)
        self.nvram.put("tray", None)
        back = self.nvram.get("backs", {}).get(str(deck), 0)
        self.record(EventCode.DECK_TAKEN, deck=deck, back=back, count=count)
        if self.state == S.PRESENTED:
            self.enter(S.EMPTY)

    def _door(self, opened: bool) -> None:
        self.nvram.put("door", opened)
        self.record(EventCode.DOOR, open=int(opened))
        if opened and self.state != S.SERVICE:
            self.nvram.put("opened_in", self.state)
            self._interrupt(S.DOOR_OPEN)
        elif not opened and self.state == S.DOOR_OPEN:
            self._shut()

    def _shut(self) -> None:
        infeed, path, rack, _ = self.body.zones()
        if self.blocking(but=(EventCode.COUNT_MISMATCH,)) is not None:
            self.enter(S.FAULT)
        elif self.nvram.get("opened_in") in UNLOCKED_BY_HAND or path or rack:
            self.enter(S.LOCKED)
        elif infeed:
            self.enter(S.LOADED)
        else:
            tray = self.tray != NO_TRAY and self.body.tray > 0
            self.enter(S.PRESENTED if tray else S.EMPTY)

    def _service(self, attached: bool) -> None:
        self.nvram.put("service", attached)
        self.record(EventCode.SERVICE_PORT, open=int(attached))
        if attached:
            self._interrupt(S.SERVICE)
        elif self.state == S.SERVICE:
            self.after(0, lambda: self.power_failed(RESET_BY_SERVICE))

    def _interrupt(self, state: S) -> None:
        """Hands in the machine: motors stop, a cycle ends, the verdict of what lies inside is void."""
        self.nvram.put("moving", None)
        self.nvram.put("verdict", None)
        if self.cycle.running:
            self.cycle.end_by_hand(state)
        else:
            self._stop_in(state, Result.E_ABORTED)

    def trip(self, code: int, **body: Any) -> None:
        """See Device."""
        self.fault(code, **body)
        if fault_class(code) is FaultClass.AUTOMATIC or self.state in (S.DOOR_OPEN, S.SERVICE, S.BOOT):
            return
        self.nvram.put("moving", None)
        if self.cycle.running:
            self.cycle.end_by_fault()
        else:
            self._stop_in(S.FAULT, Result.E_FAULT)

    def _stop_in(self, state: S, result: Result) -> None:
        """The elevator stops where it is: a deck that was on its way back is out of reach."""
        command, self.lifting = self.lifting, 0
        self.body.stop()
        if command and self.body.tray == 0:
            self.nvram.put("tray", None)
        self.enter(state)
        if command:
            self.done(command, result)

    def _unlock(self) -> None:
        if self.state == S.LOCKED and self.blocking() is None and not any(self.body.zones()):
            self.enter(S.EMPTY)

    # what people see

    @property
    def lamp(self) -> int:
        """The lamp (common.md §7.2)."""
        return LAMPS[S(self.state)]


def _caps(caps: Capability, options: Options, plan: FaultPlan) -> Capability:
    if not options.counts or plan.lasting("no_count", "alder"):
        caps &= ~(Capability.COUNT_IN | Capability.COUNT_OUT_AFTER_SHUFFLE)
    if options.composition:
        caps |= Capability.COMPOSITION
    return caps | Capability.BACK_COLOUR if options.backs else caps


MODEL = Model(
    body=lambda of: ShufflerBody(of.name, of.world, of.clock, of.plan, of.seed, of.mixer),
    firmware=AlderFirmware,
    zones=("infeed", "path", "rack", "output"),
    first_deck="infeed",
    caps=_caps,
)
