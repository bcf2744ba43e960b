"""Serial servers: a plain TCP connection that carries the bytes of a line as they are."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import struct
from functools import partial
from urllib.parse import SplitResult

from shoectl.transports.base import Lost, Received, TransportError, number_of, options_of
from shoectl.transports.descriptor import DescriptorTransport, errno_text
from shoectl.transports.network import address_of, notices_of
from shoectl.transports.threads import in_thread

OPEN_DEADLINE_S = 5.0
# A peer that is gone without a word: asked after 10 s without traffic, given up 15 s later. Links notice sooner.
_KEEP_ALIVE = ((socket.TCP_KEEPIDLE, 10), (socket.TCP_KEEPINTVL, 5), (socket.TCP_KEEPCNT, 3))
_AT_ONCE = struct.pack("ii", 1, 0)  # closing tells the server at once, so that its port is free for the next opening


class TcpTransport(DescriptorTransport):
    """`tcp://HOST:PORT`: a serial server, or a simulator. `baud` is what the server's line has, for the links."""

    def __init__(self, url: SplitResult) -> None:
        self.host, self.port, name = address_of(url, "tcp")
        options = options_of(url, {"baud": "", "address": ""})
        if options["baud"]:
            number_of(url, "baud", options["baud"], 300, 4_000_000)
        super().__init__(name)
        self._socket: socket.socket | None = None

    async def open(self, received: Received, lost: Lost) -> None:
        """Look the name up, in a thread, and connect to the first of its addresses that answers."""
        self._begin(received, lost)
        try:
            async with asyncio.timeout(OPEN_DEADLINE_S):
                self._socket = await self._connected()
        except TimeoutError:
            raise TransportError(f"{self.name} does not answer", "check the serial server and the network") from None
        except OSError as error:
            raise self._refusal(error) from None
        self.node = _text_of(self._socket.getpeername())
        self.notices = notices_of(self.name, self._socket.getpeername()[0])
        self._listen(self._socket.fileno())

    async def close(self) -> None:
        """Hang up; what was not sent is discarded."""
        self._stop()
        connected, self._socket = self._socket, None
        if connected is not None:
            _hang_up(connected)

    def _discard(self) -> None:
        return None  # closing does

    async def _connected(self) -> socket.socket:
        look_up = partial(socket.getaddrinfo, self.host, self.port, type=socket.SOCK_STREAM)
        failure: OSError = OSError(errno.EHOSTUNREACH, "no address")
        for family, type, protocol, _, address in await in_thread(look_up):
            made = socket.socket(family, type, protocol)
            try:
                made.setblocking(False)
                await self._loop.sock_connect(made, address)
                _set_up(made)
            except OSError as error:
                made.close()
                failure = error
            except BaseException:
                made.close()
                raise
            else:
                return made
        raise failure

    def _refusal(self, error: OSError) -> TransportError:
        if isinstance(error, socket.gaierror):
            return TransportError(f"{self.host} is no host that is known here", "correct the URL, or check the network")
        if error.errno == errno.ECONNREFUSED:
            return TransportError(f"nobody listens at {self.name}", "start the serial server, or correct the URL")
        return TransportError(f"{self.name} cannot be reached ({errno_text(error)})", "check the network")


def _set_up(connected: socket.socket) -> None:
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, seconds in _KEEP_ALIVE:
        connected.setsockopt(socket.IPPROTO_TCP, option, seconds)


def _hang_up(connected: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
    with contextlib.suppress(OSError):
        connected.close()


def _text_of(address: tuple[str, int]) -> str:
    host, port = address[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
