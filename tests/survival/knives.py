"""Who dies at which write: points are counted, and at one of them the knife falls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from firmware_sim.nvram import FileMedium, PowerCut
from firmware_sim.whereabouts import Ledger, Truth


class Killed(BaseException):
    """As SIGKILL: nothing of the process goes on."""


BEFORE, AFTER, TORN = "before", "after", "torn"


@dataclass
class Knife:
    """Falls once, at the `at`-th write of the kind `what` (0: never).

    `what`: "journal" kills the daemon, "table" the simulator (a write to any of its files: the power of the whole
    table goes), "nvram" cuts the power of the one device that writes. `both`: the daemon dies with the simulator.
    """

    what: str = ""
    at: int = 0
    where: str = BEFORE
    both: bool = False
    failing: int = 0  # every n-th write of the journal is not made, and says so; it is tried again
    points: Counter[str] = field(default_factory=Counter)
    daemon_dead: bool = False
    table_dead: bool = False

    def around(self, what: str, write: Callable[[], None], tear: Callable[[], None] = lambda: None) -> None:
        """One write of a kind, with the knife around it."""
        if what == "journal" and self.daemon_dead:
            raise Killed
        self.points[what] += 1
        falls = self.what == what and self.points[what] == self.at
        if falls and self.where == TORN:
            tear()
        if not falls or self.where == AFTER:
            write()
        if falls:
            self._fall(what)

    def _fall(self, what: str) -> None:
        if what == "nvram":
            raise PowerCut
        self.daemon_dead = self.daemon_dead or what == "journal" or self.both
        self.table_dead = what == "table"
        raise Killed

    @contextmanager
    def sharpened(self) -> Iterator[None]:
        """Within, the simulator's writes are counted; after a kill none of its writes is made any more."""
        really = (FileMedium.append, Ledger.append, Truth.append)

        def nvram(medium: Any, data: bytes) -> None:
            def write() -> None:
                really[0](medium, data)

            def tear() -> None:
                really[0](medium, data[: len(data) // 2])

            self._alive()
            self.around("nvram", lambda: self.around("table", write, tear), tear)

        def kept(number: int) -> Callable[..., None]:
            def append(file: Any, record: Any) -> None:
                self._alive()
                self.around("table", lambda: really[number](file, record))

            return append

        FileMedium.append, Ledger.append, Truth.append = nvram, kept(1), kept(2)  # type: ignore[method-assign, assignment]
        try:
            yield
        finally:
            FileMedium.append, Ledger.append, Truth.append = really  # type: ignore[method-assign]
            self.table_dead = False

    def _alive(self) -> None:
        if self.table_dead:
            raise Killed
