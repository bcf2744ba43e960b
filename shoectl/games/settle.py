"""One round from its record: the record's hands answer the steps, and what the rules prescribe is printed."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from shoectl.cards import Card, show_cards
from shoectl.errors import BadInput
from shoectl.games.answers import Decision, Declared, Drawn, Faces, Given, Setting, Wagers
from shoectl.games.house import House, show_value
from shoectl.games.layout import Layout
from shoectl.games.printed import Printed
from shoectl.games.procedure import Answer, Done, Irregularity, Procedure, Round, drive
from shoectl.games.records import Decided, RoundRecord
from shoectl.games.registry import Game, Outcome, game
from shoectl.games.steps import (
    BONUS,
    COMMUNITY,
    DEALER,
    Ask,
    Choice,
    Deal,
    Declare,
    GiveBack,
    Place,
    PlaceWagers,
    ReadSetting,
    ReadSystem,
    Reveal,
    at_seat,
    seat_of,
)
from shoectl.games.table_options import MOST_SEATS
from shoectl.games.turns import void
from shoectl.games.wagers import Settlement, settlement

MOST_AMOUNT = 10**15  # a record has no table limits; more than that is a slip


@dataclass(frozen=True)
class SettledRound:
    """A round that has been settled: the steps as printed, the hands, and how each wager ended."""

    game: str
    steps: list[dict[str, object]]
    layout: Layout
    outcome: Outcome
    wagers: Settlement
    house: House

    def json(self) -> dict[str, object]:
        """As `shoectl settle --json` prints it."""
        seats = {
            str(seat): {
                "net": self.layout.net(seat),
                **self.outcome.seats[seat],
                "wagers": {
                    name: {"stake": one.stake, "outcome": one.outcome, "net": one.net} for name, one in wagers.items()
                },
            }
            for seat, wagers in self.wagers.items()
        }
        return {"game": self.game, "steps": self.steps, "seats": seats, "dealer": dict(self.outcome.dealer)}


def settle(record: RoundRecord, *, blind: bool = False, exchange_seen: bool = True) -> SettledRound:
    """Play a record through its game. `blind`: as a table does where nobody sees a face before it is turned up;
    `exchange_seen=False`: as a reading shoe's table, where nobody sees which cards a player gives up.

    Raises BadInput naming seat, wager or card, and the rule, for whatever the section does not allow.
    """
    played = game(record.game)
    house = played.house({"seats": MOST_SEATS, **record.house})
    if not record.seats:
        raise BadInput("seats: a round has at least one seat")
    layout = Layout()
    hands = RecordHands(played, house, record, Printed(layout), blind, exchange_seen and not blind)
    drive(Round(lambda table: _round(played, house, record, table), layout), hands, hands.printed.asked)
    hands.check_used_up(layout)
    outcome = played.outcome(layout, house)
    return SettledRound(played.name, hands.printed.steps, layout, outcome, settlement(layout), house)


def _round(played: Game, house: House, record: RoundRecord, table: Layout) -> Procedure[None]:
    offers = played.offers(house, dict.fromkeys(played.families, (1, MOST_AMOUNT)))
    yield from PlaceWagers(tuple(range(1, house.number("seats") + 1)), offers, rule=f"{played.chapter}.7")
    try:
        yield from played.play(table, house, record.dealing)
    except Irregularity as trouble:
        yield from void(table, trouble, played.chapter)


@dataclass
class RecordHands:
    """Answers each step with what the record says. Cards are dealt in the order of the record."""

    game: Game
    house: House
    record: RoundRecord
    printed: Printed
    blind: bool = False
    exchange_seen: bool = True

    def __post_init__(self) -> None:
        seats = self.record.seats
        first = {at_seat(seat): one.cards for seat, one in seats.items()}
        first |= {DEALER: self.record.dealer, COMMUNITY: self.record.community, BONUS: self.record.bonus}
        self._first: dict[Place, deque[Card]] = {place: deque(cards) for place, cards in first.items()}
        self._drawn = {at_seat(seat): deque(one.drawn) for seat, one in seats.items()}
        self._held: dict[Place, list[Card]] = {place: [] for place in first}
        self._decisions = {seat: deque(one.decisions) for seat, one in seats.items()}
        may = self.game.declares
        self._declares = {seat: may and one.decisions[:1] == (Decided("declare"),) for seat, one in seats.items()}
        for seat, declares in self._declares.items():
            if declares:
                self._decisions[seat].popleft()
        self._given: dict[int, tuple[Card, ...]] = {}
        self._deciding = False  # the first cards have all been dealt
        self._dealing_rule: str | None = None

    def __call__(self, played: Round[Any]) -> Answer:
        """The answer to the part that is due. Raises BadInput where the record has none, or too many cards."""
        step = played.step
        if not isinstance(step, Deal | PlaceWagers) and not self._deciding:
            self._check_first_cards()
        match step:
            case PlaceWagers():
                return self._wagers(step)
            case Deal(to):
                return self._deal(step, to[played.part])
            case Ask():
                return self._decide(step)
            case Declare(seat):
                declared = self._declared(step, seat)
                self.printed.note(declared=declared)
                return Declared(declared)
            case GiveBack():
                return self._give(step)
            case ReadSetting(seat):
                return self._set(seat)
            case ReadSystem(what):
                raise BadInput(f"house option {what} is missing: its value is needed here", rule=step.rule)
            case Reveal(place, at):
                faces = tuple(self._held[place])
                faces = tuple(faces[one] for one in at) or faces
                self.printed.note(cards=show_cards(faces))
                return Faces(faces)
            case _:
                return Done()

    def check_used_up(self, table: Layout) -> None:
        """Raises BadInput where the record holds a card or a decision that nobody asked for."""
        self._check_first_cards()
        for seat, left in self._decisions.items():
            if left:
                reason, rule = self.game.too_late(table, seat)
                raise BadInput(
                    f"seat {seat}: {left[0].name[:40]!r} is one decision too many: {reason}", rule=rule, seat=seat
                )
        for place, cards in self._drawn.items():
            if cards:
                reason = f"{place}: drawn: {show_cards(cards)} too many"
                raise BadInput(reason, rule=self._dealing_rule, seat=seat_of(place))

    def _check_first_cards(self) -> None:
        self._deciding = True
        for place, left in self._first.items():
            if left:
                dealt = len(self._held[place])
                raise BadInput(
                    f"{place}: {dealt} cards are dealt there, {dealt + len(left)} are given",
                    rule=self._dealing_rule,
                    seat=seat_of(place),
                )

    def _wagers(self, step: PlaceWagers) -> Wagers:
        for seat, one in self.record.seats.items():
            if not one.wagers:
                raise BadInput(f"seat {seat}: no wager is placed", rule=step.rule, seat=seat)
        return Wagers(
            tuple(
                (seat, wager, amount)
                for seat, one in sorted(self.record.seats.items())
                for wager, amount in one.wagers.items()
            )
        )

    def _deal(self, step: Deal, place: Place) -> Drawn:
        left = self._drawn.get(place, deque()) if self._deciding else self._first.get(place, deque())
        if not left:
            what = "drawn: more cards are due" if self._deciding else f"{step.to.count(place)} cards are dealt there"
            given = f"only {len(self._held.get(place, ()))} are given" if not self._deciding else "none is left"
            raise BadInput(f"{place}: {what}, {given}", rule=step.rule, seat=seat_of(place))
        if not self._deciding:
            self._dealing_rule = step.rule
        card = left.popleft()
        self._held[place].append(card)
        self.printed.add_card(card)
        return Drawn(None if self.blind else card)

    def _decide(self, step: Ask) -> Decision:
        left = self._decisions[step.seat]
        if not left:
            allowed = ", ".join(choice.name for choice in step.choices)
            raise BadInput(f"seat {step.seat}: a decision is missing, one of {allowed}", rule=step.rule, seat=step.seat)
        decided = left.popleft()
        amount = decided.amount or 0
        chosen = next((choice for choice in step.choices if choice.name == decided.name), None)
        if chosen is not None:
            self._check_cards(step, chosen, decided)
            if decided.amount is not None and amount <= 0:
                what = f"seat {step.seat}: {chosen.name} of {show_value(amount)}"
                reason = f"{what} is not allowed, an amount is 1 or more"
                raise BadInput(reason, rule=chosen.rule or step.rule, seat=step.seat)
            self._given[step.seat] = decided.cards
        self.printed.note(decision=decided.name, **({"amount": amount} if amount else {}))
        return Decision(decided.name, amount)

    def _check_cards(self, step: Ask, chosen: Choice, decided: Decided) -> None:
        least, most = chosen.cards or (0, 0)
        if not least <= len(decided.cards) <= most:
            span = f"{least} to {most}" if most else "none"
            raise BadInput(
                f"seat {step.seat}: {chosen.name} of {len(decided.cards)} cards, allowed are {span}",
                rule=chosen.rule or step.rule,
                seat=step.seat,
            )

    def _declared(self, step: Declare, seat: int) -> bool:
        """The record's own word where the house asks for it, else what an honest player says."""
        if step.own_word:
            return self._declares[seat]
        return self.game.should_declare(step, tuple(self._held[at_seat(seat)]), self.house)

    def _give(self, step: GiveBack) -> Given:
        cards = self._given[step.seat]
        held = self._held[at_seat(step.seat)]
        for card in cards:
            if card not in held:
                raise BadInput(f"seat {step.seat}: {card} is not in the hand", rule=step.rule, seat=step.seat)
            held.remove(card)
        self.printed.note(cards=show_cards(cards))
        return Given(len(cards), cards if self.exchange_seen else ())

    def _set(self, seat: int) -> Setting:
        """The low hand that the record names, or none: then the house sets it."""
        cards, left = tuple(self._held[at_seat(seat)]), self._decisions[seat]
        low: tuple[Card, ...] = ()
        if left and left[0].name == "low":
            low = left.popleft().cards
            if foul := self.game.foul(cards, low, self.house):
                raise BadInput(f"seat {seat}: {foul[0]}", rule=foul[1], seat=seat)
        shown = low or self.game.settings(cards, self.house)[0]
        high = [card for card in cards if card not in shown]
        self.printed.note(high=show_cards(high), low=show_cards(shown))
        return Setting(low)
