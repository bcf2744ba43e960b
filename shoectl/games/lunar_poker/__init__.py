"""Lunar Poker, 58 Pa. Code chapter 671a."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shoectl.cards import Card
from shoectl.errors import BadInput
from shoectl.games.dealing import Dealing
from shoectl.games.house import House, Option, Standing
from shoectl.games.layout import Layout
from shoectl.games.lunar_poker import procedure
from shoectl.games.lunar_poker.hands import (
    QUALIFIES,
    SUPER_LINES,
    best_hand,
    instant_line,
    second_cards,
    second_combination,
    super_line,
)
from shoectl.games.lunar_poker.money import BET, PAYTABLES
from shoectl.games.lunar_poker.procedure import CHAPTER, INSTANT
from shoectl.games.lunar_poker.showdown import showdown
from shoectl.games.procedure import Procedure
from shoectl.games.ranking import core
from shoectl.games.registry import Game, Kind, Limits, Outcome, Ranked, Reading, find_limit, known_limits
from shoectl.games.steps import DEALER, Declare, WagerOffer, at_seat
from shoectl.games.wagers import paytable_option

OPTIONS: Final = (
    paytable_option(PAYTABLES, "instant_payout", "what a royal and a straight flush in the first five cards pay"),
    Option(
        "super_sf_policy",
        "literal",
        ("literal", "as_flush"),
        "the Super list has no straight flush; literal: a royal is ace-king-queen, another one same colored five; "
        "as_flush: both pay as a flush",
        "58 Pa. Code § 671a.6(d)",
        Standing.LAW,
    ),
    Option(
        "super_require_declaration",
        False,
        (False, True),
        "false: the house declares for the player; true: a winning Super that he does not declare is collected. "
        "Where nobody has seen the faces he has to declare in any case",
        "58 Pa. Code § 671a.11(b), (c)(1)",
        Standing.LAW,
    ),
    Option(
        "super_needs_own",
        False,
        (False, True),
        "true: a Super on another hand needs one on the own hand",
        "no text at hand",
    ),
    Option(
        "nonqualify_direction",
        "counterclockwise",
        ("counterclockwise", "clockwise"),
        "the direction in which seats are settled when the dealer does not qualify",
        "58 Pa. Code § 671a.11(f)(1) names none; as (f)(2)",
    ),
    Option(
        "dealer_upcard",
        "last",
        ("last", "none"),
        "whether the dealer's last card is dealt face up; no effect on money",
        "casino pages; not in § 671a.11",
        Standing.PUBLISHED,
    ),
    Option(
        "force_dealer",
        "off",
        ("off",),
        "a fee that makes the dealer draw until he qualifies: named in the definitions of 2013, no step of § 671a.11",
        "58 Pa. Code § 671a.11",
        Standing.LAW,
    ),
    Option(
        "stub_exhausted",
        "reshuffle",
        ("reshuffle", "void"),
        "the stub runs out during the draws (five seats and more): the cards folded and exchanged become a new stub, "
        "or the round is void",
        "no text at hand",
    ),
)


class LunarPoker(Game):
    """The game as sessions and commands see it."""

    name = "lunar-poker"
    title = "Lunar Poker"
    chapter = CHAPTER
    own_options = OPTIONS
    paytables = PAYTABLES
    families = ("ante", "super")
    paragraphs = ("deal", "decide", "lock in", "options", "dealer", "showdown", "rack")
    declares = True

    def offers(self, house: House, limits: Limits) -> tuple[WagerOffer, ...]:
        """Ante, and Supers on any seat's and the dealer's hand where the table has limits for them, § 671a.7."""
        known_limits(limits, self.families)
        ante = find_limit(limits, "ante")
        if ante is None:
            raise BadInput("limits: those of the ante are missing")
        offers = [WagerOffer("ante", *ante, required=True)]
        for hand in (*range(1, house.number("seats") + 1), DEALER):
            span = find_limit(limits, f"super:{hand}")
            if span is not None:
                needs = ("super:{seat}",) if house.flag("super_needs_own") else ("ante",)
                offers.append(
                    WagerOffer(f"super:{hand}", *span, needs=needs, on_seat=hand if isinstance(hand, int) else None)
                )
        return tuple(offers)

    def cards_needed(self, seats: int) -> int:
        """Five for each seat and the dealer, and five more for each seat that exchanges its whole hand."""
        return 5 * seats + 5 + 5 * seats

    def until_showdown(self, layout: Layout, house: House, dealing: Dealing) -> Procedure[None]:
        """§ 671a.11 (a) to (d)."""
        return procedure.until_showdown(layout, house, dealing)

    def showdown(self, layout: Layout, house: House) -> Procedure[None]:
        """§ 671a.11 (e) to (g)."""
        return showdown(layout, house)

    def should_declare(self, step: Declare, cards: tuple[Card, ...], house: House) -> bool:
        """Whether these five cards win what the step asks about."""
        if step.what == INSTANT:
            return instant_line(cards) is not None
        return super_line(cards, house.text("super_sf_policy")) is not None

    def too_late(self, layout: Layout, seat: int) -> tuple[str, str]:
        """A hand of the instant payout decides nothing; a decision that is locked in stays as it is."""
        if seat not in layout.decided:
            return "a hand of the instant payout takes no decision", f"{CHAPTER}.11(b)(2)"
        return "decisions are locked in", f"{CHAPTER}.11(a)(3)"

    def reading(self, place: str, faces: Mapping[str, tuple[Card, ...]], house: House) -> Reading | None:
        """The best hand of five or six cards, and the second combination; of the dealer, whether he qualifies."""
        cards = faces.get(place, ())
        if len(cards) not in (5, 6):
            return None
        hand = best_hand(cards)
        if place == DEALER:
            qualifies = "qualifies" if hand.order >= QUALIFIES else "does not qualify"
            return Reading(f"{hand.text}, {qualifies}")
        second = second_combination(cards, hand, BET)
        more = (second_cards(cards, hand, second),) if second is not None else ()
        return Reading(hand.text, (hand.core, *more))

    def outcome(self, layout: Layout, house: House) -> Outcome:
        """Best hands in words, and whether the dealer's qualifies; None where the faces were never seen."""
        seats: dict[int, Mapping[str, object]] = {}
        for seat in layout.placed:
            cards = layout.last_hand(at_seat(seat))
            seats[seat] = {"hand": best_hand(cards).text if cards else None}
        cards = layout.last_hand(DEALER)
        dealer = best_hand(cards) if cards else None
        return Outcome(
            seats,
            {"hand": dealer.text, "qualifies": dealer.order >= QUALIFIES}
            if dealer
            else {"hand": None, "qualifies": None},
        )

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """`hand`: best five of five or six cards; `super`: the line of the Super Wager."""
        return {"hand": rank_hand, "super": rank_super}


def rank_hand(cards: tuple[Card, ...], house: House) -> Ranked:
    """The best five of five or six cards by § 671a.6(b) and (c). Raises BadInput for another number."""
    if len(cards) not in (5, 6):
        raise BadInput(f"hand: five or six cards are ranked, {len(cards)} were given", rule="671a.6(b)")
    hand = best_hand(cards)
    return Ranked("hand", str(hand.category), hand.text, core(hand.category, hand.five), hand.order)


def rank_super(cards: tuple[Card, ...], house: House) -> Ranked:
    """The line of five cards by § 671a.6(d); lines are not compared any further. Raises BadInput for another number."""
    if len(cards) != 5:
        raise BadInput(f"super: five cards are ranked, {len(cards)} were given", rule="671a.6(d)")
    line = super_line(cards, house.text("super_sf_policy"))
    if line is None:
        return Ranked("super", "nothing", "no line of the Super Wager", (), 0)
    return Ranked("super", line, line, cards, len(SUPER_LINES) - SUPER_LINES.index(line))


GAME: Final = LunarPoker()
