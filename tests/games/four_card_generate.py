"""Random legal Four Card Poker records; rare hands, ties and every option more often than chance has them."""

from __future__ import annotations

from math import gcd

DECK = [rank + suit for suit in "shdc" for rank in "23456789TJQKA"]
RANKS = "23456789TJQKA"
RARE = ["royal", "straight flush", "four-card straight flush", "four", "full house", "three", "straight", "two pair"]
METERS = ["progressive_4_meter", "progressive_5_meter", "mega_meter", "major_meter", "minor_meter"]
METERS.append("five_card_hand_meter")
LETTERS = {"ante_bonus": "AB", "aces_up": "ABCDEFGH", "six_card": "ABCD", "progressive_5": "ABCD", "envy_4": "AB"}


def run(top, size):
    """Consecutive ranks; the ace stands below the two as well."""
    return ["A23456789TJQKA"[at - 1] for at in range(top - size + 1, top + 1)]


def rare_hand(rng, kind):
    """A few cards of a kind that chance seldom deals; the rest of the hand is chance."""
    suit, rank = rng.choice("shdc"), rng.choice(RANKS)
    match kind:
        case "royal":
            return [one + suit for one in "AKQJT"]
        case "straight flush":
            return [one + suit for one in run(rng.randrange(5, 14), 5)]
        case "four-card straight flush":
            return [one + suit for one in run(rng.randrange(4, 15), 4)]
        case "four":
            rank = rng.choice(["A", rank])
            return [rank + one for one in "shdc"]
        case "full house":
            three, two = rng.sample(RANKS, 2)
            return [three + one for one in rng.sample("shdc", 3)] + [two + one for one in rng.sample("shdc", 2)]
        case "three":
            return [rank + one for one in rng.sample("shdc", 3)]
        case "straight":
            return [one + rng.choice("shdc") for one in run(rng.randrange(4, 15), 4)]
        case _:
            return [one + suit for one in rng.sample(RANKS, 2) for suit in rng.sample("shdc", 2)]


def random_house(rng):
    """House options: readings of all meters, the others now and then."""
    house = {meter: rng.choice([0, 7, 99_999, 1_234_567, 10**8]) for meter in METERS}
    house |= {option: rng.choice(letters) for option, letters in LETTERS.items() if rng.random() < 0.4}
    flags = ("ante_bonus_on_loss", "envy_folded_hands")
    house |= {flag: True for flag in flags if rng.random() < 0.4}
    words = {
        "bad_beat_on_fold": "keep",
        "five_card_hand_on_fold": "forfeit",
        "envy_payment": "end_of_round",
        "dealer_upcard": "top",
        "six_card_dealt": rng.choice(["first", "last"]),
        "magic_card": rng.choice(DECK),
        "lucky_bonus": rng.choice(["dealer", *range(1, 8)]),
        "play_step": rng.choice(["ante", 5, 7, 25]),
        "high_odds_verify": rng.choice([1, 40, 300, 501]),
        "acknowledge": rng.choice(["step", "none"]),
    }
    return house | {option: value for option, value in words.items() if rng.random() < 0.35}


def random_record(rng):
    """One legal record of one to seven seats."""
    seats = sorted(rng.sample(range(1, 8), rng.randrange(1, 8)))
    hands = _hands(rng, seats)
    house = random_house(rng)
    record = {"game": "four-card-poker", "house": house, "dealer": " ".join(hands["dealer"]), "seats": {}}
    if rng.random() < 0.7:
        record["dealing"] = rng.choice(["automated", "manual", "hand"])
    for seat in seats:
        record["seats"][str(seat)] = _seat(rng, hands[seat], house)
    if any("six_card" in seat["wagers"] for seat in record["seats"].values()):
        record["bonus"] = hands["bonus"][0]
    return record


def _hands(rng, seats):
    deck = rng.sample(DECK, 52)
    hands = {}
    for place in [*seats, "dealer"]:
        wanted = rare_hand(rng, rng.choice(RARE)) if rng.random() < 0.3 else []
        if place == "dealer" and rng.random() < 0.3:  # the same ranks as somebody's, in other suits
            wanted = [rng.choice([one for one in deck if one[0] == card[0]] or ["-"]) for card in hands[seats[-1]]]
        fits = len(set(wanted)) == len(wanted) and all(card in deck for card in wanted)
        hand = wanted if fits else []
        rest = [card for card in deck if card not in hand]
        hand = hand + rest[: (6 if place == "dealer" else 5) - len(hand)]
        hands[place] = rng.sample(hand, len(hand))
        deck = [card for card in deck if card not in hand]
    return hands | {"bonus": deck}


def _seat(rng, hand, house):
    entry = rng.choice([("ante",), ("ante", "aces_up"), ("ante", "aces_up"), ("aces_up",)])
    wagers = {wager: rng.choice([5, 10, 12, 25, 100]) for wager in entry}
    more = ["progressive_4", "progressive_5", "five_card_hand", "five_card_hand:dealer", "six_card"]
    more += ["bad_beat"] if "ante" in wagers else []
    wagers |= {wager: rng.choice([1, 5, 10, 25]) for wager in more if rng.random() < 0.4}
    decisions = []
    if "ante" in wagers:
        ante, step = wagers["ante"], house.get("play_step", 1)
        every = ante if step == "ante" else gcd(ante, step)
        play = rng.choice(range(ante, 3 * ante + 1, every))
        decisions = ["fold"] if rng.random() < 0.3 else [{"play": play}]
    return {"cards": " ".join(hand), "wagers": wagers, "decisions": decisions}
