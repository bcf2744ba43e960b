"""Whether the table allows an answer. What a game's own ranking forbids is the procedure's to say, not ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoectl.cards import STANDARD, Card, show_cards
from shoectl.errors import BadInput
from shoectl.games.answers import (
    Counted,
    Decision,
    Drawn,
    Faces,
    FloorWord,
    Given,
    Reading,
    Setting,
    Settled,
    Wagers,
)
from shoectl.games.house import show_value
from shoectl.games.procedure import Answer, Step
from shoectl.games.steps import (
    DEALER,
    Ask,
    CallFloor,
    Deal,
    GiveBack,
    Place,
    PlaceWagers,
    ReadSetting,
    ReadSystem,
    Reveal,
    SettleByHand,
    WagerOffer,
    at_seat,
    seat_of,
)
from shoectl.games.table_options import MOST_SEATS

if TYPE_CHECKING:
    from shoectl.games.layout import Layout


SETTLED = ("pay", "collect", "return")  # what may become of a wager that is settled by hand
MOST_COUNTED = 999  # more than any pile on a table; what is beyond it is a slip


class Refused(BadInput):
    """An answer that the open step does not allow. Nothing was written."""


def check_answer(table: Layout, step: Step[Any], part: int, answer: Answer) -> None:
    """Raise Refused, with the reason, the rule and the seat, unless the table allows this answer to this step."""
    if not isinstance(answer, step.takes):
        raise Refused(
            f"{step.do} takes {step.takes.__name__.lower()}, not {type(answer).__name__.lower()}", rule=step.rule
        )
    match step, answer:
        case Deal(to), Drawn(card):
            if card is not None and table.seen(card):
                where = table.known().get(card, "dealt this round")
                raise _refused(step, to[part], f"{card} is on the table already ({where})")
        case PlaceWagers(), Wagers(placed):
            _check_wagers(step, placed)
        case Ask(), Decision():
            _check_decision(step, answer)
        case GiveBack(), Given():
            _check_given(table, step, answer)
        case Reveal(place), Faces(cards):
            _check_faces(table, step, place, cards)
        case ReadSetting(), Setting(low):
            _check_setting(table, step, low)
        case CallFloor(choices=choices), FloorWord(choice) if choice not in choices:
            raise Refused(f"floor: {choice[:40]!r} is not offered, allowed: {', '.join(choices)}", rule=step.rule)
        case SettleByHand(), Settled():
            _check_settled(step, answer)
        case ReadSystem(), Reading():
            _check_reading(step, answer)
        case _, Counted(count) if not 0 <= count <= MOST_COUNTED:
            raise Refused(f"a count of {count if count < 0 else 'so many cards'} is not possible", rule=step.rule)


def _refused(step: Step[Any], place: Place | int, reason: str) -> Refused:
    """Names the place; a seat is named as such too."""
    if isinstance(place, int):
        place = at_seat(place)
    return Refused(f"{place}: {reason}", rule=step.rule, seat=seat_of(place))


def _check_decision(step: Ask, answer: Decision) -> None:
    offered = next((choice for choice in step.choices if choice.name == answer.choice), None)
    if offered is None:
        allowed = ", ".join(choice.name for choice in step.choices)
        raise _refused(step, step.seat, f"{answer.choice[:40]!r} is not offered, allowed: {allowed}")
    if answer.amount and not offered.least <= answer.amount <= offered.most:
        span = str(offered.least) if offered.least == offered.most else f"{offered.least} to {offered.most}"
        what = f"{offered.wager} of {show_value(answer.amount)}" if offered.wager else f"an amount with {offered.name}"
        reason = f"{what} is not allowed" + (f", it must be {span}" if offered.wager else "")
        raise Refused(f"{at_seat(step.seat)}: {reason}", rule=offered.rule or step.rule, seat=step.seat)
    if answer.amount % offered.every:
        reason = f"{offered.wager} of {answer.amount} is not allowed, it must be a multiple of {offered.every}"
        raise Refused(f"{at_seat(step.seat)}: {reason}", rule=offered.rule or step.rule, seat=step.seat)
    if offered.wager and not answer.amount and offered.least != offered.most:
        raise _refused(step, step.seat, f"{offered.name} needs an amount, {offered.least} to {offered.most}")


def _check_given(table: Layout, step: GiveBack, answer: Given) -> None:
    count, cards = answer.count, answer.cards
    if not step.least <= count <= step.most:
        raise _refused(step, step.seat, f"{count} cards given up, allowed are {step.least} to {step.most}")
    if cards and len(cards) != count:
        raise _refused(step, step.seat, f"{count} cards given up, {len(cards)} named")
    if len(set(cards)) != len(cards):
        raise _refused(step, step.seat, "a card is given up twice")
    held = [slot.face for slot in table.places.get(at_seat(step.seat), [])]
    for card in cards:
        if card not in held and (None not in held or table.seen(card)):
            raise _refused(step, step.seat, f"{card} is not in the hand")


def _check_settled(step: SettleByHand, answer: Settled) -> None:
    what, amount = answer.outcome, answer.amount
    if what not in SETTLED:
        raise _refused(step, step.seat, f"{what[:20]!r} is no outcome, allowed: {', '.join(SETTLED)}")
    if what == "pay" and not 1 <= amount <= step.most:
        raise _refused(step, step.seat, f"{step.wager}: {amount} cannot be paid, it must be 1 to {step.most}")
    if what != "pay" and amount not in (0, step.stake):
        raise _refused(step, step.seat, f"{step.wager} of {step.stake} lies there, {amount} cannot be moved")


def _check_reading(step: ReadSystem, answer: Reading) -> None:
    seats = map(str, range(1, MOST_SEATS + 1))
    picks = {"card": {*map(str, STANDARD)}, "place": {DEALER, *seats}}.get(step.kind, {""})
    if answer.pick not in picks or answer.amount < 0 or (answer.amount and "" not in picks):
        wanted = {"card": "a card as Ks", "place": "a seat's number or dealer"}.get(step.kind, "an amount, 0 or more")
        raise Refused(f"{step.what}: {wanted} is asked for", rule=step.rule)


def _check_wagers(step: PlaceWagers, placed: tuple[tuple[int, str, int], ...]) -> None:
    offers = {offer.wager: offer for offer in step.offers}
    at: dict[int, dict[str, int]] = {}
    for seat, wager, amount in placed:
        if seat not in step.seats:
            raise _refused(step, seat, f"not a seat of this table, there are {', '.join(map(str, step.seats))}")
        offer = offers.get(wager)
        if offer is None:
            raise _refused(step, seat, f"no wager {wager[:40]!r} here, allowed: {', '.join(offers)}")
        if not offer.least <= amount <= offer.most:
            raise _refused(step, seat, f"{wager} of {show_value(amount)} is outside {offer.least} to {offer.most}")
        if wager in at.setdefault(seat, {}):
            raise _refused(step, seat, f"{wager} is placed twice")
        at[seat][wager] = amount
    for seat, wagers in at.items():
        for offer in step.offers:
            _check_offer(step, seat, offer, wagers, at)


def _check_offer(
    step: PlaceWagers, seat: int, offer: WagerOffer, wagers: dict[str, int], at: dict[int, dict[str, int]]
) -> None:
    if offer.wager not in wagers:
        if offer.required:
            raise _refused(step, seat, f"{offer.wager} is missing")
        return
    needs = [name.format(seat=seat) for name in offer.needs]
    if needs and not any(name in wagers for name in needs):
        raise _refused(step, seat, f"{offer.wager} needs {' or '.join(needs)}")
    if offer.like in wagers and wagers[offer.like] != wagers[offer.wager]:
        amounts = f"{wagers[offer.wager]} and {wagers[offer.like]}"
        raise _refused(step, seat, f"{offer.wager} and {offer.like} have to be equal, {amounts} lie there")
    if offer.on_seat is not None and offer.on_seat not in at:
        raise _refused(step, seat, f"{offer.wager} is on the hand of seat {offer.on_seat}, which does not play")


def _check_setting(table: Layout, step: ReadSetting, low: tuple[Card, ...]) -> None:
    if not low:
        return
    if len(low) != step.low or len(set(low)) != len(low):
        raise _refused(step, step.seat, f"the low hand has {step.low} cards, {show_cards(low)} was entered")
    held = table.hand(at_seat(step.seat)) or ()
    if strange := [card for card in low if card not in held]:
        raise _refused(step, step.seat, f"{show_cards(strange)} is not in the hand")


def _check_faces(table: Layout, step: Reveal, place: Place, cards: tuple[Card, ...]) -> None:
    slots = table.places.get(place, [])
    if step.at:
        slots = [slots[at] for at in step.at]
    if not cards:
        if any(slot.face is None for slot in slots):
            raise _refused(step, place, "the faces have to be entered, nobody has read them")
        return
    if len(cards) != len(slots):
        raise _refused(step, place, f"{len(slots)} cards lie there, {len(cards)} entered")
    if len(set(cards)) != len(cards):
        raise _refused(step, place, "a card is entered twice")
    read = [slot.face for slot in slots if slot.face is not None]
    pool = table.unseen.get(place, ())
    for card in cards:
        if card not in read and card not in pool and table.seen(card):
            raise _refused(step, place, f"{card} lies elsewhere ({table.known().get(card, 'seen this round')})")
    if missing := [card for card in read if card not in cards]:
        raise _refused(step, place, f"{show_cards(missing)}: read for this place, and not among the cards entered")
    strangers = [card for card in cards if card not in pool and card not in read]
    unread = sum(slot.face is None and not slot.kept for slot in slots) + pool.count(None)
    if pool and len(strangers) > unread:
        raise _refused(step, place, f"{show_cards(strangers)}: never dealt here")
