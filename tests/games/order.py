"""Checks printed steps against § 671a.11 without the procedure's help: paragraphs, directions, money, cards."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

PARAGRAPHS = ["671a.8", "671a.9", "671a.10", "671a.11(b)", "671a.11(c)", "671a.11(d)", "671a.11(e)", "671a.11(f)"]
PARAGRAPHS.append("671a.11(g)")


def paragraph(step):
    """The paragraph a step belongs to, as a number that must never fall."""
    rule = step["rule"]
    return max(at for at, one in enumerate(PARAGRAPHS) if rule == one or rule.startswith(one))


def seat_of(step):
    """The seat whose turn a step is part of."""
    if step.get("wager", "").startswith("super:") and not step["rule"].startswith("671a.11(e)"):
        return int(step["wager"].partition(":")[2])
    if "seat" in step:
        return step["seat"]
    where = step.get("from") or step.get("place") or (step["to"][0] if step.get("to") else "")
    return int(where.partition(" ")[2]) if where.startswith("seat ") else None


def turns(steps, start):
    """The seats in the order of their turns in one paragraph, each named once for consecutive steps."""
    order = []
    for step in steps:
        seat = seat_of(step)
        if step["rule"].startswith(start) and seat is not None and order[-1:] != [seat]:
            order.append(seat)
    return order


def check_order(record, out):
    """Raises AssertionError where the printed steps offend the section."""
    steps = out["steps"]
    assert all(one <= other for one, other in pairwise(map(paragraph, steps)))
    texts = [step.get("text") for step in steps]
    assert texts.count("all decisions are locked in") == 1
    for start in ("671a.11(b)", "671a.11(c)", "671a.11(d)", "671a.11(e)"):
        order = turns(steps, start)
        assert order == sorted(set(order)), (start, order)
    order = turns(steps, "671a.11(f)")
    clockwise = record["house"].get("nonqualify_direction") == "clockwise" and not out["dealer"]["qualifies"]
    assert order == sorted(set(order), reverse=not clockwise), order
    _check_supers(steps)
    _check_seats(steps)


def _check_supers(steps):
    for number in range(1, 8):
        bettors = [
            step["seat"] for step in steps if step["do"] in ("pay", "collect") and step["wager"] == f"super:{number}"
        ]
        assert bettors == sorted(bettors, key=lambda seat: (seat != number, seat)), "the owner first, then clockwise"
    for at, step in enumerate(steps):
        if step["do"] == "pay" and step["rule"].startswith("671a.11(c)"):
            hand = step["wager"].partition(":")[2] or str(step["seat"])
            before = [one for one in steps[:at] if one["rule"].startswith("671a.11(c)")]
            assert any(one["do"] == "reveal" and str(one["seat"]) == hand for one in before), "paid a hand unseen"
            assert any(one["do"] == "verify" and str(one["seat"]) == hand for one in before), "paid unverified"


def _check_seats(steps):
    """Each seat's cards go to the rack after its own money is settled, and nothing is paid before it is turned up."""
    for at, step in enumerate(steps):
        if step["do"] == "discard" and step["from"] == "dealer":
            assert at == len(steps) - 1, "the dealer's cards go last"
        if step["rule"].startswith("671a.11(f)") and step["do"] in ("pay", "collect", "return"):
            turned = [one for one in steps[:at] if one["do"] == "reveal" and one["rule"].startswith("671a.11(f)")]
            assert turned[-1]["seat"] == step["seat"]
        if step["rule"].startswith("671a.11(d)") and step["do"] == "deal":
            number = seat_of(step)
            fees = [one for one in steps[:at] if one["do"] == "collect" and one["wager"] == "options"]
            assert [one["seat"] for one in fees][-1:] == [number], "the fee is collected before the cards are dealt"


def check_money(record, out):
    """To the unit: each stake ends once; what the seats gain is what the house paid less what it collected."""
    stakes = Counter({(seat, w): s for seat, one in record["seats"].items() for w, s in one["wagers"].items()})
    for seat, one in record["seats"].items():
        for choice in one["decisions"]:
            if choice == "bet":
                stakes[seat, "bet"] = 2 * one["wagers"]["ante"]
            elif choice not in ("declare", "fold"):
                stakes[seat, "options"] = one["wagers"]["ante"]
    ended, house = {}, 0
    for step in out["steps"]:
        if step["do"] in ("collect", "return", "pay"):
            key = (str(step["seat"]), step["wager"])
            stake = step["stake"] if step["do"] == "pay" else step["amount"]
            assert stake == stakes[key], (key, step)
            ended.setdefault(key, []).append(step["do"])
            house += {"collect": step["amount"], "pay": -step["amount"], "return": 0}[step["do"]]
    assert set(ended) == set(stakes)
    for (_, wager), how in ended.items():
        assert how in (["collect"], ["return"], ["pay"]) or (wager == "bet" and how == ["pay", "pay"])
    assert house == -sum(seat["net"] for seat in out["seats"].values())
    for number, seat in out["seats"].items():
        assert seat["net"] == sum(wager["net"] for wager in seat["wagers"].values())
        assert set(seat["wagers"]) == {wager for one, wager in stakes if one == number}


def check_cards(record, out, renewed):
    """Every card dealt is in the rack at the end, under the place that it came from, and is there once."""
    dealt, racked = Counter(), Counter()
    for step in out["steps"]:
        if step["do"] == "deal":
            dealt.update(zip(step["to"], step["cards"].split(), strict=True))
        if step["do"] == "discard":
            racked.update((step["from"], card) for card in step["cards"].split())
    assert dealt == racked, "each hand can be rebuilt from the rack"
    if not renewed:
        faces = [card for _, card in dealt]
        assert len(set(faces)) == len(faces) <= 52
