"""What came before now, for the pit: verdicts, rounds by the hour, the last count, open faults, since when a hold is.

All of it is in the journal. Its newest entries are read once, and then what is added, by a connection of its own and in
a thread, so that nobody waits. Nothing here holds a face.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from protocols.vocabulary import FIRST_FAULT, EventCode
from shoectl.disk import Disk
from shoectl.journal import Broken, Clock, Entry, Reader
from shoectl.table.runner import Runner

log = logging.getLogger("shoectl.console")

VERDICTS: Final = 24  # that the pit shows of a device
HOURS: Final = 8  # of which the rounds are shown
BACK: Final = 30_000  # entries that are read at the start: more than those hours of play
PAUSE_S: Final = 1.0  # between two looks into the journal
HOUR_US: Final = 3600 * 10**6
PLACES: Final = {"Shuffled": "shuffler", "ShoeClosed": "shoe"}  # whose verdict an answer is
TELLING: Final = ("round", "step", "hold", "held", "irregularity", "event", "answer", "void")
AT_ONCE: Final = 200  # entries that are taken in before others have their turn
ENDS_HOLD: Final = ("held", "irregularity", "round", "void")
Json = dict[str, Any]


@dataclass(frozen=True)
class Counted:
    """A dealer's count: how many cards, in which round, when (UNIX seconds), by whom."""

    cards: int
    round: int
    at: float
    by: str


@dataclass(frozen=True)
class Fault:
    """A fault that is open: of the device at a place, its code, since when (UNIX seconds)."""

    place: str
    code: int
    since: float


@dataclass(frozen=True)
class Past:
    """One moment of it. `hours`: rounds in each of the last hours, the running one last; `today`: cycles and loads
    since midnight by place, and faults there as `PLACE faults`; `held`: since when the open hold lasts.
    """

    hours: tuple[int, ...] = ()
    counted: Counted | None = None
    faults: tuple[Fault, ...] = ()
    today: Mapping[str, int] = field(default_factory=dict)
    held: float | None = None
    last: float | None = None


