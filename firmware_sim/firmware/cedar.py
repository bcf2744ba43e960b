"""Cedar's firmware: states, sensors, faults, the end of every motion (cedar.md §4). What moves is in `cedar_*.py`."""

from __future__ import annotations

from typing import Any

from firmware_sim.carousel_body import ZONES, CarouselBody
from firmware_sim.carousel_hands import MOVEMENTS, wish
from firmware_sim.composition import strange_cards
from firmware_sim.core import RESET_BY_SERVICE, Unit
from firmware_sim.device import CARD_PATH_FAULTS, Answer, Device
from firmware_sim.firmware.cedar_counting import Counting
from firmware_sim.firmware.cedar_delivery import Delivery
from firmware_sim.firmware.cedar_feeding import Feeding
from firmware_sim.firmware.cedar_messages import CONTROL, TABLE, doorbell
from firmware_sim.firmware.cedar_motors import HOMING_TIME, Motors
from firmware_sim.firmware.cedar_mouth import Mouth
from firmware_sim.firmware.cedar_states import IN_MOTION, LAMPS, NEXT, S, Zone
from firmware_sim.models import Model
from firmware_sim.senses import Senses
from firmware_sim.treatment import treat
from protocols.link import Link
from protocols.message import Hint, Message, Request
from protocols.vocabulary import EventCode, FaultClass, Result, fault_class

DOOR_SENSE = 0.015
STAY_OUT_OF_FAULT = frozenset((0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x8B))
"""Latched faults that have a state of their own, or none."""
IN_THE_POCKET = frozenset((0x84, 0x86, 0x87, 0x88))


