"""What the simulated dealer does about a hold: close the lid or the door, pull the service plug out, clear the path.

Each is a movement at the device of the place that the hold names; people do what its text asks them to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoectl.games.procedure import Role, Step
from shoectl.table.holds import CALL_SERVICE, DOOR, LID, SERVICE

Order = Mapping[str, Any]

CLOSING: Mapping[str, str] = {LID: "close_lid", DOOR: "close_door", SERVICE: "unplug_service"}
ROLES: Mapping[Role, str] = {Role.SHOE: "shoe", Role.SHUFFLER: "shuffler"}


def place_of(reason: str, step: Step[Any]) -> str:
    """The place of the device that a hold is about: named by its reason, else the one that carries the step out."""
    named = reason.partition(" ")[0]
    return named if named in ROLES.values() else ROLES.get(step.by, "")


def movements(reason: str, text: str, step: Step[Any], rack: str) -> Sequence[Order]:
    """What hands do at that device, in order, without its name. `rack` is where cards taken out of a shuffler go.

    `text` is what the hold asks people to do; service comes with a plug, and pulls it out again.
    """
    what = reason.partition(" ")[2].partition(",")[0]
    if what in CLOSING:
        return ({"do": CLOSING[what]},)
    orders: list[Order] = [{"do": "take_out", "to": rack}] if step.do == "take_out" else []
    orders.append({"do": "clear"})
    if CALL_SERVICE in text:
        orders += [{"do": "plug_service"}, {"do": "unplug_service"}]
    return orders
