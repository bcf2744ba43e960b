"""A serial port over real pseudo-terminals. Numbers in names are those of the field cases they answer."""

import asyncio
import os
import random
import resource
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shoectl.transports import TransportError
from shoectl.transports import descriptor as descriptor_module
from shoectl.transports import serial as serial_module
from shoectl.transports.holders import lock_holder
from tests.devices.ports import Adapter, Host, adapter, locked, open_descriptors, until

ALL_BYTES = bytes(range(256)) + b"\xff\x00" * 8 + b"\x11\x13\x0d\x0a\x03\x1a\x7f"


@pytest.fixture
def plugged(tmp_path: Path) -> Iterator[Adapter]:
    with adapter(tmp_path / "shuffler0") as made:
        yield made


async def test_field_case_21_every_byte_passes_both_ways_through_a_line_that_was_cooked(plugged: Adapter) -> None:
    plugged.cook()
    host = Host(plugged.path, "?baud=38400")
    await host.open()
    host.transport.write(ALL_BYTES)
    assert await plugged.read(len(ALL_BYTES)) == ALL_BYTES
    await plugged.write(ALL_BYTES)
    assert await host.hears(len(ALL_BYTES)) == ALL_BYTES
    await host.transport.close()


async def test_missing_modem_lines_are_one_notice_and_no_failure(plugged: Adapter) -> None:
    host = Host(plugged.path)
    await host.open()
    assert len(host.transport.notices) == 1
    assert "modem lines" in host.transport.notices[0]
    await host.transport.close()


async def test_field_case_3_field_case_4_a_port_closed_by_the_peer_is_lost_once_and_costs_nothing_after(
    plugged: Adapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = Host(plugged.path)
    await host.open()
    reads, real = [], os.read
    monkeypatch.setattr(serial_module.os, "read", lambda fd, size: reads.append(fd) or real(fd, size))
    plugged.pull()
    await host.loses()
    before = resource.getrusage(resource.RUSAGE_SELF)
    await asyncio.sleep(0.5)
    after = resource.getrusage(resource.RUSAGE_SELF)
    assert len(host.losses) == 1
    assert len(reads) == 1
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.05
    await host.transport.close()


@pytest.mark.parametrize("error", [OSError(5, "gone"), RuntimeError("odd"), ValueError("I/O on closed file")])
async def test_field_case_4_field_case_20_a_read_that_always_raises_is_called_once(
    plugged: Adapter, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    host, calls = Host(plugged.path), []
    await host.open()

    def failing(fd: int, size: int) -> bytes:
        calls.append(fd)
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(serial_module.os, "read", failing)
        os.write(plugged.master, b"x")
        reason = await host.loses()
        await asyncio.sleep(0.05)
    assert len(calls) == 1
    assert reason is not None
    before = open_descriptors()
    await host.transport.close()
    assert open_descriptors() == before - 5  # the descriptor and pyserial's four


async def test_field_case_5_a_stable_name_is_resolved_at_each_opening(plugged: Adapter, tmp_path: Path) -> None:
    first = Host(plugged.path)
    await first.open()
    with adapter(tmp_path / "other") as moved:
        await first.transport.close()
        moved.plug(plugged.path)
        second = Host(plugged.path)
        await second.open()
        assert (first.transport.node, second.transport.node) == (plugged.node, moved.node)
        second.transport.write(b"hello")
        assert await moved.read(5) == b"hello"
        await second.transport.close()


async def test_field_case_11_a_port_locked_by_another_process_is_refused_with_its_pid(plugged: Adapter) -> None:
    with locked(plugged.node) as child:
        with pytest.raises(TransportError, match=rf"in use by pid {child.pid} \(python"):
            await Host(plugged.path).open()
        assert lock_holder(plugged.node) == child.pid
    host = Host(plugged.path)
    await host.open()
    await host.transport.close()


async def test_field_case_12_a_second_opening_in_this_process_is_refused(plugged: Adapter) -> None:
    host = Host(plugged.path)
    await host.open()
    before = open_descriptors()
    with pytest.raises(TransportError, match="in use"):
        await Host(plugged.path).open()
    assert open_descriptors() == before
    await host.transport.close()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "is not there: plug the device in, or correct the URL"),
        (lambda path: path.symlink_to("/dev/shoectl-nothing"), "points to /dev/shoectl-nothing, which is not there"),
        (lambda path: path.write_text("x"), "is no serial port"),
        (lambda path: path.symlink_to("/dev/null"), "cannot be set to 57600 bit/s"),
    ],
)
async def test_a_refused_opening_says_why_and_what_to_do(
    tmp_path: Path, make: Callable[[Path], object], words: str
) -> None:
    make(tmp_path / "port")
    before = open_descriptors()
    with pytest.raises(TransportError, match=words) as caught:
        await Host(tmp_path / "port").open()
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 3
    assert open_descriptors() == before


