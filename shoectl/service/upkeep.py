"""The journal's care: copies of it, how long they are kept, and the room that a round needs.

A copy is made by a process of its own (`shoectl journal backup`, with low priority): proving a chain computes, and
threads of one Python take turns. The running journal itself is never cut.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from shoectl.config_sections import Upkeep as Wanted
from shoectl.devices.station import Station
from shoectl.errors import BadInput
from shoectl.journal import JournalUnavailable
from shoectl.journal.clock import EARLIEST_US
from shoectl.status import UpkeepStatus
from shoectl.table.reports import withdraw
from shoectl.table.runner import Runner

MB: Final = 1024 * 1024
LOOKS_EVERY_S: Final = 2.0
COPY_EVERY_S: Final = 24 * 3600.0
COPY_EVERY_ROUNDS: Final = 500
AGAIN_AFTER_S: Final = 900.0  # a copy that failed is tried again
KEPT_ALWAYS: Final = 7  # the newest copies, however old the clock says they are
NICE: Final = 10
_COPY: Final = re.compile(r"(.+)-(\d{10})-(\d{8}T\d{6}Z)[.]journal")


@dataclass
class _Copies:
    """Where the copies stand: the steady time and the round of the last one, when the next try is due."""

    at: float | None = None
    round: int = 0
    next_try: float = 0.0


class Upkeep:
    """The care for one journal. Give it to the daemon's task group; `status` is for the other faces.

    `wall` is in Unix seconds; a clock that is not set, or was set, deletes nothing that is among the newest.
    """

    def __init__(
        self, journal: Path, wanted: Wanted, tell: Callable[[str], None], wall: Callable[[], float] = time.time
    ) -> None:
        self._journal, self._wanted, self._tell, self._wall = journal.absolute(), wanted, tell, wall
        self._folder = Path(wanted.backup).absolute() if wanted.backup else None
        self._copies = _Copies()
        self._free = room(self._journal.parent)
        self._backup_at: float | None = None
        self._checked_at: float | None = None
        self._trouble = ""
        self._said = ""
        if not journal.exists() and (why := self._too_little()):
            raise BadInput(f"journal {journal}: {why}")

    def status(self) -> UpkeepStatus:
        """As it is now."""
        return UpkeepStatus(self._free, self._backup_at, self._checked_at, self._trouble or self._too_little())

    async def __call__(self, table: Runner[Any], _: Mapping[str, Station]) -> None:
        """Look at the room every two seconds, and copy when it is time."""
        if self._folder is not None:
            await asyncio.to_thread(self._last_copy, self._folder)
        while True:
            self._free = await asyncio.to_thread(room, self._journal.parent)
            await self._make_room(table)
            if self._folder is not None and self._is_due(table):
                await self._copy(self._folder, table.round_no)
            await asyncio.sleep(LOOKS_EVERY_S)

    # room

    def _too_little(self) -> str:
        least = self._wanted.least_free_mb
        if self._free >= least * MB:
            return ""
        return f"{self._free // MB} MB are free where the journal lies, a round needs {least} (upkeep.least_free_mb)"

    async def _make_room(self, table: Runner[Any]) -> None:
        """No new round begins without room; one that is open is finished, one without a wager ends unplayed."""
        why = self._too_little()
        if bool(why) is not bool(table.waits):
            self._tell(f"{why}; no new round begins" if why else "there is room again, rounds go on")
            table.hold_off(why)
        if why:
            with contextlib.suppress(JournalUnavailable):  # then it waits anyway
                await withdraw(table, why)

    # copies

    def _last_copy(self, folder: Path) -> None:
        """What earlier runs left: a copy of today needs no other."""
        for path in copies_in(folder, self._journal.stem)[-1:]:
            with contextlib.suppress(OSError):
                self._backup_at = path.stat().st_mtime
        age = self._wall() - self._backup_at if self._backup_at is not None else COPY_EVERY_S
        if 0 <= age < COPY_EVERY_S:
            self._copies.at = time.monotonic() - age

    def _is_due(self, table: Runner[Any]) -> bool:
        now, last = time.monotonic(), self._copies
        if now < last.next_try or table.course.finished == 0:
            return False
        if last.at is None or now - last.at >= COPY_EVERY_S:
            return True
        last.round = last.round or table.round_no
        return table.round_no - last.round >= COPY_EVERY_ROUNDS

    async def _copy(self, folder: Path, round_no: int) -> None:
        why = await self._copied(folder)
        self._trouble = f"the journal was not copied: {why}" if why else ""
        if why:
            self._copies.next_try = time.monotonic() + AGAIN_AFTER_S
            if why != self._said:
                self._tell(self._trouble)
        else:
            self._copies = _Copies(time.monotonic(), round_no)
            self._backup_at = self._checked_at = self._wall()
            await asyncio.to_thread(self._prune, folder)
        self._said = why

    async def _copied(self, folder: Path) -> str:
        """Make a copy. Returns why there is none, empty where there is one."""
        if why := await asyncio.to_thread(self._no_room, folder):
            return why
        words = ("journal", "backup", str(self._journal), str(folder), "--json")
        pipe = asyncio.subprocess.PIPE
        making = await asyncio.create_subprocess_exec(sys.executable, "-m", "shoectl", *words, stdout=pipe, stderr=pipe)
        try:
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, making.pid, NICE)
            _, said = await making.communicate()
        finally:
            if making.returncode is None:
                making.kill()
        if making.returncode:
            return (said.decode(errors="replace").strip().splitlines() or ["no reason given"])[-1]
        return ""

    def _no_room(self, folder: Path) -> str:
        """Why no copy fits into a folder, empty where one does."""
        if not folder.is_dir():
            return f"{folder} is not there"
        size = self._journal.stat().st_size
        if room(folder) < size + self._wanted.least_free_mb * MB:
            return f"{folder} has no room for {size // MB + 1} MB and {self._wanted.least_free_mb} besides"
        return ""

    def _prune(self, folder: Path) -> None:
        if self._wall() * 1e6 < EARLIEST_US:
            return
        for path in stale(copies_in(folder, self._journal.stem), self._wall(), self._wanted.keep_days):
            with contextlib.suppress(OSError):
                path.unlink()


def room(folder: Path) -> int:
    """Bytes that are free in a folder, 0 where nobody can tell."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return 0


def copies_in(folder: Path, stem: str) -> list[Path]:
    """The copies of a journal, by how far they go."""
    try:
        found = [(match[2], match[3], path) for path in folder.iterdir() if (match := _of(path, stem))]
    except OSError:
        return []
    return [path for _, _, path in sorted(found)]


def _of(path: Path, stem: str) -> re.Match[str] | None:
    match = _COPY.fullmatch(path.name)
    return match if match and match[1] == stem else None


def stale(copies: Sequence[Path], now: float, keep_days: int) -> list[Path]:
    """Those that are too old: by the clock, but never one of the newest by what they hold, for clocks jump."""
    oldest = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now - keep_days * 86_400.0))
    return [path for path in copies[:-KEPT_ALWAYS] if (match := _COPY.fullmatch(path.name)) and match[3] < oldest]
