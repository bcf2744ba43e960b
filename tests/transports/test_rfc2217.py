"""Serial servers by RFC 2217: the line is set there, and what is wrong with one is told in a line."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncIterator

import pytest

from shoectl.errors import BadInput
from shoectl.transports import TransportError, open_transport, rfc2217, threaded
from tests.transports.ends import Rfc2217End, standing
from tests.transports.hosts import Host


@pytest.fixture
async def end() -> AsyncIterator[Rfc2217End]:
    made = Rfc2217End()
    async with standing(made):
        yield made


async def test_the_line_is_set_at_the_server(end: Rfc2217End) -> None:
    host = await Host(end.url + "?baud=38400").open()
    assert (end.line.baudrate, end.line.bytesize, end.line.parity, end.line.stopbits) == (38_400, 8, "N", 1)
    assert host.transport.node == f"127.0.0.1:{end.number}"
    assert ["not locked" in notice for notice in host.transport.notices] == [True]
    await host.transport.close()


async def test_a_server_that_speaks_something_else_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rfc2217, "AGREE_S", 0.2)

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    number = server.sockets[0].getsockname()[1]
    with pytest.raises(TransportError, match=r"does not answer as a serial server by RFC 2217: use tcp://"):
        await Host(f"rfc2217://127.0.0.1:{number}").open()
    server.close()
    await asyncio.sleep(0.02)
    with pytest.raises(TransportError, match=rf"nobody listens at 127.0.0.1:{number}: start the serial server"):
        await Host(f"rfc2217://127.0.0.1:{number}").open()
    with pytest.raises(TransportError, match="is no host that is known here"):
        await Host("rfc2217://no-such-host.invalid:1").open()


@pytest.mark.parametrize("nonsense", [b"\xff\xf0", b"\xff\xfa\x2c\xff\xf0" * 9, b"\xff\xfa\x2c\x69\xff\xf0"])
async def test_a_server_that_speaks_broken_telnet_is_told_in_one_line(
    nonsense: bytes, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rfc2217, "AGREE_S", 0.2)
    died: list[object] = []
    monkeypatch.setattr(threading, "excepthook", died.append)

    async def broken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(nonsense)
        await reader.read()
        writer.close()

    server = await asyncio.start_server(broken, "127.0.0.1", 0)
    with pytest.raises(TransportError, match=r"does not answer as a serial server by RFC 2217|was lost"):
        await Host(f"rfc2217://127.0.0.1:{server.sockets[0].getsockname()[1]}").open()
    server.close()
    await asyncio.sleep(0.02)
    assert died == []
    assert capfd.readouterr().err == ""


async def test_field_case_20_a_frozen_bridge_is_a_loss_at_the_write_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threaded, "WRITE_DEADLINE_S", 0.2)
    end = Rfc2217End()
    async with standing(end):
        host = await Host(end.url).open()
        assert end._manager is not None
        over = threading.Event()
        loop = asyncio.get_running_loop()

        def freeze(data: bytes) -> list[bytes]:
            over.wait()
            return []

        end._manager.filter = freeze  # type: ignore[method-assign]
        assert end._client is not None
        end._client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        began = loop.time()
        while not host.losses and loop.time() < began + 5:
            host.transport.write(bytes(2048))
            await asyncio.sleep(0.001)
        assert "takes no more bytes" in str(host.losses[0])
        began = loop.time()
        await host.transport.close()
        assert loop.time() - began < 1.3
        over.set()


@pytest.mark.parametrize("url", ["rfc2217://", "rfc2217:///dev/x", "rfc2217://host", "rfc2217://u@host:1"])
def test_a_url_that_names_no_port_of_a_host_is_refused(url: str) -> None:
    with pytest.raises(BadInput, match=r"a serial server is written rfc2217://HOST:PORT"):
        open_transport(url)


def test_other_options_are_refused() -> None:
    with pytest.raises(BadInput, match="no option 'logging' here; allowed: address, baud"):
        open_transport("rfc2217://host:1?logging=debug")
