"""Serial servers that let their line be set over the network (RFC 2217), through pyserial's own client.

That client has no descriptor for the loop and its calls wait, so it has threads here, beside the one of its own.
"""

from __future__ import annotations

import contextlib
import errno
import socket
from typing import Any
from urllib.parse import SplitResult

import serial
import serial.rfc2217

from shoectl.transports.base import TransportError, number_of, options_of
from shoectl.transports.descriptor import errno_text
from shoectl.transports.network import address_of, notices_of
from shoectl.transports.telnet import LimitedSocket
from shoectl.transports.threaded import Ended, Heard, ThreadedTransport, Threads

DEFAULT_BAUD = 57_600
AGREE_S = 2.0  # for the server to agree on what is spoken, and on each setting of the line
READ_S = 0.1  # how long one read waits; the longest that its thread takes to notice that it is to end


class Rfc2217Transport(ThreadedTransport):
    """`rfc2217://HOST:PORT?baud=57600`: 8 data bits, no parity, one stop bit, no flow control, set at the server."""

    def __init__(self, url: SplitResult) -> None:
        self.host, self.port, name = address_of(url, "rfc2217")
        super().__init__(name)
        options = options_of(url, {"baud": str(DEFAULT_BAUD), "address": ""})
        self.baud = number_of(url, "baud", options["baud"], 300, 4_000_000)

    def _make(self, heard: Heard, ended: Ended) -> tuple[Threads, str]:
        """Connect, agree on binary, set the line. Raises TransportError."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        client = Client(None, self.baud, timeout=READ_S)
        client.port = f"rfc2217://{host}:{self.port}?timeout={AGREE_S}"
        try:
            client.open()
        except (OSError, ValueError) as error:
            raise self._refusal(error) from None
        peer = client._socket.getpeername()[0]
        self.notices = notices_of(self.name, peer)
        return Rfc2217Threads(client, self.name, heard, ended), f"{peer}:{self.port}"

    def _refusal(self, error: Exception) -> TransportError:
        cause = error.__context__ if isinstance(error.__context__, OSError) else error  # pyserial keeps only its text
        if isinstance(cause, socket.gaierror):
            return TransportError(f"{self.host} is no host that is known here", "correct the URL, or check the network")
        match getattr(cause, "errno", None):
            case errno.ECONNREFUSED:
                return TransportError(f"nobody listens at {self.name}", "start the serial server, or correct the URL")
            case int():
                return TransportError(f"{self.name} cannot be reached ({errno_text(cause)})", "check the network")
        do = "use tcp:// if it passes bytes as they are"
        return TransportError(f"{self.name} does not answer as a serial server by RFC 2217", do)


class Client(serial.rfc2217.Serial):  # type: ignore[misc]
    """Its own thread ends without a word where a server says what is no telnet, or a suboption without an end: the next
    read tells of the loss.
    """

    _socket: Any

    def _telnet_read_loop(self) -> None:
        self._socket = LimitedSocket(self._socket)
        with contextlib.suppress(Exception):
            super()._telnet_read_loop()


class Rfc2217Threads(Threads):
    """One thread reads, one writes."""

    def __init__(self, client: serial.rfc2217.Serial, name: str, heard: Heard, ended: Ended) -> None:
        super().__init__(heard, ended)
        self._client, self._name = client, name

    def start(self) -> None:
        """Both."""
        self._spawn(self._read)
        self._spawn(self._write)

    def give_back(self) -> None:
        """Hang up. pyserial leaves a socket open that the server has closed already."""
        connected = self._client._socket
        with contextlib.suppress(Exception):
            self._client.close()
        if connected is not None:
            connected.close()

    def _read(self) -> None:
        while not self._stopping.is_set():
            try:
                data = self._client.read(1)
                data += self._client.read(self._client.in_waiting) if data else b""
            except Exception as error:
                self._end(self._why(error))
                return
            self._hear(data)

    def _write(self) -> None:
        while (data := self._next()) is not None:
            try:
                self._client.write(data)
            except Exception as error:
                self._end(self._why(error))
                return
            self.taken += len(data)

    def _why(self, error: Exception) -> Exception:
        if not isinstance(error, OSError):
            return error
        return TransportError(f"{self._name} was lost", "check the serial server and the network")
