"""Four Card Poker, 58 Pa. Code chapter 641a."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shoectl.cards import Card
from shoectl.errors import BadInput
from shoectl.games.dealing import Dealing
from shoectl.games.four_card_poker import procedure
from shoectl.games.four_card_poker.five_card_hand import ON_DEALER, OWN
from shoectl.games.four_card_poker.hands import Hand, best_five, best_four
from shoectl.games.four_card_poker.money import CHAPTER, PAYTABLES
from shoectl.games.four_card_poker.options import OPTIONS
from shoectl.games.four_card_poker.progressives import FIVE, FOUR
from shoectl.games.four_card_poker.showdown import showdown
from shoectl.games.house import House
from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure
from shoectl.games.registry import Game, Kind, Limits, Outcome, Ranked, Reading, find_limit, known_limits
from shoectl.games.steps import BONUS, DEALER, WagerOffer, at_seat

ENTRY: Final = ("ante", "aces_up")  # a seat plays with one of them, or both


class FourCardPoker(Game):
    """The game as sessions and commands see it."""

    name = "four-card-poker"
    title = "Four Card Poker"
    chapter = CHAPTER
    own_options = OPTIONS
    paytables = PAYTABLES
    families = (*ENTRY, FOUR, FIVE, "bad_beat", OWN, "six_card")
    bonus_wagers = ("six_card",)
    paragraphs = ("deal", "decide", "showdown", "rack")

    def offers(self, house: House, limits: Limits) -> tuple[WagerOffer, ...]:
        """Ante and Aces Up, either of which lets a seat play, and the optional wagers that the table has limits for."""
        known_limits(limits, self.families)
        if "ante" not in limits:
            raise BadInput("limits: those of the ante are missing")
        offers = []
        for wager in (*ENTRY, FOUR, FIVE, "bad_beat", OWN, ON_DEALER, "six_card"):
            span = find_limit(limits, wager)
            if span is not None:
                needs = () if wager in ENTRY else ("ante",) if wager == "bad_beat" else ENTRY
                like = "ante" if wager == "aces_up" and house.flag("equal_ante_aces_up") else ""
                offers.append(WagerOffer(wager, *span, needs=needs, like=like))
        return tuple(offers)

    def cards_needed(self, seats: int) -> int:
        """Five for each seat, six for the dealer, and the Six Card Bonus card."""
        return 5 * seats + 6 + 1

    def until_showdown(self, layout: Layout, house: House, dealing: Dealing) -> Procedure[None]:
        """§ 641a.11 (a) and (b)."""
        return procedure.until_showdown(layout, house, dealing)

    def showdown(self, layout: Layout, house: House) -> Procedure[None]:
        """§ 641a.11 (c) and (d)."""
        return showdown(layout, house)

    def too_late(self, layout: Layout, seat: int) -> tuple[str, str]:
        """One decision each, and none without an Ante."""
        if "ante" not in layout.placed.get(seat, {}):
            return "a seat without an Ante decides nothing", f"{CHAPTER}.11(b)"
        return "it has played or folded already", f"{CHAPTER}.11(b)"

    def reading(self, place: str, faces: Mapping[str, tuple[Card, ...]], house: House) -> Reading | None:
        """The best four of a seat's five or the dealer's six cards."""
        cards = faces.get(place, ())
        if len(cards) not in (5, 6):
            return None
        return Reading(best_four(cards).text)

    def outcome(self, layout: Layout, house: House) -> Outcome:
        """The hands in words; None where the faces were never seen. The dealer's five are the first that he got."""
        bonus = layout.last_hand(BONUS)
        seats: dict[int, Mapping[str, object]] = {}
        for seat, wagers in layout.placed.items():
            cards = layout.last_hand(at_seat(seat))
            seats[seat] = _hands(cards, cards)
            if "six_card" in wagers and cards and bonus:
                seats[seat] = {**seats[seat], "six": best_five(cards + bonus).text}
        cards = layout.last_hand(DEALER)
        return Outcome(seats, _hands(cards, cards[: procedure.EACH] if cards else None))

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """`four`: the best four of four to six cards; `five`: a poker hand; `six`: the best five of six."""
        return {"four": rank_four, "five": rank_five, "six": rank_six}


def _hands(cards: tuple[Card, ...] | None, five: tuple[Card, ...] | None) -> dict[str, object]:
    return {"hand": best_four(cards).text if cards else None, "five": best_five(five).text if five else None}


def rank_four(cards: tuple[Card, ...], house: House) -> Ranked:
    """The best four of four to six cards by § 641a.6(b). Raises BadInput for another number."""
    if len(cards) not in (4, 5, 6):
        raise BadInput(f"four: four to six cards are ranked, {len(cards)} were given", rule="641a.6(b)")
    return _ranked("four", best_four(cards))


def rank_five(cards: tuple[Card, ...], house: House) -> Ranked:
    """Five cards by § 641a.6(d). Raises BadInput for another number."""
    if len(cards) != 5:
        raise BadInput(f"five: five cards are ranked, {len(cards)} were given", rule="641a.6(d)")
    return _ranked("five", best_five(cards))


def rank_six(cards: tuple[Card, ...], house: House) -> Ranked:
    """The best five of six cards by § 641a.6(e). Raises BadInput for another number."""
    if len(cards) != 6:
        raise BadInput(f"six: six cards are ranked, {len(cards)} were given", rule="641a.6(e)")
    return _ranked("six", best_five(cards))


def _ranked(kind: str, hand: Hand) -> Ranked:
    return Ranked(kind, str(hand.category), hand.text, hand.core, hand.order)


GAME: Final = FourCardPoker()
