"""One simulated table: its devices, the cards, the hands, and the two clocks. No I/O but the files it is told to keep.

table = SimulatedTable(Setup(("alder", "birch"), seed=7))
table.advance(now)                         # wall seconds; movements follow by the setup's speed
table.lines["alder"].receive(data, now)    # bytes from the host
data = table.lines["alder"].output(now)    # bytes for the host
table.deadline(now)                        # when to call `advance` again, None: not before something comes in
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from firmware_sim.adapter import Adapter
from firmware_sim.core import Unit
from firmware_sim.decks import lay_out
from firmware_sim.faults import BadFault, FaultPlan
from firmware_sim.keys import for_device
from firmware_sim.line import Line
from firmware_sim.machine import BOOT_TIME, Machine
from firmware_sim.mechanics import World
from firmware_sim.mixers import MIXERS, Mixer, given_order
from firmware_sim.models import Making, Options, model_of
from firmware_sim.nvram import FileMedium, Medium, MemoryMedium, Nvram
from firmware_sim.person import Hands, going_round
from firmware_sim.scene import BACKS, Scene
from firmware_sim.setup import BadSetup, Setup, checked, names_of, options_of, speed_of
from firmware_sim.timeline import Timeline
from firmware_sim.whereabouts import Ledger, Truth
from protocols.family import families

STEPS_AT_ONCE = 500
"""Movements at `--speed max` between two looks at the line."""

UNITS_APART = 500
"""From the serial of one unit to that of the one that takes its place."""

__all__ = ["BadSetup", "Setup", "SimulatedTable", "options_of", "speed_of"]


@dataclass
class _Clocks:
    """Movements' time as a function of the line's."""

    speed: float
    moves: Timeline
    line: Timeline = field(default_factory=Timeline)
    _from: tuple[float, float] | None = None

    def advance(self, now: float) -> None:
        self.line.advance(now)
        if self._from is None:
            self._from = (now, self.moves.now)
        if not math.isinf(self.speed):
            began, stood = self._from
            self.moves.advance(stood + (now - began) * self.speed)
            return
        steps = 0
        while steps < STEPS_AT_ONCE and self.moves.step():
            steps += 1

    def deadline(self, now: float) -> float | None:
        times = [] if self.line.due() is None else [self.line.due()]
        due = self.moves.due()
        if due is not None and (math.isinf(self.speed) or self._from is None):
            times.append(now)
        elif due is not None and self._from is not None:
            times.append(self._from[0] + (due - self._from[1]) / self.speed)
        return min((at for at in times if at is not None), default=None)


class SimulatedTable:
    """Raises BadSetup for what cannot be."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.deck = checked(setup)
        if setup.state:
            setup.state.mkdir(parents=True, exist_ok=True, mode=0o700)
        moves = Timeline()
        ledger = Ledger(setup.state / "cards.jsonl" if setup.state else None)
        self.world = World(moves, ledger, Truth(setup.truth))
        self.clocks = _Clocks(setup.speed, moves)
        self.plan = _plan(setup, self.world)
        self.machines = {name: self._machine(name) for name in names_of(setup.devices)}
        self.hands = self._hands()
        self.lines = {line.name: line for line in self._lines()}
        self._lay_out()
        for machine in self.machines.values():
            machine.power_on()

    # time and wires

    def advance(self, now: float) -> None:
        """Let everything happen that is due at `now` (wall seconds)."""
        self.clocks.advance(now)
        for line in self.lines.values():
            line.tick(now)

    def deadline(self, now: float) -> float | None:
        """When `advance` has to be called next; never when nothing is under way."""
        times = [self.clocks.deadline(now), *(line.deadline() for line in self.lines.values())]
        return min((at for at in times if at is not None), default=None)

    def close(self) -> None:
        """Pull every plug and close the files."""
        for machine in self.machines.values():
            machine.power_off()
            if isinstance(machine.medium, FileMedium):
                machine.medium.close()
        self.world.close()

    # what a test or a control socket asks

    def state(self) -> dict[str, Any]:
        """Devices with their states and cards, and what lies where."""
        devices = []
        for name, machine in self.machines.items():
            device, states = machine.device, machine.unit.family.states
            zones = {zone: self.world.count(f"{name}.{zone}") for zone in model_of(name).zones}
            shown = {"state": "OFF" if device is None else states[device.state]}
            devices.append(
                {"name": name, "family": machine.unit.family.name, "serial": machine.unit.serial, **shown, **zones}
            )
        places = {place: len(cards) for place, cards in self.world.places.items() if cards}
        return {"ok": True, "devices": devices, "places": places, "faults": self.plan.fired}

    def _machine(self, name: str) -> Machine:
        setup, family = self.setup, families()[name.partition("@")[0]]
        model = model_of(name)
        key = for_device(setup.keys, name, None)
        options = Options(setup.counts, setup.composition, setup.backs, setup.brake)
        unit = Unit(
            name,
            family,
            Nvram(MemoryMedium()),
            self.clocks.moves,
            self.clocks.line,
            self.plan,
            self._serial(name),
            model.caps(family.caps, options, self.plan),
            int(name.partition("@")[2] or model.address),
            key.secret if key else None,
            key.id if key else 0,
            for_device(setup.levels, name, 0),
        )
        body = model.body(Making(name, self.world, self.clocks.moves, self.plan, setup.seed, self._mixer()))
        return Machine(unit, body, self._medium(name), replaced=self._replaced, went_off=self._went_off)

    def _replaced(self, machine: Machine, other_unit: bool) -> None:
        """Blank memory; as another unit it has another serial, and was plugged in anew."""
        if isinstance(machine.medium, FileMedium):
            machine.medium.close()
        if other_unit:
            self.world.set_facts({f"unit.{machine.name}": self._unit(machine.name) + 1})
            machine.medium = self._medium(machine.name)
            machine.unit = replace(machine.unit, serial=self._serial(machine.name))
            self.lines[machine.name.partition("@")[0]].drop()

    def _went_off(self, machine: Machine) -> None:
        """What is nothing but a USB device has gone from the bus; a serial line stays."""
        if "baud" not in machine.unit.family.line:
            self.lines[machine.name.partition("@")[0]].drop(BOOT_TIME)

    def _unit(self, name: str) -> int:
        """How many units have been in this place before."""
        return int(self.world.facts.get(f"unit.{name}", 0))

    def _medium(self, name: str) -> Medium:
        unit = self._unit(name)
        file = f"{name}.nvram" if unit == 0 else f"{name}-{unit}.nvram"
        return FileMedium(self.setup.state / file) if self.setup.state else MemoryMedium()

    def _serial(self, name: str) -> str:
        family, _, address = name.partition("@")
        number = int(address or model_of(name).serial)
        return f"{family[:2].upper()}{number + UNITS_APART * self._unit(name):06d}"

    def _mixer(self) -> Mixer:
        return given_order(self.deck.bytes) if self.deck.ordered else MIXERS[self.setup.mixer]

    def _hands(self) -> Hands:
        bodies = {name: machine.body for name, machine in self.machines.items()}
        hurried = math.isinf(self.setup.speed)
        rigged = self.deck.bytes if self.deck.ordered else ()
        models = {name: model_of(name) for name in bodies}
        own = {name: model.movements for name, model in models.items()}
        wishes = {name: model.wish for name, model in models.items() if model.wish}
        scene = Scene(self.world, self.clocks.moves, bodies, own, wishes, self.setup.seed, rigged, hurried)
        return Hands(scene, going_round) if self.setup.person == "auto" else Hands(scene)

    def _lines(self) -> list[Line]:
        """A wire for each family, which several addresses share, in the order in which they were named."""
        grouped: dict[str, list[Machine]] = {}
        for name, machine in self.machines.items():
            grouped.setdefault(name.partition("@")[0], []).append(machine)
        plugged = self.setup.adapters
        return [
            Line(name, machines, self.plan, self.setup.seed, plugged.get(name, Adapter()))
            for name, machines in grouped.items()
        ]

    def _lay_out(self) -> None:
        """The first cards where they are at the start: in a machine that shuffles, else in the rack."""
        zones = [f"{name}.{zone}" for name in self.machines if (zone := model_of(name).first_deck)]
        lay_out(self.world, self.deck.faces * self.setup.decks, zones[0] if zones else "rack", back=BACKS[0])


def _plan(setup: Setup, world: World) -> FaultPlan:
    fired = {name.removeprefix("fault."): times for name, times in world.facts.items() if name.startswith("fault.")}
    remember: Callable[[str, int], None] = lambda spec, times: world.set_facts({f"fault.{spec}": times})  # noqa: E731
    plan = FaultPlan(setup.seed, [], fired, remember)
    try:
        for spec in setup.faults:
            plan.add(spec)
    except BadFault as error:
        raise BadSetup(str(error)) from None
    return plan
