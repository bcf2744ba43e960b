"""Options of every game: the table, its decks, and what trouble does. The session reads them; games rarely do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shoectl.errors import BadInput
from shoectl.games.house import Option, Standing, Value, show_value

MOST_SEATS = 7

TABLE_OPTIONS: tuple[Option, ...] = (
    Option("seats", 6, (), "seats at the table", "no text at hand", least=1, most=MOST_SEATS),
    Option(
        "decks",
        2,
        (2, 1),
        "2: two decks of different back colour, one in play while the other is shuffled; without a shuffler 1",
        "N.J.A.C. 13:69F-23.2",
        Standing.SIBLING,
    ),
    Option(
        "deck_max_age",
        "by_dealing",
        ("by_dealing",),
        "hours after which a deck is replaced; by_dealing: 4 from the hand, 8 from a shoe",
        "template of the sibling chapters, from memory",
        least=1,
        most=24,
    ),
    Option("burn_cards", 0, (), "cards burnt before the deal", "no dealing section seen burns one", least=0, most=5),
    Option(
        "cut",
        "hand_shuffled",
        ("hand_shuffled", "always", "never"),
        "when the dealer cuts the deck (at least 10 cards): after shuffling it by hand, also after the shuffler, never",
        "COMAR 36.05.03.27",
        Standing.SIBLING,
    ),
    Option(
        "count_every",
        5,
        (),
        "rounds after which the dealer has to count the deck, without a counting device",
        "58 Pa. Code § 671a.11(h)",
        Standing.LAW,
        least=1,
        most=5,
    ),
    Option(
        "count_policy",
        "device_waives",
        ("device_waives", "no_waiver"),
        "device_waives: a counting shuffler waives the dealer's count; no_waiver: he counts all the same",
        "58 Pa. Code § 671a.11(h)",
        Standing.LAW,
    ),
    Option(
        "wrong_count_scope",
        "round",
        ("round", "hand"),
        "what a wrong number of cards at one hand voids",
        "template of the irregularities sections, from memory",
    ),
    Option(
        "one_exposed_card",
        "discard",
        ("discard", "void"),
        "one card found face up: set aside and go on, or void the round",
        "template of the irregularities sections, from memory",
    ),
    Option(
        "more_exposed_cards",
        "void",
        ("void", "floor"),
        "a second card found face up",
        "template of the irregularities sections, from memory",
    ),
    Option(
        "card_drawn_in_error",
        "next_card",
        ("next_card", "rack", "void"),
        "a card drawn too early, its face not seen: it is the next card, or goes to the rack, or voids the round",
        "template of the irregularities sections, from memory",
    ),
    Option(
        "dealer_card_exposed",
        "void",
        ("void", "continue"),
        "a card of the dealer seen before the decisions",
        "template of the irregularities sections, from memory",
    ),
    Option(
        "jam_in_shuffle",
        "reshuffle",
        ("reshuffle",),
        "a shuffle that was not finished; no money moves",
        "template of the irregularities sections, from memory",
    ),
    Option(
        "jam_in_round",
        "void",
        ("void", "floor"),
        "the shoe does not finish the deal",
        "template of the irregularities sections, from memory",
    ),
    Option(
        "restart_in_round",
        "explained",
        ("explained", "void", "floor"),
        "the dealing device restarted in a round; explained: an automated shoe voids, a manual reading shoe goes on "
        "if its indices and counts explain every card",
        "no text at hand",
    ),
    Option(
        "void_until",
        "first_showdown",
        ("first_showdown", "deal", "end_of_round"),
        "until when trouble may void the round; afterwards the floor is called",
        "no text at hand",
    ),
    Option(
        "acknowledge",
        "seat",
        ("seat", "step", "none"),
        "when the dealer acknowledges what was collected and paid",
        "no text at hand",
    ),
)

# Values that a record may carry and no table of this version can play by, with the reason. `settle` takes them: what
# they are about is over when a record is written.
UNPLAYED: Final[Mapping[tuple[str, Value], str]] = {
    ("wrong_count_scope", "hand"): "a hand with a wrong number of cards voids the whole round here; set it to round",
}


def playable(given: Mapping[str, Value]) -> None:
    """Whether a table can be run by these options. Raises BadInput naming the first that it cannot, and why."""
    for name, value in given.items():
        if why := UNPLAYED.get((name, value)):
            raise BadInput(f"house option {name}: {show_value(value)} is not played by this version: {why}")
