"""Random rounds of Five Card Hi-Lo against a second reading of § 663a.11: `python -m tests.games.hi_lo_rounds`.

The second reading shares no code with shoectl: cards are two letters, hands are lists of them, tables are typed here,
and legal settings are found by trying all ten.
"""

from __future__ import annotations

import sys
from itertools import combinations

from tests.games.cajun_rounds import words
from tests.games.generate import DECK, RARE, rare_hand
from tests.games.reference import name_of_five, values
from tests.games.whole_rounds import main

NAMES = ["royal flush", "straight flush", "four-of-a-kind", "full house", "flush", "straight"]
NAMES += ["three-of-a-kind", "two pair", "pair"]
POKER = {"6s": [250, 50, 25, 8, 6, 5, 4, 3, 1], "7s": [250, 50, 25, 10, 8, 6, 5, 4, 1]}
SECTIONS = {"manual": "663a.8", "hand": "663a.9", "automated": "663a.10"}


def value(card, ace=11):
    return ace if card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0])


def high_of(cards):
    return sum(value(card) for card in cards)


def low_of(cards):
    return sum(value(card, ace=1) for card in cards)


def legal_settings(cards):
    """All (high hand, low hand) of five cards that § 663a.11(d) allows, whichever of equal cards they take."""
    for low in combinations(cards, 2):
        high = [card for card in cards if card not in low]
        others = [value(card) for card in low if card[0] != "A"]
        if len(others) >= 1 and max(others) <= min(map(value, high)):
            yield high, list(low)


def house_totals(cards):
    """Points as the dealer sets them, (e): no ace low, but for the fourth."""
    no_ace = {(high_of(high), low_of(low)) for high, low in legal_settings(cards) if not any(c[0] == "A" for c in low)}
    if not no_ace:
        no_ace = {(high_of(high), low_of(low)) for high, low in legal_settings(cards)}
    assert len(no_ace) == 1
    return no_ace.pop()


def poker_pays(cards, letter):
    name, ranks = name_of_five(cards), values(cards)
    if name == "pair":
        rank = max(rank for rank in ranks if ranks.count(rank) == 2)
        return 1 if rank >= int(letter[0]) else None
    return POKER[letter][NAMES.index(name)] if name in NAMES else None


class Reading:
    """One record read from (a) to (l)."""

    def __init__(self, record):
        self.record = record
        self.house = record["house"]
        self.seats = sorted(map(int, record["seats"]))
        self.open = {seat: dict(record["seats"][str(seat)]["wagers"]) for seat in self.seats}
        self.placed = {}
        self.lines = []
        self.cards = {seat: record["seats"][str(seat)]["cards"] for seat in self.seats}

    def add(self, do, where, rule, wager="", amount=0):
        self.lines.append((do, where, wager, amount, rule))

    def script(self):
        rule = SECTIONS[self.record.get("dealing", "automated")]
        self.add("announce", "no more bets", rule)
        names = [*[f"s{seat}" for seat in self.seats], "dealer"]
        five_each = [name for name in names for _ in range(5)] if rule == "663a.10" else names * 5
        self.add("deal", " ".join(five_each), rule)
        self.add("discard", "stub", rule)
        self.decide()
        playing = [seat for seat in self.seats if "play" in self.open[seat]]
        totals = self.dealer() if playing else None
        stays = self.house.get("ante_bonus_on_fold", False)
        for seat in reversed(self.seats):
            if seat in playing or self.open[seat] or stays:
                self.settle(seat, totals if seat in playing else None)
        self.add("discard", "dealer", "663a.11(l)")
        return self.lines, self.placed

    def decide(self):
        for seat in self.seats:
            decision = self.record["seats"][str(seat)]["decisions"][0]
            if decision != "fold":
                self.open[seat]["play"] = self.placed[seat, "play"] = self.open[seat]["ante"]
            amount = decision["play"] if isinstance(decision, dict) else 0
            self.add("ask", seat, "663a.11(b)", "fold" if decision == "fold" else "play", amount)
        for seat in self.seats:
            if "play" in self.open[seat]:
                continue
            for wager in ("ante", "tie"):
                if wager in self.open[seat]:
                    self.add("collect", seat, "663a.11(c)", wager, self.open[seat].pop(wager))
            if not self.open[seat] and not self.house.get("ante_bonus_on_fold"):
                self.add("discard", f"seat {seat}", "663a.11(c)")

    def dealer(self):
        cards = self.record["dealer"].split()
        self.add("reveal", "dealer", "663a.11(e)", self.record["dealer"])
        totals = house_totals(cards)
        self.add("set", "dealer", "663a.11(e)", self.split(cards, totals))
        return totals

    def split(self, cards, totals):
        """The two hands of these points; of equal cards those of higher rank in the high hand, the later dealt low."""
        found = [(high, low) for high, low in legal_settings(cards) if (high_of(high), low_of(low)) == totals]
        return min(found, key=lambda two: (sum(values(two[1])), [cards.index(card) for card in two[1]]))

    def settle(self, seat, dealer):
        cards = self.cards[seat].split()
        wagers = self.record["seats"][str(seat)]["wagers"]
        if dealer:
            self.add("reveal", seat, "663a.11(f)", self.cards[seat])
            mine = self.setting(seat, cards)
            self.compare(seat, mine, dealer)
        else:
            bonus = "poker_bonus" in wagers
            self.add("reveal", seat, "663a.11(j)(2)" if bonus else "663a.11(h)", self.cards[seat])
        aces = sum(card[0] == "A" for card in cards)
        if aces >= 3 and (dealer or self.house.get("ante_bonus_on_fold")):
            self.add("pay", seat, "663a.11(h)", "ante_bonus", wagers["ante"] * (5 if aces == 3 else 50))
        if dealer and "tie" in wagers:
            equal = (mine[0] == dealer[0]) + (mine[1] == dealer[1])
            stake = wagers["tie"]
            if equal:
                self.add("pay", seat, "663a.11(j)(1)(i)", "tie", stake * (4 if equal == 1 else 25))
            else:
                self.add("collect", seat, "663a.11(j)(1)(ii)", "tie", stake)
        if "poker_bonus" in wagers:
            stake = wagers["poker_bonus"]
            self.add("announce", f"seat {seat}: {words(cards)}", "663a.11(j)(2)")
            pays = poker_pays(cards, self.house.get("poker_bonus", "6s"))
            if pays:
                self.add("pay", seat, "663a.11(j)(2)(i)", "poker_bonus", stake * pays)
            else:
                self.add("collect", seat, "663a.11(j)(2)(ii)", "poker_bonus", stake)
        self.add("discard", f"seat {seat}", "663a.11(k)" if wagers.keys() - {"ante"} else "663a.11(i)")

    def setting(self, seat, cards):
        decisions = self.record["seats"][str(seat)]["decisions"]
        if len(decisions) == 1:
            totals = house_totals(cards)
            self.add("set", seat, "663a.11(f)", self.split(cards, totals))
            return totals
        low = decisions[1]["low"].split()
        high = [card for card in cards if card not in low]
        self.add("set", seat, "663a.11(f)", (high, low))
        return high_of(high), low_of(low)

    def compare(self, seat, mine, dealer):
        higher, lower = mine[0] > dealer[0], mine[1] < dealer[1]
        word = {2: "win", 1: "tie", 0: "lose"}[higher + lower]
        against = f"{mine[0]} high against {dealer[0]}, {mine[1]} low against {dealer[1]}"
        self.add("announce", f"seat {seat}: Ante and Play {word}, {against}", "663a.11(f)")
        rule = {"win": "(1)", "lose": "(2)", "tie": "(3)(i)" if higher else "(3)(ii)"}[word]
        do = {"win": "pay", "lose": "collect", "tie": "return"}[word]
        for wager in ("ante", "play"):
            self.add(do, seat, f"663a.11(g){rule}", wager, self.open[seat][wager])


