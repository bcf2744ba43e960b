"""What a simulated table is made of, as the command line or a URL says it, and what of that cannot be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firmware_sim.adapter import OPTIONS as LINE
from firmware_sim.adapter import Adapter, adapter_of
from firmware_sim.decks import DeckSpec, parse_deck
from firmware_sim.keys import EVERY, BadKey, Key, key_of, level_of
from firmware_sim.mixers import MIXERS
from firmware_sim.models import model_of, models
from protocols.family import families

DECKS_MAX = 8
OF_A_DEVICE = "seed speed deck decks person mixer counts composition backs brake fault address key level"
OPTIONS = (*OF_A_DEVICE.split(), *LINE)


class BadSetup(ValueError):
    """A table that cannot be: one line saying what, where and what is allowed."""


@dataclass(frozen=True)
class Setup:
    """What the command line says. `devices` are families, Birches with their address where it is not 3 (`birch@4`).

    `speed` is a factor, infinite for `max`. `counts`, `composition`, `backs` and `mixer` are options of the shuffler,
    `adapters` tells how a line (`alder`, `birch`) is plugged in where that is not as plain as can be. `keys` are
    installed in devices, and `levels` the least security levels that they take, by device, family, or for every one.
    """

    devices: tuple[str, ...]
    seed: int = 0
    speed: float = 1.0
    faults: tuple[str, ...] = ()
    deck: str = "standard"
    person: str = "auto"
    state: Path | None = None
    truth: Path | None = None
    counts: bool = True
    composition: bool = False
    mixer: str = "uniform"
    backs: bool = False
    decks: int = 1
    brake: bool = False
    adapters: Mapping[str, Adapter] = field(default_factory=dict)
    keys: Mapping[str, Key] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)


def checked(setup: Setup) -> DeckSpec:
    """The deck, where all the rest is as it can be. Raises BadSetup."""
    names = names_of(setup.devices)
    if not names:
        raise BadSetup(f"name at least one device: {', '.join(models())}")
    for name in names:
        family, at, address = name.partition("@")
        if family not in models():
            raise BadSetup(f"no device {name!r}; there are {', '.join(models())}")
        if at and not model_of(family).address:
            having = ", ".join(name for name, model in models().items() if model.address)
            raise BadSetup(f"{name!r}: a {family} has no address; {having} has")
        if at and (not address.isdecimal() or not 2 <= int(address) <= 15):
            raise BadSetup(f"{name!r}: an address is 2 to 15 ({family}@4)")
    if len({_address(name) for name in names}) < len(names):
        raise BadSetup(f"{' '.join(names)}: two devices would answer at one place; give each birch its own address")
    if not 1 <= setup.decks <= DECKS_MAX:
        raise BadSetup(f"decks={setup.decks}: 1 to {DECKS_MAX}")
    for named in {*setup.keys, *setup.levels} - {EVERY}:
        if named not in {*names, *(name.partition("@")[0] for name in names)}:
            raise BadSetup(f"{named}=: there is no {named!r} among the devices; there are {', '.join(names)}")
    if not setup.speed > 0:
        raise BadSetup("--speed is a number above 0, or max")
    if setup.mixer not in MIXERS:
        raise BadSetup(f"no mixer {setup.mixer!r}; there are {', '.join(MIXERS)}")
    try:
        return parse_deck(setup.deck)
    except ValueError as error:
        raise BadSetup(str(error)) from None


def names_of(devices: tuple[str, ...]) -> list[str]:
    """The devices by their names."""
    return [name.strip().lower() for name in devices]


def _address(name: str) -> tuple[str, str]:
    family, _, address = name.partition("@")
    return family, address or str(model_of(family).address)


def options_of(pairs: Mapping[str, str], device: str = "") -> dict[str, Any]:
    """Setup fields from the options of a device, as `alder?seed=7`, or of a `sim:` URL. Raises BadSetup."""
    fields: dict[str, Any] = {}
    line = {key: text for key, text in pairs.items() if key in LINE}
    if line:
        fields["adapters"] = {device.partition("@")[0]: _plugged(line, device)}
    for key, text in pairs.items():
        match key:
            case "seed" if text.lstrip("-").isdecimal():
                fields[key] = int(text)
            case "decks" if text.isdecimal():
                fields[key] = int(text)
            case "speed":
                fields[key] = speed_of(text)
            case "counts" | "composition" | "backs" | "brake" if text in ("true", "false"):
                fields[key] = text == "true"
            case "deck" | "person" | "mixer":
                fields[key] = text
            case "fault":
                fields["faults"] = tuple(text.split(";"))
            case "key" | "level":
                fields[f"{key}s"] = {device or EVERY: secured(key, text)}
            case "address" | "echo" | "latency" | "byte_time" | "plug":
                pass
            case _:
                raise BadSetup(f"{key}={text} is no option; there are {', '.join(OPTIONS)}")
    return fields


def _plugged(line: Mapping[str, str], device: str) -> Adapter:
    """How a device is plugged in, by the options that are about that. Raises BadSetup."""
    name = device.partition("@")[0]
    said = f"{device}?" + "&".join(f"{key}={text}" for key, text in line.items())
    baud = families()[name].line.get("baud") if name in models() else None
    adapter = adapter_of(line, baud) if name in models() else None
    if adapter is None:
        raise BadSetup(
            f"{said}: echo and byte_time are true or false, latency is 0 to 1000 (milliseconds), plug is own or ftdi"
        )
    if baud is None and (adapter != Adapter(latency=adapter.latency) or line.get("byte_time") == "true"):
        having = " and ".join(name for name in models() if "baud" in families()[name].line)
        raise BadSetup(f"{said}: a {name} has no serial line, as {having} have; latency, and plug=own, are allowed")
    return adapter


def secured(what: str, text: str) -> Any:
    """The value of the option `key` or `level`. Raises BadSetup."""
    try:
        return key_of(text) if what == "key" else level_of(text)
    except BadKey as error:
        raise BadSetup(str(error)) from None


def speed_of(text: str) -> float:
    """`max` or a factor. Raises BadSetup."""
    if text == "max":
        return math.inf
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed < math.inf:
        raise BadSetup(f"--speed {text!r}: a number above 0, or max")
    return speed
