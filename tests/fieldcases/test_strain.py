"""Field case 66: a line that gets worse is told before a command fails, and the numbers outlive the connection."""

from __future__ import annotations

import asyncio
import logging
import random

import pytest

from protocols.link import LinkCounters
from shoectl.devices.command import Command, DeviceLost
from shoectl.devices.strain import WINDOW_S, Strain
from tests.devices.notes import Notes
from tests.devices.scripted import Device
from tests.devices.stations import SHUFFLE, accept, table
from tests.devices.wires import Wire
from tests.timeloop import virtual

MINUTES = 4


@pytest.mark.parametrize("seed", range(2))
@virtual
async def test_field_case_66_a_rising_error_rate_is_told_before_the_first_command_fails(
    device: Device, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    """From none to one frame in twenty within minutes, in both directions; two commands a second."""
    luck, loop, wire, notes = random.Random(seed), asyncio.get_running_loop(), Wire(device), Notes()
    command = SHUFFLE if device.family.name == "alder" else Command("DISARM")  # no polls in haste
    device.answers[command.type] = accept

    def worse(data: bytes) -> list[bytes]:
        share = min(1.0, loop.time() / (MINUTES * 60)) * 0.05
        if data and luck.random() < share:
            at = luck.randrange(len(data))
            return [data[:at] + bytes([data[at] ^ 1 << luck.randrange(8)]) + data[at + 1 :]]
        return [data]

    wire.tamper_device = wire.tamper_host = worse
    told = failed = 0.0
    async with table(wire, notes) as station:
        await station.ready()
        for id in range(1, MINUTES * 60 * 2):
            try:
                await station.command(id % 0xFFFF, command)
            except DeviceLost:
                failed = failed or loop.time()
                await station.ready()
            if not told and "the line gets worse" in station.condition:
                told = loop.time()
            await asyncio.sleep(0.5)
        counters = dict(station.counters)
    assert told
    assert not failed or told < failed - 30
    assert counters["resends"] + counters["repeats"] > 20
    assert counters["bad_crc"] > 10
    assert counters["slowest_ms"] > counters["answer_ms"] > 0
    said = [one for one in caplog.records if "the line gets worse" in one.getMessage()]
    assert 1 <= len(said) <= 12
    assert {one.levelno for one in said} == {logging.WARNING}


@virtual
async def test_field_case_66_counters_go_on_over_connections_and_into_the_journal(device: Device) -> None:
    wire, notes = Wire(device), Notes()
    async with table(wire, notes) as station:
        sums = []
        for _ in range(4):
            await station.ready()
            await asyncio.sleep(3)
            sums.append(station.counters["frames_in"])
            wire.pull()
            await asyncio.sleep(0)
    assert sums == sorted(sums)
    assert [one["reconnects"] for one in notes.counted] == [0, 0, 1, 2]
    for before, told in zip(sums, notes.counted[1:], strict=False):
        assert told["frames_in"] >= before


@virtual
async def test_a_steady_line_is_never_called_bad(device: Device) -> None:
    wire = Wire(device)
    async with table(wire, Notes()) as station:
        await station.ready()
        for _ in range(200):
            await asyncio.sleep(1)
            assert station.condition == "online"


def test_few_errors_and_a_small_share_are_no_strain_and_it_ends() -> None:
    def at(second: float, frames: int, trouble: int) -> bool:
        return strain.look(LinkCounters(frames_in=frames, resends=trouble), second)

    strain = Strain()
    assert not at(0, 0, 0)
    assert not at(5, 20, 3)  # few
    assert at(10, 40, 4)
    assert at(15, 300, 4)  # better, and not yet good
    assert not at(20, 2000, 4)  # a small share
    assert not at(25, 4000, 39)
    assert at(30, 4100, 45)
    assert not at(30 + WINDOW_S + 5, 4200, 45)
    assert (strain.trouble, strain.frames) == (0, 100)
