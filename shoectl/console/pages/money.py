"""What was paid, collected and returned in a round, as the settlement table and the seats show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from shoectl.console.pages.words import TIMES, amount, capital, wager_label

Json = Mapping[str, Any]
MOVES: Final = ("pay", "credit", "collect", "return")


@dataclass(frozen=True)
class Sum:
    """One line of a settlement: what is done, with what and why, the odds, the amount."""

    do: str
    what: str
    odds: str
    amount: str


def moves_of(record: Sequence[Json], seat: int) -> list[Json]:
    """The movements of a seat's chips that passed since the dealer last acknowledged one, in their order."""
    found: list[Json] = []
    for one in reversed(record):
        step = one["step"]
        if step["do"] == "acknowledge" and step["seat"] == seat:
            break
        if step["do"] in MOVES and step["seat"] == seat:
            found.append(step)
    return found[::-1]


def sums(moves: Sequence[Json]) -> tuple[Sum, ...]:
    """The lines of a settlement."""
    pays = sum(step["do"] in ("pay", "credit") for step in moves)
    lines, at = [], 0
    for step in moves:
        label = wager_label(step["wager"], step["seat"])
        match step["do"]:
            case "pay" | "credit":
                at += 1
                do = ("Pay" if step["do"] == "pay" else "Credit") + (f" {at}" if pays > 1 else "")
                via = f", by its {step['via']}" if step["do"] == "credit" else ""
                what = f"{label} {amount(step['stake'])}, {step['won_for']}{via}"
                lines.append(Sum(do, what, odds(step["odds"]), amount(step["amount"])))
            case "collect":
                forfeit = "forfeited" if step.get("outcome") == "forfeit" else "lost"
                lines.append(Sum("Collect", label, forfeit, amount(step["amount"])))
            case "return":
                void = "void" if step.get("outcome") == "void" else "push"
                lines.append(Sum("Return", label, void, amount(step["amount"])))
    return tuple(lines)


def odds(text: str) -> str:
    """Odds as they are said: `1:1` is 1 to 1."""
    return text.replace(":", " to ")


def totals(moves: Sequence[Json]) -> dict[str, int]:
    """How much was paid, collected and returned."""
    found = {"pay": 0, "collect": 0, "return": 0}
    for step in moves:
        found["pay" if step["do"] == "credit" else step["do"]] += step["amount"]
    return found


def headline(seat: int, moves: Sequence[Json]) -> str:
    """The settlement in one sentence: `Seat 3 wins twice: pay 100, return 25.`"""
    wins = sum(step["do"] in ("pay", "credit") for step in moves)
    found = totals(moves)
    does = ", ".join(f"{what} {amount(value)}" for what, value in found.items() if value)
    if wins:
        says = f"wins {TIMES[wins]}".strip() if 1 < wins < len(TIMES) else "wins"
    elif found["collect"]:
        forfeits = all(step.get("outcome") == "forfeit" for step in moves if step["do"] == "collect")
        says = "forfeits" if forfeits else "loses"
    else:
        says = "ties"
    return f"Seat {seat} {says}: {does}." if does else f"Seat {seat} is settled."


def outcome(record: Sequence[Json], seat: int) -> tuple[str, str]:
    """What has become of a seat so far: a word for its state, and what moved; both empty while nothing has."""
    moves = [one["step"] for one in record if one["step"]["do"] in MOVES and one["step"]["seat"] == seat]
    found = totals(moves)
    if not moves:
        return "", ""
    text = [f"{capital(word)} {amount(found[do])}" for do, word in DONE.items() if found[do]]
    state = "paid" if found["pay"] else "lost" if found["collect"] else "returned"
    return state, ", ".join([text[0], *(one[:1].lower() + one[1:] for one in text[1:])])


DONE: Final = {"pay": "paid", "collect": "collected", "return": "returned"}
