"""How the parts beside the table are, as one face shows it of another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class BusStatus:
    """The bus: whether it stands, the last entry that the broker has, how many wait; since the start, how many commands
    were carried out, and refused for which reason. `text` says what is wrong, where something is.
    """

    connected: bool
    sent: int
    waiting: int
    done: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    text: str = ""


@dataclass(frozen=True)
class UpkeepStatus:
    """The journal's care: the room on its disk (bytes), when it was last copied and checked (Unix seconds, or None)."""

    free: int
    backup_at: float | None = None
    checked_at: float | None = None
    text: str = ""
