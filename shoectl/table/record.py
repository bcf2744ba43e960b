"""The steps of a round as they were asked, and what became of each: for faces, which show what has just been done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shoectl.table.evidence import Json


@dataclass(frozen=True)
class Passed:
    """A step of this round that was asked: its number and text form (no face), and what became of it:
    open, passed, answered, or the trouble that interrupted it.
    """

    number: int
    step: Json
    outcome: str = "open"


@dataclass(frozen=True)
class Past:
    """The round before the one under way: its steps, and what each seat gained. For faces, which see it end."""

    round: int
    record: tuple[Passed, ...]
    net: Mapping[int, int]
