"""One simulated table: its devices, the cards, the hands, and the two clocks. No I/O but the files it is told to keep.

table = SimulatedTable(Setup(("alder", "birch"), seed=7))
table.advance(now)                         # wall seconds; movements follow by the setup's speed
table.lines["alder"].receive(data, now)    # bytes from the host
data = table.lines["alder"].output(now)    # bytes for the host
table.deadline(now)                        # when to call `advance` again, None: not before something comes in
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firmware_sim.core import Unit
from firmware_sim.decks import DeckSpec, lay_out, parse_deck
from firmware_sim.faults import BadFault, FaultPlan
from firmware_sim.line import Line
from firmware_sim.machine import Machine
from firmware_sim.mechanics import World
from firmware_sim.mixers import MIXERS, Mixer, given_order
from firmware_sim.nvram import FileMedium, MemoryMedium, Nvram
from firmware_sim.person import Hands, going_round
from firmware_sim.scene import BACKS, Scene
from firmware_sim.shoe_body import ShoeBody
from firmware_sim.shuffler_body import ShufflerBody
from firmware_sim.timeline import Timeline
from firmware_sim.whereabouts import Ledger, Truth
from protocols.family import Family, families
from protocols.vocabulary import Capability

KINDS = ("alder", "birch")
OPTIONS = ("seed", "speed", "deck", "person", "mixer", "counts", "composition", "fault", "address")
STEPS_AT_ONCE = 500
"""Movements at `--speed max` between two looks at the line."""


class BadSetup(ValueError):
    """A table that cannot be: one line saying what, where and what is allowed."""


@dataclass(frozen=True)
class Setup:
    """What the command line says. `devices` are families, Birches with their address where it is not 3 (`birch@4`).

    `speed` is a factor, infinite for `max`. `counts`, `composition` and `mixer` are options of the shuffler.
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
        self.deck = _checked(setup)
        if setup.state:
            setup.state.mkdir(parents=True, exist_ok=True, mode=0o700)
        moves = Timeline()
        ledger = Ledger(setup.state / "cards.jsonl" if setup.state else None)
        self.world = World(moves, ledger, Truth(setup.truth))
        self.clocks = _Clocks(setup.speed, moves)
        self.plan = _plan(setup, self.world)
        self.machines = {name: self._machine(name) for name in _names(setup.devices)}
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
            zones = {
                zone: self.world.count(f"{name}.{zone}")
                for zone in ("infeed", "path", "rack", "output", "shoe", "mouth")
            }
            shown = {"state": "OFF" if device is None else states[device.state]}
            devices.append(
                {"name": name, "family": machine.unit.family.name, "serial": machine.unit.serial, **shown, **zones}
            )
        places = {place: len(cards) for place, cards in self.world.places.items() if cards}
        return {"ok": True, "devices": devices, "places": places, "faults": self.plan.fired}

    def _machine(self, name: str) -> Machine:
        setup, family = self.setup, families()[name.partition("@")[0]]
        medium = FileMedium(setup.state / f"{name}.nvram") if setup.state else MemoryMedium()
        address = int(name.partition("@")[2] or 3) if family.name == "birch" else 0
        unit = Unit(
            name,
            family,
            Nvram(MemoryMedium()),
            self.clocks.moves,
            self.clocks.line,
            self.plan,
            _serial(family, address),
            _caps(setup, family, self.plan),
            address,
        )
        body: ShufflerBody | ShoeBody
        if family.name == "birch":
            body = ShoeBody(name, self.world, self.clocks.moves, self.plan, setup.seed)
        else:
            body = ShufflerBody(name, self.world, self.clocks.moves, self.plan, setup.seed, self._mixer())
        return Machine(unit, body, medium)

    def _mixer(self) -> Mixer:
        return given_order(self.deck.bytes) if self.deck.ordered else MIXERS[self.setup.mixer]

    def _hands(self) -> Hands:
        bodies = {name: machine.body for name, machine in self.machines.items()}
        shufflers = {name: body for name, body in bodies.items() if isinstance(body, ShufflerBody)}
        shoes = {name: body for name, body in bodies.items() if isinstance(body, ShoeBody)}
        hurried = math.isinf(self.setup.speed)
        rigged = self.deck.bytes if self.deck.ordered else ()
        scene = Scene(self.world, self.clocks.moves, shufflers, shoes, self.setup.seed, rigged, hurried)
        return Hands(scene, going_round) if self.setup.person == "auto" else Hands(scene)

    def _lines(self) -> list[Line]:
        """A wire for each shuffler, one for all shoes, in the order in which they were named."""
        lines: dict[str, Line] = {}
        for name, machine in self.machines.items():
            line = lines.setdefault(
                name.partition("@")[0], Line(name.partition("@")[0], [], self.plan, self.setup.seed)
            )
            line.machines.append(machine)
        return list(lines.values())

    def _lay_out(self) -> None:
        """The first deck where it is at the start: in the shuffler, or in the rack where there is none."""
        shufflers = [machine.body.name for machine in self.machines.values() if isinstance(machine.body, ShufflerBody)]
        place = f"{shufflers[0]}.infeed" if shufflers else "rack"
        lay_out(self.world, self.deck.faces, place, back=BACKS[0])


