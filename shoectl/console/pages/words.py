"""How the pages speak: amounts, wagers and decisions as people at the table say them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

Json = Mapping[str, Any]

CHOICES: Final = {"buy": "Sixth card"}  # what a decision is called where its name does not say it
SAYS: Final = {
    "fold": "folds",
    "bet": "bets",
    "play": "plays",
    "raise": "raises",
    "buy": "buys a card",
    "exchange": "exchanges",
}
TIMES: Final = ("", "once", "twice", "three times", "four times")


def amount(value: int) -> str:
    """An amount in the smallest unit, with its thousands apart: `1,250`."""
    return f"{value:,}"


def span(least: int, most: int) -> str:
    """One amount, or from one to another."""
    return amount(least) if least == most else f"{amount(least)} to {amount(most)}"


def capital(text: str) -> str:
    """The text with its first letter large."""
    return text[:1].upper() + text[1:]


def sentence_of(text: str) -> str:
    """A text as a sentence of its own."""
    return capital(text) + ("" if text.endswith((".", "?", "!")) else ".")


def wager_label(wager: str, seat: int | None = None) -> str:
    """A wager as its chip is labelled, at the seat that has placed it: `Super`, `Super dealer`, `Super seat 1`."""
    name, _, on = wager.partition(":")
    label = capital(name.replace("_", " "))
    if not on or on == str(seat):
        return label
    return f"{label} {on if on == 'dealer' else 'seat ' + on}"


def chip_label(wager: str, seat: int | None = None) -> str:
    """The same where there is little room: `Prog. 5`, `5-card hand dealer`."""
    label = wager_label(wager, seat)
    for long, short in SHORT.items():
        label = label.replace(long, short)
    return label


SHORT: Final = {"Progressive": "Prog.", "Four card": "4-card", "Five card": "5-card", "Six card": "6-card"}


def choice_label(choice: Json) -> str:
    """What a decision is called on its button, without an amount."""
    return CHOICES.get(str(choice["name"]), capital(str(choice["name"])))


def says(seat: int, name: str, value: int = 0) -> str:
    """What a seat does: `Seat 3 bets 50`."""
    return f"Seat {seat} {SAYS.get(name, name + 's')}" + (f" {amount(value)}" if value else "")


def ask(step: Json) -> str:
    """The question to a player: `Ask seat 3: fold, bet 50, or pay 25 for an option?`"""
    ways: list[str] = []
    for choice in step["choices"]:
        if not choice.get("wager"):
            way = str(choice["name"])
        elif choice["wager"] == "options":
            way = f"pay {span(choice['least'], choice['most'])} for an option"
        else:
            way = f"{choice['name']} {span(choice['least'], choice['most'])}"
        if way not in ways:
            ways.append(way)
    asked = ways[0] if len(ways) == 1 else f"{', '.join(ways[:-1])}{',' if len(ways) > 2 else ''} or {ways[-1]}"
    return f"Ask seat {step['seat']}: {asked}?"


def keys(labels: Sequence[str], taken: str = "") -> tuple[str, ...]:
    """A letter for each label: the first of its own that no other one has."""
    used, found = set(taken.upper()), []
    for label in labels:
        letters = [one for one in label.upper() if one.isascii() and one.isalpha()]
        key = next((one for one in (*letters, *"ABCDEFGHIJKLMNOPQRSTUVWXYZ") if one not in used), "")
        used.add(key)
        found.append(key)
    return tuple(found)