async def test_field_case_17_a_port_that_takes_nothing_is_lost_at_the_deadline_and_the_loop_never_waits(
    plugged: Adapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(descriptor_module, "WRITE_DEADLINE_S", 0.2)
    host = Host(plugged.path)
    await host.open()
    loop, longest = asyncio.get_running_loop(), 0.0
    started = loop.time()
    for _ in range(12):
        host.transport.write(bytes(4096))
    while not host.losses:
        turn = loop.time()
        await asyncio.sleep(0.001)
        longest = max(longest, loop.time() - turn)
    assert 0.15 < loop.time() - started < 1.0
    assert longest < 0.25  # a write that blocks would take seconds; the rest is room for a busy machine
    assert "takes no more bytes" in str(host.losses[0])
    turn = loop.time()
    await host.transport.close()
    assert loop.time() - turn < 0.5


async def test_field_case_17_a_writer_that_never_looks_is_stopped(plugged: Adapter) -> None:
    host = Host(plugged.path)
    await host.open()
    host.transport.write(bytes(200_000))
    assert len(host.losses) == 1
    host.transport.write(b"more")  # harmless
    await host.transport.close()


async def test_field_case_18_field_case_26_a_close_that_blocks_does_not_stall_the_loop_and_the_lock_is_free(
    plugged: Adapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = Host(plugged.path)
    await host.open()
    fd, real = host.transport._port.fd, os.close
    blocked = []

    def slow(number: int) -> None:
        if number == fd and not blocked:
            blocked.append(number)
            time.sleep(1.5)
        real(number)

    monkeypatch.setattr(serial_module, "CLOSE_DEADLINE_S", 0.3)
    monkeypatch.setattr(serial_module.os, "close", slow)
    loop = asyncio.get_running_loop()
    closing, ticks, started = asyncio.create_task(host.transport.close()), 0, loop.time()
    while not closing.done():
        await asyncio.sleep(0.01)
        ticks += 1
    assert loop.time() - started < 0.6
    assert ticks > 15
    again = Host(plugged.path)
    await again.open()
    await again.transport.close()
    await asyncio.sleep(1.5)


async def test_field_case_19_200_reconnects_find_the_port_free_and_leak_nothing(plugged: Adapter) -> None:
    before = open_descriptors()
    for _ in range(200):
        host = Host(plugged.path)
        await host.open()
        await host.transport.close()
    assert open_descriptors() == before


async def test_field_case_63_short_writes_send_every_byte_in_order(
    plugged: Adapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, luck, real = Host(plugged.path), random.Random(63), os.write
    await host.open()
    fd = host.transport._port.fd

    def short(number: int, data: bytes) -> int:
        if number != fd:
            return real(number, data)
        if luck.random() < 0.2:
            raise BlockingIOError
        return real(number, bytes(data)[: luck.randint(1, 5)])

    monkeypatch.setattr(serial_module.os, "write", short)
    frames = [bytes([n]) * luck.randint(1, 200) for n in range(40)]
    for frame in frames:
        host.transport.write(frame)
    assert await plugged.read(sum(map(len, frames))) == b"".join(frames)
    await host.transport.close()


async def test_an_opening_that_is_cancelled_gives_the_port_back(plugged: Adapter) -> None:
    before = open_descriptors()
    for _ in range(20):
        opening = asyncio.create_task(Host(plugged.path).open())
        await asyncio.sleep(0)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
    await until(lambda: "shoectl-port" not in {thread.name for thread in threading.enumerate()})
    await until(lambda: open_descriptors() == before)
    host = Host(plugged.path)
    await host.open()
    await host.transport.close()


async def test_closing_twice_and_writing_after_it_are_harmless(plugged: Adapter) -> None:
    host = Host(plugged.path)
    await host.transport.close()
    await host.open()
    await host.transport.close()
    await host.transport.close()
    host.transport.write(b"late")
    assert host.losses == []
