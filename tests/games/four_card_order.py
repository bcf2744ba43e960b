"""Checks printed steps against § 641a.11 without the procedure's help: paragraphs, directions, turns, money, cards."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from tests.games import four_card_reference as reference

PARTS = ["641a.8", "641a.9", "641a.10", "641a.11(b)", "641a.11(c)", "641a.11(d)"]
MONEY = ("collect", "pay", "credit", "return")


def part_of(step):
    """The paragraph a step belongs to, as a number that must never fall."""
    return max(at for at, one in enumerate(PARTS) if step["rule"] == one or step["rule"].startswith(one + "("))


def number_in_pass(step):
    """3 for 641a.11(c)(3)(ii); 0 outside of the pass around the table."""
    found = re.fullmatch(r"641a\.11\(c\)\((\d)\)(\(.*\))?", step["rule"])
    return int(found[1]) if found else 0


def whose(step):
    if "seat" in step:
        return step["seat"]
    found = re.match(r"seat (\d)", step.get("text", ""))
    return int(found[1]) if found else None


def check_order(record, out):
    """Raises AssertionError where the printed steps offend the section."""
    steps = out["steps"]
    assert all(part_of(one) <= part_of(other) for one, other in pairwise(steps))
    check_deal(record, steps)
    asked = [step["seat"] for step in steps if step["do"] == "ask"]
    assert asked == [int(seat) for seat, one in record["seats"].items() if "ante" in one["wagers"]], "(b) clockwise"
    check_forfeits(record, steps)
    check_pass(record, steps)
    check_envy(record, steps)
    check_verified(record, steps)
    check_rack(record, steps)
    check_paragraphs(record, steps)


def check_deal(record, steps):
    """The sequence of each way of dealing, extra cards included."""
    seats, how = [f"seat {seat}" for seat in record["seats"]], record.get("dealing", "automated")
    places = [*seats, "dealer"]
    to = [place for place in places for _ in range(5)] if how == "automated" else places * 5
    to += ["dealer"]
    if "bonus" in record:
        when = record["house"].get("six_card_dealt", "last" if how == "automated" else "first")
        to = ["bonus", *to] if when == "first" else [*to, "bonus"]
    rule = {"manual": "641a.8", "hand": "641a.9", "automated": "641a.10"}[how]
    assert [step["do"] for step in steps if step["rule"] == rule][:2] == ["announce", "deal"]
    (dealt,) = [step for step in steps if step["do"] == "deal"]
    assert (dealt["to"], dealt["rule"]) == (to, rule)
    turned = [step for step in steps if step["do"] == "reveal" and step["rule"] == rule]
    top = record["house"].get("dealer_upcard") == "top"
    assert [step["cards"] for step in turned] == ([record["dealer"].split()[5]] if top else [])


def check_forfeits(record, steps):
    """(c), first sentences: forfeits and their cards, then the dealer's cards, in any case."""
    plain = [step for step in steps if step["rule"] == "641a.11(c)"]
    assert (plain[-1]["do"], plain[-1]["place"]) == ("reveal", "dealer")
    owners = [step["seat"] if step["do"] == "collect" else int(step["from"][5:]) for step in plain[:-1]]
    assert owners == sorted(owners)
    house = record["house"]
    gone = [int(seat) for seat, one in record["seats"].items() if not reference.stays(one, house)]
    assert [int(step["from"][5:]) for step in plain if step["do"] == "discard"] == gone
    folded = {int(seat) for seat, one in record["seats"].items() if one["decisions"] == ["fold"]}
    assert set(owners) == folded


def check_pass(record, steps):
    """(c)(1) to (8): each seat completely before the next, counterclockwise, its paragraphs in succession."""
    turns = [step for step in steps if number_in_pass(step) and "(v)" not in step["rule"]]
    turns = [step for step in turns if step.get("place") not in ("bonus",)]
    order = [whose(step) for step in turns]
    assert None not in order
    assert order == sorted(order, reverse=True)
    for seat in set(order):
        numbers = [number_in_pass(step) for step in turns if whose(step) == seat]
        assert numbers == sorted(numbers)
    turned = [step["seat"] for step in steps if step["do"] == "reveal" and number_in_pass(step) == 1]
    shown = [int(seat) for seat, one in record["seats"].items() if reference.stays(one, record["house"])]
    assert turned == shown[::-1]
    bonus = [at for at, step in enumerate(steps) if step["do"] == "reveal" and step["place"] == "bonus"]
    settled = [at for at, step in enumerate(steps) if step["do"] in MONEY and step["wager"] == "six_card"]
    assert [at + 1 for at in bonus] == settled[:1], "turned up for the first wager on it, once"


