"""Field cases of USB: endpoints and packets. Devices are simulated, and reached over USB/IP."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import pytest
from usb.core import USBError, USBTimeoutError

from firmware_sim.usb.descriptors import Plate
from firmware_sim.usb.device import UsbDevice
from protocols.cedar.datasheet import TIMEOUT
from protocols.cedar.datasheet import USB as CEDAR
from protocols.piece import Piece, Tail, pieces
from protocols.usb import HIGH
from shoectl.devices.station import Station
from shoectl.transports import usb_device, usb_find, usb_serial
from shoectl.transports.usb_trouble import Trouble, trouble_of
from shoectl.transports.usbip_backend import UsbipBackend
from tests.devices.notes import Notes
from tests.fieldcases.probe import BLOCKED_S, Probe
from tests.transports.ends import UsbEnd, standing
from tests.transports.hosts import Host, tails, until
from tests.transports.simulated import on_a_bus, stations


@pytest.mark.parametrize("size", [8, 64, 512, 1024])
async def test_field_case_33_reads_are_sized_by_the_descriptor(size: int) -> None:
    high = CEDAR.configurations[HIGH].replace(b"\x02\x00\x02\x00", b"\x02" + size.to_bytes(2, "little") + b"\x00")
    async with standing(UsbEnd("cedar")) as end:
        assert isinstance(end, UsbEnd)
        end.plate = Plate(replace(CEDAR, configurations={HIGH: high}), end.plate.strings)
        end.port.close()
        end.device = UsbDevice(end.plate, end.function)
        end.put_back()
        host = await Host(end.url).open()
        assert {each.packet for each in host.transport._port.carrier.inputs} == {size, 16}  # type: ignore[attr-defined]
        for length in (1, 63, 64, 65, 511, 512, 513):
            data = bytes(n & 0xFF for n in range(length))
            host.heard.clear()
            end.say(data)
            await until(lambda: Tail.END in tails(host))
            assert end.unwrapped(host.heard) == data
        assert host.losses == []
        await host.transport.close()


def failure(number: int | None, code: int | None, kind: type[USBError] = USBError) -> USBError:
    return kind("eine Meldung in einer anderen Sprache", code, number)


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        (failure(110, -7, USBTimeoutError), Trouble.SILENCE),
        (failure(None, None, USBTimeoutError), Trouble.SILENCE),
        (failure(110, None), Trouble.SILENCE),
        (failure(60, None), Trouble.SILENCE),
        (failure(10060, None), Trouble.SILENCE),
        (failure(None, -7), Trouble.SILENCE),
        (failure(None, -116), Trouble.SILENCE),
        (failure(19, -4), Trouble.GONE),
        (failure(19, None), Trouble.GONE),
        (failure(5, -1), Trouble.FAILED),
        (failure(32, -9), Trouble.STALL),
        (failure(75, -8), Trouble.BABBLE),
        (failure(2, -5), Trouble.FAILED),
        (failure(84, None), Trouble.FAILED),
        (failure(13, -3), Trouble.DENIED),
        (failure(16, -6), Trouble.BUSY),
        (failure(None, None), Trouble.FAILED),
        (USBError("timeout"), Trouble.FAILED),
        (OSError(19, "x"), Trouble.GONE),
        (RuntimeError("timeout"), Trouble.FAILED),
    ],
)
def test_field_case_36_errors_are_told_apart_by_class_number_and_code(error: Exception, meaning: Trouble) -> None:
    assert trouble_of(error) is meaning


@pytest.mark.parametrize("number", [5, 2, 84])
async def test_field_case_36_what_is_not_known_is_a_failure_and_silence_never_is(number: int) -> None:
    async with standing(UsbEnd("cedar")) as end:
        assert isinstance(end, UsbEnd)
        host = await Host(end.url).open()
        await asyncio.sleep(0.35)
        assert host.losses == []
        end.device.pipes[0x81].fail(number)
        assert "was lost" in str(await host.loses())
        await host.transport.close()


@pytest.mark.parametrize("size", [63, 64, 65, 128, 512])
@pytest.mark.parametrize("asked", [True, False])
async def test_field_case_41_a_transfer_that_fills_its_packet_ends_with_an_empty_one_if_the_device_wants_it(
    size: int, asked: bool
) -> None:
    heard: list[Piece] = []
    async with standing(UsbEnd("cedar")) as end:
        assert isinstance(end, UsbEnd)
        end.function._heard = lambda data: heard.extend(pieces(data))  # type: ignore[union-attr]
        host = await Host(end.url + f"&zlp={'true' if asked else 'false'}").open()
        host.transport.write(end.wrapped(bytes(size)))
        host.transport.write(end.wrapped(b"next"))
        await until(lambda: heard and heard[-1].data == b"next")
        empty = [Piece(0x01, b"")] if size % 512 == 0 and asked else []
        full = Tail.MORE if size % 512 == 0 else Tail.END
        assert heard == [Piece(0x01, bytes(size), full), *empty, Piece(0x01, b"next")]
        await host.transport.close()


@pytest.mark.parametrize("kind", ["cdc", "cedar"])
async def test_field_case_41_empty_packets_that_nobody_expects_end_nothing(kind: str) -> None:
    async with standing(UsbEnd(kind)) as end:
        assert isinstance(end, UsbEnd)
        host = await Host(end.url).open()
        pipe = end.device.into_host(0x82 if kind == "cdc" else 0x81)
        for n in range(1, 4):
            pipe.empty(40)
            end.say(bytes(64))
            await until(lambda: len(end.unwrapped(host.heard)) == 64 * n)  # noqa: B023
        assert host.losses == []
        await host.transport.close()


async def test_field_case_41_a_device_that_forgets_the_empty_packet_is_heard_too() -> None:
    async with standing(UsbEnd("cedar")) as end:
        assert isinstance(end, UsbEnd)
        host = await Host(end.url).open()
        end.port.write(Piece(0x81, bytes(4096), Tail.MORE).encode())
        await until(lambda: end.unwrapped(host.heard) == bytes(4096))
        assert tails(host) == [Tail.MORE]
        await host.transport.close()


class Witness(UsbipBackend):
    """Which threads made calls that may wait."""

    threads: ClassVar[set[threading.Thread]] = set()

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        for name in ("bulk_read", "bulk_write", "intr_read", "ctrl_transfer", "release_interface", "close_device"):
            setattr(self, name, partial(self._witnessed, getattr(self, name)))

    def _witnessed(self, call: Callable[..., Any], *given: Any) -> Any:
        self.threads.add(threading.current_thread())
        return call(*given)


async def test_field_case_17_a_device_that_takes_nothing_is_lost_and_the_loop_never_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(usb_device, "WRITE_DEADLINE_S", 0.2)
    monkeypatch.setattr(usb_find, "UsbipBackend", Witness)
    async with standing(UsbEnd("cdc")) as end:
        assert isinstance(end, UsbEnd)
        host = await Host(end.url).open()
        end.function.flow(False)
        loop = asyncio.get_running_loop()
        async with Probe().running() as probe:
            began = loop.time()
            host.transport.write(bytes(4096))
            assert "takes no more bytes" in str(await host.loses())
            assert 0.15 < loop.time() - began < 1.5
            closing = loop.time()
            await host.transport.close()
            assert loop.time() - closing < 1.2
        assert probe.blocked < BLOCKED_S
    assert len(Witness.threads) >= 3
    assert threading.current_thread() not in Witness.threads


async def none_repeated(station: Station) -> bool:
    """Ask once, and see that nothing is said twice; False where this machine itself was late, which proves nothing."""
    async with Probe().running() as probe:
        await asyncio.sleep(0.1)  # what was late before is over
        before = said_twice(station)
        assert (await station.ask("STATUS")).ok
        after = said_twice(station)
    in_time = max(probe.loop, probe.machine) < 0.015
    assert after == before or not in_time
    return in_time


def said_twice(station: Station) -> tuple[int, ...]:
    return tuple(station.counters[name] for name in ("resends", "repeats", "dropped"))


@pytest.mark.parametrize("latency", [16, 40])
@pytest.mark.parametrize("device", ["birch", "alder"])
async def test_field_case_16_an_adapter_that_holds_bytes_back_causes_no_repetition(
    device: str, latency: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usb_serial, "FTDI_LATENCY_MS", latency)
    in_time = 0
    async with on_a_bus(device, plug="ftdi") as bus:
        url = bus.url(device) + ("&address=3" if device == "birch" else "")
        async with stations(Notes(), {device: url}) as made:
            station = made[device]
            await asyncio.wait_for(station.ready(), 10)
            async with asyncio.timeout(30):
                while (in_time := in_time + await none_repeated(station)) < 6:
                    assert bus.ports[device].device.function.latency_ms == latency  # type: ignore[attr-defined]


async def test_field_case_30_a_late_reply_is_no_answer_to_a_later_question() -> None:
    kinds = {"STATUS": "state", "METERS": "crc_errors", "FAULTS": "faults", "IDENT": "serial"}
    luck = random.Random(30)
    async with on_a_bus("cedar") as bus:
        for _ in range(2):  # and once more with another program that finds what the first one left
            async with stations(Notes(), {"cedar": bus.url("cedar")}) as made:
                station, pipe = made["cedar"], bus.ports["cedar"].device.pipes[0x81]
                await asyncio.wait_for(station.ready(), 5)
                pipe.hold(True)
                asking = asyncio.create_task(station.ask("STATUS"))
                await asyncio.sleep(TIMEOUT + 0.02)
                pipe.hold(False)
                assert "state" in (await asyncio.wait_for(asking, 3)).body
                for kind in luck.choices(list(kinds), k=50):
                    reply = await asyncio.wait_for(station.ask(kind), 3)
                    assert kinds[kind] in reply.body
                assert station.counters["resends"] >= 1
                pipe.hold(True)
                left = asyncio.create_task(station.ask("METERS"))
                await asyncio.sleep(0.02)
            pipe.hold(False)
            await asyncio.gather(left, return_exceptions=True)
