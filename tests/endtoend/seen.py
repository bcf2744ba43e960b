"""What a run with a fault looked like from outside, in few words: read from its journal, kept in `seen.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.endtoend import truth
from tests.endtoend.bus_scripts import ON_A_BUS
from tests.endtoend.scripts import SCRIPTS, Script
from tests.endtoend.usb_scripts import USB

ALL = (*SCRIPTS, *ON_A_BUS, *USB)

RECORD = Path(__file__).with_name("seen.json")

WORDS = {
    "nothing": "the rounds went on as if nothing had been",
    "link again": "a device took its place again",
    "alarm": "what makes a device's word worthless was written down as an alarm",
    "held": "a step was held until people, or the device, ended it",
    "deck again": "a deck was taken out, or gathered, and shuffled once more before a card of it was dealt",
    "deck off": "a deck left the table",
    "dealer counts": "the dealer was asked to count a deck, or the cards on the table",
    "set right": "trouble in a round was set right, and the round went on",
    "round void": "a round was void, its wagers went back",
    "floor asked": "a floorperson had to decide",
    "stopped": "the table stopped before its rounds were played, and said why and what to do",
}
"""All words that there are, in the order in which they are written."""


class _Looker:
    """Goes through a journal, entry by entry."""

    def __init__(self) -> None:
        self.words: set[str] = set()
        self._places: set[str] = set()
        self._under_way: set[int] = set()  # decks that were given to be shuffled, and of which no card was dealt since
        self._out: set[int] = set()  # decks that were taken out of the shuffler by hand
        self._shoe = 0
        self._playing = self._trouble = False

    def take(self, kind: str, body: Mapping[str, Any]) -> None:
        """One entry."""
        match kind:
            case "device":
                self._say("link again", body["place"] in self._places)
                self._places.add(body["place"])
            case "alarm":
                self._say("alarm")
            case "hold":
                self._say("held")
            case "irregularity":
                self._trouble = self._playing
            case "step":
                self._asked(body["step"])

    def _say(self, word: str, so: bool = True) -> None:
        self.words |= {word} if so else set()

    def _asked(self, step: Mapping[str, Any]) -> None:
        match step["do"]:
            case "start_shuffle":
                self._say("deck again", step["deck"] in self._under_way | self._out)
                self._under_way.add(step["deck"])
                self._out.discard(step["deck"])
            case "take_out":
                self._out.add(step["deck"])
            case "take_deck" | "fill_shoe":
                self._shoe = step["deck"]
            case "wagers":
                self._playing, self._trouble = True, False
            case "deal":
                self._under_way.discard(self._shoe)
            case "announce" if step["text"].startswith("The round is void"):
                self._say("round void")
                self._trouble = False
            case "floor" | "settle_by_hand":
                self._say("floor asked")
                self._trouble = False
            case "close_shoe":
                self._say("set right", self._trouble)
                self._playing = self._trouble = False
            case "count" | "count_table":
                self._say("dealer counts")
            case "remove_deck":
                self._say("deck off")
                self._under_way.discard(step["deck"])
                self._out.discard(step["deck"])


def seen(journal: Path, stopped: bool) -> list[str]:
    """The words for a run, at least one."""
    looker = _Looker()
    for _, kind, body in truth.entries(journal):
        looker.take(kind, body)
    found = looker.words | ({"stopped"} if stopped else set())
    return [word for word in WORDS if word in found] or ["nothing"]


def recorded() -> dict[str, Any]:
    """What recorded runs saw: of each script its words, the state in which it stopped if it did, and its rounds."""
    found: dict[str, Any] = json.loads(RECORD.read_text())
    return found


def record(script: Script, words: Sequence[str], stopped: str | None, rounds: int) -> None:
    """Keep what a run saw."""
    found = recorded() | {str(script): {"seen": words, "stopped": stopped, "rounds": rounds}}
    lines = [f"{json.dumps(name)}: {json.dumps(found[name])}" for name in map(str, ALL) if name in found]
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def cell(fault: str) -> str:
    """What the page of faults says of a fault: the words of all its scripts, family by family where they differ.

    Scripts of several faults count where there is none with that fault alone.
    """
    found: dict[str, set[str]] = {}
    kept = recorded()
    alone = {kind for script in ALL if len(script.faults) == 1 for kind in script.kinds}
    for script in ALL:
        for name, family in script.kinds:
            if name == fault and (len(script.faults) == 1 or (name, family) not in alone):
                found.setdefault(family, set()).update(kept[str(script)]["seen"])
    said = {family: ", ".join(word for word in WORDS if word in words) for family, words in found.items()}
    if len(set(said.values())) == 1:
        return next(iter(said.values()))
    return "; ".join(f"{family}: {words}" for family, words in said.items())
