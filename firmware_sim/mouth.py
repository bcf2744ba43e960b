"""What passes the mouth of a shoe: each draw charged to the lease, read, and judged (birch.md §5, dogwood.md §5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware_sim.shoe_body import Seen
from firmware_sim.shoe_states import LEASE_FREE, At
from firmware_sim.treatment import meter
from protocols.vocabulary import FACE_UP_CARD, FOREIGN_CARD, UNREADABLE_CARD, EventCode

if TYPE_CHECKING:
    from firmware_sim.shoe_firmware import ShoeFirmware


NO_FACES = {FOREIGN_CARD: EventCode.FOREIGN, FACE_UP_CARD: EventCode.FACE_UP}


class Mouth:
    """Edge sensor and reader of one shoe."""

    def __init__(self, firmware: ShoeFirmware) -> None:
        self.fw = firmware

    def passed(self) -> None:
        """The trailing edge of a card: behind the last one of a lease the gate shuts at once."""
        if self.fw.lease in (0, 1):
            self.fw.body.gate(False)

    def next_idx(self) -> int:
        """The number of the next draw, which is used up by asking."""
        idx = int(self.fw.nvram.get("idx", 0)) + 1
        self.fw.nvram.put("idx", idx)
        return idx

    def read(self, seen: Seen) -> None:
        """The reader's result: one draw, charged to the lease in force now."""
        idx, lease, gate = self.next_idx(), self.fw.lease, int(self.fw.body.passable)
        face = UNREADABLE_CARD if seen.face is None else seen.face
        self.fw.nvram.put("moving", None)
        self.fw.record(EventCode.CARD_DRAWN, idx=idx, card=face, quality=seen.quality, dwell_ms=seen.dwell_ms)
        meter(self.fw, "cards")
        if seen.later:
            after, card = seen.later
            waiting = self.fw.nvram.get("second_thoughts", ())
            self.fw.nvram.put("second_thoughts", [*waiting, [idx + after, idx, card]])
        self.think_again()
        if self.fw.body.cut_card_next():
            self.fw.record(EventCode.CUT_CARD, idx=idx)
            self.fw.nvram.put("cut_seen", True)
        if seen.face is None:
            self.leave_unread(idx, UNREADABLE_CARD)
        else:
            self._known(idx, seen)
        if lease == 0:
            self._uninvited(idx, gate)
        elif lease != LEASE_FREE:
            self.fw.nvram.put("lease", lease - 1)
        if self.fw.body.empty():
            self.fw.record(EventCode.SHOE_EMPTY, idx=idx)
        self._after_draw()

    def leave_unread(self, idx: int, card: int) -> None:
        """Nobody knows the card of a draw."""
        self.fw.nvram.put("unread", [*self.fw.unread, idx])
        self.fw.fault(EventCode.UNREADABLE, card=card, idx=idx)

    def think_again(self, to_the_end: bool = False) -> None:
        """The reader comes to another result for a card of before, and says so by itself (operator 0)."""
        waiting = self.fw.nvram.get("second_thoughts", ())
        due = [each for each in waiting if to_the_end or each[0] <= int(self.fw.nvram.get("idx", 0))]
        if due:
            self.fw.nvram.put("second_thoughts", [each for each in waiting if each not in due])
        for _, idx, card in due:
            self.fw.record(EventCode.CARD_RESOLVED, idx=idx, card=card, op1=0, op2=0)

    def _known(self, idx: int, seen: Seen) -> None:
        """A face that comes more often than there are decks, or a back unlike the first one's, does not belong."""
        face = seen.face or 0
        if face in NO_FACES:
            self.fw.nvram.put("last", [idx, face])
            self.fw.fault(NO_FACES[face], card=face, idx=idx)
            return
        counts = dict(self.fw.nvram.get("seen", {}))
        counts[str(face)] = counts.get(str(face), 0) + 1
        self.fw.nvram.put("seen", counts)
        self.fw.nvram.put("last", [idx, face])
        back = self.fw.nvram.get("back") or seen.back
        self.fw.nvram.put("back", back)
        if seen.back != back:
            self.fw.fault(EventCode.WRONG_BACK, card=FOREIGN_CARD, idx=idx)
        elif counts[str(face)] > self.fw.load.get("decks", 1):
            self.fw.fault(EventCode.DUPLICATE, card=face, idx=idx)

    def _uninvited(self, idx: int, gate: int) -> None:
        if self.fw.nvram.get("armed"):
            self.fw.fault(EventCode.OVERDRAW, idx=idx, gate=gate)
        else:
            self.fw.fault(EventCode.EARLY_DRAW, idx=idx)

    def _after_draw(self) -> None:
        over = bool(self.fw.unread) or self.fw.in_fault or self.fw.body.empty()
        if over or self.fw.lease == 0:
            self.fw.body.gate(False)
        if over:
            self.fw.nvram.put("lease", 0)
        self.fw.show()
        if self.fw.state in (At.LID_OPEN, At.FAULT, At.HOLD, At.SERVICE):
            return
        if self.fw.in_fault:
            self.fw.go_to_fault()
        elif over or self.fw.nvram.get("cut_seen") or self.fw.lease == 0:
            self.fw.enter(self.fw.rest_state)
        if self.fw.lease and self.fw.cramped and self.fw.body.brake:
            self.fw.body.gate(False)
            self.fw.when_room(lambda: self.fw.body.gate(True), self.fw.shut)

    def pushed_back(self) -> None:
        """A card came back: an unread one first, else the last one drawn. It keeps its idx. Others it cannot tell."""
        if not self.fw.loaded or self.fw.drawn == 0:
            return
        unread = self.fw.unread
        idx = unread[-1] if unread else int(self.fw.nvram.get("idx", 0))
        last = self.fw.nvram.get("last", [0, 0])
        if last[0] == idx:
            counts = dict(self.fw.nvram.get("seen", {}))
            counts[str(last[1])] = counts.get(str(last[1]), 1) - 1
            self.fw.nvram.put("seen", counts)
        self.fw.nvram.put("returned", self.fw.nvram.get("returned", 0) + 1)
        self.fw.record(EventCode.CARD_RETURNED, idx=idx)
        self.settle(idx, how=0, who=0)

    def settle(self, idx: int, how: int, who: int) -> None:
        """A draw is not unread any more; with the last one the hold ends."""
        self.fw.nvram.put("unread", [other for other in self.fw.unread if other != idx])
        if not self.fw.unread:
            self.fw.clear(EventCode.UNREADABLE, how=how, who=who)
        if self.fw.state in (At.HOLD, At.EMPTY):
            self.fw.enter(self.fw.rest_state)
        self.fw.show()
