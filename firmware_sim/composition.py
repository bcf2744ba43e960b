"""What a machine that reads, or sees backs, says of a whole deck (common.md §7.1, §12): what is there too often or
not at all, and what does not belong. Ascending by card, so that no order is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from firmware_sim.mechanics import STANDARD
from protocols.vocabulary import (
    FACE_UP_CARD,
    FOREIGN_CARD,
    UNREADABLE_CARD,
    Capability,
    EventCode,
    VerdictFlag,
    card_byte,
    is_face,
)

ENTRIES_IN_PART = 11
_SEEN_AS = {FOREIGN_CARD: EventCode.FOREIGN, FACE_UP_CARD: EventCode.FACE_UP, UNREADABLE_CARD: EventCode.UNREADABLE}

Readings = Sequence[tuple[int, str]]
"""Face as it was read, and back, of each card."""
Differences = list[tuple[int, int]]
"""Card and how many too many (or too few)."""


def compared(readings: Readings, caps: Capability, *, whole: bool) -> tuple[int, Differences, list[tuple[int, int]]]:
    """The flag that goes with it, the differences (if a `whole` deck was to be there), and faults as code and card."""
    if not caps & (Capability.COMPOSITION | Capability.BACK_COLOUR):
        return 0, [], []
    strange = strange_cards(readings)
    if not caps & Capability.COMPOSITION:
        return 0, [], [each for each in strange if each[0] == EventCode.WRONG_BACK]
    have = Counter(face for face, _ in readings if is_face(face))
    have.subtract(map(card_byte, STANDARD))
    differences = sorted((card, delta) for card, delta in have.items() if delta)
    return VerdictFlag.COMPOSITION_COMPARED, differences if whole else [], strange


def in_parts(differences: Differences) -> list[Differences]:
    """As many as fit into an event each."""
    return [differences[i : i + ENTRIES_IN_PART] for i in range(0, len(differences), ENTRIES_IN_PART)]


def strange_cards(readings: Readings, back: str = "") -> list[tuple[int, int]]:
    """Cards of another back (than most, where none is named), faces seen twice, and what is no face at all."""
    usual = Counter(back for _, back in readings).most_common(1)
    back = back or (usual[0][0] if usual else "")
    strange: list[tuple[int, int]] = []
    seen: Counter[int] = Counter()
    for face, its_back in readings:
        seen[face] += 1
        if face in _SEEN_AS:
            strange.append((_SEEN_AS[face], face))
        elif its_back != back:
            strange.append((EventCode.WRONG_BACK, FOREIGN_CARD))
        elif seen[face] == 2:
            strange.append((EventCode.DUPLICATE, face))
    return sorted(strange, key=lambda each: (each[1], each[0]))
