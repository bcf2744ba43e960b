"""Birch's firmware (birch.md §3 to §6): a shoe with a gate that is polled."""

from __future__ import annotations

from firmware_sim.core import Unit
from firmware_sim.device import Answer
from firmware_sim.firmware.birch_messages import TABLE
from firmware_sim.firmware.birch_states import LAMPS, LID_UNLOCKED, NEXT, S
from firmware_sim.models import Model
from firmware_sim.shoe_body import ShoeBody
from firmware_sim.shoe_firmware import ShoeFirmware
from firmware_sim.treatment import treat
from protocols.link import Link
from protocols.message import Request
from protocols.vocabulary import EventCode


class BirchFirmware(ShoeFirmware):
    """One shoe."""

    next, lamps, lid_unlocked = NEXT, LAMPS, LID_UNLOCKED

    def __init__(self, unit: Unit, link: Link, body: ShoeBody) -> None:
        super().__init__(unit, link, body)
        self.ctr = 0
        self.closing = False

    # Device

    def answer(self, request: Request) -> Answer:
        """See Device."""
        if request.broadcast:
            self.shut()
            return Answer()
        return treat(self, request, TABLE)

    def noted(self, code: int) -> None:
        """See Device: the counter that POLL shows."""
        self.ctr = self.ctr % 255 + 1

    def moving(self) -> bool:
        """See Device."""
        return self.closing

    def reset_by_host(self) -> None:
        """See Device: no lease outlives SYNC."""
        self.shut()

    def silent(self, ms: int) -> None:
        """The host has not been heard: the gate shuts."""
        self.shut()
        self.fault(EventCode.COMMS_LOST, ms=ms)

    # ShoeFirmware

    @property
    def woken_state(self) -> int:
        """See ShoeFirmware: where the cut card has been seen, the next ARM is the first of the rest."""
        return S.LOADED if self.rest_state == S.ENDING else self.rest_state

    def show(self) -> None:
        """See ShoeFirmware; the display asks for cards while it is loaded."""
        self.body.wanted = self.load.get("expected", 0) if self.state == S.LOADING else 0
        self.body.cut_wanted = self.load.get("cut", 0) if self.state == S.LOADING else 0
        self.body.between_shoes = self.state == S.UNLOADED
        super().show()


MODEL = Model(
    body=lambda of: ShoeBody(of.name, of.world, of.clock, of.plan, of.seed),
    firmware=BirchFirmware,
    zones=("shoe", "mouth"),
    serial=3,
    address=3,
)
