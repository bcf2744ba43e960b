"""One cycle of an Alder: homing, feeding, mixing, verifying, and every way it can end (alder.md §5, §6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from firmware_sim.composition import Differences, compared, in_parts
from firmware_sim.firmware.alder_states import S
from firmware_sim.mixers import stream
from firmware_sim.shuffler_body import TOO_THICK, Fed
from firmware_sim.treatment import PROFILE, config, meter
from firmware_sim.verdicts import verdict
from protocols.alder.datasheet import PROGRESS_EVERY
from protocols.message import Progress
from protocols.vocabulary import Capability, EventCode, Mode, Result, Verdict, VerdictFlag

if TYPE_CHECKING:
    from firmware_sim.firmware.alder import AlderFirmware

SPIN_UP = 0.04
HOMING_TIME = 1.8
FEED_TIME = {1: 0.33, 2: 0.90}
FEED_DEVIATION = 0.025
MIX_TIME = 0.05
VERIFY_TIME = {1: 1.0, 2: 3.0}
CLEAR_TIME = 0.9
CLEAR_TRIES = 3
FLUSH_TIME = 2.0
PATH, RACK = 1, 2


class Cycle:
    """The cycle that runs, or the last one. What must survive a power cut is in NVRAM under `cycle`."""

    def __init__(self, firmware: AlderFirmware) -> None:
        self.fw = firmware
        self.body = firmware.body
        self.ending = False
        self._begun = 0
        self._told = float("-inf")
        self._luck = stream(0)

    @property
    def now(self) -> Mapping[str, Any]:
        """The numbers of the cycle that runs; empty when none does."""
        running: Mapping[str, Any] = self.fw.nvram.get("cycle", {})
        return running

    @property
    def running(self) -> bool:
        """Whether one runs."""
        return bool(self.now)

    def _note(self, **changes: Any) -> None:
        self.fw.nvram.put("cycle", {**self.now, **changes})

    # begin

    def start(self, mode: int, deck: int, expected: int, *, origin: int, command: int) -> int:
        """Begin; the number of the cycle."""
        fw = self.fw
        self.body.begin()
        if self.body.plan.take("sort", fw.unit.name, cycle=self.body.cycle):
            mode = Mode.SORT
        number = fw.nvram.get("cycles", 0) + 1 & 0xFFFFFFFF
        fw.nvram.put("cycles", number)
        fw.nvram.put("deck", deck)
        fw.nvram.put("confirmed", None)  # that was the deck in the infeed, and the next one there may be the other
        if fw.unit.caps & Capability.BACK_COLOUR:
            fw.note_back(deck, fw.back_sensed())
        fw.nvram.put("verdict", None)
        fw.nvram.put("cycle", {"number": number, "mode": mode, "deck": deck, "expected": expected, "in": 0, "out": 0})
        weak = VerdictFlag.SENSOR_WEAK if fw.fault_seq(EventCode.SENSOR_WEAK) else 0
        self._note(origin=origin, command=command, flags=(mode - 1) << 4 | weak)
        self.ending = False
        self._luck = stream(self.body.seed, "feed", number)
        fw.record(EventCode.SHUFFLE_STARTED, cycle=number, mode=mode, deck=deck, origin=origin)
        self.body.wait(SPIN_UP, fw.guarded(self._feeding))
        return int(number)

    def weak(self) -> None:
        """A sensor is dirty: the count of this cycle says so."""
        if self.running:
            self._note(flags=self.now["flags"] | VerdictFlag.SENSOR_WEAK)

    def panel(self) -> None:
        """Somebody presses the button on the machine, if that is in the plan."""
        fw = self.fw
        ready = fw.state == S.LOADED and not fw.moving() and fw.blocking() is None
        if ready and self.body.plan.take("panel", fw.unit.name, cycle=self.body.cycle + 1):
            self.press()

    def press(self) -> bool:
        """The button on the machine: shuffle what lies there. Whether it did."""
        fw = self.fw
        if fw.state != S.LOADED or fw.moving() or fw.blocking() is not None or fw.cramped:
            return False
        self.start(Mode.SHUFFLE, fw.deck_in_infeed, self.body.zones()[0], origin=1, command=0)
        return True

    # go on

    def _feeding(self) -> None:
        self.fw.enter(S.FEEDING)
        self.body.wait(HOMING_TIME, self.fw.guarded(self._homed))

    def _homed(self) -> None:
        _, path, rack, output = self.body.zones()
        for zone, cards in ((PATH, path), (RACK, rack), (3, output - self.body.tray)):
            if cards > 0:
                self.fw.fault(EventCode.RESIDUAL, zone=zone, n=cards)
                self._end(S.FAULT, Result.E_FAULT)
                return
        self._next()

    def _next(self) -> None:
        self.fw.when_room(self._feed, self._give_up)

    def _feed(self) -> None:
        fw = self.fw
        if not self.body.zones()[0]:
            fw.enter(S.MIXING)
            fw.nvram.put("moving", RACK if self.body.zones()[RACK] else None)
            self.body.lift(MIX_TIME, self.now["mode"], fw.guarded(self._mixed))
            return
        seconds = max(self._luck.gauss(FEED_TIME[config(fw, PROFILE)], FEED_DEVIATION), 0.1)
        self._note(**{"in": self.now["in"] + 1})
        fw.nvram.put("moving", PATH)
        begun = self._begun
        fw.after(0, lambda: self.body.feed(seconds, fw.guarded(self._fed)) if begun == self._begun else None)

    def _fed(self, fed: Fed, tries: int = 0) -> None:
        fw = self.fw
        if fed.thickness >= TOO_THICK or fed.damaged:
            fw.nvram.put("moving", None)
            self._bad_card(fed)
            return
        if fed.stuck and tries < CLEAR_TRIES:
            self.body.free(CLEAR_TIME, fw.guarded(lambda again: self._fed(again, tries + 1)))
            return
        fw.nvram.put("moving", None)
        if tries:
            fw.fault(EventCode.JAM, zone=PATH, cards_in_path=1, attempt=tries)
        if fed.stuck:
            self._end(S.FAULT, Result.E_FAULT)
            return
        if tries:
            fw.clear(EventCode.JAM, how=0)
        meter(fw, "cards")
        self._tell()
        self._next()

    def _bad_card(self, fed: Fed) -> None:
        """Two at once, or one that is bent: it stays in the path."""
        if fed.damaged:
            self.fw.fault(EventCode.CARD_DAMAGED, zone=PATH)
        else:
            self.fw.fault(EventCode.DOUBLE_FEED, zone=PATH, thickness=min(fed.thickness, 0xFF))
        self._end(S.FAULT, Result.E_FAULT)

    def _tell(self) -> None:
        """Progress, at most each 250 ms of the line's time."""
        fw, line = self.fw, self.fw.unit.line.now
        if fw.link.up and line - self._told >= PROGRESS_EVERY:
            self._told = line
            fw.push(Progress(self.now["number"], fw.state, self.now["in"], self.now["expected"]))

    def _mixed(self, counted: int) -> None:
        self._note(out=counted)
        self.fw.nvram.put("moving", None)
        self.fw.enter(S.VERIFYING)
        self.body.wait(VERIFY_TIME[config(self.fw, PROFILE)], self.fw.guarded(self._verified))

    # the end as it should be

    def _verified(self) -> None:
        fw, now = self.fw, self.now
        counted_in, out = self._counts()
        caps, expected = fw.unit.caps, now["expected"]
        read, entries, strange = compared(self.body.readings(), caps, whole=expected > 0)
        flags = now["flags"] | read
        for code, card in strange:
            fw.fault(code, card=card, idx=0)
        self._report_composition(entries)
        doubt = counted_in != out or any(code != EventCode.DUPLICATE for code, _ in strange)
        says = verdict(flags, out, now["expected"], doubt=doubt, differs=bool(entries))
        self._done(says, flags, counted_in, out)
        if says in (Verdict.SHORT, Verdict.OVER) or (says == Verdict.UNKNOWN and doubt):
            fw.fault(EventCode.COUNT_MISMATCH, **{"in": counted_in, "out": out, "expected": now["expected"]})
        self._leave(says, out, bool(strange))

    def _leave(self, says: Verdict, out: int, strange: bool) -> None:
        fw, command = self.fw, self.now["command"]
        right = says in (Verdict.OK, Verdict.NOT_A_SHUFFLE)
        meter(fw, "cycles_ok" if right else "cycles_bad")
        fw.nvram.put("counted", out)
        fw.nvram.put("verdict", [self.now["deck"], int(says)] if right and not strange else None)
        fw.nvram.put("cycle", None)
        if strange:
            fw.enter(S.FAULT)
        elif not right:
            fw.enter(S.LOCKED)
        else:
            fw.enter(S.READY if self.body.zones()[3] - self.body.tray else S.EMPTY)
        if command:
            fw.done(command, Result.OK)

    def _counts(self) -> tuple[int, int]:
        """What the sensors counted in and out; a machine without them echoes what it was told."""
        if not self.fw.unit.caps & Capability.COUNT_OUT_AFTER_SHUFFLE:
            return self.now["expected"], self.now["expected"]
        return self.body.path_sensor.read(self.now["in"]), self.now["out"]

    def _report_composition(self, entries: Differences) -> None:
        parts = in_parts(entries)
        for number, part in enumerate(parts, start=1):
            listed = tuple({"card": card, "delta": delta} for card, delta in part)
            self.fw.record(
                EventCode.COMPOSITION, cycle=self.now["number"], part=number, parts=len(parts), entries=listed
            )

    def _done(self, says: Verdict, flags: int, counted_in: int, out: int) -> None:
        now = self.now
        body = {"in": counted_in, "out": out, "expected": now["expected"], "verdict": int(says), "flags": int(flags)}
        self.fw.record(EventCode.SHUFFLE_DONE, cycle=now["number"], **body)

    # every other end

    def _end(self, state: S, result: Result, flags: int = 0, abort: Result = Result.E_ABORTED) -> None:
        """Early: SHUFFLE_DONE verdict 5, the state, then what became of the command, and of an ABORT."""
        fw, now = self.fw, self.now
        self._halt()
        self._done(Verdict.ABORTED, now["flags"] | flags, self.body.path_sensor.read(now["in"]), now["out"])
        meter(fw, "cycles_bad")
        fw.nvram.put("cycle", None)
        fw.enter(state)
        for command, end in ((now["command"], result), (now.get("abort"), abort)):
            if command:
                fw.done(command, end)

    def _halt(self) -> None:
        """Motors stop, and whatever was to come next does not."""
        self._begun += 1
        self.body.stop()
        self.fw.drop_pause()

    def abort(self, command: int) -> None:
        """The host gives it up: all cards to the output, then LOCKED."""
        self._note(abort=command)
        self._flush(Result.E_ABORTED)

    def _give_up(self) -> None:
        """No room for events within a minute: as an abort."""
        self._flush(Result.E_RING)

    def _flush(self, result: Result) -> None:
        self.ending = True
        self._halt()
        self.fw.nvram.put("moving", None)

        def out(cards: int) -> None:
            self._note(out=cards)
            self._end(S.LOCKED, result, abort=Result.OK)

        self.body.flush(FLUSH_TIME, self.fw.guarded(out))

    def end_by_fault(self) -> None:
        """The machine cannot go on."""
        self._end(S.FAULT, Result.E_FAULT)

    def end_by_hand(self, state: S) -> None:
        """Door or service port opened in the cycle."""
        self._end(state, Result.E_ABORTED, VerdictFlag.MANUAL)

    def cut_by_power(self) -> bool:
        """At start: end the cycle that the power cut ended, if one ran."""
        if not self.running:
            return False
        now = self.now
        flags = now["flags"] | VerdictFlag.UNCERTAIN
        self._done(Verdict.ABORTED, flags, self.body.path_sensor.read(now["in"]), now["out"])
        meter(self.fw, "cycles_bad")
        self.fw.nvram.put("cycle", None)
        return True
