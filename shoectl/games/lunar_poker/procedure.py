"""The round of Lunar Poker until the showdown, § 671a.11 (a) to (d), in the order and directions of the section.

Everything between two steps lies on the layout, but for one thing: what each seat has declared in (b), until (c).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from shoectl.games.dealing import Dealing, deal_hands, dealing_rule
from shoectl.games.house import House
from shoectl.games.layout import Layout
from shoectl.games.lunar_poker.hands import instant_line, super_line
from shoectl.games.lunar_poker.money import collect_super, pay_instant, pay_super, supers_on
from shoectl.games.procedure import Irregularity, Procedure, Trouble
from shoectl.games.steps import (
    DEALER,
    Announce,
    Ask,
    Choice,
    Collect,
    Deal,
    DealByHand,
    Declare,
    Discard,
    GiveBack,
    Place,
    RenewStub,
    Reveal,
    Verify,
    at_seat,
)
from shoectl.games.turns import acknowledged, clockwise

CHAPTER: Final = "671a"
LOCKED_IN: Final = "all decisions are locked in"
SUPER, INSTANT = "super", "instant payout"  # what a player declares
BUY, EXCHANGE, FOLD = "buy", "exchange", "fold"
EXCHANGED: Final = (2, 5)  # cards, least and most


@dataclass(frozen=True)
class Claim:
    """What a seat's five cards are declared to be."""

    super: bool
    instant: bool


def until_showdown(table: Layout, house: House, dealing: Dealing) -> Procedure[None]:
    """From "no more bets" to (d): the deal, the decisions, what is due before more cards are dealt, the draws."""
    yield from Announce("no more bets", rule=dealing_rule(CHAPTER, dealing))
    places = [*map(at_seat, clockwise(table)), DEALER]
    yield from deal_hands(CHAPTER, dealing, places, 5, last_up=house.text("dealer_upcard") == "last")
    claims: dict[int, Claim] = {}
    for seat in clockwise(table):
        claims[seat] = yield from declare(table, house, seat)
        if not claims[seat].instant:
            yield from elect(table, seat)
    yield from Announce(LOCKED_IN, rule="671a.11(c)")
    for seat in clockwise(table):
        yield from acknowledged(house, seat, before_more_cards(table, house, seat, claims[seat]))
    for seat in clockwise(table):
        if table.wager(seat, "options"):
            yield from acknowledged(house, seat, draw(table, house, seat))


def declare(table: Layout, house: House, seat: int) -> Procedure[Claim]:
    """(b), first half: a hand that wins a Super Wager or an instant payout is declared.

    Where the faces are known the house declares for the player, unless it leaves a Super to him
    (`super_require_declaration`); where nobody has seen them he alone can.
    """
    hand = table.hand(at_seat(seat))
    wagered = bool(supers_on(table, seat))
    own_word = house.flag("super_require_declaration")
    wins = instant = False
    if wagered and hand is not None and not own_word:
        wins = super_line(hand, house.text("super_sf_policy")) is not None
    elif wagered:
        wins = (yield from Declare(seat, SUPER, own_word, rule="671a.11(b)")).declared
    if hand is not None:
        instant = instant_line(hand) is not None
    else:
        instant = (yield from Declare(seat, INSTANT, rule="671a.11(b)")).declared
    if wins or instant:
        yield from Announce(f"seat {seat} declares a winning hand", rule="671a.11(b)")
    return Claim(wins, instant)


def elect(table: Layout, seat: int) -> Procedure[None]:
    """(b), second half: fold, a Bet of exactly two Antes, or the Options fee of one Ante."""
    ante = table.wager(seat, "ante")
    choices = (
        Choice(FOLD, rule="671a.11(b)(1)"),
        Choice("bet", "bet", 2 * ante, 2 * ante, rule="671a.11(b)(2)"),
        Choice(BUY, "options", ante, ante, rule="671a.11(b)(3)"),
        Choice(EXCHANGE, "options", ante, ante, cards=EXCHANGED, rule="671a.11(b)(3)"),
    )
    yield from Ask(seat, choices, rule="671a.11(b)")


