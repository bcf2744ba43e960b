"""The udev rules against the data sheets: every plug of every family has its name, its rights and its peace."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from firmware_sim.usb.serial import FT232R
from protocols.family import families
from protocols.usb import UsbPlug
from tests.udev.rules import FOLDER, Device, Outcome, apply, files, read

VENDOR, HID, COMMUNICATIONS = 0xFF, 0x03, 0x02  # classes of interfaces
ADAPTER = "adapter"

# As brltty ships them for adapters of this kind, in our words.
BRAILLE = (
    "85-brltty.rules",
    'SUBSYSTEM=="usb", ATTR{idVendor}=="0403", ATTR{idProduct}=="6001", ENV{BRLTTY_BRAILLE_DRIVER}="hd,hm,ht", '
    'ENV{SYSTEMD_WANTS}="brltty-device@usb.service"',
)


def plugs() -> dict[str, UsbPlug]:
    """By the word that their names begin with: the families that have one, and the adapter of all other lines."""
    found = {name: family.line.get("usb") for name, family in families().items()}
    return {name: plug for name, plug in found.items() if plug is not None} | {ADAPTER: FT232R}


def attributes(plug: UsbPlug, serial: str) -> dict[str, str]:
    return {"idVendor": f"{plug.vendor:04x}", "idProduct": f"{plug.product:04x}", "serial": serial}


def device_of(plug: UsbPlug, serial: str = "XX000042", **changes: str) -> Device:
    """The USB device itself."""
    return Device("usb", "1-1", attributes(plug, serial), properties={"DEVTYPE": "usb_device", **changes})


def node_of(name: str, plug: UsbPlug, serial: str = "XX000042") -> Device:
    """What the system's driver makes of it: a port, a hidraw node, or nothing but the USB device itself."""
    above = ({"bInterfaceNumber": "00"}, attributes(plug, serial), {"idVendor": "1d6b", "serial": "vhci_hcd.0"})
    if name == ADAPTER:
        return Device("tty", "ttyUSB3", {"device/latency_timer": "16"}, above)
    kind = next(part[5] for part in _interfaces(plug))
    match kind:
        case 0x03:
            return Device("hidraw", "hidraw3", {}, above)
        case 0x02:
            return Device("tty", "ttyACM3", {}, above)
    return device_of(plug, serial)


def _interfaces(plug: UsbPlug) -> Iterator[bytes]:
    data = plug.configurations["full"]
    while data:
        if data[1] == 4:
            yield data[: data[0]]
        data = data[data[0] :]


def seen(outcome: Outcome) -> tuple[str, str]:
    return outcome.group, outcome.mode


@pytest.mark.parametrize("name", plugs())
def test_each_plug_has_a_name_by_family_and_serial_number_for_the_group_alone(name: str) -> None:
    outcome = apply(node_of(name, plugs()[name]))
    assert outcome.names == [f"shoectl/{name}-XX000042"]
    assert seen(outcome) == ("shoectl", "0660")
    assert seen(apply(device_of(plugs()[name]))) == ("shoectl", "0660")


@pytest.mark.parametrize("serial", ["/../../disk", "../x", "A/B", "/"])
@pytest.mark.parametrize("name", plugs())
def test_a_serial_number_that_leads_elsewhere_makes_no_name(name: str, serial: str) -> None:
    outcome = apply(node_of(name, plugs()[name], serial))
    assert (outcome.names, seen(outcome)) == ([], ("shoectl", "0660"))


@pytest.mark.parametrize("name", plugs())
def test_without_a_serial_number_there_are_rights_and_no_name(name: str) -> None:
    outcome = apply(node_of(name, plugs()[name], ""))
    assert (outcome.names, seen(outcome)) == ([], ("shoectl", "0660"))


@pytest.mark.parametrize("name", plugs())
def test_field_case_9_every_plug_is_kept_from_modem_services(name: str) -> None:
    device, node = apply(device_of(plugs()[name])), apply(node_of(name, plugs()[name]))
    assert device.properties["ID_MM_DEVICE_IGNORE"] == "1"
    if node_of(name, plugs()[name]).subsystem == "tty":
        assert (node.properties["ID_MM_DEVICE_IGNORE"], node.properties["ID_MM_PORT_IGNORE"]) == ("1", "1")


@pytest.mark.parametrize("name", plugs())
def test_field_case_25_every_plug_is_kept_awake(name: str) -> None:
    assert apply(device_of(plugs()[name])).written == {"power/control": "on"}


def test_field_case_16_the_rules_shorten_the_latency_timer_of_adapters_when_their_port_gets_its_name() -> None:
    assert apply(node_of(ADAPTER, FT232R)).written == {"device/latency_timer": "1"}
    old = Device("tty", "ttyUSB3", {}, node_of(ADAPTER, FT232R).above)
    assert apply(old).written == {}


