"""A Cedar as a shoe: the lease, and what passes its mouth (cedar.md §3 SHOE_ARM, common.md §7.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware_sim.firmware.cedar_states import S, Zone
from firmware_sim.shoe_body import Seen
from firmware_sim.treatment import meter
from protocols.cedar.datasheet import LEASE_FREE
from protocols.vocabulary import UNREADABLE_CARD, EventCode

if TYPE_CHECKING:
    from firmware_sim.firmware.cedar import CedarFirmware


class Mouth:
    """The shutter, the edge sensor and the reader behind it."""

    def __init__(self, firmware: CedarFirmware) -> None:
        self.fw = firmware

    @property
    def lease(self) -> int:
        """Draws that are still allowed."""
        return int(self.fw.nvram.get("lease", 0))

    def arm(self, lease: int) -> None:
        """A new lease replaces the old one; 0 shuts."""
        if lease == 0:
            self.shut()
            return
        self.fw.nvram.put("lease", lease)
        self.fw.nvram.put("armed", True)
        self.fw.enter(S.ARMED)
        self.fw.body.gate(True)

    def shut(self) -> None:
        """Mouth shut, lease void."""
        self.close()
        if self.fw.state == S.ARMED:
            self.fw.enter(S.READY)

    def close(self) -> None:
        """As `shut`, and the state is another's."""
        self.fw.body.gate(False)
        self.fw.drop_pause()
        if self.lease:
            self.fw.nvram.put("lease", 0)

    def pulling(self) -> None:
        """A card begins to move."""
        self.fw.nvram.put("moving", int(Zone.OUTPUT))

    def passed(self) -> None:
        """The trailing edge of a card: behind the last one of a lease the mouth shuts at once."""
        if self.lease in (0, 1):
            self.fw.body.gate(False)

    def read(self, seen: Seen) -> None:
        """The reader's result: one draw, charged to the lease in force now."""
        fw, lease, gate = self.fw, self.lease, int(self.fw.body.gate_open)
        fw.nvram.put("moving", None)
        if not fw.loaded:
            return
        idx = self.next_idx()
        face = UNREADABLE_CARD if seen.face is None else seen.face
        fw.record(EventCode.CARD_DRAWN, idx=idx, card=face, quality=seen.quality, dwell_ms=seen.dwell_ms)
        fw.nvram.put("out", fw.out + 1)
        meter(fw, "cards")
        fw.body.settle()
        fw.delivery.drawn(lies=fw.body.zones()[Zone.OUTPUT])
        if lease == 0:
            self._uninvited(idx, gate)
        elif lease != LEASE_FREE:
            fw.nvram.put("lease", lease - 1)
        if self.lease == 0 or fw.body.empty():
            self.shut()
        elif fw.cramped:
            fw.body.gate(False)
            fw.when_room(lambda: fw.body.gate(True), self.shut)

    def next_idx(self) -> int:
        """The number of the next draw, which is used up by asking."""
        idx = int(self.fw.nvram.get("idx", 0)) + 1
        self.fw.nvram.put("idx", idx)
        return idx

    def _uninvited(self, idx: int, gate: int) -> None:
        if self.fw.nvram.get("armed"):
            self.fw.fault(EventCode.OVERDRAW, idx=idx, gate=gate)
        else:
            self.fw.fault(EventCode.EARLY_DRAW, idx=idx)

    def pushed_back(self) -> None:
        """A card came back into the mouth: the last one drawn. It keeps its idx."""
        fw = self.fw
        if fw.loaded and fw.nvram.get("idx", 0) and fw.out:
            fw.nvram.put("out", fw.out - 1)
            fw.record(EventCode.CARD_RETURNED, idx=int(fw.nvram.get("idx", 0)))
