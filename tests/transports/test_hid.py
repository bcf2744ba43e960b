"""HID nodes: what is asked of one before it is taken, and what passes it. A socket pair is the node where none is."""

from __future__ import annotations

import errno
import os
import tty
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from protocols.dogwood.datasheet import USB as DOGWOOD
from protocols.piece import Piece, Tail, pieces
from shoectl.errors import BadInput
from shoectl.transports import TransportError, hid, open_transport
from shoectl.transports.hid_reports import types
from tests.devices.ports import locked
from tests.transports.ends import HidEnd, UsbEnd, standing
from tests.transports.hosts import Host, open_things, until

KEYBOARD = bytes.fromhex(
    "05 01 09 06 A1 01 05 07 19 E0 29 E7 15 00 25 01 75 01 95 08 81 02 95 01 75 08 81 01 95 05 75 01 05 08 19 01 29 05"
    "91 02 95 01 75 03 91 01 95 06 75 08 15 00 25 65 05 07 19 00 29 65 81 00 C0"
)
KEYPAD = bytes.fromhex("05 01 09 07 A1 01 C0")
FAR_USAGE = bytes.fromhex("06 5C FF 09 01 A1 01 0B 04 00 07 00 81 02 C0")  # one usage names the page of keys itself
MOUSE = bytes.fromhex("05 01 09 02 A1 01 09 01 A1 00 05 09 19 01 29 03 81 02 C0 C0")
GET_IDENT = bytes.fromhex("A1 01 20 03 00 00 40 00")


@pytest.fixture
async def end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[HidEnd]:
    made = HidEnd(tmp_path / "shoe0", monkeypatch)
    async with standing(made):
        yield made


def test_requests_have_the_numbers_of_the_kernels_header() -> None:
    assert (hid.HIDIOCGRDESCSIZE, hid.HIDIOCGRDESC, hid.HIDIOCGRAWINFO, hid.get_feature_request(64)) == (
        0x80044801, 0x90044802, 0x80084803, 0xC0404807,
    )  # fmt: skip


@pytest.mark.parametrize("reports", [KEYBOARD, KEYPAD, FAR_USAGE, DOGWOOD.report + KEYBOARD])
async def test_a_device_that_types_is_refused_by_name(end: HidEnd, reports: bytes) -> None:
    end.reports, end.ids = reports, (0x05E0, 0x1200)
    before = open_things()
    with pytest.raises(TransportError, match=r"shoe0 is in keyboard mode: set the reader to HID reports") as caught:
        await Host(end.url).open()
    assert caught.value.exit_code == 3
    await until(lambda: open_things()[0] <= before[0])


@pytest.mark.parametrize("reports", [DOGWOOD.report, MOUSE, b"", b"\xfe\x02\x00\x05\x07", b"\xfe"])
def test_what_does_not_type_is_told_apart(reports: bytes) -> None:
    assert not types(reports)


async def test_reports_other_than_those_of_the_document_are_refused(end: HidEnd) -> None:
    end.reports = DOGWOOD.report.replace(b"\x95\x3f", b"\x95\x3e")
    with pytest.raises(TransportError, match=r"shoe0 has other reports than a dogwood: it is another device"):
        await Host(end.url).open()
    end.ids = (0x1209, 0x7777)  # no family of ours: its station will say whether it speaks our language
    host = await Host(end.url).open()
    await host.transport.close()


async def test_a_clone_is_refused_on_the_bus_too() -> None:
    end = UsbEnd("dogwood")
    end.plate = type(end.plate)(type(DOGWOOD)(DOGWOOD.device, DOGWOOD.configurations, report=KEYBOARD), ("m", "m", "K"))
    async with standing(end):
        with pytest.raises(TransportError, match=r"1209:5c02 K is in keyboard mode"):
            await Host(end.url).open()


async def test_feature_reports_are_fetched_and_refusals_are_answers(end: HidEnd) -> None:
    end.features = {0x20: b"\x20" + b"i" * 63, 0x22: errno.EPIPE, 0x24: errno.ETIMEDOUT}
    host = await Host(end.url).open()
    window, meters = (GET_IDENT.replace(b"\x20", bytes([id])) for id in (0x24, 0x22))
    set_report, no_request = bytes.fromhex("21 09 20 03 00 00 40 00"), b"\xa1\x01"
    for request in (GET_IDENT, meters, window, set_report, no_request):
        host.transport.write(Piece(0, request).encode())
    await until(lambda: len(pieces(host.heard)) == 5)
    refused = Piece(0x80, b"", Tail.STALL)
    assert pieces(host.heard) == [Piece(0x80, b"\x20" + b"i" * 63), refused, refused, refused, refused]
    await host.transport.close()


async def test_a_device_that_goes_during_a_request_is_lost(end: HidEnd) -> None:
    end.features = {0x20: errno.ENODEV}
    host = await Host(end.url).open()
    host.transport.write(Piece(0, GET_IDENT).encode())
    assert "was lost (No such device): check the plug" in str(await host.loses())
    await host.transport.close()


async def test_each_report_is_one_piece_however_fast_they_come(end: HidEnd) -> None:
    host = await Host(end.url).open()
    host.transport.write(end.wrapped(b"\x10" + bytes(63)))
    await until(lambda: end.heard)
    for number in range(20):
        end.say(bytes([2, number]) + bytes(62))
    await until(lambda: len(pieces(host.heard)) == 20)
    assert [piece.data[:2] for piece in pieces(host.heard)] == [bytes([2, number]) for number in range(20)]
    assert {(piece.ep, piece.tail, len(piece.data)) for piece in pieces(host.heard)} == {(0x81, Tail.END, 64)}
    await host.transport.close()


async def test_a_node_that_another_program_holds_is_refused_with_its_pid() -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    node = os.ttyname(slave)
    with locked(node) as child, pytest.raises(TransportError, match=rf"is in use by pid {child.pid} \(python"):
        await Host(f"hid://{node}").open()
    with pytest.raises(TransportError, match="is no HID device: name a hidraw node"):
        await Host(f"hid://{node}").open()
    os.close(master)
    os.close(slave)


async def test_what_is_no_node_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "left").symlink_to("/dev/hidraw-nothing")
    for name, words in (("file", "is no HID device"), ("left", "points to /dev/hidraw-nothing, which is not there")):
        with pytest.raises(TransportError, match=words):
            await Host(f"hid://{tmp_path / name}").open()


@pytest.mark.parametrize("url", ["hid://host/dev/hidraw0", "hid:hidraw0", "hid:///dev/hidraw0?baud=1", "hid://"])
def test_a_url_that_names_no_node_is_refused(url: str) -> None:
    with pytest.raises(BadInput, match="a HID device is written hid:///dev/NAME"):
        open_transport(url)
