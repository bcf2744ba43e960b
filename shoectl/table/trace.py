"""The cards of one round, traced through its entries: where each came from, who had it, when it was seen, where it
lies in the rack. Reads the entries as they are and needs no rules, so rounds of any version can be traced.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from shoectl.cards import parse_cards
from shoectl.games.procedure import Trouble
from shoectl.journal import NOT_UNDERSTOOD, Entry, understood
from shoectl.table.entries import Json
from shoectl.table.voided import void_text


@dataclass
class Traced:
    """One card. `draw`: the shoe's draw index (0 without one); `event`: the device's event that it rests on.

    `entry`, `at`: when it was dealt; `seen`: the entry that turned it face up; `rack`: its position in the discard
    rack, 1 being the first card laid there in this round; `note`: what else is to be said.
    """

    card: str | None
    to: str
    draw: int
    event: Json | None
    entry: int
    at: str
    seen: int | None = None
    seen_at: str | None = None
    rack: int | None = None
    note: str = ""

    def show(self, entry: Entry) -> None:
        """It lies face up from this entry on."""
        if self.seen is None:
            self.seen, self.seen_at = entry.n, time_text(entry.wall)


@dataclass
class Trace:
    """All cards of a round, in the order dealt; `unused`: draws that no answer and no irregularity rests on.

    `void`: by whom the round was voided and why, where it was not played to its end.
    """

    round: int
    cards: list[Traced] = field(default_factory=list)
    unused: list[Json] = field(default_factory=list)
    void: str = ""

    @property
    def cleared(self) -> bool:
        """Whether every card that was dealt lies in the rack."""
        return all(card.rack is not None or card.note for card in self.cards)

    @property
    def over(self) -> bool:
        """Whether no card lies anywhere but in the rack: not on the table, and not drawn and still to be dealt.

        Until then faces are secret.
        """
        return self.cleared and not self.unused


def time_text(wall: int) -> str:
    """A wall time in µs as ISO 8601, UTC, to the millisecond."""
    return datetime.fromtimestamp(wall / 1e6, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def trace(entries: Iterable[Entry]) -> Trace:
    """Trace the cards of one round; `entries` begins with its `round` entry and ends before the next one.

    Raises Broken.
    """
    course = _Course()
    for entry in entries:
        with understood(entry.n):
            course.take(entry)
    course.number_rack()
    course.trace.unused = [event for event in course.draws.values() if event["ref"] not in course.used]
    for event in course.trace.unused:
        del event["ref"]
    return course.trace


def lying(entries: Iterable[Entry]) -> tuple[dict[str, int], int]:
    """How many cards lie at each place of the table after these entries of a round, and how many have come to the rack.

    What an entry of another version says in another way tells nothing.
    """
    course = _Course()
    for entry in entries:
        with suppress(*NOT_UNDERSTOOD):
            course.take(entry)
    return {place: len(cards) for place, cards in course.places.items() if cards}, len(course.rack)


class _Course:
    """Where cards lie while the entries of a round go by."""

    def __init__(self) -> None:
        self.trace = Trace(0)
        self.steps: dict[int, Json] = {}
        self.places: dict[str, list[Traced]] = {}
        self.pool: dict[str, list[Traced]] = {}  # cards of a place of which nobody knows which were given up
        self.rack: list[tuple[str, Traced | None]] = []  # where each card in the rack came from; None: one of a pool
        self.draws: dict[tuple[str, int, int], Json] = {}
        self.used: set[tuple[str, int, int]] = set()

    def take(self, entry: Entry) -> None:
        body = entry.body
        match entry.kind:
            case "round":
                self.trace.round = body["number"]
                for event in body["evidence"]:
                    self._draw(event, event["entry"])
            case "event":
                self._draw(body, entry.n)
            case "step":
                self.steps[body["number"]] = step = body["step"]
                match step["do"]:
                    case "discard":
                        self._rack(step["place"])
                    case "set_aside":
                        aside = self.places[step["place"]].pop(step["at"])
                        aside.note = str(Trouble.EXPOSED_CARD)
                        self._lay(aside, step["place"])
                    case "take_back":
                        self.places[step["place"]].pop(step["at"]).note = str(Trouble.RETURNED_CARD)
            case "void":
                self.trace.void = void_text(body["by"], body["why"])
            case "answer":
                self._answer(entry, body, self.steps[body["step"]])
            case "irregularity":
                self.used.update(_ref(ref) for ref in body["evidence"])
                if body["place"] == "rack":
                    card = self._card(entry, body, body["card"], "rack", 0)
                    card.note = str(body["trouble"])
                    self._lay(card, "rack")
                elif body["trouble"] == Trouble.EXPOSED_CARD:
                    self._exposed(entry, body["place"], body["card"])

    def number_rack(self) -> None:
        """Each card in the rack gets its position there."""
        for position, (_, card) in enumerate(self.rack, 1):
            if card is not None:
                card.rack = position

    def _draw(self, event: Json, n: int) -> None:
        if event["name"] == "CARD_DRAWN":
            ref = _ref(event)
            shown = {"entry": n, "unit": event["unit"], "epoch": event["epoch"], "seq": event["seq"]}
            self.draws[ref] = {**shown, "draw": event["body"].get("idx", 0), "ref": ref}

    def _answer(self, entry: Entry, body: Json, step: Json) -> None:
        self.used.update(_ref(ref) for ref in body["evidence"])
        answer = body["answer"]
        match step["do"]:
            case "deal":
                place = step["to"][body["part"]]
                card = self._card(entry, body, answer["card"], place, answer["idx"])
                self.places.setdefault(place, []).append(card)
                if body["part"] in step["up"]:
                    card.show(entry)
            case "reveal":
                self._reveal(entry, step["place"], step["at"], _cards(answer["cards"]))
            case "give":
                self._give(f"seat {step['seat']}", answer["count"], _cards(answer["cards"]))
            case "renew_stub":
                self._renew(step["origins"])

    def _card(self, entry: Entry, body: Json, face: str | None, place: str, draw: int) -> Traced:
        event = next((self.draws[_ref(ref)] for ref in body["evidence"] if _ref(ref) in self.draws), None)
        shown = None if event is None else {name: event[name] for name in ("entry", "unit", "epoch", "seq")}
        index = draw or (event["draw"] if event else 0)
        card = Traced(face, place, index, shown, entry.n, time_text(entry.wall))
        self.trace.cards.append(card)
        return card

    def _exposed(self, entry: Entry, place: str | None, face: str | None) -> None:
        """A card was seen where it lies: the one of that face, else the last one whose face nobody knows; where no
        face is told, the last one.
        """
        lying = self.places.get(place or "", [])
        same = [card for card in lying if card.card == face]
        likely = lying if face is None else same or [card for card in lying if card.card is None]
        for card in likely[-1:]:
            card.card = card.card or face
            card.show(entry)

    def _reveal(self, entry: Entry, place: str, which: list[int], faces: list[str]) -> None:
        """`which`: the cards that are turned up, in the order dealt; none named: all of them."""
        lying, pool = self.places.get(place, []), self.pool.pop(place, [])
        turned = which or range(len(lying))
        for at, face in zip(turned, faces, strict=False):
            kept = next((card for card in pool if card.card == face), None)
            if kept is not None:
                kept.note = ""
                pool.remove(kept)
                lying[at] = kept
            lying[at].card = face
        for card in pool:
            card.note = "given up"
        for at in turned:
            lying[at].show(entry)

    def _give(self, place: str, count: int, faces: list[str]) -> None:
        lying = self.places.get(place, [])
        blind = not all(card.card for card in lying)
        if blind and not faces:
            for card in lying:
                card.note = f"nobody saw which {count} of this hand were given up"
        if faces or blind:
            wanted: list[str | None] = [*faces] or [None] * count
            for face in wanted:
                given = next((card for card in lying if card.card == face), lying[-1])
                lying.remove(given)
                self._lay(given, place)
            return
        for card in lying:
            card.note = f"given up or kept: {count} of {len(lying)} were given up face down"
        self.pool.setdefault(place, []).extend(lying)
        self.rack += [(place, None)] * count
        blank = lying[0]
        self.places[place] = [
            Traced(None, place, 0, None, blank.entry, blank.at, note="one of those kept") for _ in lying[count:]
        ]

    def _rack(self, place: str) -> None:
        for card in self.places.pop(place, []):
            self._lay(card, place)
        self.pool.pop(place, None)

    def _lay(self, card: Traced, place: str) -> None:
        self.rack.append((place, card))

    def _renew(self, origins: list[str]) -> None:
        """The cards that these places gave up leave the rack again, to be dealt once more."""
        for place, card in self.rack:
            if place in origins and card is not None:
                card.note = card.note or "went into a new stub"
        self.rack = [(place, card) for place, card in self.rack if place not in origins]


def _ref(body: Json) -> tuple[str, int, int]:
    return body["unit"], body["epoch"], body["seq"]


def _cards(text: Any) -> list[str]:
    return [str(card) for card in parse_cards(text)] if text else []
