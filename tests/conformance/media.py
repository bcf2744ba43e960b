"""The media of the suite: in memory, a pseudo-terminal, TCP, and USB over TCP. The kernel's own is in tests/kernel."""

from __future__ import annotations

import asyncio
import itertools
import math
from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from firmware_sim.hosts.control import answer_order
from firmware_sim.hosts.pty import PtyPort
from firmware_sim.hosts.pump import Pump
from firmware_sim.hosts.serve import Port
from firmware_sim.hosts.tcp import TcpPort
from firmware_sim.table import Setup, SimulatedTable, options_of
from firmware_sim.usb.bus import Bus
from firmware_sim.usb.lines import plug_in, url_of
from protocols.family import families
from shoectl.transports import Transport, TransportError
from shoectl.transports.base import Lost, Received
from tests.conformance.rig import Rig

LOOPBACK = "127.0.0.1"
HUNG_UP_S = 0.05


class InThisProcess(Rig):
    """A simulated device on this loop. `_port` is the plug, None while it is pulled."""

    def __init__(self, family: str, plug: str = "own") -> None:
        self.family = families()[family]
        self.table = SimulatedTable(
            Setup((family,), speed=math.inf, person="none", **options_of({"plug": plug}, family))
        )
        self.serial = self.table.machines[family].unit.serial
        self.line = self.table.lines[family]
        self._port: Port | None = None
        self._ids = itertools.count(1)

    async def begin(self) -> None:
        self.pump = Pump(self.table, self._deliver, self._drop)
        await self.put_back()
        self.pump.start()

    async def finish(self) -> None:
        self.pump.stop()
        if self._port is not None:
            await self.pull()
        self.table.close()
        await asyncio.sleep(0.02)

    async def pull(self) -> None:
        assert self._port is not None
        self._port.close()
        self._port = None

    async def put_back(self) -> None:
        self._port = await self._plugged(partial(self.pump.receive, self.line.name))

    async def order(self, **order: Any) -> dict[str, Any]:
        done: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        answer_order(self.table, {"id": f"order {next(self._ids)}", **order}, done.set_result)
        self.pump.turn()
        return await asyncio.wait_for(done, 5)

    def _deliver(self, line: str, data: bytes) -> None:
        if self._port is not None:
            self._port.write(data)

    def _drop(self, line: str) -> None:
        if self._port is not None:
            self._port.drop(max(self.line.back_after, HUNG_UP_S), renamed=self.line.renamed)

    @abstractmethod
    async def _plugged(self, received: Callable[[bytes], None]) -> Port:
        """A new port; `url` is where it is."""


class Memory(InThisProcess):
    """Bytes pass from hand to hand."""

    def __init__(self, family: str, plug: str = "own") -> None:
        super().__init__(family, plug)
        self.url = f"sim:{family}"
        self.make = lambda url: InMemory(self._port)

    async def _plugged(self, received: Callable[[bytes], None]) -> Port:
        return MemoryPort(received, partial(self.pump.unplugged, self.line.name))


class MemoryPort:
    """The device's end. One host at a time, as at any plug."""

    def __init__(self, received: Callable[[bytes], None], gone: Callable[[], None]) -> None:
        self.received, self.gone = received, gone
        self.host: InMemory | None = None
        self.away = False

    def write(self, data: bytes) -> None:
        if self.host is not None:
            asyncio.get_running_loop().call_soon(self.host.arrives, data)

    def drop(self, back_after: float, *, renamed: bool = False) -> None:
        self.close()
        asyncio.get_running_loop().call_later(back_after, setattr, self, "away", False)

    def flow(self, taking: bool) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self.away = True
        host, self.host = self.host, None
        if host is not None:
            self.gone()
            host.lose()


class InMemory(Transport):
    """The host's end."""

    def __init__(self, port: Port | None) -> None:
        assert port is None or isinstance(port, MemoryPort)
        self._port = port
        self._open = False

    async def open(self, received: Received, lost: Lost) -> None:
        if self._port is None or self._port.away or self._port.host is not None:
            raise TransportError("it is not there, or somebody has it")
        self._received, self._lost = received, lost
        self._port.host, self._open = self, True

    def write(self, data: bytes) -> None:
        if self._open and self._port is not None:
            asyncio.get_running_loop().call_soon(self._port.received, data)

    def arrives(self, data: bytes) -> None:
        if self._open:
            self._received(data)

    def lose(self) -> None:
        self._open = False
        self._lost(None)

    async def close(self) -> None:
        if self._open and self._port is not None:
            self._open, self._port.host = False, None
            self._port.gone()


class Terminal(InThisProcess):
    """A pseudo-terminal; back as another one, behind the same name."""

    def __init__(self, family: str, folder: Path) -> None:
        super().__init__(family)
        self._path = folder / "port"
        self.url = f"serial://{self._path}"

    async def _plugged(self, received: Callable[[bytes], None]) -> Port:
        return PtyPort(self._path, received)


class Network(InThisProcess):
    """A serial server that passes bytes as they are."""

    _number = 0

    async def _plugged(self, received: Callable[[bytes], None]) -> Port:
        port = TcpPort(received)
        self._number = await port.listen(LOOPBACK, self._number)
        self.url = f"tcp://{LOOPBACK}:{self._number}"
        return port


class OnTheBus(InThisProcess):
    """A device of a USB/IP server, taken by pyusb over TCP; back under another number of the bus."""

    async def begin(self) -> None:
        self._bus = Bus()
        self._number = await self._bus.listen(LOOPBACK, 0)
        await super().begin()

    async def finish(self) -> None:
        await super().finish()
        self._bus.close()

    async def _plugged(self, received: Callable[[bytes], None]) -> Port:
        port = plug_in(self._bus, self.line, received, partial(self.pump.unplugged, self.line.name))
        self.url = url_of(port, f"{LOOPBACK}:{self._number}")
        return port


def media(folder: Path) -> dict[str, dict[str, Callable[[], Rig]]]:
    """Every family on every medium that can carry it, by family and medium."""
    found: dict[str, dict[str, Callable[[], Rig]]] = {}
    for name, family in families().items():
        found[name] = {"memory": partial(Memory, name), "usbip": partial(OnTheBus, name)}
        if "baud" in family.line:
            found[name] |= {"pty": partial(Terminal, name, folder), "tcp": partial(Network, name)}
        if "baud" in family.line and "usb" in family.line:
            found[name]["usbip, behind an adapter"] = partial(OnTheBus, name, "ftdi")
    return found
