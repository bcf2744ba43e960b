"""Random legal Lunar Poker records, rare hands more often than chance has them."""

from __future__ import annotations

from tests.games import reference

DECK = [rank + suit for suit in "shdc" for rank in "23456789TJQKA"]
RARE = ("straight flush", "royal flush", "five picture cards", "four-of-a-kind", "straight", "full house", "ace-king")


def rare_hand(rng, kind):
    """Five cards of a kind that chance seldom deals."""
    suit = rng.choice("shdc")
    top = rng.randrange(5, 14) if kind == "straight flush" else 14
    run = ["A23456789TJQKA"[rank - 1] for rank in range(top - 4, top + 1)] if top > 4 else []
    match kind:
        case "straight flush" | "royal flush":
            return [rank + suit for rank in run]
        case "five picture cards":
            return rng.sample([card for card in DECK if card[0] in "JQK"], 5)
        case "four-of-a-kind":
            rank = rng.choice("23456789TJQKA")
            return [rank + suit for suit in "shdc"] + [rng.choice([card for card in DECK if card[0] != rank])]
        case "straight":
            top = rng.randrange(5, 15)
            return ["A23456789TJQKA"[rank - 1] + rng.choice("shdc") for rank in range(top - 4, top + 1)]
        case "full house":
            three, two = rng.sample("23456789TJQKA", 2)
            return [three + suit for suit in rng.sample("shdc", 3)] + [two + suit for suit in rng.sample("shdc", 2)]
        case _:
            small = [card for card in DECK if card[0] in "23456789"]
            return ["A" + rng.choice("shdc"), "K" + rng.choice("shdc"), *rng.sample(small, 3)]


def random_house(rng):
    """House options that the rounds run through; most often none."""
    house = {}
    if rng.random() < 0.3:
        house["instant_payout"] = rng.choice("ABC")
    if rng.random() < 0.2:
        house["super_sf_policy"] = "as_flush"
    if rng.random() < 0.2:
        house["super_require_declaration"] = True
    if rng.random() < 0.2:
        house["nonqualify_direction"] = "clockwise"
    if rng.random() < 0.2:
        house["acknowledge"] = rng.choice(["step", "none"])
    return house


def random_record(rng):
    """One legal record of one to seven seats."""
    seats = sorted(rng.sample(range(1, 8), rng.randrange(1, 8)))
    deck = rng.sample(DECK, 52)
    hands = {}
    for place in [*seats, "dealer"]:
        wanted = rare_hand(rng, rng.choice(RARE)) if rng.random() < 0.25 else []
        hands[place] = wanted if wanted and all(card in deck for card in wanted) else deck[:5]
        rng.shuffle(hands[place])
        deck = [card for card in deck if card not in hands[place]]
    house = random_house(rng)
    record = {"game": "lunar-poker", "house": house, "dealer": " ".join(hands["dealer"]), "seats": {}}
    if rng.random() < 0.5:
        record["dealing"] = rng.choice(["automated", "manual", "hand"])
    for seat in seats:
        record["seats"][str(seat)] = _seat(rng, seat, seats, hands[seat], house)
    _draws(rng, record, deck)
    return record


def _seat(rng, seat, seats, hand, house):
    wagers = {"ante": rng.choice([5, 10, 25, 100, 1000])}
    for on in [*seats, "dealer"]:
        if rng.random() < (0.6 if on == seat else 0.25):
            wagers[f"super:{on}"] = rng.choice([1, 5, 10])
    decisions = []
    if house.get("super_require_declaration") and rng.random() < 0.7:
        decisions = ["declare"]
    if reference.name_of_five(hand) not in ("straight flush", "royal flush"):
        decisions.append(rng.choice(["fold", "bet", "bet", "buy", "exchange"]))
        if decisions[-1] == "exchange":
            decisions[-1] = {"exchange": " ".join(rng.sample(hand, rng.randrange(2, 6)))}
        if decisions[-1] not in ("fold", "bet"):
            decisions.append(rng.choice(["bet", "bet", "fold"]))
    return {"cards": " ".join(hand), "wagers": wagers, "decisions": decisions, "drawn": ""}


def _draws(rng, record, stub):
    """Cards drawn off the stub, clockwise; where it runs out what was folded and exchanged becomes a new one."""
    rack = []
    for seat in record["seats"].values():
        if "fold" in [one for one in seat["decisions"] if one != "declare"][:1]:
            rack += seat["cards"].split()
    for seat in record["seats"].values():
        choice = next((one for one in seat["decisions"] if one not in ("declare", "fold", "bet")), None)
        if choice is None:
            continue
        given = choice["exchange"].split() if isinstance(choice, dict) else []
        rack += given
        drawn = []
        for _ in range(len(given) or 1):
            if not stub:
                stub, rack = rng.sample(rack, len(rack)), []
            drawn.append(stub.pop())
        seat["drawn"] = " ".join(drawn)
        if seat["decisions"][-1] == "fold":
            rack += [card for card in seat["cards"].split() if card not in given] + drawn


def renewed(record):
    """Whether the stub runs out in this record."""
    dealt = 5 + sum(len((seat["cards"] + " " + seat["drawn"]).split()) for seat in record["seats"].values())
    return dealt > 52
