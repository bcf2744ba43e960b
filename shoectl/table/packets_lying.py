"""Packets that were taken to a place and that no answer of a deal tells of yet, while the entries of a round go by.

A deal is answered card by card after a packet was taken. Where a round ends in between, the journal knows all the same
that the packet lies there.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from shoectl.journal import Entry
from shoectl.table.entries import Json
from shoectl.table.packets import number_of

GATHERED_BY: Final = ("feed_discards", "take_out")  # steps from which on no card lies at a place any more


class PacketsLying:
    """How many such cards lie at each place: `lie`."""

    def __init__(self) -> None:
        self.lie: Counter[str] = Counter()
        self._round = 0
        self._step: Json = {}
        self._places: dict[int, str] = {}  # by the number that the machine has for each

    def take(self, entry: Entry) -> None:
        """One entry more."""
        body = entry.body
        match entry.kind:
            case "round":
                self._round = int(body["number"]) & 0xFFFF
            case "step":
                self._asked(body["step"])
            case "event" if body["name"] == "PACKET_TAKEN" and body["body"]["round"] == self._round:
                if (place := self._places.get(body["body"]["seat"])) is not None:
                    self.lie[place] += int(body["body"]["n"])
            case "answer" if self._step["do"] == "deal":
                self._answered(self._step["to"][body["part"]])

    def _asked(self, step: Json) -> None:
        self._step = step
        match step["do"]:
            case "deal":
                self._places |= {number_of(place): place for place in step["to"]}
            case "discard":
                self.lie.pop(step["place"], None)  # whoever clears a place takes all that lies there
            case do if do in GATHERED_BY:
                self.lie, self._places = Counter(), {}

    def _answered(self, place: str) -> None:
        if self.lie[place]:  # else it came out of the mouth
            self.lie[place] -= 1
