"""Plugs in the guest: devices of a USB/IP server, attached to the kernel's virtual bus and pulled from it.

A plug that was put in stays in: where the device itself goes from its bus (it lost power) and comes back, it is
attached again, as a cable would have it.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from protocols import usbip

BUS = Path("/sys/devices/platform/vhci_hcd.0")
FREE = 4  # the state of a port where nothing is attached
LOOK_EVERY_S = 0.1
SOCKET = Path("/run/hub.sock")


@dataclass
class Plug:
    """A place on a simulator's bus, and the port of the kernel's bus where it is attached."""

    server: int
    bus_id: str
    wanted: bool = True
    port: int | None = None


class Hub:
    """All plugs, by name. What is asked for holds when the call returns, as far as the kernel is concerned."""

    def __init__(self) -> None:
        self.plugs: dict[str, Plug] = {}
        self._lock = threading.Lock()
        threading.Thread(target=self._keep, daemon=True).start()
        threading.Thread(target=self._listen, daemon=True).start()

    def put_in(self, name: str, server: int, bus_id: str) -> None:
        """A new plug."""
        with self._lock:
            self.plugs[name] = Plug(server, bus_id)
            self._look(self.plugs[name])

    def pull(self, name: str) -> None:
        """Pull a plug out."""
        with self._lock:
            self._pull(self.plugs[name])

    def put_back(self, name: str) -> None:
        """Put it in again."""
        with self._lock:
            self.plugs[name].wanted = True
            self._look(self.plugs[name])

    def clear(self) -> None:
        """Pull everything out and forget it."""
        with self._lock:
            for plug in self.plugs.values():
                self._pull(plug)
            self.plugs.clear()

    def _pull(self, plug: Plug) -> None:
        plug.wanted = False
        if plug.port is not None and not _is_free(plug.port):
            (BUS / "detach").write_text(str(plug.port))
        plug.port = None

    def _look(self, plug: Plug) -> None:
        if plug.port is not None and _is_free(plug.port):
            plug.port = None
        if plug.wanted and plug.port is None:
            with contextlib.suppress(OSError):  # it is not there just now
                plug.port = attach(plug.server, plug.bus_id)

    def _keep(self) -> None:
        while True:
            time.sleep(LOOK_EVERY_S)
            with self._lock:
                for plug in self.plugs.values():
                    self._look(plug)

    def _listen(self) -> None:
        """For those who may not attach: a line `pull NAME` or `put_back NAME`, answered when it is done."""
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(SOCKET))
            SOCKET.chmod(0o666)
            server.listen()
            while True:
                client, _ = server.accept()
                with client, client.makefile("rw") as lines:
                    what, _, name = lines.readline().strip().partition(" ")
                    (self.pull if what == "pull" else self.put_back)(name)
                    lines.write("done\n")


def attach(server: int, bus_id: str) -> int:
    """Import a device and hand its connection to the kernel; the port. Raises OSError where it cannot be had."""
    with socket.create_connection(("127.0.0.1", server), timeout=10) as link:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link.sendall(usbip.encode_op(usbip.Op.REQUEST_IMPORT) + usbip.BUS_ID.pack(bus_id.encode()))
        with link.makefile("rb", buffering=0) as answer:
            _, status = usbip.decode_op(_exactly(answer, usbip.OP.size))
            if status != usbip.ImportStatus.OK:
                raise OSError(f"{bus_id} is not to be had")
            device = usbip.decode_device(_exactly(answer, usbip.DEVICE.size))
        link.settimeout(None)
        port = next(port for port, state in _ports().items() if state == FREE)
        (BUS / "attach").write_text(f"{port} {link.fileno()} {device.device_id} {device.speed}")
        return port


def _exactly(file: IO[bytes], size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = file.read(size - len(data))
        if not more:
            raise OSError("the server hung up")
        data += more
    return data


def _ports() -> dict[int, int]:
    """The state of each port for full and high speed, by its number."""
    lines = [line.split() for line in (BUS / "status").read_text().splitlines()[1:]]
    return {int(words[1]): int(words[2]) for words in lines if words[0] == "hs"}


def _is_free(port: int) -> bool:
    return _ports()[port] == FREE
