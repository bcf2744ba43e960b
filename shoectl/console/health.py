"""Whether the table can play, for a monitor: no card, no person, no wager."""

from __future__ import annotations

from typing import Any

from shoectl.console.face import Face


def health(face: Face) -> tuple[bool, dict[str, Any]]:
    """Whether all is well that a round needs (the table runs, its journal is written, its devices are there), and each
    part in words. A bus that is away is told, and is no reason: it never stops a round.
    """
    runner = face.desk.runner
    stopped = runner.stopped
    parts: dict[str, Any] = {
        "table": "ok" if stopped is None else f"stopped: {stopped.reason}",
        "journal": runner.condition or "ok",
        "devices": {name: "ok" if one.online else one.condition for name, one in face.stations.items()},
    }
    well = stopped is None and not runner.condition and all(one.online for one in face.stations.values())
    bus = face.bus()
    if bus is not None:
        parts["bus"] = "ok" if bus.connected else bus.text or "not connected"
    return well, {"ok": well, **parts}
