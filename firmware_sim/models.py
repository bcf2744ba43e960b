"""What a simulated family is made of, as one value: each module of `firmware/` that is named after a family exports
one `MODEL`. Everything that differs from family to family is asked of it; nothing else names families.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from firmware_sim.body import Body
from firmware_sim.device import Device
from firmware_sim.faults import FaultPlan
from firmware_sim.mechanics import World
from firmware_sim.mixers import Mixer
from firmware_sim.scene import Movement, Order, Scene, Task
from firmware_sim.timeline import Timeline
from protocols.family import families
from protocols.vocabulary import Capability


@dataclass(frozen=True)
class Making:
    """What a body is made of. `mixer` is how the machine shuffles, where it does."""

    name: str
    world: World
    clock: Timeline
    plan: FaultPlan
    seed: int
    mixer: Mixer


@dataclass(frozen=True)
class Options:
    """Options of a device that change what it can do: counting sensors, a reader, an eye for backs; a brake."""

    counts: bool = True
    composition: bool = False
    backs: bool = False
    brake: bool = False


def _as_it_is(caps: Capability, options: Options, plan: FaultPlan) -> Capability:
    return caps


@dataclass(frozen=True)
class Model:
    """One family.

    `firmware` takes unit, link and body. `zones` are the places of the body, as `state` shows them. `address` is the
    one that it has where none is named, 0 for a family without; `serial` is the number of the first unit. `first_deck`
    is the zone where the table's first deck lies, empty where that is the rack. `movements` are those that hands do at
    this machine in their own way; `wish` is what `--person auto` does there, None for the way of going round that
    shufflers and shoes share.
    """

    body: Callable[[Making], Body]
    firmware: Callable[..., Device]
    zones: tuple[str, ...]
    serial: int = 117
    address: int = 0
    first_deck: str = ""
    caps: Callable[[Capability, Options, FaultPlan], Capability] = _as_it_is
    movements: Mapping[str, Callable[[Scene, Task], Movement]] = field(default_factory=dict)
    wish: Callable[[Scene, str], Order | None] | None = None


@cache
def models() -> Mapping[str, Model]:
    """All families that there is software for, by name."""
    found = {name: f"firmware_sim.firmware.{name}" for name in families()}
    return {name: import_module(module).MODEL for name, module in found.items() if find_spec(module)}


def model_of(name: str) -> Model:
    """The model of a device by its name (`birch@4`)."""
    return models()[name.partition("@")[0]]
