"""People's steps stay open and wait: an answer comes through `Runner.answer`, whoever gives it and from wherever.

What people may say to a hold: `card` (two persons, with the card that they see), `go on` (it is set right, look again),
`give up` (the house's policy for trouble decides).
"""

from __future__ import annotations

from shoectl.table.grip import CARD, GIVE_UP, GO_ON
from shoectl.table.openstep import OpenStep

WORDS = (CARD, GO_ON, GIVE_UP)


async def wait(step: OpenStep) -> None:
    """Hands that do nothing: the step closes when somebody has answered it."""
    while not step.closed:
        await step.changed()