def test_braille_services_are_kept_off_adapters_and_nothing_else_that_is_wanted_is_called_off() -> None:
    properties = apply(device_of(FT232R), others=[BRAILLE]).properties
    assert (properties["BRLTTY_BRAILLE_DRIVER"], properties["SYSTEMD_WANTS"]) == ("", "")
    assert apply(device_of(FT232R, SYSTEMD_WANTS="other.service")).properties["SYSTEMD_WANTS"] == "other.service"


OTHERS: Mapping[str, Device] = {
    "another vendor": Device("usb", "1-1", {"idVendor": "1d6b", "idProduct": "5c01", "serial": "X"}),
    "another product": Device("tty", "ttyACM0", {}, ({"idVendor": "1209", "idProduct": "5c04", "serial": "X"},)),
    "ids of two parents": Device("tty", "ttyUSB0", {}, ({"idVendor": "0403"}, {"idProduct": "6001"})),
    "no port": Device("tty", "tty1", {}, (attributes(FT232R, "X"),)),
    "an interface": Device("usb", "1-1:1.0", attributes(FT232R, "X"), properties={"DEVTYPE": "usb_interface"}),
    "gone": Device("tty", "ttyUSB0", {}, (attributes(FT232R, "X"),), action="remove"),
}


@pytest.mark.parametrize("device", OTHERS.values(), ids=OTHERS.keys())
def test_nothing_is_done_to_other_devices(device: Device) -> None:
    assert apply(device) == Outcome(properties=dict(device.properties))


def test_the_rules_know_no_numbers_but_those_of_the_data_sheets() -> None:
    known = {(attributes(plug, "")["idVendor"], attributes(plug, "")["idProduct"]) for plug in plugs().values()}
    used = set()
    for file in files():
        for rule in read(file.read_text(encoding="utf-8")):
            asked = {item.of: item.value for item in rule if item.key in ("ATTR", "ATTRS") and item.op == "=="}
            if "idVendor" in asked or "idProduct" in asked:
                used.add((asked.get("idVendor"), asked.get("idProduct")))
    assert used == known


def test_field_case_96_what_gives_rights_comes_early_enough_and_nothing_is_open_to_everybody() -> None:
    for file in files():
        rules = read(file.read_text(encoding="utf-8"))
        gives = [item for rule in rules for item in rule if item.key in ("GROUP", "MODE", "SYMLINK", "TAG")]
        assert int(file.name[:2]) <= 70 or not gives
        assert {item.value for item in gives if item.key == "MODE"} <= {"0660"}


def install(*words: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DESTDIR": str(folder), **variables}
    return subprocess.run([FOLDER / "install.sh", *words], env=environment, capture_output=True, text=True, timeout=20)


def test_the_installer_copies_the_rules_and_takes_them_away(tmp_path: Path) -> None:
    rules = tmp_path / "etc" / "udev" / "rules.d"
    assert install(folder=tmp_path).returncode == 0
    (rules / "99-other.rules").touch()
    assert {file.name: file.read_text() for file in rules.glob("*shoectl*")} == {
        file.name: file.read_text() for file in files()
    }
    assert {oct(file.stat().st_mode & 0o777) for file in rules.glob("*shoectl*")} == {"0o644"}
    assert install("--remove", folder=tmp_path).returncode == 0
    assert [file.name for file in rules.iterdir()] == ["99-other.rules"]


def test_a_copy_below_a_folder_is_made_for_users_of_another_machine(tmp_path: Path) -> None:
    done = install("nobody-of-that-name", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert {file.name for file in tmp_path.rglob("*.rules")} == {file.name for file in files()}


@pytest.mark.parametrize("destination", [True, False])
def test_a_wrong_option_of_the_installer_is_one_line_and_changes_nothing(destination: bool, tmp_path: Path) -> None:
    done = without_mkdir("--delete", folder=tmp_path, destination=destination)
    assert (done.returncode, done.stderr) == (2, "install.sh: no option --delete; there is --remove\n")


def test_a_user_who_is_not_here_is_refused_in_one_line_before_anything_is_done(tmp_path: Path) -> None:
    done = without_mkdir("nobody-of-that-name", folder=tmp_path, destination=False)
    assert (done.returncode, done.stderr) == (2, "install.sh: no user nobody-of-that-name\n")


def without_mkdir(word: str, *, folder: Path, destination: bool) -> subprocess.CompletedProcess[str]:
    """The installer, where its first step fails, so that this machine is safe from it whatever it does."""
    step = folder / "mkdir"
    step.write_text("#!/bin/sh\nexit 9\n")
    step.chmod(0o700)
    done = install(
        word, folder=folder, PATH=f"{folder}:{os.environ['PATH']}", **({} if destination else {"DESTDIR": ""})
    )
    assert list(folder.iterdir()) == [step]
    return done
