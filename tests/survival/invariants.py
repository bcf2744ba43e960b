"""What must be true of a table whatever befell it: journal and truth side by side."""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoectl.journal import Entry, Reader, verify
from shoectl.table.audit import Audit
from shoectl.table.course import Course
from shoectl.table.session import cycle
from shoectl.table.state import TableState
from tests.endtoend import truth as truths

from . import faces

DRAWN_FROM = ("birch.shoe", "birch.mouth", "cedar.buffer", "cedar.output")
MACHINES = ("birch", "cedar", "rack")


class Wrong(AssertionError):
    """An invariant that does not hold."""


def told(error: BaseException) -> str:
    """What went wrong, of a group the first thing, and where."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"


@dataclass(frozen=True)
class Known:
    """What the table can know. Not `whole`: events were lost inside a device."""

    whole: bool = True


EVERYTHING = Known()


def hold(journal: Path, truth: Path, known: Known = EVERYTHING, *, finished: bool = True) -> list[Entry]:
    """All of them. `finished`: the last round was played to its end."""
    with Reader(journal) as reader:
        verify(reader)
        entries = list(reader.entries())
    replayed = Audit(cycle, TableState.from_json).all(entries)
    if replayed.diverged:
        raise Wrong(f"a replay goes another way: {replayed.diverged}")
    if truth.exists():
        truths.compare(journal, truth)
        if all(isinstance(one, truths.Dealt) for one in truths.told_by_journal(journal)):
            faces.compare(journal, truth)
        dealt_from_proven_decks(truth)
    if known.whole:
        truths.evidence_is_whole(journal)
    each_event_once(entries)
    packets_are_named(entries)
    money(entries, finished)
    proofs(entries)
    return entries


def each_event_once(entries: Sequence[Entry]) -> None:
    """No event is written twice, and none is used twice."""
    written, used = set(), set()
    for entry in entries:
        if entry.kind == "event":
            key = (entry.body["unit"], entry.body["epoch"], entry.body["seq"])
            if key in written:
                raise Wrong(f"entry {entry.n}: event {key} is written twice")
            written.add(key)
        if entry.kind in ("answer", "irregularity"):
            for ref in entry.body["evidence"]:
                key = (ref["unit"], ref["epoch"], ref["seq"])
                if key in used:
                    raise Wrong(f"entry {entry.n}: event {key} is used twice")
                used.add(key)


def packets_are_named(entries: Sequence[Entry]) -> None:
    """Of a round that is over, an answer or an irregularity names every packet that was taken."""
    waiting: dict[tuple[str, int, int], int] = {}
    for entry in entries:
        body = entry.body
        if entry.kind == "round" and waiting:
            raise Wrong(f"entry {entry.n}: nothing says where the packets of entries {[*waiting.values()]} went")
        if entry.kind == "event" and body["name"] == "PACKET_TAKEN":
            waiting[body["unit"], body["epoch"], body["seq"]] = entry.n
        if entry.kind in ("answer", "irregularity"):
            for ref in body["evidence"]:
                waiting.pop((ref["unit"], ref["epoch"], ref["seq"]), None)


def money(entries: Sequence[Entry], finished: bool) -> None:
    """At the end of each round no wager and no card lies on the table; what is collected or returned lay there."""
    course: Course[TableState] | None = None
    voids = [entry.n for entry in entries if entry.kind == "void"]
    opened = [entry.n for entry in entries if entry.kind == "round"]
    for entry in entries:
        if entry.kind == "round" and course is not None:
            _cleared(course, entry.n)
        if course is None:
            course = Course(cycle, TableState.from_json(entry.body["state"]))
        if entry.kind == "round":
            end = next((n for n in opened if n > entry.n), len(entries) + 1)
            course.voided_at = max((n for n in voids if entry.n < n < end), default=0)
        course.take(entry)
    if course is not None and finished:
        _cleared(course, entries[-1].n)


def _cleared(course: Course[TableState], n: int) -> None:
    left = list(course.layout.standing())
    if left or course.layout.occupied():
        raise Wrong(f"entry {n}: round {course.round_no} ended with {left} and {course.layout.occupied()} on the table")


def proofs(entries: Sequence[Entry]) -> None:
    """Nobody is asked for a wager unless a deck was proven since it was dealt from last."""
    proven, dealt = False, False
    step: Mapping[str, Any] = {}
    for entry in entries:
        body = entry.body
        match entry.kind:
            case "round":
                decks = body["state"]["decks"]
                proven = any(deck["proof"] and not deck["retired"] for deck in decks)
                dealt = False
            case "step":
                step = body["step"]
                if step["do"] == "wagers" and not proven:
                    raise Wrong(f"entry {entry.n}: wagers are asked for, and no deck is proven")
                if step["do"] == "deal" and not proven and not dealt:
                    raise Wrong(f"entry {entry.n}: cards are dealt, and no deck is proven")
                dealt = dealt or step["do"] == "deal"
                proven = proven or step["do"] == "shuffle_by_hand"
            case "answer" if body["takes"] == "Shuffled":
                proven = bool(body["answer"]["proven"])
            case "irregularity":
                proven = proven and dealt  # trouble before the deal voids the proof, or is ridden out


def dealt_from_proven_decks(truth: Path) -> None:
    """Every card drawn from the shoe had been through the shuffler since it lay in the rack last (if there is one)."""
    mixed: dict[tuple[Any, ...], bool] = {}
    shuffler = False
    for line in map(json.loads, truth.read_text().splitlines()):
        key = (line["card"], line["back"], line["copy"], line["deck"])
        shuffler = shuffler or any(end.startswith(("alder", "cedar")) for end in (line["from"], line["to"]))
        if line["to"] == "rack":
            mixed[key] = False
        if line["from"] == "alder.rack" or line["to"] in ("alder.output", "cedar.carousel"):
            mixed[key] = True
        if line["from"] in ("supply", "off") and line["to"].startswith(("birch", "cedar")):
            mixed[key] = True  # a card that was exchanged for one in the shoe
        drawn = line["from"] in DRAWN_FROM and not line["to"].startswith(MACHINES)
        if drawn and shuffler and not mixed.get(key):
            raise Wrong(f"movement {line['n']}: {line['card']} was dealt without having been shuffled")
