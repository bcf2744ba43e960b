"""Who answers where: all media side by side, by protocol, and nothing but IDENT."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import replace
from pathlib import Path

from shoectl.discovery.ask import ask, tries
from shoectl.discovery.attached import given, served
from shoectl.discovery.survey import State, survey
from shoectl.discovery.system import System
from tests.devices.ports import adapter, locked
from tests.devices.scripted import alder, birch
from tests.discovery.lines import plugged
from tests.timeloop import virtual
from tests.transports.ends import TcpEnd, UsbEnd, standing
from tests.transports.hosts import Host
from tests.transports.simulated import on_a_bus


@virtual
async def test_each_serial_port_is_identified_by_protocol_side_by_side(tmp_path: Path) -> None:
    loop, system, shuffler, shoe = asyncio.get_running_loop(), System(), alder(), birch(address=9)
    shuffler.event()
    shoe.event()
    names = ("shoe", "shuffler", "empty", "held")  # names that say nothing, or the wrong thing
    ports = [given(f"serial://{tmp_path / name}", system) for name in names]
    with (
        plugged(tmp_path / "shoe", shuffler),
        plugged(tmp_path / "shuffler", shoe),
        adapter(tmp_path / "empty"),
        adapter(tmp_path / "held") as held,
        locked(held.node) as child,
    ):
        ports = [given(port.url, system) for port in ports]
        done: list[tuple[int, int]] = []
        began = loop.time()
        seen = await survey(system, ports, progress=lambda *far: done.append(far))
        assert loop.time() - began < 15
    assert [one.state for one in seen] == [State.ANSWERS, State.ANSWERS, State.SILENT, State.HELD]
    assert [(answer.url, answer.identity.serial) for one in seen for answer in one.answers] == [
        (f"serial://{tmp_path}/shoe?baud=57600", "AL000117"),
        (f"serial://{tmp_path}/shuffler?baud=38400&address=9", "BR000342"),
    ]
    assert seen[3].why.startswith(f"pid {child.pid} (python")
    assert {request.type for request in shuffler.asked} == {"IDENT"}
    assert {request.type for request in shoe.asked} <= {"IDENT", "POLL"}
    assert (shuffler.acknowledged, shoe.acknowledged) == (0, 0)
    assert done[0][0] == 0
    assert done[-1] == (24, 24)


@virtual
async def test_a_port_that_another_program_has_open_without_a_lock_is_not_opened(tmp_path: Path) -> None:
    system, device = System(), alder()
    with plugged(tmp_path / "port", device) as made:
        number = os.open(made.node, os.O_RDONLY | os.O_NOCTTY)
        reader = await asyncio.create_subprocess_exec("sleep", "60", stdin=number)
        os.close(number)
        (seen,) = await survey(system, [given(f"serial://{made.path}", system)])
        reader.kill()
        await reader.wait()
    assert (seen.state, seen.why) == (State.HELD, f"pid {reader.pid} (sleep)")
    assert device.synced == 0


async def test_devices_of_a_usb_ip_server_are_identified_whatever_they_are() -> None:
    async with on_a_bus("alder", "cedar", "dogwood") as bus:
        ports = await asyncio.to_thread(served, "127.0.0.1", bus.number)
        seen = await survey(System(), ports, patience=3)
    server = f"?usbip=127.0.0.1:{bus.number}"
    assert {(answer.family, answer.url) for one in seen for answer in one.answers} == {
        ("alder", f"usb://1209:5c03/AL000117{server}"),
        ("cedar", f"usb://1209:5c01/CE000117{server}"),
        ("dogwood", f"usb://1209:5c02/DO000117{server}"),
    }


async def test_each_shoe_behind_an_adapter_of_a_usb_ip_server_is_found_by_its_address() -> None:
    async with on_a_bus("birch", "birch@4") as bus:
        (port,) = await asyncio.to_thread(served, "127.0.0.1", bus.number)
        plan = tries(port)[1]
        answers = await ask(replace(plan, urls=(plan.urls[0], plan.urls[2])), patience=4)
    assert [(answer.url, answer.identity.serial) for answer in answers] == [
        (f"usb://0403:6001?plug=1-1&usbip=127.0.0.1:{bus.number}&baud=38400&address={address}", f"BI00000{address}")
        for address in (3, 4)
    ]


async def test_field_case_7_two_devices_with_equal_ids_are_found_at_their_plugs() -> None:
    async with on_a_bus("alder") as one, on_a_bus("alder") as two:
        socket = two.bus.sockets["1-1"]
        place = one.bus.plug(socket.device)
        ports = await asyncio.to_thread(served, "127.0.0.1", one.number)
        seen = await survey(System(), ports, patience=3)
    assert [(each.state, each.why) for each in seen] == [(State.ANSWERS, "")] * 2
    assert [answer.url for each in seen for answer in each.answers] == [
        f"usb://1209:5c03?plug={plug}&usbip=127.0.0.1:{one.number}" for plug in ("1-1", place)
    ]


async def test_a_usb_device_that_another_program_has_is_told_as_that() -> None:
    async with standing(UsbEnd("cedar")) as end:
        ports = await asyncio.to_thread(served, "127.0.0.1", end.number)
        host = await Host(end.url).open()
        (seen,) = await survey(System(), ports)
        await host.transport.close()
    assert (seen.state, "is in use by another program" in seen.why) == (State.REFUSED, True)


async def test_a_network_port_where_nobody_answers_ends_in_time() -> None:
    async with standing(TcpEnd()) as end:
        began = time.monotonic()
        (seen,) = await survey(System(), [given(end.url, System())], patience=0.1)
    assert seen.state is State.SILENT
    assert time.monotonic() - began < 8
    assert end.heard


async def test_ports_that_do_not_open_say_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    system = System()
    urls = (
        f"serial://{tmp_path}/file",
        "tcp://127.0.0.1:9",
        f"hid://{tmp_path}/file",
        "usb://1209:5c01?usbip=127.0.0.1:9",
    )
    seen = await survey(system, [given(url, system) for url in urls])
    assert [one.state for one in seen] == [State.REFUSED] * 4
    assert [one.why.partition(":")[0].rpartition("/")[2] for one in seen] == [
        "file is no serial port", "nobody listens at 127.0.0.1", "file is no HID device", "nobody listens at 127.0.0.1",
    ]  # fmt: skip
