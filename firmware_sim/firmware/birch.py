"""Birch's firmware: the gate and its lease, what passes the mouth, lid and restart (birch.md §3 to §6)."""

from __future__ import annotations

from typing import Any

from firmware_sim.device import CARD_PATH_FAULTS, RESET_BY_SERVICE, Answer, Device, Unit
from firmware_sim.firmware.birch_messages import TABLE
from firmware_sim.firmware.birch_states import LAMPS, LID_UNLOCKED, NEXT, S
from firmware_sim.shoe_body import Seen, ShoeBody
from firmware_sim.treatment import meter, treat
from protocols.birch.datasheet import LEASE_FREE
from protocols.link import Link
from protocols.message import Request
from protocols.vocabulary import FOREIGN_CARD, NO_READER, UNREADABLE_CARD, EventCode, FaultClass, Result, fault_class

LID_SENSE = 0.020
STAY_OUT_OF_FAULT = frozenset((EventCode.UNREADABLE, EventCode.OVERDRAW, EventCode.EARLY_DRAW))
"""Latched faults that have a state of their own, or none (birch.md §5)."""


class BirchFirmware(Device):
    """One shoe."""

    def __init__(self, unit: Unit, link: Link, body: ShoeBody) -> None:
        super().__init__(unit, link)
        self.body = body
        self.ctr = 0
        self.closing = False
        self._looking = False
        body.pulling = self.guarded(lambda: self.nvram.put("moving", 1))
        body.passed = self.guarded(self._passed)
        body.read = self.guarded(self._read)
        body.pushed_back = self.guarded(self._pushed_back)
        body.noticed = self._changed

    # Device

    def answer(self, request: Request) -> Answer:
        """See Device."""
        if request.broadcast:
            self.shut()
            return Answer()
        return treat(self, request, TABLE)

    def zones(self) -> tuple[tuple[int, int], ...]:
        """See Device."""
        return (self.body.rest(), 0), (self.body.at_mouth(), int(self._uncertain)), (self.drawn, 0)

    @property
    def _uncertain(self) -> bool:
        """Whether a card was half out when power went: said by NVRAM, or by a mouth that is covered for no known reason."""
        known = self.unread or any(self.fault_seq(code) for code in (EventCode.OVERDRAW, EventCode.EARLY_DRAW))
        return self.nvram.get("moving") is not None or (self.loaded and self.body.at_mouth() > 0 and not known)

    def wake(self, prev_state: int) -> None:
        """See Device."""
        uncertain = self._uncertain
        self.end_open_commands()
        self.nvram.put("lease", 0)
        self.nvram.put("moving", None)
        if uncertain:
            idx = self._next_idx()
            self.body.back_to_mouth(idx)
            self._unread(idx, NO_READER)
        if self.body.service:
            self.enter(S.SERVICE)
        elif self.body.lid_open and self.loaded:
            self.nvram.put("before_lid", self.rest_state)
            self.enter(S.LID_OPEN)
        elif self.in_fault:
            self.nvram.put("before_fault", self.nvram.get("before_fault", self.rest_state))
            self.enter(S.FAULT)
        else:
            self.enter(S.LOADED if self.rest_state == S.ENDING else self.rest_state)
        self._show()
        self._changed("")

    def noted(self, code: int) -> None:
        """See Device: the counter that POLL shows."""
        self.ctr = self.ctr % 255 + 1

    def power_off(self) -> None:
        """See Device."""
        super().power_off()
        self.body.power_off()

    def moving(self) -> bool:
        """See Device."""
        return self.closing

    def reset_by_host(self) -> None:
        """See Device: no lease outlives SYNC."""
        self.shut()

    def enter(self, new: int) -> None:
        """See Device; only along the table."""
        if new != self.state and S(new) not in NEXT[S(self.state)]:
            raise AssertionError(f"Birch does not go from {S(self.state).name} to {S(new).name}")
        super().enter(new)
        self._show()

    def raised(self, code: int) -> None:
        """See Device."""
        if code in CARD_PATH_FAULTS:
            self.nvram.put("manual", True)

    def left_fault(self, code: int) -> None:
        """See Device."""
        if self.state == S.FAULT and not self.in_fault:
            self.enter(self._back_to("before_fault"))

    def cause_sensed(self, code: int) -> bool:
        """See Device."""
        if code == EventCode.UNREADABLE:
            return bool(self.unread)
        return code == EventCode.RESIDUAL and not (self.body.empty() and self.body.at_mouth() == 0)

    # what is known

    @property
    def loaded(self) -> bool:
        """Whether a shoe is under way: LOAD_END was, SHOE_CLOSE was not."""
        return bool(self.nvram.get("loaded"))

    @property
    def load(self) -> dict[str, Any]:
        """What LOAD_BEGIN said."""
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
    def rest_state(self) -> S:
        """Where the shoe stands with the gate shut and nothing open."""
        if not self.loaded:
            return S.UNLOADED
        if self.unread:
            return S.HOLD
        if self.drawn and self.body.empty():
            return S.EMPTY
        return S.ENDING if self.nvram.get("cut_seen") else S.LOADED

    def _back_to(self, cell: str) -> S:
        before = S(self.nvram.get(cell, self.rest_state))
        self.nvram.put(cell, None)
        if before in (S.LOADING, S.UNLOADED):
            return before
        return S.FAULT if self.in_fault else self.rest_state

    @property
    def lamp(self) -> int:
        """The lamp (common.md §7.2)."""
        return LAMPS[S(self.state)]

    def _show(self) -> None:
        """What people at the shoe can see of its state."""
        self.body.powered = True
        self.body.holding = bool(self.unread) and self.loaded
        self.body.wanted = self.load.get("expected", 0) if self.state == S.LOADING else 0
        self.body.cut_wanted = self.load.get("cut", 0) if self.state == S.LOADING else 0
        self.body.unlocked = self.state == S.UNLOADED
        self.body.changed()

    # gate and lease

    def arm(self, lease: int) -> None:
        """A new lease replaces the old one."""
        if lease == 0:
            self.shut()
            return
        self.nvram.put("lease", lease)
        self.nvram.put("armed", True)
        if self.state == S.LOADED:
            self.enter(S.ARMED)
        self.body.gate(True)

    def shut(self) -> None:
        """Gate shut, lease void."""
        self.body.gate(False)
        self.drop_pause()
        if self.lease:
            self.nvram.put("lease", 0)
        if self.state == S.ARMED:
            self.enter(S.LOADED)

    def silent(self, ms: int) -> None:
        """The host has not been heard: the gate shuts."""
        self.shut()
        self.fault(EventCode.COMMS_LOST, ms=ms)

    # what passes the mouth

    def _passed(self) -> None:
        """The trailing edge of a card: behind the last one of a lease the gate shuts at once."""
        if self.lease in (0, 1):
            self.body.gate(False)

    def _next_idx(self) -> int:
        idx = int(self.nvram.get("idx", 0)) + 1
        self.nvram.put("idx", idx)
        return idx

    def _read(self, seen: Seen) -> None:
        """The reader's result: one draw, charged to the lease in force now."""
        idx, lease, gate = self._next_idx(), self.lease, int(self.body.gate_open)
        face = UNREADABLE_CARD if seen.face is None else seen.face
        self.nvram.put("moving", None)
        self.record(EventCode.CARD_DRAWN, idx=idx, card=face, quality=seen.quality, dwell_ms=seen.dwell_ms)
        meter(self, "cards")
        if self.body.cut_card_next():
            self.record(EventCode.CUT_CARD, idx=idx)
            self.nvram.put("cut_seen", True)
        if seen.face is None:
            self._unread(idx, UNREADABLE_CARD)
        else:
            self._known(idx, seen)
        if lease == 0:
            self._uninvited(idx, gate)
        elif lease != LEASE_FREE:
            self.nvram.put("lease", lease - 1)
        if self.body.empty():
            self.record(EventCode.SHOE_EMPTY, idx=idx)
        self._after_draw()

    def _unread(self, idx: int, card: int) -> None:
        self.nvram.put("unread", [*self.unread, idx])
        self.fault(EventCode.UNREADABLE, card=card, idx=idx)

    def _known(self, idx: int, seen: Seen) -> None:
        """A face that comes more often than there are decks, or a back unlike the first one's, does not belong."""
        face = seen.face or 0
        counts = dict(self.nvram.get("seen", {}))
        counts[str(face)] = counts.get(str(face), 0) + 1
        self.nvram.put("seen", counts)
        self.nvram.put("last", [idx, face])
        back = self.nvram.get("back") or seen.back
        self.nvram.put("back", back)
        if seen.back != back:
            self.fault(EventCode.WRONG_BACK, card=FOREIGN_CARD, idx=idx)
        elif counts[str(face)] > self.load.get("decks", 1):
            self.fault(EventCode.DUPLICATE, card=face, idx=idx)

    def _uninvited(self, idx: int, gate: int) -> None:
        if self.nvram.get("armed"):
            self.fault(EventCode.OVERDRAW, idx=idx, gate=gate)
        else:
            self.fault(EventCode.EARLY_DRAW, idx=idx)

    def _after_draw(self) -> None:
        over = bool(self.unread) or self.in_fault or self.body.empty()
        if over or self.lease == 0:
            self.body.gate(False)
        if over:
            self.nvram.put("lease", 0)
        self._show()
        if self.state in (S.LID_OPEN, S.FAULT, S.HOLD):
            return
        if self.in_fault:
            self.go_to_fault()
        elif over or self.nvram.get("cut_seen") or self.lease == 0:
            self.enter(self.rest_state)
        if self.lease and self.cramped:
            self.body.gate(False)
            self.when_room(lambda: self.body.gate(True), self.shut)

    def go_to_fault(self) -> None:
        """A latched fault: gate shut, the state before is kept."""
        self.body.gate(False)
        self.nvram.put("lease", 0)
        if self.state != S.FAULT:
            self.nvram.put("before_fault", self.state)
            self.enter(S.FAULT)

    def _pushed_back(self) -> None:
        """A card came back: an unread one first, else the last one drawn. It keeps its idx."""
        unread = self.unread
        idx = unread[-1] if unread else int(self.nvram.get("idx", 0))
        last = self.nvram.get("last", [0, 0])
        if last[0] == idx:
            counts = dict(self.nvram.get("seen", {}))
            counts[str(last[1])] = counts.get(str(last[1]), 1) - 1
            self.nvram.put("seen", counts)
        self.nvram.put("returned", self.nvram.get("returned", 0) + 1)
        self.record(EventCode.CARD_RETURNED, idx=idx)
        self.settle(idx, how=0, who=0)

    def settle(self, idx: int, how: int, who: int) -> None:
        """A draw is not unread any more; with the last one the hold ends."""
        self.nvram.put("unread", [other for other in self.unread if other != idx])
        if not self.unread:
            self.clear(EventCode.UNREADABLE, how=how, who=who)
        if self.state in (S.HOLD, S.EMPTY):
            self.enter(self.rest_state)
        self._show()

    # lid

    def _changed(self, name: str) -> None:
        """Something at this shoe is other than before; the lid switch tells 20 ms later, once."""
        if not self._looking and not self.lost_power:
            self._looking = True
            self.after(LID_SENSE, self._look)

    def _look(self) -> None:
        self._looking = False
        if self.body.service != bool(self.nvram.get("service")):
            self._service(self.body.service)
        if self.body.lid_open != bool(self.nvram.get("lid")):
            self._lid(self.body.lid_open)

    def _lid(self, opened: bool) -> None:
        self.nvram.put("lid", opened)
        self.record(EventCode.LID, open=int(opened))
        if opened and self.state not in LID_UNLOCKED | {S.SERVICE}:
            self.nvram.put("before_lid", self.rest_state if self.state == S.ARMED else self.state)
            self._hands_inside(S.LID_OPEN)
        elif not opened and self.state == S.LID_OPEN:
            self.enter(self._back_to("before_lid"))

    def _hands_inside(self, state: S) -> None:
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
            self._hands_inside(S.SERVICE)
        elif self.state == S.SERVICE:
            self.after(0, lambda: self.power_failed(RESET_BY_SERVICE))
