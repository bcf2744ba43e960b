"""The round of Cajun Stud until every decision is made, § 683a.11 (a) to (f), in the section's order and directions.

Everything between two steps lies on the layout. No face is needed here: players look at their own cards.
"""

from __future__ import annotations

from typing import Final

from shoectl.games.cajun_stud.money import CHAPTER, OPTIONAL, RAISES, collect
from shoectl.games.dealing import Dealing, dealing_order, dealing_rule
from shoectl.games.house import House
from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure
from shoectl.games.steps import (
    BONUS,
    COMMUNITY,
    Announce,
    Ask,
    Choice,
    Deal,
    Discard,
    Place,
    RackStub,
    Reveal,
    at_seat,
)
from shoectl.games.turns import acknowledged, clockwise

FOLD, RAISE = "fold", "raise"
DECISIONS: Final = ("b", "d", "f")  # the paragraphs of the three decisions
REVEALS: Final = ("c", "e", "g")  # those of the community cards that follow them
POCKET_CARDS, COMMUNITY_CARDS, BONUS_CARDS = 2, 3, 4


def until_showdown(table: Layout, house: House, dealing: Dealing) -> Procedure[None]:
    """From "no more bets" to (f): the deal, three decisions, and the first two community cards between them."""
    rule = dealing_rule(CHAPTER, dealing)
    yield from Announce("no more bets", rule=rule)
    yield from Deal(dealing_sequence(table, dealing), rule=rule)
    yield from RackStub(rule=rule)
    for number in range(len(RAISES)):
        if number:
            yield from turn_up_community(table, number - 1)
        yield from decisions(table, house, number)


def dealing_sequence(table: Layout, dealing: Dealing) -> tuple[Place, ...]:
    """Two cards for each seat with an Ante, then three community cards, then four All-Six cards if any seat wagered on
    them; all of them face down.
    """
    seats = [at_seat(seat) for seat in clockwise(table) if table.wager(seat, "ante")]
    bonus = any(table.wager(seat, "all_six") for seat in clockwise(table))
    shared = (COMMUNITY,) * COMMUNITY_CARDS + (BONUS,) * (BONUS_CARDS if bonus else 0)
    return dealing_order(dealing, seats, POCKET_CARDS) + shared


def decisions(table: Layout, house: House, number: int) -> Procedure[None]:
    """(b), (d) or (f): every seat still in raises or folds; then what was forfeited is collected."""
    rule = f"{CHAPTER}.11({DECISIONS[number]})"
    asked = [seat for seat in clockwise(table) if table.wager(seat, "ante")]
    folded = []
    for seat in asked:
        ante = table.wager(seat, "ante")
        choices = (Choice(RAISE, RAISES[number], ante, 3 * ante, every=ante), Choice(FOLD))
        decision = yield from Ask(seat, choices, rule=rule)
        if decision.choice == FOLD:
            folded.append(seat)
    for seat in folded:
        yield from acknowledged(house, seat, forfeit(table, seat, number, rule))


def forfeit(table: Layout, seat: int, number: int, rule: str) -> Procedure[None]:
    """A seat that folded loses its Ante and Raises. Its cards stay while an optional wager of it is open."""
    for wager in ("ante", *RAISES[:number]):
        yield from collect(table, seat, wager, rule, "forfeit")
    if not any(table.wager(seat, wager) for wager in OPTIONAL):
        yield from Discard(at_seat(seat), rule=rule)


def turn_up_community(table: Layout, number: int) -> Procedure[None]:
    """(c), (e) or (g): the next community card, where any wager is open still."""
    if any(table.standing()):
        yield from Reveal(COMMUNITY, (number,), rule=f"{CHAPTER}.11({REVEALS[number]})")
