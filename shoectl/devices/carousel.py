"""A continuous shuffler that deals, in the pit's words: what it is told beyond what every shoe is told.

Makes commands; the hands write them down first and then let the station send them.
"""

from __future__ import annotations

from collections.abc import Sequence

from protocols.family import Verb
from shoectl.devices.command import Command
from shoectl.devices.shoe import Shoe

PACKETS_MOST, PACKET_CARDS_MOST = 16, 13  # of one plan, and of one packet (cedar.md §3)
STANDARD = 0  # the profile of decks without jokers


class Carousel(Shoe):
    """The device that shuffles all the time, counts, and deals packets or through its mouth."""

    def load(self, *, deck: str, cards: int, cut: int = 0) -> Command:
        """Take `cards` cards of one deck named `deck`, which are fed one by one as they are laid in."""
        name = deck.encode("ascii", "replace")[:8].ljust(8)
        body = {"profile": STANDARD, "decks": 1, "expected": cards, "set_id": name.hex()}
        return self._command(Verb.LOAD, body)

    def feed(self, cards: int) -> Command:
        """Take in what was dealt and lies in the infeed; `cards` are expected."""
        return self._command(Verb.FEED, {"expected": cards})

    def count(self) -> Command:
        """Count all that is in it, and compare the faces where nothing is out."""
        return self._command(Verb.COUNT)

    def deliver(self, round: int, packets: Sequence[tuple[int, int]]) -> Command:
        """Hand out packets (seat number, cards) in that order; each waits until the one before was taken."""
        listed = tuple({"seat": seat, "n": cards} for seat, cards in packets)
        return self._command(Verb.DELIVER_PLAN, {"round": round & 0xFFFF, "packets": listed})

    def unload(self) -> Command:
        """Everything to the output."""
        return self._command(Verb.UNLOAD)

    def purge(self, cards: int, operator: int) -> Command:
        """Unlock the pocket, in which `cards` cards lie, in the name of an operator."""
        return self._command(Verb.PURGE, {"expected": cards, "who": operator})