def before_more_cards(table: Layout, house: House, seat: int, claim: Claim) -> Procedure[None]:
    """(c) (1) to (4) for one seat: Supers on its hand, its instant payout, its fold."""
    place = at_seat(seat)
    if claim.super:
        yield from Reveal(place, rule="671a.11(c)(2)")
    if supers_on(table, seat):
        hand = table.hand(place)
        line = super_line(hand, house.text("super_sf_policy")) if claim.super and hand else None
        if line is None:
            for bettor in supers_on(table, seat):
                yield collect_super(table, bettor, seat, rule="671a.11(c)(1)")
        else:
            yield from Verify(seat, f"super:{seat}", line, rule="671a.11(c)(2)")
            for bettor in supers_on(table, seat):
                yield pay_super(table, bettor, seat, line, rule="671a.11(c)(2)")
    if claim.instant:
        if not claim.super:
            yield from Reveal(place, rule="671a.11(c)(3)")
        hand = table.hand(place)
        instant = instant_line(hand) if hand else None
        if instant is not None:
            yield from Verify(seat, "ante", instant, rule="671a.11(c)(3)")
            yield pay_instant(table, house, seat, instant, rule="671a.11(c)(3)")
            yield from Discard(place, rule="671a.11(c)(3)")
            return
        yield from elect(table, seat)  # declared in error: the election that (b) gives is still owed
    if last_choice(table, seat) == FOLD:
        yield from forfeit(table, seat, rule="671a.11(c)(4)")


def draw(table: Layout, house: House, seat: int) -> Procedure[None]:
    """(d) for one seat: the fee is collected, the cards are dealt, the seat folds or places its Bet."""
    place = at_seat(seat)
    ante, fee = table.wager(seat, "ante"), table.wager(seat, "options")
    collect_fee = Collect(seat, "options", fee, rule="671a.11(d)(1)")
    if last_choice(table, seat) == BUY:
        stub_lasts(table, house, 1)
        yield from collect_fee
        yield from more_cards(table, place, 1, rule="671a.11(d)(1)(i)")
    else:
        # where the house voids a round that runs out of cards, no fee is taken before the cards are known to last
        first = house.text("stub_exhausted") != "void" or table.stub() >= 5
        if first:
            yield from collect_fee
        given = yield from GiveBack(seat, *EXCHANGED, rule="671a.11(d)(1)(ii)")
        stub_lasts(table, house, given.count)
        if not first:
            yield from collect_fee
        yield from more_cards(table, place, given.count, rule="671a.11(d)(1)(ii)")
    choices = (Choice(FOLD), Choice("bet", "bet", 2 * ante, 2 * ante))
    decision = yield from Ask(seat, choices, rule="671a.11(d)(3)")
    if decision.choice == FOLD:
        yield from forfeit(table, seat, rule="671a.11(d)(4)")


def forfeit(table: Layout, seat: int, rule: str) -> Procedure[None]:
    """A seat that folded: its Ante is collected, its cards go to the rack."""
    yield from Collect(seat, "ante", table.wager(seat, "ante"), "forfeit", rule=rule)
    yield from Discard(at_seat(seat), rule=rule)


def stub_lasts(table: Layout, house: House, cards: int) -> None:
    """Raises Irregularity where the stub has fewer cards and the house voids such a round (`stub_exhausted`)."""
    if cards > table.stub() and house.text("stub_exhausted") == "void":
        raise Irregularity(Trouble.STUB_EXHAUSTED, text=f"{cards} cards are due, {table.stub()} are left")


def more_cards(table: Layout, place: Place, cards: int, rule: str) -> Procedure[None]:
    """Deal to a seat from the stub. Where it runs out the cards folded and exchanged become a new one; those of an
    instant payout stay in the rack, they may still be wanted for its papers.
    """
    ready = min(cards, table.stub())
    if ready:
        yield _deal(table, place, ready, rule)
    if cards > ready:
        origins = tuple(at_seat(seat) for seat in clockwise(table) if gave_up_cards(table, seat))
        found = sum(len(racked.cards) for racked in table.rack if racked.origin in origins)
        if found < cards - ready:
            raise Irregularity(Trouble.STUB_EXHAUSTED, text=f"{cards - ready} cards are due, {found} could be used")
        yield from RenewStub(origins, found, rule=rule)
        yield _deal(table, place, cards - ready, rule)


def _deal(table: Layout, place: Place, cards: int, rule: str) -> Deal:
    """From a stub made anew the dealer deals by hand, whatever the shoe is."""
    deal = DealByHand if table.restocked else Deal
    return deal((place,) * cards, rule=rule)


def last_choice(table: Layout, seat: int) -> str | None:
    """What a seat has chosen last; None before its first decision, and for an instant payout, which takes none."""
    decided = table.decided.get(seat)
    return decided[-1].choice if decided else None


def gave_up_cards(table: Layout, seat: int) -> bool:
    """Whether cards of this seat went to the rack because it folded or exchanged them."""
    return any(decision.choice in (FOLD, EXCHANGE) for decision in table.decided.get(seat, ()))
