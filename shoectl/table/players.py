"""How simulated people decide: sensibly for the most part, otherwise with luck.

Luck comes from (seed, round, step) and never from the order in which things happen: one seed is one game, on every
medium and through every restart. A player knows what lies face up, and his own cards.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Sequence

from shoectl.cards import STANDARD, Card
from shoectl.errors import BadInput
from shoectl.games.answers import Decision, Given, Reading, Wagers
from shoectl.games.house import House
from shoectl.games.registry import Game
from shoectl.games.steps import DEALER, Ask, Choice, GiveBack, PlaceWagers, ReadSystem, WagerOffer

WHIM = 0.12  # how often a player follows none of the advice below
SIDE_WAGER = 0.3
SITS_OUT = 0.04


def luck_of(seed: int, round_no: int, step: int, what: str = "") -> random.Random:
    """A stream of luck for one step of one round."""
    return random.Random(f"{seed}/{round_no}/{step}/{what}")


def place_wagers(step: PlaceWagers, luck: random.Random) -> Wagers:
    """What all players place: nearly everybody plays, some with side wagers; somebody always does. Where no wager is
    required, the first one offered is what one plays with, for the most part.
    """
    free = not any(offer.required for offer in step.offers)
    sitting = [seat for seat in step.seats if luck.random() >= SITS_OUT] or list(step.seats[:1])
    placed: list[tuple[int, str, int]] = []
    for seat in sitting:
        amounts: dict[str, int] = {}
        entry = luck.choice([offer.wager for offer in step.offers[:1] * 5 + step.offers[1:2]]) if free else ""
        for offer in step.offers:
            if offer.wager == entry or _wants(offer, seat, sitting, amounts, luck):
                amounts[offer.wager] = amounts.get(offer.like) or _stake(offer, luck)
        placed += [(seat, wager, amount) for wager, amount in amounts.items()]
    return Wagers(tuple(placed))


def _wants(offer: WagerOffer, seat: int, sitting: Sequence[int], names: Collection[str], luck: random.Random) -> bool:
    chance = luck.random()
    if offer.required:
        return True
    if offer.on_seat is not None and offer.on_seat not in sitting:
        return False
    if offer.needs and not any(need.format(seat=seat) in names for need in offer.needs):
        return False
    own = offer.on_seat is None or offer.on_seat == seat
    return chance < (SIDE_WAGER if own else SIDE_WAGER / 4)


def system_says(step: ReadSystem, seats: Sequence[int], luck: random.Random) -> Reading:
    """What a game system at the table would say: some meter, some card, some place."""
    match step.kind:
        case "card":
            return Reading(pick=str(luck.choice(STANDARD)))
        case "place":
            return Reading(pick=luck.choice([DEALER, *map(str, seats)]))
        case _:
            return Reading(luck.randrange(1_000_000, 10_000_000))


def _stake(offer: WagerOffer, luck: random.Random) -> int:
    return min(offer.most, offer.least * luck.choice((1, 1, 2, 5)))


def decide(step: Ask, hand: Sequence[Card], game: Game, house: House, luck: random.Random) -> Decision:
    """One of the choices: a made hand stays in, a promising one draws, a poor one folds or changes cards."""
    choices = {choice.name: choice for choice in step.choices}
    if luck.random() < WHIM:
        return _decision(luck.choice(step.choices), luck)
    wishes: tuple[str, ...]
    if _made(hand, game, house):
        wishes = ("bet", "play", "raise")
    elif _one_short(hand) and luck.random() < 0.8:
        wishes = ("buy", "exchange", "raise", "bet")
    elif max((card.rank for card in hand), default=0) >= 12 and luck.random() < 0.5:
        wishes = ("exchange", "raise", "play")
    else:
        wishes = ("fold",)
    named = next((choices[name] for name in wishes if name in choices), None)
    return _decision(named or luck.choice(step.choices), luck)


def _decision(choice: Choice, luck: random.Random) -> Decision:
    """With an amount only where the choice leaves one open."""
    if choice.wager is None or choice.least == choice.most:
        return Decision(choice.name)
    most = choice.most // choice.least if choice.least else 1
    return Decision(choice.name, choice.least * luck.randint(1, max(1, most)))


def _made(hand: Sequence[Card], game: Game, house: House) -> bool:
    """Whether the hand is worth staying in with: a pair or better, or whatever the game ranks above nothing."""
    rank = game.kinds.get("hand")
    if rank is not None:
        try:
            return rank(tuple(hand), house).name not in ("nothing", "high card")
        except BadInput:
            pass
    return max(Counter(card.rank for card in hand).values(), default=0) > 1


def _one_short(hand: Sequence[Card]) -> bool:
    """Four cards of a suit, or four that would make a straight."""
    if max(Counter(card.suit for card in hand).values(), default=0) >= 4:
        return True
    ranks = {int(card.rank) for card in hand}
    return any(len(ranks & set(range(low, low + 5))) >= 4 for low in range(2, 11))


def give_up(step: GiveBack, hand: Sequence[Card], luck: random.Random) -> tuple[Given, tuple[Card, ...]]:
    """How many cards go face down to the rack, and which the player takes (nobody else sees them)."""
    counts = Counter(card.rank for card in hand)
    poorest_first = sorted(hand, key=lambda card: (counts[card.rank] > 1, card.rank))
    single = sum(counts[card.rank] == 1 for card in hand)
    most = min(step.most, max(step.least, single))
    cards = tuple(poorest_first[: luck.randint(step.least, most)])
    return Given(len(cards)), cards
