"""The steps of a round as they were asked, and what became of each: for faces, which show what has just been done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from shoectl.journal import Entry
from shoectl.table.evidence import Json

DEALS = ("deal", "deal_by_hand")  # steps that take an answer for each card


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


def tell(record: list[Passed], entry: Entry) -> None:
    """One entry more of a round that is not played again: the record as its journal tells it, whatever the rules were.

    A step that nobody answered before the next one was asked had passed.
    """
    body, last = entry.body, record[-1] if record else None
    match entry.kind:
        case "step":
            if last is not None and last.outcome == "open":
                record[-1] = replace(last, outcome="passed")
            record.append(Passed(int(body["number"]), body["step"]))
        case "answer" if last is not None and body["part"] + 1 >= _parts(last.step):
            record[-1] = replace(last, outcome="answered")
        case "irregularity" if last is not None:
            record[-1] = replace(last, outcome=str(body["trouble"]))


def _parts(step: Json) -> int:
    return len(step["to"]) if step["do"] in DEALS else 1
