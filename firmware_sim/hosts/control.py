"""The control socket: JSON lines in, one JSON line back for each.

The answer to a movement comes when it is finished, with the movement's id.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from firmware_sim.faults import BadFault
from firmware_sim.firmware.alder import AlderFirmware
from firmware_sim.table import SimulatedTable

Reply = dict[str, Any]
Answer = Callable[[Reply], None]

LONGEST_LINE = 1 << 20


def answer_order(table: SimulatedTable, order: Any, answer: Answer) -> None:
    """Treat one object; `answer` is called once, now or when the hands are done."""
    match order:
        case {"do": "press", "device": str(name)}:
            answer(_press(table, name))
        case {"do": "power_cut", "device": str(name)}:
            answer(_power_cut(table, name, order.get("cause", 1)))
        case {"do": str()}:
            table.hands.do(order, lambda reply: answer({**reply, "id": order.get("id")}))
        case {"look": str(place)}:
            answer(table.hands.look(place, bool(order.get("lift"))))
        case {"state": True}:
            answer(table.state())
        case {"fault": str(spec)}:
            answer(_fault(table, spec))
        case {"stop": "draw"}:
            answer({"ok": True, "ended": table.hands.end_draw()})
        case _:
            answer({"ok": False, "error": "write do, look, state, fault or stop (see docs/simulator.md)"})


def _press(table: SimulatedTable, name: str) -> Reply:
    machine = table.machines.get(name)
    device = machine.device if machine else None
    if not isinstance(device, AlderFirmware):
        return {"ok": False, "error": f"no shuffler {name!r} that is on"}
    with device.step():
        begun = device.cycle.press()
    return {"ok": True} if begun else {"ok": False, "error": "the machine is not ready for a cycle"}


def _power_cut(table: SimulatedTable, name: str, cause: object) -> Reply:
    machine = table.machines.get(name)
    if machine is None or not isinstance(cause, int) or not 0 <= cause <= 4:
        return {"ok": False, "error": f"power_cut: 'device' is one of {', '.join(table.machines)}, 'cause' 0 to 4"}
    machine.power_cut(cause)
    return {"ok": True}


def _fault(table: SimulatedTable, spec: str) -> Reply:
    try:
        table.plan.add(spec)
    except BadFault as error:
        return {"ok": False, "error": str(error)}
    return {"ok": True}


class ControlSocket:
    """Listens on a Unix socket; any number of clients. `changed` is called when an order may have begun something."""

    def __init__(self, table: SimulatedTable, path: Path, changed: Callable[[], None]) -> None:
        self._table = table
        self._path = path
        self._changed = changed
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.StreamWriter] = set()

    async def listen(self) -> None:
        """Begin. Raises OSError."""
        with suppress(FileNotFoundError):
            self._path.unlink()
        old = os.umask(0o177)
        try:
            self._server = await asyncio.start_unix_server(self._connected, self._path, limit=LONGEST_LINE)
        finally:
            os.umask(old)

    def close(self) -> None:
        """End; the path is removed."""
        if self._server is not None:
            self._server.close()
            for writer in self._clients:
                writer.transport.abort()
            with suppress(FileNotFoundError):
                self._path.unlink()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients.add(writer)
        try:
            while line := await reader.readline():
                self._treat(line, writer)
        except (ConnectionError, ValueError):
            pass
        finally:
            self._clients.discard(writer)
            writer.close()

    def _treat(self, line: bytes, writer: asyncio.StreamWriter) -> None:
        def answer(reply: Reply) -> None:
            if not writer.is_closing():
                writer.write(json.dumps(reply).encode() + b"\n")

        try:
            order = json.loads(line)
        except ValueError:
            answer({"ok": False, "error": "not JSON"})
            return
        answer_order(self._table, order, answer)
        self._changed()
