"""The virtual clock that the other tests stand on."""

import asyncio
import os
import time

import pytest

from tests.timeloop import Stuck, TimeLoop, run, virtual


@virtual
async def test_an_hour_takes_no_time() -> None:
    real, loop = time.monotonic(), asyncio.get_running_loop()
    await asyncio.sleep(3600)
    assert loop.time() == pytest.approx(3600)
    assert time.monotonic() - real < 1


@virtual
async def test_timers_fire_in_order_and_at_their_time() -> None:
    loop, seen = asyncio.get_running_loop(), []
    for at in (3.0, 1.0, 2.0):
        loop.call_at(at, lambda at=at: seen.append((at, loop.time())))
    await asyncio.sleep(10)
    assert seen == [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]


@virtual
async def test_descriptors_come_before_the_jump() -> None:
    loop = asyncio.get_running_loop()
    read, write = os.pipe()
    got = loop.create_future()
    loop.add_reader(read, lambda: got.done() or got.set_result(os.read(read, 9)))
    os.write(write, b"now")
    async with asyncio.timeout(5):
        assert await got == b"now"
    assert loop.time() == 0
    loop.remove_reader(read)
    os.close(read)
    os.close(write)


@virtual
async def test_a_thread_is_waited_for_in_real_time() -> None:
    async with asyncio.timeout(3):
        await asyncio.to_thread(time.sleep, 0.1)
    assert asyncio.get_running_loop().time() >= 0.09


@virtual
async def test_a_child_is_waited_for_in_real_time() -> None:
    async with asyncio.timeout(20):
        child = await asyncio.create_subprocess_exec("sleep", "0.1")
        assert await child.wait() == 0


def test_waiting_for_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.timeloop.STUCK_AFTER_S", 0.01)

    async def forever() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(Stuck):
        run(forever())


@pytest.fixture
def number() -> int:
    return 7


@virtual
async def test_fixtures_reach_a_virtual_test(number: int) -> None:
    assert number == 7
    assert isinstance(asyncio.get_running_loop(), TimeLoop)
