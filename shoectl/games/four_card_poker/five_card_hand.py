"""The Five Card Hand Bonus Wager on the player's or the dealer's hand, with Magic Card and Lucky Bonus,
§ 641a.11(c)(7).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from shoectl.cards import Card
from shoectl.games.four_card_poker.hands import best_five
from shoectl.games.four_card_poker.money import PAYTABLES, RULE, pay_share
from shoectl.games.house import House
from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure
from shoectl.games.steps import DEALER, Announce, Collect, Credit, HoldCards, Place, ReadSystem, Verify, at_seat
from shoectl.games.wagers import Odds, paytable_of

OWN, ON_DEALER = "five_card_hand", "five_card_hand:dealer"
MAGIC, LUCKY = "magic_card", "lucky_bonus"
_TABLE: Final = {MAGIC: "magic_pays", LUCKY: "lucky_pays"}


@dataclass(frozen=True)
class Picks:
    """What the game system has picked for the round: a card, and a place; empty where there is none."""

    card: str = ""
    place: Place = ""

    def fitting(self, cards: tuple[Card, ...], place: Place) -> Iterator[str]:
        """The bonuses that a wager on these cards at this place has won."""
        if self.card in map(str, cards):
            yield MAGIC
        if self.place == place:
            yield LUCKY


def read_picks(table: Layout, house: House) -> Procedure[Picks]:
    """The picks of the house, where a record has them; else what the game system says, if anybody has wagered on it."""
    if not any(table.wager(seat, wager) for seat in table.seats() for wager in (OWN, ON_DEALER)):
        return Picks()
    found: dict[str, str] = {}
    for option, kind in ((MAGIC, "card"), (LUCKY, "place")):
        found[kind] = {"off": ""}.get(said := house.text(option), said)
        if said == "on":
            found[kind] = (yield from ReadSystem(option, kind, rule=f"{RULE}(7)")).pick
    place = found["place"]
    return Picks(found["card"], at_seat(int(place)) if place.isdecimal() else place)


def five_card_hand(
    table: Layout, house: House, seat: int, wager: str, cards: tuple[Card, ...], picks: Picks
) -> Procedure[list[HoldCards]]:
    """(7)(i) to (iii) for one of the two wagers of a seat; `cards` are the five that it is about. Returns the cards
    that are held for papers.
    """
    place = DEALER if wager == ON_DEALER else at_seat(seat)
    stake, rule, held = table.wager(seat, wager), f"{RULE}(7)", []
    line = str(best_five(cards).category)
    odds = paytable_of(PAYTABLES, house, OWN).lines.get(line)
    if odds is None:
        yield Collect(seat, wager, stake, rule=rule)
    else:
        yield from Announce(f"seat {seat}: look that the hand wins ({line})", rule=f"{rule}(i)")
        if odds.meter or odds.pays >= house.number("high_odds_verify"):
            yield from Verify(seat, wager, line, rule=f"{rule}(ii)")
        if odds.meter:
            held = [(yield from pay_share(house, seat, wager, stake, odds, line, place, f"{rule}(iii)"))]
        else:
            yield _credit(seat, wager, stake, odds, line, f"{rule}(iii)")
    for bonus in picks.fitting(cards, place):
        ((line, extra),) = paytable_of(PAYTABLES, house, _TABLE[bonus]).lines.items()
        yield from Announce(f"seat {seat}: look that the hand wins ({line})", rule=f"{rule}(i)")
        yield _credit(seat, wager.replace(OWN, bonus), stake, extra, line, f"{rule}(iii)")
    return held


def _credit(seat: int, wager: str, stake: int, odds: Odds, line: str, rule: str) -> Credit:
    """To the player's game account."""
    return Credit(seat, wager, odds.payment(stake), stake, str(odds), line, odds.for_one, rule=rule)
