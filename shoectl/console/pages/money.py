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


def moves_of(record: Sequence[Json]) -> list[Json]:
    """The movements of chips that passed since the dealer last acknowledged some, in their order."""
    found: list[Json] = []
    for one in reversed(record):
        if one["step"]["do"] == "acknowledge":
            break
        if one["step"]["do"] in MOVES:
            found.append(one["step"])
    return found[::-1]


def sums(moves: Sequence[Json], seat: int | None) -> tuple[Sum, ...]:
    """The lines of the settlement of a seat; those of others, who wagered on its hand, name them."""
    pays, at, lines = sum(step["do"] in PAYS for step in moves), 0, []
    paid: set[tuple[int, str]] = set()
    for step in moves:
        label = wager_label(step["wager"], step["seat"])
        if step["seat"] != seat:
            label = f"Seat {step['seat']}: {label}"
        if step["do"] in PAYS:
            at += 1
            do = ("Pay" if step["do"] == "pay" else "Credit") + (f" {at}" if pays > 1 else "")
            via = f", by its {step['via']}" if step["do"] == "credit" else ""
            again = "second combination: " if (step["seat"], step["wager"]) in paid else ""
            staked = f"{label}{':' if label[-1].isdigit() else ''} {amount(step['stake'])}"
            what = f"{staked}, {again}{step['won_for']}{via}"
            paid.add((step["seat"], step["wager"]))
            lines.append(Sum(do, what, odds(step["odds"]), amount(step["amount"])))
        else:
            word = OUTCOMES.get(step.get("outcome", ""), "")
            lines.append(Sum(capital(step["do"]), label, word, amount(step["amount"])))
    return tuple(lines)


PAYS: Final = ("pay", "credit")
OUTCOMES: Final = {"lose": "lost", "forfeit": "forfeited", "void": "void", "push": "push"}


def odds(text: str) -> str:
    """Odds as they are said: `1:1` is 1 to 1, and a meter has its name."""
    return text.replace(":", " to ").replace("_", " ")


def totals(moves: Sequence[Json]) -> dict[str, int]:
    """How much was paid, collected and returned."""
    found = {"pay": 0, "collect": 0, "return": 0}
    for step in moves:
        found["pay" if step["do"] == "credit" else step["do"]] += step["amount"]
    return found


def headline(seat: int, moves: Sequence[Json]) -> str:
    """The settlement in one sentence: `Seat 3 wins twice: pay 100, return 25.`"""
    own = [step for step in moves if step["seat"] == seat]
    wins = sum(step["do"] in PAYS for step in own)
    found = totals(own or moves)
    does = ", ".join(f"{what} {amount(value)}" for what, value in found.items() if value)
    if moves and not own:
        return f"On the hand of seat {seat}: {does}."
    says = f"wins {TIMES[wins]}" if 1 < wins < len(TIMES) else verb(seat, moves)
    if not does:
        return f"Seat {seat} is settled."
    return f"Seat {seat}: {does}." if says == "settled" else f"Seat {seat} {says}: {does}."


def verb(seat: int, moves: Sequence[Json]) -> str:
    """What has become of a seat by these movements, in a word: wins, loses, forfeits, ties."""
    own = [step for step in moves if step["seat"] == seat]
    lost = [step.get("outcome") for step in own if step["do"] == "collect"]
    if not own:
        return "settled"
    if any(step["do"] in PAYS for step in own):
        return "wins"
    if lost and any(step["do"] == "return" for step in own):
        return "settled"
    return "ties" if not lost else "forfeits" if set(lost) == {"forfeit"} else "loses"


def outcome(record: Sequence[Json], seat: int) -> tuple[str, str]:
    """What has become of a seat so far: a word for its state, and what moved; both empty while nothing has."""
    moves = [one["step"] for one in record if one["step"]["do"] in MOVES and one["step"]["seat"] == seat]
    found = totals(moves)
    if not moves:
        return "", ""
    text = [f"{capital(word)} {amount(found[do])}" for do, word in DONE.items() if found[do]]
    state = "paid" if found["pay"] else "lost" if found["collect"] else "tied"
    return state, ", ".join([text[0], *(one[:1].lower() + one[1:] for one in text[1:])])


DONE: Final = {"pay": "paid", "collect": "collected", "return": "returned"}
