"""Cards as things: each is in exactly one place, and whatever moves it writes that down before any sensor sees it.

Nothing here knows a protocol. Places are names (`alder.infeed`, `seat 1`); a place holds its cards in order, the first
leaves first and the next is laid behind the last. `facts` are the other physical truths: a door that stands open,
how many cards lie presented, which movements the hands have done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from firmware_sim.timeline import Timeline
from firmware_sim.whereabouts import Ledger, Truth
from protocols.vocabulary import Back, card_byte, card_text

SUPPLY = "supply"
STANDARD = tuple(rank + suit for suit in "shcd" for rank in "A23456789TJQK")


class Impossible(Exception):
    """A movement that cannot happen: that card is not there."""


@dataclass(frozen=True, slots=True)
class Card:
    """One piece of cardboard.

    `face` is a card byte, `back` a colour, `copy` tells equal faces apart, `deck` is its set.
    """

    number: int
    face: int
    back: str
    copy: int
    deck: int

    @property
    def text(self) -> str:
        """The face as text: `As`, `cut` for the cut card, `foreign` for one of another game."""
        return card_text(self.face)

    @property
    def back_code(self) -> int:
        """The back colour as devices tell it (common.md §7.2)."""
        return Back[self.back.upper()] if self.back.upper() in Back.__members__ else Back.OTHER


class World:
    """All cards of one table and where they are."""

    def __init__(self, clock: Timeline, ledger: Ledger | None = None, truth: Truth | None = None) -> None:
        self.clock = clock
        self.places: dict[str, list[Card]] = {}
        self.facts: dict[str, Any] = {}
        self._where: dict[int, str] = {}
        self._cards: dict[int, Card] = {}
        self._n = 0
        self._watchers: list[Callable[[str], None]] = []
        self._ledger = ledger or Ledger(None)
        self._truth = truth or Truth(None)
        for record in self._ledger.load():
            self._recall(record)
        self._truth.complete(self._ledger.moves)
        self._ledger.compact(self._records())

    @property
    def fresh(self) -> bool:
        """Whether this table has never had a card."""
        return not self._cards

    @property
    def made(self) -> int:
        """How many cards there are in all."""
        return len(self._cards)

    def cards(self, place: str) -> tuple[Card, ...]:
        """What lies in a place, in order."""
        return tuple(self.places.get(place, ()))

    def count(self, place: str) -> int:
        """How many cards lie in a place."""
        return len(self.places.get(place, ()))

    def card(self, number: int) -> Card:
        """A card by its number."""
        return self._cards[number]

    def place_of(self, card: Card) -> str:
        """Where a card is."""
        return self._where[card.number]

    def watch(self, changed: Callable[[str], None]) -> None:
        """Have `changed(name)` called after each movement, for both places, and after each change of a fact."""
        self._watchers.append(changed)

    def create(self, faces: Iterable[str | int], *, back: str, deck: int) -> list[Card]:
        """New cards from the printer, lying in the supply. Texts or card bytes."""
        made = []
        for face in faces:
            byte = face if isinstance(face, int) else card_byte(face)
            copy = sum(card.face == byte and card.deck == deck for card in self._cards.values())
            card = Card(len(self._cards) + 1, byte, back, copy, deck)
            self._add(card, SUPPLY)
            self._ledger.append(_new(card, SUPPLY))
            made.append(card)
        return made

    def move(
        self,
        card: Card,
        target: str,
        *,
        by: str,
        at: int | None = None,
        facts: Mapping[str, Any] | None = None,
        read_as: int | None = None,
    ) -> None:
        """One card to `target`, behind the others there or `at` a position; the facts change with it.

        `read_as`: the face for which a reader on the way takes it, where that is not its own. The truth file says so.
        """
        source = self._where[card.number]
        line = {"n": self._n + 1, "card": card.text, "back": card.back, "copy": card.copy, "from": source, "to": target}
        line |= {"by": by, "t_ms": round(self.clock.now * 1000), "deck": card.deck}
        line |= {} if read_as is None else {"read_as": card_text(read_as)}
        record = {"k": "move", "id": card.number, "at": at, "facts": dict(facts or {}), "line": line}
        self._ledger.append(record)
        self._truth.append(line)
        self._apply(record)
        self.check()
        if self._ledger.grown:
            self._ledger.compact(self._records())
        for changed in self._watchers:
            changed(source)
            changed(target)

    def move_all(self, source: str, target: str, *, by: str) -> int:
        """All cards of a place, in their order; how many."""
        cards = self.cards(source)
        for card in cards:
            self.move(card, target, by=by)
        return len(cards)

    def set(self, **facts: Any) -> None:
        """Change facts; None forgets one."""
        self.set_facts(facts)

    def set_facts(self, facts: Mapping[str, Any]) -> None:
        """As `set`, for names that are not identifiers."""
        record = {"k": "set", "facts": dict(facts)}
        self._ledger.append(record)
        self._apply(record)
        for changed in self._watchers:
            for name in facts:
                changed(name)

    def check(self) -> None:
        """Every card is in exactly one place: raises AssertionError where one has come or gone."""
        lying = sum(map(len, self.places.values()))
        if lying != len(self._cards) or len(self._where) != lying:
            raise AssertionError(f"{lying} cards lie about, {len(self._cards)} were made")

    def close(self) -> None:
        """Close the files."""
        self._ledger.close()
        self._truth.close()

    def _add(self, card: Card, place: str) -> None:
        self._cards[card.number] = card
        self._where[card.number] = place
        self.places.setdefault(place, []).append(card)

    def _apply(self, record: Mapping[str, Any]) -> None:
        if record["k"] == "move":
            card, target = self._cards[record["id"]], record["line"]["to"]
            self.places[self._where[card.number]].remove(card)
            cards = self.places.setdefault(target, [])
            at = record["at"]
            cards.insert(len(cards) if at is None else at, card)
            self._where[card.number] = target
            self._n = record["line"]["n"]
        for name, value in record["facts"].items():
            if value is None:
                self.facts.pop(name, None)
            else:
                self.facts[name] = value

    def _recall(self, record: Mapping[str, Any]) -> None:
        match record["k"]:
            case "new":
                number, face, back, copy, deck = record["card"]
                self._add(Card(number, face, back, copy, deck), record["place"])
            case "clock":
                self._n = record["n"]
                self.clock.now = record["t_ms"] / 1000
            case _:
                self._apply(record)
                if record["k"] == "move":
                    self.clock.now = record["line"]["t_ms"] / 1000

    def _records(self) -> Iterable[Mapping[str, Any]]:
        yield {"k": "clock", "n": self._n, "t_ms": round(self.clock.now * 1000)}
        yield {"k": "set", "facts": self.facts}
        for place, cards in self.places.items():
            for card in cards:
                yield _new(card, place)


def _new(card: Card, place: str) -> dict[str, Any]:
    return {"k": "new", "card": [card.number, card.face, card.back, card.copy, card.deck], "place": place}


class Sensor:
    """A sensor that counts or sees, and that can be told to lie: `lie` is added to what it would say."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lie = 0

    def read(self, truth: int) -> int:
        """What it says where `truth` is so."""
        return max(truth + self.lie, 0)
