"""Records for tests, short to write."""

from __future__ import annotations

DEALER = "Qs Qh 7d 4c 2s"


def seat(cards, *decisions, drawn="", ante=10, **supers):
    """One seat. Supers by keyword: `s1=5` is `super:1`, `dealer=5` is `super:dealer`."""
    wagers = {"ante": ante} | {f"super:{name.removeprefix('s')}": stake for name, stake in supers.items()}
    return {"cards": cards, "drawn": drawn, "wagers": wagers, "decisions": list(decisions)}


def record(*seats, dealer=DEALER, **more):
    """A round of the seats given, numbered from 1, or of a mapping of seats; `house` options among the keywords."""
    numbered = seats[0] if len(seats) == 1 and all(key.isdigit() for key in seats[0]) else None
    numbered = numbered or {str(at): one for at, one in enumerate(seats, 1)}
    return {"game": "lunar-poker", "dealer": dealer, "seats": numbered, **more}


def steps(out, *do, **where):
    """The printed steps of these kinds, and with these values."""
    return [
        step for step in out["steps"] if step["do"] in do and all(step.get(key) == one for key, one in where.items())
    ]
