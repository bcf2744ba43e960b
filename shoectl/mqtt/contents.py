"""What the retained topics and the telemetry say now. Looks at the table, changes nothing, holds no second state."""

from __future__ import annotations

import resource
from collections.abc import Mapping
from typing import Any

from shoectl.devices.station import Station
from shoectl.mqtt.payloads import Links
from shoectl.mqtt.retained import Content
from shoectl.mqtt.topics import Topics
from shoectl.table.deck_count import rounds_left
from shoectl.table.runner import Runner


def retained(topics: Topics, runner: Runner[Any], stations: Mapping[str, Station], journal: str) -> dict[str, Content]:
    """All retained topics but `status`, without their revision."""
    seq, link = runner.journal.head
    now: dict[str, Content] = {
        topics.round: {"journal": journal, "seq": seq, "link": link.hex(), "view": runner.view("public")},
        topics.count: _count(runner),
    }
    return now | {topics.device(name): _device(name, station) for name, station in stations.items()}


def _count(runner: Runner[Any]) -> Content:
    left = rounds_left(runner.state)
    return {"rounds_since_count": runner.state.rounds_since_count, "rounds_left": left, "due": left == 0}


def _device(name: str, station: Station) -> Content:
    identity = station.identity
    return {
        "place": name,
        "family": station.family.name,
        "serial": identity.serial if identity else "",
        "firmware": identity.fw_version if identity else "",
        "online": station.online,
        "condition": station.condition,
        "reconnects": station.reconnects,
    }


def links(stations: Mapping[str, Station]) -> dict[str, Links]:
    """What the links have counted."""
    found = {}
    for name, station in stations.items():
        counted = station.counters
        found[name] = Links(
            online=station.online,
            reconnects=counted.get("reconnects", 0),
            resends=counted.get("resends", 0),
            bad_crc=counted.get("bad_crc", 0),
        )
    return found


def memory_kb() -> int:
    """The most memory that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
