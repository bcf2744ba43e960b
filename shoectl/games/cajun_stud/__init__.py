"""Cajun Stud, 58 Pa. Code chapter 683a."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shoectl.cards import Card
from shoectl.errors import BadInput
from shoectl.games.cajun_stud import procedure
from shoectl.games.cajun_stud.hands import board_hand, five_cards, lo_line, low_name, pocket_hand
from shoectl.games.cajun_stud.money import CHAPTER, LIMIT, OPTIONAL, PAYTABLES
from shoectl.games.cajun_stud.showdown import showdown
from shoectl.games.dealing import Dealing
from shoectl.games.house import House, Option, Standing
from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure
from shoectl.games.ranking import Hand
from shoectl.games.registry import Game, Kind, Limits, Outcome, Ranked, Reading, find_limit, known_limits
from shoectl.games.steps import BONUS, COMMUNITY, WagerOffer, at_seat
from shoectl.games.wagers import paytable_of, paytable_option

POCKET_AND_BOARD: Final = procedure.POCKET_CARDS + procedure.COMMUNITY_CARDS
OPTIONS: Final = (
    paytable_option(PAYTABLES, "main", "what Ante and Raises are paid"),
    Option(
        "pair_6_10",
        "push",
        ("push", "pay"),
        "a pair of sixes to tens; push: Ante and Raises go back; pay: 1 to 1, which gives the player an edge of 74.5 %",
        "58 Pa. Code § 655a.12(a), the twin chapter; § 683a.11(h)(1) says pay",
        Standing.SIBLING,
    ),
    paytable_option(PAYTABLES, "pocket", "what the Pocket Bonus pays"),
    paytable_option(PAYTABLES, "board", "what the Board Bonus pays"),
    paytable_option(PAYTABLES, "lo_ball", "what the Lo Ball pays; J: down from jack-high, Q: down from queen-high"),
    paytable_option(PAYTABLES, "all_six", "what the All-Six Bonus pays"),
    Option(
        "payout_limit",
        LIMIT,
        ("none",),
        "the most that all winning wagers of a hand are paid, in cents, but never less than a patron could win with "
        "the least Ante of the table; none: no limit",
        "58 Pa. Code § 655a.12(b), the twin chapter",
        Standing.SIBLING,
        least=1,
    ),
    Option(
        "community_card_exposed",
        "floor",
        ("floor", "void"),
        "a community card seen too early; floor: the floor decides if it is the next one due, else the round is void",
        "no text at hand",
    ),
    Option(
        "bonus_card_exposed",
        "void_wager",
        ("void_wager", "void"),
        "an All-Six card seen too early; void_wager: that wager goes back, the game goes on; void: the round is void",
        "no text at hand",
    ),
)


class CajunStud(Game):
    """The game as sessions and commands see it."""

    name = "cajun-stud"
    title = "Cajun Stud"
    chapter = CHAPTER
    own_options = OPTIONS
    paytables = PAYTABLES
    families = ("ante", *OPTIONAL)
    bonus_wagers = ("all_six",)
    paragraphs = ("deal", "raise 1", "card 1", "raise 2", "card 2", "raise 3", "card 3", "showdown", "bonus", "rack")

    def offers(self, house: House, limits: Limits) -> tuple[WagerOffer, ...]:
        """The Ante, and what the table has limits for of the optional wagers, each of which needs an Ante, § 683a.7."""
        known_limits(limits, self.families)
        ante = find_limit(limits, "ante")
        if ante is None:
            raise BadInput("limits: those of the ante are missing")
        spans = ((wager, find_limit(limits, wager)) for wager in OPTIONAL)
        optional = (WagerOffer(wager, *span, needs=("ante",)) for wager, span in spans if span is not None)
        return (WagerOffer("ante", *ante, required=True), *optional)

    def cards_needed(self, seats: int) -> int:
        """Two for each seat, three community cards, four All-Six cards."""
        return procedure.POCKET_CARDS * seats + procedure.COMMUNITY_CARDS + procedure.BONUS_CARDS

    def until_showdown(self, layout: Layout, house: House, dealing: Dealing) -> Procedure[None]:
        """§ 683a.11 (a) to (f)."""
        return procedure.until_showdown(layout, house, dealing)

    def showdown(self, layout: Layout, house: House) -> Procedure[None]:
        """§ 683a.11 (g) to (j)."""
        return showdown(layout, house)

    def too_late(self, layout: Layout, seat: int) -> tuple[str, str]:
        """A seat that has folded is out, and there are three Raises."""
        decided = layout.decided.get(seat, [])
        if decided and decided[-1].choice == procedure.FOLD:
            return "it has folded", f"{CHAPTER}.11({procedure.DECISIONS[len(decided) - 1]})"
        return "there are three Raises", f"{CHAPTER}.11(f)"

    def reading(self, place: str, faces: Mapping[str, tuple[Card, ...]], house: House) -> Reading | None:
        """A seat's best poker hand with the community cards, once all of them lie face up."""
        cards = faces.get(place, ()) + faces.get(COMMUNITY, ())
        if place in (COMMUNITY, BONUS) or len(cards) != POCKET_AND_BOARD:
            return None
        return Reading(five_cards(cards).text)

    def outcome(self, layout: Layout, house: House) -> Outcome:
        """The best five cards of each seat in words, None where they were not seen. The dealer has no hand."""
        board = layout.last_hand(COMMUNITY)
        seats: dict[int, Mapping[str, object]] = {}
        for seat in layout.placed:
            pocket = layout.last_hand(at_seat(seat))
            seats[seat] = {"hand": five_cards(pocket + board).text if pocket and board else None}
        return Outcome(seats, {"hand": None})

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """`five`, `pocket`, `board`, `six`: hands by § 683a.6(b) to (e); `lo`: the line of the Lo Ball Wager."""
        return {"five": rank_five, "pocket": rank_pocket, "board": rank_board, "lo": rank_lo, "six": rank_six}


