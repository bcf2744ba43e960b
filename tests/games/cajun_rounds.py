"""Random rounds of Cajun Stud against a second reading of § 683a.11: `python -m tests.games.cajun_rounds --rounds N`.

The second reading shares no code with shoectl: cards are two letters, hands are lists of them, tables are typed here.
"""

from __future__ import annotations

import sys

from tests.games.generate import DECK, RARE, rare_hand
from tests.games.reference import STRENGTH, best, name_of_five, values
from tests.games.whole_rounds import main

MAIN = {
    "royal flush": 500,
    "straight flush": 100,
    "four-of-a-kind": 40,
    "full house": 10,
    "flush": 6,
    "straight": 4,
    "three-of-a-kind": 3,
    "two pair": 2,
}
BOARD = {"mini-royal": 50, "straight flush": 40, "trips": 30, "straight": 6, "flush": 3, "pair": 1}
LO = {"J": {7: 100, 8: 25, 9: 12, 10: 7, 11: 4}, "Q": {7: 75, 8: 20, 9: 9, 10: 4, 11: 3, 12: 2}}
SIX_NAMES = ["royal flush", "straight flush", "four-of-a-kind", "full house", "flush", "straight", "three-of-a-kind"]
SIX = {
    "A": [1000, 200, 50, 25, 20, 10, 5],
    "B": [1000, 200, 100, 20, 15, 10, 7],
    "C": [1000, 200, 50, 25, 15, 10, 5],
    "D": [1000, 200, 100, 20, 15, 9, 8],
}
OPTIONAL = ["pocket", "board", "lo_ball", "all_six"]
SECTIONS = {"manual": "683a.8", "hand": "683a.9", "automated": "683a.10"}
WORDS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"]


def main_pays(cards, house):
    """What five cards pay on each unit of Ante and Raises: a number, 0 for a push, None where they lose."""
    name, ranks = name_of_five(cards), values(cards)
    if name in MAIN:
        return MAIN[name]
    rank = max((rank for rank in ranks if ranks.count(rank) == 2), default=0)
    if rank >= 11:
        return 1
    if rank >= 6:
        return 1 if house.get("pair_6_10") == "pay" else 0
    return None


def pocket_pays(two):
    ranks = values(two)
    if ranks[0] != ranks[1]:
        return None
    return 40 if ranks[0] == 14 else 20 if ranks[0] >= 11 else 10


def board_name(three):
    """What three cards are called; an ace stands above the king or below the two."""
    ranks = values(three)
    suited = len({card[1] for card in three}) == 1
    run = ranks == [14, 3, 2] or (ranks[0] == ranks[1] + 1 == ranks[2] + 2)
    if suited and ranks == [14, 13, 12]:
        return "mini-royal"
    if suited and run:
        return "straight flush"
    if len(set(ranks)) == 1:
        return "trips"
    if run:
        return "straight"
    if suited:
        return "flush"
    return "pair" if len(set(ranks)) == 2 else None


def lo_pays(five, letter):
    if name_of_five(five) not in ("nothing", "ace-king"):
        return None
    return LO[letter].get(values(five)[0])


def six_pays(six, letter):
    name = name_of_five(best(six))
    return SIX[letter][SIX_NAMES.index(name)] if name in SIX_NAMES else None


def words(five):
    """A hand as the dealer announces it."""
    name, ranks = name_of_five(five), values(five)
    groups = sorted(set(ranks), key=lambda rank: (-ranks.count(rank), -rank))
    word = [WORDS[rank - 2] + ("es" if rank == 6 else "s") for rank in groups]
    match name:
        case "royal flush":
            return name
        case "straight" | "straight flush":
            top = 5 if ranks[:2] == [14, 5] else ranks[0]
            return f"{name}, {WORDS[top - 2]} high"
        case "pair":
            return f"pair of {word[0]}"
        case "two pair":
            return f"two pair, {word[0]} and {word[1]}"
        case "full house":
            return f"full house, {word[0]} over {word[1]}"
        case "three-of-a-kind" | "four-of-a-kind":
            return f"{name}, {word[0]}"
    return f"{'flush' if name == 'flush' else 'nothing'}, {WORDS[ranks[0] - 2]} high"


