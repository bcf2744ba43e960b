"""A USB/IP server that wishes us ill, or is broken: a well-behaved Cedar but for what a test has it do otherwise."""

from __future__ import annotations

import errno
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from protocols import usbip
from protocols.cedar.datasheet import USB as CEDAR
from protocols.usb import HIGH
from protocols.usbip import Exported, Op, Submit, Submitted, Unlink, Unlinked

LISTED = Exported("/sys/x", "1-1", 1, 2, 3, CEDAR.vendor, CEDAR.product, 0x100, (0, 0, 0), 1, 1, 1, ((0xFF, 0x53, 1),))
LANGUAGES, SERIAL = b"\x04\x03\x09\x04", "CE000042"
LATE = bytes(range(64))
CONFIGURATION = CEDAR.configurations[HIGH]


def string(text: str) -> bytes:
    data = text.encode("utf-16le", "surrogatepass")
    return bytes((2 + len(data), 3)) + data


@dataclass
class Stranger:
    """`told` by kind and index of a descriptor; `taken` of an OUT transfer, `brought` of an IN transfer, by its length.

    `pause` is before each byte of a list or an import; `count` is how many devices the list claims; `slow` is
    before each answer of endpoint 0.
    """

    told: dict[tuple[int, int], bytes] = field(default_factory=dict)
    bus_id: str = "1-1"
    count: int = 1
    pause: float = 0.0
    gives: bool = True  # whether it answers an import
    slow: float = 0.0
    configured: bytes = b"\1"
    taken: int | None = None
    brought: bytes | None = None
    unlinked: int | None = -errno.ECONNRESET  # what it says of a transfer that is taken back; None: no word
    late: float = 0.0  # s until that, where the transfer brought something after all
    longer: int = 0  # bytes that each answer of endpoint 0 has too many
    number: int = 0

    @contextmanager
    def listening(self) -> Iterator[Stranger]:
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.number = server.getsockname()[1]
            threading.Thread(target=self._accept, args=(server,), daemon=True).start()
            yield self

    @property
    def url(self) -> str:
        return f"usb://1209:5c01?usbip=127.0.0.1:{self.number}"

    def _accept(self, server: socket.socket) -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=self._serve, args=(server.accept()[0],), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError, EOFError), client:
            code, _ = usbip.decode_op(_exactly(client, usbip.OP.size))
            device = replace(LISTED, bus_id=self.bus_id)
            if code == Op.REQUEST_LIST:
                self._say(
                    client, usbip.encode_op(Op.REPLY_LIST) + usbip.COUNT.pack(self.count) + device.encode_listed()
                )
                while self.count > 1:
                    client.sendall(device.encode_listed() * 100)
                return
            _exactly(client, usbip.BUS_ID.size)
            if not self.gives:
                _exactly(client, 1)
            self._say(client, usbip.encode_op(Op.REPLY_IMPORT) + device.encode())
            while True:
                asked = usbip.decode_header(_exactly(client, usbip.HEADER.size))
                if isinstance(asked, Submit):
                    self._answer(client, asked)
                elif isinstance(asked, Unlink):
                    self._taken_back(client, asked)

    def _say(self, client: socket.socket, data: bytes) -> None:
        for byte in data if self.pause else ():
            time.sleep(self.pause)
            client.sendall(bytes((byte,)))
        client.sendall(b"" if self.pause else data)

    def _answer(self, client: socket.socket, asked: Submit) -> None:
        if not asked.into_host:
            _exactly(client, asked.length)
            taken = asked.length if self.taken is None or asked.endpoint == 0 else self.taken
            client.sendall(Submitted(asked.seq, 0, taken).encode())
        elif asked.endpoint == 0:
            time.sleep(self.slow)
            data = self._control(asked.setup)[: asked.length] + bytes(self.longer)
            client.sendall(Submitted(asked.seq, 0, len(data)).encode(data))
        elif self.brought is not None:
            client.sendall(Submitted(asked.seq, 0, len(self.brought)).encode(self.brought))

    def _taken_back(self, client: socket.socket, asked: Unlink) -> None:
        if self.late:
            time.sleep(self.late)
            client.sendall(Submitted(asked.of, 0, len(LATE)).encode(LATE))
        if self.unlinked is not None:
            client.sendall(Unlinked(asked.seq, self.unlinked).encode())

    def _control(self, setup: bytes) -> bytes:
        if setup[1] != 6:
            return self.configured
        usual = {(1, 0): CEDAR.device, (2, 0): CONFIGURATION, (3, 0): LANGUAGES, (3, 3): string(SERIAL)}
        kind = setup[3], setup[2]
        return self.told.get(kind, usual.get(kind, b""))


def _exactly(client: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        came = client.recv(size - len(data))
        if not came:
            raise EOFError
        data += came
    return data
