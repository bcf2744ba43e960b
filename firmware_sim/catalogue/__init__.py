"""Every fault by name: which families it is for, its keys, what it does, what the device says of it.

A family that came later says in a module of its own (`FAMILY`, `HAS`, `KINDS`) which of the faults it can have too, and
which ones it brings along; such modules are found by looking into this folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules

from firmware_sim.catalogue.cards import CARDS
from firmware_sim.catalogue.kind import Had, Key, Kind
from firmware_sim.catalogue.line import LINE
from firmware_sim.catalogue.machine import MACHINE
from firmware_sim.catalogue.power import POWER
from firmware_sim.catalogue.usb import USB

GROUPS: dict[str, tuple[Kind, ...]] = {
    "Cards": CARDS,
    "The machine": MACHINE,
    "Power, memory and the record of events": POWER,
    "The line": LINE,
    "The USB plug": USB,
}


def _add(family: str, has: Mapping[str, Had], kinds: Mapping[str, tuple[Kind, ...]]) -> None:
    unknown = set(has) - {kind.name for group in GROUPS.values() for kind in group}
    if unknown:
        raise AssertionError(f"{family}: no fault {', '.join(sorted(unknown))}")
    for name, group in GROUPS.items():
        added = (has[kind.name].added_to(kind, family) if kind.name in has else kind for kind in group)
        GROUPS[name] = (*added, *kinds.get(name, ()))


for _module in iter_modules(__path__):
    _found = import_module(f"{__name__}.{_module.name}")
    if hasattr(_found, "FAMILY"):
        _add(_found.FAMILY, _found.HAS, _found.KINDS)

CATALOGUE: dict[str, Kind] = {kind.name: kind for kinds in GROUPS.values() for kind in kinds}


def had_by(*families: str, plugged: bool = False) -> dict[str, Kind]:
    """The faults that one of these families can have; with `plugged`, those of a USB plug too."""
    kinds = {name: kind for name, kind in CATALOGUE.items() if plugged or not kind.plugged}
    return {name: kind for name, kind in kinds.items() if set(families) & set(kind.families)}


__all__ = ["CATALOGUE", "GROUPS", "Key", "Kind", "had_by"]
