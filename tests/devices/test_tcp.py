"""A line behind a serial server. Real sockets on this machine."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest

from shoectl.devices.places import Place, occupy, port_and_options
from shoectl.errors import BadInput
from shoectl.transports import TransportError, open_transport
from shoectl.transports import descriptor as descriptor_module
from shoectl.transports import tcp as tcp_module
from shoectl.transports.network import notices_of
from shoectl.transports.tcp import TcpTransport
from tests.devices.notes import Notes
from tests.devices.ports import open_descriptors, until
from tests.devices.scripted import Device


class Server:
    """One connection at a time. `writer` is the host that is there; what it says goes to `device` or to `heard`."""

    def __init__(self, device: Device | None = None) -> None:
        self.device = device
        self.heard = b""
        self.calls = 0
        self.deaf = False
        self.writer: asyncio.StreamWriter | None = None
        self.port = 0
        self.over = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.calls += 1
        self.writer = writer
        if self.device is not None:
            self.device.power_on(writer.write)
        with contextlib.suppress(ConnectionError):
            while not self.deaf and (data := await reader.read(4096)):
                self.heard += data
                if self.device is not None:
                    self.device.received(data)
        if self.deaf:
            await self.over.wait()
        writer.close()

    def hang_up(self) -> None:
        assert self.writer is not None
        self.writer.transport.abort()


@contextlib.asynccontextmanager
async def serving(server: Server) -> AsyncIterator[Server]:
    listener = await asyncio.start_server(server.serve, "127.0.0.1", server.port)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        server.over.set()
        listener.close()
        if server.writer is not None:
            server.writer.transport.abort()
        await asyncio.sleep(0.02)


class Caller:
    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self.transport = TcpTransport(urlsplit(f"tcp://{host}:{port}"))
        self.heard = bytearray()
        self.losses: list[Exception | None] = []

    async def open(self) -> None:
        await self.transport.open(self.heard.extend, self.losses.append)


async def test_bytes_pass_both_ways_and_closing_tells_the_server() -> None:
    everything = bytes(range(256)) * 40
    async with serving(Server()) as server:
        before = open_descriptors()
        caller = Caller(server.port, "localhost")
        await caller.open()
        caller.transport.write(everything)
        await until(lambda: server.heard == everything)
        assert server.writer is not None
        server.writer.write(everything)
        await until(lambda: caller.heard == everything)
        assert caller.transport.node == f"127.0.0.1:{server.port}"
        assert ["not locked" in notice for notice in caller.transport.notices] == [True]
        await caller.transport.close()
        await caller.transport.close()
        caller.transport.write(b"x")
        await until(lambda: open_descriptors() <= before)
        assert caller.losses == []


async def test_a_server_that_hangs_up_is_a_loss_told_once() -> None:
    async with serving(Server()) as server:
        caller = Caller(server.port)
        await caller.open()
        await until(lambda: server.writer is not None)
        server.hang_up()
        await until(lambda: bool(caller.losses))
        await asyncio.sleep(0.05)
        assert len(caller.losses) == 1
        await caller.transport.close()


async def test_field_case_20_a_frozen_bridge_is_a_loss_at_the_write_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptor_module, "WRITE_DEADLINE_S", 0.2)
    server = Server()
    server.deaf = True
    async with serving(server):
        caller = Caller(server.port)
        await caller.open()
        loop = asyncio.get_running_loop()
        started = loop.time()
        while not caller.losses and loop.time() < started + 5:
            caller.transport.write(bytes(32_768))
            await asyncio.sleep(0.001)
        assert "takes no more bytes" in str(caller.losses[0])
        await caller.transport.close()
        assert loop.time() - started < 3


async def test_a_refused_connection_says_why_and_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(TransportError, match=rf"nobody listens at 127.0.0.1:{port}: start the serial server"):
            await Caller(port).open()
    with pytest.raises(TransportError, match="is no host that is known here"):
        await Caller(1, "no-such-host.invalid").open()
    monkeypatch.setattr(tcp_module, "OPEN_DEADLINE_S", 0.1)
    before = open_descriptors()

    async def never(*_: object) -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr(asyncio.get_running_loop(), "sock_connect", never)
    with pytest.raises(TransportError, match="does not answer: check the serial server"):
        await Caller(1).open()
    assert open_descriptors() == before


@pytest.mark.parametrize(
    "url", ["tcp://", "tcp:///dev/x", "tcp://host", "tcp://host:99999", "tcp://host:x", "tcp://u@host:1", "tcp://h:1/x"]
)
def test_a_url_that_names_no_port_of_a_host_is_refused(url: str) -> None:
    with pytest.raises(BadInput, match=r"a serial server is written tcp://HOST:PORT"):
        open_transport(url)


def test_other_options_are_refused_and_addresses_share_a_port(device: Device) -> None:
    with pytest.raises(BadInput, match="no option 'parity' here; allowed: address, baud"):
        open_transport("tcp://host:1?parity=n")
    with pytest.raises(BadInput, match="baud is a whole number"):
        open_transport("tcp://host:1?baud=fast")
    if device.address is not None:
        url, options = port_and_options(f"tcp://[::1]:4001?address={device.address}", device.family)
        assert (url, options) == ("tcp://[::1]:4001", {"address": device.address})


def test_a_network_that_others_may_read_is_told() -> None:
    assert [len(notices_of("x:1", address)) for address in ("127.0.0.1", "::1", "10.0.0.7", "fe80::1%2")] == [
        1, 1, 2, 2,
    ]  # fmt: skip


async def test_field_case_27_a_station_behind_a_server_comes_back_after_each_hang_up(device: Device) -> None:
    notes = Notes()
    async with serving(Server(device)) as server:
        places = [Place("device", f"tcp://127.0.0.1:{server.port}", device.family.name)]
        station = occupy(places, notes)["device"]
        async with asyncio.TaskGroup() as group:
            task = group.create_task(station.run())
            async with asyncio.timeout(20):
                for count in range(1, 4):
                    await station.ready()
                    device.event()
                    await station.catch_up()
                    server.hang_up()
                    await until(lambda: not station.online)
                    assert notes.seqs == list(range(1, count + 1))
                await station.ready()
                assert station.reconnects == 3
            task.cancel()
        device.power_off()
    assert notes.alarms == []
