"""What every transport does, whatever it is made of. Real cables, or what is nearest to one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shoectl.transports import TransportError
from tests.transports.cycles import openings
from tests.transports.ends import KINDS, End, Rfc2217End, end_of, standing
from tests.transports.hosts import Host, open_things, reopened, until

ALL = bytes(range(256)) + b"\xff\xff\x00\xff\xf0\x11\x13\x0d\x0a" * 3
CYCLES = 8
SIZES = (1, 61, 62, 63, 64, 65, 124, 128, 511, 512, 513, 1024, 4095, 4096)


@pytest.fixture(params=KINDS)
async def end(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[End]:
    async with standing(end_of(request.param, tmp_path, monkeypatch)) as made:
        yield made


def cut(data: bytes, most: int) -> list[bytes]:
    return [data[at : at + most] for at in range(0, len(data), most)]


async def test_every_byte_passes_both_ways_in_order(end: End) -> None:
    host = await Host(end.url).open()
    for part in cut(ALL * 4, end.most):
        host.transport.write(end.wrapped(part))
    await until(lambda: end.heard == ALL * 4)
    for part in cut(ALL * 4, end.most):
        end.say(part)
        await asyncio.sleep(0.002)
    await until(lambda: end.unwrapped(host.heard) == ALL * 4)
    assert host.losses == []
    assert host.transport.node
    await host.transport.close()


async def test_pieces_of_any_size_come_whole(end: End) -> None:
    host = await Host(end.url).open()
    sent: list[int] = []
    for size in SIZES:
        if size > end.most:
            continue
        part = bytes(n * 7 & 0xFF for n in range(size))
        sent.append(size)
        host.transport.write(end.wrapped(part))
        await until(lambda: len(end.heard) == sum(sent))
        end.say(part)
        await until(lambda: len(end.unwrapped(host.heard)) == sum(sent))
        assert end.heard[-size:] == part == end.unwrapped(host.heard)[-size:]
    await host.transport.close()


async def test_a_write_that_comes_in_pieces_is_one(end: End) -> None:
    host = await Host(end.url).open()
    for letter in end.wrapped(ALL[: end.most]):
        host.transport.write(bytes([letter]))
    await until(lambda: end.heard == ALL[: end.most])
    await host.transport.close()


async def test_closing_is_quick_and_may_be_repeated_also_while_much_is_to_be_sent(end: End) -> None:
    loop = asyncio.get_running_loop()
    host = await Host(end.url).open()
    for _ in range(10):
        host.transport.write(end.wrapped(bytes(end.most)))
    began = loop.time()
    await host.transport.close()
    await host.transport.close()
    assert loop.time() - began < 1.2
    heard = len(host.heard)
    host.transport.write(end.wrapped(b"x"))
    end.say(b"y")
    await asyncio.sleep(0.05)
    assert (len(host.heard), host.losses) == (heard, [])


async def test_a_plug_that_is_pulled_is_told_once_at_once_and_then_nothing_is_heard(end: End) -> None:
    host = await Host(end.url).open()
    host.transport.write(end.wrapped(b"x"))
    await until(lambda: end.heard)
    loop = asyncio.get_running_loop()
    pulled = loop.time()
    end.pull()
    await host.loses()
    assert host.lost_at - pulled < 0.3
    heard = len(host.heard)
    host.transport.write(end.wrapped(b"more"))
    await asyncio.sleep(0.05)
    assert (len(host.losses), len(host.heard)) == (1, heard)
    await host.transport.close()


async def test_a_transport_is_used_once(end: End) -> None:
    host = await Host(end.url).open()
    await host.transport.close()
    with pytest.raises(RuntimeError):
        await host.open()


async def test_what_is_not_there_is_refused_in_one_line_that_says_what_to_do(end: End) -> None:
    end.finish()
    await asyncio.sleep(0.02)
    before = open_things()
    host = Host(end.url)
    with pytest.raises(TransportError, match=r"^[^\n]+: [^\n]+$") as caught:
        await host.open()
    assert caught.value.do
    await host.transport.close()
    await until(lambda: open_things() <= before)


async def test_opening_and_closing_leaves_no_thread_and_no_descriptor(end: End) -> None:
    await openings(end, 1 if isinstance(end, Rfc2217End) else CYCLES)  # pyserial takes most of a second


async def test_pulled_and_put_back_it_is_there_again_and_nothing_is_left_behind(end: End) -> None:
    host = await Host(end.url).open()
    await asyncio.sleep(0.05)
    before = open_things()
    for count in range(1, 4):
        end.pull()
        await host.loses()
        await host.transport.close()
        end.put_back()
        host = await reopened(end)
        mark = bytes([count]) * 5
        host.transport.write(end.wrapped(mark))
        await until(lambda mark=mark: end.heard.endswith(mark))  # type: ignore[misc]
    await until(lambda: open_things() <= before)
    await host.transport.close()


async def test_a_cancelled_opening_leaves_nothing(end: End) -> None:
    await (await Host(end.url).open()).transport.close()
    await asyncio.sleep(0.05)
    before = open_things()
    for pause in (0.01,) if isinstance(end, Rfc2217End) else (0, 0.001, 0.01):
        host = Host(end.url)
        opening = asyncio.create_task(host.open())
        await asyncio.sleep(pause)
        opening.cancel()
        await asyncio.gather(opening, return_exceptions=True)
        await host.transport.close()
    await until(lambda: open_things() <= before)
    host = await reopened(end)
    await host.transport.close()
