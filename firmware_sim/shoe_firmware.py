"""What the firmware of every shoe with a lid does: the lease, faults, lid, service and restart.

A family adds its messages, its table of states, and what it does otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firmware_sim.core import RESET_BY_SERVICE, Unit
from firmware_sim.device import Device
from firmware_sim.mouth import Mouth
from firmware_sim.senses import Senses
from firmware_sim.shoe_body import ShoeBody
from firmware_sim.shoe_states import At
from protocols.link import Link
from protocols.vocabulary import NO_READER, EventCode, FaultClass, fault_class

LID_SENSE = 0.020
STAY_OUT_OF_FAULT = frozenset((EventCode.UNREADABLE, EventCode.OVERDRAW, EventCode.EARLY_DRAW))
"""Latched faults that have a state of their own, or none (birch.md §5, dogwood.md §5)."""


class ShoeFirmware(Device):
    """One shoe. `next` tells where each state may go, `lamps` its lamp; in those of `lid_unlocked` the lid is free."""

    next: Mapping[int, frozenset[int]]
    lamps: Mapping[int, int]
    lid_unlocked: frozenset[int]

    def __init__(self, unit: Unit, link: Link, body: ShoeBody) -> None:
        super().__init__(unit, link, body)
        self.body = body
        self.mouth = Mouth(self)
        self.senses = Senses(self, LID_SENSE, self._look)
        body.pulling = self.guarded(lambda: self.nvram.put("moving", 1))
        body.passed = self.guarded(self.mouth.passed)
        body.read = self.guarded(self.mouth.read)
        body.pushed_back = self.guarded(self.mouth.pushed_back)
        body.noticed = self.senses.changed

    # Device

    def zones(self) -> tuple[tuple[int, int], ...]:
        """See Device."""
        return (self.body.rest(), 0), (self.body.at_mouth(), int(self._uncertain)), (self.drawn, 0)

    @property
    def _uncertain(self) -> bool:
        """Whether a card was half out when power went: so says NVRAM, or a mouth covered for no known reason."""
        known = self.unread or any(self.fault_seq(code) for code in (EventCode.OVERDRAW, EventCode.EARLY_DRAW))
        return self.nvram.get("moving") is not None or (self.loaded and self.body.at_mouth() > 0 and not known)

    def wake(self, prev_state: int) -> None:
        """See Device."""
        uncertain = self._uncertain
        self.end_open_commands()
        self.nvram.put("lease", 0)
        self.nvram.put("moving", None)
        if uncertain:
            idx = self.mouth.next_idx()
            self.body.back_to_mouth(idx)
            self.mouth.leave_unread(idx, NO_READER)
        if self.body.service:
            self.enter(At.SERVICE)
        elif self.body.lid_open and self.loaded and self.rest_state not in self.lid_unlocked:
            self.nvram.put("before_lid", self.rest_state)
            self.enter(At.LID_OPEN)
        elif self.in_fault:
            self.nvram.put("before_fault", self.nvram.get("before_fault", self.rest_state))
            self.enter(At.FAULT)
        else:
            self.enter(self.woken_state)
        self.show()
        self.senses.changed("")

    def power_off(self) -> None:
        """See Device."""
        super().power_off()
        self.body.power_off()

    def enter(self, new: int) -> None:
        """See Device; only along the table."""
        if new != self.state and new not in self.next[self.state]:
            raise AssertionError(f"{self.unit.name} does not go from {self.state} to {new}")
        super().enter(new)
        self.show()

    def left_fault(self, code: int) -> None:
        """See Device."""
        if self.state == At.FAULT and not self.in_fault:
            self.enter(self._back_to("before_fault"))

    def cause_sensed(self, code: int) -> bool:
        """See Device."""
        if code == EventCode.UNREADABLE:
            return bool(self.unread)
        return code == EventCode.RESIDUAL and not (self.body.empty() and self.body.at_mouth() == 0)

    # what is known

    @property
    def loaded(self) -> bool:
        """Whether a shoe is under way."""
        return bool(self.nvram.get("loaded"))

    @property
    def load(self) -> dict[str, Any]:
        """What the host said as it was loaded."""
        load: dict[str, Any] = self.nvram.get("load", {})
        return load

    @property
    def drawn(self) -> int:
        """Cards out of the shoe since loading."""
        return int(self.nvram.get("idx", 0)) - int(self.nvram.get("returned", 0))

    @property
    def lease(self) -> int:
        """Draws that are still allowed."""
        return int(self.nvram.get("lease", 0))

    @property
    def unread(self) -> list[int]:
        """Draws whose card nobody knows, oldest first."""
        return list(self.nvram.get("unread", ()))

    @property
    def in_fault(self) -> bool:
        """Whether a fault is open that the state FAULT stands for."""
        latched = (code for code, _ in self.faults if fault_class(code) is not FaultClass.AUTOMATIC)
        return any(code not in STAY_OUT_OF_FAULT for code in latched)

    @property
    def ended(self) -> bool:
        """Whether the last card is out."""
        return bool(self.drawn) and self.body.empty()

    @property
    def rest_state(self) -> int:
        """Where the shoe stands with no lease and nothing open."""
        if not self.loaded:
            return At.UNLOADED
        if self.unread:
            return At.HOLD
        if self.ended:
            return At.EMPTY
        return At.ENDING if self.nvram.get("cut_seen") else At.LOADED

    @property
    def woken_state(self) -> int:
        """Where it stands after a start."""
        return self.rest_state

    def _back_to(self, cell: str) -> int:
        before = int(self.nvram.get(cell, self.rest_state))
        self.nvram.put(cell, None)
        if before == At.FAULT and not self.in_fault:
            return self._back_to("before_fault")
        if before in self.lid_unlocked and not self.loaded:
            return before
        return At.FAULT if self.in_fault else self.rest_state

    @property
    def lamp(self) -> int:
        """The lamp (common.md §7.2)."""
        return self.lamps[self.state]

    def show(self) -> None:
        """What people at the shoe can see of its state."""
        self.body.powered = True
        self.body.holding = bool(self.unread) and self.loaded
        self.body.changed()

    # lease

    def arm(self, lease: int) -> None:
        """A new lease replaces the old one."""
        if lease == 0:
            self.shut()
            return
        self.nvram.put("lease", lease)
        self.nvram.put("armed", True)
        if self.state == At.LOADED:
            self.enter(At.ARMED)
        self.body.gate(True)

    def shut(self) -> None:
        """Gate shut, lease void."""
        self.body.gate(False)
        self.drop_pause()
        if self.lease:
            self.nvram.put("lease", 0)
        if self.state == At.ARMED:
            self.enter(At.LOADED)

    def trip(self, code: int, **body: Any) -> None:
        """See Device."""
        self.fault(code, **body)
        if fault_class(code) is not FaultClass.AUTOMATIC and self.state not in (At.LID_OPEN, At.SERVICE, At.BOOT):
            self.go_to_fault()

    def raised(self, code: int) -> None:
        """See Device."""
        if code == EventCode.SENSOR_WEAK and self.loaded:
            self.nvram.put("weak", True)

    def go_to_fault(self) -> None:
        """A latched fault: gate shut, the state before is kept."""
        self.body.gate(False)
        self.drop_pause()
        self.nvram.put("lease", 0)
        if self.state != At.FAULT:
            self.nvram.put("before_fault", self.state)
            self.enter(At.FAULT)

    # lid

    def _look(self) -> None:
        """Compare what the switches say with what was known."""
        if self.body.service != bool(self.nvram.get("service")):
            self._service(self.body.service)
        if self.body.tampered != bool(self.nvram.get("tamper")):
            self.nvram.put("tamper", self.body.tampered)
            self.record(EventCode.TAMPER, open=int(self.body.tampered))
        if self.body.lid_open != bool(self.nvram.get("lid")):
            self._lid(self.body.lid_open)
        self.look_for_causes()

    def _lid(self, opened: bool) -> None:
        self.nvram.put("lid", opened)
        self.record(EventCode.LID, open=int(opened))
        if opened and self.state not in self.lid_unlocked | {At.SERVICE}:
            self.nvram.put("before_lid", self.rest_state if self.state == At.ARMED else self.state)
            self._hands_inside(At.LID_OPEN)
        elif not opened and self.state == At.LID_OPEN:
            self.enter(self._back_to("before_lid"))

    def _hands_inside(self, state: At) -> None:
        """Lid or service port: gate shut, lease void, and no count of this shoe proves anything any more."""
        self.body.gate(False)
        self.drop_pause()
        self.nvram.put("lease", 0)
        self.nvram.put("manual", True)
        self.enter(state)

    def _service(self, attached: bool) -> None:
        self.nvram.put("service", attached)
        self.record(EventCode.SERVICE_PORT, open=int(attached))
        if attached:
            self._hands_inside(At.SERVICE)
        elif self.state == At.SERVICE:
            self.after(0, lambda: self.power_failed(RESET_BY_SERVICE))