def rank_five(cards: tuple[Card, ...], house: House) -> Ranked:
    """Five cards by § 683a.6(b). Raises BadInput for another number."""
    return _ranked("five", five_cards(_just(5, "five", cards, "b")))


def rank_pocket(cards: tuple[Card, ...], house: House) -> Ranked:
    """Two cards by § 683a.6(c). Raises BadInput for another number."""
    return _ranked("pocket", pocket_hand(_just(2, "pocket", cards, "c")))


def rank_board(cards: tuple[Card, ...], house: House) -> Ranked:
    """Three cards by § 683a.6(d). Raises BadInput for another number."""
    return _ranked("board", board_hand(_just(3, "board", cards, "d")))


def rank_six(cards: tuple[Card, ...], house: House) -> Ranked:
    """The best five of six cards by § 683a.6(e). Raises BadInput for another number."""
    return _ranked("six", five_cards(_just(6, "six", cards, "e")))


def rank_lo(cards: tuple[Card, ...], house: House) -> Ranked:
    """The line of the Lo Ball that five cards reach by the table chosen; 7-high is the highest, a hand without a line
    is nothing. Raises BadInput for another number.
    """
    table = paytable_of(PAYTABLES, house, "lo_ball")
    line = lo_line(_just(5, "lo", cards, "b"), table)
    if line is None:
        hand = low_name(cards) or five_cards(cards).text
        return Ranked("lo", "nothing", f"no line of the Lo Ball: {hand}", (), 0)
    lines = list(table.lines)
    return Ranked("lo", line, line, cards, len(lines) - lines.index(line))


def _just(number: int, kind: str, cards: tuple[Card, ...], paragraph: str) -> tuple[Card, ...]:
    if len(cards) != number:
        raise BadInput(f"{kind}: {number} cards are ranked, {len(cards)} were given", rule=f"{CHAPTER}.6({paragraph})")
    return cards


def _ranked(kind: str, hand: Hand) -> Ranked:
    return Ranked(kind, str(hand.category), hand.text, hand.core, hand.order)


GAME: Final = CajunStud()
