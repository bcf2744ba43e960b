"""The round of Five Card Hi-Lo until the hands are set, § 663a.11 (a) to (d), in the section's order and directions.

Everything between two steps lies on the layout. No face is needed here: players look at their own cards, and how they
have set them is read once they are turned up.
"""

from __future__ import annotations

from shoectl.games.dealing import Dealing, deal_hands, dealing_rule
from shoectl.games.five_card_hi_lo.hands import CARDS
from shoectl.games.five_card_hi_lo.money import CHAPTER, RULE
from shoectl.games.house import House
from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure
from shoectl.games.steps import (
    DEALER,
    Announce,
    Ask,
    Choice,
    Collect,
    Discard,
    RackStub,
    SetHands,
    at_seat,
)
from shoectl.games.turns import acknowledged, clockwise

FOLD, PLAY = "fold", "play"


def until_showdown(table: Layout, house: House, dealing: Dealing) -> Procedure[None]:
    """From "no more bets" to (d): the deal, the decisions, what is forfeited, the hands set."""
    rule = dealing_rule(CHAPTER, dealing)
    yield from Announce("no more bets", rule=rule)
    yield from deal_hands(CHAPTER, dealing, [*map(at_seat, clockwise(table)), DEALER], CARDS)
    yield from RackStub(rule=rule)
    for seat in clockwise(table):
        yield from decide(table, seat)
    for seat in clockwise(table):
        if not table.wager(seat, "play"):
            yield from acknowledged(house, seat, forfeit(table, house, seat, rule=f"{RULE}(c)"))
    for seat in clockwise(table):
        if table.wager(seat, "play"):
            yield from SetHands(seat, rule=f"{RULE}(d)")


def decide(table: Layout, seat: int) -> Procedure[None]:
    """(b): fold, or a Play Wager of exactly the Ante."""
    ante = table.wager(seat, "ante")
    yield from Ask(seat, (Choice(PLAY, "play", ante, ante), Choice(FOLD)), rule=f"{RULE}(b)")


def forfeit(table: Layout, house: House, seat: int, rule: str) -> Procedure[None]:
    """A seat without a hand to compare loses its Ante, its Play if it lies there, and its Tie Wager. Its cards stay for
    an open Poker Bonus, or where the house pays a folder the Ante Bonus.
    """
    for wager in ("ante", "play", "tie"):
        if table.wager(seat, wager):
            yield from Collect(seat, wager, table.wager(seat, wager), "forfeit", rule=rule)
    if not (table.wager(seat, "poker_bonus") or house.flag("ante_bonus_on_fold")):
        yield from Discard(at_seat(seat), rule=rule)
