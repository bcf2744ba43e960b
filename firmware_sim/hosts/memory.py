"""The simulator without any plug: for tests, ours and other people's, and for `sim:` URLs.

table = Bench("alder", seed=7, speed=math.inf)
host = table.attach("alder")               # a protocols link of the host's side on an in-memory cable
table.run(0.5)                             # let half a second pass
table.do({"do": "take", "device": "alder"})
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from itertools import count
from typing import Any
from urllib.parse import SplitResult, parse_qsl
from weakref import WeakKeyDictionary

from firmware_sim.hosts.pump import Pump
from firmware_sim.machine import Machine
from firmware_sim.table import BadSetup, Setup, SimulatedTable, options_of
from protocols.link import Link, LinkEvent, Received, Side
from protocols.message import Message, Request

GRAIN = 0.001
"""The shortest time that passes between two looks at a wire, seconds."""


class Attached:
    """A host's end of one device's line: its link, and everything that came over it."""

    def __init__(self, link: Link, line: str) -> None:
        self.link = link
        self.line = line
        self.events: list[LinkEvent] = []
        self.sent = bytearray()
        """What the host has put on the wire."""

    @property
    def messages(self) -> list[Message]:
        """The messages that came in, in order."""
        return [event.message for event in self.events if isinstance(event, Received)]


class Bench:
    """A simulated table whose clock is yours: nothing happens but in `run` and `until`."""

    def __init__(self, *devices: str, **setup: Any) -> None:
        self.table = SimulatedTable(Setup(devices, **{"speed": math.inf, "person": "none", **setup}))
        self.now = 0.0
        self.hosts: list[Attached] = []
        self._ids = count(1 + sum(name.startswith("movement.") for name in self.table.world.facts))
        self.table.advance(self.now)

    def machine(self, name: str) -> Machine:
        """A device by its name."""
        return self.table.machines[name]

    def attach(self, device: str) -> Attached:
        """Put a host's link on a device's line."""
        unit = self.table.machines[device].unit
        options = {"address": unit.address} if unit.address else {}
        host = Attached(unit.family.make_link(Side.HOST, **options), device.partition("@")[0])
        self.hosts.append(host)
        host.link.open(self.now)
        host.link.read_events_after(0)
        return host

    def detach(self, host: Attached) -> None:
        """Take the host off the line."""
        self.hosts.remove(host)
        self.table.lines[host.line].unplugged(self.now)

    def send(self, host: Attached, request: Request) -> None:
        """Have a host send a request."""
        host.link.send(request, self.now)

    def run(self, seconds: float) -> None:
        """Let time pass."""
        end = self.now + seconds
        while self.now < end:
            self._turn()
            self.now = min(max(self._next(end), self.now + GRAIN), end)
        self._turn()

    def until(self, reached: Callable[[], bool], seconds: float = 30.0) -> bool:
        """Let time pass until something is so; False when it was not within that time."""
        end = self.now + seconds
        self._turn()
        while not reached() and self.now < end:
            self.now = min(max(self._next(end), self.now + GRAIN), end)
            self._turn()
        return reached()

    def do(self, order: dict[str, Any], seconds: float = 60.0) -> dict[str, Any]:
        """Have the hands do a movement (see docs/simulator.md) and wait for its end."""
        replies: list[dict[str, Any]] = []
        self.table.hands.do({"id": f"bench {next(self._ids)}", **order}, replies.append)
        self.until(lambda: bool(replies), seconds)
        return replies[0] if replies else {"ok": False, "error": "not finished"}

    def _next(self, end: float) -> float:
        times = [host.link.deadline() for host in self.hosts] + [self.table.deadline(self.now), end]
        return min(at for at in times if at is not None)

    def _turn(self) -> None:
        """One exchange on every wire."""
        table, now = self.table, self.now
        table.advance(now)
        for host in self.hosts:
            host.events += host.link.tick(now)
            data = host.link.output(now)
            host.sent += data
            if data:
                table.lines[host.line].receive(data, now)
        for name, line in table.lines.items():
            data = line.output(now)
            line.hang_up = False
            for host in self.hosts:
                if data and host.line == name:
                    host.events += host.link.receive(data, now)


_PLUGGED: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, _Plugged]] = WeakKeyDictionary()


class _Plugged:
    """A device that `sim:` URLs name. It stays as long as the loop, whoever has its line."""

    def __init__(self, setup: Setup) -> None:
        self.table = SimulatedTable(setup)
        self.holder: SimTransport | None = None
        self.pump = Pump(self.table, lambda line, data: self._deliver(data), lambda line: self._drop())
        self.pump.start()

    def _deliver(self, data: bytes) -> None:
        if self.holder is not None:
            self.holder.deliver(data)

    def _drop(self) -> None:
        holder, self.holder = self.holder, None
        if holder is not None:
            self.table.lines[self.line].unplugged(asyncio.get_running_loop().time())
            holder.drop()

    @property
    def line(self) -> str:
        """The name of its only line."""
        return next(iter(self.table.lines))


class SimTransport:
    """`sim:alder?seed=7`: a device in this process, on the running loop's clock, with a person who serves it.

    The same URL is the same device, so what it remembers is there when the line is opened again.
    """

    notices: tuple[str, ...] = ()
    node = ""

    def __init__(self, url: SplitResult) -> None:
        self._url = url
        self._plugged: _Plugged | None = None
        self._closed = False
        self._received: Callable[[bytes], None] = lambda data: None
        self._lost: Callable[[Exception | None], None] = lambda error: None

    async def open(self, received: Callable[[bytes], None], lost: Callable[[Exception | None], None]) -> None:
        """Plug in. Raises OSError, one line, where the URL names no device that there is or somebody has it open."""
        known = _PLUGGED.setdefault(asyncio.get_running_loop(), {})
        plugged = known.get(self._url.geturl())
        if plugged is None:
            try:
                plugged = known[self._url.geturl()] = _Plugged(self._setup())
            except BadSetup as error:
                raise OSError(f"{self._url.geturl()}: {error}") from None
        if plugged.holder is not None:
            raise OSError(f"{self._url.geturl()}: it is open already")
        self._received, self._lost = received, lost
        self._plugged, plugged.holder = plugged, self

    @property
    def table(self) -> SimulatedTable:
        """The simulated table behind it, while it is open."""
        if self._plugged is None:
            raise OSError(f"{self._url.geturl()}: it is not open")
        return self._plugged.table

    def write(self, data: bytes) -> None:
        """To the device; never blocks."""
        if self._plugged is not None:
            self._plugged.pump.receive(self._plugged.line, bytes(data))

    async def close(self) -> None:
        """Unplug; may be repeated."""
        if self._plugged is not None and self._plugged.holder is self:
            self._plugged.holder = None
            self._plugged.pump.unplugged(self._plugged.line)
        self._plugged = None
        self._closed = True

    def deliver(self, data: bytes) -> None:
        """Bytes arrive from the loop, never inside a call of `write`."""
        asyncio.get_running_loop().call_soon(lambda: None if self._closed else self._received(data))

    def drop(self) -> None:
        """The line went."""
        self._plugged = None
        asyncio.get_running_loop().call_soon(lambda: None if self._closed else self._lost(None))

    def _setup(self) -> Setup:
        name, pairs = self._url.path or self._url.netloc, dict(parse_qsl(self._url.query))
        address = pairs.get("address", "3")
        device = f"birch@{address}" if name == "birch" and address != "3" else name
        return Setup((device,), **options_of(pairs, device))
