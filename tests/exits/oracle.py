"""What everybody had seen of a round at an entry of the journal, by the journal alone.

Read from the answers, with nothing of the program's that keeps secrets or that lays cards down: who trusts what he
checks hears nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from shoectl.journal import Entry

DEALS = ("deal", "deal_by_hand")
UNKNOWN = ""


@dataclass
class _Round:
    """A round while it is read: its steps, the faces that lie at each place in the order dealt, and what was seen."""

    steps: dict[int, dict[str, Any]] = field(default_factory=dict)
    lying: dict[str, list[str]] = field(default_factory=dict)
    up: list[tuple[int, str]] = field(default_factory=list)
    dealt: list[tuple[int, str]] = field(default_factory=list)
    clear: list[tuple[int, bool]] = field(default_factory=list)  # from when on no card lies on the table, or one does

    def see(self, n: int, *faces: str) -> None:
        self.up += [(n, face) for face in faces if face != UNKNOWN]


class Oracle:
    """Which faces may be known when."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._opens = [entry.n for entry in entries if entry.kind == "round"]
        self._ends = [n - 1 for n in self._opens] + [entries[-1].n if entries else 0]
        self._rounds = [_Round() for _ in range(len(self._opens) + 1)]  # the first: before any
        for entry in entries:
            now = self._rounds[self.round_at(entry.n)]
            match entry.kind:
                case "step":
                    _asked(now, entry.body)
                case "answer":
                    _answered(now, entry.n, now.steps[entry.body["step"]], entry.body)
                case "irregularity":
                    _interrupted(now, entry.n, entry.body)
            clear = not any(now.lying.values())
            if not now.clear or now.clear[-1][1] != clear:
                now.clear.append((entry.n, clear))

    @property
    def rounds(self) -> int:
        """How many rounds were begun."""
        return len(self._opens)

    def round_at(self, n: int) -> int:
        """The round under way at an entry, 0 before the first."""
        return bisect_right(self._opens, n)

    def last_of(self, number: int) -> int:
        """The last entry of a round, or of what came before the first (0)."""
        return self._ends[number]

    def public(self, n: int, *, before: int = 0) -> frozenset[str]:
        """The faces that everybody has seen at an entry: of its round, and of so many rounds before it."""
        number = self.round_at(n)
        seen = self._rounds[max(0, number - before) : number + 1]
        return frozenset(face for one in seen for at, face in one.up if at <= n)

    def secret(self, n: int) -> frozenset[str]:
        """The faces that the journal knows of the round at an entry and that nobody has seen."""
        dealt = self._rounds[self.round_at(n)].dealt
        return frozenset(face for at, face in dealt if at <= n) - self.public(n)

    def under_way(self, n: int) -> int:
        """The entry that opened the round of which cards lie on the table at an entry; 0 where none do: what was not
        turned up lies in the rack then, and may be looked up.
        """
        number = self.round_at(n)
        clear = next((is_so for at, is_so in reversed(self._rounds[number].clear) if at <= n), True)
        return 0 if clear else self._opens[number - 1]


def _asked(now: _Round, body: dict[str, Any]) -> None:
    """A step; some move cards at once."""
    step = now.steps[body["number"]] = body["step"]
    match step["do"]:
        case "set_aside" | "take_back":
            del now.lying[step["place"]][step["at"]]
        case "discard":
            now.lying.pop(step["place"], None)


def _answered(now: _Round, n: int, step: dict[str, Any], body: dict[str, Any]) -> None:
    answer = body["answer"]
    if step["do"] in DEALS:
        face = answer["card"] or UNKNOWN
        now.lying.setdefault(step["to"][body["part"]], []).append(face)
        now.dealt.append((n, face))
        if body["part"] in step["up"]:
            now.see(n, face)
    elif step["do"] == "reveal":
        lying = now.lying.get(step["place"], [])
        turned = step["at"] or range(len(lying))
        for at, face in zip(turned, _named(answer["cards"]) or [lying[at] for at in turned], strict=True):
            lying[at] = face
            now.see(n, face)
    elif step["do"] == "give":
        place = f"seat {step['seat']}"
        now.lying[place] = _kept(now.lying[place], answer["count"], _named(answer["cards"]))


def _named(cards: str | list[str]) -> list[str]:
    """Cards as an answer names them."""
    return cards.split() if isinstance(cards, str) else cards


def _kept(lying: list[str], count: int, given: list[str]) -> list[str]:
    """What is left of a hand of which cards were given up; where nobody said which, nobody knows what is left."""
    if not given:
        return [UNKNOWN] * (len(lying) - count)
    left = list(lying)
    for face in given:
        left.remove(face if face in left else UNKNOWN)
    return left


def _interrupted(now: _Round, n: int, body: dict[str, Any]) -> None:
    """A card that was exposed where it lies has been seen; of a hand that was misread nobody knows what it is."""
    place, lying = body["place"], now.lying.get(body["place"], [])
    if body["trouble"] == "misread card":
        lying[:] = [UNKNOWN] * len(lying)
    elif body["trouble"] == "exposed card" and place != "rack" and lying:
        face = body["card"] or UNKNOWN
        at = next((at for one in (face, UNKNOWN) for at in reversed(range(len(lying))) if lying[at] == one), -1)
        if face == UNKNOWN:  # nobody said which: the last one
            at = len(lying) - 1
        if at >= 0:
            lying[at] = lying[at] or face
            now.see(n, lying[at])
