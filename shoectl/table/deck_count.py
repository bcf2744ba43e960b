"""The dealer's count of the deck: who owes it, how often, and what a wrong count does (§ 671a.11(h) as data).

All of this is asked of the deck whose turn it is: each deck is counted for itself, in every so many rounds of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from shoectl.games.deck_steps import IN_BOX, IN_HAND, IN_RACK, CountDeck
from shoectl.games.procedure import Procedure
from shoectl.table.state import Deck, TableState, Where


@dataclass(frozen=True)
class CountPolicy:
    """One jurisdiction's rule. `device_waives`: a shuffler that counts after each shuffle takes the duty away.

    `every`: rounds of play between two counts. A wrong count takes the whole deck off the table.
    """

    name: str
    every: int
    device_waives: bool
    source: str


POLICIES: Mapping[str, CountPolicy] = {
    policy.name: policy
    for policy in (
        CountPolicy("device_waives", 5, True, "58 Pa. Code 671a.11(h), and its siblings 641a, 663a, 683a"),
        CountPolicy("no_waiver", 5, False, "default: houses that count by hand beside the device"),
    )
}


def policy_of(state: TableState) -> CountPolicy:
    """The policy of a table; the house may count more often than the text asks."""
    policy = POLICIES[str(state.option("count_policy"))]
    return replace(policy, every=min(policy.every, int(state.option("count_every") or policy.every)))


def device_counts(state: TableState) -> bool:
    """Whether the table has a shuffler that counts after each shuffle and so waives the dealer's count."""
    shuffler = state.equipment.shuffler
    return shuffler is not None and shuffler.counts and policy_of(state).device_waives


def rounds_left(state: TableState) -> int | None:
    """How many rounds may be played before the dealer has to count the deck; None where a device does.

    The text counts rounds of play, so where two decks take turns the one just played is counted after every fifth
    round of the table; and none goes on for more than five rounds of its own. A deck that was proven without a device's
    count is no waiver, whatever stands on the table now.
    """
    uncounted = state.deck.proof is not None and not state.deck.proof.counted
    if device_counts(state) and not uncounted:
        return None
    since = max(state.rounds_since_count, len(state.deck.rounds))
    return 0 if state.deck.count_due else max(0, policy_of(state).every - since)


def count_owed(state: TableState) -> bool:
    """Whether the dealer has to count before another round may start."""
    return rounds_left(state) == 0


def due_now(state: TableState) -> TableState:
    """The same state, the dealer's count due at once: nobody can say any more that the deck is whole."""
    return state.with_deck(count_due=True)


def counted(state: TableState) -> TableState:
    """The state after a right count, by a person or a device."""
    return replace(state, last_count=state.rounds_played).with_deck(rounds=(), count_due=False)


def wrong_count(state: TableState, cards: int, by: str) -> TableState:
    """The state after a wrong count: the whole deck has to leave the table, its number is named and why."""
    deck = state.deck
    text = f"{by} counted {cards} of {deck.cards} cards; rounds since the last good count: {since(state)}"
    state = replace(state, last_count=state.rounds_played)
    return state.with_deck(retired="count", told=False, proof=None, trouble=text)


def since(state: TableState) -> str:
    """The rounds to review after a wrong count, by their number among the rounds played: `6 to 10`, or `1, 3, 5`."""
    rounds = state.deck.rounds
    if len(rounds) > 1 and rounds[-1] - rounds[0] == len(rounds) - 1:
        return f"{rounds[0]} to {rounds[-1]}"
    return ", ".join(map(str, rounds)) or "none"


def place_of(deck: Deck) -> str:
    """Where people find the cards of a deck that is gathered."""
    if deck.where is Where.BOX:
        return IN_BOX
    return IN_HAND if deck.where in (Where.HELD, Where.HAND) else IN_RACK


def count_by_dealer(state: TableState, rule: str) -> Procedure[TableState]:
    """The dealer counts the deck face down: 52 go back to the rack, with any other number the deck is retired."""
    deck = state.deck
    answer = yield from CountDeck(deck.number, place_of(deck), rule=rule)
    return counted(state) if answer.cards == deck.cards else wrong_count(state, answer.cards, "the dealer")
