"""What passed by itself since somebody last answered: the dealer says and does it before he answers again.

A void gives back a dozen wagers: what goes to one seat, and cards that go to the rack together, are one sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from shoectl.console.pages.money import MOVES
from shoectl.console.pages.words import amount, sentence_of, wager_label
from shoectl.wording import listed, place_name, sentence

Json = Mapping[str, Any]
GIVES: Final = {"pay": "Pay", "credit": "Credit", "collect": "Collect from", "return": "Give back to"}


def before(record: Sequence[Json], settled: Sequence[Json]) -> tuple[str, ...]:
    """The sentences, in the order in which they are to be said and done. `settled`: movements of chips that the page
    shows elsewhere.
    """
    trouble, passed = _since(record)
    left = [step for step in passed if not (step["do"] in MOVES and any(step == moved for moved in settled))]
    if any(step["do"] == "rack_stub" for step in left):
        left = [step for step in left if (step["do"], step.get("place")) != ("discard", "stub")]  # the same, once more
    told = [_together(key, list(steps)) for key, steps in groupby(left, _kind)]
    return (*trouble, *(text for texts in told for text in texts))


def _since(record: Sequence[Json]) -> tuple[tuple[str, ...], list[Json]]:
    """The trouble that interrupted the last step, if any did, and the steps that passed since."""
    passed: list[Json] = []
    for one in reversed(record):
        if one["outcome"] != "passed":
            trouble = () if one["outcome"] == "answered" else (f"Trouble: {one['outcome']}.",)
            return trouble, passed[::-1]
        passed.append(one["step"])
    return (), passed[::-1]


def _kind(step: Json) -> tuple[str, int]:
    """Steps of one kind that follow one another are told together, and all movements of chips of one seat."""
    return ("moves", int(step["seat"])) if step["do"] in GIVES else (str(step["do"]), 0)


def _together(kind: tuple[str, int], steps: Sequence[Json]) -> list[str]:
    do, seat = kind
    if do == "moves" and len(steps) > 1:
        told = []
        for does in dict.fromkeys(str(step["do"]) for step in steps):
            those = [step for step in steps if step["do"] == does]
            moved = [f"{wager_label(step['wager'], seat)} {amount(step['amount'])}" for step in those]
            told.append(f"{GIVES[does]} seat {seat}: {', '.join(moved)}.")
        return told
    if do == "discard":
        return [f"Lay {listed([_cards_of(str(step['place'])) for step in steps], 'and')} into the rack."]
    if do == "announce":
        return [f"Say: “{step['text']}”." for step in steps]
    return [sentence_of(sentence(step)) for step in steps]


def _cards_of(place: str) -> str:
    if place == "stub":
        return "the rest of the deck"
    return place_name(place) if place in ("community", "bonus") else f"the cards of {place_name(place)}"