class Reading:
    """One record read from (a) to (j)."""

    def __init__(self, record):
        self.record = record
        self.house = record["house"]
        self.seats = sorted(map(int, record["seats"]))
        self.open = {seat: dict(record["seats"][str(seat)]["wagers"]) for seat in self.seats}
        self.placed = {}
        self.lines = []
        self.cards = {seat: record["seats"][str(seat)]["cards"] for seat in self.seats}
        self.board = record["community"].split()
        self.paid = dict.fromkeys(self.seats, 0)
        self.folded = set()

    def add(self, do, where, rule, wager="", amount=0):
        self.lines.append((do, where, wager, amount, rule))

    def script(self):
        self.deal()
        for number, letter in enumerate("bdf"):
            self.decide(number, f"683a.11({letter})")
            if any(self.open.values()):
                self.add("reveal", "community", f"683a.11({'ceg'[number]})", self.board[number])
        shown = False
        for seat in reversed(self.seats):
            if self.open[seat]:
                shown = self.settle(seat, shown)
        self.add("discard", "community", "683a.11(j)")
        if self.record["bonus"]:
            self.add("discard", "bonus", "683a.11(j)")
        return self.lines, self.placed

    def deal(self):
        rule = SECTIONS[self.record.get("dealing", "automated")]
        self.add("announce", "no more bets", rule)
        names = [f"s{seat}" for seat in self.seats]
        two_each = [name for name in names for _ in "12"] if rule == "683a.10" else names + names
        bonus = ["bonus"] * 4 if self.record["bonus"] else []
        self.add("deal", " ".join([*two_each, *["community"] * 3, *bonus]), rule)
        self.add("discard", "stub", rule)

    def decide(self, number, rule):
        folders = []
        for seat in self.seats:
            if "ante" not in self.open[seat]:
                continue
            decision = self.record["seats"][str(seat)]["decisions"][number]
            if decision == "fold":
                self.add("ask", seat, rule, "fold")
                folders.append(seat)
            else:
                self.add("ask", seat, rule, "raise", decision["raise"])
                self.open[seat][f"raise_{number + 1}"] = decision["raise"]
                self.placed[seat, f"raise_{number + 1}"] = decision["raise"]
        for seat in folders:
            for wager in ["ante", "raise_1", "raise_2"][: number + 1]:
                self.add("collect", seat, rule, wager, self.open[seat].pop(wager))
            if not self.open[seat]:
                self.add("discard", f"seat {seat}", rule)

    def settle(self, seat, shown):
        mine = self.cards[seat].split()
        five = mine + self.board
        self.add("reveal", seat, "683a.11(h)", self.cards[seat])
        self.add("announce", f"seat {seat}: {words(five)}", "683a.11(h)")
        if "ante" in self.open[seat]:
            pays = main_pays(five, self.house)
            for wager in ["ante", "raise_1", "raise_2", "raise_3"]:
                self.end(seat, wager, pays, "683a.11(h)(2)", "683a.11(h)(1)")
        for number, wager in enumerate(OPTIONAL, 1):
            if wager not in self.open[seat]:
                continue
            rule = f"683a.11(i)({number})"
            if wager == "all_six" and not shown:
                self.add("reveal", "bonus", rule, self.record["bonus"])
                shown = True
            pays = {
                "pocket": lambda: pocket_pays(mine),
                "board": lambda: BOARD.get(board_name(self.board)),
                "lo_ball": lambda: lo_pays(five, self.house.get("lo_ball", "J")),
                "all_six": lambda: six_pays(mine + self.record["bonus"].split(), self.house.get("all_six", "A")),
            }[wager]()
            self.end(seat, wager, pays, f"{rule}(i)", f"{rule}(ii)")
        self.add("discard", f"seat {seat}", "683a.11(j)")
        return shown

    def end(self, seat, wager, pays, lost, won):
        stake = self.open[seat].pop(wager)
        if pays is None:
            self.add("collect", seat, lost, wager, stake)
        elif pays == 0:
            self.add("return", seat, won, wager, stake)
        else:
            limit = self.house.get("payout_limit", 5_000_000)
            due, left = stake * pays, None if limit == "none" else limit - self.paid[seat]
            if left is not None and due > left:
                self.add("announce", f"seat {seat}: no more than {left} of {due} is paid, by the payout limit", won)
                due = left
            self.paid[seat] += due
            self.add("pay", seat, won, wager, due)


def script(record):
    """The steps that § 683a.11 prescribes, and what decisions placed."""
    return Reading(record).script()


def random_house(rng):
    house = {}
    for option, values_, chance in [
        ("lo_ball", "JQ", 0.4),
        ("all_six", "ABCD", 0.4),
        ("pair_6_10", ["push", "pay"], 0.2),
        ("payout_limit", [1, 50, 1000, 100_000, "none"], 0.3),
        ("acknowledge", ["step", "none"], 0.2),
    ]:
        if rng.random() < chance:
            house[option] = rng.choice(values_)
    return house


def random_record(rng):
    """One legal record of one to seven seats; rare and low hands more often than chance has them."""
    seats = sorted(rng.sample(range(1, 8), rng.randrange(1, 8)))
    deck = rng.sample(DECK, 52)
    board, lucky = deck[:3], deck[3:5]
    if rng.random() < 0.4:
        wanted = rare_hand(rng, rng.choice(RARE)) if rng.random() < 0.6 else low_hand(rng)
        rng.shuffle(wanted)
        board, lucky = wanted[:3], wanted[3:]
    deck = [card for card in deck if card not in board + lucky]
    bonus = [deck.pop() for _ in range(4)]
    if rng.random() < 0.2:  # four of one suit or one rank beside whatever the seats hold
        alike = [card for card in deck if card[rng.randrange(2)] in (lucky[0][0], lucky[0][1])]
        if len(alike) >= 4:
            deck += bonus
            bonus = alike[:4]
            deck = [card for card in deck if card not in bonus]
    record = {"game": "cajun-stud", "house": random_house(rng), "community": " ".join(board), "bonus": "", "seats": {}}
    if rng.random() < 0.5:
        record["dealing"] = rng.choice(list(SECTIONS))
    chosen = rng.choice(seats)
    for seat in seats:
        two = lucky if seat == chosen else [deck.pop(), deck.pop()]
        record["seats"][str(seat)] = random_seat(rng, two)
    if any("all_six" in one["wagers"] for one in record["seats"].values()):
        record["bonus"] = " ".join(bonus)
    return record


def low_hand(rng):
    ranks = rng.sample("23456789TJQ", 5)
    return [rank + rng.choice("shdc") for rank in ranks]


def random_seat(rng, two):
    ante = rng.choice([1, 5, 10, 25, 100, 1000, 500_000])
    wagers = {"ante": ante} | {wager: rng.choice([1, 5, 10, 25]) for wager in OPTIONAL if rng.random() < 0.4}
    decisions = []
    while len(decisions) < 3 and decisions[-1:] != ["fold"]:
        decisions.append("fold" if rng.random() < 0.22 else {"raise": ante * rng.randrange(1, 4)})
    return {"cards": " ".join(two), "wagers": wagers, "decisions": decisions}


assert STRENGTH[-1] == "royal flush"  # the order that `best` goes by

if __name__ == "__main__":
    main(sys.modules[__name__])
