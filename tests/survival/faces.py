"""What the journal says of faces, held against the truth, where a reader may have taken a card for another one.

turned up, nobody objected   the faces that were read are the true ones
reported misread             they are not, and what is entered then is what lies there
never turned up              the face is what the reader said: right in place and turn, and no more is claimed
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.endtoend import truth as truths

Pair = tuple[str | None, str | None]  # what the journal says of a card, and which it is


@dataclass
class Faces:
    """How many places were turned up as read, how many were reported, and how many wrong faces nobody ever saw."""

    as_read: int = 0
    reported: int = 0
    hidden: int = 0


class _Table:
    """What lies at each place: as the journal tells it, and as it is."""

    def __init__(self, true: Iterator[truths.Dealt]) -> None:
        self.found = Faces()
        self._true = true
        self._lie: dict[str, list[Pair]] = {}
        self._changed: set[str] = set()  # cards were given up there, and nobody saw which
        self._seen: set[str] = set()
        self._step: dict[str, Any] = {}

    def clear(self, *places: str) -> None:
        """The cards of these places are gone, or all."""
        for place in places or tuple(self._lie):
            cards = self._lie.pop(place, [])
            self.found.hidden += sum(told not in (None, one) for told, one in cards) if place not in self._seen else 0
        if not places:
            self._changed.clear()
            self._seen.clear()

    def take(self, n: int, kind: str, body: Mapping[str, Any]) -> None:
        """One entry."""
        match kind:
            case "round":
                self.clear()
            case "step":
                self._asked(body["step"])
            case "answer" if body["takes"] == "Drawn":
                place = self._step["to"][body["part"]]
                self._lie.setdefault(place, []).append((body["answer"]["card"], next(self._true).card))
            case "answer" if body["takes"] == "Given":
                self._changed.add(f"seat {self._step['seat']}")
            case "answer" if body["takes"] == "Faces" and self._step["place"] not in self._changed:
                self._turned(n, body["answer"]["cards"])
            case "irregularity" if body["place"] == "rack":
                next(self._true)
            case "irregularity" if body["trouble"] == "misread card":
                told, true = _sides(self._lie[body["place"]])
                known = body["place"] not in self._changed
                assert told != true or not known, f"entry {n}: nothing was misread at {body['place']}"
                self.found.reported += 1

    def _asked(self, step: dict[str, Any]) -> None:
        self._step = step
        aside = step["do"] == "set_aside" and step["place"] not in self._changed
        if aside or step["do"] == "take_back":
            self._lie[step["place"]].pop(step["at"])
        elif step["do"] == "discard":
            self.clear(step["place"])

    def _turned(self, n: int, entered: str | list[str]) -> None:
        place, at = self._step["place"], self._step["at"]
        cards = self._lie[place]
        turned = at or range(len(cards))
        told, true = _sides([cards[one] for one in turned])
        if entered:
            told = Counter(entered.split() if isinstance(entered, str) else entered)
        assert told == true, f"entry {n}: {place} shows {true}, the journal says {told}"
        for one in turned:  # and if it is turned up once more, it is what was entered
            cards[one] = (cards[one][1], cards[one][1])
        self.found.as_read += not entered
        self._seen.add(place)


def compare(journal: Path, truth: Path) -> Faces:
    """All three, for every place that gave no card back. Every draw is in the journal. Raises AssertionError."""
    table = _Table(iter(truths.compare(journal, truth)))
    for entry in truths.entries(journal):
        table.take(*entry)
    table.clear()
    return table.found


def _sides(cards: Sequence[Pair]) -> tuple[Counter[str | None], Counter[str | None]]:
    return Counter(told for told, _ in cards), Counter(true for _, true in cards)


def unrecorded(journal: Path) -> list[int]:
    """How many cards each count of the table found beside those that a record told of."""
    counts: list[int] = []
    step: dict[str, Any] = {}
    for _, kind, body in truths.entries(journal):
        if kind == "step":
            step = body["step"]
        elif kind == "answer" and step["do"] == "count_table":
            counts.append(body["answer"]["cards"] - step["known"])
    return counts
