"""What the pit's page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoectl.console.settings import Standing
from shoectl.people.roles import Person
from shoectl.table.state import TableState


def values(
    view: Mapping[str, Any],
    steps: Sequence[Mapping[str, Any]],
    state: TableState,
    person: Person,
    standing: Standing,
) -> dict[str, Any]:
    """The values of pit.html."""
    return {"view": view, "steps": steps, "standing": standing}
