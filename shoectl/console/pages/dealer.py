"""What the dealer's page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoectl.people.roles import Person
from shoectl.table.state import TableState


def values(
    view: Mapping[str, Any], steps: Sequence[Mapping[str, Any]], state: TableState, person: Person
) -> dict[str, Any]:
    """The values of dealer.html."""
    return {"view": view, "steps": steps}
