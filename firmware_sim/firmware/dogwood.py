"""Dogwood's firmware (dogwood.md §3 to §6): a light shoe that sends its events by itself and holds no card back."""

from __future__ import annotations

from firmware_sim.core import Unit
from firmware_sim.device import Answer
from firmware_sim.faults import FaultPlan
from firmware_sim.firmware.dogwood_messages import FEATURES, TABLE, status
from firmware_sim.firmware.dogwood_states import LAMPS, LID_UNLOCKED, NEXT, RED, S
from firmware_sim.models import Model, Options
from firmware_sim.open_shoe_body import ANY_NUMBER, OpenShoeBody
from firmware_sim.ring import KEPT_FOR_FAULTS
from firmware_sim.shoe_firmware import ShoeFirmware
from firmware_sim.treatment import treat
from protocols.link import Link
from protocols.message import Event, Hint, Message, Request
from protocols.vocabulary import Capability, EventCode


class DogwoodFirmware(ShoeFirmware):
    """One shoe."""

    next, lamps, lid_unlocked = NEXT, LAMPS, LID_UNLOCKED
    body: OpenShoeBody

    def __init__(self, unit: Unit, link: Link, body: OpenShoeBody) -> None:
        super().__init__(unit, link, body)
        body.brake = bool(unit.caps & Capability.GATE)
        self._came_up = False
        self._told: Hint | None = None

    # Device

    def answer(self, request: Request) -> Answer:
        """See Device; feature reports have no result byte and are never refused."""
        feature = FEATURES.get(request.type)
        return Answer(body=feature(self)) if feature else treat(self, request, TABLE)

    def link_came_up(self) -> None:
        """See Device: all retained events from the oldest on, and from now on each as it happens."""
        self._came_up = True
        for event in self.told(self.ring.retained()):
            self.push(event)

    def pushed(self, message: Message) -> bool:
        """See Core: the link keeps them and sends one at a time."""
        return self._came_up and isinstance(message, Event)

    def hints(self) -> list[Message]:
        """See Core: STATUS, whenever one of its fields is another."""
        hint = Hint(status(self))
        if hint == self._told or not self.link.up:
            return []
        self._told = hint
        return [hint]

    def noted(self, code: int) -> None:
        """See Core: whether the last card is out is remembered, for the well is filled again before LOAD."""
        if code in (EventCode.SHOE_EMPTY, EventCode.CARD_RETURNED):
            self.nvram.put("ended", True if code == EventCode.SHOE_EMPTY else None)

    def enter(self, new: int) -> None:
        """See ShoeFirmware; the lamp is the state's again."""
        if new != self.state:
            self.nvram.put("lamp", None)
        super().enter(new)

    # ShoeFirmware

    @property
    def full(self) -> bool:
        """Whether draws find no slot in the ring any more."""
        return self.ring.free <= KEPT_FOR_FAULTS

    @property
    def lamp(self) -> int:
        """See ShoeFirmware: the state's, unless the host wants another; red where draws go unrecorded."""
        return RED if self.full else int(self.nvram.get("lamp", LAMPS[self.state]))

    @property
    def ended(self) -> bool:
        """See ShoeFirmware."""
        return bool(self.nvram.get("ended"))

    @property
    def rest_state(self) -> int:
        """See ShoeFirmware."""
        return S.RETIRED if self.nvram.get("retired") else super().rest_state

    def show(self) -> None:
        """See ShoeFirmware: people fill a shoe whose lamp is off, and take out what is left of one that is over."""
        waits, body = self.state in LID_UNLOCKED, self.body
        body.wanted = ANY_NUMBER if waits else 0
        body.between_shoes = waits
        super().show()

    def retire(self) -> None:
        """No more cards of this shoe until LOAD."""
        self.nvram.put("retired", True)
        self.shut()
        self.body.retire()
        if self.state in (S.FAULT, S.LID_OPEN, S.SERVICE):
            self.show()
        else:
            self.enter(S.RETIRED)


def _caps(caps: Capability, options: Options, plan: FaultPlan) -> Capability:
    return caps | Capability.GATE if options.brake else caps


MODEL = Model(
    body=OpenShoeBody,
    firmware=DogwoodFirmware,
    zones=("shoe", "mouth"),
    caps=_caps,
)
