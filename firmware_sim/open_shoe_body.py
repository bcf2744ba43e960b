"""The machine around the cards of a light shoe: well, lid, mouth and reader, and nothing that holds a card back, unless
it has the brake. What keeps hands from drawing is the lamp, and they can draw in spite of it.
"""

from __future__ import annotations

from firmware_sim.models import Making
from firmware_sim.shoe_body import ShoeBody

ANY_NUMBER = 8 * 60
"""What fits into the well."""


class OpenShoeBody(ShoeBody):
    """One machine. `gate_open` is the green lamp: what hands keep to that do as they are told."""

    def __init__(self, of: Making, *, brake: bool = False) -> None:
        super().__init__(of.name, of.world, of.clock, of.plan, of.seed)
        self.brake = brake

    @property
    def unlocked(self) -> bool:
        """See ShoeBody; a shoe that was filled anew waits for LOAD and is left alone."""
        return self.between_shoes and (self.old or self.empty())

    @property
    def old(self) -> bool:
        """Whether what lies in the well is of a shoe that is over."""
        if self.empty() and self._fact("old"):
            self.retire(False)
        return bool(self._fact("old"))

    def retire(self, over: bool = True) -> None:
        """The shoe is over, or a new one begins."""
        if bool(self._fact("old")) is not over:
            self.world.set_facts({f"{self.name}.old": over or None})
