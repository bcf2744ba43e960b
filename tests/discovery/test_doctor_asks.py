"""What the doctor finds by asking: each reason on a pseudo-terminal, with a device that says what it is told to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from shoectl.devices.places import Place
from shoectl.discovery import checks_device
from shoectl.discovery.attached import given
from shoectl.discovery.doctor import diagnose, ports_as_subjects
from shoectl.discovery.history import Known
from shoectl.discovery.system import System
from tests.devices.ports import adapter, locked
from tests.devices.scripted import alder, birch
from tests.discovery.lines import doctor, plugged, reasons
from tests.timeloop import virtual
from tests.transports.ends import UsbEnd, standing
from tests.transports.hosts import Host

RESERVED = 1 << 15
FIRMWARE = "Alder AL000117 with firmware 1.0"


def at(path: Path, family: str = "alder", options: str = "", serial: str | None = None) -> Place:
    return Place("shuffler" if family == "alder" else "shoe", f"serial://{path}{options}", family, serial)


@virtual
async def test_the_device_that_belongs_there_is_well_and_was_asked_nothing_but_who_it_is(tmp_path: Path) -> None:
    device = alder()
    device.event()
    with plugged(tmp_path / "port", device):
        told = await doctor(at(tmp_path / "port", serial="AL000117"))
    assert told.findings == ()
    assert [(subject.place, answer.identity.serial) for subject, answer in told.well] == [("shuffler", "AL000117")]
    assert {request.type for request in device.asked} == {"IDENT"}
    assert (device.acknowledged, len(device.ring)) == (0, 1)


@virtual
async def test_field_case_12_busy(tmp_path: Path) -> None:
    device = alder()
    with plugged(tmp_path / "port", device) as made, locked(made.node) as child:
        ((reason, what),) = await reasons(at(tmp_path / "port"))
    assert reason == "busy"
    assert what.startswith(f"{made.node} is in use by pid {child.pid} (python")
    assert device.asked == []


@pytest.mark.parametrize("serial", ["", "/CE000042"])
async def test_field_case_12_busy_on_a_usbip_server_where_a_table_has_it(serial: str) -> None:
    async with standing(UsbEnd("cedar")) as end:
        host = await Host(end.url).open()
        url = f"usb://1209:5c01{serial}?usbip=127.0.0.1:{end.number}"
        (found,) = (await doctor(Place("shuffler", url, "cedar"))).findings
        await host.transport.close()
    assert (found.reason, found.do) == ("busy", "stop that program")
    assert "in use by another program" in found.what


@virtual
async def test_no_answer(tmp_path: Path) -> None:
    with adapter(tmp_path / "port"):
        assert await reasons(at(tmp_path / "port")) == [
            ("no-answer", "no alder answers at 57600 bit/s, nor anybody else")
        ]
        assert await reasons(at(tmp_path / "port", "birch", "?address=5")) == [
            ("no-answer", "no birch answers at 38400 bit/s, address 5, nor anybody else")
        ]
        system = System()
        port = given(f"serial://{tmp_path / 'port'}", system)
        (found,) = (await diagnose(system, ports_as_subjects([port]))).findings
        assert (found.reason, found.what) == ("no-answer", "nobody answers (alder, birch)")


@virtual
async def test_does_not_open(tmp_path: Path) -> None:
    (tmp_path / "port").write_text("a file")
    assert await reasons(at(tmp_path / "port")) == [("does-not-open", f"{tmp_path / 'port'} is no serial port")]


async def test_does_not_open_where_nobody_listens() -> None:
    told = await doctor(Place("shoe", "tcp://127.0.0.1:9", "birch"))
    assert [(one.reason, one.what, one.do) for one in told.findings] == [
        ("does-not-open", "nobody listens at 127.0.0.1:9", "start the serial server, or correct the URL")
    ]


@virtual
async def test_wrong_rate(tmp_path: Path) -> None:
    with plugged(tmp_path / "port", alder(), rate=19200):
        told = await doctor(at(tmp_path / "port"))
        (found,) = told.findings
        assert (found.reason, found.what) == ("wrong-rate", "Alder AL000117 answers at 19200 bit/s, not at 57600")
        assert found.do == "correct the URL (baud=19200), or the device's rate"
        assert await reasons(at(tmp_path / "port", options="?baud=19200")) == []


@virtual
async def test_wrong_address(tmp_path: Path) -> None:
    with plugged(tmp_path / "port", birch(address=4)):
        place = at(tmp_path / "port", "birch")
        assert await reasons(place) == [("wrong-address", "Birch BR000342 answers at address 4, nobody at 3")]
        other = Place("other", f"{place.url}?address=4", "birch")
        assert await reasons(place, other) == [
            ("no-answer", "no birch answers at 38400 bit/s, address 3, nor anybody else")
        ]


@virtual
async def test_field_case_55_wrong_family(tmp_path: Path) -> None:
    with plugged(tmp_path / "port", birch()):
        assert await reasons(at(tmp_path / "port")) == [
            ("wrong-family", "no alder answers, but Birch BR000342, a birch")
        ]
    device = alder()
    device.identity = replace(device.identity, family=0x42)
    with plugged(tmp_path / "port", device):
        assert await reasons(at(tmp_path / "port")) == [
            ("wrong-family", "Alder AL000117 is of the family birch and not alder")
        ]


@virtual
async def test_field_case_8_wrong_serial(tmp_path: Path) -> None:
    with plugged(tmp_path / "port", alder("AL000118")):
        assert await reasons(at(tmp_path / "port", serial="AL000117")) == [
            ("wrong-serial", "Alder AL000118 is not the unit AL000117 that is configured")
        ]


@virtual
async def test_wrong_firmware_by_the_configuration(tmp_path: Path) -> None:
    place = replace(at(tmp_path / "port"), firmware="1.1")
    with plugged(tmp_path / "port", alder()):
        assert await reasons(place) == [("wrong-firmware", "Alder AL000117 has firmware 1.0, configured is 1.1")]
        assert await reasons(replace(place, firmware="1.0")) == []


@virtual
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"proto": 2},
            ("wrong-firmware", "Alder AL000117 with firmware 1.0 speaks version 2 of the protocol and not 1"),
        ),
        (
            {"caps": RESERVED},
            (
                "wrong-firmware",
                "Alder AL000117 with firmware 1.0 claims a capability that must not be claimed (bit 15)",
            ),
        ),
        ({"flags": 0x20}, ("wrong-level", "Alder AL000117 asks for security level 2, configured is 0")),
        ({"flags": 0x04}, ("service-mode", "Alder AL000117 is in service mode")),
    ],
)
async def test_what_a_device_says_of_itself(tmp_path: Path, changes: dict[str, int], told: tuple[str, str]) -> None:
    with plugged(tmp_path / "port", alder(**changes)):
        assert await reasons(at(tmp_path / "port")) == [told]
        system = System()
        port = given(f"serial://{tmp_path / 'port'}", system)
        (found,) = (await diagnose(system, ports_as_subjects([port]))).findings  # without a configuration too
        assert (found.reason, found.what) == told


@virtual
@pytest.mark.parametrize(
    ("known", "told"),
    [
        (Known("alder", "AL000099", 1, "1.0"), [("other-unit", "Alder AL000117 took the place of AL000099")]),
        (
            Known("alder", "AL000117", 4, "1.0"),
            [("other-unit", "the memory of Alder AL000117 was wiped since the table ran last (epoch 4, now 1)")],
        ),
        (
            Known("alder", "AL000117", 1, "0.9"),
            [("wrong-firmware", "Alder AL000117 has firmware 1.0, and had 0.9 when the table ran last")],
        ),
        (Known("alder", "AL000117", 1, "1.0"), []),
    ],
)
async def test_what_changed_since_the_table_ran_last(tmp_path: Path, known: Known, told: list[tuple[str, str]]) -> None:
    with plugged(tmp_path / "port", alder()):
        assert await reasons(at(tmp_path / "port"), known={"shuffler": known}) == told


@virtual
async def test_refused_for_a_reason_that_only_the_table_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks_device, "refusal", lambda *asked: "Alder AL000117 is too old: call service")
    with plugged(tmp_path / "port", alder()):
        told = await doctor(at(tmp_path / "port"))
    assert [(one.reason, one.what, one.do) for one in told.findings] == [
        ("refused", "Alder AL000117 is too old", "call service")
    ]