def check_envy(record, steps):
    """(5)(v): exactly the payments that are owed; pending, each in the later of the two seats' turns."""
    paid = [(at, step) for at, step in enumerate(steps) if "(v)" in step["rule"]]
    found = Counter(
        (str(step["seat"]), step["wager"], step["for"].rpartition(" ")[2], step["amount"]) for _, step in paid
    )
    owed = reference.envy(record)
    assert found == Counter((seat, *one) for seat, due in owed.items() for one in due)
    for at, step in paid:
        assert step["rule"][-2] == {"envy_4": "A", "envy_5": "B"}[step["wager"]]
        turn = min(step["seat"], int(step["for"].rpartition(" ")[2]))
        for where, other in enumerate(steps):
            if not number_in_pass(other) or "(v)" in other["rule"] or other.get("place") == "bonus":
                continue
            if record["house"].get("envy_payment") == "end_of_round":
                assert where < at
            elif whose(other) == turn:
                assert (number_in_pass(other) <= 5) == (where < at)
            else:
                assert (whose(other) > turn) == (where < at)


def check_verified(record, steps):
    """What a floorperson verifies, and the papers: before a payment, and after it."""
    least = record["house"].get("high_odds_verify", 500)
    for at, step in enumerate(steps):
        if step["do"] not in ("pay", "credit") or "(v)" in step["rule"]:
            continue
        seat, wager, odds = step["seat"], step["wager"], step["odds"]
        share, number = "%" in odds, number_in_pass(step)
        wants = number == 5 or (
            wager.startswith("five_card_hand") and (share or int(odds.removesuffix(" for 1")) >= least)
        )
        before = {"do": "verify", "seat": seat, "wager": wager, "what": step["for"]}
        assert ({**steps[at - 1], "rule": ""} == {**before, "rule": ""}) == wants
        assert (steps[at + 1]["do"] == "hold") == share
        assert (step["do"] == "credit") == (share or number == 7)
        if step["do"] == "credit":
            assert step["via"] == ("papers" if share else "game account")


def check_paragraphs(record, steps):
    """Each wager of the pass is settled by the paragraph of its outcome."""
    theirs = reference.strength(reference.best(record["dealer"].split(), 4))
    for step in steps:
        if step["do"] not in MONEY or not number_in_pass(step) or "(v)" in step["rule"]:
            continue
        cards = record["seats"][str(step["seat"])]["cards"].split()
        lost, won = reference.strength(reference.best(cards, 4)) < theirs, step["do"] != "collect"
        match step["wager"].partition(":")[0]:
            case "ante" | "play" | "ante_bonus":
                rule = "(3)(i)" if lost else "(3)(ii)"
            case "aces_up":
                rule = "(4)"
            case "progressive_4" | "progressive_5":
                rule = "(5)(iv)" if won else "(5)"
            case "bad_beat":
                rule = ("(6)(i)" if lost else "(6)(ii)") if won else "(6)(iii)"
            case "six_card":
                rule = "(8)(ii)" if won else "(8)(i)"
            case _:
                rule = "(7)(iii)" if won else "(7)"
        assert step["rule"] == f"641a.11(c){rule}"


def check_rack(record, steps):
    """(d): counterclockwise, then the dealer and the bonus card; what is held for papers after the rest."""
    gone = [step["from"] for step in steps if step["do"] == "discard" and step["rule"] == "641a.11(d)"]
    held = {step["place"] for step in steps if step["do"] == "hold"}
    shown = [f"seat {seat}" for seat, one in record["seats"].items() if reference.stays(one, record["house"])]
    places = [*reversed(shown), "dealer", *(["bonus"] if "bonus" in record else [])]
    assert gone == [place for place in places if place not in held] + [place for place in places if place in held]
    assert [step["do"] for step in steps if step["rule"] == "641a.11(d)"] == ["discard"] * len(gone)


def check_money(record, out):
    """To the unit: each stake ends once, seats gain what the house loses, each wager as the second reading has it."""
    stakes = {(seat, w): s for seat, one in record["seats"].items() for w, s in one["wagers"].items()}
    for seat, one in record["seats"].items():
        for decision in one["decisions"]:
            if decision != "fold":
                stakes[seat, "play"] = decision["play"]
    ended, house = Counter(), 0
    for step in out["steps"]:
        if step["do"] in MONEY:
            key = (str(step["seat"]), step["wager"])
            if key in stakes:
                ended[key] += 1
                assert stakes[key] == (step["amount"] if step["do"] == "collect" else step["stake"])
            kept = key in stakes and ("%" in step.get("odds", "") or "for 1" in step.get("odds", ""))
            house += step["amount"] if step["do"] == "collect" else -step["amount"] + kept * step["stake"]
    assert ended == dict.fromkeys(stakes, 1)
    assert house == -sum(seat["net"] for seat in out["seats"].values())
    expected = reference.settle(record)
    for number, seat in out["seats"].items():
        assert {wager: one["net"] for wager, one in seat["wagers"].items()} == expected[number]
        assert seat["net"] == sum(expected[number].values())
        for wager, one in seat["wagers"].items():
            assert one["stake"] == stakes.get((number, wager), 0)


def check_outcomes(record, out):
    """A forfeit is called one, and only that."""
    for number, seat in out["seats"].items():
        lost = {}
        if record["seats"][number]["decisions"] == ["fold"]:
            reference._fold(lost, record["seats"][number]["wagers"], record["house"])
        for wager, one in seat["wagers"].items():
            won = any(
                step["do"] in ("pay", "credit") and (str(step["seat"]), step["wager"]) == (number, wager)
                for step in out["steps"]
            )
            assert one["outcome"] == ("forfeit" if wager in lost else "win" if won else "lose")
