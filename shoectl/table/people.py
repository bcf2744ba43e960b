"""People's steps stay open and wait: an answer comes through `Runner.answer`, whoever gives it and from wherever.

What people may say to a hold: `card` (two persons, with the card that they see), `go on` (it is set right, look again),
`give up` (a floorperson says it, and the house's policy for trouble decides).

Whoever comes from outside is checked here first: what a device reports no person can answer, a step is answered by
those whom it concerns, and a card that nobody could read is named by two. Nothing is written of a word that is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoectl.cards import Card
from shoectl.games.layout import Layout, Refused
from shoectl.games.procedure import Role, Step
from shoectl.games.steps import Ask, CallFloor, Declare, GiveBack, Papers, SetHands, SettleByHand, Verify, at_seat
from shoectl.people.numbers import operator_number
from shoectl.table.draws import HOLD_UNREADABLE
from shoectl.table.entries import Hold
from shoectl.table.holds import CARD, GIVE_UP, GO_ON
from shoectl.table.openstep import OpenStep
from shoectl.table.state import TableState

FLOORS = (Verify, CallFloor, Papers, SettleByHand)  # steps of a floorperson


def check_person(step: Step[Any], state: TableState, by: str) -> None:
    """Whether this person may answer this step. Raises Refused: a device answers it, or somebody else does."""
    device = {Role.SHOE: state.equipment.shoe, Role.SHUFFLER: state.equipment.shuffler}.get(step.by)
    if device is not None:
        raise Refused(f"{step.do}: the {step.by} answers it by what it reports, no person can", rule=step.rule)
    if isinstance(step, Ask | Declare | GiveBack | SetHands) and by == at_seat(step.seat):
        return
    number = operator_of(state, by)
    if isinstance(step, FLOORS) and number == state.operators.get("dealer"):
        raise Refused(f"{step.do}: a floorperson answers it, not the dealer", rule=step.rule)


def words_for(hold: Hold) -> tuple[str, ...]:
    """The words with which people may end a hold."""
    return (CARD if hold.reason.startswith(HOLD_UNREADABLE) else GO_ON, GIVE_UP)


def check_word(
    hold: Hold, state: TableState, layout: Layout, how: str, by: Sequence[str], card: Card | None = None
) -> None:
    """Whether these persons may end this hold in this way. Raises Refused; its text holds no face."""
    words = words_for(hold)
    if how not in words:
        raise Refused(f"a hold ({hold.reason}) is not ended with {how[:20]!r}, allowed are {', '.join(words)}")
    numbers = [operator_of(state, name) for name in by]
    if how == CARD and (card is None or len(by) != 2 or len(set(numbers)) != 2):
        raise Refused("two different persons look at the card and name it: `card`, and `by` with both")
    if how != CARD and (card is not None or not by):
        raise Refused(f"{how!r} takes no card, and `by` names who says so")
    if how == GIVE_UP and set(numbers) == {state.operators.get("dealer")}:
        raise Refused("a hold is given up by a floorperson, not by the dealer")
    if card is not None and layout.seen(card):
        raise Refused("the card named does not fit what was dealt")


def operator_of(state: TableState, by: str) -> int:
    """The operator number of somebody of the house, by name or the number itself. Raises Refused for anybody else."""
    number = state.operators.get(by, operator_number(by))
    if not number:
        known = ", ".join(state.operators)
        raise Refused(f"{by[:40]!r} may not answer here: allowed are {known}, or an operator number")
    return number


async def wait(step: OpenStep) -> None:
    """Hands that do nothing: the step closes when somebody has answered it."""
    while not step.closed:
        await step.changed()
