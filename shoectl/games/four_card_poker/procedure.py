"""The round of Four Card Poker until its showdown, § 641a.11(a) and (b), with the deal of §§ 641a.8 to .10.

Everything between two steps lies on the layout.
"""

from __future__ import annotations

from math import gcd

from shoectl.games.dealing import Dealing, dealing_order, dealing_rule
from shoectl.games.four_card_poker.money import CHAPTER
from shoectl.games.house import House
from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure
from shoectl.games.steps import BONUS, DEALER, Announce, Ask, Choice, Deal, RackStub, Reveal, at_seat
from shoectl.games.turns import clockwise

FOLD, PLAY = "fold", "play"
EACH = 5  # cards; the dealer has one more
UP_CARD = EACH  # the dealer's sixth, counted from 0


def until_showdown(table: Layout, house: House, dealing: Dealing) -> Procedure[None]:
    """From "no more bets" to (b): the deal, then each seat with an Ante plays or folds."""
    rule = dealing_rule(CHAPTER, dealing)
    yield from Announce("no more bets", rule=rule)
    yield from deal(table, house, dealing)
    if house.text("dealer_upcard") == "top":
        yield from Reveal(DEALER, (UP_CARD,), rule=rule)
    yield from RackStub(rule=rule)
    for seat in clockwise(table):
        if table.wager(seat, "ante"):
            yield from elect(table, house, seat)


def deal(table: Layout, house: House, dealing: Dealing) -> Deal:
    """Five cards to each seat and the dealer, then the dealer's sixth, face up; and the Six Card Bonus card before or
    after all of them, where somebody has wagered on it.
    """
    seats = clockwise(table)
    to = [*dealing_order(dealing, [*map(at_seat, seats), DEALER], EACH), DEALER]
    up = len(to) - 1
    if any(table.wager(seat, "six_card") for seat in seats):
        when = house.text("six_card_dealt")
        if when == "first" or (when == "by_dealing" and dealing != Dealing.AUTOMATED):
            to.insert(0, BONUS)
            up += 1
        else:
            to.append(BONUS)
    return Deal(tuple(to), (up,) if house.text("dealer_upcard") == "sixth" else (), rule=dealing_rule(CHAPTER, dealing))


def elect(table: Layout, house: House, seat: int) -> Procedure[None]:
    """(b) for one seat: a Play Wager of one to three Antes, or it folds."""
    ante, step = table.wager(seat, "ante"), house["play_step"]
    every = gcd(ante, step) if type(step) is int else ante  # so that one, two and three Antes are always among them
    choices = (Choice(FOLD), Choice(PLAY, "play", ante, 3 * ante, every=every))
    yield from Ask(seat, choices, rule="641a.11(b)")


def folded(table: Layout, seat: int) -> bool:
    """Whether a seat has given up its Ante."""
    return any(decision.choice == FOLD for decision in table.decided.get(seat, ()))
