"""The golden frames and worked exchanges of `tests/golden`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protocols.family import Family, families
from protocols.link import Side

GOLDEN = Path(__file__).parent.parent / "golden"
FAMILIES = ("alder", "birch")


def family(name: str) -> Family:
    return families()[name]


@dataclass(frozen=True)
class Vector:
    family: str
    entry: dict[str, Any]

    @property
    def sender(self) -> Side:
        return Side.HOST if self.entry["direction"] == "h2d" else Side.DEVICE

    @property
    def data(self) -> bytes:
        return bytes.fromhex(self.entry["hex"])

    @property
    def waits(self) -> bool:
        """Whether it needs a session, which links do not have yet."""
        return "session" in self.entry

    def __str__(self) -> str:
        return f"{self.family}:{self.entry['name']}"


def vectors(*lists: str) -> list[Vector]:
    found = []
    for name in FAMILIES:
        file = json.loads((GOLDEN / f"{name}.json").read_text())
        found += [Vector(name, entry) for each in lists for entry in file.get(each, [])]
    return found


def plain(*lists: str) -> list[Vector]:
    return [vector for vector in vectors(*lists) if not vector.waits]


@dataclass(frozen=True)
class Line:
    """One line of a worked exchange: who speaks, the frame, and whether it arrives, or is a host's mistake."""

    speaker: str
    data: bytes
    mark: str = ""


def transcript(name: str) -> Iterator[Line]:
    for line in (GOLDEN / f"{name}.transcript").read_text().splitlines():
        if line.startswith("#"):
            continue
        head, _, rest = line.partition(" ")
        if head == "!":
            yield Line("!", b"", rest)
        else:
            yield Line(head[0], bytes.fromhex(rest), "" if head[1] == ">" else head[1])
