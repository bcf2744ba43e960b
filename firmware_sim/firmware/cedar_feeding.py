"""Cards into a Cedar: a load, its mixing, and discards that come back (cedar.md §3, §4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware_sim.carousel_body import Passed
from firmware_sim.firmware.cedar_motors import INSERT_TIME, MIX_TIME, REJECT_TIME
from firmware_sim.firmware.cedar_states import S, Zone
from protocols.message import Body
from protocols.vocabulary import EventCode, Result

if TYPE_CHECKING:
    from firmware_sim.firmware.cedar import CedarFirmware

_OF_ONE_LOAD = ("counted", "out", "purged", "manual", "weak", "idx", "armed", "lease", "last", "packet", "delivery")


class Feeding:
    """The infeed. `counted` is what the path sensor has counted of the load or the discards."""

    def __init__(self, firmware: CedarFirmware) -> None:
        self.fw = firmware
        self.expected = 0
        """Discards that are to come; 0 where nobody said."""
        self._turning = False

    @property
    def counted(self) -> int:
        """What the sensor says went in."""
        fed = int(self.fw.nvram.get("fed", 0))
        return self.fw.body.in_sensor.read(fed) if fed else 0

    def load(self, body: Body) -> int:
        """Begin a load: the number of its cycle."""
        fw = self.fw
        for cell in _OF_ONE_LOAD:
            fw.nvram.put(cell, None)
        if fw.fault_seq(EventCode.SENSOR_WEAK):
            fw.nvram.put("weak", True)
        fw.nvram.put("load", dict(body))
        fw.nvram.put("loaded", True)
        fw.nvram.put("fed", 0)
        fw.body.begin()
        fw.body.new_set()
        fw.enter(S.LOADING)
        self.go_on()
        return fw.next_cycle()

    def mix(self, command: int) -> None:
        """No more cards: what still lies in the infeed goes in, then all are mixed."""
        self.fw.job = command
        self.fw.enter(S.MIXING)
        self.go_on()

    def recycle(self, command: int, expected: int) -> None:
        """Take in the discards that lie in the infeed."""
        fw = self.fw
        fw.job, self.expected = command, expected
        fw.nvram.put("fed", 0)
        fw.body.begin()
        fw.enter(S.RECYCLING)
        self.go_on()

    def stopped(self) -> None:
        """The motors were stopped."""
        self._turning = False

    def go_on(self) -> None:
        """The next card, if one lies there and none is on its way."""
        fw = self.fw
        if self._turning or fw.state not in (S.LOADING, S.MIXING, S.RECYCLING):
            return
        if fw.body.zones()[Zone.INFEED]:
            self._turning = True
            fw.when_room(self._feed, self._give_up)
        elif fw.state == S.MIXING:
            self._turning = True
            fw.motors.soon(self._mixed, MIX_TIME)
        elif fw.state == S.RECYCLING:
            self._turning = True
            fw.motors.soon(self._recycled)

    def _feed(self) -> None:
        self.fw.motors.move(lambda done: self.fw.body.feed(INSERT_TIME, REJECT_TIME, done), Zone.CAROUSEL, self._fed)

    def _fed(self, passed: Passed) -> None:
        self.fw.nvram.put("fed", self.fw.nvram.get("fed", 0) + 1)
        self._turning = False
        self.go_on()

    def _give_up(self) -> None:
        """No room for events within a minute."""
        self.fw.interrupt(S.LOCKED, Result.E_RING)

    def _mixed(self) -> None:
        fw, counted = self.fw, self.counted
        self._turning = False
        fw.body.settle()
        strange = fw.tell_strange()
        if counted != fw.load["expected"]:
            self._mismatch(counted, fw.load["expected"])
        else:
            fw.enter(S.REJECT_PENDING if strange else S.READY)
        fw.end_job()

    def _recycled(self) -> None:
        fw, counted = self.fw, self.counted
        self._turning = False
        fw.nvram.put("out", max(fw.out - counted, 0))
        fw.body.settle()
        strange = fw.tell_strange()
        if self.expected and counted != self.expected:
            self._mismatch(counted, self.expected)
        else:
            fw.enter(S.REJECT_PENDING if strange else S.READY)
        fw.end_job()

    def _mismatch(self, counted: int, expected: int) -> None:
        self.fw.fault(EventCode.COUNT_MISMATCH, **{"in": counted, "out": 0, "expected": expected})
        self.fw.enter(S.LOCKED)
