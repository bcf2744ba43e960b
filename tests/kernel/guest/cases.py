"""What is tried in the guest. A case raises AssertionError; what it returns is told beside its name."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import signal
import subprocess
import time
from pathlib import Path

from shoectl.devices.look import look
from tests.endtoend import truth
from tests.kernel.guest.world import DEALER, GROUP, OTHER, Person, World, called, settle, until

MODULES = ("vhci-hcd", "cdc-acm", "ftdi_sio", "usbhid", "hid-generic")
NODES = {"alder": "/dev/ttyACM", "adapter": "/dev/ttyUSB", "dogwood": "/dev/hidraw", "cedar": "/dev/bus/usb/"}
SHUFFLING = ("FEEDING", "MIXING")
ROUNDS = 3
LOOK_S = 0.1  # between two looks at what a simulator does: each takes its time
ROUNDS_WITHIN_S = 200.0
# As the rules of brltty are on systems that have them, in our words.
BRAILLE = Path("/etc/udev/rules.d/85-brltty.rules")
BRAILLE_RULE = (
    'ACTION!="remove", SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", ENV{PRODUCT}=="403/6001/*", '
    'ENV{BRLTTY_BRAILLE_DRIVER}="hd,hm,ht", ENV{SYSTEMD_WANTS}+="brltty-device@usb.service"\n'
)


def the_kernel_has_its_drivers() -> None:
    for module in MODULES:
        called(["modprobe", module])
    called(["/lib/systemd/systemd-udevd", "--daemon", "--resolve-names=late"])
    called(["udevadm", "trigger", "--action=add"])
    settle()


def the_installer_makes_the_group_and_lets_a_user_in() -> None:
    for number, name in ((1001, DEALER), (1002, OTHER)):
        called(["useradd", "--no-create-home", "--uid", str(number), name])
    called(["sh", "/opt/shoectl/udev/install.sh", DEALER])
    BRAILLE.write_text(BRAILLE_RULE)
    called(["udevadm", "control", "--reload"])
    assert f"({GROUP})" in called(["id", DEALER])
    assert f"({GROUP})" not in called(["id", OTHER])


def names_rights_and_peace_are_as_the_rules_say(world: World, device: str) -> str:
    name, kind = world.name_of(device), world.kind(device)
    node = os.path.realpath(name)
    assert node.startswith(NODES[kind]), f"{name} is {node}"
    told = called(["stat", "-L", "-c", "%U %G %a", str(name)]).strip()
    assert told == f"root {GROUP} 660", told
    own = _properties(str(name))
    usb = _usb_device(str(name))
    whole = _properties(str(usb))
    assert (usb / "power" / "control").read_text().strip() == "on"
    assert whole["ID_MM_DEVICE_IGNORE"] == "1"
    if own["SUBSYSTEM"] == "tty":
        assert (own["ID_MM_DEVICE_IGNORE"], own["ID_MM_PORT_IGNORE"]) == ("1", "1")
    if kind == "adapter":
        timer = Path("/sys/class/tty") / Path(node).name / "device" / "latency_timer"
        assert timer.read_text().strip() == "1", timer.read_text()
        assert "SYSTEMD_WANTS" not in whole, whole["SYSTEMD_WANTS"]
        assert "BRLTTY_BRAILLE_DRIVER" not in whole
    return f"{name} is {node}, {told}"


def somebody_outside_the_group_is_refused(world: World, device: str) -> str:
    name, url = str(world.name_of(device)), world.url(device)

    def open_it() -> str:
        os.close(os.open(os.path.realpath(name), os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY))
        return "opened"

    assert Person(DEALER).does(open_it) == "opened"
    refused = Person(OTHER).does(open_it)
    assert f"[Errno {errno.EACCES}] {os.strerror(errno.EACCES)}" in refused, refused
    told = Person(OTHER).does(lambda: asyncio.run(look(url, device)).family)
    assert told.startswith("DeviceFailed"), told
    assert "may not be opened by this user" in told, told
    return f"{refused}\n{told}"


def rounds_are_played_and_the_journal_equals_the_truth(world: World, places: dict[str, str]) -> str:
    return _ended(world, _daemon(world, places, ROUNDS))


def unplugged_in_a_shuffle_and_back_under_another_node_the_round_goes_on(
    world: World, places: dict[str, str], shuffler: str
) -> str:
    name = world.name_of(shuffler)
    before = os.path.realpath(name)
    kept = os.open(before, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)  # so that the kernel gives the number to nobody
    daemon = _daemon(world, places, 1)
    until(lambda: daemon.poll() is not None or world.state(shuffler) in SHUFFLING, "no shuffle", 120, LOOK_S)
    assert daemon.poll() is None, daemon.communicate()[1]
    world.hub.pull(shuffler)
    state = world.state(shuffler)
    assert state in SHUFFLING, f"pulled too late, it is {state}"
    until(lambda: not name.is_symlink(), "the name stays")
    time.sleep(1)
    world.hub.put_back(shuffler)
    until(name.exists, "the name does not come back")
    after = os.path.realpath(name)
    told = _ended(world, daemon)
    os.close(kept)
    assert after != before, f"it is {after} again"
    seen = [body.get("node") for _, kind, body in truth.entries(world.folder / "journal") if kind == "device"]
    assert before in seen, seen
    assert after in seen[seen.index(before) :], seen
    return f"pulled while {state}, {before} became {after}; {told}"


def unplugged_in_a_deal_the_round_goes_on(world: World, places: dict[str, str], shoe: str) -> str:
    before = _drawn(world, shoe)
    daemon = _daemon(world, places, 1)
    until(lambda: daemon.poll() is not None or _drawn(world, shoe) > before + 1, "no card is drawn", 120, LOOK_S)
    drawn = _drawn(world, shoe) - before
    assert daemon.poll() is None, daemon.communicate()[1]
    world.hub.pull(shoe)
    until(lambda: not world.name_of(shoe).is_symlink(), "the name stays")
    time.sleep(1)
    world.hub.put_back(shoe)
    return f"pulled after {drawn} cards; {_ended(world, daemon)}"


def _daemon(world: World, places: dict[str, str], rounds: int) -> subprocess.Popen[str]:
    """So many rounds more at this table."""
    world.rounds += rounds
    words = ("run", "--config", str(world.configuration(places)), "--rounds", str(world.rounds))
    return Person(DEALER).start("-m", "shoectl", *words, "--speed", world.speed, "--json")


def _ended(world: World, daemon: subprocess.Popen[str]) -> str:
    """Wait for a daemon's end, and hold its journal against what truly happened."""
    began = time.monotonic()
    try:
        out, said = daemon.communicate(timeout=ROUNDS_WITHIN_S)
    except subprocess.TimeoutExpired:
        daemon.send_signal(signal.SIGTERM)
        out, said = daemon.communicate(timeout=20)
        last = [json.dumps(entry)[:200] for entry in truth.entries(world.folder / "journal")[-4:]]
        raise AssertionError("\n".join(["the rounds do not end", said.strip()[-600:], *last])) from None
    assert daemon.returncode == 0, said.strip()[-1000:]
    told = json.loads(out)
    assert told["rounds"] == world.rounds, told
    truth.compare(world.folder / "journal", world.folder / "truth.jsonl")
    truth.evidence_is_whole(world.folder / "journal")
    return f"{told['rounds']} rounds, {told['cards_dealt']} cards, {time.monotonic() - began:.1f} s"


def _drawn(world: World, shoe: str) -> int:
    """How many cards have left a shoe. The simulator is writing: what has no end yet is not looked at."""
    whole = (world.folder / "truth.jsonl").read_text().rpartition("\n")[0].splitlines()
    return sum(json.loads(line)["from"] == f"{shoe}.shoe" for line in whole)


def _properties(device: str) -> dict[str, str]:
    words = ["--name", device] if device.startswith("/dev") else ["--path", device]
    lines = called(["udevadm", "info", "--query=property", *words]).splitlines()
    return dict(line.split("=", 1) for line in lines)


def _usb_device(name: str) -> Path:
    """The USB device that a node belongs to."""
    path = Path("/sys") / called(["udevadm", "info", "--query=path", "--name", name]).strip().lstrip("/")
    while not (path / "idVendor").exists():
        path = path.parent
    return path
