"""A shoe that has neither a lock on its lid nor a gate, in the pit's words: it watches what people do."""

from __future__ import annotations

from protocols.family import Verb
from shoectl.devices.command import Command
from shoectl.devices.shoe import Shoe


class LightShoe(Shoe):
    """It is told of its cards once they are in, and knows how many were drawn, not how many are left."""

    def load(self, *, deck: str, cards: int, cut: int = 0) -> Command:
        """`cards` cards of one deck lie in it and its lid is shut: draws count from 1. It keeps no name of the deck."""
        return self._command(Verb.LOAD, {"decks": 1, "expected": cards})

    def count(self) -> Command:
        """Say how many cards were drawn since loading."""
        return self._command(Verb.COUNT)

    def retire(self, reason: int) -> Command:
        """Deal no more of these cards: others may be loaded then. Reason 1 count, 2 composition, 3 wear, 4 policy."""
        return self._command(Verb.RETIRE, {"reason": reason})
