"""Every fault by name: which families it is for, its keys, what it does, what the device says of it."""

from __future__ import annotations

from firmware_sim.catalogue.cards import CARDS
from firmware_sim.catalogue.kind import Key, Kind
from firmware_sim.catalogue.line import LINE
from firmware_sim.catalogue.machine import MACHINE
from firmware_sim.catalogue.power import POWER

GROUPS: dict[str, tuple[Kind, ...]] = {
    "Cards": CARDS,
    "The machine": MACHINE,
    "Power, memory and the record of events": POWER,
    "The line": LINE,
}
CATALOGUE: dict[str, Kind] = {kind.name: kind for kinds in GROUPS.values() for kind in kinds}

__all__ = ["CATALOGUE", "GROUPS", "Key", "Kind"]
