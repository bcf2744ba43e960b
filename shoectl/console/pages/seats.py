"""The layout as the dealer sees it: the seats from his left to his right, and the places before him."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from shoectl.cards import Card, parse_cards
from shoectl.console.pages.cards import Hand, hand_of, number, racked
from shoectl.console.pages.money import moves_of, outcome, verb
from shoectl.console.pages.words import SAYS, amount, chip_label
from shoectl.games import registry
from shoectl.games.steps import BONUS, COMMUNITY, DEALER, at_seat
from shoectl.table.state import TableState

Json = Mapping[str, Any]
DIPS: Final = 142  # px by which the outer seats stand lower than the middle: the arc of the table
STEPS: Final = 4  # classes of the sheet that an arc is made of
FOLD: Final = "fold"
UNREADABLE: Final = "unreadable"  # how the reason of such a hold begins


@dataclass(frozen=True)
class Chip:
    """One wager: its amount and its name."""

    amount: str
    label: str


@dataclass(frozen=True)
class Seat:
    """One seat. `tone`: `on`, `out`, `held` or nothing; `dip`: how far it stands down the arc, from 0."""

    number: int
    state: str
    tone: str
    dip: int
    hand: Hand | None
    chips: tuple[Chip, ...]
    outcome: str
    text: str


@dataclass(frozen=True)
class Place:
    """A place before the dealer: his own cards, the community's, the bonus cards."""

    name: str
    text: str
    hand: Hand
    tone: str


class Table:
    """What seats and places are read from: a view, and the state of the table."""

    def __init__(self, view: Json, state: TableState) -> None:
        self.view, self.state = view, state
        self.step: Json = view["step"] or {}
        self.game = registry.game(state.game)
        self.places: Mapping[str, Sequence[Json]] = view["places"]
        self.due = _due(view)
        self.place = _turn(self.step)
        self.held = view["hold"] is not None
        self.unread = bool(view["hold"]) and str(view["hold"]["reason"]).startswith(UNREADABLE)
        house = self.game.house(state.house)
        lie = {**view["shown"], **{place: cards for place, cards in self.places.items() if cards}}
        faces = {place: _faces(cards) for place, cards in lie.items()}
        shown = {place: found for place, found in faces.items() if found}
        self.readings = {place: self.game.reading(place, shown, house) for place in shown}

    def seats(self) -> tuple[Seat, ...]:
        """Every seat of the table, from the dealer's left."""
        count = len(self.state.seats)
        return tuple(self._seat(seat, dip(at, count)) for at, seat in enumerate(self.state.seats))

    def others(self) -> tuple[Place, ...]:
        """The dealer's place, and those of the cards that belong to nobody."""
        found = (self._other(place) for place in (DEALER, COMMUNITY, BONUS))
        return tuple(place for place in found if place is not None)

    def hand(self, place: str) -> Hand | None:
        """The cards at a place, those that lay there until they were racked, or nothing."""
        cards = self.places.get(place, ())
        due = self.due.get(place, 0)
        if cards or due:
            marks = self._marks(place)
            return hand_of(cards, due=due, unread=self.unread and place == self.place, marks=marks)
        if place in self.view["shown"]:
            return racked(len(self.view["shown"][place]))
        return racked(self._dealt(place)) if self._dealt(place) else None

    def _dealt(self, place: str) -> int:
        """How many cards were dealt to a place that is empty now."""
        return sum(one["step"]["to"].count(place) for one in self.view["record"] if one["step"]["do"] == "deal")

    def _marks(self, place: str) -> Mapping[str, str]:
        """Which card of a place belongs to which payment, or to the low hand."""
        reading = self.readings.get(place)
        if reading is not None and reading.combinations:
            numbered = [(str(card), str(at)) for at, cards in enumerate(reading.combinations, 1) for card in cards]
            return {card: " ".join(at for other, at in numbered if other == card) for card, _ in numbered}
        low = [one["step"]["low"] for one in self.view["record"] if _arranges(one["step"], place)]
        cards = self.places.get(place, ())
        return {str(cards[at].get("card")): "low" for at in low[-1] if at < len(cards)} if low else {}

    def _other(self, name: str) -> Place | None:
        hand = self.hand(name)
        if hand is None:
            return None
        reading = self.readings.get(name)
        cards = self.places.get(name, ())
        if reading is not None:
            text = reading.text
        elif name in self.due:
            text = f"{len(cards)} of {self.due[name]}"
        else:
            text = _up_and_down(cards)
        return Place(name.capitalize(), text, hand, self._tone(name))

    def _tone(self, place: str) -> str:
        if self.place != place:
            return ""
        return "held" if self.held else "on"

    def _seat(self, number: int, dip: int) -> Seat:
        place = at_seat(number)
        wagers = self.view["wagers"].get(str(number), {})
        chips = tuple(Chip(amount(value), chip_label(name, number)) for name, value in wagers.items())
        state, moved = outcome(self.view["record"], number)
        reading = self.readings.get(place)
        tone = self._tone(place)
        word = self._word(number, bool(wagers), state)
        if not tone and word in ("folds", "folded"):
            tone = "out"
        text = reading.text if reading is not None else ""
        if self.place == place and self.step.get("do") == "acknowledge":
            moved = ""  # it is what the dealer is told to do now
        if moved and not self.places.get(place) and place in self.view["shown"]:
            text = f"{text}, in the rack" if text else "in the rack"
        return Seat(number, word, tone, dip, self.hand(place), chips, moved, text)

    def _word(self, number: int, wagered: bool, settled: str) -> str:
        """The state of a seat in a word."""
        place, here = at_seat(number), self.place == at_seat(number)
        made = self.view["decided"].get(str(number), [])
        if here and self.unread:
            return "not read"
        if here and self.step.get("do") == "acknowledge":
            return verb(number, moves_of(self.view["record"]))
        if here:
            return HERE.get(str(self.step.get("do")), "on")
        if place in self.due and self.step.get("do") in ("deal", "deal_by_hand"):
            return f"{len(self.places.get(place, ()))} of {self.due[place]}"
        if self.step.get("do") == "wagers":
            return ""
        if made and made[-1] == FOLD:
            return "folded" if settled else "folds"
        if settled and not wagered:
            return settled
        if made:
            return SAYS.get(str(made[-1]), str(made[-1]))
        if wagered:
            return "to come" if any(self.places.values()) else "in"
        return settled or ("no player" if self._played() else "")

    def _played(self) -> bool:
        return any(one["step"]["do"] == "wagers" for one in self.view["record"])


