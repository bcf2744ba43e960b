"""The showdown of Five Card Hi-Lo, § 663a.11 (e) to (l): the dealer's hands, then seat after seat from the right."""

from __future__ import annotations

from typing import Final

from shoectl.cards import Card
from shoectl.games.five_card_hi_lo.hands import LOW_CARDS, TwoHands, foul, settings_of, with_low
from shoectl.games.five_card_hi_lo.money import CHAPTER, RULE, ante_and_play, ante_bonus, poker_bonus, tie_wager
from shoectl.games.five_card_hi_lo.procedure import forfeit
from shoectl.games.house import House
from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure
from shoectl.games.steps import DEALER, Arrange, CallFloor, Discard, Place, ReadSetting, Reveal, at_seat
from shoectl.games.turns import acknowledged, counterclockwise

RESET: Final = "reset"


def showdown(table: Layout, house: House) -> Procedure[None]:
    """(e) to (l). The dealer's cards stay unseen where nobody has a hand to compare with them."""
    dealer = None
    if any(table.wager(seat, "play") for seat in counterclockwise(table)):
        yield from Reveal(DEALER, rule=f"{RULE}(e)")
        dealer = yield from house_way(table, DEALER, rule=f"{RULE}(e)")
    for seat in counterclockwise(table):
        if table.count(at_seat(seat)):
            yield from acknowledged(house, seat, settle_seat(table, house, seat, dealer))
        if table.count(at_seat(seat)):
            optional = {"tie", "poker_bonus"} & table.placed[seat].keys()
            yield from Discard(at_seat(seat), rule=f"{RULE}(k)" if optional else f"{RULE}(i)")
    yield from Discard(DEALER, rule=f"{RULE}(l)")


def faces(table: Layout, place: Place) -> tuple[Card, ...]:
    """The faces of a place that has been turned up."""
    hand = table.hand(place)
    assert hand is not None, f"{place} has been revealed"
    return hand


def house_way(table: Layout, place: Place, rule: str) -> Procedure[TwoHands]:
    """The dealer lays five cards out as (e) prescribes for his own: aces in the high hand, but for the fourth."""
    cards = faces(table, place)
    two = settings_of(cards)[0]
    yield from Arrange(place, tuple(cards.index(card) for card in two.low_cards), rule=rule)
    return two


def settle_seat(table: Layout, house: House, seat: int, dealer: TwoHands | None) -> Procedure[None]:
    """(f) to (j) for one seat. One that has folded has its Poker Bonus settled, or is paid its Ante Bonus."""
    player = None
    if dealer is not None and table.wager(seat, "play"):
        yield from Reveal(at_seat(seat), rule=f"{RULE}(f)")
        player = yield from both_hands(table, house, seat)
    else:
        yield from Reveal(at_seat(seat), rule=f"{RULE}(j)(2)" if table.wager(seat, "poker_bonus") else f"{RULE}(h)")
    if player is not None and dealer is not None:
        yield from ante_and_play(table, seat, player, dealer)
    if player is not None or house.flag("ante_bonus_on_fold"):
        yield from ante_bonus(table, house, seat)
    if player is not None and dealer is not None and table.wager(seat, "tie"):
        yield from tie_wager(table, house, seat, player, dealer)
    if table.wager(seat, "poker_bonus"):
        yield from poker_bonus(table, house, seat)


def both_hands(table: Layout, house: House, seat: int) -> Procedure[TwoHands | None]:
    """(f): how the player has set his cards, which lie face up now. None where he has lost them by a foul hand."""
    place = at_seat(seat)
    low = (yield from ReadSetting(seat, LOW_CARDS, rule=f"{RULE}(f)")).low
    cards = faces(table, place)
    if not low:
        return settings_of(cards)[0]
    if foul(cards, low) is None:
        return with_low(cards, low)
    way = house.text("foul_hand")
    yield from CallFloor(f"seat {seat} has set a foul hand", (way,), rule=f"{CHAPTER}.13")
    if way == RESET:
        return (yield from house_way(table, place, rule=f"{CHAPTER}.13"))
    yield from forfeit(table, house, seat, rule=f"{CHAPTER}.13")
    return None
