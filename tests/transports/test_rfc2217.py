"""Serial servers by RFC 2217: the line is set there, and what is wrong with one is told in a line."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoectl.errors import BadInput
from shoectl.transports import TransportError, open_transport, rfc2217, threaded
from shoectl.transports.telnet import SUBOPTION_MOST, Suboptions
from tests.transports.ends import Rfc2217End, standing
from tests.transports.hosts import Host, until


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


async def test_a_suboption_without_an_end_ends_the_connection(end: Rfc2217End) -> None:
    host = await Host(end.url).open()
    assert end._client is not None
    end._client.sendall(b"\xff\xfa\x2c" + bytes(SUBOPTION_MOST - 8) + b"\xff\xff\xff\xf0before")
    await until(lambda: host.heard == b"before")
    assert host.losses == []
    sent = 0
    with contextlib.suppress(OSError):
        end._client.sendall(b"\xff\xfa\x2c")
        while not host.losses:
            end._client.sendall(bytes(1024))
            sent += 1024
            await asyncio.sleep(0.002)
    assert "was lost" in str(await host.loses())
    assert sent < 1 << 20
    assert host.heard == b"before"
    await host.transport.close()


TELNET = (b"\xff\xfa", b"\xff\xf0", b"\xff\xff", b"\xff\xfb\xff", b"\xff\xf1", b"a", b"\xfa")


@given(st.lists(st.sampled_from(TELNET)), st.data())
def test_the_length_of_a_suboption_is_found_however_the_stream_is_cut(said: list[bytes], data: st.DataObject) -> None:
    length: int | None = None
    for one in said:
        if one in (b"\xff\xfa", b"\xff\xf0"):
            length = 0 if one == b"\xff\xfa" else None
        elif length is not None:
            length += len(one)
    stream, counted = b"".join(said), Suboptions()
    while stream:
        cut = data.draw(st.integers(1, len(stream)))
        counted.heard(stream[:cut])
        stream = stream[cut:]
    assert counted.length == (length or 0)


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
