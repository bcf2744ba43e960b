"""Cards and chips on the table: laid down by the round, read by the procedures.

Hands, a void, the settlement and what the public sees are folds over this one thing, and no game writes them again.
It is mutable and owned by its Round; `apply` and `interrupt` are the only writers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from shoectl.cards import STANDARD, Card
from shoectl.games.answers import Counted, Decision, Drawn, Faces, Given, Setting, Wagers
from shoectl.games.checks import Refused, check_answer
from shoectl.games.lying import Booking, Racked, Slot
from shoectl.games.procedure import Answer, Irregularity, Step, Trouble
from shoectl.games.steps import (
    Ask,
    Collect,
    CountTable,
    Deal,
    Discard,
    GiveBack,
    Pay,
    Place,
    PlaceWagers,
    RackStub,
    ReadSetting,
    RenewStub,
    Return,
    Reveal,
    SetAside,
    TakeBack,
    at_seat,
)

__all__ = ["Booking", "Layout", "Racked", "Refused", "Slot"]

EXPOSED = str(Trouble.EXPOSED_CARD)  # where cards in the rack come from that were seen before their time
UNRECORDED = str(Trouble.RECORD_LOST)  # where cards come from that lay on the table, and no record told of them


@dataclass
class Layout:
    """The table of one round.

    `placed` remembers every wager as it was placed, `wagers` holds those that still lie there.
    `unseen`: places where cards were given up and nobody saw which, with the faces they were among (None: unknown).
    `restocked`: what went from the rack into a new stub. `settings`: the low hands that players have set. `least`: the
    least that this table takes of each wager. `void`: why the round is void from here on, where what lies there is all
    that is left of it.
    """

    places: dict[Place, list[Slot]] = field(default_factory=dict)
    unseen: dict[Place, tuple[Card | None, ...]] = field(default_factory=dict)
    wagers: dict[int, dict[str, int]] = field(default_factory=dict)
    placed: dict[int, dict[str, int]] = field(default_factory=dict)
    rack: list[Racked] = field(default_factory=list)
    booked: list[Booking] = field(default_factory=list)
    decided: dict[int, list[Decision]] = field(default_factory=dict)
    restocked: list[Racked] = field(default_factory=list)
    settings: dict[int, tuple[Card, ...]] = field(default_factory=dict)
    stub_racked: bool = False
    least: dict[str, int] = field(default_factory=dict)
    void: str = ""
    _seen: set[Card] = field(default_factory=set, repr=False)

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
        """Cards that left the stub this round: on the table and in the rack."""
        return sum(map(len, self.places.values())) + sum(len(racked.cards) for racked in self.rack)

    def stub(self) -> int:
        """Cards that can still be dealt."""
        return 0 if self.stub_racked else len(STANDARD) - self.dealt()

    def last_hand(self, place: Place) -> tuple[Card, ...] | None:
        """The faces at a place, or those that lay there when it was cleared; None while one of them is unknown."""
        if self.count(place):
            return self.hand(place)
        for racked in reversed(self.rack):
            if racked.origin == place:
                faces = tuple(card for card in racked.cards if card is not None)
                return faces if len(faces) == len(racked.cards) else None
        return None

    def seen(self, card: Card) -> bool:
        """Whether this face has been seen this round (and did not go into a new stub)."""
        return card in self._seen

    def known(self) -> dict[Card, str]:
        """Every card whose face is known this round, and where it lies or came from."""
        where = {card: f"rack ({racked.origin})" for racked in self.rack for card in racked.cards if card is not None}
        for place, pool in self.unseen.items():
            where.update((card, place) for card in pool if card is not None)
        for place, slots in self.places.items():
            where.update((slot.face, place) for slot in slots if slot.face is not None)
        return where

    def net(self, seat: int) -> int:
        """What a seat has gained so far."""
        return sum(booking.gain for booking in self.booked if booking.seat == seat)

    def exposed_at(self, place: Place, face: Card | None) -> int | None:
        """Which card of a place was exposed, in the order dealt: the one of that face, else the last one whose face
        nobody knows; where no face is told, the last one. None where there is none.
        """
        slots = self.places.get(place, [])
        if face is None:
            return len(slots) - 1 if slots else None
        for wanted in (face, None):
            for at in reversed(range(len(slots))):
                if slots[at].face == wanted:
                    return at
        return None

    def drawn_as(self, draw: int) -> tuple[Place, int] | None:
        """Where the card lies that a draw brought, by the shoe's number: the place, and which of its cards; None where
        it lies no more.
        """
        for place, slots in self.places.items():
            for at, slot in enumerate(slots):
                if slot.draw == draw:
                    return place, at
        return None

    # checking

    def check(self, step: Step[Any], part: int, answer: Answer) -> None:
        """Whether the table allows this answer to this step. Raises Refused with the reason and the rule."""
        check_answer(self, step, part, answer)

    # writing

    def apply(self, step: Step[Any], part: int, answer: Answer) -> None:
        """Lay down what an answer means."""
        match step, answer:
            case Deal(to, up), Drawn(card, idx):
                self.places.setdefault(to[part], []).append(Slot(card, part in up, draw=idx))
                if card is not None:
                    self._seen.add(card)
            case PlaceWagers(_, offers), Wagers(placed):
                self.least = {offer.wager: offer.least for offer in offers}
                for seat, wager, amount in placed:
                    self._place(seat, wager, amount)
            case Ask(seat, choices), Decision(name, amount):
                chosen = next(choice for choice in choices if choice.name == name)
                self.decided.setdefault(seat, []).append(Decision(name, amount))
                if chosen.wager:
                    self._place(seat, chosen.wager, amount or chosen.least)
            case GiveBack(seat), Given(count, cards):
                self._give_up(at_seat(seat), count, cards)
            case Reveal(place, at), Faces(cards):
                self._turn_up(place, at, cards)
            case ReadSetting(seat), Setting(low):
                self.settings[seat] = low
            case RackStub(), _:
                self.stub_racked = True
            case RenewStub(origins), _:
                self._renew_stub(origins)
            case Discard(place), _:
                self._to_rack(place)
            case CountTable(known), Counted(cards) if cards > known:
                self.rack.append(Racked(UNRECORDED, (None,) * (cards - known)))
            case SetAside(place, at), _:
                slot = self.places[place].pop(at)
                self.rack.append(Racked(EXPOSED, (slot.face,), up=(slot.up,)))
            case TakeBack(place, at), _:
                self._seen.difference_update({self.places[place].pop(at).face} - {None})
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
        """Lay down what trouble concerns: a card of no place goes to the rack, so that 52 stay explained; one that was
        exposed where it lies is seen from then on; of a place where a card was misread nobody knows the faces.
        """
        face = Card.parse(trouble.card) if trouble.card else None
        if trouble.place == "rack":
            self.rack.append(Racked(str(trouble.kind), (face,)))
            self._see(face)
        elif trouble.kind is Trouble.EXPOSED_CARD and trouble.place is not None:
            at = self.exposed_at(trouble.place, face)
            if at is not None:
                slot = self.places[trouble.place][at]
                slot.face, slot.up = slot.face or face, True
                self._see(slot.face)
        elif trouble.kind is Trouble.MISREAD_CARD and trouble.place is not None:
            self._forget(trouble.place)

    def _forget(self, place: Place) -> None:
        slots = self.places.get(place, [])
        read = (*(slot.face for slot in slots), *self.unseen.get(place, ()))
        self._seen.difference_update(face for face in read if face is not None)
        slots[:] = [Slot(None, kept=slot.kept) for slot in slots]
        if place in self.unseen:
            self.unseen[place] = (None,) * len(self.unseen[place])

    def _see(self, *faces: Card | None) -> None:
        self._seen.update(face for face in faces if face is not None)

    def _place(self, seat: int, wager: str, amount: int) -> None:
        self.wagers.setdefault(seat, {})[wager] = amount
        self.placed.setdefault(seat, {})[wager] = amount

    def _lift(self, seat: int, wager: str, amount: int) -> None:
        lying = self.wager(seat, wager)
        if amount != lying:
            raise ValueError(f"seat {seat}: {wager} of {lying} lies there, not {amount}")
        del self.wagers[seat][wager]

    def _to_rack(self, place: Place) -> None:
        slots = self.places.pop(place, [])
        among = self.unseen.pop(place, ())
        if slots:
            up = tuple(slot.up for slot in slots)
            self.rack.append(Racked(place, tuple(slot.face for slot in slots), among, up))

    def _turn_up(self, place: Place, at: tuple[int, ...], cards: tuple[Card, ...]) -> None:
        slots = self.places.get(place, [])
        turned = at or tuple(range(len(slots)))
        for where, card in zip(turned, cards, strict=bool(cards)):
            slots[where] = Slot(card, draw=slots[where].draw)
        self._see(*cards)
        for where in turned:
            slots[where].up = True
        among = self.unseen.pop(place, ())
        if among and None not in among:  # what was not shown is what was given up
            gone = tuple(card for card in among if all(slot.face != card for slot in slots))
            for pile in (self.rack, self.restocked):
                pile[:] = [
                    Racked(place, gone) if racked.origin == place and None in racked.cards else racked
                    for racked in pile
                ]

    def _give_up(self, place: Place, count: int, cards: tuple[Card, ...]) -> None:
        slots = self.places[place]
        if cards:
            self.rack.append(Racked(place, cards))
            self._see(*cards)
            for card in cards:
                at = next((at for at, slot in enumerate(slots) if slot.face == card), None)
                at = at if at is not None else next(at for at, slot in enumerate(slots) if slot.face is None)
                del slots[at]
            return
        earlier = self.unseen.get(place, ())
        among = earlier + tuple(slot.face for slot in slots if slot.face is not None or not earlier)
        self.unseen[place] = among
        self.rack.append(Racked(place, (None,) * count, among))
        slots[:] = [Slot(None, kept=True) for _ in slots[count:]]

    def _renew_stub(self, origins: tuple[Place, ...]) -> None:
        taken = [racked for racked in self.rack if racked.origin in origins]
        self.rack[:] = [racked for racked in self.rack if racked.origin not in origins]
        self.restocked.extend(taken)
        for racked in taken:
            self._seen.difference_update(card for card in (*racked.cards, *racked.among) if card is not None)
