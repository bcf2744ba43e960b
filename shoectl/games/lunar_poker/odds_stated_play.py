"""What a stated way of playing Lunar Poker is worth, exchanges included, estimated from random deals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from typing import Final

from shoectl.cards import STANDARD, Card, Rank
from shoectl.games.house import House
from shoectl.games.lunar_poker.hands import PAYS_ANTE_BETTER, QUALIFIES, best_hand, instant_line, second_combination
from shoectl.games.lunar_poker.money import ANTE, BET, instant_table
from shoectl.games.ranking import Category
from shoectl.odds.figures import Figures, Line
from shoectl.odds.question import MAIN, NotComputed, Question
from shoectl.odds.sides import gain, told_source

EXCHANGE: Final = "exchange"
LEAST_BET: Final = Rank.EIGHT  # the lowest pair that is bet as it is
STRATEGY: Final = (
    "Bet with two pair or better and with a pair of eights or better; with a lower pair exchange the other three; "
    "with four to a flush or four in a row buy a sixth; with ace-king exchange the other three, with an ace or a king "
    "the other four; else fold. After an option Bet with a pair or better, else fold. The up card is not looked at"
)
LOST, FEE = -3, -1  # Antes: Ante and Bet; the Options fee
FOLD, BUY, BETS = "fold", "buy", "Bet"


def main(question: Question) -> Figures:
    """The value of the stated play over so many random deals, with its standard error. Raises NotComputed without a
    source of chance.
    """
    if question.luck is None:
        raise NotComputed("this value is estimated from random deals: a source of chance is needed")
    counts: Counter[tuple[str, int]] = Counter()
    staked = 0
    for number in range(question.deals):
        cards = question.luck.sample(STANDARD, 15)
        outcome, net, lay = play(cards[:5], cards[5:10], cards[10:], question.house)
        counts[outcome, net] += 1
        staked += lay
        if number % 1000 == 0:
            question.progress(number, question.deals)
    return _figures(counts, staked, question.house)


def play(own: Sequence[Card], dealer: Sequence[Card], stub: Sequence[Card], house: House) -> tuple[str, int, int]:
    """One deal: what became of it, what it gained and what was staked, in Antes."""
    line = instant_line(own)
    if line is not None:
        return line, int(gain(instant_table(house).odds(line))), 1
    given = choose(own)
    if given == FOLD:
        return FOLD, -1, 1
    if given == BETS:
        what, net = result(own, dealer)
        return f"Bet, {what}", net, 3
    name = BUY if given == BUY else EXCHANGE
    own = [*own, stub[0]] if given == BUY else [*(card for card in own if card not in given), *stub[: len(given)]]
    if best_hand(own).category in (Category.NOTHING, Category.ACE_KING):
        return f"{name}, fold", FEE - 1, 2
    what, net = result(own, dealer)
    return f"{name}, Bet, {what}", FEE + net, 4


def choose(own: Sequence[Card]) -> str | tuple[Card, ...]:
    """What the stated play does with five cards: fold, Bet, buy, or give these cards up."""
    hand = best_hand(own)
    if hand.category is Category.PAIR and hand.core[0].rank < LEAST_BET:
        return tuple(card for card in own if card not in hand.core)
    if hand.category not in (Category.NOTHING, Category.ACE_KING):
        return BETS
    ranks, suits = {card.rank for card in own}, Counter(card.suit for card in own)
    in_a_row = any(ranks >= set(range(low, low + 4)) for low in range(Rank.TWO, Rank.QUEEN))
    if in_a_row or max(suits.values()) == 4:
        return BUY
    kept = hand.core if hand.core[0].rank >= Rank.KING else own
    return tuple(card for card in own if card not in kept) or FOLD


def result(own: Sequence[Card], dealer: Sequence[Card]) -> tuple[str, int]:
    """What becomes of Ante and Bet, and what they gain together in Antes, § 671a.11(f)."""
    mine, his = best_hand(own), best_hand(dealer)
    if his.order < QUALIFIES:
        line = "straight or higher" if mine.order >= PAYS_ANTE_BETTER else "any other hand"
        return "the dealer does not qualify", int(gain(ANTE.odds(line)))
    if mine.order <= his.order:
        return ("ties", 0) if mine.order == his.order else ("loses", LOST)
    second = second_combination(own, mine, BET)
    return "wins", 2 * sum(BET.odds(one).pays for one in (mine.category, second) if one is not None)


def _figures(counts: Counter[tuple[str, int]], staked: int, house: House) -> Figures:
    deals = counts.total()
    lines = []
    for name in sorted({name for name, _ in counts}):
        rows = [(net, count) for (one, net), count in counts.items() if one == name]
        lines.append(Line(name, sum(count for _, count in rows), sum(net * count for net, count in rows)))
    mean = sum(net * count for (_, net), count in counts.items()) / deals
    spread = sum((net - mean) ** 2 * count for (_, net), count in counts.items()) / (deals - 1)
    table = f"instant payout {told_source(instant_table(house))}"
    more = {"average wager": staked / deals, "element of risk": -mean * deals / staked}
    note = "one unit is the Ante; the instant payout is in it, Supers are not"
    return Figures(MAIN, "the Ante", tuple(lines), table, STRATEGY, sqrt(spread / deals), more, (note,))
