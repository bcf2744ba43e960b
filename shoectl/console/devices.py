"""The devices as the pit sees them: how each is, what its link counts, and its last verdicts.

Verdicts and the pace of the rounds come from the journal: its newest entries are read once, and then what is added, by
a connection of its own and in a thread. Nothing here holds a face.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Mapping
from typing import Any, Final

from shoectl.devices.station import Station
from shoectl.journal import Broken, Clock, Entry, Reader
from shoectl.table.runner import Runner

log = logging.getLogger("shoectl.console")

VERDICTS: Final = 24  # that the pit shows of a device
BACK: Final = 20_000  # entries that are read at the start: some hours of play
PAUSE_S: Final = 1.0  # between two looks into the journal
HOUR_US: Final = 3600 * 10**6
PLACES: Final = {"Shuffled": "shuffler", "ShoeClosed": "shoe"}  # whose verdict an answer is
Json = dict[str, Any]


class History:
    """What came before now: verdicts and rounds."""

    def __init__(self, runner: Runner[Any]) -> None:
        self._runner = runner
        self._changed = asyncio.Event()
        self._verdicts: dict[str, deque[Json]] = {}
        self._rounds: deque[int] = deque()  # when they were opened, in steady µs of this boot
        self._clock = Clock()
        self._read = 0  # the last entry that was looked at
        runner.listen(self._changed.set)

    def verdicts(self, place: str) -> list[Json]:
        """The last verdicts of the device at a place, oldest first."""
        return list(self._verdicts.get(place, ()))

    def pace(self) -> int:
        """How many rounds were opened within the last hour."""
        while self._rounds and self._rounds[0] < self._clock.mono() - HOUR_US:
            self._rounds.popleft()
        return len(self._rounds)

    async def follow(self) -> None:
        """Look into the journal at the start and after each change, until cancelled."""
        self._read = max(0, self._runner.journal.last - BACK)
        reader = await asyncio.to_thread(Reader, self._runner.journal.path)
        try:
            while True:
                self._changed.clear()
                for entry in await asyncio.to_thread(self._fresh, reader):
                    self._take(entry)
                await asyncio.sleep(PAUSE_S)
                await self._changed.wait()
        except Broken as error:
            log.error("the history of the devices ends here: %s", error)  # the journal's own checks say more
        finally:
            reader.close()

    def _fresh(self, reader: Reader) -> list[Entry]:
        """Entries that tell something, of those that were added. In a thread."""
        found: list[Entry] = []
        for entry in reader.entries(self._read + 1):
            self._read = entry.n
            if entry.kind == "round" or (entry.kind == "answer" and entry.body.get("takes") in PLACES):
                found.append(entry)
        return found

    def _take(self, entry: Entry) -> None:
        if entry.kind == "round":
            ago = self._clock.mono() - entry.mono if entry.boot == self._clock.boot else self._clock.wall() - entry.wall
            self._rounds.append(self._clock.mono() - max(0, ago))
            return
        body = entry.body
        said = body["answer"]
        wrong = bool(said.get("wrong"))
        kept = self._verdicts.setdefault(PLACES[body["takes"]], deque(maxlen=VERDICTS))
        kept.append(
            {
                "entry": entry.n,
                "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(entry.wall / 10**6)),
                "verdict": "wrong" if wrong else "proven" if said.get("proven") or said.get("right") else "unsure",
                "counted": int(said.get("counted", 0)),
                "text": str(said.get("reason", "")),
            }
        )


def devices(stations: Mapping[str, Station], history: History) -> list[Json]:
    """All devices of a table, by place."""
    return [
        {
            "place": name,
            "family": one.family.name,
            "serial": one.identity.serial if one.identity else "",
            "firmware": one.identity.fw_version if one.identity else "",
            "online": one.online,
            "condition": one.condition,
            "node": one.node,
            "counters": dict(one.counters),
            "verdicts": history.verdicts(name),
        }
        for name, one in stations.items()
    ]
