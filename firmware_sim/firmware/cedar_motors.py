"""One card after another through a Cedar: what is stuck is freed by up to three tries, else the machine stops."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from firmware_sim.carousel_body import TOO_THICK, Done, Passed
from firmware_sim.firmware.cedar_states import S, Zone
from firmware_sim.treatment import meter
from protocols.vocabulary import EventCode, Result

if TYPE_CHECKING:
    from firmware_sim.firmware.cedar import CedarFirmware

INSERT_TIME, EJECT_TIME, REJECT_TIME = 0.60, 0.40, 0.80
UNLOAD_TIME, SCAN_TIME = 0.385, 0.288
"""For each card: 312 cards take two minutes to unload and a minute and a half to count."""
MIX_TIME, HOMING_TIME = 2.0, 1.8
CLEAR_TIME, CLEAR_TRIES = 0.9, 3

Start = Callable[[Done], None]


class Motors:
    """What moves cards. `halt` makes that nothing of what was begun goes on."""

    def __init__(self, firmware: CedarFirmware) -> None:
        self.fw = firmware
        self._begun = 0
        self._stuck_in = int(Zone.PATH)

    def halt(self) -> None:
        """Motors stop, and whatever was to come next does not."""
        self._begun += 1
        self.fw.body.stop()
        self.fw.drop_pause()
        self.fw.nvram.put("moving", None)

    def soon(self, action: Callable[[], None], seconds: float = 0.0) -> None:
        """An action of the running motion, once this step is written down; not if the motion was halted."""
        begun = self._begun
        self.fw.after(seconds, lambda: action() if begun == self._begun else None)

    def move(self, start: Start, zone: Zone, done: Done) -> None:
        """One card into a zone. The intent is in NVRAM before anything moves."""
        self.fw.nvram.put("moving", int(zone))
        self.soon(lambda: start(self.fw.guarded(lambda passed: self._came(passed, done, 0))))

    def _came(self, passed: Passed, done: Done, tries: int) -> None:
        fw = self.fw
        if passed.thickness >= TOO_THICK or passed.damaged:
            self._bad_card(passed)
            return
        if passed.stuck is not None and tries < CLEAR_TRIES:
            self._stuck_in = passed.stuck
            fw.body.free(CLEAR_TIME, fw.guarded(lambda freed: self._came(freed, done, tries + 1)))
            return
        fw.nvram.put("moving", None)
        if tries:
            fw.fault(EventCode.JAM, zone=self._stuck_in, cards_in_path=fw.body.zones()[Zone.PATH], attempt=tries)
            meter(fw, "jams")
        if passed.stuck is not None:
            fw.interrupt(S.FAULT, Result.E_FAULT)
            return
        if tries:
            fw.clear(EventCode.JAM, how=0)
        meter(fw, "cards")
        done(passed)

    def _bad_card(self, passed: Passed) -> None:
        """Two at once, or one that is bent: it stays in the path."""
        fw = self.fw
        if passed.damaged:
            fw.fault(EventCode.CARD_DAMAGED, zone=int(Zone.PATH))
        else:
            fw.fault(EventCode.DOUBLE_FEED, zone=int(Zone.PATH), thickness=min(passed.thickness, 0xFF))
        fw.interrupt(S.FAULT, Result.E_FAULT)
