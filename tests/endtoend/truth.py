"""What the simulator's truth says, held against what the journal says."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.endtoend.told import Counted, Dealt, Forgot, Unasked, dealt_by_journal, entries, told_by_journal

# fmt: off
__all__ = [  # what the journal says (told.py) and what was so, in one place to import from
    "Dealt", "compare", "dealt_by_journal", "dealt_by_truth", "entries", "evidence_is_whole", "is_table_place",
    "moves", "revealed", "rounds", "told_by_journal", "verdicts", "whereabouts",
]
# fmt: on


def moves(truth: Path) -> list[dict[str, Any]]:
    """Every movement of the truth file."""
    return [json.loads(line) for line in truth.read_text().splitlines()]


def dealt_by_truth(truth: Path) -> list[Dealt]:
    """Every card that a hand drew from the shoe or dealt from the deck it held, in the order drawn.

    The stub, taken out at the end, is no draw. A card that lies in the mouth (unread, drawn too much, or slid back when
    the shoe lost power) counts where it goes from there; one pushed back never was drawn.
    """
    dealt: list[Dealt] = []
    load, filling = 0, False
    mouth: set[str] = set()  # cards in the mouth of a shoe that mixes, which is the tray of its packets too
    mixed = 0  # cards in such a shoe
    for move in moves(truth):
        source, to, card = move["from"], move["to"], move["card"]
        load += to.endswith(".infeed") and to.startswith("cedar") and not mixed
        mixed += to.startswith("cedar") - source.startswith("cedar")
        if {part.rpartition(".")[2] for part in (source, to)} & {"buffer", "output"}:
            _of_one_that_mixes(dealt, mouth, move, load)
            continue
        if source == "hand" and to.endswith(".shoe"):
            load, filling = load + (not filling), True
            continue
        if _is_mouth(source) or (is_table_place(source) and to.endswith((".mouth", ".shoe"))):
            at = max(n for n, one in enumerate(dealt) if (one.place, one.card) == (source, card))
            dealt[at : at + 1] = [] if to.endswith(".shoe") else [replace(dealt[at], place=to)]
        elif (source == "hand" or source.endswith(".shoe")) and (is_table_place(to) or _is_mouth(to)):
            dealt.append(Dealt(to, card, load, "read_as" in move))
            filling = False
    return dealt


def _of_one_that_mixes(dealt: list[Dealt], mouth: set[str], move: dict[str, Any], load: int) -> None:
    """A card that leaves a shoe that mixes: drawn straight from its buffer, or in its output, by a motor or a hand."""
    source, to, card = move["from"], move["to"], move["card"]
    back = is_table_place(source) and to.endswith((".buffer", ".output"))
    if source.endswith(".buffer") and (is_table_place(to) or to.endswith(".output")):
        dealt.append(Dealt(to, card, load, "read_as" in move))
        mouth |= {card} if to.endswith(".output") else set()
    elif (source.endswith(".output") and card in mouth) or back:
        at = max(n for n, one in enumerate(dealt) if (one.place, one.card) == (source, card))
        lies = replace(dealt[at], place=to, stuck=not is_table_place(to))
        dealt[at : at + 1] = [] if to.endswith(".buffer") else [lies]
        mouth.discard(card)
        mouth |= {card} if to.endswith(".output") else set()
    elif source.endswith(".output") and is_table_place(to):
        dealt.append(Dealt(to, card, load))


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


def compare(journal: Path, truth: Path) -> list[Dealt]:
    """Every card of the journal is the card that was drawn, in order, place by place; and every card that was drawn is
    in the journal. Returns what each card of the journal truly was, in the order of its answers. Raises AssertionError.

    Two things nobody at the table can know, and the comparison says what is true all the same. A card that the reader
    took for another one (the truth says which) may have any face in the journal; its place and its turn are right.
    Where a shoe forgot (see Forgot), cards of that loading that came from then on may be missing in the journal: as
    many as the dealer counted, or, where the table had to stop before he did, no more than were due.
    """
    whereabouts(truth)
    true, n = dealt_by_truth(truth), 0
    matched: dict[int, Dealt] = {}
    untold: Counter[int] = Counter()  # how many cards of a loading may be missing
    for one in told_by_journal(journal):
        if isinstance(one, Forgot):
            untold[one.load] = max(untold[one.load], one.most)
            continue
        if isinstance(one, Unasked):
            untold[one.load] += one.cards
            continue
        if isinstance(one, Counted):
            missing = sum(card.load == one.load for card in true[n : n + one.cards if one.stays else None])
            if missing != one.cards:
                raise AssertionError(f"{missing} cards have no record, the dealer counted {one.cards} of them")
            n, untold[one.load] = n + missing, 0
            continue
        if one.back:
            matched[one.nth] = one
            continue
        while n < len(true) and (true[n].load < one.load or not _same(one, true[n])):
            if not true[n].stuck:
                if not untold[true[n].load]:
                    break
                untold[true[n].load] -= 1
            n += 1
        if n == len(true) or not _same(one, true[n]):
            raise AssertionError(f"card {n + 1}: the journal says {one}, the truth is {true[n : n + 1]}")
        if not one.left:
            matched[one.nth] = true[n]
        n += 1
    more = Counter(one.load for one in true[n:] if not one.stuck) - untold
    if more:
        raise AssertionError(f"{len(true)} cards were drawn, the journal does not tell of {sum(more.values())}")
    return [matched[nth] for nth in sorted(matched)]


def _same(told: Dealt, true: Dealt) -> bool:
    return told.place in (true.place, "rack") and (told.card in (None, true.card) or true.misread)


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
                lies = [lay[place][at] for at in step["at"]] or lay[place]
                strange = Counter(faces) - Counter(lies)
                if strange or (place not in changed and Counter(faces) != Counter(lies)):
                    raise AssertionError(f"entry {entry}: {faces} entered at {place}, {lies} were dealt there")
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