class Fold:
    """What the entries tell, one after another."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._verdicts: dict[str, deque[Json]] = {}
        self._rounds: deque[int] = deque()  # when they were opened, in steady µs of this boot
        self._faults: dict[tuple[str, int], Fault] = {}  # by unit and number of the event
        self._days: dict[str, Counter[str]] = {}
        self._round = 0
        self._step = ""
        self._counted: Counted | None = None
        self._held: float | None = None
        self._last: float | None = None

    def verdicts(self, place: str) -> list[Json]:
        """The last verdicts of the device at a place, oldest first."""
        return list(self._verdicts.get(place, ()))

    def pace(self) -> int:
        """How many rounds were opened within the last hour."""
        return sum(1 for _ in self._within(0))

    def past(self) -> Past:
        """How it is now."""
        while self._rounds and self._ago(self._rounds[0]) >= HOURS * HOUR_US:
            self._rounds.popleft()
        hours = tuple(sum(1 for _ in self._within(hour)) for hour in reversed(range(HOURS)))
        faults = tuple(self._faults.values())
        today = dict(self._days.get(_day(self._clock.wall()), ()))
        return Past(hours, self._counted, faults, today, self._held, self._last)

    def _ago(self, mono: int) -> int:
        return self._clock.mono() - mono

    def _within(self, hour: int) -> Iterator[int]:
        return (one for one in self._rounds if hour * HOUR_US <= self._ago(one) < (hour + 1) * HOUR_US)

    def take(self, entry: Entry, body: Json) -> None:
        """One entry more, with its body."""
        self._last = entry.wall / 10**6
        if entry.kind in ENDS_HOLD or entry.kind == "answer":
            self._held = None
        match entry.kind:
            case "round":
                self._round = int(body["number"])
                same = entry.boot == self._clock.boot
                ago = self._clock.mono() - entry.mono if same else self._clock.wall() - entry.wall
                self._rounds.append(self._clock.mono() - max(0, ago))
            case "step":
                self._step = str(body["step"]["do"])
            case "hold":
                self._held = entry.wall / 10**6
            case "event":
                self._event(entry, body)
            case "answer":
                self._answer(entry, body)

    def _event(self, entry: Entry, body: Json) -> None:
        place, unit, code = str(body["place"]), str(body["unit"]), int(body["code"])
        if code == EventCode.CLEARED:
            self._faults.pop((unit, int(body["body"].get("fault_seq", 0))), None)
        elif code == EventCode.POWER_UP:  # what is open after a restart the device tells again
            self._faults = {key: fault for key, fault in self._faults.items() if key[0] != unit}
        elif code >= FIRST_FAULT:
            self._faults[unit, int(body["seq"])] = Fault(place, code, entry.wall / 10**6)
            self._count(entry, f"{place} faults")

    def _answer(self, entry: Entry, body: Json) -> None:
        said, takes = body["answer"], str(body["takes"])
        if takes == "Counted" and self._step == "count":
            self._counted = Counted(int(said["cards"]), self._round, entry.wall / 10**6, str(body["by"]))
        place = PLACES.get(takes)
        if place is None:
            return
        self._count(entry, place)
        proven = bool(said.get("proven") or said.get("right"))
        self._verdicts.setdefault(place, deque(maxlen=VERDICTS)).append(
            {
                "entry": entry.n,
                "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(entry.wall / 10**6)),
                "verdict": "wrong" if said.get("wrong") else "proven" if proven else "unsure",
                "counted": int(said.get("counted", 0)),
                "text": str(said.get("reason", "")),
            }
        )

    def _count(self, entry: Entry, what: str) -> None:
        day = _day(entry.wall)
        self._days = {day: self._days.get(day, Counter())}
        self._days[day][what] += 1


def _day(wall: int) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(wall / 10**6))


class History:
    """The fold of a running table's journal."""

    def __init__(self, runner: Runner[Any]) -> None:
        self._runner = runner
        self._changed = asyncio.Event()
        self._fold = Fold(Clock())
        self._read = 0  # the last entry that was looked at
        self.verdicts, self.pace, self.past = self._fold.verdicts, self._fold.pace, self._fold.past
        runner.listen(self._changed.set)

    async def follow(self) -> None:
        """Look into the journal at the start and after each change, until cancelled."""
        self._read = max(0, self._runner.journal.last - BACK)
        with contextlib.ExitStack() as stack:
            disk = Disk("history")
            stack.callback(disk.end)
            reader = await disk.do(Reader, self._runner.journal.path)
            stack.callback(reader.close)
            stack.callback(disk.end)  # first of all, at the end: nothing is closed under its feet
            try:
                await self._follow(disk, reader)
            except Broken as error:
                log.error("the history of the devices ends here: %s", error)  # the journal's own checks say more

    async def _follow(self, disk: Disk, reader: Reader) -> None:
        while True:
            self._changed.clear()
            for at, (entry, body) in enumerate(await disk.do(self._fresh, reader), 1):
                self._fold.take(entry, body)
                if at % AT_ONCE == 0:
                    await asyncio.sleep(0)
            await asyncio.sleep(PAUSE_S)
            await self._changed.wait()

    def _fresh(self, reader: Reader) -> list[tuple[Entry, Json]]:
        """Entries that tell something, of those that were added. In a thread."""
        found: list[tuple[Entry, Json]] = []
        for entry in reader.entries(self._read + 1):
            self._read = entry.n
            if entry.kind in TELLING:
                body = entry.body
                if entry.kind != "event" or _telling(int(body["code"])):
                    found.append((entry, body))
        return found


def _telling(code: int) -> bool:
    return code >= FIRST_FAULT or code in (EventCode.CLEARED, EventCode.POWER_UP)
