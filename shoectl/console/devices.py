"""The devices as the pit sees them: how each is, what its link counts, and its last verdicts.

Verdicts and the pace are counted from the answers of the journal, as they come; what was before the daemon began is
read once, the last entries only. Nothing here holds a face.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from typing import Any, Final

from shoectl.devices.station import Station
from shoectl.table.runner import Runner

VERDICTS: Final = 24  # that the pit shows of a device
HOUR_S: Final = 3600.0
Json = dict[str, Any]


class History:
    """What came before now: verdicts and rounds."""

    def __init__(self, runner: Runner[Any]) -> None:
        self._runner = runner
        self._verdicts: dict[str, deque[Json]] = {}
        self._ended: deque[float] = deque()

    def verdicts(self, place: str) -> list[Json]:
        """The last verdicts of the device at a place, oldest first."""
        return list(self._verdicts.get(place, ()))

    def pace(self) -> int:
        """How many rounds have ended within the last hour."""
        since = time.monotonic() - HOUR_S
        while self._ended and self._ended[0] < since:
            self._ended.popleft()
        return len(self._ended)


def devices(stations: Mapping[str, Station], history: History) -> list[Json]:
    """All devices of a table, by place."""
    return [
        {
            "place": name,
            "family": one.family.name,
            "serial": one.identity.serial if one.identity else "",
            "firmware": one.identity.fw_version if one.identity else "",
            "online": one.online,
            "condition": one.condition,
            "node": one.node,
            "counters": dict(one.counters),
            "verdicts": history.verdicts(name),
        }
        for name, one in stations.items()
    ]
