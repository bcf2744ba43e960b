"""USB/IP on the wire, against what the kernel's document shows: its capture of a HID device, and its tables."""

from __future__ import annotations

import pytest

from protocols import usbip
from protocols.usbip import BadUsbip, Exported, Op, Submit, Submitted, Unlink, Unlinked

ASKED_IN = "00000001 00000d05 0001000f 00000001 00000001 00000200 00000040 ffffffff 00000000 00000004 00000000 00000000"
ASKED_OUT = (
    "00000001 00000d06 0001000f 00000000 00000001 00000000 00000040 ffffffff 00000000 00000004 00000000 00000000"
    "ffffffff860008a784ce5ae212376300 00000000000000000000000000000000 00000000000000000000000000000000"
    "00000000000000000000000000000000"
)
DONE_OUT = "00000003 00000d06 00000000 00000000 00000000 00000000 00000040 ffffffff 00000000 00000000 00000000 00000000"
DONE_IN = (
    "00000003 00000d05 00000000 00000000 00000000 00000000 00000040 ffffffff 00000000 00000000 00000000 00000000"
    "ffffffff860011a784ce5ae2123763612891b10201000004000000000000000000000000000000000000000000000000000000000000000000"
    "00000000000000"
)


def split(text: str) -> tuple[bytes, bytes]:
    data = bytes.fromhex(text)
    return data[: usbip.HEADER.size], data[usbip.HEADER.size :]


def test_the_captured_transfers_decode_and_encode() -> None:
    header, _ = split(ASKED_IN)
    asked = Submit(0xD05, 0x1000F, True, 1, 64, flags=0x200, interval=4)
    assert usbip.decode_header(header) == asked
    assert asked.encode() == header
    header, data = split(ASKED_OUT)
    out = Submit(0xD06, 0x1000F, False, 1, 64, data=data, interval=4)
    assert len(data) == 64
    assert out.encode() == header + data
    assert usbip.decode_header(header) == Submit(0xD06, 0x1000F, False, 1, 64, interval=4)
    header, _ = split(DONE_OUT)
    assert usbip.decode_header(header) == Submitted(0xD06, 0, 64)
    assert Submitted(0xD06, 0, 64).encode() == header
    header, data = split(DONE_IN)
    assert Submitted(0xD05, 0, len(data)).encode(data) == header + data


def test_taking_back_a_transfer_as_the_tables_have_it() -> None:
    asked = bytes.fromhex("00000002 00000007 00010002 00000000 00000000 00000005") + bytes(24)
    assert Unlink(7, 0x10002, 5).encode() == asked
    assert usbip.decode_header(asked) == Unlink(7, 0x10002, 5)
    taken = bytes.fromhex("00000004 00000007 00000000 00000000 00000000 ffffff98") + bytes(24)
    assert Unlinked(7, -104).encode() == taken
    assert usbip.decode_header(taken) == Unlinked(7, -104)


def test_the_list_has_312_bytes_a_device_and_four_an_interface() -> None:
    device = Exported(
        "/sys/devices/usb3/3-2", "3-2", 3, 15, 2, 0x1209, 0x5C03, 0x100, (0xEF, 2, 1), 1, 1, 2, ((2, 2, 1), (10, 0, 0))
    )
    data = device.encode_listed()
    assert len(data) == 312 + 8
    assert data[256:259] == b"3-2"
    assert data[288:312] == bytes.fromhex("00000003 0000000f 00000002 1209 5c03 0100 ef 02 01 01 01 02")
    assert data[312:] == bytes.fromhex("02020100 0a000000")
    told = usbip.decode_device(data[:312])
    assert (told.bus_id, told.device_id, told.device_class, told.interface_count) == ("3-2", 0x3000F, (0xEF, 2, 1), 2)


def test_heads_of_requests_and_replies() -> None:
    assert usbip.encode_op(Op.REQUEST_LIST) == bytes.fromhex("0111 8005 00000000")
    assert usbip.encode_op(Op.REPLY_IMPORT, 1) == bytes.fromhex("0111 0003 00000001")
    assert usbip.decode_op(bytes.fromhex("0111 0003 00000001")) == (Op.REPLY_IMPORT, 1)


@pytest.mark.parametrize(
    "text",
    [
        "00000001 00000d05 0001000f 00000001 00000001 00000200 00000040 ffffffff 00000003 00000004 00000000 00000000",
        "00000001 00000d05 0001000f 00000001 00000001 00000200 7fffffff ffffffff 00000000 00000004 00000000 00000000",
        "00000001 00000d05 0001000f 00000001 00000010 00000200 00000040 ffffffff 00000000 00000004 00000000 00000000",
        "00000003 00000d05 00000000 00000000 00000000 00000000 ffffffff ffffffff 00000000 00000000 00000000 00000000",
        "00000009 00000d05 00000000 00000000 00000000 00000000 00000040 ffffffff 00000000 00000000 00000000 00000000",
    ],
)
def test_what_is_not_spoken_here_is_an_error(text: str) -> None:
    with pytest.raises(BadUsbip):
        usbip.decode_header(bytes.fromhex(text))


def test_another_version_is_an_error() -> None:
    with pytest.raises(BadUsbip, match="version 0x0106"):
        usbip.decode_op(bytes.fromhex("0106 0005 00000000"))
