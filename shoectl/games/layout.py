"""Cards and chips on the table: laid down by the round, read by the procedures.

Hands, a void, the settlement and what the public sees are folds over this one thing, and no game writes them again.
It is mutable and owned by its Round; `apply` and `interrupt` are the only writers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from shoectl.cards import Card, show_cards
from shoectl.errors import BadInput
from shoectl.games.answers import Counted, Decision, Drawn, Faces, Given, Wagers
from shoectl.games.procedure import Answer, Irregularity, Step
from shoectl.games.steps import (
    Ask,
    Collect,
    Deal,
    Discard,
    GiveBack,
    Pay,
    Place,
    PlaceWagers,
    Return,
    Reveal,
    WagerOffer,
    at_seat,
)


class Refused(BadInput):
    """An answer that the open step does not allow. Nothing was written."""


@dataclass
class Slot:
    """One card of a place: its face where it is known, and whether it lies face up."""

    face: Card | None
    up: bool = False


@dataclass(frozen=True)
class Racked:
    """Cards in the discard rack, where they came from, in the order laid down (None: a face that nobody has seen)."""

    origin: str
    cards: tuple[Card | None, ...]


@dataclass(frozen=True)
class Booking:
    """One movement of chips: what a seat gained (negative: lost) on a wager, and how. A stake going home is no gain."""

    seat: int
    wager: str
    gain: int
    how: str  # win, lose, forfeit, push, void
    stake: int


@dataclass
class Layout:
    """The table of one round."""

    places: dict[Place, list[Slot]] = field(default_factory=dict)
    unseen: dict[Place, tuple[Card, ...]] = field(default_factory=dict)
    wagers: dict[int, dict[str, int]] = field(default_factory=dict)
    rack: list[Racked] = field(default_factory=list)
    booked: list[Booking] = field(default_factory=list)
    decided: dict[int, list[Decision]] = field(default_factory=dict)

    # reading

    def seats(self) -> tuple[int, ...]:
        """Seats that have placed a wager this round, clockwise from the dealer's left."""
        return tuple(sorted(self.wagers))

    def hand(self, place: Place) -> tuple[Card, ...] | None:
        """The faces at a place in the order dealt; None while one of them is unknown, or where no card lies."""
        slots = self.places.get(place, [])
        faces = tuple(slot.face for slot in slots if slot.face is not None)
        return faces if slots and len(faces) == len(slots) else None

    def count(self, place: Place) -> int:
        """How many cards lie at a place."""
        return len(self.places.get(place, []))

    def wager(self, seat: int, wager: str) -> int:
        """What still lies there."""
        return self.wagers.get(seat, {}).get(wager, 0)

    def standing(self) -> Iterator[tuple[int, str, int]]:
        """Every wager that still lies on the table: seat, wager, amount."""
        for seat in sorted(self.wagers):
            for wager, amount in self.wagers[seat].items():
                yield seat, wager, amount

    def occupied(self) -> tuple[Place, ...]:
        """Places where cards lie, in the order in which they were first dealt to."""
        return tuple(place for place, slots in self.places.items() if slots)

    def dealt(self) -> int:
        """Cards that left the shoe this round: on the table and in the rack."""
        return sum(map(len, self.places.values())) + sum(len(racked.cards) for racked in self.rack)

    def known(self) -> dict[Card, str]:
        """Every card whose face is known this round, and where it lies or came from."""
        seen = {card: f"rack ({racked.origin})" for racked in self.rack for card in racked.cards if card is not None}
        for place, slots in self.places.items():
            seen.update((slot.face, place) for slot in slots if slot.face is not None)
            seen.update((card, place) for card in self.unseen.get(place, ()))
        return seen

    def net(self, seat: int) -> int:
        """What a seat has gained so far."""
        return sum(booking.gain for booking in self.booked if booking.seat == seat)

    # checking

    def check(self, step: Step[Any], part: int, answer: Answer) -> None:
        """Whether the table allows this answer to this step. Raises Refused with the reason and the rule."""
        if not isinstance(answer, step.takes):
            raise Refused(
                f"{step.do} takes {step.takes.__name__.lower()}, not {type(answer).__name__.lower()}",
                rule=step.rule,
            )
        match step, answer:
            case PlaceWagers(), Wagers(placed):
                self._check_wagers(step, placed)
            case Ask(seat, choices), Decision(name, amount):
                offered = next((choice for choice in choices if choice.name == name), None)
                if offered is None:
                    allowed = ", ".join(choice.name for choice in choices)
                    raise Refused(
                        f"seat {seat}: {name!r} is not offered, allowed: {allowed}", rule=step.rule, seat=seat
                    )
                if amount and not offered.least <= amount <= offered.most:
                    span = str(offered.least) if offered.least == offered.most else f"{offered.least} to {offered.most}"
                    what = f"{offered.wager} of {amount}" if offered.wager else f"amount {amount}"
                    raise Refused(f"seat {seat}: {what} is not allowed, it must be {span}", rule=step.rule, seat=seat)
                if offered.wager and not amount and offered.least != offered.most:
                    raise Refused(f"seat {seat}: {name} needs an amount", rule=step.rule, seat=seat)
            case GiveBack(seat, least, most), Given(count, cards):
                if not least <= count <= most:
                    raise Refused(
                        f"seat {seat}: {count} cards given up, allowed {least} to {most}",
                        rule=step.rule,
                        seat=seat,
                    )
                if cards and len(cards) != count:
                    raise Refused(f"seat {seat}: {count} cards given up, {len(cards)} named", rule=step.rule, seat=seat)
                held = [slot.face for slot in self.places.get(at_seat(seat), [])]
                for card in cards:
                    if held.count(card) < cards.count(card) and None not in held:
                        raise Refused(f"seat {seat}: {card} is not in the hand", rule=step.rule, seat=seat)
            case Reveal(place), Faces(cards):
                self._check_faces(step, place, cards)
            case Deal(), Drawn(card) if card is not None and card in self.known():
                raise Refused(f"{card} is on the table already ({self.known()[card]})", rule=step.rule)
            case _, Counted(cards) if cards < 0:
                raise Refused(f"a count of {cards} is not possible", rule=step.rule)

    def _check_wagers(self, step: PlaceWagers, placed: tuple[tuple[int, str, int], ...]) -> None:
        offers = {offer.wager: offer for offer in step.offers}
        at: dict[int, dict[str, int]] = {}
        for seat, wager, amount in placed:
            if seat not in step.seats:
                raise Refused(f"seat {seat} is not at this table", rule=step.rule, seat=seat)
            offer: WagerOffer | None = offers.get(wager)
            if offer is None:
                allowed = ", ".join(offers)
                raise Refused(f"seat {seat}: no wager {wager!r} here, allowed: {allowed}", rule=step.rule, seat=seat)
            if not offer.least <= amount <= offer.most:
                raise Refused(
                    f"seat {seat}: {wager} of {amount} is outside {offer.least} to {offer.most}",
                    rule=step.rule,
                    seat=seat,
                )
            if wager in at.setdefault(seat, {}):
                raise Refused(f"seat {seat}: {wager} is placed twice", rule=step.rule, seat=seat)
            at[seat][wager] = amount
        for seat, wagers in at.items():
            for offer in step.offers:
                if offer.required and offer.wager not in wagers:
                    raise Refused(f"seat {seat}: {offer.wager} is missing", rule=step.rule, seat=seat)
                if offer.wager in wagers and offer.needs and offer.needs not in wagers:
                    raise Refused(f"seat {seat}: {offer.wager} needs {offer.needs}", rule=step.rule, seat=seat)

    def _check_faces(self, step: Step[Any], place: Place, cards: tuple[Card, ...]) -> None:
        slots = self.places.get(place, [])
        if not cards:
            if any(slot.face is None for slot in slots):
                raise Refused(f"{place}: the faces have to be entered, nobody has read them", rule=step.rule)
            return
        if len(cards) != len(slots):
            raise Refused(f"{place}: {len(slots)} cards lie there, {len(cards)} entered", rule=step.rule)
        if len(set(cards)) != len(cards):
            raise Refused(f"{place}: a card is entered twice", rule=step.rule)
        pool = self.unseen.get(place, ())
        elsewhere = {card: where for card, where in self.known().items() if where != place}
        for card in cards:
            if card in elsewhere:
                raise Refused(f"{place}: {card} lies elsewhere ({elsewhere[card]})", rule=step.rule)
        read = {slot.face for slot in slots if slot.face is not None}
        if read - set(cards):
            missing = show_cards(card for card in read if card not in cards)
            raise Refused(
                f"{place}: the shoe read {missing} for this place, it is not among the cards entered",
                rule=step.rule,
            )
        if pool and len([card for card in cards if card in pool]) < len([slot for slot in slots if slot.face is None]):
            raise Refused(f"{place}: a card entered was never dealt here", rule=step.rule)

    # writing

    def apply(self, step: Step[Any], part: int, answer: Answer) -> None:
        """Lay down what an answer means."""
        match step, answer:
            case PlaceWagers(), Wagers(placed):
                for seat, wager, amount in placed:
                    self.wagers.setdefault(seat, {})[wager] = amount
            case Ask(seat, choices), Decision(name, amount):
                chosen = next(choice for choice in choices if choice.name == name)
                self.decided.setdefault(seat, []).append(Decision(name, amount))
                if chosen.wager:
                    self.wagers.setdefault(seat, {})[chosen.wager] = amount or chosen.least
            case Deal(to, up), Drawn(card):
                self.places.setdefault(to[part], []).append(Slot(card, part in up))
            case GiveBack(seat), Given(count, cards):
                self._give_back(at_seat(seat), count, cards)
            case Reveal(place), Faces(cards):
                slots = self.places.get(place, [])
                if cards:
                    slots[:] = [Slot(card) for card in cards]
                    self.unseen.pop(place, None)
                for slot in slots:
                    slot.up = True
            case Discard(place), _:
                self._to_rack(place)
            case Collect(seat, wager, amount, outcome), _:
                self._lift(seat, wager, amount)
                self.booked.append(Booking(seat, wager, -amount, outcome, amount))
            case Return(seat, wager, amount, outcome), _:
                self._lift(seat, wager, amount)
                self.booked.append(Booking(seat, wager, 0, outcome, amount))
            case Pay(seat, wager, amount, stake, keeps_stake=keeps), _:
                if self.wager(seat, wager):
                    self._lift(seat, wager, stake)
                self.booked.append(Booking(seat, wager, amount - stake if keeps else amount, "win", stake))

    def interrupt(self, trouble: Irregularity) -> None:
        """Lay down what trouble concerns: a card of no place goes to the rack, so that 52 stay explained."""
        if trouble.place == "rack":
            face = Card.parse(trouble.card) if trouble.card else None
            self.rack.append(Racked(str(trouble.kind), (face,)))

    def _lift(self, seat: int, wager: str, amount: int) -> None:
        lying = self.wager(seat, wager)
        if amount != lying:
            raise ValueError(f"seat {seat}: {wager} of {lying} lies there, not {amount}")
        del self.wagers[seat][wager]

    def _to_rack(self, place: Place) -> None:
        slots = self.places.pop(place, [])
        unseen = self.unseen.pop(place, ())
        if slots:
            label = f"{place} (of {show_cards(unseen)})" if unseen else place
            self.rack.append(Racked(label, tuple(slot.face for slot in slots)))

    def _give_back(self, place: Place, count: int, cards: tuple[Card, ...]) -> None:
        slots = self.places[place]
        if cards:
            self.rack.append(Racked(place, cards))
            for card in cards:
                at = next((at for at, slot in enumerate(slots) if slot.face == card), None)
                del slots[at if at is not None else -1]
            return
        faces = tuple(slot.face for slot in slots if slot.face is not None)
        if len(faces) == len(slots):
            self.unseen[place] = self.unseen.get(place, ()) + faces  # which of these were given up is not known
        self.rack.append(Racked(place, (None,) * count))
        slots[:] = [Slot(None) for _ in slots[count:]]