class CedarFirmware(Device):
    """One continuous shuffler. `job` is the accepted command that runs, 0 while none does."""

    def __init__(self, unit: Unit, link: Link, body: CarouselBody) -> None:
        super().__init__(unit, link, body)
        self.body = body
        self.job = 0
        self.motors = Motors(self)
        self.feeding = Feeding(self)
        self.delivery = Delivery(self)
        self.mouth = Mouth(self)
        self.counting = Counting(self)
        self.senses = Senses(self, DOOR_SENSE, self._look)
        self._rung: Hint | None = None
        self._purge = 0
        body.pulling = self.guarded(self.mouth.pulling)
        body.passed = self.guarded(self.mouth.passed)
        body.read = self.guarded(self.mouth.read)
        body.pushed_back = self.guarded(self.mouth.pushed_back)
        body.noticed = self.senses.changed

    # Device

    def answer(self, request: Request) -> Answer:
        """See Device; what comes over endpoint 0 has no result byte and is never refused."""
        control = CONTROL.get(request.type)
        return Answer(body=control(self)) if control else treat(self, request, TABLE)

    def hints(self) -> list[Message]:
        """See Core: the doorbell, whenever one of its fields is another."""
        hint = Hint(doorbell(self))
        if hint == self._rung or not self.link.up:
            return []
        self._rung = hint
        return [hint]

    def zones(self) -> tuple[tuple[int, int], ...]:
        """See Device."""
        uncertain = self.nvram.get("moving")
        return tuple((count, int(zone == uncertain)) for zone, count in enumerate(self.body.zones()))

    def wake(self, prev_state: int) -> None:
        """See Device."""
        uncertain = self.nvram.get("moving")
        self.end_open_commands()
        self.nvram.put("moving", None)
        self.nvram.put("lease", None)
        if uncertain == Zone.OUTPUT and not self.nvram.get("delivery") and prev_state != S.PURGING and self.loaded:
            self.body.back_to_mouth(self.mouth.next_idx())
        self.delivery.find()
        if self.body.service:
            self.enter(S.SERVICE)
        elif uncertain is not None or prev_state in IN_MOTION | {S.LOCKED} or (self.loaded and self.body.door_open):
            self.enter(S.LOCKED)
        elif self.blocking() is not None:
            self.enter(S.FAULT)
        else:
            self.enter(S.HOMING)
            self.motors.soon(self._home, HOMING_TIME)
        self.senses.changed("")

    def silent(self, ms: int) -> None:
        """The cable is out."""
        self.delivery.plugged = False

    def heard(self) -> None:
        """The cable is back."""
        super().heard()
        self.delivery.replugged()

    def power_off(self) -> None:
        """See Device."""
        super().power_off()
        self.body.power_off()

    def moving(self) -> bool:
        """See Device."""
        return self.job != 0

    def enter(self, new: int) -> None:
        """See Device; only along the table."""
        if new != self.state and S(new) not in NEXT[S(self.state)]:
            raise AssertionError(f"Cedar does not go from {S(self.state).name} to {S(new).name}")
        super().enter(new)
        self.show()

    def left_fault(self, code: int) -> None:
        """See Device: a count is certain where no card can have gone another way."""
        if code in CARD_PATH_FAULTS:
            self.nvram.put("doubt", True)
        if self.state == S.FAULT and self.blocking() is None:
            doubt = self.nvram.get("doubt")
            self.nvram.put("doubt", None)
            self.enter(S.LOCKED if doubt else S.READY)

    def raised(self, code: int) -> None:
        """See Device."""
        if code == EventCode.SENSOR_WEAK and self.loaded:
            self.nvram.put("weak", True)

    def cause_sensed(self, code: int) -> bool:
        """See Device."""
        zones = self.body.zones()
        if code in (EventCode.JAM, EventCode.DOUBLE_FEED, EventCode.CARD_DAMAGED):
            return zones[Zone.PATH] > 0
        if code == EventCode.RESIDUAL:
            return not self.loaded and sum(zones) > zones[Zone.INFEED] + zones[Zone.OUTPUT]
        return code in IN_THE_POCKET and self.state == S.REJECT_PENDING and zones[Zone.REJECT] > 0

    # what is known

    @property
    def loaded(self) -> bool:
        """Whether LOAD_BEGIN was, and UNLOAD_ALL not since."""
        return bool(self.nvram.get("loaded"))

    @property
    def load(self) -> dict[str, Any]:
        """What LOAD_BEGIN said."""
        load: dict[str, Any] = self.nvram.get("load", {})
        return load

    @property
    def out(self) -> int:
        """Cards taken and drawn less what FEED_DISCARDS took back."""
        return int(self.nvram.get("out", 0))

    @property
    def purged(self) -> int:
        """Cards that went out through the pocket."""
        return int(self.nvram.get("purged", 0))

    @property
    def lamp(self) -> int:
        """The lamp (common.md §7.2)."""
        return LAMPS[S(self.state)]

    def next_cycle(self) -> int:
        """The number of the cycle that begins."""
        number = int(self.nvram.get("cycles", 0)) + 1 & 0xFFFFFFFF
        self.nvram.put("cycles", number)
        return number

    def tell_strange(self, everywhere: bool = False) -> bool:
        """Faults for what lies in the pocket (or anywhere), in order of cards; whether something does."""
        cards = self.body.readings() if everywhere else self.body.pocket_readings()
        strange = [each for each in strange_cards(cards, self.body.usual_back()) if each[0] != EventCode.DUPLICATE]
        for code, card in strange:
            self.fault(code, card=card, idx=0)
        return bool(self.body.zones()[Zone.REJECT])

    def show(self) -> None:
        """What people at the machine can see of its state."""
        state, body = S(self.state), self.body
        packet = self.delivery.packet or {}
        seat = packet.get("seat")
        body.powered = True
        body.feeding = state == S.LOADING
        body.delivering = state in (S.DELIVERING, S.PURGING)
        body.holding = body.delivering or state == S.WAIT_TAKE
        body.packet = "" if seat is None or body.delivering else f"seat {seat}" if seat else "dealer"
        body.asking_out = state == S.UNLOADED
        body.portal = self._purge != 0 or state == S.UNLOADED
        body.alarming = state == S.FAULT
        body.changed()

    # the end of a motion

    def end_job(self, result: Result = Result.OK) -> None:
        """The command that ran is over."""
        command, self.job = self.job, 0
        if command:
            self.done(command, result)

    def interrupt(self, state: S, result: Result) -> None:
        """Motors stop, the mouth shuts; the state, then what became of the command, and of a STOP."""
        self.motors.halt()
        self.mouth.close()
        self.feeding.stopped()
        self.counting.stopped()
        self._purge = 0
        stop = self.delivery.broken_off()
        self.enter(state)
        self.end_job(result)
        if stop:
            self.done(stop, result)

    def trip(self, code: int, **body: Any) -> None:
        """See Device."""
        self.fault(code, **body)
        if fault_class(code) is FaultClass.AUTOMATIC or self.state in (S.SERVICE, S.BOOT):
            return
        if code not in STAY_OUT_OF_FAULT:
            self.interrupt(S.FAULT, Result.E_FAULT)

    def purge(self, command: int, cards: int) -> None:
        """Unlock the pocket and wait until it is empty."""
        self.job = command
        self._purge = cards
        self.show()
        self.senses.changed("")

    # sensors

    def _home(self) -> None:
        if self.state == S.HOMING:
            self.body.settle()
            self.enter(S.READY if self.loaded else S.UNLOADED)

    def _look(self) -> None:
        """Compare what the sensors say with what was known."""
        body = self.body
        if body.service != bool(self.nvram.get("service")):
            self._service(body.service)
        if body.tampered != bool(self.nvram.get("tamper")):
            self.nvram.put("tamper", body.tampered)
            self.record(EventCode.TAMPER, open=int(body.tampered))
        if body.door_open != bool(self.nvram.get("door")):
            self._door(body.door_open)
        self.look_for_causes()
        self.delivery.look()
        if self._purge and not body.zones()[Zone.REJECT]:
            self.nvram.put("purged", self.purged + self._purge)
            self._purge = 0
            self.enter(S.READY)
            self.end_job()
        self.feeding.go_on()
        self.show()

    def _door(self, opened: bool) -> None:
        """Hands in the machine: nobody knows any more what lies where, and no count of this load proves anything."""
        self.nvram.put("door", opened)
        self.record(EventCode.DOOR, open=int(opened))
        if not opened:
            return
        self.nvram.put("manual", True)
        self.nvram.put("doubt", True)
        if self.loaded and self.state not in (S.SERVICE, S.FAULT, S.BOOT):
            self.interrupt(S.LOCKED, Result.E_ABORTED)

    def _service(self, attached: bool) -> None:
        self.nvram.put("service", attached)
        self.record(EventCode.SERVICE_PORT, open=int(attached))
        if attached:
            self.nvram.put("manual", True)
            self.interrupt(S.SERVICE, Result.E_ABORTED)
        elif self.state == S.SERVICE:
            self.after(0, lambda: self.power_failed(RESET_BY_SERVICE))


MODEL = Model(
    body=CarouselBody,
    firmware=CedarFirmware,
    zones=ZONES,
    first_deck="infeed",
    movements=MOVEMENTS,
    wish=wish,
)
