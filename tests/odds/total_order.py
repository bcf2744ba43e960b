"""Every hand of five, four, three and two cards in one order each: against an evaluator that others wrote (five cards),
against a plain reading of the rules (fewer), and pinned by a digest.

`python -m tests.odds.total_order` takes every hand, 2,892,911 of them; the suite takes one hand of each kind that the
rankings can tell apart, and every hand of up to four cards by its digest.
"""

from __future__ import annotations

import hashlib
import sys
import time
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise

from phevaluator import evaluate_cards

from shoectl.cards import STANDARD, Card
from shoectl.games.cajun_stud.hands import BOARD, POCKET
from shoectl.games.four_card_poker.hands import FOUR
from shoectl.games.lunar_poker.hands import LADDER as LUNAR
from shoectl.games.ranking import CODE, POKER, Ladder

LADDERS = {"poker": POKER, "lunar": LUNAR, "four": FOUR, "board": BOARD, "pocket": POCKET}
KINDS = {"poker": 7462, "lunar": 7462, "four": 2535, "board": 741, "pocket": 91}  # that rank differently
DIGESTS = {  # poker and Lunar Poker order alike: ace-king is above the other high cards in both
    "poker": "58a501002621e55e42fe778924f3e491e3982fc354366ac6d971f832f3d79f05",
    "lunar": "58a501002621e55e42fe778924f3e491e3982fc354366ac6d971f832f3d79f05",
    "four": "e60c0679dc84a9f1a01d85a656414a853e38e895ef4d01ad0b1c9ac990cf017b",
    "board": "bd97bcf9b77e3d7192ef4cc525e98645bbe956ec7e8a6ff33fa37d0a91035223",
    "pocket": "39a17c604e65ed267ccfda36df59221990018e33128f44f223cad9a16a763506",
}
FEWER = {  # what a plain reading of the rules knows by name, lowest first, with three or four cards
    4: ("nothing", "pair", "two pair", "straight", "flush", "three", "straight flush", "four"),
    3: ("nothing", "pair", "flush", "straight", "three", "straight flush", "mini-royal"),
    2: ("nothing", "pair"),
}


def theirs(hand: Sequence[Card]) -> int:
    """A hand of five by the published evaluator: higher is better here."""
    return -evaluate_cards(*map(str, hand))


def plain(hand: Sequence[Card]) -> tuple[object, ...]:
    """A hand of two to four cards by the rules as one reads them out."""
    size = len(hand)
    ranks = sorted((int(card.rank) for card in hand), reverse=True)
    times = sorted(Counter(ranks).values(), reverse=True)
    wheel = size > 2 and ranks == [14, *range(size, 1, -1)]
    straight = size > 2 and (ranks == list(range(ranks[0], ranks[0] - size, -1)) or wheel)
    flush = size > 2 and len({card.suit for card in hand}) == 1
    name = "nothing"
    if straight and flush:
        name = "mini-royal" if size == 3 and ranks[0] == 14 and not wheel else "straight flush"
    elif times[0] == 4:
        name = "four"
    elif times[0] == 3:
        name = "three"
    elif straight or flush:
        name = "straight" if straight else "flush"
    elif times[0] == 2:
        name = "two pair" if times == [2, 2] else "pair"
    by_weight = sorted(ranks, key=lambda rank: (-ranks.count(rank), -rank))
    return FEWER[size].index(name), [size] if wheel else by_weight[:1] if straight else by_weight


def disagreements(pairs: Iterable[tuple[int, object]]) -> list[tuple[int, object]]:
    """Pairs of two orders of one hand that do not fit the others: a tie or an order that only one of them knows."""
    known: dict[int, object] = {}
    bad = [pair for pair in pairs if known.setdefault(pair[0], pair[1]) != pair[1]]
    in_order = [known[order] for order in sorted(known)]
    bad += [(0, low) for low, high in pairwise(in_order) if not low < high]  # type: ignore[operator]
    return bad


def digest(ladder: Ladder) -> tuple[int, str]:
    """How many different ranks there are, and a digest of the rank of every hand, in the order of the deck."""
    codes = [CODE[card] for card in STANDARD]
    orders = [ladder.order_of_code(sum(hand)) for hand in combinations(codes, ladder.size)]
    rank = {order: at for at, order in enumerate(sorted(set(orders)))}
    ranks = array("H", (rank[order] for order in orders))
    if sys.byteorder == "big":
        ranks.byteswap()
    return len(rank), hashlib.sha256(ranks.tobytes()).hexdigest()


def main() -> int:
    """Every hand of every size. Returns 1 where anything differs."""
    failed = 0
    for name, ladder in LADDERS.items():
        began = time.monotonic()
        kinds, found = digest(ladder)
        good = kinds == KINDS[name] and found == DIGESTS[name]
        failed += not good
        print(f"{name}: {kinds} ranks, digest {found}: {'as pinned' if good else 'NOT as pinned'}", flush=True)
        if name == "lunar":
            continue  # in the order of poker's, as the digest says
        other = theirs_by_number if ladder.size == 5 else plain
        hands = combinations(STANDARD, ladder.size)
        bad = disagreements((ladder.order(hand), other(hand)) for hand in hands)
        failed += bool(bad)
        print(f"{name}: {len(bad)} disagreements with the other ranking, {time.monotonic() - began:.1f} s", flush=True)
    return 1 if failed else 0


_NUMBER = {card: 4 * (card.rank - 2) + "cdhs".index(card.suit) for card in STANDARD}


def theirs_by_number(hand: Sequence[Card]) -> int:
    """The same by the numbers of the cards, which is quicker."""
    return -evaluate_cards(*map(_NUMBER.__getitem__, hand))


if __name__ == "__main__":
    sys.exit(main())
