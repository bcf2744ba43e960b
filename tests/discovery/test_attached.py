"""What is attached, by the files of a machine that is a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocols.dogwood.datasheet import USB as DOGWOOD
from shoectl.discovery.ask import addresses, rates, tries, with_options
from shoectl.discovery.attached import attached, given
from shoectl.discovery.bus import Speech
from tests.discovery.trees import ACM, CEDAR, HID, Tree
from tests.transports.test_hid import KEYBOARD, MOUSE


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_an_adapter_is_found_once_under_its_best_name(tree: Tree) -> None:
    tree.adapter("ttyUSB0", "1-1", "FT77")
    (port,) = attached(tree.system)
    assert port.url == "serial:///dev/serial/by-id/usb-FTDI_FT77-if00-port0"
    tree.link("/dev/shoectl/adapter-FT77", "/dev/ttyUSB0")
    (port,) = attached(tree.system)
    assert (port.url, port.node) == ("serial:///dev/shoectl/adapter-FT77", "/dev/ttyUSB0")
    assert port.names[-1] == "/dev/serial/by-path/pci-0-usb-1-1-port0"
    assert port.usb
    assert (port.usb.ids, port.usb.serial, port.usb.plug) == ("0403:6001", "FT77", "1-1")


@pytest.mark.parametrize("serial", ["0001", ""])
def test_field_case_7_two_adapters_with_equal_ids_are_named_by_their_plugs(tree: Tree, serial: str) -> None:
    tree.adapter("ttyUSB0", "1-1.2", serial)
    tree.adapter("ttyUSB1", "1-1.3", serial)
    tree.link("/dev/shoectl/adapter-0001", "/dev/ttyUSB1")
    assert {port.url: port.node for port in attached(tree.system)} == {
        "serial:///dev/serial/by-path/pci-0-usb-1-1.2-port0": "/dev/ttyUSB0",
        "serial:///dev/serial/by-path/pci-0-usb-1-1.3-port0": "/dev/ttyUSB1",
    }


def test_two_ports_of_one_adapter_are_no_twins(tree: Tree) -> None:
    folder = tree.usb("1-4", "0403:6010", "FT2", driver="ftdi_sio")
    tree.tty("ttyUSB0", folder, "1-4", 1)
    tree.tty("ttyUSB1", folder, "1-4", 1)
    tree.link("/dev/serial/by-id/usb-a", "/dev/ttyUSB0")
    tree.link("/dev/serial/by-id/usb-b", "/dev/ttyUSB1")
    assert [port.path for port in attached(tree.system)] == ["/dev/serial/by-id/usb-a", "/dev/serial/by-id/usb-b"]


def test_devices_on_the_bus_that_no_driver_has_are_found_and_twins_by_their_plugs(tree: Tree) -> None:
    tree.usb("1-1", "1209:5c01", "CE1", CEDAR)
    tree.usb("1-2", "1209:5c01", "CE1", CEDAR)
    tree.usb("1-3", "1209:5c03", "AL1", ACM)
    tree.usb("1-5", "1d6b:0002", "", ((9, 0, 0),))
    tree.usb("1-6", "046d:c31c", "", HID, "usbhid")
    tree.usb("1-7", "ffff:0001", "", CEDAR)
    assert [(port.url, port.speech) for port in attached(tree.system)] == [
        ("usb://1209:5c01?plug=1-1", Speech.BULK),
        ("usb://1209:5c01?plug=1-2", Speech.BULK),
        ("usb://1209:5c03/AL1", Speech.LINE),
        ("usb://ffff:0001?plug=1-7", Speech.BULK),  # speaks like a cedar, whatever its numbers are
    ]


def test_hid_nodes_are_found_by_their_reports_or_their_ids_and_no_keyboard_is(tree: Tree) -> None:
    tree.hidraw("hidraw0", "1-1", "046d:c31c", "", KEYBOARD)
    tree.hidraw("hidraw1", "1-2", "1209:5c02", "DO1", KEYBOARD)
    tree.hidraw("hidraw2", "1-3", "ffff:0002", "", DOGWOOD.report)
    tree.hidraw("hidraw3", "1-4", "046d:c001", "", MOUSE)
    assert [port.url for port in attached(tree.system)] == ["hid:///dev/hidraw1", "hid:///dev/hidraw2"]


def test_ports_on_board_are_found_where_there_is_a_chip_and_no_console(tree: Tree) -> None:
    for n, kind in enumerate("440"):
        tree.write(f"/sys/devices/pnp0/ttyS{n}/type", kind)
        tree.link(f"/sys/devices/pnp0/ttyS{n}/device", "/sys/devices/pnp0")
        tree.link(f"/sys/class/tty/ttyS{n}", f"/sys/devices/pnp0/ttyS{n}")
    tree.write("/sys/class/tty/tty1/dev", "4:1")
    tree.write("/sys/class/tty/console/active", "tty0 ttyS1\n")
    assert [port.url for port in attached(tree.system)] == ["serial:///dev/ttyS0"]


def test_a_container_without_sys_still_has_its_nodes(tree: Tree) -> None:
    tree.node("/dev/ttyUSB3")
    assert [port.url for port in attached(tree.system)] == ["serial:///dev/ttyUSB3"]


@pytest.mark.parametrize(
    ("url", "able"),
    [
        ("serial:///dev/ttyUSB0", ["alder", "birch", "alder", "alder", "alder", "alder"]),
        ("tcp://127.0.0.1:4001", ["alder", "birch"]),
        ("usb://1209:5c03/AL1", ["alder", "birch"]),
        ("usb://0403:6001", ["alder", "birch", "alder", "alder", "alder", "alder"]),
        ("usb://1209:5c01", ["cedar"]),
        ("usb://1209:5c02", ["dogwood"]),
        ("hid:///dev/hidraw0", ["dogwood"]),
        ("sim:cedar?seed=7", ["cedar"]),
    ],
)
def test_the_families_that_a_medium_can_carry_are_tried_at_their_own_rate_first(
    tree: Tree, url: str, able: list[str]
) -> None:
    plan = tries(given(url, tree.system))
    assert [one.family.name for one in plan] == able
    for one in plan:
        assert len(set(one.urls)) == len(addresses(one.family))
    if url.startswith("serial"):
        assert plan[0].urls == (f"{url}?baud=57600",)
        assert plan[1].urls[:2] == (f"{url}?baud=38400&address=3", f"{url}?baud=38400&address=2")
        assert [one.urls[0].rpartition("=")[2] for one in plan if one.family.name == "alder"] == [
            str(rate) for rate in rates(plan[0].family)
        ]


def test_options_of_a_url_are_set_and_taken_away() -> None:
    assert with_options("tcp://h:1?address=3", address=None) == "tcp://h:1"
    assert with_options("usb://1:2?plug=1-1&usbip=h:1", baud=9600) == "usb://1:2?plug=1-1&usbip=h:1&baud=9600"
