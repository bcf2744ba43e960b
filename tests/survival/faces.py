"""What the journal says of faces, held against the truth, where a reader may have taken a card for another one.

turned up, nobody objected   the faces that were read are the true ones
reported misread             they are not, and what is entered then is what lies there
never turned up              the face is what the reader said: right in place and turn, and no more is claimed
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.endtoend import truth as truths


@dataclass
class Faces:
    """How many places were turned up as read, how many were reported, and how many wrong faces nobody ever saw."""

    as_read: int = 0
    reported: int = 0
    hidden: int = 0


def compare(journal: Path, truth: Path) -> Faces:
    """All three, for every place that gave no card back. Every draw is in the journal. Raises AssertionError."""
    true, found = iter(truths.dealt_by_truth(truth)), Faces()
    lie: dict[str, list[tuple[str | None, str | None]]] = {}  # place -> (told, true)
    step: dict[str, Any] = {}
    changed, seen = set[str](), set[str]()

    def cleared() -> None:
        for place, cards in lie.items():
            found.hidden += sum(told not in (None, one) for told, one in cards) if place not in seen else 0
        lie.clear()
        changed.clear()
        seen.clear()

    for n, kind, body in truths.entries(journal):
        match kind:
            case "round":
                cleared()
            case "step":
                step = body["step"]
            case "answer" if body["takes"] == "Drawn":
                lie.setdefault(step["to"][body["part"]], []).append((body["answer"]["card"], next(true).card))
            case "answer" if body["takes"] == "Given":
                changed.add(f"seat {step['seat']}")
            case "irregularity" if body["place"] == "rack":
                next(true)
            case "irregularity" if body["trouble"] == "misread card":
                told, one = _sides(lie[body["place"]])
                assert body["place"] in changed or told != one, f"entry {n}: nothing was misread at {body['place']}"
                found.reported += 1
            case "answer" if body["takes"] == "Faces" and step["place"] not in changed:
                told, one = _sides(lie[step["place"]])
                entered = body["answer"]["cards"]
                faces = Counter(entered.split() if isinstance(entered, str) else entered) if entered else told
                assert faces == one, f"entry {n}: {step['place']} shows {one}, the journal says {faces}"
                found.as_read += not entered
                seen.add(step["place"])
    cleared()
    return found


def _sides(cards: list[tuple[str | None, str | None]]) -> tuple[Counter[str | None], Counter[str | None]]:
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
