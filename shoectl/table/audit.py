"""A journal gone through again from its first round: every step asked anew and compared with what was recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic

from shoectl.errors import BadInput
from shoectl.journal import Entry
from shoectl.table.course import Course, Cycle, Diverged, S
from shoectl.table.entries import Evidence, Json
from shoectl.table.facts import awaited
from shoectl.table.voided import Voided, void_text, voided_at

# what the procedure itself cannot take is another course of play, too
FAILURES = (Diverged, BadInput, LookupError, ValueError, TypeError, AttributeError, RecursionError)


@dataclass
class Replayed:
    """What came of a replay: rounds and steps compared, the rounds that diverged, with the reason, and those that were
    voided, by whom and why: of them only what came after the void is compared.
    """

    rounds: int = 0
    steps: int = 0
    diverged: dict[int, str] = field(default_factory=dict)
    voided: dict[int, str] = field(default_factory=dict)


class Audit(Generic[S]):
    """A replay of a whole journal. A round that diverges is reported and left; the next one begins from its entry."""

    def __init__(
        self,
        cycle: Cycle[S],
        state: Callable[[Json], S],
        *,
        carries: Callable[[Evidence], bool] = awaited,
        current: Mapping[str, str] | None = None,
    ) -> None:
        def fresh(opens: Json) -> Course[S]:
            return Course(cycle, state(opens["state"]), carries=carries, current=current)

        self._fresh = fresh
        self._course: Course[S] | None = None
        self._round: list[Entry] = []  # the entries of a round, which its end may void
        self._voided_at = 0
        self.result = Replayed()

    def take(self, entry: Entry) -> None:
        """The next entry."""
        if entry.kind == "round":
            self.end()
        self._round.append(entry)

    def end(self) -> Replayed:
        """The last entry has been taken. Returns what came of it all."""
        self._voided_at = voided_at(self._round)
        for entry in self._round:
            self._take(entry)
        self._round = []
        return self.result

    def _take(self, entry: Entry) -> None:
        if entry.kind == "round":
            self.result.rounds += 1
        if self._course is None:
            if entry.kind == "round":
                self._begin(entry)
            return
        if entry.kind == Voided.kind:
            self.result.voided[self._course.round_no] = void_text(entry.body["by"], entry.body["why"])
        self._course.voided_at = self._voided_at
        try:
            self._course.take(entry)
        except FAILURES as diverged:
            self._diverged(self._course.round_no, entry, diverged)
            # where a `round` entry itself differs from what was due, the round that it opens can still be compared
            self._course = None
            if entry.kind == "round":
                self._begin(entry)
            return
        if entry.kind == "step" and entry.n > self._voided_at:
            self.result.steps += 1

    def _begin(self, entry: Entry) -> None:
        """Go on from the `round` entry itself, where it can be understood."""
        try:
            course = self._fresh(entry.body)
            course.voided_at = self._voided_at
            course.take(entry)
        except FAILURES as diverged:
            self._diverged(self.result.rounds, entry, diverged)
        else:
            self._course = course

    def _diverged(self, round_no: int, entry: Entry, why: Exception) -> None:
        told = str(why) if isinstance(why, Diverged) else f"entry {entry.n}: {why}"
        self.result.diverged.setdefault(round_no, told)

    def all(self, entries: Iterable[Entry]) -> Replayed:
        """All entries of a journal, from the first."""
        for entry in entries:
            self.take(entry)
        return self.end()
