"""The devices as the pit sees them: how each is, what its link counts, and its last verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoectl.console.history import History
from shoectl.devices.station import Station

Json = dict[str, Any]


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
            "progress": {"done": one.progress.done, "total": one.progress.total} if one.progress else None,
            "verdicts": history.verdicts(name),
        }
        for name, one in stations.items()
    ]
