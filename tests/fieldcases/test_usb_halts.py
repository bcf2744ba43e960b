"""Field cases of USB: endpoints that stall. Devices are simulated, and reached over USB/IP."""

from __future__ import annotations

import asyncio
import errno
import time
from collections.abc import Mapping
from typing import Any

import pytest

from firmware_sim.usb.port import UsbPort
from firmware_sim.usb.transfers import InPipe
from protocols.family import Verb, families
from protocols.piece import CONTROL_IN, Tail
from protocols.vocabulary import Result
from shoectl.devices.totals import Totals
from shoectl.transports import usb_device
from tests.conformance.checks import trial
from tests.conformance.media import OnTheBus
from tests.transports.ends import UsbEnd, standing
from tests.transports.hosts import Host, tails, until


@pytest.mark.parametrize("times", [1, 3])
async def test_field_case_31_a_stalled_endpoint_is_cleared_and_read_on(
    times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usb_device, "PAUSE_S", 0.01)
    async with standing(UsbEnd("cedar")) as end:
        assert isinstance(end, UsbEnd)
        host = await Host(end.url).open()
        end.device.pipes[0x81].halt(times)
        end.say(b"repeated")
        await until(lambda: end.unwrapped(host.heard) == b"repeated")
        assert tails(host) == [Tail.STALL] * times + [Tail.END]
        assert host.losses == []
        await host.transport.close()


async def test_field_case_31_an_endpoint_that_stalls_for_ever_is_a_loss_after_three_tries() -> None:
    async with standing(UsbEnd("cedar")) as end:
        assert isinstance(end, UsbEnd)
        loop, began = asyncio.get_running_loop(), time.monotonic()
        host = await Host(end.url).open()
        end.device.pipes[0x81].halt(1 << 30)
        reason = await host.loses()
        assert "stalls again and again: pull the plug" in str(reason)
        assert tails(host) == [Tail.STALL] * usb_device.TRIES
        assert 0.5 < time.monotonic() - began < 3
        closing = loop.time()
        await host.transport.close()
        assert loop.time() - closing < 1


async def test_field_case_32_one_overflow_and_then_stalls_make_no_storm() -> None:
    async with standing(UsbEnd("cedar")) as end:
        assert isinstance(end, UsbEnd)
        host = await Host(end.url).open()
        pipe, asked, began = end.device.pipes[0x81], [0], time.monotonic()
        real = pipe.ask

        def count(transfer: Any) -> None:
            asked[0] += 1
            real(transfer)

        pipe.ask = count  # type: ignore[method-assign]
        pipe.fail(errno.EOVERFLOW)
        await until(lambda: tails(host) == [Tail.BABBLE])
        pipe.halt(1 << 30)
        await host.loses()
        assert asked[0] <= 10 * max(1.0, time.monotonic() - began)
        assert asked[0] <= usb_device.TRIES + 1
        await host.transport.close()


class Repeating:
    """A device that sends the last packet of an endpoint once more after its halt was cleared."""

    EMPTY = 2  # bytes of an adapter's packet with nothing in it

    def __init__(self, pipe: InPipe) -> None:
        self.pipe, self.repeats = pipe, 0
        self._last = b""
        self._step, self._clear = pipe._step, pipe.clear_halt
        pipe._step, pipe.clear_halt = self.step, self.clear_halt  # type: ignore[method-assign]

    def step(self) -> bool:
        first = self.pipe.packets[0] if self.pipe.packets else b""
        gone = self._step()
        if gone and len(first) > self.EMPTY:
            self._last = first
        return gone

    def clear_halt(self) -> None:
        if self.pipe._halts == 1 and self._last:
            self.repeats += 1
            self.pipe.packets.appendleft(self._last)
        self._clear()


@pytest.mark.parametrize("family", families())
async def test_field_case_31_a_packet_that_comes_again_after_a_halt_is_known_by_its_number(
    family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or comes while the link begins anew, which is what a stall of its bulk endpoint means to a Cedar."""
    monkeypatch.setattr(usb_device, "PAUSE_S", 0.01)
    rig, ids = OnTheBus(family), list[int]()
    async with trial(rig) as at:
        await at.online()
        assert isinstance(rig._port, UsbPort)
        device = Repeating(rig._port.device.into_host(rig._port._line.way_of(bytes([CONTROL_IN]))))
        station = at.station
        for times in (1, 3):
            ids.append(at.new_id())
            assert (await at.set(times & 1, ids[-1])).ok
            await at.is_whole()
            for ask, right in ((station.status, Mapping), (station.faults, list), (station.totals, Totals)):
                before = device.repeats
                device.pipe.halt(times)
                # and is read: halts with no packet between them are one endpoint that stalls again and again
                await until(lambda: device.repeats > before and not device.pipe.packets)  # noqa: B023
                assert isinstance(await ask(), right)
            assert await station.fate(ids[-1]) == (rig.family.verbs[Verb.CONFIG_SET], Result.OK)
        await at.is_whole()
        assert device.repeats >= 6
        assert [len(at.settings(id)) for id in ids] == [1, 1]
        assert station.reconnects == 0
