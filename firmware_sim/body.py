"""What every machine has beside its cards: flaps, plugs, and causes of faults that are no card.

A cause is physical: dirt, heat, a motor that does not turn. It is a fact of the world (`alder.cause.140`), so it
outlives a power cut; the firmware finds it when it looks at its sensors, and finds it gone later.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from firmware_sim.catalogue.machine import MACHINE
from firmware_sim.catalogue.power import POWER
from firmware_sim.faults import Fault, FaultPlan
from firmware_sim.mechanics import World
from protocols.vocabulary import EventCode, FaultClass, fault_class

FLAPS = ("door", "lid", "service", "tamper")
"""What a person opens, plugs in or breaks open, and sets right again; also the names of faults."""

SET_RIGHT_AFTER = 2.0
"""Seconds until somebody who opened something by mistake sets it right."""

CAUSES = {
    "motor_stall": EventCode.MOTOR_STALL,
    "sensor_blocked": EventCode.SENSOR_BLOCKED,
    "sensor_weak": EventCode.SENSOR_WEAK,
    "overtemp": EventCode.OVERTEMP,
    "nvram_error": EventCode.NVRAM_ERROR,
    "clock": EventCode.CLOCK,
    "rng_health": EventCode.RNG_HEALTH,
    "fw_integrity": EventCode.FW_INTEGRITY,
}
_WHICH = {
    "feed": 0x00, "transport": 0x01, "eject": 0x02, "carousel": 0x03,
    "infeed": 0x10, "path": 0x11, "output": 0x12, "reader": 0x13, "flap": 0x14,
    "nvram_error": 0x20, "clock": 0x21, "rng_health": 0x22, "fw_integrity": 0x23,
}  # fmt: skip
UNKNOWN_LEVEL = 0xFF

NOTICED, CLEANED, SERVICED = "noticed", "cleaned", "serviced"
"""Until when a cause is there: it was seen; somebody cleaned or freed it; service. Else a number of cards."""

_SOON = "soon"
"""A flap that stands open until whoever opened it sets it right."""

AT_ANY_MOMENT = frozenset(kind.name for kind in (*MACHINE, *POWER) if {"card", "event"} <= set(kind.own))
"""Faults that strike while a card moves, or as an event is recorded."""

POWER_FAILS = frozenset(("power_cut", "watchdog"))
CAUSE_OF_WATCHDOG = 2


class Body:
    """One machine. `noticed(name)` is called when something of it changes, `changed` for people who stand there."""

    def __init__(self, name: str, world: World, plan: FaultPlan, seed: int) -> None:
        self.name = name
        self.world = world
        self.plan = plan
        self.seed = seed
        self.power_failed: Callable[[int], None] = lambda cause: None
        self.noticed: Callable[[str], None] = lambda name: None
        self.changed: Callable[[], None] = lambda: None
        world.watch(lambda name: self.noticed(name) if name.startswith(f"{self.name}.") else None)
        for flap in FLAPS:
            if self._fact(flap) == _SOON:
                self._set_right_soon(flap)

    @property
    def service(self) -> bool:
        """Whether something is plugged into the service port."""
        return bool(self._fact("service"))

    @property
    def tampered(self) -> bool:
        """Whether the case is open."""
        return bool(self._fact("tamper"))

    @property
    def flap(self) -> str:
        """Its door or lid, by name."""
        return "door"

    @property
    def flap_open(self) -> bool:
        """Whether that stands open."""
        return bool(self._fact(self.flap))

    @property
    def disturbed(self) -> bool:
        """Whether people who stand there see that something is wrong, maybe before the firmware does."""
        grave = any(fault_class(code) is not FaultClass.AUTOMATIC for code in self.causes())
        return self.flap_open or self.service or grave

    def causes(self) -> Mapping[int, Mapping[str, Any]]:
        """What is wrong now, by fault code."""
        found = ((code, self._fact(f"cause.{int(code)}")) for code in CAUSES.values())
        return {int(code): cause for code, cause in found if cause}

    def seen(self, code: int) -> None:
        """The firmware has noticed a cause; most are gone again by then."""
        if self.causes().get(code, {}).get("until") == NOTICED:
            self._forget(code)

    def clean(self) -> None:
        """Somebody wipes the sensors and frees what is stuck."""
        self._forget_until(CLEANED)

    def serviced(self) -> None:
        """Service has set right what only service can."""
        self._forget_until(SERVICED)

    def wear(self) -> None:
        """A card has passed: what is gone after so many cards is nearer to its end."""
        for code, cause in self.causes().items():
            if isinstance(cause["until"], int):
                left = cause["until"] - 1
                self.world.set_facts({f"{self.name}.cause.{code}": {**cause, "until": left} if left else None})

    def strikes(self, names: Collection[str], nth: int, passes: int) -> list[Fault]:
        """What of these strikes this machine at the n-th card of a cycle or shoe."""
        return self.plan.strikes(names, self.name, {"card": nth, "cycle": passes, "load": passes})

    def suffer(self, fault: Fault) -> None:
        """A fault strikes this machine."""
        name = fault.kind.name
        if name == "power_cut":
            self.power_failed(fault.number("cause"))
        elif name == "watchdog":
            self.power_failed(CAUSE_OF_WATCHDOG)
        elif name == "flutter":
            self._flutter(fault.number("edges"))
        elif name in FLAPS:
            self._open(name, stays=fault.number("shut") == 0)
        else:
            self._cause(fault)

    def _cause(self, fault: Fault) -> None:
        code = CAUSES[fault.kind.name]
        match fault_class(code):
            case FaultClass.PERMANENT:
                until: int | str = SERVICED
            case FaultClass.AUTOMATIC:
                until = fault.number("lasts") or CLEANED
            case _:
                until = CLEANED if fault.number("stays") else NOTICED
        which = fault.values.get("which", fault.kind.name)
        level = fault.values.get("level", UNKNOWN_LEVEL)
        cause = {"which": _WHICH[str(which)], "level": level, "until": until}
        self.world.set_facts({f"{self.name}.cause.{int(code)}": cause})

    def _open(self, flap: str, *, stays: bool) -> None:
        if not self._fact(flap):
            self.world.set_facts({f"{self.name}.{flap}": True if stays else _SOON})
            if not stays:
                self._set_right_soon(flap)

    def _set_right_soon(self, flap: str, after: float = SET_RIGHT_AFTER) -> None:
        def set_right() -> None:
            if self._fact(flap) == _SOON:
                self.world.set_facts({f"{self.name}.{flap}": None})

        self.world.clock.after(after, set_right)

    def _flutter(self, edges: int) -> None:
        """Open and shut, a millisecond apart, and shut in the end."""
        if self.flap_open:
            return
        for edge in range(edges + edges % 2):
            value = None if edge % 2 else _SOON
            self.world.clock.after(edge / 1000, lambda value=value: self._bounce(value))  # type: ignore[misc]

    def _bounce(self, value: str | None) -> None:
        if self._fact(self.flap) in (None, _SOON):
            self.world.set_facts({f"{self.name}.{self.flap}": value})

    def _fact(self, name: str) -> Any:
        return self.world.facts.get(f"{self.name}.{name}")

    def _forget(self, code: int) -> None:
        self.world.set_facts({f"{self.name}.cause.{code}": None})

    def _forget_until(self, until: str) -> None:
        for code, cause in self.causes().items():
            numbered = until == CLEANED and isinstance(cause["until"], int)
            if cause["until"] == until or numbered:
                self._forget(code)
