"""What every firmware has beyond its core: boots, faults, the wait for ring space, and requests.

A family's firmware is a `Device` with a table of messages (`Treatment`) and a body to drive.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from firmware_sim.body import AT_ANY_MOMENT, Body
from firmware_sim.core import RESET_BY_SERVICE, Core, Unit
from firmware_sim.ring import ROOM_FOR_MOTION
from firmware_sim.timeline import Timer
from protocols.link import Link
from protocols.message import Request, Response
from protocols.vocabulary import FIRST_FAULT, PROTO, EventCode, FaultClass, Result, Resume, fault_class

CARD_PATH_FAULTS = frozenset((0x81, 0x82, 0x83, 0x86, 0x87, 0x88, 0x8B, 0x8C, 0x8D, 0x94))
"""Raising one of these voids the verdict of the deck in the machine (common.md §8)."""

PAUSE_LONGEST = 60.0
UNKNOWN_BODY = "2a"
"""The body of an event of an unknown code, as hex text."""


@dataclass
class Answer:
    """A result and what goes with it."""

    result: Result = Result.OK
    body: Mapping[str, Any] | None = None
    fault_code: int | None = None


class Device(Core, ABC):
    """One device under power. A power cut throws it away; the next boot makes a new one on the same NVRAM."""

    def __init__(self, unit: Unit, link: Link, machine: Body) -> None:
        super().__init__(unit, link)
        self.machine = machine
        self.recorded = self._struck
        self.replaced: Callable[[bool], None] = lambda other_unit: None
        """Power fails, and the memory is blank afterwards, or it is another unit's."""
        self._resume_motion: Callable[[], None] | None = None
        self._pause: Timer | None = None
        link.resume = self.resume

    # what a family provides

    @abstractmethod
    def answer(self, request: Request) -> Answer:
        """Treat a request; every check that the documents name has its place in the family's table."""

    @abstractmethod
    def zones(self) -> tuple[tuple[int, int], ...]:
        """Cards in each zone as the sensors have it, and by how many that may be wrong."""

    @abstractmethod
    def wake(self, prev_state: int) -> None:
        """After POWER_UP: end what the power cut ended, then leave BOOT."""

    @abstractmethod
    def trip(self, code: int, **body: Any) -> None:
        """Raise a fault of the machine: whatever runs is stopped by one that forbids motion."""

    def left_fault(self, code: int) -> None:
        """A fault was cleared."""
        return None

    def raised(self, code: int) -> None:
        """A fault was raised."""
        return None

    def cause_sensed(self, code: int) -> bool:
        """Whether what raised a fault is still there."""
        return False

    def reset_by_host(self) -> None:
        """The host reset the link."""
        return None

    def busy_after_restart(self) -> bool:
        """Whether S and M commands cannot be looked at yet."""
        return False

    def moving(self) -> bool:
        """Whether a motion runs."""
        return False

    def silent(self, ms: int) -> None:
        """The host has not been heard for so long."""
        return None

    def heard(self) -> None:
        """The host is back."""
        self.clear(EventCode.COMMS_LOST, how=0)

    def session_over(self) -> None:
        """The session has ended: gates shut, as when the host resets the link."""
        self.reset_by_host()

    def link_came_up(self) -> None:
        """The host reset the link and it stands, or a session begins on it."""
        return None

    def link_went_down(self) -> None:
        """The link is lost."""
        return None

    # boots

    def start(self, cause: int) -> None:
        """Power is there: POWER_UP is the first event of every boot."""
        with self.step():
            self.nvram.put("boot", self.boot + 1 & 0xFFFF)
            prev = self.state
            self.nvram.put("state", 0)
            zones = tuple({"count": count, "err": err} for count, err in self.zones())
            self.record(EventCode.POWER_UP, cause=cause, prev_state=prev, zones=zones)
            if cause == RESET_BY_SERVICE:
                self._after_service()
            self.wake(prev)
        self.link.open(self.unit.line.now)

    def power_off(self) -> None:
        """Nothing of this device happens any more."""
        self.lost_power = True
        self._timers.cancel()
        self._line_timers.cancel()

    def resume(self) -> Resume:
        """The resume block; `cause` is the link's to fill in."""
        with self.step():
            self.reset_by_host()
        return Resume(PROTO, self.boot, self.epoch, 0, self.ring.oldest, self.ring.newest)

    # faults

    def _after_service(self) -> None:
        self.machine.serviced()
        for code, _ in self.faults:
            if fault_class(code) is FaultClass.PERMANENT:
                self.clear(code, how=1)

    def look_for_causes(self) -> None:
        """Dirt, heat, motors: raise what is there, clear by itself what is gone again."""
        causes = self.machine.causes()
        for code, cause in causes.items():
            if self.fault_seq(code) is None:
                self.trip(code, which=cause["which"], level=cause["level"])
            self.machine.seen(code)
        for code, _ in self.faults:
            by_itself = fault_class(code) is FaultClass.AUTOMATIC and code != EventCode.COMMS_LOST
            if by_itself and code not in causes:
                self.clear(code, how=0)

    def still_caused(self, code: int) -> bool:
        """Whether the cause of a fault is still there, as far as it is no card."""
        return code in self.machine.causes()

    def _struck(self, number: int) -> None:
        """Faults of the plan that strike as an event is recorded, once the step is over that records it."""
        plan, name = self.unit.plan, self.unit.name
        for fault in plan.strikes(AT_ANY_MOMENT, name, {"event": number}):
            self.after(0, lambda fault=fault: self.machine.suffer(fault))  # type: ignore[misc]
        for fault in plan.strikes(("unknown_event",), name, {"event": number}):
            self.after(0, lambda fault=fault: self._say_unknown(int(str(fault.text("code")), 16)))  # type: ignore[misc]
        for fault in plan.strikes(("ring_full",), name, {"event": number}):
            self.after(0, lambda fault=fault: self._fill_ring(fault.number("records")))  # type: ignore[misc]
        if plan.take("wiped", name, event=number):
            self.after(0, lambda: self.replaced(False))
        if plan.take("other_unit", name, event=number):
            self.after(0, lambda: self.replaced(True))

    def _say_unknown(self, code: int) -> None:
        if code >= FIRST_FAULT:
            self.trip(code, raw=UNKNOWN_BODY)
        else:
            self.record(code, raw=UNKNOWN_BODY)

    def _fill_ring(self, records: int) -> None:
        for n in range(records):
            self.record(EventCode.TAMPER, open=(n + 1) % 2)

    @property
    def faults(self) -> tuple[tuple[int, int], ...]:
        """Open faults, oldest first: code and first seq."""
        return tuple((code, seq) for code, seq in self.nvram.get("faults", ()))

    def fault_seq(self, code: int) -> int | None:
        """The first seq of an open fault."""
        return dict(self.faults).get(code)

    @property
    def fault_mask(self) -> int:
        """A bit for each open fault."""
        return sum(1 << (code - FIRST_FAULT) for code, _ in self.faults)

    def blocking(self, but: tuple[int, ...] = ()) -> int | None:
        """The oldest open fault of class L or P, which forbids motion."""
        codes = (code for code, _ in self.faults if fault_class(code) is not FaultClass.AUTOMATIC)
        return next((code for code in codes if code not in but), None)

    def fault(self, code: int, **body: Any) -> None:
        """Raise a fault, or join one that is open."""
        seq = self.record(code, **body)
        if self.fault_seq(code) is None:
            self.nvram.put("faults", [*map(list, self.faults), [code, seq]])
        self.raised(code)

    def clear(self, code: int, how: int, who: int = 0) -> None:
        """End an open fault: how 0 by itself, 1 operator at the device, 2 host."""
        seq = self.fault_seq(code)
        if seq is not None:
            self.nvram.put("faults", [list(each) for each in self.faults if each[0] != code])
            self.record(EventCode.CLEARED, fault_seq=seq, how=how, who=who)
            self.left_fault(code)

    # ring space

    @property
    def cramped(self) -> bool:
        """Too few free slots for a motion."""
        return self.ring.free < ROOM_FOR_MOTION

    def when_room(self, go_on: Callable[[], None], give_up: Callable[[], None]) -> None:
        """At a safe point: go on at once, or when the host has acknowledged, or give up after 60 s."""
        if not self.cramped:
            go_on()
            return
        self._resume_motion = go_on
        self._pause = self.after_on_line(PAUSE_LONGEST, self._waited_in_vain(give_up))

    def _waited_in_vain(self, give_up: Callable[[], None]) -> Callable[[], None]:
        def end() -> None:
            self._end_pause()
            give_up()

        return end

    def acknowledged(self) -> None:
        """The host acknowledged events: a paused motion may go on."""
        if self._resume_motion is not None and not self.cramped:
            self._end_pause()()

    def drop_pause(self) -> None:
        """A paused motion will not go on."""
        if self._resume_motion is not None:
            self._end_pause()

    @property
    def paused(self) -> bool:
        """Whether a motion waits for room in the ring."""
        return self._resume_motion is not None

    def _end_pause(self) -> Callable[[], None]:
        go_on, self._resume_motion = self._resume_motion, None
        if self._pause is not None:
            self._pause.cancel()
        return go_on or (lambda: None)

    # requests

    def receive(self, request: Request) -> None:
        """A request came in: the answer leaves before the events of what it began."""
        with self.step():
            answer = self.answer(request)
            body = answer.body if answer.body and answer.result in (Result.OK, Result.ACCEPTED) else {}
            response = Response(request.type, request.id, int(answer.result), body, answer.fault_code)
            self._outgoing.insert(0, response)
