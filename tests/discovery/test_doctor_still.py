"""What the doctor finds without opening anything: each reason on a machine that is a folder."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest

from protocols.dogwood.datasheet import USB as DOGWOOD
from shoectl.devices.places import Place
from shoectl.discovery.attached import attached
from shoectl.discovery.checks_node import may_open
from shoectl.discovery.doctor import diagnose, places_of, ports_as_subjects
from shoectl.discovery.finding import Finding
from shoectl.discovery.system import System, User
from shoectl.transports import usb_find
from tests.discovery.trees import ACM, CEDAR, DEALER, Tree
from tests.transports.test_hid import KEYBOARD

MEMBER = User("dealer", 4242, frozenset((4242, os.getegid())))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.rules()
    return made


def found(tree: Tree, *urls: str, user: User = MEMBER, family: str = "alder") -> list[Finding]:
    """What is wrong with places at these URLs, or with whatever is attached."""
    system = System(tree.root, user)
    subjects = ports_as_subjects(attached(system))
    if urls:
        subjects = places_of(system, [Place(f"place {n}", url, family) for n, url in enumerate(urls)])
    return list(asyncio.run(diagnose(system, subjects, asks=False)).findings)


def one(tree: Tree, *urls: str, user: User = MEMBER, family: str = "alder") -> Finding:
    (only,) = found(tree, *urls, user=user, family=family)
    return only


def test_an_adapter_as_it_should_be_gives_nothing(tree: Tree) -> None:
    tree.adapter("ttyUSB0", "1-1")
    assert found(tree) == []
    assert found(tree, "serial:///dev/ttyUSB0") == []


def test_nothing_attached(tree: Tree) -> None:
    assert one(tree).reason == "nothing-attached"


def test_no_node(tree: Tree) -> None:
    tree.adapter("ttyUSB1", "1-1")
    seen = one(tree, "serial:///dev/ttyUSB0")
    assert (seen.reason, seen.where) == ("no-node", "place 0 (serial:///dev/ttyUSB0)")
    assert seen.what == "/dev/ttyUSB0 is not there (there is /dev/ttyUSB1)"
    assert one(tree, "serial:///dev/shoectl/alder-AL1").do == (
        "plug the device in; install the udev rules (udev/install.sh)"
    )


def test_dangling_name(tree: Tree) -> None:
    tree.link("/dev/shoectl/adapter-FT1", "/dev/ttyUSB4")
    seen = one(tree, "serial:///dev/shoectl/adapter-FT1")
    assert (seen.reason, seen.what) == (
        "dangling-name",
        "/dev/shoectl/adapter-FT1 points to /dev/ttyUSB4, which is not there",
    )


def test_field_case_43_no_permission_names_group_user_and_command(tree: Tree) -> None:
    tree.adapter("ttyUSB0", "1-1")
    seen = one(tree, user=DEALER)
    assert seen.reason == "no-permission"
    assert seen.what == ("/dev/ttyUSB0 may not be opened by dealer: group shoectl, mode 0660; groups of dealer: dealer")
    assert seen.do == "usermod -aG shoectl dealer, then log in again"
    tree.write("/etc/group", f"shoectl:x:{os.getegid()}:other,dealer\n")
    assert one(tree, user=DEALER).do == "log in again: dealer is in shoectl, but not in this session"
    tree.write("/etc/group", f"root:x:{os.getegid()}:\n")
    assert "install the udev rules" in found(tree, user=DEALER)[0].do


@pytest.mark.parametrize(
    ("user", "mode", "may"),
    [
        (User("root", 0, frozenset()), 0o000, True),
        (User("owner", 7, frozenset()), 0o600, True),
        (User("owner", 7, frozenset((8,))), 0o060, False),
        (User("member", 9, frozenset((8,))), 0o660, True),
        (User("member", 9, frozenset((8,))), 0o640, False),
        (User("anybody", 9, frozenset()), 0o660, False),
        (User("anybody", 9, frozenset()), 0o666, True),
    ],
)
def test_who_may_open_a_node_is_as_the_kernel_has_it(user: User, mode: int, may: bool) -> None:
    assert may_open(user, os.stat_result((0o020000 | mode, 0, 0, 1, 7, 8, 0, 0, 0, 0))) is may


def test_wrong_rights(tree: Tree) -> None:
    tree.adapter("ttyUSB0", "1-1")
    tree.root.joinpath("dev/ttyUSB0").chmod(0o666)
    seen = one(tree)
    assert (seen.reason, seen.what) == (
        "wrong-rights",
        "/dev/ttyUSB0 has group shoectl, mode 0666; the rules say shoectl, 0660",
    )


def test_no_rules(tree: Tree) -> None:
    tree.adapter("ttyUSB0", "1-1")
    for path in tree.root.glob("etc/udev/rules.d/*"):
        path.unlink()
    seen = one(tree)
    assert (seen.reason, seen.do) == ("no-rules", "udev/install.sh dealer")


def test_rules_lack(tree: Tree) -> None:
    folder = tree.usb("1-1", "1a86:7523", "", ((255, 1, 2),), "ch341")
    tree.tty("ttyUSB0", folder, "1-1", 1)
    seen = one(tree)
    assert (seen.reason, seen.what) == ("rules-lack", "the udev rules do not know 1a86:7523")


def test_field_case_11_busy_names_who_holds_it(tree: Tree) -> None:
    tree.adapter("ttyUSB0", "1-1")
    tree.process(77, "minicom", "/dev/ttyUSB0")
    seen = one(tree)
    assert (seen.reason, seen.what) == ("busy", "/dev/ttyUSB0 is in use by pid 77 (minicom)")


def test_busy_by_a_lock_alone(tree: Tree) -> None:
    tree.adapter("ttyUSB0", "1-1")
    told = (tree.root / "dev/ttyUSB0").stat()
    device = f"{os.major(told.st_dev):02x}:{os.minor(told.st_dev):02x}:{told.st_ino}"
    tree.write("/proc/locks", f"1: FLOCK  ADVISORY  WRITE 78 {device} 0 EOF\n")
    tree.write("/proc/78/comm", "shoectl\n")
    assert one(tree).what == "/dev/ttyUSB0 is in use by pid 78 (shoectl)"


@pytest.mark.parametrize(("text", "who"), [("        91\n", "pid 91"), ("rubbish", "a program")])
def test_field_case_11_stale_lock(tree: Tree, text: str, who: str) -> None:
    tree.adapter("ttyUSB0", "1-1")
    tree.write("/run/lock/LCK..ttyUSB0", text)
    tree.link("/var/lock", "/run/lock")
    seen = one(tree)
    assert seen.reason == "stale-lock"
    assert (seen.what, seen.do) == (
        f"/run/lock/LCK..ttyUSB0 was left by {who}, which is gone",
        "rm /run/lock/LCK..ttyUSB0",
    )
    if who == "pid 91":
        tree.process(91, "cu")
        assert one(tree).what == "/run/lock/LCK..ttyUSB0 says that /dev/ttyUSB0 is in use by pid 91 (cu)"


def test_field_case_9_modem_probe(tree: Tree) -> None:
    folder = tree.usb("1-1", "1209:5c03", "AL1", ACM, "cdc_acm")
    tree.tty("ttyACM0", folder, "1-1")
    assert found(tree) == []
    tree.process(55, "ModemManager")
    seen = one(tree)
    assert (seen.reason, seen.what) == ("modem-probe", "ModemManager (pid 55) writes into each new port")
    tree.udev("189:1", ID_MM_DEVICE_IGNORE="1")
    assert found(tree) == []
    tree.udev("189:1", ID_VENDOR_ID="1209")
    tree.udev("188:0", ID_MM_PORT_IGNORE="1")
    assert found(tree) == []


def test_braille(tree: Tree) -> None:
    tree.adapter("ttyUSB0", "1-1", driver="ftdi_sio")
    tree.udev("189:1", BRLTTY_BRAILLE_DRIVER="al")
    assert one(tree).reason == "braille"
    tree.udev("189:1", BRLTTY_BRAILLE_DRIVER="")
    assert found(tree) == []


@pytest.mark.parametrize(("timer", "reasons"), [(16, ["latency"]), (2, ["latency"]), (1, [])])
def test_field_case_16_latency(tree: Tree, timer: int, reasons: list[str]) -> None:
    tree.adapter("ttyUSB0", "1-1", latency=timer)
    seen = found(tree)
    assert [each.reason for each in seen] == reasons
    if seen:
        assert seen[0].what == f"the adapter of /dev/ttyUSB0 holds bytes back for {timer} ms"


def test_field_case_25_asleep(tree: Tree) -> None:
    tree.adapter("ttyUSB0", "1-1", power="auto")
    seen = one(tree)
    assert seen.reason == "asleep"
    assert seen.do.endswith("now: echo on > /sys/devices/pci0/usb1/1-1/power/control")


def test_no_module(tree: Tree) -> None:
    tree.usb("1-1", "1209:5c03", "AL1", ACM)
    seen = one(tree)
    assert (seen.reason, seen.do) == ("no-module", "modprobe cdc_acm")
    tree.write("/lib/modules/6.1.0-test/modules.dep", "kernel/drivers/usb/serial/ftdi_sio.ko.xz: usbserial.ko\n")
    assert one(tree).do == (
        "this kernel has no cdc_acm: install its further modules (linux-modules-extra-6.1.0-test), or use usb://"
    )
    tree.adapter("ttyUSB0", "1-2", driver="")
    assert {each.do for each in found(tree) if "0403" in each.where} == {"modprobe ftdi_sio"}
    seen = found(tree, "usb://1209:5c03/AL1", "serial:///dev/ttyUSB9")  # usb:// needs none
    assert [(each.reason, each.where[:9]) for each in seen] == [("no-module", "0403:6001"), ("no-node", "place 1 (")]
    assert found(tree, "usb://1209:5c03/AL1", "serial:///dev/ttyUSB0") == []  # it is there, whoever made it


def test_no_module_for_hidraw(tree: Tree) -> None:
    tree.hidraw("hidraw0", "1-1", "1209:5c02", "DO1", DOGWOOD.report)
    assert found(tree) == []
    (tree.root / "sys/class/hidraw/hidraw0").unlink()
    assert [each.what for each in found(tree)] == ["this kernel makes no hidraw nodes"]


def test_not_bound(tree: Tree) -> None:
    tree.usb("1-1", "1209:5c03", "AL1", ACM)
    (tree.root / "sys/module/cdc_acm").mkdir(parents=True)
    assert one(tree).reason == "not-bound"


def test_a_device_that_a_program_took_from_its_driver_is_busy(tree: Tree) -> None:
    tree.usb("1-1", "1209:5c03", "AL1", ACM, "usbfs")
    tree.process(79, "python3", "/dev/bus/usb/001/001")
    assert {each.what for each in found(tree)} == {
        "it was taken from the system's driver by pid 79 (python3)",
        "/dev/bus/usb/001/001 is in use by pid 79 (python3)",
    }


def test_field_case_43_no_library(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.usb("1-1", "1209:5c01", "CE1", CEDAR)
    monkeypatch.setattr(usb_find.libusb1, "get_backend", lambda: None)
    seen = one(tree)
    assert (seen.reason, seen.do) == ("no-library", "apt-get install libusb-1.0-0")


def test_keyboard_mode_and_wrong_reports(tree: Tree) -> None:
    tree.hidraw("hidraw0", "1-1", "1209:5c02", "DO1", KEYBOARD)
    assert one(tree).reason == "keyboard-mode"
    tree.write("/sys/devices/pci0/usb1/1-1/1-1:1.0/0003:1209:5C02.0001/report_descriptor", DOGWOOD.report[:-1])
    assert one(tree).reason == "wrong-reports"


def test_field_case_7_twins(tree: Tree) -> None:
    tree.adapter("ttyUSB0", "1-1.2", "0001")
    tree.adapter("ttyUSB1", "1-1.3", "0001")
    seen = one(tree, "serial:///dev/serial/by-id/usb-FTDI_0001-if00-port0")
    assert seen.reason == "twins"
    assert seen.what == "0403:6001 0001 is there twice (also at 1-1.2)"
    assert seen.do == "use the name by its plug: /dev/serial/by-path/pci-0-usb-1-1.3-port0"
    assert found(tree, "serial:///dev/serial/by-path/pci-0-usb-1-1.3-port0") == []
    assert one(tree, "usb://0403:6001/0001").what == "2 devices fit USB device 0403:6001 0001 (at 1-1.2, 1-1.3)"
    assert found(tree, "usb://0403:6001/0001?plug=1-1.3") == []


def test_another_unit_on_the_bus(tree: Tree) -> None:
    tree.usb("1-1", "1209:5c01", "CE1", CEDAR)
    assert found(tree, "usb://1209:5c01/ce1", family="cedar") == []
    seen = one(tree, "usb://1209:5c01/CE2", family="cedar")
    assert (seen.reason, seen.what) == (
        "no-node",
        "USB device 1209:5c01 CE2 is not there, others of its kind are (CE1 at 1-1)",
    )


def test_a_port_of_another_machine_has_no_node_to_look_at(tree: Tree) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        assert found(tree, f"tcp://127.0.0.1:{taken.getsockname()[1]}") == []