HERE: Final = {
    "ask": "deciding",
    "declare": "declares?",
    "give": "gives up",
    "set_hands": "sets",
    "set": "turned up",
    "reveal": "to turn up",
    "verify": "to verify",
    "deal": "next card",
    "deal_by_hand": "next card",
}


def dip(at: int, seats: int) -> int:
    """How far down the arc the seat at a position stands: a class from 0 (the middle) to 3 (the ends)."""
    if seats < 3:
        return 0
    off = abs(2 * at / (seats - 1) - 1)
    return round(off * off * (STEPS - 1))


def _turn(step: Json) -> str | None:
    """The place that the open step is about."""
    if step.get("do") in ("deal", "deal_by_hand"):
        part = step["ref"]["part"]
        return str(step["to"][part]) if part < len(step["to"]) else None
    if step.get("seat"):
        return at_seat(step["seat"])
    place = step.get("place")
    return str(place) if place and step.get("do") in ("reveal", "set_aside", "arrange") else None


def _due(view: Json) -> dict[str, int]:
    """How many cards each place will have once the deal that is open is done."""
    step = view["step"]
    if not step or step["do"] not in ("deal", "deal_by_hand"):
        return {}
    rest = step["to"][step["ref"]["part"] :]
    return {place: len(view["places"].get(place, ())) + rest.count(place) for place in dict.fromkeys(step["to"])}


def _faces(cards: Sequence[Json]) -> tuple[Card, ...]:
    """The faces of a place where every card lies face up; nothing else is ever read."""
    texts = [str(card["card"]) for card in cards if card["up"] and "card" in card]
    return parse_cards(" ".join(texts)) if texts and len(texts) == len(cards) else ()


def _arranges(step: Json, place: str) -> bool:
    return bool(step["do"] == "arrange" and step["place"] == place)


def _up_and_down(cards: Sequence[Json]) -> str:
    """How many lie face down and up: `four down, one up`."""
    up = sum(bool(card["up"]) for card in cards)
    parts = [f"{number(count).lower()} {word}" for count, word in ((len(cards) - up, "down"), (up, "up")) if count]
    return ", ".join(parts)


def occupied(view: Json) -> Iterator[tuple[str, int]]:
    """Places where cards lie, and how many."""
    return ((place, len(cards)) for place, cards in view["places"].items() if cards)