def _checked(setup: Setup) -> DeckSpec:
    names = _names(setup.devices)
    if not names:
        raise BadSetup(f"name at least one device: {', '.join(KINDS)}")
    for name in names:
        family, at, address = name.partition("@")
        if family not in KINDS:
            raise BadSetup(f"no device {name!r}; there are {', '.join(KINDS)}")
        if at and (family != "birch" or not address.isdecimal() or not 2 <= int(address) <= 15):
            raise BadSetup(f"{name!r}: only a birch has an address, and it is 2 to 15 (birch@4)")
    if len({_address(name) for name in names}) < len(names):
        raise BadSetup(f"{' '.join(names)}: two devices would answer at one place; give each birch its own address")
    if not setup.speed > 0:
        raise BadSetup("--speed is a number above 0, or max")
    if setup.mixer not in MIXERS:
        raise BadSetup(f"no mixer {setup.mixer!r}; there are {', '.join(MIXERS)}")
    try:
        return parse_deck(setup.deck)
    except ValueError as error:
        raise BadSetup(str(error)) from None


def _names(devices: tuple[str, ...]) -> list[str]:
    return [name.strip().lower() for name in devices]


def _address(name: str) -> tuple[str, str]:
    family, _, address = name.partition("@")
    return family, address or "3" if family == "birch" else ""


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


def _serial(family: Family, address: int) -> str:
    return f"BI{address:06d}" if address else f"{family.name[:2].upper()}000117"


def _caps(setup: Setup, family: Family, plan: FaultPlan) -> Capability:
    caps = family.caps
    if family.name == "alder":
        if not setup.counts or plan.lasting("no_count", "alder"):
            caps &= ~(Capability.COUNT_IN | Capability.COUNT_OUT_AFTER_SHUFFLE)
        if setup.composition:
            caps |= Capability.COMPOSITION
    return caps


def options_of(pairs: Mapping[str, str]) -> dict[str, Any]:
    """Setup fields from the query of a `sim:` URL. Raises BadSetup."""
    fields: dict[str, Any] = {}
    for key, text in pairs.items():
        match key:
            case "seed" if text.lstrip("-").isdecimal():
                fields[key] = int(text)
            case "speed":
                fields[key] = speed_of(text)
            case "counts" | "composition" if text in ("true", "false"):
                fields[key] = text == "true"
            case "deck" | "person" | "mixer":
                fields[key] = text
            case "fault":
                fields["faults"] = tuple(text.split(";"))
            case "address":
                pass
            case _:
                raise BadSetup(f"{key}={text} is no option; there are {', '.join(OPTIONS)}")
    return fields


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
