"""A second reading of § 671a.6, .11 and .12, by brute force and on text alone: shares no code with shoectl.

Cards are two letters, hands are lists of them. Slow and plain on purpose.
"""

from __future__ import annotations

from itertools import combinations, pairwise

VALUE = {letter: at for at, letter in enumerate("23456789TJQKA", 2)}
BET = {
    "royal flush": 100,
    "straight flush": 50,
    "four-of-a-kind": 20,
    "full house": 7,
    "flush": 5,
    "straight": 4,
    "three-of-a-kind": 3,
    "two pair": 2,
    "pair": 1,
    "ace-king": 1,
}
SUPER = {
    "four-of-a-kind": 200,
    "five picture cards": 150,
    "full house": 100,
    "flush": 60,
    "straight": 30,
    "three-of-a-kind": 8,
    "ace-king-queen": 5,
    "same colored five": 2,
}
INSTANT = {"A": (1500, 250), "B": (1000, 300), "C": (1000, 250)}
STRENGTH = ["nothing", *reversed(BET)]
STRENGTH.remove("ace-king")
STRENGTH.insert(1, "ace-king")


def values(cards):
    return sorted((VALUE[card[0]] for card in cards), reverse=True)


def run_top(cards):
    """Top of five consecutive ranks, the ace low in A-2-3-4-5 only; None where they are not."""
    ranks = values(cards)
    if ranks == [14, 5, 4, 3, 2]:
        return 5
    if all(one - other == 1 for one, other in pairwise(ranks)):
        return ranks[0]
    return None


def name_of_five(cards):
    ranks = values(cards)
    times = sorted((ranks.count(rank) for rank in set(ranks)), reverse=True)
    suited = len({card[1] for card in cards}) == 1
    top = run_top(cards)
    if suited and top:
        return "royal flush" if top == 14 else "straight flush"
    if times[0] == 4:
        return "four-of-a-kind"
    if times == [3, 2]:
        return "full house"
    if suited:
        return "flush"
    if top:
        return "straight"
    if times[0] == 3:
        return "three-of-a-kind"
    if times[:2] == [2, 2]:
        return "two pair"
    if times[0] == 2:
        return "pair"
    return "ace-king" if 14 in ranks and 13 in ranks else "nothing"


def strength_of_five(cards):
    """A tuple that compares as § 671a.6(b) and (c) say."""
    name = name_of_five(cards)
    ranks = values(cards)
    if name in ("straight", "straight flush", "royal flush"):
        return STRENGTH.index(name), [run_top(cards)]
    return STRENGTH.index(name), sorted(ranks, key=lambda rank: (-ranks.count(rank), -rank))


def best(cards):
    return max(combinations(cards, 5), key=strength_of_five)


def super_name(cards, policy="literal"):
    ranks = values(cards)
    name = name_of_five(cards)
    if name in ("royal flush", "straight flush"):
        if policy == "as_flush":
            return "flush"
        name = None
    if name == "four-of-a-kind":
        return name
    if set(ranks) <= {11, 12, 13}:
        return "five picture cards"
    if name in ("full house", "flush", "straight", "three-of-a-kind"):
        return name
    if {14, 13, 12} <= set(ranks):
        return "ace-king-queen"
    if len({card[1] in "hd" for card in cards}) == 1:
        return "same colored five"
    return None


def combos(cards):
    """Every combination in some cards: its name and the cards that it consists of."""
    for one, other in combinations(cards, 2):
        if one[0] == other[0]:
            yield "pair", {one, other}
        if {one[0], other[0]} == {"A", "K"}:
            yield "ace-king", {one, other}
    for three in combinations(cards, 3):
        if len({card[0] for card in three}) == 1:
            yield "three-of-a-kind", set(three)
    for four in combinations(cards, 4):
        ranks = [card[0] for card in four]
        if len(set(ranks)) == 1:
            yield "four-of-a-kind", set(four)
        if len(set(ranks)) == 2 and all(ranks.count(rank) == 2 for rank in ranks):
            yield "two pair", set(four)
    for five in combinations(cards, 5):
        name = name_of_five(five)
        if name in ("straight", "flush", "full house", "straight flush", "royal flush"):
            yield name, set(five)


def bet_pays(cards):
    """What a winning Bet pays for each unit: the best hand, and the second combination, tried with every core that
    the best hand may have; these must all come to the same.
    """
    mine = best(cards)
    name = name_of_five(mine)
    totals = set()
    for five in combinations(cards, 5):
        if strength_of_five(five) != strength_of_five(mine):
            continue
        for one, core in combos(five):
            if one == name:
                totals.add(BET[name] + max((BET[other] for other, used in combos(cards) if used - core), default=0))
    assert len(totals) == 1, (cards, totals)
    return totals.pop()


def nets(record):
    """Seat -> what it gains, by reading the record (a legal one, without exhausted stub)."""
    house = record.get("house", {})
    policy = house.get("super_sf_policy", "literal")
    royal, other = INSTANT[house.get("instant_payout", "A")]
    gains = dict.fromkeys(record["seats"], 0)
    dealer = record["dealer"].split()
    dealer_name = name_of_five(dealer)
    for number, seat in record["seats"].items():
        first = seat["cards"].split()
        ante = seat["wagers"]["ante"]
        for wager, stake in seat["wagers"].items():
            if wager == "ante":
                continue
            on = wager.partition(":")[2]
            line = super_name(dealer if on == "dealer" else record["seats"][on]["cards"].split(), policy)
            if house.get("super_require_declaration") and on != "dealer":
                line = line if record["seats"][on]["decisions"][:1] == ["declare"] else None
            gains[number] += stake * SUPER[line] if line else -stake
        name = name_of_five(first)
        decisions = [one for one in seat["decisions"] if one != "declare"]
        if name in ("royal flush", "straight flush"):
            gains[number] += ante * (royal if name == "royal flush" else other)
            continue
        cards = first + seat.get("drawn", "").split()
        if isinstance(decisions[0], dict):
            given = decisions[0]["exchange"].split()
            cards = [card for card in first if card not in given] + seat["drawn"].split()
        if decisions[0] not in ("fold", "bet"):
            gains[number] -= ante
        if decisions[-1] == "fold":
            gains[number] -= ante
        elif dealer_name == "nothing":
            better = STRENGTH.index(name_of_five(best(cards))) >= STRENGTH.index("straight")
            gains[number] += ante * (4 if better else 1)
        elif strength_of_five(best(cards)) > strength_of_five(dealer):
            gains[number] += 2 * ante * bet_pays(cards)
        elif strength_of_five(best(cards)) < strength_of_five(dealer):
            gains[number] -= 3 * ante
    return gains
