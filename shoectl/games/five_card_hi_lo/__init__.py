"""Five Card Hi-Lo, 58 Pa. Code chapter 663a."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shoectl.cards import Card, show_cards
from shoectl.errors import BadInput
from shoectl.games.dealing import Dealing
from shoectl.games.five_card_hi_lo import hands, procedure
from shoectl.games.five_card_hi_lo.money import CHAPTER, PAYTABLES, RULE
from shoectl.games.five_card_hi_lo.showdown import RESET, showdown
from shoectl.games.house import House, Option
from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure
from shoectl.games.registry import Game, Kind, Limits, Outcome, Ranked, find_limit, known_limits
from shoectl.games.steps import DEALER, WagerOffer, at_seat
from shoectl.games.wagers import paytable_option

OPTIONAL: Final = ("tie", "poker_bonus")
OPTIONS: Final = (
    paytable_option(PAYTABLES, "ante_bonus", "what three and four aces are paid on the Ante"),
    Option(
        "ante_bonus_on_fold",
        False,
        (False, True),
        "true: who folds with three aces or more is paid the Ante Bonus all the same; his cards stay until his turn",
        "§ 663a.11(h) pays whatever the outcome of Ante and Play; a fold has none",
    ),
    paytable_option(PAYTABLES, "tie", "what the Tie Wager pays"),
    paytable_option(PAYTABLES, "poker_bonus", "what the Poker Bonus pays; 6s: from a pair of sixes, 7s: of sevens"),
    Option(
        "foul_hand",
        RESET,
        (RESET, "forfeit"),
        "cards set as § 663a.11(d) does not allow; reset: the floor is called, the dealer sets them his own way; "
        "forfeit: the floor is called, Ante, Play and Tie Wager are lost",
        "no text at hand",
    ),
)


class FiveCardHiLo(Game):
    """The game as sessions and commands see it."""

    name = "five-card-hi-lo"
    title = "Five Card Hi-Lo"
    chapter = CHAPTER
    own_options = OPTIONS
    paytables = PAYTABLES
    families = ("ante", *OPTIONAL)
    paragraphs = (
        "deal",
        "decide",
        "forfeits",
        "set",
        "dealer",
        "reveal",
        "main",
        "aces",
        "clear",
        "bonus",
        "clear",
        "rack",
    )

    def offers(self, house: House, limits: Limits) -> tuple[WagerOffer, ...]:
        """The Ante, and what the table has limits for of the optional wagers, each of which needs an Ante, § 663a.7."""
        known_limits(limits, self.families)
        ante = find_limit(limits, "ante")
        if ante is None:
            raise BadInput("limits: those of the ante are missing")
        spans = ((wager, find_limit(limits, wager)) for wager in OPTIONAL)
        optional = (WagerOffer(wager, *span, needs=("ante",)) for wager, span in spans if span is not None)
        return (WagerOffer("ante", *ante, required=True), *optional)

    def cards_needed(self, seats: int) -> int:
        """Five for each seat and the dealer."""
        return hands.CARDS * (seats + 1)

    def until_showdown(self, layout: Layout, house: House, dealing: Dealing) -> Procedure[None]:
        """§ 663a.11 (a) to (d)."""
        return procedure.until_showdown(layout, house, dealing)

    def showdown(self, layout: Layout, house: House) -> Procedure[None]:
        """§ 663a.11 (e) to (l)."""
        return showdown(layout, house)

    def settings(self, cards: tuple[Card, ...], house: House) -> tuple[tuple[Card, ...], ...]:
        """The low hands of all legal settings, told apart by points; the first is the dealer's own way."""
        return tuple(two.low_cards for two in hands.settings_of(cards))

    def foul(self, cards: tuple[Card, ...], low: tuple[Card, ...], house: House) -> tuple[str, str] | None:
        """Why these five cards may not be set with this low hand, § 663a.11(d)."""
        why = hands.foul(cards, low)
        return (why, f"{RULE}(d)") if why else None

    def beats(self, one: Ranked, other: Ranked) -> bool:
        """Points: both hands have to be better, as against a dealer; anything else: the higher order."""
        if one.kind != "points":
            return super().beats(one, other)
        (high, low), (other_high, other_low) = _totals(one), _totals(other)
        return high > other_high and low < other_low

    def too_late(self, layout: Layout, seat: int) -> tuple[str, str]:
        """A seat that has folded has nothing to set; hands that are set may not be touched again."""
        decided = layout.decided.get(seat, [])
        if decided and decided[-1].choice == procedure.FOLD:
            return "it has folded", f"{RULE}(b)"
        return "the hands are set and may not be touched again", f"{RULE}(a)(3)"

    def outcome(self, layout: Layout, house: House) -> Outcome:
        """Both hands of each seat that has set them, and the dealer's; the poker hand of a seat that has folded with a
        Poker Bonus. None where no hand was seen.
        """
        seats: dict[int, Mapping[str, object]] = {}
        for seat, wagers in layout.placed.items():
            cards = layout.last_hand(at_seat(seat)) or ()
            if cards and seat in layout.settings:
                seats[seat] = _told(hands.as_set(cards, layout.settings[seat]))
            else:
                seats[seat] = {"hand": hands.poker_hand(cards).text if cards and "poker_bonus" in wagers else None}
        dealer = layout.last_hand(DEALER) if layout.settings else None
        return Outcome(seats, _told(hands.settings_of(dealer)[0]) if dealer else {"hand": None})

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """`poker`: five cards by § 663a.6(b); `points`: all legal settings of five cards, § 663a.6(a)."""
        return {"poker": rank_poker, "points": rank_points}


def _told(two: hands.TwoHands) -> dict[str, object]:
    return {"hand": two.text, "high": two.high, "low": two.low}


def _totals(ranked: Ranked) -> tuple[int, int]:
    high, _, low = ranked.name.partition("/")
    return int(high), int(low)


def rank_poker(cards: tuple[Card, ...], house: House) -> Ranked:
    """Five cards by § 663a.6(b). Raises BadInput for another number."""
    hand = hands.poker_hand(_five("poker", cards, "b"))
    return Ranked("poker", str(hand.category), hand.text, hand.core, hand.order)


def rank_points(cards: tuple[Card, ...], house: House) -> Ranked:
    """All legal settings of five cards; what is said of the hand as a whole is said of the first, the dealer's way. A
    hand that beats another has the higher `order`, though one that has it need not beat the other. Raises BadInput for
    another number.
    """
    found = hands.settings_of(_five("points", cards, "a"))
    first = found[0]
    settings = [{"high": two.high, "low": two.low, "low_cards": show_cards(two.low_cards)} for two in found]
    return Ranked(
        "points",
        f"{first.high}/{first.low}",
        " or ".join(two.text for two in found),
        first.high_cards + first.low_cards,
        first.high - first.low + 30,
        {"settings": settings},
    )


def _five(kind: str, cards: tuple[Card, ...], paragraph: str) -> tuple[Card, ...]:
    if len(cards) != hands.CARDS:
        raise BadInput(
            f"{kind}: {hands.CARDS} cards are ranked, {len(cards)} were given", rule=f"{CHAPTER}.6({paragraph})"
        )
    return cards


GAME: Final = FiveCardHiLo()
