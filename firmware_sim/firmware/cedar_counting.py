"""The two counts of a Cedar: INVENTORY at rest, and UNLOAD_ALL as everything comes out (cedar.md §3 Counts)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from firmware_sim.carousel_body import Passed
from firmware_sim.composition import Differences, in_parts
from firmware_sim.firmware.cedar_motors import SCAN_TIME, UNLOAD_TIME
from firmware_sim.firmware.cedar_states import S, Zone
from firmware_sim.mechanics import STANDARD
from firmware_sim.treatment import meter
from firmware_sim.verdicts import verdict
from protocols.vocabulary import (
    FACE_UP_CARD,
    UNREADABLE_CARD,
    EventCode,
    Result,
    Verdict,
    VerdictFlag,
    card_byte,
    is_face,
)

if TYPE_CHECKING:
    from firmware_sim.firmware.cedar import CedarFirmware

JOKERS = (0x41, 0x42)
"""Those of profile 1, in each deck."""
NOT_READ = (UNREADABLE_CARD, FACE_UP_CARD)


class Counting:
    """One count at a time; `running` is the INVENTORY that goes on."""

    def __init__(self, firmware: CedarFirmware) -> None:
        self.fw = firmware
        self.running = False
        self._left = 0
        self._told = 0

    def stopped(self) -> None:
        """The motors were stopped."""
        self.running = False

    # at rest

    def inventory(self, command: int) -> int:
        """Begin: the number of the cycle."""
        fw = self.fw
        fw.job, self.running = command, True
        fw.body.begin()
        fw.body.tidy()
        self._left = sum(fw.body.zones())
        fw.motors.soon(self._scan)
        return fw.next_cycle()

    def _scan(self) -> None:
        if self._left == 0:
            self._inventoried()
            return
        self._left -= 1
        self.fw.motors.move(lambda done: self.fw.body.scan(SCAN_TIME, done), Zone.CAROUSEL, self._scanned)

    def _scanned(self, passed: Passed) -> None:
        self.fw.when_room(self._scan, lambda: self.fw.interrupt(S.LOCKED, Result.E_RING))

    def _inventoried(self) -> None:
        fw = self.fw
        self.running = False
        says = self._tell(fw.body.rest_sensor.read(sum(fw.body.zones()) - fw.delivery.told), tell_strange=True)
        if says is not Verdict.OK:
            fw.enter(S.LOCKED)
        elif fw.state == S.LOCKED:
            fw.enter(S.READY)
        fw.body.settle()
        fw.end_job()

    # as all comes out

    def unload(self, command: int) -> None:
        """Everything to the output."""
        fw = self.fw
        fw.job = command
        self._told = fw.delivery.told
        fw.body.begin()
        fw.enter(S.PURGING)
        self._spill()

    def _spill(self) -> None:
        fw = self.fw
        if fw.body.left_to_spill() == 0:
            fw.motors.soon(self._unloaded)
        else:
            fw.when_room(self._one_more, lambda: fw.interrupt(S.LOCKED, Result.E_RING))

    def _one_more(self) -> None:
        self.fw.motors.move(
            lambda done: self.fw.body.spill(UNLOAD_TIME, done), Zone.OUTPUT, lambda passed: self._spill()
        )

    def _unloaded(self) -> None:
        fw, zones = self.fw, self.fw.body.zones()
        came_out = fw.body.tray() + zones[Zone.REJECT] - self._told
        self._tell(came_out, tell_strange=False)
        for zone in (Zone.INFEED, Zone.PATH, Zone.CAROUSEL, Zone.BUFFER, Zone.REJECT):
            if zones[zone]:
                fw.fault(EventCode.RESIDUAL, zone=int(zone), n=zones[zone])
        for cell in ("loaded", "packet", "delivery"):
            fw.nvram.put(cell, None)
        fw.enter(S.UNLOADED)
        fw.end_job()

    # what it says

    def _tell(self, counted: int, *, tell_strange: bool) -> Verdict:
        fw = self.fw
        expected = max(fw.load.get("expected", 0) - fw.purged - fw.out, 0) if fw.loaded else 0
        flags = VerdictFlag.MANUAL if fw.nvram.get("manual") else VerdictFlag(0)
        flags |= VerdictFlag.SENSOR_WEAK if fw.nvram.get("weak") else VerdictFlag(0)
        entries: Differences = []
        unread = 0
        if fw.loaded and fw.out == 0 and fw.purged == 0:
            flags |= VerdictFlag.COMPOSITION_COMPARED
            if tell_strange:
                fw.tell_strange(everywhere=True)
            faces = [face for face, _ in fw.body.readings()]
            unread = sum(face in NOT_READ for face in faces)
            entries = self._differences(faces)
        cycle = fw.nvram.get("cycles", 0)
        parts = in_parts(entries)
        for number, part in enumerate(parts, start=1):
            listed = tuple({"card": card, "delta": delta} for card, delta in part)
            fw.record(EventCode.COMPOSITION, cycle=cycle, part=number, parts=len(parts), entries=listed)
        says = verdict(int(flags), counted, expected, doubt=unread > 0, differs=bool(entries))
        body = {"expected": expected, "counted": counted, "unread": unread, "verdict": int(says), "flags": int(flags)}
        fw.record(EventCode.SHOE_COUNT, cycle=cycle, **body)
        meter(fw, "cycles_ok" if says is Verdict.OK else "cycles_bad")
        if says in (Verdict.SHORT, Verdict.OVER):
            fw.fault(EventCode.COUNT_MISMATCH, **{"in": counted, "out": 0, "expected": expected})
        return says

    def _differences(self, faces: list[int]) -> Differences:
        """What is there too often, or not often enough, for so many whole decks."""
        decks = self.fw.load.get("decks", 1)
        have = Counter(face for face in faces if is_face(face))
        jokers = JOKERS if self.fw.load.get("profile") else ()
        for face in (*map(card_byte, STANDARD), *jokers):
            have[face] -= decks
        return sorted((card, delta) for card, delta in have.items() if delta)
