"""A second reading of § 641a.6, .11 and .12, by brute force and on text alone: shares no code with shoectl.

Cards are two letters, hands are lists of them. Slow and plain on purpose.
"""

from __future__ import annotations

from itertools import combinations, pairwise

VALUE = {letter: at for at, letter in enumerate("23456789TJQKA", 2)}
FOUR_ORDER = [
    "high card",
    "pair",
    "two pair",
    "straight",
    "flush",
    "three-of-a-kind",
    "straight flush",
    "four-of-a-kind",
]
FIVE_ORDER = [
    "nothing",
    "pair",
    "two pair",
    "three-of-a-kind",
    "straight",
    "flush",
    "full house",
    "four-of-a-kind",
    "straight flush",
    "royal flush",
]
ANTE_BONUS = {"A": (25, 20, 2), "B": (30, 15, 2)}  # four, straight flush, three
ACES_UP = {  # four, straight flush, three, flush, straight, two pair, aces
    "A": (50, 40, 8, 6, 4, 2, 1),
    "B": (50, 40, 8, 5, 4, 3, 1),
    "C": (50, 30, 7, 6, 5, 2, 1),
    "D": (50, 40, 9, 6, 4, 2, 1),
    "E": (50, 40, 7, 5, 4, 3, 1),
    "F": (50, 40, 7, 6, 5, 2, 1),
    "G": (50, 30, 9, 6, 4, 2, 1),
    "H": (50, 30, 8, 5, 4, 3, 1),
}
BAD_BEAT = (25000, 10000, 100, 25, 15, 4)  # as Aces Up, without the aces
SIX_CARD = {  # royal, straight flush, four, full house, flush, straight, three
    "A": (1000, 200, 50, 25, 20, 10, 5),
    "B": (1000, 200, 100, 20, 15, 10, 7),
    "C": (1000, 200, 50, 25, 15, 10, 5),
    "D": (1000, 200, 100, 20, 15, 9, 8),
}
FOUR_NAMES = ["four-of-a-kind", "straight flush", "three-of-a-kind", "flush", "straight", "two pair"]
FIVE_NAMES = ["royal flush", "straight flush", "four-of-a-kind", "full house", "flush", "straight", "three-of-a-kind"]
SMALL = {"full house": 50, "flush": 40, "straight": 30}
PROGRESSIVE_5 = {  # per cent of a meter, or for 1
    "A": {"royal flush": (100, "progressive_5_meter"), "straight flush": (10, "progressive_5_meter")}
    | {"four-of-a-kind": 300, "three-of-a-kind": 9},
    "B": {"royal flush": (100, "mega_meter"), "straight flush": (100, "major_meter")}
    | {"four-of-a-kind": 300, "three-of-a-kind": 9},
    "C": {"royal flush": (100, "mega_meter"), "straight flush": (100, "major_meter")}
    | {"four-of-a-kind": (100, "minor_meter"), "three-of-a-kind": 10},
    "D": {"royal flush": (100, "mega_meter"), "straight flush": (100, "major_meter")}
    | {"four-of-a-kind": (100, "minor_meter"), "three-of-a-kind": 9},
}
ENVY_4 = {"A": {"four-of-a-kind": 100_000}, "B": {"four-of-a-kind": 100_000, "straight flush": 50_000}}
ENVY_5 = {"royal flush": 500_000, "straight flush": 150_000}


def values(cards):
    return sorted((VALUE[card[0]] for card in cards), reverse=True)


def run_top(cards):
    """The top of consecutive ranks, the ace low below a two only; None where they are not consecutive."""
    ranks = values(cards)
    if ranks[0] == 14 and ranks[1:] == list(range(len(ranks), 1, -1)):
        return len(ranks)
    return ranks[0] if all(one - other == 1 for one, other in pairwise(ranks)) else None


def name_of(cards):
    """What four or five cards are called."""
    ranks = values(cards)
    times = sorted((ranks.count(rank) for rank in set(ranks)), reverse=True)
    suited = len({card[1] for card in cards}) == 1
    top = run_top(cards)
    if suited and top:
        return "royal flush" if top == 14 and len(cards) == 5 else "straight flush"
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
    return "high card" if len(cards) == 4 else "nothing"


def strength(cards):
    """A pair that compares as the ranking of four, or of five cards says."""
    name = name_of(cards)
    ranks = values(cards)
    order = (FOUR_ORDER if len(cards) == 4 else FIVE_ORDER).index(name)
    if "straight" in name or name == "royal flush":
        return order, [run_top(cards)]
    return order, sorted(ranks, key=lambda rank: (-ranks.count(rank), -rank))


def best(cards, size):
    """The best hand of so many cards."""
    return max(combinations(cards, size), key=strength)


def aces_up_pays(four, letter):
    """Odds to 1 for the best four cards, None where they lose."""
    name = name_of(four)
    if name in FOUR_NAMES:
        return ACES_UP[letter][FOUR_NAMES.index(name)]
    if name == "pair" and values(four).count(14) == 2:
        return ACES_UP[letter][6]
    return None


def share_or_odds(line, stake, house):
    """What a line pays, net of the stake that the house keeps: a share of a meter, or so many for 1."""
    if isinstance(line, tuple):
        percent, meter = line
        return house[meter] * percent // 100 - stake
    return line * stake - stake