def script(record):
    """The steps that § 663a.11 prescribes, and what decisions placed."""
    lines, placed = Reading(record).script()
    return [(do, where, as_text(what), amount, rule) for do, where, what, amount, rule in lines], placed


def as_text(what):
    """Two hands as they are printed; anything else as it is."""
    return " | ".join(" ".join(hand) for hand in what) if isinstance(what, tuple) else what


def random_house(rng):
    house = {}
    for option, values_, chance in [
        ("poker_bonus", ["6s", "7s"], 0.4),
        ("ante_bonus_on_fold", [True, False], 0.2),
        ("foul_hand", ["reset", "forfeit"], 0.1),
        ("acknowledge", ["step", "none"], 0.2),
    ]:
        if rng.random() < chance:
            house[option] = rng.choice(values_)
    return house


def some_hand(rng, deck):
    """Five cards: by chance, rare ones, several aces, or five that tie often with others of their kind."""
    kind = rng.random()
    if kind < 0.15:
        wanted = rare_hand(rng, rng.choice(RARE))
    elif kind < 0.35:
        aces = [card for card in deck if card[0] == "A"]
        wanted = aces[: rng.randrange(1, 5)]
        wanted += rng.sample([card for card in deck if card not in wanted], 5 - len(wanted))
    elif kind < 0.55:
        wanted = [card for card in deck if card[0] in "6789TJQK"][:5]
    else:
        return deck[:5]
    rng.shuffle(wanted)
    return wanted if len(wanted) == 5 and all(card in deck for card in wanted) else deck[:5]


def random_record(rng):
    """One legal record of one to seven seats."""
    seats = sorted(rng.sample(range(1, 8), rng.randrange(1, 8)))
    deck, hands = rng.sample(DECK, 52), {}
    for place in rng.sample([*seats, "dealer"], len(seats) + 1):
        hands[place] = some_hand(rng, deck)
        deck = [card for card in deck if card not in hands[place]]
    record = {"game": "five-card-hi-lo", "house": random_house(rng), "dealer": " ".join(hands["dealer"]), "seats": {}}
    if rng.random() < 0.5:
        record["dealing"] = rng.choice(list(SECTIONS))
    for seat in seats:
        record["seats"][str(seat)] = random_seat(rng, hands[seat])
    return record


def random_seat(rng, cards):
    ante = rng.choice([1, 5, 10, 25, 100, 1000])
    wagers = {"ante": ante} | {
        wager: rng.choice([1, 5, 10, 25]) for wager in ("tie", "poker_bonus") if rng.random() < 0.5
    }
    if rng.random() < 0.25:
        return {"cards": " ".join(cards), "wagers": wagers, "decisions": ["fold"]}
    decisions = [{"play": ante} if rng.random() < 0.2 else "play"]
    if rng.random() < 0.6:
        _, low = rng.choice(list(legal_settings(cards)))
        rng.shuffle(low)
        decisions.append({"low": " ".join(low)})
    return {"cards": " ".join(cards), "wagers": wagers, "decisions": decisions}


if __name__ == "__main__":
    main(sys.modules[__name__])
