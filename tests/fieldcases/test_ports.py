"""Field cases about which port it is, who else wants it, and what the system does with it."""

from __future__ import annotations

import asyncio
import errno
import logging
import re
from pathlib import Path
from typing import Any

import pytest
import serial

from shoectl.journal import Journal, Reader
from shoectl.table.runner import Runner
from shoectl.transports import serial as serial_module
from shoectl.transports.serial import latency_ms
from tests.devices.notes import Notes
from tests.devices.plugs import behind, occupied
from tests.devices.ports import Host, adapter, locked, until
from tests.devices.scripted import Device, alder
from tests.table.game import Purse, cycle
from tests.timeloop import virtual


@virtual
async def test_field_case_5_the_journal_has_the_old_node_and_the_new_one(tmp_path: Path) -> None:
    device, path = alder(), tmp_path / "port"
    with Journal.open(tmp_path / "journal", threaded=False) as journal:
        record = Runner(journal, cycle, Purse(), current={"rules": "1"})
        with adapter(path) as first, adapter(tmp_path / "elsewhere") as second:
            async with occupied(record, alder=path) as stations:
                with behind(first, device):
                    await stations["alder"].ready()
                first.pull()
                second.plug(path)
                with behind(second, device):
                    await until(lambda: not stations["alder"].online, 20, 0.01)
                    await stations["alder"].ready()
                    assert stations["alder"].node == second.node
    with Reader(tmp_path / "journal") as reader:
        attached = [entry.body for entry in reader.entries() if entry.kind == "device"]
    assert [(one["serial"], one["node"]) for one in attached] == [
        (device.identity.serial, first.node),
        (device.identity.serial, second.node),
    ]
    assert attached[1]["counted"]["frames_in"] > 0


@virtual
async def test_field_case_9_a_port_that_another_program_keeps_is_asked_for_again_and_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    device, real = alder(), serial.Serial

    def kept(*arguments: Any, **options: Any) -> serial.Serial:
        if busy:
            raise serial.SerialException(errno.EBUSY, "could not open port")
        return real(*arguments, **options)

    busy = True
    monkeypatch.setattr(serial_module.serial, "Serial", kept)
    monkeypatch.setattr(serial_module, "opened_by", lambda node: 1)
    with adapter(tmp_path / "port") as plugged, behind(plugged, device):
        async with occupied(Notes(), alder=plugged.path) as stations:
            await asyncio.sleep(20)
            assert re.search(r"is in use by pid 1 \(\S+\): stop that program", stations["alder"].condition)
            assert 1 <= len(caplog.records) <= 8
            busy = False
            await asyncio.sleep(6.5)
            await stations["alder"].ready()


@virtual
async def test_field_case_11_a_lock_held_for_a_minute(
    tmp_path: Path, device: Device, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    name, loop = device.family.name, asyncio.get_running_loop()
    with adapter(tmp_path / "port") as plugged, behind(plugged, device):
        async with occupied(Notes(), **{name: plugged.path}) as stations:
            with locked(plugged.node) as child:
                started = loop.time()
                await asyncio.sleep(60)
                station = stations[name]
                assert station.condition.startswith("waiting for the port: ")
                assert f"pid {child.pid} (python" in station.condition
                said = [one.getMessage() for one in caplog.records if str(child.pid) in one.getMessage()]
                assert 4 <= len(said) <= 6
                assert all("times since last said" in line for line in said[1:])
            released = loop.time()
            await station.ready()
            assert released - started >= 60
            assert loop.time() - released < 7  # one interval of the back-off, and the link


def test_field_case_16_the_adapters_latency_is_told_where_it_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    timer = tmp_path / "ttyUSB7" / "device" / "latency_timer"
    timer.parent.mkdir(parents=True)
    timer.write_text("16\n")
    assert latency_ms("/dev/ttyUSB7", tmp_path) == 16
    assert latency_ms("/dev/ttyACM0", tmp_path) is None
    timer.write_text("odd")
    assert latency_ms("/dev/ttyUSB7", tmp_path) is None


@pytest.mark.parametrize(("latency", "told"), [(16, True), (1, False), (None, False)])
async def test_field_case_16_a_port_with_a_slow_adapter_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, latency: int | None, told: bool
) -> None:
    monkeypatch.setattr(serial_module, "latency_ms", lambda node: latency)
    with adapter(tmp_path / "port") as plugged:
        host = Host(plugged.path)
        await host.open()
        assert any("holds bytes back for 16 ms" in notice for notice in host.transport.notices) is told
        await host.transport.close()
