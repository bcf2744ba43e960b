"""Packets to seats (cedar.md §3): each is made, told, waits to be taken, and only then the next one is begun."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from firmware_sim.carousel_body import Passed
from firmware_sim.firmware.cedar_motors import EJECT_TIME
from firmware_sim.firmware.cedar_states import S, Zone
from protocols.vocabulary import EventCode, Result

if TYPE_CHECKING:
    from firmware_sim.firmware.cedar import CedarFirmware

Packet = tuple[int, int]
"""Seat, and how many cards."""


class Delivery:
    """The tray. What lies in it and for whom is in NVRAM (`packet`), so it is told also after a restart."""

    def __init__(self, firmware: CedarFirmware) -> None:
        self.fw = firmware
        self.plugged = True
        """A plan stops before its next packet while the cable is out."""
        self._round = 0
        self._packets: Sequence[Packet] = ()
        self._k = 0
        self._ejected = 0
        self._turning = False
        self._waiting = False
        self._ends: Result | None = None
        self._stop = 0

    @property
    def shown(self) -> tuple[int, int, int]:
        """Round, seat and place in the plan of the present packet."""
        if not self.running:
            return 0, 0, 0
        return self._round, self._packets[self._k - 1][0], self._k

    @property
    def running(self) -> bool:
        """Whether a delivery is under way."""
        return self._k > 0

    @property
    def packet(self) -> dict[str, Any] | None:
        """What lies in the tray, as it was told; its `seat` is None for cards that belong to no packet."""
        packet: dict[str, Any] | None = self.fw.nvram.get("packet")
        return packet

    def start(self, command: int, round: int, packets: Sequence[Packet]) -> None:
        """Deliver packets in their order."""
        self.fw.job = command
        self._round, self._packets, self._k, self._ends = round, packets, 0, None
        self.fw.body.begin()
        self._next()

    def _next(self) -> None:
        self._waiting = False
        self._k += 1
        self._ejected = 0
        self.fw.nvram.put("delivery", {"round": self._round, "seat": self._packets[self._k - 1][0]})
        self.fw.enter(S.DELIVERING)
        self._card()

    def _card(self) -> None:
        if self._ends is not None or self._ejected == self._packets[self._k - 1][1]:
            self._complete()
            return
        self._turning = True
        self.fw.when_room(self._eject, lambda: self._end(Result.E_RING))

    def _eject(self) -> None:
        self.fw.motors.move(lambda done: self.fw.body.eject(EJECT_TIME, done), Zone.OUTPUT, self._came)

    def _came(self, passed: Passed) -> None:
        self._turning = False
        self._ejected += 1
        self._card()

    def _complete(self) -> None:
        """All cards of a packet, or those that were in the tray when it was stopped."""
        if self.fw.body.zones()[Zone.OUTPUT] == 0:
            self._over()
            return
        packet = self._note()
        self.fw.record(EventCode.PACKET_READY, **packet)
        self.fw.enter(S.WAIT_TAKE)

    def _note(self) -> dict[str, int]:
        packet = {"round": self._round, "seat": self._packets[self._k - 1][0], "n": self.fw.body.tray() & 0xFF}
        self.fw.nvram.put("packet", packet)
        return packet

    def look(self) -> None:
        """Whether the tray was emptied."""
        packet = self.packet
        if packet is None or self.fw.body.zones()[Zone.OUTPUT] or self.fw.state == S.DELIVERING:
            return
        self.fw.nvram.put("packet", None)
        self.fw.nvram.put("delivery", None)
        self.fw.nvram.put("out", self.fw.out + packet["n"])
        if packet["seat"] is not None:
            self.fw.record(EventCode.PACKET_TAKEN, **packet)
        if self.fw.state == S.WAIT_TAKE:
            self._taken()

    def _taken(self) -> None:
        if self._ends is not None or self._k == len(self._packets):
            self._over()
        elif self.plugged:
            self._next()
        else:
            self._waiting = True

    def _over(self) -> None:
        fw, ends, stop = self.fw, self._ends or Result.OK, self._stop
        self._forget()
        fw.nvram.put("delivery", None)
        fw.enter(S.READY)
        fw.end_job(ends)
        if stop:
            fw.done(stop, Result.OK)

    def _forget(self) -> None:
        self._k, self._stop, self._ends = 0, 0, None
        self._turning = self._waiting = False

    # every other end

    def stop(self, command: int) -> None:
        """No more cards. What lies in the tray waits to be taken as ever."""
        self._stop = command
        self._end(Result.E_ABORTED)

    def _end(self, result: Result) -> None:
        self._ends = result
        if self._waiting:
            self._over()
        elif self.fw.state == S.DELIVERING and (self.fw.paused or not self._turning or result == Result.E_RING):
            self.fw.drop_pause()
            self._complete()

    @property
    def stopping(self) -> bool:
        """Whether it was told to stop."""
        return self._stop != 0

    def broken_off(self) -> int:
        """A fault or a hand has stopped the machine: what lies in the tray is a packet still. The open STOP, or 0."""
        stop = self._stop
        self._forget()
        self.find()
        return stop

    def drawn(self, lies: int) -> None:
        """A card was drawn, and maybe it lies in the mouth still: then it is told already, and out."""
        if lies and self.packet is None:
            self.fw.nvram.put("packet", {"round": 0, "seat": None, "n": 0})

    @property
    def told(self) -> int:
        """Cards that lie in the output and do not belong to the machine any more."""
        packet = self.packet
        return self.fw.body.zones()[Zone.OUTPUT] if packet and packet["seat"] is None and not packet["n"] else 0

    def find(self) -> None:
        """Cards lie in the output of which nothing was told: a part of a packet, or a card that stuck in the mouth."""
        if self.fw.loaded and self.packet is None and self.fw.body.zones()[Zone.OUTPUT]:
            belongs = self.fw.nvram.get("delivery") or {"round": 0, "seat": None}
            self.fw.nvram.put("packet", {**belongs, "n": self.fw.body.tray()})

    def replugged(self) -> None:
        """The cable is back: a plan goes on."""
        self.plugged = True
        if self._waiting:
            self._next()