def progressive_4(cards, stake, house):
    four = best(cards, 4)
    name = name_of(four)
    if name == "four-of-a-kind":
        return share_or_odds((100 if values(four) == [14] * 4 else 10, "progressive_4_meter"), stake, house)
    line = {"straight flush": 100, "three-of-a-kind": 5}.get(name)
    return -stake if line is None else share_or_odds(line, stake, house)


def progressive_5(cards, stake, house):
    line = (SMALL | PROGRESSIVE_5[house.get("progressive_5", "A")]).get(name_of(cards))
    return -stake if line is None else share_or_odds(line, stake, house)


def five_card_hand(cards, stake, house):
    lines = SMALL | {"royal flush": (100, "five_card_hand_meter"), "straight flush": 500}
    line = (lines | {"four-of-a-kind": 300, "three-of-a-kind": 9}).get(name_of(cards))
    return -stake if line is None else share_or_odds(line, stake, house)


def bad_beat(mine, theirs, stake):
    one, other = strength(mine), strength(theirs)
    if one == other:
        return -stake
    loser = name_of(mine if one < other else theirs)
    return stake * BAD_BEAT[FOUR_NAMES.index(loser)] if loser in FOUR_NAMES else -stake


def six_card(cards, stake, letter):
    name = name_of(best(cards, 5))
    return stake * SIX_CARD[letter][FIVE_NAMES.index(name)] if name in FIVE_NAMES else -stake


def settle(record):
    """Seat -> wager or bonus -> what it gains, by reading a legal record."""
    house = record.get("house", {})
    dealer = record["dealer"].split()
    theirs = best(dealer, 4)
    gains = {}
    for number, seat in record["seats"].items():
        cards, wagers = seat["cards"].split(), seat["wagers"]
        decision = (seat["decisions"] or [None])[0]
        gains[number] = one = {}
        mine = best(cards, 4)
        if decision == "fold":
            _fold(one, wagers, house)
        elif decision is not None:
            one |= _main(mine, theirs, wagers["ante"], decision["play"], house)
        for wager, stake in wagers.items():
            if wager in one or wager == "ante":
                continue
            match wager:
                case "aces_up":
                    pays = aces_up_pays(mine, house.get("aces_up", "A"))
                    one[wager] = -stake if pays is None else stake * pays
                case "progressive_4":
                    one[wager] = progressive_4(cards, stake, house)
                case "progressive_5":
                    one[wager] = progressive_5(cards, stake, house)
                case "bad_beat":
                    one[wager] = bad_beat(mine, theirs, stake)
                case "six_card":
                    one[wager] = six_card(cards + record["bonus"].split(), stake, house.get("six_card", "A"))
                case _:
                    one |= _hand_bonus(wager, stake, number, cards, dealer[:5], house)
    for number, bonuses in envy(record).items():
        for bonus, _, amount in bonuses:
            gains[number][bonus] = gains[number].get(bonus, 0) + amount
    return gains


def _fold(one, wagers, house):
    lost = ["ante", "progressive_4", "progressive_5"]
    lost += ["bad_beat"] if house.get("bad_beat_on_fold", "forfeit") == "forfeit" else []
    if house.get("five_card_hand_on_fold", "keep") == "forfeit":
        lost += ["five_card_hand", "five_card_hand:dealer"]
    one |= {wager: -stake for wager, stake in wagers.items() if wager in lost}


def _main(mine, theirs, ante, play, house):
    lost = strength(mine) < strength(theirs)
    one = {"ante": -ante, "play": -play} if lost else {"ante": ante, "play": play}
    four, flush, three = ANTE_BONUS[house.get("ante_bonus", "A")]
    bonus = {"four-of-a-kind": four, "straight flush": flush, "three-of-a-kind": three}.get(name_of(mine))
    if bonus and (not lost or house.get("ante_bonus_on_loss")):
        one["ante_bonus"] = bonus * ante
    return one


def _hand_bonus(wager, stake, number, cards, dealer_five, house):
    on_dealer = wager.endswith(":dealer")
    five = dealer_five if on_dealer else cards
    one = {wager: five_card_hand(five, stake, house)}
    suffix = ":dealer" if on_dealer else ""
    if house.get("magic_card") in five:
        one["magic_card" + suffix] = stake
    if house.get("lucky_bonus") == ("dealer" if on_dealer else int(number)):
        one["lucky_bonus" + suffix] = stake
    return one


def stays(seat, house):
    """Whether a seat's cards lie there until the showdown."""
    if seat["decisions"] != ["fold"]:
        return True
    standing = {"aces_up", "six_card"}
    standing |= {"bad_beat"} if house.get("bad_beat_on_fold") == "keep" else set()
    standing |= {"five_card_hand"} if house.get("five_card_hand_on_fold", "keep") == "keep" else set()
    return not standing.isdisjoint(seat["wagers"])


def envy(record):
    """Seat -> what it is paid for others' hands: bonus, the other seat, amount."""
    house, seats = record.get("house", {}), record["seats"]
    owed = {number: [] for number in seats}
    for holder, one in seats.items():
        folded = one["decisions"] == ["fold"]
        if not stays(one, house) or (folded and not house.get("envy_folded_hands")):
            continue
        cards = one["cards"].split()
        four = ENVY_4[house.get("envy_4", "A")].get(name_of(best(cards, 4)))
        five = ENVY_5.get(name_of(cards))
        for number, seat in seats.items():
            if number == holder:
                continue
            if four and "progressive_4" in seat["wagers"]:
                owed[number].append(("envy_4", holder, four))
            if five and "progressive_5" in seat["wagers"]:
                owed[number].append(("envy_5", holder, five))
    return owed
