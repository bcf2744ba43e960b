"""The ground under every firmware: both clocks, NVRAM in steps, the event ring, the state.

Whatever happens happens inside `step`: all that it changes in NVRAM is written at once, and only then does a message
leave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from firmware_sim.faults import Fault, FaultPlan
from firmware_sim.nvram import Nvram, PowerCut
from firmware_sim.ring import CommandMemory, EventRing
from firmware_sim.timeline import Timeline, Timer, Timers
from protocols.family import Family
from protocols.link import Link
from protocols.message import Event, Message
from protocols.vocabulary import Capability, EventCode, Result

BROWN_OUT = 1
RESET_BY_SERVICE = 3
HASH_RUNNING, HASH_DONE, HASH_FAILED = 1, 2, 3


@dataclass(frozen=True)
class Unit:
    """What one device is given: its name (`birch@4`), family, memory, both clocks, faults, and its nameplate."""

    name: str
    family: Family
    nvram: Nvram
    clock: Timeline
    line: Timeline
    plan: FaultPlan
    serial: str
    caps: Capability
    address: int = 0
    key: bytes | None = None
    """What was installed for sealed links, known to the host as `key_id`; none where it is left out."""
    key_id: int = 0
    level: int = 0
    """MIN_LEVEL as it left the factory."""


class Core:
    """A device under power: what it writes down and what it says."""

    def __init__(self, unit: Unit, link: Link) -> None:
        self.unit = unit
        self.link = link
        self.nvram = unit.nvram
        self.ring = EventRing(unit.nvram, unit.plan.option("ring_small", unit.name, "slots") or unit.family.ring)
        self.commands = CommandMemory(unit.nvram)
        self.lost_power = False
        self.power_failed: Callable[[int], None] = lambda cause: None
        self._timers = Timers(unit.clock)
        self._line_timers = Timers(unit.line)
        self._booted = unit.clock.now
        self._outgoing: list[Message] = []
        self._depth = 0
        self._twins: dict[int, Event] = {}
        self.recorded: Callable[[int], None] = lambda number: None
        """Told the number of each event in this run, in the step that records it."""

    # time

    @contextmanager
    def step(self) -> Iterator[None]:
        """One thing that happens: NVRAM first, then the line."""
        self._depth += 1
        try:
            with self.nvram.transaction():
                yield
        except PowerCut:
            self.power_failed(BROWN_OUT)
        finally:
            self._depth -= 1
        if self._depth == 0:
            outgoing, self._outgoing = [*self._outgoing, *self.hints()], []
            for message in outgoing:
                if self.link.up and not self.lost_power:
                    self.link.send(message, self.unit.line.now)

    def hints(self) -> list[Message]:
        """What the family tells of by the way once a step is over."""
        return []

    def after(self, delay: float, action: Callable[[], None]) -> Timer:
        """Something of the mechanics' time, which a power cut cancels."""
        return self._timers.after(delay, self.guarded(action))

    def after_on_line(self, delay: float, action: Callable[[], None]) -> Timer:
        """Something of the line's time, which a power cut cancels."""
        return self._line_timers.after(delay, self.guarded(action))

    def guarded(self, action: Callable[..., None]) -> Callable[..., None]:
        """An action that is a step, and that does not happen any more once power is lost."""

        def act(*values: Any) -> None:
            if not self.lost_power:
                with self.step():
                    action(*values)

        return act

    @property
    def t_ms(self) -> int:
        """Milliseconds since this boot."""
        return round((self.unit.clock.now - self._booted) * 1000) & 0xFFFFFFFF

    @property
    def boot(self) -> int:
        """The number of this boot."""
        return int(self.nvram.get("boot", 0))

    @property
    def epoch(self) -> int:
        """Changes only when NVRAM was wiped."""
        return int(self.nvram.get("epoch", 1))

    # states and events

    @property
    def state(self) -> int:
        """The number of the state."""
        return int(self.nvram.get("state", 0))

    def enter(self, new: int) -> None:
        """Go to a state, with the event; nothing where it is that already."""
        old = self.state
        if old != new:
            self.nvram.put("state", int(new))
            self.record(EventCode.STATE, old=old, new=int(new))

    def record(self, code: int, **body: Any) -> int:
        """Write an event down and have it pushed where the family does; its seq."""
        plan, name, number = self.unit.plan, self.unit.name, self.unit.plan.count("event", self.unit.name)
        if plan.take("torn_write", name, event=number):
            self.nvram.tear()
        lose = plan.take("gap", name, event=number) is not None
        twice = plan.take("event_twice", name, event=number)
        with self.step():
            event = self.ring.append(self.boot, self.t_ms, code, body, lose=lose)
            if event is not None:
                if twice:
                    self._twins[event.seq] = _twin(event, twice)
                self.noted(code)
                for told in self.told([event]) if self.pushed(event) else ():
                    self._outgoing.append(told)
            self.recorded(number)
        return self.ring.newest

    def told(self, events: Iterable[Event]) -> list[Event]:
        """Events as they go out: each once, unless the plan has it otherwise."""
        return [told for event in events for told in (event, self._twins.pop(event.seq, None)) if told]

    def noted(self, code: int) -> None:
        """An event was recorded."""
        return None

    def done(self, command: int, result: Result) -> None:
        """The end of an ACCEPTED command."""
        self.nvram.put("open", [id for id in self.nvram.get("open", ()) if id != command])
        self.record(EventCode.CMD_DONE, cmd_id=command, result=int(result))

    def end_open_commands(self) -> None:
        """At start: what was ACCEPTED and had no end yet was ended by the power cut."""
        if self.nvram.get("hash", {}).get("status") == HASH_RUNNING:
            self.nvram.put("hash", {**self.nvram.get("hash"), "status": HASH_FAILED})
        for command in self.nvram.get("open", ()):
            self.done(command, Result.E_ABORTED)

    def opened(self, command: int) -> None:
        """A command was ACCEPTED: exactly one CMD_DONE is owed."""
        self.nvram.put("open", [*self.nvram.get("open", ()), command])

    def push(self, message: Message) -> None:
        """Send what nobody asked for, if the family does that."""
        if self.pushed(message):
            self._outgoing.append(message)

    def pushed(self, message: Message) -> bool:
        """Whether this family's link takes messages that nobody asked for."""
        return False


def _twin(event: Event, fault: Fault) -> Event:
    return replace(event, t_ms=event.t_ms ^ 1) if fault.text("bytes") == "other" else event
