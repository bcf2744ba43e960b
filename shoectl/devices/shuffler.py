"""A shuffler in the pit's words. Makes commands; the hands write them down first and then let the station send them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protocols.family import Verb
from protocols.vocabulary import Capability, Mode
from shoectl.devices.command import Command, command_of
from shoectl.devices.station import Station


class Shuffler:
    """The device that shuffles and counts. `station` is the place of the table that it occupies."""

    def __init__(self, station: Station) -> None:
        self.station = station

    @property
    def counts(self) -> bool:
        """Whether it counts the cards after they were shuffled; False until the device has said who it is."""
        return self._can(Capability.COUNT_OUT_AFTER_SHUFFLE)

    @property
    def composition(self) -> bool:
        """Whether it compares the faces with a standard deck; False until the device has said who it is."""
        return self._can(Capability.COMPOSITION)

    def shuffle(self, deck: int, cards: int) -> Command:
        """Shuffle deck `deck` and count it; `cards` are expected."""
        return self._command(Verb.SHUFFLE, {"mode": Mode.SHUFFLE.value, "deck": deck, "expected": cards})

    def count(self, deck: int, cards: int) -> Command:
        """Count without shuffling; `cards` 0 checks that nothing is left in the machine."""
        return self._command(Verb.SHUFFLE, {"mode": Mode.COUNT.value, "deck": deck, "expected": cards})

    def present(self, deck: int, override_by: int = 0) -> Command:
        """Hand the deck out; `override_by` is the operator who takes an unverified one on himself."""
        return self._command(Verb.PRESENT, {"deck": deck, "override_by": override_by})

    def retract(self, deck: int) -> Command:
        """Take the presented deck back in; its verdict is void then."""
        return self._command(Verb.RETRACT, {"deck": deck})

    def abort(self) -> Command:
        """End the running cycle: all cards go to the output."""
        return self._command(Verb.ABORT)

    def confirm(self, deck: int, back: int, cards: int) -> Command:
        """Name the deck in the infeed (`back` is a code of common.md §7.2) and lift its retirement."""
        return self._command(Verb.CONFIRM_DECK, {"deck": deck, "back": back, "count": cards})

    def retire(self, deck: int, reason: int) -> Command:
        """Refuse this deck from now on; reason 1 count, 2 composition, 3 wear, 4 policy."""
        return self._command(Verb.RETIRE_DECK, {"deck": deck, "reason": reason})

    def clear_fault(self, seq: int, operator: int) -> Command:
        """End the fault whose first event is `seq`."""
        return self._command(Verb.CLEAR_FAULT, {"fault_seq": seq, "operator": operator})

    def _command(self, verb: Verb, body: Mapping[str, Any] | None = None) -> Command:
        return command_of(self.station.family, verb, body)

    def _can(self, capability: Capability) -> bool:
        identity = self.station.identity
        return identity is not None and identity.can(capability)
