"""A shoe in the pit's words. Makes commands; the hands write them down first and then let the station send them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protocols.family import Verb
from protocols.vocabulary import Capability
from shoectl.cards import Card
from shoectl.devices.awaiting import NO_LIMIT
from shoectl.devices.command import Command, command_of
from shoectl.devices.faces import byte_of
from shoectl.devices.station import Station

__all__ = ["NO_LIMIT", "Shoe"]


class Shoe:
    """The device that deals. `station` is the place of the table that it occupies."""

    def __init__(self, station: Station) -> None:
        self.station = station

    @property
    def reads(self) -> bool:
        """Whether each draw comes with its face; False until the device has said who it is."""
        return self._can(Capability.READS_EACH_DRAW)

    @property
    def gated(self) -> bool:
        """Whether a gate stops a card that is not due; False until the device has said who it is."""
        return self._can(Capability.GATE)

    @property
    def leases(self) -> bool:
        """Whether it is told how many cards are due, be it that a gate or only a lamp shows them."""
        return Verb.ARM in self.station.family.verbs

    def load(self, *, deck: str, cards: int, cut: int = 0) -> Command:
        """Unlock the lid for `cards` cards of the deck named `deck` (at most eight ASCII characters are kept).

        `cut` is the expected index of the cut card, 0 for none.
        """
        name = deck.encode("ascii", "replace")[:8].ljust(8)
        return self._command(Verb.LOAD, {"decks": 1, "expected": cards, "set_id": name.hex(), "cut": cut})

    def loaded(self) -> Command:
        """The cards are in and the lid is shut: draws count from 1 again."""
        return self._command(Verb.LOADED)

    def arm(self, round: int, lease: int) -> Command:
        """Open the gate for `lease` draws (1 to 254; NO_LIMIT) of a round. A new lease replaces the old one."""
        return self._command(Verb.ARM, {"round": round & 0xFFFF, "lease": lease})

    def shut(self) -> Command:
        """Shut the gate, whatever the state."""
        return self._command(Verb.SHUT)

    def resolve(self, idx: int, card: Card, first: int, second: int) -> Command:
        """Two persons (operator numbers, different) name the card of draw `idx` that nobody could read."""
        return self._command(Verb.RESOLVE, {"idx": idx, "card": byte_of(card), "op1": first, "op2": second})

    def close(self, residual: int) -> Command:
        """Count and unlock; `residual` is how many cards should be left."""
        return self._command(Verb.CLOSE_SHOE, {"residual": residual})

    def clear_fault(self, seq: int, operator: int) -> Command:
        """End the fault whose first event is `seq`."""
        return self._command(Verb.CLEAR_FAULT, {"fault_seq": seq, "operator": operator})

    def _command(self, verb: Verb, body: Mapping[str, Any] | None = None) -> Command:
        return command_of(self.station.family, verb, body)

    def _can(self, capability: Capability) -> bool:
        identity = self.station.identity
        return identity is not None and identity.can(capability)
