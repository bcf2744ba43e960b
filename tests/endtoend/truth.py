"""What the simulator's truth says, held against what the journal says."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Dealt:
    """One card that left the shoe: where it went, and which (None where nobody read it)."""

    place: str
    card: str | None


def entries(journal: Path) -> list[tuple[int, str, dict[str, Any]]]:
    """All entries of a journal, read with nothing but SQLite."""
    base = sqlite3.connect(f"file:{journal}?mode=ro", uri=True)
    try:
        rows = base.execute("SELECT n, kind, body FROM entry ORDER BY n").fetchall()
    finally:
        base.close()
    return [(n, kind.decode() if isinstance(kind, bytes) else kind, json.loads(body)) for n, kind, body in rows]


def dealt_by_journal(journal: Path) -> list[Dealt]:
    """Every card that the journal says was dealt or set aside, in order."""
    dealt: list[Dealt] = []
    step: dict[str, Any] = {}
    for _, kind, body in entries(journal):
        match kind:
            case "step":
                step = body["step"]
            case "answer" if body["takes"].lower() == "drawn":
                dealt.append(Dealt(step["to"][body["part"]], body["answer"]["card"]))
            case "irregularity" if body["place"] == "rack":
                dealt.append(Dealt("rack", body["card"]))
    return dealt


def moves(truth: Path) -> list[dict[str, Any]]:
    """Every movement of the truth file."""
    return [json.loads(line) for line in truth.read_text().splitlines()]


def dealt_by_truth(truth: Path) -> list[Dealt]:
    """Every card that a hand drew from the shoe or dealt from the deck it held, in the order drawn.

    The stub, taken out at the end, is no draw. A card that lies in the mouth (unread, drawn too much, or slid back when
    the shoe lost power) counts where it goes from there; one pushed back never was drawn.
    """
    dealt: list[Dealt] = []
    for move in moves(truth):
        source, to, card = move["from"], move["to"], move["card"]
        if _is_mouth(source) or (is_table_place(source) and to.endswith((".mouth", ".shoe"))):
            at = max(n for n, one in enumerate(dealt) if (one.place, one.card) == (source, card))
            dealt[at : at + 1] = [] if to.endswith(".shoe") else [Dealt(to, card)]
        elif (source == "hand" or source.endswith(".shoe")) and (is_table_place(to) or _is_mouth(to)):
            dealt.append(Dealt(to, card))
    return dealt


def _is_mouth(place: str) -> bool:
    return place.endswith(".mouth")


def is_table_place(place: str) -> bool:
    """Whether cards are dealt there."""
    return place in ("dealer", "community", "bonus", "table") or place.startswith("seat ")


def whereabouts(truth: Path) -> dict[tuple[Any, ...], str]:
    """Where each physical card lies at the end, by what makes it that one piece of card."""
    lies: dict[tuple[Any, ...], str] = {}
    for move in moves(truth):
        key = (move["card"], move["back"], move["copy"], move["deck"])
        if key in lies and lies[key] != move["from"]:
            raise AssertionError(f"movement {move['n']}: {move['card']} was at {lies[key]}, not at {move['from']}")
        lies[key] = move["to"]
    return lies


def compare(journal: Path, truth: Path) -> None:
    """Every card of the journal is the card that was drawn, in order, place by place. Raises AssertionError."""
    whereabouts(truth)
    told, true = dealt_by_journal(journal), dealt_by_truth(truth)
    for n, (a, b) in enumerate(zip(told, true, strict=False)):
        if a.place != b.place and not (a.place == "rack"):
            raise AssertionError(f"card {n + 1}: the journal says {a}, the truth is {b}")
        if a.card is not None and a.card != b.card:
            raise AssertionError(f"card {n + 1}: the journal says {a}, the truth is {b}")
    if len(told) != len(true):
        raise AssertionError(f"the journal tells of {len(told)} cards, {len(true)} were drawn")


def revealed(journal: Path, truth: Path) -> int:
    """Every face that was entered at a reveal is one that was dealt to that place in that round, and of a place that
    gave none back, all of them. Returns how many places were entered. Raises AssertionError.
    """
    true, n, entered = dealt_by_truth(truth), 0, 0
    lay: dict[str, list[str | None]] = {}
    changed: set[str] = set()
    step: dict[str, Any] = {}
    for entry, kind, body in entries(journal):
        match kind:
            case "round":
                lay, changed = {}, set()
            case "step":
                step = body["step"]
            case "answer" if body["takes"].lower() == "drawn":
                lay.setdefault(step["to"][body["part"]], []).append(true[n].card)
                n += 1
            case "irregularity" if body["place"] == "rack":
                n += 1
            case "answer" if body["takes"] == "Given":
                changed.add(f"seat {step['seat']}")
            case "answer" if body["takes"] == "Faces" and body["answer"]["cards"]:
                faces, place = body["answer"]["cards"], step["place"]
                faces = faces.split() if isinstance(faces, str) else faces
                strange = Counter(faces) - Counter(lay[place])
                if strange or (place not in changed and Counter(faces) != Counter(lay[place])):
                    raise AssertionError(f"entry {entry}: {faces} entered at {place}, {lay[place]} were dealt there")
                entered += 1
    return entered


def evidence_is_whole(journal: Path) -> None:
    """Event numbers of each device run without a gap inside an epoch, and no evidence is named twice."""
    last: dict[tuple[str, int], int] = {}
    named: Counter[tuple[str, int, int]] = Counter()
    for n, kind, body in entries(journal):
        if kind == "event":
            key = (body["unit"], body["epoch"])
            if key in last and body["seq"] != last[key] + 1:
                raise AssertionError(f"entry {n}: event {body['seq']} of {key} follows {last[key]}")
            last[key] = body["seq"]
        if kind == "answer" and body["takes"].lower() == "drawn":
            named.update((ref["unit"], ref["epoch"], ref["seq"]) for ref in body["evidence"])
    twice = [ref for ref, times in named.items() if times > 1]
    if twice:
        raise AssertionError(f"evidence named twice: {twice[:3]}")


def verdicts(journal: Path) -> Counter[int]:
    """How often each verdict of a finished shuffle was reported."""
    found: Counter[int] = Counter()
    for _, kind, body in entries(journal):
        if kind == "event" and body["name"] == "SHUFFLE_DONE":
            found[body["body"]["verdict"]] += 1
    return found


def rounds(journal: Path) -> int:
    """How many rounds were opened."""
    return sum(kind == "round" for _, kind, _ in entries(journal))
