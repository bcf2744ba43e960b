"""`shoesim` as a process: ports for the lines, the control socket, and a clean end."""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import signal
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from firmware_sim.hosts.control import ControlSocket
from firmware_sim.hosts.pty import PtyPort
from firmware_sim.hosts.pump import Pump
from firmware_sim.hosts.tcp import TcpPort
from firmware_sim.machine import Machine
from firmware_sim.table import BadSetup, Setup, SimulatedTable
from firmware_sim.usb.bus import Bus
from firmware_sim.usb.lines import plug_in, url_of
from firmware_sim.usb.port import UsbPort
from firmware_sim.whereabouts import Unwritten

_PR_SET_PDEATHSIG = 1


class Port(Protocol):
    """The host's side of a line, whatever it is made of."""

    def write(self, data: bytes) -> None:
        """To the host."""

    def drop(self, back_after: float, *, renamed: bool) -> None:
        """Hang up, and come back so many seconds later."""

    def flow(self, taking: bool) -> None:
        """Take what the host sends, or leave it in the line."""

    def close(self) -> None:
        """Hang up for good."""


@dataclass(frozen=True)
class Plugs:
    """Where the lines come out: one path, a directory, a TCP address, a USB/IP server; else a directory of its own."""

    pty: Path | None = None
    directory: Path | None = None
    tcp: tuple[str, int] | None = None
    usbip: tuple[str, int] | None = None
    control: Path | None = None


def die_with_parent(parent: int) -> None:
    """Have the kernel send SIGTERM when the parent process ends (Linux); end at once if it has ended already."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        raise SystemExit(0)


async def serve(setup: Setup, plugs: Plugs) -> None:
    """Run a simulated table until SIGTERM or SIGINT. Raises BadSetup; OSError, also where its files take no more."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    unwritten = _end_when_unwritten(loop, stop)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    with ExitStack() as ends:
        table = SimulatedTable(setup)
        ends.callback(table.close)
        ports: dict[str, Port] = {}

        def drop(line: str) -> None:
            ports[line].drop(table.lines[line].back_after, renamed=table.lines[line].renamed)

        pump = Pump(
            table,
            lambda line, data: ports[line].write(data),
            drop,
            lambda line, taking: ports[line].flow(taking),
        )
        ends.callback(pump.stop)
        urls = await _plug_in(table, plugs, pump, ports, ends)
        if plugs.control:
            control = ControlSocket(table, plugs.control, pump.turn)
            await control.listen()
            ends.callback(control.close)
        pump.start()
        print(json.dumps(_ready(table, urls, ports, plugs.control)), flush=True)
        await stop.wait()
    if clients := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(clients, timeout=1)  # a cancelled stream handler prints a traceback in Python 3.11
    if unwritten:
        raise unwritten[0]


def _end_when_unwritten(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> list[Unwritten]:
    """Have the loop stop where what happens at the table cannot be written; the list then holds why."""
    unwritten: list[Unwritten] = []

    def failed(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if isinstance(error := context.get("exception"), Unwritten):
            unwritten.append(error)
            stop.set()
        else:
            loop.default_exception_handler(context)

    loop.set_exception_handler(failed)
    return unwritten


async def _plug_in(
    table: SimulatedTable, plugs: Plugs, pump: Pump, ports: dict[str, Port], ends: ExitStack
) -> dict[str, str]:
    """A port for each line; their URLs. Raises BadSetup for one that has a USB plug and nothing else."""
    if plugs.usbip:
        return await _on_a_bus(table, plugs.usbip, pump, ports, ends)
    for fault in table.plan.faults:
        if fault.kind.plugged:
            raise BadSetup(f"--fault {fault.spec}: it is a USB plug that breaks; serve it with --usbip HOST:PORT")
    for line in table.lines.values():
        if not line.serial:
            raise BadSetup(f"{line.name} has no serial line: serve it with --usbip HOST:PORT")
    urls = {}
    directory = plugs.directory
    if directory is not None:
        directory.mkdir(parents=True, exist_ok=True)
    elif not plugs.pty and not plugs.tcp:
        directory = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="shoesim-")))
    for name in table.lines:
        if plugs.tcp:
            port = TcpPort(lambda data, name=name: pump.receive(name, data))  # type: ignore[misc]
            number = await port.listen(*plugs.tcp)
            urls[name] = f"tcp://{plugs.tcp[0]}:{number}"
            ports[name] = port
        else:
            path = (directory / name if directory else plugs.pty or Path(name)).absolute()
            ports[name] = PtyPort(path, lambda data, name=name: pump.receive(name, data))  # type: ignore[misc]
            urls[name] = f"serial://{path}"
        ends.callback(ports[name].close)
    return urls


async def _on_a_bus(
    table: SimulatedTable, address: tuple[str, int], pump: Pump, ports: dict[str, Port], ends: ExitStack
) -> dict[str, str]:
    """All lines as devices of one bus."""
    bus = Bus()
    ends.callback(bus.close)
    plugged = {
        name: plug_in(bus, line, partial(pump.receive, name), partial(pump.unplugged, name))
        for name, line in table.lines.items()
    }
    for port in plugged.values():
        port.neighbours = tuple(plugged.values())
    ports |= plugged
    number = await bus.listen(*address)
    return {name: url_of(port, f"{address[0]}:{number}") for name, port in plugged.items()}


def _ready(
    table: SimulatedTable, urls: Mapping[str, str], ports: Mapping[str, Port], control: Path | None
) -> dict[str, Any]:
    devices = []
    for name, machine in table.machines.items():
        line = name.partition("@")[0]
        told = {
            "family": machine.unit.family.name,
            "name": name,
            "url": urls[line] + _options(machine, urls[line]),
            "serial": machine.unit.serial,
        }
        port = ports[line]
        devices.append(told | ({"bus": port.bus_id} if isinstance(port, UsbPort) else {}))
    ready: dict[str, Any] = {"ready": True, "devices": devices}
    return ready | ({"control": str(control.absolute())} if control else {})


def _options(machine: Machine, url: str) -> str:
    options = [] if url.startswith(("tcp", "usb")) else [f"baud={machine.unit.family.line['baud']}"]
    if machine.unit.address:
        options.append(f"address={machine.unit.address}")
    return ("&" if "?" in url else "?") + "&".join(options) if options else ""
