"""Four Card Poker records for tests, short to write."""

from __future__ import annotations

DEALER = "Ks Kh Jd 7c 4s 2h"  # a pair of kings


def seat(cards, *decisions, **wagers):
    """One seat; a number among the decisions is a Play. `five_card_hand_dealer` stands for the wager with the colon."""
    placed = {wager.replace("hand_dealer", "hand:dealer"): amount for wager, amount in wagers.items()}
    made = [{"play": one} if isinstance(one, int) else one for one in decisions]
    return {"cards": cards, "wagers": placed, "decisions": made}


def record(*seats, dealer=DEALER, **more):
    """A round of the seats given, numbered from 1, or of a mapping of seats."""
    numbered = seats[0] if len(seats) == 1 and all(key.isdigit() for key in seats[0]) else None
    numbered = numbered or {str(at): one for at, one in enumerate(seats, 1)}
    return {"game": "four-card-poker", "dealer": dealer, "seats": numbered, **more}


def nets(out, number="1"):
    """What each wager and bonus of a seat came to."""
    return {wager: one["net"] for wager, one in out["seats"][number]["wagers"].items()}


def steps(out, *do, **where):
    """The printed steps of these kinds, and with these values."""
    return [
        step for step in out["steps"] if step["do"] in do and all(step.get(key) == one for key, one in where.items())
    ]
